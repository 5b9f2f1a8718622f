"""vMedLDA and sLDA for real values: topics by enumeration, weights by a solver.

In both, y_d ~ N(η · z̄_d, δ²), and vMedLDA adds the pull p_d of a margin, which makes
p_d E η · E z̄_d of the Lagrangian.
"""

import itertools

import numpy as np
import pytest
from scipy.optimize import minimize

import pymc_medlda as med
from paper.rivals import collapsed, slda, vmedlda
from paper.rivals.gaussian import GaussianPosterior
from tests.oracle import Toy
from tests.paper import oracle

N_TOPICS = 2


@pytest.fixture
def posterior(rng):
    """The posterior of a toy corpus, with weights and pulls that someone chose, at its optimum."""
    toy = Toy()
    corpus = med.Corpus.from_tokens([list(own) for own in toy.documents], n_words=toy.n_words)
    y = np.array([2.0, -1.0, 0.5])
    found = GaussianPosterior(corpus, y, N_TOPICS, collapsed.Prior(0.6, 0.3), 1)
    found.mean = np.array([1.2, -0.7])
    found.spread = np.array([[0.5, 0.2], [0.2, 0.4]])
    found.pull = np.array([0.9, -0.6, 0.4])
    found.variance = 0.5
    for _ in range(200):
        found.update_documents()
    return found


def expected_response(posterior, d, n, k):
    """Return E[log p(y_d | z̄_d, η) + p_d η · z̄_d | z_dn = k], where other tokens follow q."""
    first, last = posterior.corpus.starts[d : d + 2]
    shares = posterior.shares[first:last].copy()
    shares[n] = np.eye(N_TOPICS)[k]
    total = 0.0
    for z in itertools.product(range(N_TOPICS), repeat=int(last - first)):
        probability = np.prod([own[topic] for own, topic in zip(shares, z, strict=True)])
        z_bar = np.bincount(z, minlength=N_TOPICS) / (last - first)
        error = posterior.y[d] ** 2 - 2.0 * posterior.y[d] * posterior.mean @ z_bar
        error += z_bar @ (np.outer(posterior.mean, posterior.mean) + posterior.spread) @ z_bar
        pulled = posterior.pull[d] * posterior.mean @ z_bar
        total += probability * (pulled - 0.5 * error / posterior.variance)
    return total


def test_topics_of_tokens_are_those_of_mean_field_inference(posterior):
    """log q(z_dn = k) is the expected log of the joint given z_dn = k, up to a constant."""
    state = oracle.State(posterior.shares, posterior.gamma, posterior.topics, None, None)
    plain = oracle.log_weights(posterior.corpus, state)
    for d, (first, last) in enumerate(zip(*oracle.ends(posterior.corpus), strict=True)):
        for n in range(last - first):
            response = [expected_response(posterior, d, n, k) for k in range(N_TOPICS)]
            expected = plain[first + n] + response
            found = np.log(posterior.shares[first + n])
            # The rounds over a document stop at a thousandth of a token.
            np.testing.assert_allclose(found - found[0], expected - expected[0], atol=5e-3)
            assert abs(response[1] - response[0]) > 0.2


def test_q_of_theta_counts_the_topics(posterior):
    counts = (
        oracle.frequencies(posterior.corpus, posterior.shares) * posterior.corpus.lengths[:, None]
    )
    np.testing.assert_allclose(posterior.gamma, 0.6 + counts, atol=1e-9)
    np.testing.assert_allclose(posterior.totals.sum(), posterior.corpus.n_tokens)


@pytest.fixture
def rated():
    """The posterior of a planted corpus after some rounds of sLDA."""
    planted = med.datasets.make_planted(
        60, n_topics=3, n_words=60, length=30, response="real", seed=4
    )
    y = np.asarray(planted.y, float)
    found = GaussianPosterior(planted.corpus, y, 3, collapsed.paper_prior(3), seed=1)
    for _ in range(10):
        found.update_documents()
        found.update_topics()
        slda.estimate(found)
    found.update_documents()
    return found


@pytest.mark.parametrize("c", [0.05, 0.5, 20.0])
def test_weights_of_vmedlda_maximise_its_objective(rated, c):
    """That is E log p(y | Z, η) - |m|²/2 - 2c Σ_d max(0, |y_d - m · E z̄_d| - epsilon)."""
    epsilon, variance = 0.1, 2.0
    rated.variance = variance
    z, y, moment = rated.frequencies, rated.y, rated.second_moment

    def cost(mean):
        response = (y @ z @ mean - 0.5 * mean @ moment @ mean) / variance
        loss = np.maximum(0.0, np.abs(y - z @ mean) - epsilon).sum()
        return 2.0 * c * loss + 0.5 * mean @ mean - response

    best = minimize(cost, np.zeros(3), method="Powell", options={"xtol": 1e-8, "ftol": 1e-12}).fun
    spread = np.linalg.inv(np.eye(3) + moment / variance)
    plain = spread @ (z.T @ y) / variance
    vmedlda.regress(rated, c=c, epsilon=epsilon)
    assert cost(rated.mean) - best < 0.01 * (cost(plain) - best)
    # The pull of the margin is the force that holds the weights there.
    np.testing.assert_allclose(rated.mean, plain + spread @ (rated.pull @ z), atol=1e-6)
    np.testing.assert_allclose(rated.spread, spread)
    assert 0.9 * min(2.0 * c, 1.0) < np.abs(rated.pull).max() <= 2.0 * c + 1e-9


def test_weights_and_variance_of_slda_maximise_its_bound(rated):
    slda.estimate(rated)
    best = rated.bound()
    for change in (0.01, -0.01):
        for k in range(3):
            rated.mean[k] += change
            assert rated.bound() < best
            rated.mean[k] -= change
        rated.variance *= 1.0 + change
        assert rated.bound() < best
        rated.variance /= 1.0 + change
