"""Chains in partitions visit the enumerated posterior; with fixed masses they do not."""

import dataclasses

import numpy as np
import pytest

import pymc_medlda as med
from pymc_medlda.distributed import weights
from tests.distributed.small import Alone
from tests.oracle import Toy, threshold, z_scores
from tests.test_laws import CASES, expectations, statistics

pytestmark = [pytest.mark.law, pytest.mark.slow]
N_DRAWS = 4000
KNOWN = {}


@pytest.fixture(autouse=True)
def few_documents_at_once(monkeypatch):
    """Augment two documents at once, so that partitions have several such groups."""
    monkeypatch.setattr(weights, "AT_ONCE", 2)


def scores_of(toy, P, path, wrong=None, key=None):
    """Return the largest score of a chain, and the limit; chains of one ``key`` are run once."""
    samples = KNOWN.get(key)
    if samples is None:
        samples = run(toy, P, path)
        if key is not None:
            KNOWN[key] = samples
    expected = expectations(toy if wrong is None else dataclasses.replace(toy, **wrong))
    # Rare assignments are visited several times in a row, and have no normal error.
    tested = np.r_[expectations(toy)[:64] * N_DRAWS > 100, np.ones(expected.size - 64, bool)]
    return np.abs(z_scores(samples[:, tested], expected[tested])).max(), threshold(tested.sum())


def run(toy, P, path):
    corpus = med.Corpus.from_tokens([list(d) for d in toy.documents], n_words=toy.n_words)
    loss = getattr(med, toy.loss)(**toy.parameters)
    y = np.asarray(toy.y, float)
    model = {"alpha": np.array(toy.alpha), "beta": toy.beta, "loss": loss, "path": path}
    alone = Alone(corpus, y, P, n_topics=toy.n_topics, **model)
    z = np.empty((N_DRAWS, corpus.n_tokens), np.uint8)
    eta = np.empty((N_DRAWS, toy.n_topics * (1 if y.ndim == 1 else y.shape[1])))
    for draw in range(N_DRAWS):
        alone.sweep(draw + 1)
        z[draw], eta[draw] = alone.z(), alone.part.weights.eta.ravel()
    return statistics(toy, z, eta)


@pytest.mark.parametrize(
    ("name", "P", "path"),
    [
        ("hinge", 2, "dense"),
        ("hinge", 3, "sparse"),
        ("two tasks", 3, "dense"),
        ("missing labels", 2, "sparse"),
        ("epsilon-insensitive", 2, "dense"),
    ],
)
def test_chain_in_partitions_visits_the_enumerated_posterior(name, P, path):
    score, limit = scores_of(CASES[name][0], P, path, key=(name, P, path))
    assert score < limit


def test_masses_that_are_not_drawn_give_another_law(monkeypatch):
    """Each is held at its expectation, which is what the counts at the start of a sweep say."""

    def expected_masses(rng, totals, n_words, beta):
        shape = totals + beta * n_words[:, None]
        return np.log(shape / shape.sum(axis=0))

    monkeypatch.setattr(weights, "draw_log_masses", expected_masses)
    score, limit = scores_of(Toy(), 2, "dense")
    assert score > 1.5 * limit


def test_another_weight_of_the_loss_is_another_law():
    toy, wrong = CASES["hinge"]
    score, limit = scores_of(toy, 2, "dense", wrong, key=("hinge", 2, "dense"))
    assert score > 1.5 * limit


def test_a_random_scale_has_its_conditional():
    """nu² given eta is inverse gamma: its draws, standardised, are gamma variables."""
    from scipy.stats import gamma, kstest

    data = med.datasets.make_planted(30, n_topics=2, n_words=10, seed=2)
    prior = med.distributed.ScalePrior(2.0, 3.0)
    alone = Alone(data.corpus, data.y, 2, n_topics=2, nu=prior, loss=med.Hinge(margin=1.0))
    found = []
    for sweep in range(1, 800):
        alone.sweep(sweep)
        own = alone.part.weights
        found.append((prior.rate + 0.5 * (own.eta**2).sum()) / own.nu**2)
    assert kstest(found, gamma(prior.shape + 1.0).cdf).pvalue > 1e-3
    assert kstest(found, gamma(prior.shape + 1.6).cdf).pvalue < 1e-3
