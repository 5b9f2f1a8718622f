"""Features in the step: a draw depends on point and generator alone, whatever else happens."""

import copy
import pickle

import numpy as np
import pymc as pm
import pytest
from scipy import sparse

import pymc_medlda as med
from pymc_medlda._compat.arviz import get_group
from tests.compositions.table import CORPUS, HINGE, LABELS, SEVERAL, D, K

QUIET = {"progressbar": False, "compute_convergence_checks": False, "quiet": True}
TABLE = np.random.default_rng(3).normal(size=(D, 3))
KINDS = {"words": ("words", SEVERAL), "dense": (TABLE, LABELS), "one task": ("words", LABELS)}


def model_of(kind="words", **settings):
    features, y = KINDS[kind]
    return med.GibbsMedLDA(CORPUS, y, n_topics=K, loss=HINGE, features=features, **settings)


def advance(step, point, n):
    for _ in range(n):
        point, _ = step.step(point)
    return point


def assert_same(one, other):
    assert one.keys() == other.keys()
    for name, value in one.items():
        np.testing.assert_array_equal(value, other[name])
        assert value.dtype == other[name].dtype


@pytest.mark.parametrize("kind", KINDS)
def test_a_chain_goes_on_from_a_point_as_if_it_had_not_stopped(kind):
    with model_of(kind) as model:
        one, other = (med.GibbsMedLDAStep(rng=3) for _ in range(2))
    whole = advance(one, model.initial_point(1), 9)
    middle = advance(other, model.initial_point(1), 4)
    kept = {name: value.copy() for name, value in middle.items()}
    with model:
        fresh = med.GibbsMedLDAStep(rng=other.rng)
    assert_same(advance(fresh, kept, 5), whole)
    assert_same(advance(pickle.loads(pickle.dumps(other)), kept, 5), whole)


def test_a_point_is_left_as_it_is_and_may_change_between_draws():
    with model_of() as model:
        step = med.GibbsMedLDAStep(rng=3)
    density = model.compile_logp()
    point = advance(step, model.initial_point(1), 2)
    before = {name: value.copy() for name, value in point.items()}
    step.step(point)
    assert_same(point, before)
    new, _ = step.step(point)
    new["w"][:] = 7.0  # in place, as a caller may
    with model:
        fresh = med.GibbsMedLDAStep(rng=copy.deepcopy(step.rng))
    point, (statistics,) = step.step(new)
    assert_same(point, fresh.step(new)[0])
    assert statistics["log_joint"] == pytest.approx(float(density(point)), rel=1e-12)
    assert np.abs(point["w"]).max() < 7.0


def test_weights_that_are_not_drawn_stay():
    with model_of() as model:
        step = med.GibbsMedLDAStep(["z", "eta"], rng=3)
        alone = med.GibbsMedLDAStep(["w"], rng=3)
    point = model.initial_point(1)
    point["w"] = np.ones(point["w"].shape)
    assert_same({"w": advance(step, point, 2)["w"]}, {"w": point["w"]})
    moved = advance(alone, point, 2)
    np.testing.assert_array_equal(moved["eta"], point["eta"])
    assert (moved["w"] != point["w"]).all()


def test_another_prior_is_left_to_pymc(caplog):
    with pm.Model() as model, caplog.at_level("INFO"):
        z = med.TopicAssignments("z", CORPUS, n_topics=K)
        eta, w = pm.Normal("eta", shape=K), pm.Laplace("w", 0.0, 1.0, shape=3)
        med.MaxMargin("y", z, eta, observed=LABELS, features=TABLE, feature_weights=w)
        step = med.GibbsMedLDAStep()
        with pytest.raises(ValueError, match="cannot draw w: the prior of w is laplace"):
            med.GibbsMedLDAStep(["w"])
    assert [value.name for value in step.vars] == ["z", "eta"]
    assert "the feature weights of y are left to PyMC" in caplog.text
    idata = pm.sample(5, tune=5, chains=1, cores=1, random_seed=1, model=model, **QUIET)
    assert np.ptp(get_group(idata, "posterior")["w"].values, axis=1).min() > 0


def test_a_random_scale_is_sampled_beside_the_step():
    with pm.Model():
        tau = pm.HalfNormal("tau", 1.0)
        med.GibbsMedLDA(CORPUS, LABELS, n_topics=K, features="words", tau=tau, name="m")
        idata = pm.sample(10, tune=10, chains=1, cores=1, random_seed=1, **QUIET)
    posterior = get_group(idata, "posterior")
    assert np.ptp(posterior["tau"].values) > 0
    assert np.ptp(posterior["m::w"].values, axis=1).min() > 0


def test_the_number_of_cores_does_not_matter():
    runs = []
    for cores in (1, 2):
        with model_of():
            runs.append(pm.sample(3, tune=2, chains=2, cores=cores, random_seed=4, **QUIET))
    one, two = (get_group(run, "posterior")["w"].values for run in runs)
    np.testing.assert_array_equal(one, two)
    assert not np.array_equal(one[0], one[1])


def test_annealed_starts_hold_the_weights_of_features():
    with model_of():
        points = med.annealed_starts(20, chains=2, random_seed=1, progressbar=False)
        again = med.annealed_starts(20, chains=2, random_seed=1, progressbar=False, cores=1)
    assert sorted(points[0]) == ["eta", "w", "z"]
    for point, other in zip(points, again, strict=True):
        assert_same(point, other)
    assert not np.array_equal(points[0]["w"], points[1]["w"])


def test_several_rounds_draw_the_weights_of_features_several_times():
    with model_of() as model:
        one, three = (med.GibbsMedLDAStep(rng=1, weight_rounds=n) for n in (1, 3))
    calls = []
    for step in (one, three):
        features = step.conditionals.responses[0].features
        draw, counted = features.draw, []
        features.draw = lambda *args, draw=draw, counted=counted: (counted.append(1), draw(*args))
        advance(step, model.initial_point(1), 1)
        calls.append(len(counted))
    assert calls == [1, 3]


def test_a_value_that_is_no_weight_is_refused_at_the_point():
    with model_of() as model:
        step = med.GibbsMedLDAStep(rng=1)
    point = model.initial_point(1)
    with pytest.raises(ValueError, match="feature weights of y is nan at this point"):
        step.step({**point, "w": np.full(point["w"].shape, np.nan)})
    with pytest.raises(ValueError, match="feature weights of y has shape"):
        step.step({**point, "w": np.zeros((2, 3))})


def test_a_scale_that_is_not_positive_is_refused_at_the_point():
    with pm.Model():
        tau = pm.Data("tau", 1.0)
        model = med.GibbsMedLDA(CORPUS, LABELS, n_topics=K, features="words", tau=tau, name="m")
        step = med.GibbsMedLDAStep(rng=1)
        pm.set_data({"tau": -1.0})
        with pytest.raises(ValueError, match=r"feature prior scale of m::y is -1\.0"):
            step.step(model.root.initial_point(1))


def test_sparse_features_give_the_draws_of_the_same_dense_ones():
    wide = np.eye(D, 70)
    results = []
    for features in (wide, sparse.csr_array(wide)):
        with med.GibbsMedLDA(CORPUS, LABELS, n_topics=K, features=features, tau=1.0) as model:
            step = med.GibbsMedLDAStep(rng=2)
        results.append(advance(step, model.initial_point(1), 3))
    assert_same(*results)


def test_a_stored_run_goes_on_with_the_random_numbers_it_would_have_used(tmp_path):
    pytest.importorskip("zarr")
    from pymc.backends.zarr import ZarrTrace

    options = {"tune": 0, "chains": 2, "cores": 1, "random_seed": 3, **QUIET}
    store = str(tmp_path / "run.zarr")
    with model_of():
        whole = pm.sample(8, **options)
    with model_of():
        pm.sample(4, trace=ZarrTrace(store=store), **options)
        step, points = med.GibbsMedLDAStep(resume=store), med.last_points(store)
        rest = pm.sample(4, step=step, initvals=points, **{**options, "random_seed": 9})
    expected = get_group(whole, "posterior")["w"].values[:, 4:]
    np.testing.assert_array_equal(get_group(rest, "posterior")["w"].values, expected)
    joined = get_group(med.join_runs([store, rest]), "posterior")["w"].values
    np.testing.assert_array_equal(joined, get_group(whole, "posterior")["w"].values)
