"""`join_runs`: the parts of a run that was stopped and continued become one run again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from pymc_medlda._compat.arviz import from_groups
from pymc_medlda.run.comparing import check_dims, check_part, compare, same_layout
from pymc_medlda.run.files import is_path, open_trace, read_run, read_trace
from pymc_medlda.run.reading import FOREIGN
from pymc_medlda.run.run import Run
from pymc_medlda.run.stored_chains import StoredChains
from pymc_medlda.run.stored_counts import GROUP as COUNTED
from pymc_medlda.run.trace_store import FIXED

Counts = NDArray[np.int64]
HINT = "To use the rest, continue the chains that are shorter, and join all parts again"


def join_runs(runs: Sequence[Any]) -> Any:
    """Join a run and its continuations: the draws of each chain, one part after the other.

    Give the path of a part rather than what `read_run` returned for it: a path has all the draws of
    every chain, and an object has been cut to those that all chains have. Joined chains of unequal
    length are cut in the same way, with a warning.

    The warm-up is what a chain did before its first draw. The warm-up of later parts is left out.

    Parameters
    ----------
    runs : list of InferenceData, DataTree or path
        The parts, in the order in which they were sampled, of the same model and with the same
        chains.

    Returns
    -------
    InferenceData or DataTree
        With the posterior, the statistics, the warm-up and the data. Draws are numbered anew. The
        calibration of a part is not that of the joined run: `calibrate` the joined run again.

    Examples
    --------
    >>> import pymc_medlda as med
    >>> joined = med.join_runs([idata, idata])  # stands for a run and its continuation
    >>> dict(joined["posterior"]["eta"].sizes)
    {'chain': 2, 'draw': 40, 'topic': 2}
    """
    if is_path(runs) or not isinstance(runs, Sequence) or not len(runs):
        raise TypeError(f"runs must be a list of runs or paths, at least one, got {runs!r}")
    parts = [read_chains(run, f"runs[{number}]") for number, run in enumerate(runs)]
    for number, part in enumerate(parts):
        check_dims(part, f"runs[{number}]")
        compare(parts[0], part, f"runs[{number}]")
        check_part(part, f"runs[{number}]")
    n_draws = [part.n_draws for part in parts]
    drawn_before = np.cumsum([np.zeros_like(n_draws[0]), *n_draws[:-1]], axis=0)
    n_warm_up = [
        np.where(before > 0, 0, part.n_warm_up)
        for before, part in zip(drawn_before, parts, strict=True)
    ]
    joined = StoredChains(
        draws=_join_groups([part.draws for part in parts], n_draws),
        warm_up=_join_groups([part.warm_up for part in parts], n_warm_up),
        fixed={name: group for name, group in parts[0].fixed.items() if name in FIXED},
        n_draws=np.sum(n_draws, axis=0),
        n_warm_up=np.sum(n_warm_up, axis=0),
    )
    return from_groups(joined.cut("the joined run", hint=HINT))


def read_chains(run: Any, name: str = "idata") -> StoredChains:
    """Return all draws of every chain of a run, given as an object or a path.

    ``name`` is the name of the object in the error for something that is not a run.
    """
    if is_path(run):
        trace = open_trace(run)
        chains = StoredChains.of(read_run(run)) if trace is None else read_trace(run, trace)
    else:
        chains = StoredChains.of(run.idata if isinstance(run, Run) else run)
    if "posterior" not in chains.draws:
        raise ValueError(FOREIGN.replace("idata", name, 1))
    if COUNTED in chains.fixed:
        raise ValueError(
            f"{name} is a run of distributed.sample, which does not hold the topics of all tokens "
            "in their order: no chain of pm.sample can continue it, and its parts cannot be "
            "joined. With distributed.sample(checkpoint=...) a run that was stopped goes on"
        )
    return chains


def _join_groups(parts: list[dict[str, xr.Dataset]], counts: list[Counts]) -> dict[str, xr.Dataset]:
    """Join the groups and variables that all parts have, of each chain as many draws as counted."""
    having = [(part, n) for part, n in zip(parts, counts, strict=True) if n.any()]
    if not having:
        return parts[0]
    common = [name for name in having[0][0] if all(name in part for part, _ in having)]
    return {
        name: _join([part[name] for part, _ in having], [n for _, n in having]) for name in common
    }


def _join(parts: list[xr.Dataset], counts: list[Counts]) -> xr.Dataset:
    first = parts[0].transpose("chain", "draw", ...)
    ends = np.cumsum(counts, axis=0)
    length = int(ends[-1].max())
    variables = {}
    for name in first.data_vars:
        variable = first[name]
        if not all(name in part and same_layout(variable, part[name]) for part in parts):
            continue
        kind = np.result_type(*(part[name].dtype for part in parts))
        values = np.zeros((ends.shape[1], length, *variable.shape[2:]), kind)
        for part, n, end in zip(parts, counts, ends, strict=True):
            own = part[name].transpose(*variable.dims).values
            for chain in range(values.shape[0]):
                values[chain, end[chain] - n[chain] : end[chain]] = own[chain, : n[chain]]
        variables[name] = (variable.dims, values)
    coords: dict[Any, Any] = {k: v for k, v in first.coords.items() if "draw" not in v.dims}
    attributes = {key: value for key, value in first.attrs.items() if key != "sampling_time"}
    times = [part.attrs["sampling_time"] for part in parts if "sampling_time" in part.attrs]
    if len(times) == len(parts):
        attributes["sampling_time"] = float(sum(times))
    return xr.Dataset(variables, {**coords, "draw": np.arange(length)}, attributes)
