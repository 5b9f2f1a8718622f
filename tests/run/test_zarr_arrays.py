"""A Zarr store in which something is missing is refused, and what is there is read as it is."""

import numpy as np
import pytest
import xarray as xr
import zarr

import pymc_medlda as med
from pymc_medlda._compat.arviz import get_group, group_names, with_group
from tests.run.test_files import ARVIZ_WARNINGS, assert_same_run, build_one, sample_with_trace
from tests.sampled import planted, sample

pytestmark = pytest.mark.filterwarnings(*ARVIZ_WARNINGS)


@pytest.fixture
def store(tmp_path):
    sample().to_zarr(str(tmp_path / "run.zarr"))
    return tmp_path / "run.zarr"


def drop_block(store, array):
    block = next(iter(sorted((store / array).glob("[0-9]*"))))
    content = block.read_bytes()
    block.unlink()
    return lambda: block.write_bytes(content)


def test_a_store_that_lacks_a_block_is_refused_by_the_name_of_the_variable(store):
    expected = med.read_run(store)
    arrays = [
        f"{group}/{name}"
        for group in group_names(expected)
        for name in get_group(expected, group).variables
        if (store / group / name).exists()
    ]
    assert {"posterior/eta", "sample_stats/loss", "observed_data/words"} <= set(arrays)
    for array in arrays:
        put_back = drop_block(store, array)
        with pytest.raises(ValueError, match=rf"run\.zarr is damaged .*{array}\W+ is missing"):
            med.read_run(store)
        put_back()
    assert_same_run(expected, med.read_run(store))


def test_no_function_goes_on_with_a_block_that_is_missing(store):
    drop_block(store, "posterior/eta")
    for function in (
        lambda: med.last_points(store),
        lambda: med.join_runs([store]),
        lambda: med.predict(store, planted().corpus, random_seed=1, progressbar=False),
    ):
        with pytest.raises(ValueError, match=r"posterior/eta.* is missing"):
            function()


def test_data_of_a_trace_that_lack_a_block_are_refused(tmp_path):
    store = tmp_path / "run.zarr"
    sample_with_trace(build_one, str(store))
    for array in ("constant_data/z_length", "observed_data/words", "posterior/topic"):
        put_back = drop_block(store, array)
        with pytest.raises(ValueError, match=rf"{array}\W+ is missing"):
            med.read_run(store)
        put_back()
    med.read_run(store)


def test_a_point_that_is_no_number_is_no_start():
    posterior = get_group(sample(), "posterior").copy(deep=True)
    posterior["eta"].values[1, -1, 0] = np.nan
    with pytest.raises(ValueError, match="the last draw of 'eta' in idata holds nan"):
        med.last_points(with_group(sample(), "posterior", posterior))


def test_integers_with_a_value_for_missing_ones_stay_integers(store):
    """A topic that equals the value that Zarr fills in is a topic, and not missing."""
    expected = med.read_run(store)
    for name in ("z", "eta"):
        values = get_group(expected, "posterior")[name].values
        array = zarr.open_group(str(store))[f"posterior/{name}"]
        array.attrs["_FillValue"] = values.flat[0].item()
        array.attrs["scale_factor"] = 2.0
    assert get_group(med.read_run(store), "posterior")["z"].dtype == np.uint8
    for name in ("z", "eta"):
        found, whole = (get_group(i, "posterior")[name] for i in (med.read_run(store), expected))
        xr.testing.assert_equal(found, whole)


def test_a_path_is_read_with_a_slash_at_its_end_and_refused_where_it_is_no_run(store, tmp_path):
    sample().to_netcdf(str(tmp_path / "run.nc"))
    assert_same_run(sample(), med.read_run(f"{tmp_path / 'run.nc'}/"))
    assert_same_run(sample(), med.read_run(f"{store}/"))
    with pytest.raises(ValueError, match="path is empty: expected a NetCDF file"):
        med.read_run("")
    for group in ("posterior", "constant_data"):
        with pytest.raises(ValueError, match=r"is a group of a Zarr store: give .*run\.zarr$"):
            med.read_run(store / group)
