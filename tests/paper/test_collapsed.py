"""gMedLDA and GibbsLDA: their chains against enumeration, and gMedLDA at work."""

import itertools

import numpy as np
import pytest
from scipy.special import gammaln

import pymc_medlda as med
from paper.rivals import collapsed, gmedlda, lda_svm
from tests.oracle import Toy


@pytest.fixture(scope="module")
def planted():
    return med.datasets.make_planted(120, n_topics=4, n_words=80, length=40, seed=3)


def columns(planted):
    return np.where(np.asarray(planted.y, float) > 0, 1.0, -1.0).reshape(-1, 1)


def as_corpus(toy):
    starts = np.concatenate([[0], np.cumsum([len(d) for d in toy.documents])])
    return med.Corpus(toy.words, starts, n_words=toy.n_words)


def visited(toy, bias, n_sweeps, seed):
    """Return how often a chain visits each assignment of the toy corpus."""
    corpus = as_corpus(toy)
    rng = np.random.default_rng(seed)
    counts = collapsed.start(corpus, toy.n_topics, rng)
    prior = collapsed.Prior(toy.alpha[0], toy.beta)
    shares = np.zeros(toy.n_topics**toy.words.size)
    powers = toy.n_topics ** np.arange(toy.words.size)[::-1]
    for _ in range(n_sweeps):
        collapsed.sweep(rng, corpus.words, corpus.starts, counts, prior, bias)
        shares[counts.z @ powers] += 1.0 / n_sweeps
    return shares


def enumerated(toy, bias):
    """Return p(Z) ∝ p(W, Z) Π bias[d, z_dn] by enumeration."""
    assignments = toy.assignments().astype(int)
    log_p = np.array([toy.log_topics(z) for z in assignments])
    log_p += np.log(bias)[toy.document_of_token, assignments].sum(axis=1)
    p = np.exp(log_p - log_p.max())
    return p / p.sum()


def test_the_sweep_visits_assignments_as_enumerated():
    toy = Toy(alpha=(0.5, 0.5))
    bias = np.exp(np.array([[0.0, 1.0], [0.7, 0.0], [0.0, 0.3]]))
    n_sweeps = 40_000
    shares = visited(toy, bias, n_sweeps, seed=1)
    # The bound allows for autocorrelation; the largest of 64 differences is compared with it.
    error = 5.0 * np.sqrt(0.25 / n_sweeps)
    assert np.abs(shares - enumerated(toy, bias)).max() < error
    # Negative control: without the bias the law is another.
    assert np.abs(shares - enumerated(toy, np.ones_like(bias))).max() > 3 * error


# Weights of two tasks, and the pull y μ of three documents on each of them.
WEIGHTS = np.array([[1.5, -0.5], [-0.3, 0.6]])
PULL = np.array([[0.8, 0.0], [-1.2, 0.5], [0.4, -0.9]])


def supervised(toy):
    """Return exp(Σ_d Σ_i y_di μ_di κ_i · z̄_d) of every assignment."""
    return np.array(
        [
            np.exp((PULL * toy.discriminants(z, WEIGHTS)).sum())
            for z in toy.assignments().astype(int)
        ]
    )


def test_the_bias_is_the_factor_of_the_labels():
    """Its product over tokens has the same ratios from one assignment to another."""
    toy = Toy()
    bias = gmedlda.as_bias(WEIGHTS, PULL, np.array([2, 3, 1]))
    products = bias[toy.document_of_token, toy.assignments().astype(int)].prod(axis=1)
    expected = supervised(toy)
    np.testing.assert_allclose(products / products[0], expected / expected[0])
    assert expected.max() > 5 * expected.min()


def test_the_chain_of_gmedlda_has_the_law_that_its_machines_ask_for(monkeypatch):
    """With weights and dual variables held fixed, the machines see E z̄ under q(Z)."""
    toy = Toy(alpha=(0.5, 0.5))
    given = []

    def keep(frequencies, y, pull, *, c, margin):
        given.append(frequencies)
        return WEIGHTS, PULL

    monkeypatch.setattr(gmedlda, "solve_tasks", keep)
    monkeypatch.setattr(collapsed, "paper_prior", lambda *_: collapsed.Prior(0.5, toy.beta))
    settings = {"n_topics": 2, "seed": 3, "rounds": 1, "burn_in": 10, "samples": 20_000}
    gmedlda.fit(as_corpus(toy), np.sign(PULL), **settings)
    log_p = np.array([toy.log_topics(z) for z in toy.assignments()])
    z_bar = np.array([toy.counts(z) for z in toy.assignments()]) / np.array([[2.0], [3.0], [1.0]])

    def expected(factor):
        p = np.exp(log_p) * factor
        return np.tensordot(p / p.sum(), z_bar, 1)

    error = np.abs(given[1] - expected(supervised(toy))).max()
    assert error < 0.02
    # Negative control: labels that pull ten times less would be noticed.
    assert np.abs(given[1] - expected(supervised(toy) ** 0.1)).max() > 0.1


@pytest.mark.parametrize("samples", [1, 4])
def test_topics_of_new_documents_have_the_law_given_phi(rng, samples):
    """z̄ of many copies of one document against p(Z | W, φ) ∝ p(Z) Π_n φ[w_n, z_n], enumerated."""
    words, n_topics, alpha = [0, 1, 1, 2], 3, 0.4
    phi = rng.dirichlet(np.ones(5), size=n_topics).T
    n_copies = 20_000
    corpus = med.Corpus.from_tokens([words, []] * n_copies, n_words=5)
    prior = collapsed.Prior(alpha, 0.01)
    found = collapsed.fold_in(corpus, phi, prior, seed=1, burn_in=10, samples=samples)
    np.testing.assert_allclose(found[1::2], 1 / n_topics)

    assignments = np.array(list(itertools.product(range(n_topics), repeat=len(words))))
    counts = (assignments[:, :, None] == np.arange(n_topics)).sum(axis=1)
    likelihood = phi[words, assignments].prod(axis=1)
    p = likelihood * np.exp(gammaln(counts + alpha).sum(axis=1))
    p /= p.sum()
    error = 5.0 * np.sqrt(0.25 / n_copies)
    np.testing.assert_allclose(found[::2].mean(axis=0), p @ counts / 4, atol=error)
    # Negative control: without the prior of the document, its tokens are independent.
    independent = likelihood / likelihood.sum()
    assert np.abs(independent @ counts / 4 - p @ counts / 4).max() > 3 * error
    if samples == 1:
        for own in np.unique(counts, axis=0):
            share = (found[::2] * 4 == own).all(axis=1).mean()
            assert share == pytest.approx(p[(counts == own).all(axis=1)].sum(), abs=error)


def test_without_supervision_gmedlda_is_lda(planted):
    """With c = 0 the chain of gMedLDA is that of LDA, draw by draw."""
    settings = {"n_topics": 4, "seed": 5}
    plain = lda_svm.fit(planted.corpus, columns(planted), sweeps=12, **settings)
    unsupervised = gmedlda.fit(
        planted.corpus, columns(planted), c=0.0, rounds=3, burn_in=2, samples=2, **settings
    )
    np.testing.assert_array_equal(unsupervised.phi, plain.phi)
    assert not unsupervised.weights.any()


def test_gmedlda_predicts_planted_labels(planted):
    y = columns(planted)
    train, test = planted.corpus[:90], planted.corpus[90:]
    model = gmedlda.fit(train, y[:90], n_topics=4, seed=1, rounds=8)
    accuracy = np.mean(np.sign(model.discriminants(test, seed=1)) == y[90:])
    assert accuracy > 0.85
    assert model.discriminants(test, seed=1).shape == (30, 1)


def test_a_label_draws_its_document_towards_the_topics_that_speak_for_it(planted):
    y = columns(planted)
    frequencies = np.random.default_rng(0).dirichlet(np.ones(4), size=120)
    none = np.zeros(y.shape)
    weights, pull = gmedlda.solve_tasks(frequencies, y, none, c=1.0, margin=16.0)
    bias = gmedlda.as_bias(weights, pull, planted.corpus.lengths)
    best = weights[0].argmax()
    pulled = bias.min(axis=1) < 1.0
    assert pulled.any()
    assert (bias[pulled & (y[:, 0] > 0)].argmax(axis=1) == best).all()
    assert (bias[pulled & (y[:, 0] < 0)].argmax(axis=1) == weights[0].argmin()).all()


def test_lda_svm_predicts_planted_labels(planted):
    y = columns(planted)
    model = lda_svm.fit(planted.corpus[:90], y[:90], n_topics=4, seed=1)
    assert np.mean(np.sign(model.discriminants(planted.corpus[90:], 1)) == y[90:]) > 0.75
