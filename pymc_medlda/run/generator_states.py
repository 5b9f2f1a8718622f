"""The state of a step's random generator, which ``ZarrTrace`` stores beside the draws of a chain.

PyMC stores these states as pickles, and a pickle may run any code when it is loaded. Nothing is
imported or called here: every class in a pickle becomes an empty `Shell` with its attributes.
"""

from __future__ import annotations

import hashlib
import io
import pickle
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np


class StepState(NamedTuple):
    """What a `GibbsMedLDAStep` needs to continue, besides the point where its chain stopped."""

    names: tuple[str, ...]
    point_digest: str
    settings: dict[str, Any]  # of the step, by name
    generator: dict[str, Any]


class Shell:
    """Stands for an object of any class in a pickle: keeps its attributes and its arguments."""

    arguments: tuple[Any, ...]

    def __new__(cls, *args: Any, **kwargs: Any) -> Shell:  # noqa: D102
        shell = object.__new__(cls)
        shell.arguments = args
        return shell

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Take whatever the class took."""

    def __setstate__(self, state: Any) -> None:
        self.__dict__.update(state if isinstance(state, dict) else {"content": state})

    def append(self, item: Any) -> None:
        """Take an item, as a list does; it is not needed."""

    def __setitem__(self, key: Any, value: Any) -> None:
        """Take an item, as a dict does; it is not needed."""


class _Reader(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        return type(name, (Shell,), {})


def digest_point(point: Mapping[str, Any], names: Sequence[str]) -> str:
    """Return a digest of some variables of a point: equal digests mean equal values."""
    digest = hashlib.blake2b(digest_size=16)
    for name in names:
        value = np.asarray(point[name])
        digest.update(f"{name}{value.shape}".encode())
        kind = np.float64 if value.dtype.kind == "f" else value.dtype
        digest.update(np.ascontiguousarray(value, kind).data)
    return digest.hexdigest()


def read_states(pickled: bytes) -> list[StepState]:
    """Return the states of the Gibbs steps in a pickle that ``ZarrTrace`` wrote for one chain.

    The states of other steps are left out. What is not such a pickle gives no states.
    """
    try:
        array = _Reader(io.BytesIO(pickled)).load()  # of NumPy, with one object
        state = array.content[-1][0]
        found = [_read_state(part.__dict__) for part in getattr(state, "methods", [state])]
    except Exception:  # a damaged pickle may raise anything
        return []
    return [one for one in found if one is not None]


def _read_state(fields: dict[str, Any]) -> StepState | None:
    """Return the state of a Gibbs step; None for another step."""
    if not fields.get("point_digest"):
        return None
    return StepState(
        tuple(fields["var_names"]),
        str(fields["point_digest"]),
        {
            "sweeps_per_draw": int(fields["sweeps_per_draw"]),
            "weight_rounds": int(fields.get("weight_rounds", 1)),  # runs of release 0.1 had one
            "path": str(fields["path"]),
            "blocks": int(fields.get("blocks", 1)),  # and so had runs without this setting
        },
        dict(fields["rng"].arguments[0]),  # a named tuple of two states: the first is this one
    )


def restore_generator(state: Mapping[str, Any]) -> np.random.Generator:
    """Return a generator in a stored state."""
    bit_generator = getattr(np.random, str(state["bit_generator"]))()
    bit_generator.state = dict(state)
    return np.random.Generator(bit_generator)
