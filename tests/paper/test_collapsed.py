"""gMedLDA and GibbsLDA: the collapsed sweep against enumeration, and gMedLDA at work."""

import numpy as np
import pytest

import pymc_medlda as med
from paper.rivals import collapsed, gmedlda, lda_svm
from tests.oracle import Toy


@pytest.fixture(scope="module")
def planted():
    return med.datasets.make_planted(120, n_topics=4, n_words=80, length=40, seed=3)


def columns(planted):
    return np.where(np.asarray(planted.y, float) > 0, 1.0, -1.0).reshape(-1, 1)


def visited(toy, bias, n_sweeps, seed):
    """Return how often a chain visits each assignment of the toy corpus."""
    starts = np.concatenate([[0], np.cumsum([len(d) for d in toy.documents])])
    corpus = med.Corpus(toy.words, starts, n_words=toy.n_words)
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
