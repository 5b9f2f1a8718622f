"""Collapsed Gibbs sampling of LDA with a bias per document and topic: for gMedLDA and GibbsLDA.

The target is p(W, Z) Π_d Π_n bias[d, z_dn]. With a bias of one it is plain LDA.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numba
import numpy as np

from pymc_medlda._arrays import Floats
from pymc_medlda.corpus import Corpus


class Counts(NamedTuple):
    """The assignments and their count tables, in double precision."""

    z: np.ndarray  # (n_tokens,)
    of_word: Floats  # (n_words, n_topics), C_kt
    of_document: Floats  # (n_documents, n_topics), C_dk
    of_topic: Floats  # (n_topics,), C_k


class Prior(NamedTuple):
    """The symmetric Dirichlet priors: alpha of each topic, and beta of each word."""

    alpha: float
    beta: float


@dataclass(frozen=True)
class Classifier:
    """Topics, and the weights of one discriminant per task."""

    phi: Floats  # (n_words, n_topics)
    weights: Floats  # (n_tasks, n_topics)
    prior: Prior

    def discriminants(self, corpus: Corpus, seed: int) -> Floats:
        """Return the weights times z̄ of new documents, (n_documents, n_tasks)."""
        return fold_in(corpus, self.phi, self.prior, seed) @ self.weights.T


def paper_prior(n_topics: int, alpha: float = 1.0) -> Prior:
    """Return the paper's priors: alpha / K and 0.01."""
    return Prior(alpha / n_topics, 0.01)


def start(corpus: Corpus, n_topics: int, rng: np.random.Generator) -> Counts:
    """Assign tokens to topics uniformly at random, and count them."""
    z = rng.integers(n_topics, size=corpus.n_tokens)
    of_word = np.zeros((corpus.n_words, n_topics))
    of_document = np.zeros((corpus.n_documents, n_topics))
    document = np.repeat(np.arange(corpus.n_documents), corpus.lengths)
    np.add.at(of_word, (corpus.words, z), 1.0)
    np.add.at(of_document, (document, z), 1.0)
    return Counts(z, of_word, of_document, of_word.sum(axis=0))


@numba.njit(cache=True, nogil=True, error_model="numpy")
def sweep(
    rng: np.random.Generator,
    words: np.ndarray,
    starts: np.ndarray,
    counts: Counts,
    prior: Prior,
    bias: Floats,
) -> None:
    """Draw every topic assignment once from its full conditional.

    p(z_dn = k) ∝ (C_kt + beta) (C_dk + alpha) / (C_k + V beta) bias[d, k], without the token.
    """
    n_words, n_topics = counts.of_word.shape
    cumulated = np.empty(n_topics)
    for d in range(starts.size - 1):
        own = counts.of_document[d]
        for n in range(starts[d], starts[d + 1]):
            row = counts.of_word[words[n]]
            old = counts.z[n]
            row[old] -= 1.0
            own[old] -= 1.0
            counts.of_topic[old] -= 1.0
            total = 0.0
            for k in range(n_topics):
                size = counts.of_topic[k] + n_words * prior.beta
                total += (row[k] + prior.beta) * (own[k] + prior.alpha) / size * bias[d, k]
                cumulated[k] = total
            target = rng.random() * total
            new = 0
            while new < n_topics - 1 and cumulated[new] < target:
                new += 1
            counts.z[n] = new
            row[new] += 1.0
            own[new] += 1.0
            counts.of_topic[new] += 1.0


def estimate_phi(counts: Counts, prior: Prior) -> Floats:
    """Return the topic-word distributions given the assignments, (n_words, n_topics)."""
    n_words = counts.of_word.shape[0]
    return (counts.of_word + prior.beta) / (counts.of_topic + n_words * prior.beta)


def topic_frequencies(counts: Counts, prior: Prior) -> Floats:
    """Return z̄ of the documents; an empty one has equal frequencies."""
    length = counts.of_document.sum(axis=1, keepdims=True)
    even = np.full_like(counts.of_document, 1.0 / counts.of_topic.size)
    return np.divide(counts.of_document, length, out=even, where=length > 0)


def fold_in(
    corpus: Corpus, phi: Floats, prior: Prior, seed: int, *, burn_in: int = 10, samples: int = 10
) -> Floats:
    """Return z̄ of new documents given phi, averaged over samples of their topics."""
    rng = np.random.default_rng(seed)
    n_topics = phi.shape[1]
    z = rng.integers(n_topics, size=corpus.n_tokens)
    return _fold_in(rng, corpus.words, corpus.starts, z, phi, prior.alpha, burn_in, samples)


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _fold_in(
    rng: np.random.Generator,
    words: np.ndarray,
    starts: np.ndarray,
    z: np.ndarray,
    phi: Floats,
    alpha: float,
    burn_in: int,
    samples: int,
) -> Floats:
    n_topics = phi.shape[1]
    result = np.full((starts.size - 1, n_topics), 1.0 / n_topics)
    cumulated = np.empty(n_topics)
    for d in range(starts.size - 1):
        if starts[d] == starts[d + 1]:
            continue
        own = np.zeros(n_topics)
        mean = np.zeros(n_topics)
        for n in range(starts[d], starts[d + 1]):
            own[z[n]] += 1.0
        for i in range(burn_in + samples):
            for n in range(starts[d], starts[d + 1]):
                own[z[n]] -= 1.0
                total = 0.0
                for k in range(n_topics):
                    total += phi[words[n], k] * (own[k] + alpha)
                    cumulated[k] = total
                target = rng.random() * total
                new = 0
                while new < n_topics - 1 and cumulated[new] < target:
                    new += 1
                z[n] = new
                own[new] += 1.0
            if i >= burn_in:
                mean += own
        result[d] = mean / mean.sum()
    return result
