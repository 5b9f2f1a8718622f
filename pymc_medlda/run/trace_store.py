"""A store that ``ZarrTrace`` writes while PyMC samples: complete, unfinished or left by a kill.

For each chain PyMC writes a block of draws: all variables, then the statistics, then the state of
the step, then the number of draws so far. Zarr writes every block of an array to a temporary file
and renames it, so a block is whole or absent. Warm-up and draws lie in one array. When sampling has
ended, PyMC moves the warm-up to groups of its own, one array after the other. A kill may come at
any moment of this, so only draws whose blocks are all there are read.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from pymc_medlda.run.generator_states import StepState, digest_point, read_states
from pymc_medlda.run.record import STATISTICS
from pymc_medlda.run.stored_chains import DRAWN, StoredChains
from pymc_medlda.run.zarr_arrays import as_dataset, draw_arrays, read_arrays

STATE = "_sampling_state"
WARM_UP = "warmup_"
FIXED = ("constant_data", "observed_data")
OWN = tuple(f"__{name}" for name in STATISTICS)
"""What the names of our statistics end in."""


class Place(NamedTuple):
    """Where the draws of a variable lie: warm-up apart, or both in one array if it is None."""

    warm_up: Any
    array: Any
    split: bool


class TraceStore:
    """The complete draws of every chain in a store, and the state of its steps.

    Parameters
    ----------
    root : zarr.Group
        The store.
    """

    def __init__(self, root: Any) -> None:
        self.root = root
        state = root[STATE]
        self.tune = int(state["tuning_steps"][()])
        self.sampling_time = float(state["sampling_time"][()])
        self.recorded: NDArray[np.int64] = np.maximum(state["draw_idx"][:], 0)
        self._leading: dict[tuple[str, int], int] = {}

    @cached_property
    def places(self) -> dict[str, dict[str, Place]]:
        """The arrays of every group that has draws, by name."""
        planned = self._planned_draws()
        found: dict[str, dict[str, Place]] = {}
        for group in DRAWN:
            whole, warm_up = draw_arrays(self.root, group), draw_arrays(self.root, WARM_UP + group)
            names = [name for name in {**warm_up, **whole} if group in self.root]
            found[group] = {}
            for name in names:
                array, earlier = whole.get(name), warm_up.get(name) if self.tune else None
                split = array is None or (self.tune > 0 and array.shape[1] != planned)
                found[group][name] = Place(earlier, array, split)
        return {group: places for group, places in found.items() if places}

    def _planned_draws(self) -> int:
        """Return how many draws were asked for, warm-up included.

        PyMC splits the statistics last. While some of their arrays are longer than others, or are
        not in the group of the warm-up, the longest has everything.
        """
        arrays, earlier = (
            draw_arrays(self.root, "sample_stats"),
            draw_arrays(self.root, "warmup_sample_stats"),
        )
        lengths = {array.shape[1] for array in arrays.values()}
        unsplit = not self.tune or len(lengths) > 1 or not set(arrays) <= set(earlier)
        return max(lengths, default=0) + (0 if unsplit else self.tune)

    @cached_property
    def fixed(self) -> dict[str, xr.Dataset]:
        """The groups without draws."""
        groups = {name: self.root[name] for name in FIXED if name in self.root}
        return {name: as_dataset(group, read_arrays(group)) for name, group in groups.items()}

    @cached_property
    def ends(self) -> list[tuple[int, list[StepState]]]:
        """For every chain the number of its complete draws, and the states of its steps there.

        A kill may come after the state was written and before the number of draws. The state says
        to which point it belongs, so both are found to agree or the state is left out.
        """
        return [self._find_end(chain) for chain in range(self.recorded.size)]

    @cached_property
    def _counted(self) -> list[Place]:
        """The variables and statistics that every complete draw has.

        A compound step never reports some statistics of its parts, as the log density of NUTS, so
        their arrays stay without any block. Those of `GibbsMedLDAStep` are always reported.
        """
        return [
            place
            for group, places in self.places.items()
            for name, place in places.items()
            if group != "sample_stats" or name.endswith(OWN) or _is_reported(place)
        ]

    def _find_end(self, chain: int) -> tuple[int, list[StepState]]:
        places = self._counted
        present = min((self._count(place, chain) for place in places), default=0)
        recorded = int(self.recorded[chain])
        states = self._read_states(chain)
        block = max((p.array.chunks[1] for p in places if p.array is not None), default=1)
        following = range(recorded + 1, min(recorded + block, present) + 1)
        for end in (recorded, *following):
            if 0 < end <= present and self._belong(states, chain, end):
                return end, states
        return min(recorded, present), []

    def _belong(self, states: list[StepState], chain: int, end: int) -> bool:
        """Tell whether the steps were in these states after this number of draws."""
        names = {name for state in states for name in state.names}
        if not states or not names <= set(self.places["posterior"]):
            return False
        point = self.read_point(chain, end, sorted(names))
        return all(digest_point(point, s.names) == s.point_digest for s in states)

    def _read_states(self, chain: int) -> list[StepState]:
        array = self.root[STATE]["sampling_state"]
        block = array.chunk_store.get(f"{array.path}/{chain}")
        if block is None:
            return []
        try:
            return read_states(
                block if array.compressor is None else array.compressor.decode(block)
            )
        except (ValueError, RuntimeError):  # damaged
            return []

    def _count(self, place: Place, chain: int) -> int:
        """Return how many draws of a variable are there, from the first one on."""
        warm_up = 0 if place.warm_up is None else self._leading_draws(place.warm_up, chain)
        if place.array is None:
            return warm_up
        whole = self._leading_draws(place.array, chain)
        if not place.split:
            return max(whole, warm_up)
        return self.tune + whole if warm_up == self.tune else warm_up

    def _leading_draws(self, array: Any, chain: int) -> int:
        """Return how many draws of a chain are in the blocks before the first missing one."""
        key = (array.path, chain)
        if key not in self._leading:
            n, block = array.shape[1], array.chunks[1]
            rest = (0,) * (array.ndim - 2)
            first = 0
            while (
                first < n and array._chunk_key((chain, first // block, *rest)) in array.chunk_store
            ):
                first += block
            self._leading[key] = n if array.size == 0 else min(first, n)
        return self._leading[key]

    def read_draws(self, place: Place, chain: int, first: int, end: int) -> NDArray[Any]:
        """Return draws of a variable; both ends lie in the warm-up, or neither does."""
        moved = place.warm_up is not None and (
            place.split or self._leading_draws(place.array, chain) < end
        )
        if end <= self.tune and moved:
            values = place.warm_up[chain, first:end]
        else:
            shift = self.tune if place.split else 0
            values = place.array[chain, first - shift : end - shift]
        return np.asarray(values)

    def read_point(self, chain: int, end: int, names: list[str]) -> dict[str, NDArray[Any]]:
        """Return the values of variables after a number of draws."""
        places = self.places["posterior"]
        return {name: self.read_draws(places[name], chain, end - 1, end)[0] for name in names}

    def read_chains(self) -> StoredChains:
        """Return all complete draws, under the names that ``ZarrTrace`` gives them."""
        ends = np.array([end for end, _ in self.ends], np.int64)
        n_warm_up = np.minimum(ends, self.tune)
        warm_up = {g: self._read_group(g, np.zeros_like(ends), n_warm_up) for g in self.places}
        draws = {g: self._read_group(g, n_warm_up, ends) for g in self.places}
        return StoredChains(draws, warm_up, self.fixed, ends - n_warm_up, n_warm_up)

    def _read_group(
        self, group: str, first: NDArray[np.int64], end: NDArray[np.int64]
    ) -> xr.Dataset:
        """Return the draws of all chains between two positions; shorter chains end in zeros."""
        length = int((end - first).max(initial=0))
        variables = {}
        for name, place in self.places[group].items():
            array = place.warm_up if place.array is None else place.array
            values = np.zeros((end.size, length, *array.shape[2:]), array.dtype)
            for chain in range(end.size):
                n = end[chain] - first[chain]
                if n:
                    values[chain, :n] = self.read_draws(place, chain, first[chain], end[chain])
            variables[name] = (array.attrs["_ARRAY_DIMENSIONS"], values)
        named = as_dataset(self.root[group], variables)
        attributes: dict[str, Any] = {"tuning_steps": self.tune}
        if self.sampling_time:  # PyMC writes it when sampling has ended
            attributes["sampling_time"] = self.sampling_time
        numbered = named.assign_coords(chain=np.arange(end.size), draw=np.arange(length))
        return numbered.assign_attrs(attributes)


def _is_reported(place: Place) -> bool:
    """Tell whether there is a block of a statistic, of any chain.

    When PyMC moves the warm-up, it writes blocks of statistics that were never reported too.
    """
    moved = place.warm_up if place.split else None
    found = [array for array in (place.array, moved) if array is not None]
    return any(array.nchunks_initialized for array in found)
