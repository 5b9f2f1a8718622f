"""What a ZarrTrace has written so far is read, whatever steps the model has and when it stopped."""

import shutil

import numpy as np
import pymc as pm
import pytest
import xarray as xr

import pymc_medlda as med
from pymc_medlda._compat.arviz import get_group
from tests.run.test_files import assert_same_run, build_one, build_with_nuts, sample_with_trace
from tests.sampled import OPTIONS, planted

pytestmark = pytest.mark.filterwarnings("ignore:Only", "ignore:The number of")
TUNE, DRAWS = OPTIONS["tune"], OPTIONS["draws"]
DRAWN = ("posterior", "sample_stats")


def leave(store, left, build, moment, **options):
    """Sample, and copy the store as it is after a draw of the second chain."""

    def copy(trace, draw):
        if (draw.chain, draw.draw_idx) == (1, moment):
            shutil.copytree(store, left)

    return sample_with_trace(build, str(store), draws_per_chunk=1, callback=copy, **options)


def test_statistics_that_no_step_reports_do_not_count(tmp_path):
    """Without warm-up PyMC never writes the log density of NUTS beside another step."""
    store = tmp_path / "run.zarr"
    with build_with_nuts():
        expected = pm.sample(**{**OPTIONS, "tune": 0})
    sample_with_trace(build_with_nuts, str(store), tune=0)
    assert not list((store / "sample_stats" / "sampler_0__model_logp").glob("[0-9]*"))
    assert_same_run(expected, med.read_run(store))


@pytest.mark.parametrize("build", [build_one, build_with_nuts])
def test_a_kill_between_two_draws_loses_nothing(build, tmp_path):
    store, left = tmp_path / "run.zarr", tmp_path / "left.zarr"
    leave(store, left, build, TUNE + 4)
    expected = med.read_run(store)
    n = 5
    with pytest.warns(UserWarning, match=rf"cut to the {n} draws that all have"):
        found = med.read_run(left)
    for group in DRAWN:
        of_both = get_group(expected, group).isel(draw=slice(n))
        xr.testing.assert_equal(get_group(found, group), of_both)
        warm_up = get_group(expected, f"warmup_{group}")
        xr.testing.assert_equal(get_group(found, f"warmup_{group}"), warm_up)
    point = med.last_points(left)[1]
    last = get_group(expected, "posterior").isel(chain=1, draw=n - 1)
    assert set(point) == set(last.data_vars)
    for name, value in point.items():
        np.testing.assert_array_equal(value, last[name].values)


def test_a_kill_in_the_warm_up_beside_nuts(tmp_path):
    store, left = tmp_path / "run.zarr", tmp_path / "left.zarr"
    leave(store, left, build_with_nuts, 3)
    warm_up = get_group(med.read_run(store), "warmup_posterior").isel(chain=[1])
    with pytest.warns(UserWarning, match="all its chains were still in the warm-up"):
        found = get_group(med.read_run(left, chains=[1]), "warmup_posterior")
    xr.testing.assert_equal(found, warm_up.isel(draw=slice(4)))


def test_a_statistic_of_ours_counts_also_where_it_is_lost(tmp_path):
    store = tmp_path / "run.zarr"
    sample_with_trace(build_one, str(store), tune=0)
    for block in (store / "sample_stats" / "sampler_0__log_joint").glob("[0-9]*"):
        block.unlink()
    with pytest.raises(ValueError, match="holds no draws"):
        med.read_run(store)


def build_in_reverse():
    """Two sets of assignments of different sizes; the names are not in alphabetical order."""
    corpus = planted().corpus
    with pm.Model() as model:
        med.TopicAssignments("zb", corpus, n_topics=3)
        med.TopicAssignments("za", corpus[:20], n_topics=3, words="wa")
    return model


def test_the_dims_of_tokens_do_not_depend_on_the_names(tmp_path):
    store = str(tmp_path / "run.zarr")
    with build_in_reverse():
        expected = pm.sample(**OPTIONS)
    returned = sample_with_trace(build_in_reverse, store)
    assert get_group(expected, "posterior")["zb"].dims == ("chain", "draw", "token")
    assert_same_run(expected, med.read_run(store))
    assert_same_run(expected, med.join_runs([returned]))
