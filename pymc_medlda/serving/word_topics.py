"""The topics of documents under the mean word counts of each chain, by a fixed point in NumPy."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pymc_medlda._arrays import Floats

MOST_ROUNDS = 100
SETTLED = 1e-4
"""Rounds end when no topic frequency of the document changes by more than this."""


class WordTopics(NamedTuple):
    """Counts of words in topics, averaged over the draws of each chain and rounded.

    The counts of word t are the entries ``start[t]`` to ``start[t + 1]``.
    """

    start: NDArray[np.int64]  # (n_words + 1,)
    column: NDArray[np.int64]  # (n_entries,), chain * n_topics + topic
    tokens: Floats  # (n_entries,), C_kt
    size: Floats  # (n_chains, n_topics), C_k before rounding
    alpha: Floats  # (n_chains, n_topics)
    beta: Floats  # (n_chains,)

    @property
    def n_words(self) -> int:
        """Number of words."""
        return self.start.size - 1

    def phi(self, words: NDArray[np.integer]) -> Floats:
        """Return (C_kt + beta) / (C_k + V beta) of some words, (n_chains, words, n_topics)."""
        n_chains, n_topics = self.size.shape
        counts = np.zeros((words.size, n_chains * n_topics))
        own = [np.arange(self.start[word], self.start[word + 1]) for word in words]
        row = np.repeat(np.arange(words.size), [entries.size for entries in own])
        entry = np.concatenate(own)
        counts[row, self.column[entry]] = self.tokens[entry]
        by_chain = counts.reshape(words.size, n_chains, n_topics).transpose(1, 0, 2)
        beta = self.beta[:, None]
        return (by_chain + beta[:, None]) / (self.size + self.n_words * beta)[:, None]

    def best_words(self, n: int) -> NDArray[np.intp]:
        """Return the most probable words of each topic in the first chain, (n_topics, n)."""
        word = np.repeat(np.arange(self.n_words), np.diff(self.start))
        best = []
        for k in range(self.size.shape[1]):
            chosen = self.column == k  # the columns of the first chain come first
            total = np.bincount(word[chosen], self.tokens[chosen], minlength=self.n_words)
            best.append(np.argsort(-total, kind="stable")[:n])
        return np.stack(best)

    def frequencies(self, words: NDArray[np.integer], times: Floats) -> Floats:
        """Return z̄ of a document in every chain, (n_chains, n_topics).

        ``words`` are the distinct words of the document, and ``times`` how often each occurs. An
        empty document gets the prior mean alpha / sum(alpha).
        """
        if not words.size:
            return self.alpha / self.alpha.sum(axis=1, keepdims=True)
        return expect_frequencies(self.phi(words), times, self.alpha)


def expect_frequencies(phi: Floats, times: Floats, alpha: Floats) -> Floats:
    r"""Return the expected topic frequencies of a document, (n_chains, n_topics).

    `predict` draws topics from
    :math:`p(z_n = k \mid z_{\neg n}) \propto \phi_{k w_n} (C_k + \alpha_k)`. Here the counts of the
    other tokens are replaced by their expectations, which gives a fixed point for the
    probabilities :math:`\gamma_{tk}` of the topics of a word that occurs :math:`n_t` times,

    .. math:: \gamma_{tk} \propto \phi_{kt} \Big(\sum_s n_s \gamma_{sk} - \gamma_{tk}
       + \alpha_k\Big), \qquad \bar z_k = \sum_t n_t \gamma_{tk} \Big/ \sum_t n_t

    This is collapsed variational Bayes of order zero. It needs no random numbers, so the same
    document always has the same answer.

    Parameters
    ----------
    phi : (n_chains, n_words, n_topics) float array
        Of the distinct words of the document.
    times : (n_words,) float array
        How often each of them occurs.
    alpha : (n_chains, n_topics) float array

    Examples
    --------
    >>> import numpy as np
    >>> phi = np.array([[[0.9, 0.1], [0.8, 0.2]]])
    >>> expect_frequencies(phi, np.array([2.0, 1.0]), np.full((1, 2), 0.5)).round(1).tolist()
    [[1.0, 0.0]]
    """
    gamma = phi / phi.sum(axis=-1, keepdims=True)
    expected: Floats = times @ gamma
    total = times.sum()
    for _ in range(MOST_ROUNDS):
        gamma = phi * (expected[:, None] - gamma + alpha[:, None])
        gamma /= gamma.sum(axis=-1, keepdims=True)
        before, expected = expected, times @ gamma
        if np.abs(expected - before).max() <= SETTLED * total:
            break
    return expected / total
