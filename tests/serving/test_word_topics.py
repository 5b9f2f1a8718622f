"""The fixed point against a slow twin, and against the enumerated law that it approximates."""

from itertools import product

import numpy as np
import pytest

from pymc_medlda.serving.word_topics import WordTopics, expect_frequencies


def iterate_tokens(phi, words, alpha, n_rounds=1000):
    """Return z̄ of one chain, token by token as the docstring states it."""
    n_topics = alpha.size
    gamma = np.array([phi[w] / phi[w].sum() for w in words])
    for _ in range(n_rounds):
        new = np.empty_like(gamma)
        for n, w in enumerate(words):
            others = sum(gamma[m] for m in range(len(words)) if m != n)
            weight = phi[w] * (others + alpha)
            new[n] = weight / weight.sum()
        gamma = new
    assert gamma.shape == (len(words), n_topics)
    return gamma.mean(axis=0)


def enumerate_topics(phi, words, alpha):
    """Return the exact E(z̄) of p(z | w) ∝ prod_n phi_{z_n w_n} · prod_k Γ(C_k + alpha_k)."""
    total, weight = np.zeros(alpha.size), 0.0
    for z in product(range(alpha.size), repeat=len(words)):
        counts, p = np.zeros(alpha.size), 1.0
        for w, k in zip(words, z, strict=True):
            p *= phi[w, k] * (counts[k] + alpha[k])
            counts[k] += 1
        total, weight = total + p * counts, weight + p
    return total / weight / len(words)


@pytest.fixture
def phi(rng):
    return rng.dirichlet(np.full(6, 0.3), size=(2, 3)).transpose(0, 2, 1)  # (chain, word, topic)


def test_the_fixed_point_equals_its_slow_twin(phi):
    alpha = np.array([[0.4, 0.3, 0.2], [0.1, 1.0, 0.5]])
    words, times = np.array([0, 2, 5]), np.array([3.0, 1.0, 2.0])
    found = expect_frequencies(phi[:, words], times, alpha)
    tokens = np.repeat(words, times.astype(int))
    for chain in range(2):
        expected = iterate_tokens(phi[chain], tokens, alpha[chain])
        np.testing.assert_allclose(found[chain], expected, atol=2e-3)
    np.testing.assert_allclose(found.sum(axis=1), 1.0)


def test_it_is_close_to_the_law_that_predict_draws_from(rng):
    """On short documents, where expectations replace counts at the highest cost."""
    alpha, far, naive = np.full((1, 3), 0.3), [], []
    for _ in range(20):
        phi = rng.dirichlet(np.full(6, 0.3), size=3).T
        words = rng.integers(6, size=6)
        exact = enumerate_topics(phi, words, alpha[0])
        distinct, times = np.unique(words, return_counts=True)
        found = expect_frequencies(phi[None, distinct], times.astype(float), alpha)[0]
        far.append(np.abs(found - exact).mean())
        # The words by themselves, without the rest of the document, are the negative control.
        alone = (phi[words] / phi[words].sum(axis=1, keepdims=True)).mean(axis=0)
        naive.append(np.abs(alone - exact).mean())
    assert np.mean(far) < 0.04
    assert np.mean(naive) > 0.06


def test_sparse_counts_give_phi(rng):
    n_chains, n_words, n_topics = 2, 8, 3
    counts = rng.poisson(2.0, (n_chains, n_words, n_topics))
    by_word = counts.transpose(1, 0, 2).reshape(n_words, -1)
    row, column = np.nonzero(by_word)
    start = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=n_words))])
    tokens = by_word[row, column].astype(float)
    size, beta = counts.sum(axis=1).astype(float), np.array([0.1, 0.2])
    topics = WordTopics(start, column, tokens, size, np.ones((n_chains, n_topics)), beta)
    expected = (counts + beta[:, None, None]) / (size + n_words * beta[:, None])[:, None]
    np.testing.assert_allclose(topics.phi(np.arange(n_words)), expected)
    np.testing.assert_allclose(topics.phi(np.array([2, 0])), expected[:, [2, 0]])
    first = expected[0]
    for k, best in enumerate(topics.best_words(4)):
        np.testing.assert_allclose(first[best, k], np.sort(first[:, k])[::-1][:4])


def test_a_document_without_words_gets_the_prior():
    nothing = np.empty(0)
    topics = WordTopics(
        np.zeros(4, int),
        nothing.astype(int),
        nothing,
        np.ones((1, 2)),
        np.array([[3.0, 1.0]]),
        np.array([0.1]),
    )
    found = topics.frequencies(np.empty(0, int), nothing)
    np.testing.assert_allclose(found, [[0.75, 0.25]])
