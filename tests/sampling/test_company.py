"""The step beside NUTS, other steps and other responses is exact, or stays finite."""

import numpy as np
import pymc as pm
import pytest

import pymc_medlda as med
from pymc_medlda._compat.arviz import get_group
from tests.oracle import Toy, threshold, z_scores
from tests.sampling.small import QUIET, draws, model_of
from tests.toy import build


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
        # Scales other than one, whose logarithm is not zero.
        start = {
            name: value + 0.7 if name.endswith("_log__") else value
            for name, value in model.initial_point(1).items()
        }
        point, (stats,) = step.step(start)
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
