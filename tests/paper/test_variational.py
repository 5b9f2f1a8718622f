"""vMedLDA and sLDA: their bounds rise, agree with brute force, and need supervision."""

import itertools

import numpy as np
import pytest
from scipy.special import logsumexp

import pymc_medlda as med
from paper.rivals import collapsed, gmedlda, mean_field, slda, vmedlda
from paper.rivals.gaussian import GaussianPosterior
from tests.oracle import Toy


@pytest.fixture(scope="module")
def planted():
    return med.datasets.make_planted(120, n_topics=4, n_words=80, length=40, seed=3)


@pytest.fixture(scope="module")
def rated():
    return med.datasets.make_planted(
        150, n_topics=4, n_words=80, length=40, response="real", seed=4
    )


def columns(planted):
    return np.where(np.asarray(planted.y, float) > 0, 1.0, -1.0).reshape(-1, 1)


def values(rated):
    return np.asarray(rated.y, float).reshape(-1, 1)


def toy_corpus(toy):
    starts = np.concatenate([[0], np.cumsum([len(d) for d in toy.documents])])
    return med.Corpus(toy.words, starts, n_words=toy.n_words)


def test_digamma_is_that_of_scipy():
    x = np.geomspace(1e-3, 1e3, 50)
    own = [mean_field._digamma(value) for value in x]
    np.testing.assert_allclose(own, mean_field.digamma(x), rtol=1e-8)


def converge(toy, n_topics):
    """Return the bound of LDA after many updates."""
    prior = collapsed.Prior(1.0 / n_topics, toy.beta)
    posterior = mean_field.Posterior(toy_corpus(toy), n_topics, prior, seed=1)
    exponent = np.zeros((3, n_topics))
    for _ in range(200):
        posterior.update_documents(exponent)
        bound = posterior.bound(exponent)
        posterior.update_topics()
    return bound


def test_the_bound_lies_below_the_evidence_and_reaches_it_with_one_topic():
    """log p(W) of a toy corpus is enumerated. With one topic, nothing is left to approximate."""
    toy = Toy(alpha=(0.5, 0.5))
    evidence = logsumexp([toy.log_topics(z) for z in toy.assignments()])
    assert evidence - 3.0 < converge(toy, 2) < evidence
    single = Toy(alpha=(1.0,), n_topics=1)
    assert converge(single, 1) == pytest.approx(single.log_topics(single.assignments()[0]))


def test_every_step_raises_the_bound(planted, rng):
    """With the bias held fixed, documents and topics are updated by coordinate ascent."""
    prior = collapsed.paper_prior(4)
    posterior = mean_field.Posterior(planted.corpus, 4, prior, seed=1)
    exponent = rng.standard_normal((120, 4))
    tokens = posterior.bags.lengths[:, None]

    def lagrangian():
        return posterior.bound(exponent) + (tokens * exponent * posterior.frequencies).sum()

    bounds = []
    for _ in range(20):
        posterior.update_documents(exponent)
        bounds.append(lagrangian())
        posterior.update_topics()
    assert np.diff(bounds).min() > -1e-6 * abs(bounds[0])
    assert bounds[-1] > bounds[0]


def test_objective_of_vmedlda_improves(planted):
    model = vmedlda.fit(planted.corpus, columns(planted), n_topics=4, seed=1, margin=8.0)
    assert model.objective[-1] > model.objective[0]


def test_vmedlda_predicts_planted_labels(planted):
    y = columns(planted)
    model = vmedlda.fit(planted.corpus[:90], y[:90], n_topics=4, seed=1, margin=16.0)
    assert np.mean(np.sign(model.discriminants(planted.corpus[90:])) == y[90:]) > 0.8


def test_without_supervision_labels_change_nothing(planted):
    y = columns(planted)
    one = vmedlda.fit(planted.corpus, y, n_topics=4, seed=1, c=0.0)
    other = vmedlda.fit(planted.corpus, -y[::-1], n_topics=4, seed=1, c=0.0)
    np.testing.assert_array_equal(one.topics, other.topics)
    supervised = vmedlda.fit(planted.corpus, y, n_topics=4, seed=1, margin=16.0)
    assert np.abs(supervised.topics - one.topics).max() > 0.1


def test_the_bound_of_slda_rises(rated):
    model = slda.fit(rated.corpus, values(rated), n_topics=4, seed=1, tolerance=0.0, iterations=25)
    assert np.diff(model.objective).min() > -1e-6 * abs(model.objective[0])


def brute_force_bound(corpus, posterior):
    """E log of the joint minus E log q over z of one document, by enumeration of its topics."""
    square = posterior.square
    total = 0.0
    for d, (first, last) in enumerate(itertools.pairwise(corpus.starts)):
        shares = posterior.shares[first:last]
        for z in itertools.product(range(square.shape[0]), repeat=int(last - first)):
            probability = np.prod(shares[np.arange(last - first), z])
            z_bar = np.bincount(z, minlength=square.shape[0]) / (last - first)
            error = posterior.y[d] ** 2 - 2 * posterior.y[d] * posterior.mean @ z_bar
            total += probability * (error + z_bar @ square @ z_bar)
    return total


def test_expected_squared_error_is_that_of_enumerated_topics(rng):
    toy = Toy()
    corpus = toy_corpus(toy)
    posterior = GaussianPosterior(corpus, rng.standard_normal(3), 2, collapsed.Prior(0.5, 0.3), 1)
    posterior.mean = rng.standard_normal(2)
    posterior.spread = np.array([[0.5, 0.2], [0.2, 0.4]])
    posterior.update_documents()
    assert posterior.squared_error() == pytest.approx(brute_force_bound(corpus, posterior))


def test_updates_of_documents_raise_the_bound_with_a_response(rated):
    """Also with a covariance of the weights and the pull of a margin, as in vMedLDA."""
    rng = np.random.default_rng(1)
    prior = collapsed.paper_prior(4)
    posterior = GaussianPosterior(rated.corpus, values(rated)[:, 0], 4, prior, seed=1)
    posterior.mean = rng.standard_normal(4)
    posterior.spread = 0.3 * np.eye(4) + 0.1
    posterior.pull = 0.5 * rng.standard_normal(150)
    bounds = []
    for _ in range(15):
        posterior.update_documents()
        bounds.append(posterior.bound())
        posterior.update_topics()
    assert np.diff(bounds).min() > -1e-6 * abs(bounds[0])


def test_regressions_predict_planted_values(rated):
    y = values(rated)
    for fit in (slda.fit, vmedlda.fit_values):
        model = fit(rated.corpus[:110], y[:110], n_topics=4, seed=2)
        error = np.square(model.discriminants(rated.corpus[110:]) - y[110:]).mean()
        assert error < 0.5 * y[110:].var(), fit.__module__


def test_without_the_loss_the_regression_of_vmedlda_is_a_ridge(rated):
    """With c = 0, the mean of q(η) is the posterior mean of a Gaussian regression."""
    posterior = GaussianPosterior(
        rated.corpus, values(rated)[:, 0], 4, collapsed.paper_prior(4), seed=1
    )
    posterior.update_documents()
    variance = posterior.variance
    vmedlda.regress(posterior, c=0.0, epsilon=1e-3)
    precision = np.eye(4) + posterior.second_moment / variance
    expected = np.linalg.solve(precision, posterior.frequencies.T @ posterior.y / variance)
    np.testing.assert_allclose(posterior.mean, expected)


def test_vmedlda_and_gmedlda_predict_planted_classes():
    """Several classes have one machine with the loss of Crammer and Singer."""
    planted = med.datasets.make_planted(
        240, n_topics=4, n_words=80, length=40, n_tasks=3, response="real", seed=6
    )
    label = np.asarray(planted.y, float).argmax(axis=1)
    y = np.where(label[:, None] == np.arange(3), 1.0, -1.0)
    settings = {"n_topics": 4, "seed": 1, "margin": 16.0}
    majority = np.bincount(label[160:]).max() / 80
    for model in (
        vmedlda.fit(planted.corpus[:160], y[:160], unsupervised=5, **settings),
        gmedlda.fit(planted.corpus[:160], y[:160], rounds=8, **settings),
    ):
        decided = model.discriminants(planted.corpus[160:], seed=1).argmax(axis=1)
        assert np.mean(decided == label[160:]) > majority + 0.15
