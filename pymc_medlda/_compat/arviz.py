"""ArviZ 0.x and 1.x: the groups of an `InferenceData` or a `DataTree`, and convergence measures."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np


def get_group(idata: Any, name: str) -> Any:
    """Return a group of an `InferenceData` or `DataTree` as an xarray Dataset, None if absent."""
    if hasattr(idata, "groups") and callable(idata.groups):  # InferenceData, ArviZ 0.x
        return idata[name] if name in idata.groups() else None
    if name not in getattr(idata, "children", {}):
        return None
    return idata[name].to_dataset()


def with_group(idata: Any, name: str, dataset: Any) -> Any:
    """Return a shallow copy of ``idata`` in which the group is ``dataset``."""
    if hasattr(idata, "groups") and callable(idata.groups):
        groups = {group: idata[group] for group in idata.groups()}
        return type(idata)(**{**groups, name: dataset}, warn_on_custom_groups=False)
    import xarray as xr

    result = idata.copy()
    result[name] = xr.DataTree(dataset)
    return result


def group_names(idata: Any) -> list[str]:
    """Return the names of the groups of an `InferenceData` or `DataTree`."""
    if hasattr(idata, "groups") and callable(idata.groups):
        return list(idata.groups())
    return [str(name) for name in getattr(idata, "children", {})]


def from_groups(groups: Mapping[str, Any]) -> Any:
    """Return datasets as the kind of object that ``pm.sample`` returns in this generation."""
    import arviz as az
    import xarray as xr

    if int(az.__version__.split(".")[0]) >= 1:
        return xr.DataTree.from_dict({f"/{name}": dataset for name, dataset in groups.items()})
    return az.InferenceData(**groups, warn_on_custom_groups=False)


def read_netcdf(path: str) -> Any:
    """Read a NetCDF file into memory and close it."""
    import arviz as az

    lazy = az.from_netcdf(path)
    try:
        return from_groups({name: get_group(lazy, name).load() for name in group_names(lazy)})
    finally:
        lazy.close()


def effective_sizes(values: Any) -> tuple[Any, Any]:
    """Return bulk and tail ESS of the entries of (chain, draw, entry); NaN below four draws."""
    import arviz as az
    import xarray as xr

    _, n_draws, n_entries = values.shape
    if n_draws < 4 or n_entries == 0:
        unknown = np.full(n_entries, np.nan)
        return unknown, unknown
    dataset = xr.Dataset({"x": (("chain", "draw", "entry"), values)})
    bulk, tail = (np.asarray(az.ess(dataset, method=method)["x"]) for method in ("bulk", "tail"))
    return bulk, tail


@contextmanager
def computing_in_numpy() -> Iterator[None]:
    """Let ArviZ 0.x compute variances in NumPy instead of compiling a function for them.

    Compiling takes 0.2 seconds in every process, and makes nothing faster. ArviZ 1.x has no
    such switch, and nothing to switch off.
    """
    switch: Any = getattr(sys.modules.get("arviz"), "Numba", None)
    if not getattr(switch, "numba_flag", False):
        yield
        return
    switch.disable_numba()
    try:
        yield
    finally:
        switch.enable_numba()
