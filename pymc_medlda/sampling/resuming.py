"""Go on with the random numbers of a run that was stopped.

``pm.sample`` gives every chain a new generator. A `Resumption` replaces it by the stored one if the
chain begins where a stored chain stopped.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from pymc_medlda.run.files import is_path, open_trace
from pymc_medlda.run.generator_states import StepState, digest_point, restore_generator


class Resumption:
    """The generators of the stored chains, by the points where the chains stopped.

    Parameters
    ----------
    path : str or path
        The store of a ``ZarrTrace``.
    names : sequence of str
        The variables that the step draws.
    settings : dict
        The settings of the step by name, which must be those of the stored run.
    """

    def __init__(self, path: Any, names: Sequence[str], settings: Mapping[str, Any]) -> None:
        if not is_path(path):
            raise TypeError(
                f"resume must be a str or a path, the store of a ZarrTrace; got {path!r} "
                f"({type(path).__name__})"
            )
        trace = open_trace(path)
        if trace is None:
            raise ValueError(
                f"resume must be the store of a ZarrTrace, which has the states of the steps; "
                f"{path} is another file: continue with initvals=last_points(path) alone"
            )
        self.names = tuple(names)
        self.generators: dict[str, dict[str, Any]] = {}
        for chain, (end, states) in enumerate(trace.ends):
            if end:
                state = self._find(path, chain, states)
                for name, value in settings.items():
                    _compare(name, value, state.settings[name])
                self.generators[state.point_digest] = state.generator
        self.all_begun = all(end for end, _ in trace.ends)
        self.current: np.random.Generator | None = None

    def _find(self, path: Any, chain: int, states: list[StepState]) -> StepState:
        for state in states:
            if state.names == self.names:
                return state
        raise ValueError(
            f"resume: {path} has no state of a generator for {', '.join(self.names)} that "
            f"belongs to the last draw of chain {chain}: continue with "
            "initvals=last_points(path) and a new random_seed, without resume"
        )

    def pick_generator(
        self, given: np.random.Generator, point: dict[str, Any]
    ) -> np.random.Generator:
        """Return the stored generator if a chain begins at ``point``, else the one it has.

        A chain begins when PyMC has set a generator that was not seen before.
        """
        if given is self.current:
            return given
        stored = self.generators.get(digest_point(point, self.names))
        if stored is None and self.all_begun:
            raise ValueError(
                "resume: a chain begins where no stored chain stopped: pass the same path as "
                "initvals=last_points(path), and as many chains as there were"
            )
        self.current = given if stored is None else restore_generator(stored)
        return self.current


def _compare(name: str, given: Any, stored: Any) -> None:
    if given != stored:
        raise ValueError(
            f"{name} is {given!r}, but the run to resume was sampled with {stored!r}: the draws "
            "would differ. Use the same value, or leave out resume"
        )
