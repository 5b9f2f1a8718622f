"""Predictions of small runs, and how to compare, save and load them."""

import arviz as az
import numpy as np
import xarray as xr

from pymc_medlda._compat.arviz import get_group
from pymc_medlda.prediction.predicting import predict


def predicted(idata, corpus, **options):
    options = {"random_seed": 1, "progressbar": False, **options}
    return get_group(predict(idata, corpus, **options), "predictions")


def is_tree(idata):
    return hasattr(idata, "children")


def save(idata, path, form):
    idata.to_netcdf(path) if form == "netcdf" else idata.to_zarr(path)


def load(path, form):
    if "netcdf" in form:
        return az.from_netcdf(path)
    return xr.open_datatree(path, engine="zarr") if "DataTree" in form else az.from_zarr(path)


def assert_same(one, other):
    assert set(one.data_vars) == set(other.data_vars)
    for name in one.data_vars:
        assert one[name].dims == other[name].dims
        np.testing.assert_array_equal(one[name].values, other[name].values, err_msg=str(name))
