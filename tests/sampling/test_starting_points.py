"""Chains go on where they stopped."""

import arviz as az
import numpy as np
import pymc as pm
import pytest

import pymc_medlda as med
from pymc_medlda._compat.arviz import get_group, with_group
from pymc_medlda.run.augmentation import draw_augmentation
from pymc_medlda.sampling.starting_points import last_points
from tests.sampled import OPTIONS, planted, sample, sample_general


def build():
    return med.GibbsMedLDA(planted().corpus, planted().y, n_topics=3, loss=med.Hinge(margin=2.0))


def test_points_hold_the_last_draw_of_each_chain():
    idata = sample("binary")
    points = last_points(idata)
    posterior = get_group(idata, "posterior")
    assert len(points) == 2
    for chain, point in enumerate(points):
        assert sorted(point) == ["eta", "z"]
        assert point["z"].dtype == np.uint8
        np.testing.assert_array_equal(point["z"], posterior["z"].values[chain, -1])
        np.testing.assert_array_equal(point["eta"], posterior["eta"].values[chain, -1])
    points[0]["z"][:] = 0
    assert posterior["z"].values[0, -1].any()


def test_a_step_from_the_point_makes_the_draw_that_the_chain_would_have_made():
    """The generator and the point are all a step knows: both given, the draws are equal."""
    idata = sample("binary")
    posterior = get_group(idata, "posterior")
    with build() as model:
        start = pm.initial_point.make_initial_point_fns_per_chain(
            model=model, overrides=last_points(idata)[1:], jitter_rvs=set(), chains=1
        )[0](0)
        stored = {name: np.array(posterior[name].values[1, -1]) for name in ("z", "eta")}
        drawn = []
        for point in (dict(start), dict(stored)):
            step = med.GibbsMedLDAStep()
            step.rng = np.random.default_rng(5)
            for _ in range(20):
                point, _ = step.step(point)
            drawn.append(point)
    assert drawn[0]["z"].dtype == np.uint8
    for name in ("z", "eta"):
        np.testing.assert_array_equal(start[name], stored[name])
        np.testing.assert_array_equal(drawn[0][name], drawn[1][name])
    assert not np.array_equal(drawn[0]["eta"], stored["eta"])


@pytest.mark.parametrize("from_file", [False, True])
def test_sampling_goes_on_from_the_points(from_file, tmp_path):
    options = {**OPTIONS, "draws": 30, "tune": 0}
    with build():
        idata = pm.sample(**options)
        if from_file:
            idata.to_netcdf(str(tmp_path / "run.nc"))
            idata = az.from_netcdf(str(tmp_path / "run.nc"))
        more = pm.sample(initvals=last_points(idata), **{**options, "random_seed": 99})
        afresh = pm.sample(**{**options, "random_seed": 99})
    z = get_group(more, "posterior")["z"]
    assert z.dtype == np.uint8
    last = get_group(idata, "posterior")["z"].values[:, -1]
    kept = (z.values[:, 0] == last).mean()
    lost = (get_group(afresh, "posterior")["z"].values[:, 0] == last).mean()
    assert kept > lost + 0.3
    before, after, anew = (get_group(i, "sample_stats") for i in (idata, more, afresh))
    for name in ("loss", "log_joint"):
        tail = before[name].values[:, -10:]
        distance = np.abs(after[name].values[:, 0] - tail.mean(axis=1))
        assert (distance < 5 * tail.std()).all(), name
    far = np.abs(anew["log_joint"].values[:, 0] - before["log_joint"].values[:, -10:].mean(axis=1))
    assert (far > 5 * before["log_joint"].values[:, -10:].std()).all()


def test_models_with_other_variables():
    """alpha is transformed, the intercept is left to NUTS: both start where they stopped."""
    idata = sample_general()
    points = last_points(idata)
    assert {"alpha", "intercept", "eta", "z"} <= set(points[0])
    truth = planted()
    with pm.Model() as model:
        alpha = pm.Gamma("alpha", 2.0, 1.0, shape=3)
        intercept = pm.Normal("intercept", 0.0, 1.0)
        eta = pm.Normal("eta", 0.0, 1.0, shape=3)
        z = med.TopicAssignments("z", truth.corpus, n_topics=3, alpha=alpha)
        offset = intercept * np.ones(30)
        med.MaxMargin("y", z, eta, observed=truth.y, loss=med.Hinge(margin=2.0), offset=offset)
        assert sorted(last_points(idata)[0]) == ["alpha", "eta", "intercept", "z"]
        start = pm.initial_point.make_initial_point_fns_per_chain(
            model=model, overrides=points, jitter_rvs=set(), chains=2
        )[1](0)
        np.testing.assert_allclose(np.exp(start["alpha_log__"]), points[1]["alpha"])
        np.testing.assert_array_equal(start["z"], points[1]["z"])
        more = pm.sample(initvals=points, init="adapt_diag", **{**OPTIONS, "draws": 2})
    assert get_group(more, "posterior").sizes["chain"] == 2


def test_auxiliary_variables_are_no_part_of_a_point():
    assert "lam" not in last_points(draw_augmentation(sample("binary"), random_seed=1))[0]


def test_objects_that_cannot_be_continued():
    idata = sample("binary")
    posterior = get_group(idata, "posterior")
    with pytest.raises(ValueError, match="holds no MedLDA model"):
        last_points(az.from_dict({"posterior": {"mu": np.zeros((1, 5))}}))
    with pytest.raises(ValueError, match="posterior has no 'z'"):
        last_points(with_group(idata, "posterior", posterior.drop_vars("z")))
    warm_up = get_group(idata, "warmup_posterior")
    empty = with_group(idata, "posterior", posterior.isel(draw=slice(0)))
    np.testing.assert_array_equal(last_points(empty)[1]["z"], warm_up["z"].values[1, -1])
    without = with_group(empty, "warmup_posterior", warm_up.isel(draw=slice(0)))
    with pytest.raises(ValueError, match="holds no draws to continue from"):
        last_points(without)
    with build(), pytest.raises(ValueError, match="posterior has no eta: sample with all free"):
        last_points(with_group(idata, "posterior", posterior.drop_vars("eta")))
