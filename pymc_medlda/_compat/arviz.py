"""ArviZ 0.x and 1.x: the groups of an `InferenceData` or a `DataTree`, and convergence measures."""

from __future__ import annotations

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


def convergence(values: Any) -> tuple[Any, Any, Any]:
    """Return rank-normalised split R-hat, bulk and tail ESS of the entries of (chain, draw, entry).

    ArviZ wants two chains for R-hat: a single one is cut into halves, which are then compared.
    Fewer than four draws give NaN.
    """
    import arviz as az
    import xarray as xr

    n_chains, n_draws, n_entries = values.shape
    if n_draws < 4 or n_entries == 0:
        unknown = np.full(n_entries, np.nan)
        return unknown, unknown, unknown

    def as_dataset(array: Any) -> Any:
        return xr.Dataset({"x": (("chain", "draw", "entry"), array)})

    compared = values
    if n_chains == 1:
        half = n_draws // 2
        compared = values[0, : 2 * half].reshape(2, half, n_entries)
    r_hat = np.full(n_entries, np.nan)
    if compared.shape[1] >= 4:
        r_hat = np.asarray(az.rhat(as_dataset(compared))["x"])
    bulk, tail = (np.asarray(az.ess(as_dataset(values), method=m)["x"]) for m in ("bulk", "tail"))
    return r_hat, bulk, tail
