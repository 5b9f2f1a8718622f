"""`Loss`: the interface of a loss, and all that the rest of the package needs of it.

Once augmented, a loss is a pair (a, b) for each document and task, its log factor being
b F - a F²/2. The kernels that draw topics and weights do not depend on the loss. To add one,
subclass `Loss`; nothing else needs to be edited.

Symbols: F the discriminant, y the response (±1 for labels), c the weight of the loss, lam (λ) and
omega (ω) the auxiliary variables.
"""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Any, ClassVar, Self, dataclass_transform

import numpy as np

from pymc_medlda._arguments import is_symbolic
from pymc_medlda._arrays import Floats


@dataclass_transform(frozen_default=True, eq_default=False)
class Loss(ABC):
    """What a response contributes to the joint density: one factor per document and task.

    A subclass is a frozen dataclass, made one by subclassing alone. Its annotated fields are the
    parameters: numbers, arrays over documents (or documents and tasks), or PyTensor variables. The
    methods below are called on an instance whose parameters broadcast against F, as `from_values`
    makes it. A subclass is stored with a run under its `key`, and found again by it.
    """

    takes_labels: ClassVar[bool]
    """Whether y is a label, coded ±1, or a real value."""
    may_be_zero: ClassVar[tuple[str, ...]] = ()
    """Parameters that may be zero; the others must be positive."""
    whole: ClassVar[tuple[str, ...]] = ()
    """Parameters that must be whole numbers."""
    units: ClassVar[Mapping[str, int]] = MappingProxyType({})
    """How the parameters of a loss of real values change with the unit of y: the power of the unit
    by which a parameter is multiplied. `Standardised` needs it."""

    def __init_subclass__(cls, **arguments: Any) -> None:
        """Make the subclass a frozen dataclass."""
        super().__init_subclass__(**arguments)
        dataclass(frozen=True, eq=False)(cls)
        settings = {"takes_labels", "may_be_zero", "whole", "units"}.intersection(
            cls.parameter_names()
        )
        if settings:
            raise TypeError(
                f"{cls.__name__}.{settings.pop()} is annotated, which makes it a parameter of the "
                "loss: write it without annotation"
            )

    @classmethod
    def key(cls) -> str:
        """Return the name under which a run stores the loss: with its module, unless it is ours."""
        own = cls.is_of_the_package()
        return cls.__qualname__ if own else f"{cls.__module__}.{cls.__qualname__}"

    @classmethod
    def is_of_the_package(cls) -> bool:
        """Say whether the loss is one of the package's own, and not a user's."""
        return cls.__module__.startswith("pymc_medlda.losses.")

    @classmethod
    def parameter_names(cls) -> tuple[str, ...]:
        """Return the names of the parameters, in order."""
        return tuple(field.name for field in fields(cls))  # type: ignore[arg-type]

    @classmethod
    def from_values(cls, values: Iterable[Any], *, n_dims: int = 2) -> Self:
        """Return the loss with these parameters, shaped to broadcast against F.

        ``values`` are arrays or tensors in the order of `parameter_names`. Where F has a column per
        task (``n_dims`` is 2), a vector over documents becomes a column.
        """
        return cls(*(v[:, None] if v.ndim == 1 and n_dims == 2 else v for v in values))

    @abstractmethod
    def log_factor(self, y: Any, discriminant: Any) -> Any:
        """Return the log factor of each entry of y as a PyTensor expression."""

    @abstractmethod
    def value(self, y: Floats, discriminant: Floats) -> Floats:
        """Return the loss of each entry, as users know it (not multiplied by 2c)."""

    @abstractmethod
    def log_factor_of(self, value: Floats) -> Floats:
        """Return the log factor, as numbers, of entries with these losses."""

    @abstractmethod
    def draw_auxiliary(
        self, rng: np.random.Generator, y: Floats, discriminant: Floats
    ) -> dict[str, Floats]:
        """Draw the auxiliary variables from their conditional given (y, F)."""

    @abstractmethod
    def quadratic(self, y: Floats, auxiliary: dict[str, Floats]) -> tuple[Floats, Floats]:
        """Return (a, b): given the auxiliary variables the log factor is b F - a F²/2 + const."""

    @abstractmethod
    def draw_response(self, rng: np.random.Generator, discriminant: Floats) -> Floats:
        """Draw y given F from the factor, normalised over y."""

    def tempered(self, power: float) -> Self:
        """Return the loss whose factor is this one's to a power from 0 to 1, up to a constant.

        It is used by annealed starts only. A loss that cannot be tempered returns itself, as this
        default does: then the densities of words and topics alone are tempered.
        """
        return self

    def augment(
        self, rng: np.random.Generator, y: Floats, discriminant: Floats, *, given: Any
    ) -> tuple[Floats, Floats]:
        """Draw the auxiliary variables and return (a, b); (0, 0) where y is not ``given``.

        ``given`` is a mask of y, or True where nothing is missing.
        """
        a, b = self.quadratic(y, self.draw_auxiliary(rng, y, discriminant))
        if given is not True:
            a, b = np.where(given, a, 0.0), np.where(given, b, 0.0)
        return a, b

    def of_documents(self, some: slice) -> Self:
        """Return the loss of some documents; parameters are shaped as `from_values` shapes them."""
        values = {name: getattr(self, name) for name in self.parameter_names()}
        own = {name: value[some] for name, value in values.items() if np.ndim(value) == 2}
        return type(self)(**{**values, **own})

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        return all(
            _equal(getattr(self, name), getattr(other, name)) for name in self.parameter_names()
        )

    def __hash__(self) -> int:
        return hash(type(self))  # parameters may be arrays, which have no hash


def find_loss(key: str) -> type[Loss]:
    """Return the loss that was stored under a key, among all subclasses there are."""
    known = _subclasses(Loss)  # type: ignore[type-abstract]
    found = [loss for loss in known if loss.key() == key]
    if not found:
        raise ValueError(
            f"the loss {key!r} is not known here: import the module that defines it first; "
            f"known are {', '.join(sorted({loss.key() for loss in known}))}"
        )
    # A notebook cell that ran twice, or a class that was unpickled by value, leaves others with the
    # same key. The one that its module knows by that name is meant, otherwise the newest.
    return next((loss for loss in found if _is_in_its_module(loss)), found[-1])


def _subclasses(loss: type[Loss]) -> list[type[Loss]]:
    return [c for child in loss.__subclasses__() for c in (child, *_subclasses(child))]


def _is_in_its_module(loss: type[Loss]) -> bool:
    place: Any = sys.modules.get(loss.__module__)
    for name in loss.__qualname__.split("."):
        place = getattr(place, name, None)
    return place is loss


def _equal(left: Any, right: Any) -> bool:
    if is_symbolic(left) or is_symbolic(right):
        return left is right  # == between PyTensor variables builds an expression
    return bool(np.array_equal(left, right))
