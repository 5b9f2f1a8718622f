"""`StoredChains`: the draws of chains that may have stopped at different moments.

A run that was killed or interrupted leaves chains of unequal length. Here each chain keeps all it
has, until `StoredChains.cut` makes arrays of equal length for everything else.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from pymc_medlda._compat.arviz import get_group, group_names
from pymc_medlda.run import record
from pymc_medlda.run.coordinates import find_label, labels_of
from pymc_medlda.run.reading import read_records

DRAWN = ("posterior", "unconstrained_posterior", "sample_stats")
"""Groups with draws of the chains; those of the warm-up have the same names after ``warmup_``."""
NUMBERED = re.compile(r"sampler_(\d+)__(.+)")
"""What ``ZarrTrace`` calls the statistics: the number of the step comes first."""
# PyMC gives these statistics other names when it converts a run, and leaves these out.
RENAMED = {
    "model_logp": "lp",
    "mean_tree_accept": "acceptance_rate",
    "depth": "tree_depth",
    "tree_size": "n_steps",
}
HINT = "The documentation of read_run says how to use the rest"
LEFT_OUT = ("tune", "in_warmup", "warning")


@dataclass(frozen=True)
class StoredChains:
    """Groups of draws (chain, draw, ...) and of warm-up, of which each chain has its own number.

    What lies beyond the number of a chain is filling and has no meaning.
    """

    draws: dict[str, xr.Dataset]
    warm_up: dict[str, xr.Dataset]
    fixed: dict[str, xr.Dataset]
    n_draws: NDArray[np.int64]
    n_warm_up: NDArray[np.int64]

    @classmethod
    def of(cls, idata: Any) -> StoredChains:
        """Take the chains of an object, with all the draws that were made.

        If sampling with ``ZarrTrace`` was interrupted, the object that ``pm.sample`` returns holds
        zeros in place of the draws that were never made. Their statistics are NaN.
        """
        groups = {name: get_group(idata, name) for name in group_names(idata)}
        draws = {name: groups.pop(name) for name in DRAWN if name in groups}
        warm_up = {n: groups.pop(f"warmup_{n}") for n in DRAWN if f"warmup_{n}" in groups}
        counts = (_count_draws(draws), _count_draws(warm_up))
        if not counts[1].size:
            counts = (counts[0], np.zeros_like(counts[0]))
        chains = cls(draws, warm_up, groups, *counts)
        return with_own_names(chains) if is_from_trace(idata) else chains

    @property
    def labels(self) -> list[Any]:
        """The names of the chains."""
        return list(labels_of(self.draws["posterior"], "chain").tolist())

    def last_point(self, chain: int, names: Sequence[str]) -> dict[str, Any] | None:
        """Return the last draw of a chain, or that of its warm-up; None if it has neither."""
        for groups, n in ((self.draws, self.n_draws[chain]), (self.warm_up, self.n_warm_up[chain])):
            if n:
                last = groups["posterior"].isel(chain=chain, draw=int(n) - 1)
                return {name: np.array(last[name].values) for name in names}
        return None

    def cut(
        self, source: str, chains: Sequence[Any] | None = None, hint: str = HINT
    ) -> dict[str, xr.Dataset]:
        """Return groups in which all chains have the same draws, and warn of what is cut off.

        Chains without draws are left out, unless no chain has any. ``hint`` ends the warning.
        """
        chosen = self._find(chains)
        kept = [c for c in chosen if self.n_draws[c]] or [c for c in chosen if self.n_warm_up[c]]
        if not kept:
            raise ValueError(f"{source} holds no draws: sampling stopped before the first one")
        n_draws, n_warm_up = int(self.n_draws[kept].min()), int(self.n_warm_up[kept].min())
        said = self._describe_cut(kept, [c for c in chosen if c not in kept], n_draws)
        if said:
            warnings.warn(f"{source} is unfinished: {'; '.join(said)}. {hint}", stacklevel=3)
        groups = {
            name: dataset.isel(chain=kept, draw=slice(n_draws))
            for name, dataset in self.draws.items()
        }
        if n_warm_up:
            # The draws follow the end of the warm-up. Without draws the beginning is kept.
            first = self.n_warm_up[kept] - n_warm_up if n_draws else np.zeros(len(kept), np.int64)
            for name, dataset in self.warm_up.items():
                groups[f"warmup_{name}"] = _window(dataset.isel(chain=kept), first, n_warm_up)
        for name, dataset in self.fixed.items():
            all_kept = "chain" not in dataset.dims or chains is None
            groups[name] = dataset if all_kept else dataset.isel(chain=kept)
        return groups

    def _find(self, chains: Sequence[Any] | None) -> list[int]:
        known = self.labels
        if chains is None:
            return list(range(len(known)))
        positions = [find_label(known, chain) for chain in chains]
        found = [position for position in positions if position is not None]
        if not found or len(set(found)) < len(positions):
            raise ValueError(
                f"chains must be a list of some of {known}, got {chains!r}; each is allowed once"
            )
        return found

    def _describe_cut(self, kept: list[int], left_out: list[int], n_draws: int) -> list[str]:
        """Say which draws and chains are cut off."""
        labels = self.labels
        said = []
        beyond = [c for c in kept if self.n_draws[c] > n_draws]
        if beyond:
            extra = ", ".join(f"{self.n_draws[c] - n_draws} of chain {labels[c]}" for c in beyond)
            said.append(f"its chains are cut to the {n_draws} draws that all have ({extra} more)")
        if not n_draws:
            said.append("all its chains were still in the warm-up, so the posterior has no draws")
        if left_out:
            reached = (f"chain {labels[c]} ({self.n_warm_up[c]} of warm-up)" for c in left_out)
            said.append(f"chains without draws are left out: {', '.join(reached)}")
        return said


def _window(dataset: xr.Dataset, first: NDArray[np.int64], n: int) -> xr.Dataset:
    """Return a number of draws of each chain, from a first one that may differ; renumber then."""
    if (first == first[0]).all():
        return dataset.isel(draw=slice(int(first[0]), int(first[0]) + n))
    chains = [
        dataset.isel(chain=[c], draw=slice(int(f), int(f) + n)).assign_coords(draw=np.arange(n))
        for c, f in enumerate(first)
    ]
    return xr.concat(chains, "chain", data_vars="minimal", coords="minimal", join="exact")


def is_from_trace(idata: Any) -> bool:
    """Tell by its statistics whether ``pm.sample`` made an object from a ``ZarrTrace``."""
    statistics = get_group(idata, "sample_stats")
    return statistics is not None and any(NUMBERED.fullmatch(str(n)) for n in statistics.data_vars)


def _count_draws(groups: dict[str, xr.Dataset]) -> NDArray[np.int64]:
    """Return how many draws each chain has, before the first one whose statistics are NaN."""
    if "posterior" not in groups:
        return np.zeros(0, np.int64)
    sizes = groups["posterior"].sizes
    made = np.ones((sizes.get("chain", 0), sizes.get("draw", 0)), bool)
    for name, variable in groups.get("sample_stats", xr.Dataset()).data_vars.items():
        found = NUMBERED.fullmatch(str(name))
        if found and found[2] == "log_joint":
            made &= ~np.isnan(variable.transpose("chain", "draw", ...).values)
    return np.cumprod(made, axis=1).sum(axis=1).astype(np.int64)


def with_own_names(chains: StoredChains) -> StoredChains:
    """Give statistics and dims the names that they have without ``ZarrTrace``."""
    renamed = _token_dims(chains)

    def tidy(groups: dict[str, xr.Dataset]) -> dict[str, xr.Dataset]:
        return {
            name: _own_statistics(dataset)
            if name == "sample_stats"
            else _own_dims(dataset, renamed)
            for name, dataset in groups.items()
        }

    return replace(
        chains, draws=tidy(chains.draws), warm_up=tidy(chains.warm_up), fixed=tidy(chains.fixed)
    )


def _token_dims(chains: StoredChains) -> dict[str, str]:
    """Return the names of the dims of tokens, which ``ZarrTrace`` forgets as they have no labels.

    The descriptions have them. Those of release 0.1.0 do not: there they follow from the rule of
    the model that sets of assignments of other sizes than the first get dims of their own, where
    the first is that whose name comes first, since Zarr does not keep the order.
    """
    renamed: dict[str, str] = {}
    size = None
    for described in read_records(chains.fixed.get) if "constant_data" in chains.fixed else []:
        old = f"{described.z}_dim_0"
        own = chains.draws["posterior"].sizes.get(old)
        if not isinstance(described, record.TopicsRecord) or own is None:
            continue
        size = own if size is None else size
        ruled = "token" if own == size else record.as_dim(f"{described.z}_token")
        new = described.token or ruled
        renamed |= {old: new, f"{described.words}_dim_0": new}
    return renamed


def _own_dims(dataset: xr.Dataset, renamed: dict[str, str]) -> xr.Dataset:
    """Rename dims, and forget the values of empty blocks: files would take them for missing."""
    changed = dataset.rename({old: new for old, new in renamed.items() if old in dataset.dims})
    for variable in changed.variables.values():
        variable.attrs = {key: v for key, v in variable.attrs.items() if key != "_FillValue"}
    return changed


def _own_statistics(dataset: xr.Dataset) -> xr.Dataset:
    """Give statistics their own names; those of several steps get a dim for the steps."""
    found: dict[str, list[tuple[int, xr.DataArray]]] = {}
    for flat, variable in dataset.data_vars.items():
        match = NUMBERED.fullmatch(str(flat))
        if match and match[2] not in LEFT_OUT:
            found.setdefault(match[2], []).append((int(match[1]), variable))
    statistics = {}
    for stored, of_steps in found.items():
        name = RENAMED.get(stored, stored)
        arrays = [
            v.transpose("chain", "draw", ...).values
            for _, v in sorted(of_steps, key=lambda p: p[0])
        ]
        values = arrays[0] if len(arrays) == 1 else np.stack(arrays, axis=-1)
        dims = [f"{name}_dim_{i}" for i in range(values.ndim - 2)]
        statistics[name] = (("chain", "draw", *dims), values)
    coords: dict[str, Any] = {
        dim: dataset[dim].values for dim in ("chain", "draw") if dim in dataset.coords
    }
    for own, values in statistics.values():
        coords |= {dim: np.arange(n) for dim, n in zip(own[2:], values.shape[2:], strict=True)}
    return xr.Dataset(statistics, coords, dataset.attrs)
