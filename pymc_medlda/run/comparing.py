"""Whether the parts of a run may be joined: each is whole, and they are of one model."""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr

from pymc_medlda._compat.arviz import from_groups
from pymc_medlda.run import record
from pymc_medlda.run.reading import FOREIGN, read_records
from pymc_medlda.run.run import Run
from pymc_medlda.run.statistics import check_same_draws
from pymc_medlda.run.stored_chains import StoredChains
from pymc_medlda.run.trace_store import FIXED


def check_dims(part: StoredChains, name: str) -> None:
    """Raise unless a part is ours, and all its draws have the dims of chains and draws."""
    if not read_records(part.fixed.get):
        raise ValueError(FOREIGN.replace("idata", name, 1))
    for group in (*part.draws.values(), *part.warm_up.values()):
        for key, variable in group.data_vars.items():
            if not {"chain", "draw"} <= set(variable.dims):
                raise ValueError(
                    f"{name} cannot be joined: {key!r} has the dims {variable.dims}. Keep chain "
                    "and draw, selecting by lists (idata.sel(chain=[0])), and give draws that "
                    "were stacked as they were before"
                )


def check_part(part: StoredChains, name: str) -> None:
    """Raise unless a part can be read by itself, and its statistics are those of its draws."""
    for prefix, groups in (("", part.draws), ("warmup_", part.warm_up)):
        for group, dataset in groups.items():
            if "posterior" in groups:
                source = f"{name} cannot be joined: {prefix}{group}"
                check_same_draws(dataset, groups["posterior"], source)
    for n in np.unique(part.n_draws[part.n_draws > 0]):
        chains = np.flatnonzero(part.n_draws == n)
        own = {k: g.isel(chain=chains, draw=slice(int(n))) for k, g in part.draws.items()}
        try:
            _read(Run(from_groups({**part.fixed, **own})))
        except ValueError as error:
            raise ValueError(f"{name} cannot be joined: {error}") from None


def _read(run: Run) -> None:
    """Read what is stored of topics and responses, which checks it."""
    stored = [name for name in run.assignment_names if name in run.group("posterior")]
    for name in stored:
        run.topics(name).check_assignments(run.topics(name).z.values)
    for response in run.response_records:
        if response.z in stored and response.eta in run.group("posterior"):
            run.response(response.name)


def compare(first: StoredChains, other: StoredChains, name: str) -> None:
    """Raise unless two parts have the same model, data and chains."""
    if first.labels != other.labels:
        raise ValueError(
            f"{name} has the chains {other.labels}, but runs[0] has {first.labels}: join the "
            "paths, which have all chains, and continue with as many chains as there were"
        )
    differing: list[Any] = []
    if _descriptions(first) != _descriptions(other):
        differing.append("the description of the model")
    for group in FIXED:
        one, two = (part.fixed.get(group, xr.Dataset()) for part in (first, other))
        differing += [key for key in {**one, **two} if not _same(one, two, str(key))]
    one, two = first.draws["posterior"], other.draws["posterior"]
    differing += [
        key
        for key in {**one, **two}
        if key not in one or key not in two or not same_layout(one[key], two[key])
    ]
    if differing:
        names = ", ".join(dict.fromkeys(map(str, differing)))
        raise ValueError(f"{name} is not a continuation of runs[0]: they differ in {names}")


def _descriptions(part: StoredChains) -> dict[str, record.Record]:
    """Return the descriptions by name: a Zarr store does not keep their order."""
    return {record.owner_of(found): found for found in read_records(part.fixed.get)}


def _same(one: xr.Dataset, two: xr.Dataset, key: str) -> bool:
    """Tell whether both have a variable, and with the same values and coordinates."""
    if key not in one or key not in two:
        return False
    # Descriptions are compared decoded: their text depends on the release that wrote it.
    return key.endswith(record.SUFFIX) or bool(one[key].equals(two[key]))


def same_layout(one: xr.DataArray, two: xr.DataArray) -> bool:
    """Tell whether two variables have the same dims, in any order, and numbers of the same kind."""
    kinds = [{"u": "i"}.get(variable.dtype.kind, variable.dtype.kind) for variable in (one, two)]
    sizes = [
        {dim: n for dim, n in variable.sizes.items() if dim != "draw"} for variable in (one, two)
    ]
    return kinds[0] == kinds[1] and sizes[0] == sizes[1] and set(one.dims) == set(two.dims)
