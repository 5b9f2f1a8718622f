"""Parts of a run are joined if they belong together."""

import itertools

import numpy as np
import pytest
import xarray as xr

import pymc_medlda as med
from pymc_medlda._compat.arviz import from_groups, get_group, with_group
from tests.run.test_files import ARVIZ_WARNINGS, assert_same_run, build_one, sample_with_trace
from tests.run.test_trace_store import leave
from tests.sampled import sample


def test_draws_follow_each_other_and_the_warm_up_is_that_of_the_first(tmp_path):
    one, two = sample(), sample(random_seed=12)
    two.to_netcdf(str(tmp_path / "two.nc"))
    joined = med.join_runs([one, tmp_path / "two.nc", one])
    assert type(joined) is type(one)
    for group in ("posterior", "sample_stats"):
        parts = [get_group(part, group) for part in (one, two, one)]
        expected = xr.concat(parts, "draw").assign_coords(draw=np.arange(36))
        xr.testing.assert_equal(get_group(joined, group), expected)
    times = [get_group(part, "posterior").attrs["sampling_time"] for part in (one, two, one)]
    assert get_group(joined, "posterior").attrs["sampling_time"] == pytest.approx(sum(times))
    for group in ("warmup_posterior", "warmup_sample_stats", "constant_data", "observed_data"):
        xr.testing.assert_equal(get_group(joined, group), get_group(one, group))
    assert med.diagnose(joined).burn_in.shape == (3, 2)


def test_a_part_that_never_left_its_warm_up_is_warm_up():
    one = sample()
    empty = with_group(one, "posterior", get_group(one, "posterior").isel(draw=slice(0)))
    empty = with_group(empty, "sample_stats", get_group(one, "sample_stats").isel(draw=slice(0)))
    joined = med.join_runs([empty, one])
    warm_up = get_group(one, "warmup_posterior")
    expected = xr.concat([warm_up, warm_up], "draw").assign_coords(draw=np.arange(12))
    xr.testing.assert_equal(get_group(joined, "warmup_posterior"), expected)
    xr.testing.assert_equal(get_group(joined, "posterior"), get_group(one, "posterior"))


def with_value(idata, group, name, value):
    dataset = get_group(idata, group).copy(deep=True)
    dataset[name] = dataset[name] * 0 + value
    return with_group(idata, group, dataset)


def test_parts_that_do_not_belong_together_are_refused():
    one = sample()
    posterior = get_group(one, "posterior")
    for other, said in [
        (with_value(one, "constant_data", "z_beta", 0.5), "they differ in z_beta"),
        (with_value(one, "observed_data", "y", 1.0), "they differ in y"),
        (with_group(one, "posterior", posterior.drop_vars("eta")), "they differ in eta"),
        (sample("multiclass"), "they differ in the description of the model"),
        (with_group(one, "posterior", posterior.isel(chain=[1])), r"has the chains \[1\]"),
    ]:
        with pytest.raises(ValueError, match=rf"runs\[1\] .*{said}"):
            med.join_runs([one, other])


def test_what_is_no_list_of_runs_is_refused():
    for wrong in ([], "run.nc", None):
        with pytest.raises(TypeError, match="runs must be a list of runs or paths"):
            med.join_runs(wrong)
    foreign = from_groups({"posterior": xr.Dataset({"x": (("chain", "draw"), np.ones((1, 2)))})})
    with pytest.raises(ValueError, match="holds no MedLDA model"):
        med.join_runs([foreign])


@pytest.mark.filterwarnings(*ARVIZ_WARNINGS)
def test_parts_of_all_kinds_are_joined(tmp_path):
    """A Zarr store lists the variables by name, and a file in the order of the model."""
    trace, file, store = (str(tmp_path / name) for name in ("trace.zarr", "run.nc", "run.zarr"))
    returned = sample_with_trace(build_one, trace)
    one = med.read_run(trace)
    one.to_netcdf(file)
    one.to_zarr(store)
    expected = med.join_runs([one, one])
    kinds = [trace, file, store, returned, one]
    for first, second in itertools.permutations(kinds, 2):
        assert_same_run(expected, med.join_runs([first, second]))


def change(idata, function, groups=("posterior",)):
    for group in groups:
        idata = with_group(idata, group, function(get_group(idata, group)))
    return idata


def test_every_part_is_checked():
    """What predict would refuse is not joined, and no number is cast to another kind."""
    one = sample()
    for changed, said in [
        (lambda g: g.assign(z=g["z"] + 0.7), "differ in z"),
        (lambda g: g.assign(z=g["z"] + 50), r"runs\[1\] cannot be joined: .*'z' holds 52"),
        (lambda g: g.assign(eta=g["eta"] * np.nan), r"runs\[1\] cannot be joined: .*'eta' holds n"),
    ]:
        with pytest.raises(ValueError, match=said):
            med.join_runs([one, change(one, changed)])
    with pytest.raises(ValueError, match=r"runs\[0\] cannot be joined: 'z' is of dtype float64"):
        med.join_runs([change(one, lambda g: g.assign(z=g["z"] + 0.7))])
    wide = change(one, lambda g: g.assign(z=g["z"].astype("int64")))
    assert get_group(med.join_runs([one, wide]), "posterior")["z"].dtype == np.int64


@pytest.mark.parametrize("prefix", ["", "warmup_"])
def test_statistics_of_other_draws_are_refused(prefix):
    one = sample()
    for kept in (slice(-5, None), slice(5)):
        sliced = change(one, lambda g, kept=kept: g.isel(draw=kept), [f"{prefix}posterior"])
        said = rf"runs\[1\] cannot be joined: {prefix}sample_stats has .* labels of draw"
        with pytest.raises(ValueError, match=said):
            med.join_runs([one, sliced])
    both = [f"{prefix}{group}" for group in ("posterior", "sample_stats")]
    med.join_runs([one, change(one, lambda g: g.isel(draw=slice(-5, None)), both)])
    moved = change(one, lambda g: g.assign_coords(draw=g["draw"] + 1), [f"{prefix}posterior"])
    with pytest.raises(ValueError, match="labels of draw"):
        med.join_runs([moved])


def test_the_order_of_dims_does_not_matter():
    one = sample()
    turned = change(one, lambda g: g.transpose(..., "draw", "chain"), ["posterior", "sample_stats"])
    expected = med.join_runs([one, one])
    for parts in ([one, turned], [turned, one], [turned, turned]):
        assert_same_run(
            expected, change(med.join_runs(parts), lambda g: g.transpose("chain", "draw", ...))
        )


def test_chains_and_draws_must_be_there():
    one = sample()
    groups = ["posterior", "sample_stats", "warmup_posterior", "warmup_sample_stats"]
    alone = change(one, lambda g: g.isel(chain=0), groups)
    stacked = change(one, lambda g: g.stack(sample=("chain", "draw")), groups)
    for wrong, said in ((alone, "selecting by lists"), (stacked, "that were stacked")):
        with pytest.raises(ValueError, match=rf"runs\[1\] cannot be joined: .*{said}"):
            med.join_runs([one, wrong])
        with pytest.raises(ValueError, match=rf"runs\[0\] cannot be joined: .*{said}"):
            med.join_runs([wrong])


def test_the_warm_up_that_is_kept_ends_where_the_draws_begin(tmp_path):
    """The first part stops early in the warm-up of the second chain, which then needs more."""
    store = tmp_path / "left.zarr"
    leave(tmp_path / "run.zarr", store, build_one, 2)
    rest = sample(random_seed=12)
    with pytest.warns(UserWarning, match=r"the joined run is unfinished: .* and join all parts ag"):
        joined = med.join_runs([store, rest])
    first = get_group(med.read_run(tmp_path / "run.zarr"), "warmup_posterior")
    second = get_group(rest, "warmup_posterior")
    for group in ("warmup_posterior", "warmup_sample_stats"):
        assert get_group(joined, group)["draw"].values.tolist() == list(range(6))
    for name in ("z", "eta"):
        found = get_group(joined, "warmup_posterior")[name]
        assert found.dtype == second[name].dtype
        np.testing.assert_array_equal(found.values[0], first[name].values[0])
        np.testing.assert_array_equal(found.values[1], second[name].values[1])
