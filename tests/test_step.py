"""The step behind PyMC's contract: seeds, processes, state, company, storage, refusals."""

import itertools
import logging
import pickle
import sys

import arviz as az
import cloudpickle
import numpy as np
import pymc as pm
import pytest

import pymc_medlda as med
from pymc_medlda._compat.arviz import get_group
from tests.oracle import Toy, threshold, z_scores
from tests.toy import build

QUIET = {"progressbar": False, "compute_convergence_checks": False}


@pytest.fixture(scope="module")
def planted():
    return med.datasets.make_planted(40, n_topics=3, n_words=60, length=30, seed=11)


def model_of(planted, **arguments):
    loss = med.Hinge(c=0.8, margin=4.0)
    return med.GibbsMedLDA(planted.corpus, planted.y, n_topics=3, loss=loss, **arguments)


def sample(planted, *, seed=1, draws=6, tune=3, chains=2, cores=1, **arguments):
    with model_of(planted):
        return pm.sample(
            draws=draws,
            tune=tune,
            chains=chains,
            cores=cores,
            step=med.GibbsMedLDAStep(),
            random_seed=seed,
            **{**QUIET, **arguments},
        )


def draws(idata, name="z"):
    return get_group(idata, "posterior")[name].values


def test_same_seed_same_draws_other_seed_other_draws(planted):
    one, again, other = (sample(planted, seed=s) for s in (1, 1, 2))
    assert np.array_equal(draws(one), draws(again))
    assert np.array_equal(draws(one, "eta"), draws(again, "eta"))
    assert not np.array_equal(draws(one), draws(other))
    assert not np.array_equal(draws(one)[0], draws(one)[1])


@pytest.mark.slow
@pytest.mark.parametrize("method", ["fork", "forkserver", "spawn"])
def test_processes_give_the_draws_of_one_core(planted, method):
    if sys.platform == "win32" and method != "spawn":
        pytest.skip("this start method does not exist on Windows")
    alone = sample(planted, seed=5)
    together = sample(planted, seed=5, cores=2, mp_ctx=method)
    assert np.array_equal(draws(alone), draws(together))
    assert np.array_equal(draws(alone, "eta"), draws(together, "eta"))


def test_step_is_a_function_of_point_and_generator(planted):
    """One instance over two chains: what it remembers of the first must not colour the second."""
    with model_of(planted) as model:
        step, fresh = med.GibbsMedLDAStep(rng=0), med.GibbsMedLDAStep(rng=0)
        point = model.initial_point(7)
        for _ in range(3):  # another chain before
            other, _ = step.step(model.initial_point(8))
            step.step(other)
        step.rng, fresh.rng = np.random.default_rng(4), np.random.default_rng(4)
        one, stats = step.step(point)
        two, stats_again = fresh.step(point)
    assert np.array_equal(one["z"], two["z"])
    assert np.array_equal(one["eta"], two["eta"])
    assert stats == stats_again


@pytest.mark.parametrize("names", [["z", "eta"], ["z"]])
def test_a_point_may_be_changed_in_place(planted, names):
    """Also one the step gave away, and weights that it does not draw."""
    with model_of(planted) as model:
        variables = [model[name] for name in names]
        step, fresh = (med.GibbsMedLDAStep(variables, rng=0) for _ in range(2))
        point, _ = step.step(model.initial_point(7))
        point["eta"] += np.arange(point["eta"].size)
        point["z"][:5] = 0
        step.rng, fresh.rng = np.random.default_rng(4), np.random.default_rng(4)
        (one, stats), (_, stats_again) = step.step(point), fresh.step(point)
        one["eta"] *= -2.0
        again, _ = step.step(one)
        other = med.GibbsMedLDAStep(variables, rng=0)
        other.rng = np.random.default_rng(4)
        other.step(point)
        expected, _ = other.step(one)
    assert stats == stats_again
    assert np.array_equal(again["z"], expected["z"])
    assert np.array_equal(again["eta"], expected["eta"])


def test_point_is_left_alone_and_draws_are_apart(planted):
    with model_of(planted) as model:
        step = med.GibbsMedLDAStep(rng=3)
        start = model.initial_point(1)
        kept = {name: value.copy() for name, value in start.items()}
        points = [start]
        for _ in range(3):
            points.append(step.step(points[-1])[0])
    assert all(np.array_equal(start[name], kept[name]) for name in kept)
    assert len({p["z"].tobytes() for p in points}) == 4
    assert not any(np.shares_memory(a["z"], b["z"]) for a, b in itertools.pairwise(points))


def test_pickled_step_goes_on_as_the_original(planted):
    with model_of(planted) as model:
        step = med.GibbsMedLDAStep(rng=3)
        point, _ = step.step(model.initial_point(1))
    twin = cloudpickle.loads(cloudpickle.dumps(step))
    one, two = step.step(point)[0], twin.step(point)[0]
    assert np.array_equal(one["z"], two["z"])
    assert np.array_equal(one["eta"], two["eta"])


def test_sampling_state_makes_a_round_trip(planted):
    with model_of(planted) as model:
        step, other = med.GibbsMedLDAStep(rng=3), med.GibbsMedLDAStep(rng=99)
        different = med.GibbsMedLDAStep(sweeps_per_draw=2)
        point, _ = step.step(model.initial_point(1))
    state = pickle.loads(pickle.dumps(step.sampling_state))
    other.sampling_state = state
    assert np.array_equal(step.step(point)[0]["z"], other.step(point)[0]["z"])
    with pytest.raises(ValueError, match="sweeps_per_draw"):
        different.sampling_state = state


def test_statistics_are_what_they_say(planted):
    with model_of(planted) as model:
        step = med.GibbsMedLDAStep(rng=3)
        before, _ = step.step(model.initial_point(1))
        after, (stats,) = step.step(before)
        log_words = model.compile_logp([model["words"]])(after)
    assert stats["log_joint"] == pytest.approx(model.compile_logp()(after), rel=1e-10)
    assert stats["moved"] == np.mean(before["z"] != after["z"])
    frequency = np.stack(
        [
            np.bincount(after["z"][a:b], minlength=3) / max(b - a, 1)
            for a, b in zip(planted.corpus.starts[:-1], planted.corpus.starts[1:], strict=True)
        ]
    )
    signs = np.where(planted.y == np.unique(planted.y)[1], 1.0, -1.0)
    margin = signs * (frequency @ after["eta"])
    assert stats["loss"] == pytest.approx(np.maximum(0, 4.0 - margin).sum())
    assert stats["score"] == np.mean(margin > 0)
    assert stats["log_likelihood"] * planted.corpus.n_tokens == pytest.approx(float(log_words))


def test_plain_sample_finds_the_step(planted, caplog):
    with caplog.at_level(logging.INFO, logger="pymc"), model_of(planted):
        idata = pm.sample(draws=4, tune=2, chains=1, random_seed=1, **QUIET)
    assert "GibbsMedLDAStep: [z, eta]" in caplog.text
    assert draws(idata).dtype == np.uint8


def test_laplace_weights_are_left_to_nuts(planted, caplog):
    with pm.Model(), caplog.at_level(logging.INFO, logger="pymc"):
        z = med.TopicAssignments("z", planted.corpus, n_topics=3)
        eta = pm.Laplace("eta", 0, 1, shape=3)
        med.MaxMargin("y", z, eta, observed=planted.y, loss=med.Hinge(margin=2.0))
        idata = pm.sample(draws=20, tune=20, chains=1, random_seed=1, **QUIET)
        with pytest.raises(ValueError, match="Leave it to NUTS"):
            med.GibbsMedLDAStep([z, eta])
        alone = med.GibbsMedLDAStep()
    assert "NUTS: [eta]" in caplog.text
    assert "GibbsMedLDAStep: [z]" in caplog.text
    assert [v.name for v in alone.vars] == ["z"]
    assert len(np.unique(draws(idata, "eta")[0, :, 0])) > 5


@pytest.mark.slow
def test_hierarchical_scale_beside_nuts_is_exact():
    """P(z) and moments with nu ~ HalfNormal integrated on a grid, over the oracle at each nu."""
    toy = Toy()
    corpus = med.Corpus.from_tokens([list(d) for d in toy.documents], n_words=3)
    with pm.Model():
        nu = pm.HalfNormal("nu", 1.0)
        eta = pm.Normal("eta", 0, nu, shape=2)
        z = med.TopicAssignments("z", corpus, n_topics=2, alpha=np.array(toy.alpha), beta=toy.beta)
        med.MaxMargin("y", z, eta, observed=toy.y, loss=med.Hinge(c=0.7, margin=1.5))
        idata = pm.sample(draws=5000, tune=600, chains=2, cores=2, random_seed=3, **QUIET)
    grid = np.linspace(0.02, 5.0, 60)
    weight, mean_eta_squared, p_first = [], [], []
    for scale in grid:
        p, _, second, log_evidence = Toy(prior_scale=scale).summed(n_grid=61)
        weight.append(np.exp(log_evidence - 0.5 * scale**2))
        mean_eta_squared.append(second.sum())
        p_first.append(p[0])
    weight = np.array(weight) / np.sum(weight)
    expected = [weight @ grid, weight @ grid**2, weight @ mean_eta_squared, weight @ p_first]
    posterior = get_group(idata, "posterior")
    scale, eta = posterior["nu"].values.ravel(), posterior["eta"].values.reshape(-1, 2)
    is_first = (posterior["z"].values.reshape(-1, 6) == 0).all(axis=1)
    samples = np.stack([scale, scale**2, (eta**2).sum(axis=1), is_first], axis=1)
    assert np.abs(z_scores(samples, expected)).max() < threshold(4)
    fixed_scale = [1.0, 1.0, mean_eta_squared[np.argmin(np.abs(grid - 1))], expected[3]]
    assert np.abs(z_scores(samples, fixed_scale)).max() > 2 * threshold(4)


@pytest.mark.slow
def test_random_offset_beside_nuts_is_exact():
    """An intercept sampled by NUTS: its posterior mean against quadrature over its value."""
    toy = Toy(y=(1.0, 1.0, -1.0))
    corpus = med.Corpus.from_tokens([list(d) for d in toy.documents], n_words=3)
    x = np.array([1.0, 0.5, -1.0])
    with pm.Model():
        slope = pm.Normal("slope", 0.3, 0.8)
        eta = pm.Normal("eta", 0, 1, shape=2)
        z = med.TopicAssignments("z", corpus, n_topics=2, alpha=np.array(toy.alpha), beta=toy.beta)
        loss = med.Hinge(c=0.7, margin=1.5)
        med.MaxMargin("y", z, eta, observed=toy.y, loss=loss, offset=slope * x)
        idata = pm.sample(draws=5000, tune=600, chains=2, cores=2, random_seed=6, **QUIET)
    grid = np.linspace(-3.3, 3.9, 49)
    log_weight = []
    for value in grid:
        log_evidence = Toy(y=toy.y, offset=tuple(value * x)).summed(n_grid=61)[3]
        log_weight.append(log_evidence - 0.5 * ((value - 0.3) / 0.8) ** 2)
    weight = np.exp(log_weight - np.max(log_weight))
    weight /= weight.sum()
    samples = get_group(idata, "posterior")["slope"].values.reshape(-1, 1)
    samples = np.concatenate([samples, samples**2], axis=1)
    expected = [weight @ grid, weight @ grid**2]
    assert np.abs(z_scores(samples, expected)).max() < threshold(2)
    assert np.abs(z_scores(samples, [0.3, 0.3**2 + 0.8**2])).max() > 2 * threshold(2)


@pytest.mark.slow
def test_agrees_with_a_generic_step_of_pymc():
    """The same model, weights by NUTS and by us: equal posterior means of eta²."""
    toy = Toy()
    results = []
    for owned in (True, False):
        with build(toy) as model:
            step = [med.GibbsMedLDAStep([model["z"]])]  # weights by a Gibbs step of their own
            if not owned:
                step.append(pm.NUTS([model["eta"]]))
            idata = pm.sample(
                draws=4000, tune=400, chains=2, cores=2, step=step, random_seed=2, **QUIET
            )
        results.append(get_group(idata, "posterior")["eta"].values.reshape(-1, 2))
    _, first, second = toy.posterior()
    expected = np.concatenate([first.ravel(), second.ravel()])
    for eta in results:
        samples = np.concatenate([eta, eta**2], axis=1)
        assert np.abs(z_scores(samples, expected)).max() < threshold(4)


def per_topic(shape):
    return pm.Normal("eta", np.arange(3.0), np.array([0.5, 1.0, 2.0]), shape=shape)


def hierarchical(shape):
    centre = pm.Normal("centre", 0, 1, shape=3)
    return pm.Normal("eta", centre, pm.HalfNormal("spread", 1.0), shape=shape)


def horseshoe(shape):
    local = pm.HalfCauchy("local", 1.0, shape=3)
    return pm.Normal("eta", 0, pm.HalfCauchy("overall", 1.0) * local, shape=shape)


@pytest.mark.parametrize("prior", [per_topic, hierarchical, horseshoe])
@pytest.mark.parametrize("n_tasks", [1, 2])
def test_any_normal_prior_is_drawn_by_the_step(planted, prior, n_tasks):
    y = planted.y if n_tasks == 1 else np.stack([planted.y, np.roll(planted.y, 3)], axis=1)
    with pm.Model() as model:
        z = med.TopicAssignments("z", planted.corpus, n_topics=3)
        eta = prior(3 if n_tasks == 1 else (2, 3))
        med.MaxMargin("y", z, eta, observed=y, loss=med.Hinge(margin=2.0))
        step = med.GibbsMedLDAStep(rng=1)
        point, (stats,) = step.step(model.initial_point(1))
        ours = [model[name] for name in ("z", "eta", "words", "y")]
    assert [v.name for v in step.vars] == ["z", "eta"]
    assert stats["log_joint"] == pytest.approx(model.compile_logp(ours)(point), rel=1e-10)


@pytest.mark.parametrize("margin", [164.0, 1e4])
def test_extreme_documents_stay_finite(margin, rng):
    """Documents of one token and of 5000, a label always violated, weights of a thousand."""
    lengths = [1, 1, 5000, 3, 40]
    documents = [rng.integers(0, 50, n).tolist() for n in lengths]
    corpus = med.Corpus.from_tokens([*documents, documents[0]], n_words=50)
    y = [1, -1, 1, -1, 1, -1]  # the first and the last document are one and the same
    with med.GibbsMedLDA(
        corpus, y, n_topics=4, nu=30.0, loss=med.Hinge(c=2.0, margin=margin)
    ) as model:
        step, logp = med.GibbsMedLDAStep(rng=1), model.compile_logp()
        point = {**model.initial_point(1), "eta": np.array([1e3, -1e3, 5e2, 0.0])}
        for _ in range(30):
            point, (stats,) = step.step(point)
            assert np.isfinite(point["eta"]).all()
            assert all(np.isfinite(v) for v in stats.values())
            assert point["z"].max() < 4
    assert stats["log_joint"] == pytest.approx(logp(point), rel=1e-9)


def test_several_topic_models_in_one(planted):
    with pm.Model() as parent:
        model_of(planted, name="one")
        model_of(planted, name="two")
        step = med.GibbsMedLDAStep()
        idata = pm.sample(draws=3, tune=2, chains=1, random_seed=1, **QUIET)
    assert len(step.methods) == 2
    assert {v.name for v in parent.free_RVs} <= set(get_group(idata, "posterior"))
    assert not np.array_equal(draws(idata, "one::z"), draws(idata, "two::z"))


def test_two_responses_share_the_topics(planted):
    rating = planted.discriminant.ravel()
    with pm.Model() as model:
        z = med.TopicAssignments("z", planted.corpus, n_topics=3)
        label, value = pm.Normal("label", shape=3), pm.Normal("value", shape=3)
        med.MaxMargin("y", z, label, observed=planted.y, loss=med.Hinge(margin=2.0))
        med.MaxMargin("rating", z, value, observed=rating, loss=med.EpsilonInsensitive())
        step = med.GibbsMedLDAStep(rng=1)
        point, (stats,) = step.step(model.initial_point(1))
    assert [v.name for v in step.vars] == ["z", "label", "value"]
    assert stats["log_joint"] == pytest.approx(model.compile_logp()(point), rel=1e-10)


def test_random_alpha_is_learned_beside_the_step(planted):
    with pm.Model():
        alpha = pm.Gamma("alpha", 2.0, 1.0)
        eta = pm.Normal("eta", shape=3)
        z = med.TopicAssignments("z", planted.corpus, n_topics=3, alpha=alpha)
        med.MaxMargin("y", z, eta, observed=planted.y, loss=med.Hinge(margin=2.0))
        idata = pm.sample(draws=20, tune=20, chains=1, random_seed=1, **QUIET)
    posterior = get_group(idata, "posterior")
    np.testing.assert_allclose(
        posterior["z_alpha"].values, np.repeat(posterior["alpha"].values[..., None] / 3, 3, -1)
    )
    assert posterior["alpha"].values.std() > 0


def test_var_names_tuning_and_progress_bar(planted):
    kept = sample(planted, discard_tuned_samples=False, var_names=["eta"], progressbar=True)
    assert set(get_group(kept, "posterior").data_vars) == {"eta"}
    warmup = get_group(kept, "warmup_sample_stats")
    assert warmup.sizes["draw"] == 3
    assert {"loss", "score", "log_likelihood", "log_joint", "moved"} <= set(warmup.data_vars)


def test_convergence_checks_pass_over_assignments(planted, monkeypatch):
    """With checks on, no R-hat of a token is computed; eta's still are."""
    seen = []
    target = "arviz_stats.rhat" if int(pm.__version__.split(".")[0]) >= 6 else "arviz.rhat"
    import importlib

    module = importlib.import_module(target.split(".")[0])
    original = module.rhat
    monkeypatch.setattr(
        module, "rhat", lambda data, **k: seen.append(list(k["var_names"])) or original(data, **k)
    )
    idata = sample(planted, draws=100, tune=0, compute_convergence_checks=True)
    assert seen == [["eta"]]
    assert draws(idata).shape == (2, 100, planted.corpus.n_tokens)


def test_plain_lda_is_sampled_and_checked(planted):
    with med.GibbsMedLDA(planted.corpus, n_topics=3):
        idata = pm.sample(draws=100, tune=0, chains=2, cores=1, random_seed=1, progressbar=False)
    stats = get_group(idata, "sample_stats")
    assert np.isnan(stats["score"].values).all()
    assert (stats["loss"].values == 0).all()


def test_stored_assignments_take_one_byte_a_token(planted):
    z = get_group(sample(planted), "posterior")["z"]
    assert z.nbytes == 2 * 6 * planted.corpus.n_tokens


@pytest.mark.parametrize("kind", ["netcdf", "zarr"])
def test_files_give_back_what_was_sampled(planted, kind, tmp_path):
    idata = sample(planted)
    path = tmp_path / f"run.{kind}"
    if kind == "netcdf":
        idata.to_netcdf(path)
        again = az.from_netcdf(path)
    else:
        idata.to_zarr(str(path))
        again = az.from_zarr(str(path))
    for name in ("z", "eta"):
        assert np.array_equal(draws(idata, name), draws(again, name))
    assert draws(again).dtype == np.uint8
    stats, stats_again = get_group(idata, "sample_stats"), get_group(again, "sample_stats")
    assert np.array_equal(stats["loss"].values, stats_again["loss"].values)


def test_zarr_trace_stores_the_draws(planted, tmp_path):
    from pymc.backends.zarr import ZarrTrace

    plain = sample(planted, seed=9)
    with model_of(planted):
        trace = ZarrTrace(store=str(tmp_path / "trace.zarr"), draws_per_chunk=2)
        stored = pm.sample(
            draws=6,
            tune=3,
            chains=2,
            cores=1,
            step=med.GibbsMedLDAStep(),
            random_seed=9,
            trace=trace,
            **QUIET,
        )
    assert np.array_equal(draws(plain), draws(stored))


def test_step_outside_a_model_is_refused():
    with pytest.raises(TypeError, match="built outside a model"):
        med.GibbsMedLDAStep()


def test_step_in_a_model_without_topics_is_refused():
    with pm.Model():
        x = pm.Normal("x")
        with pytest.raises(ValueError, match="no topic assignments"):
            med.GibbsMedLDAStep()
        with pytest.raises(ValueError, match="no topic assignments"):
            med.GibbsMedLDAStep([x])


def test_step_refuses_what_it_cannot_do(planted):
    with model_of(planted) as model:
        with pytest.raises(ValueError, match="sweeps_per_draw must be at least 1"):
            med.GibbsMedLDAStep(sweeps_per_draw=0)
        with pytest.raises(ValueError, match="path"):
            med.GibbsMedLDAStep(path="quick")
        x = pm.Normal("x")
        with pytest.raises(ValueError, match="x is neither"):
            med.GibbsMedLDAStep([model["z"], x])
        pm.Normal("spy", model["eta"].sum(), 1.0, observed=0.3)
        with pytest.raises(ValueError, match="spy depends on eta too"):
            med.GibbsMedLDAStep([model["z"], model["eta"]])
        pm.Potential("other", model["z"].sum() * 0.1)
        with pytest.raises(ValueError, match="other depends on it"):
            med.GibbsMedLDAStep()
