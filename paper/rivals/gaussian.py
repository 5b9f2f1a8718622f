"""Mean-field inference of LDA with a Gaussian response: for sLDA and the regression of vMedLDA.

The response is y_d ~ N(η · z̄_d, δ²), and q(η) has mean m and covariance Σ (zero for sLDA, where η
is estimated). As z̄ enters squared, the topics of tokens depend on each other, so every token has a
q(z) of its own, which is kept from one iteration to the next.
"""

from __future__ import annotations

import numba
import numpy as np
from scipy.special import digamma

from paper.rivals.collapsed import Prior
from paper.rivals.mean_field import _digamma, dirichlet_part, expected_log, start_topics
from pymc_medlda._arrays import Floats
from pymc_medlda.corpus import Corpus

MOST_INNER = 20
TOLERANCE = 1e-3  # mean change of γ, in tokens, at which the rounds over a document stop


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _add(vector: Floats, sign: float, out: Floats) -> None:
    """Add ``sign`` times a vector to ``out``."""
    for k in range(vector.size):
        out[k] += sign * vector[k]


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _add_product(matrix: Floats, vector: Floats, sign: float, out: Floats) -> None:
    """Add ``sign`` times matrix · vector to ``out``: quicker than a library for so few topics."""
    for j in range(matrix.shape[0]):
        total = 0.0
        for k in range(vector.size):
            total += matrix[j, k] * vector[k]
        out[j] += sign * total


@numba.njit(cache=True, nogil=True, error_model="numpy")
def update_documents(
    words: np.ndarray,
    starts: np.ndarray,
    log_weight: Floats,
    linear: Floats,
    mean: Floats,
    spread: Floats,
    precision: float,
    alpha: float,
    gamma: Floats,
    shares: Floats,
) -> None:
    r"""Raise the bound over q(θ_d) and q(z_dn) of every document, token after token.

    log q(z_dn = k) = E log θ_k + E log φ_kt + linear_d m_k / N
    - (2 (S φ_¬n)_k + S_kk) / (2 N² δ²), with S = m m' + Σ; ``precision`` is 1/δ² and ``linear``
    y/δ² plus the pull of a margin. ``spread`` is Σ, of size zero if Σ is zero.
    """
    n_topics = gamma.shape[1]
    has_spread = spread.size > 0
    fresh, log_theta = np.empty(n_topics), np.empty(n_topics)
    for d in range(starts.size - 1):
        length = starts[d + 1] - starts[d]
        if length == 0:
            gamma[d] = alpha
            continue
        total = np.zeros(n_topics)
        for n in range(starts[d], starts[d + 1]):
            _add(shares[n], 1.0, total)
        curved = np.zeros(n_topics)  # Σ φ_total
        if has_spread:
            _add_product(spread, total, 1.0, curved)
        scale = precision / length**2
        for _ in range(MOST_INNER):
            for k in range(n_topics):
                log_theta[k] = _digamma(gamma[d, k])
            for n in range(starts[d], starts[d + 1]):
                own = shares[n]
                _add(own, -1.0, total)
                if has_spread:
                    _add_product(spread, own, -1.0, curved)
                others = 0.0
                for k in range(n_topics):
                    others += mean[k] * total[k]
                highest = -np.inf
                for k in range(n_topics):
                    fresh[k] = log_theta[k] + log_weight[words[n], k]
                    fresh[k] += linear[d] / length * mean[k]
                    own_square = mean[k] ** 2
                    if has_spread:
                        own_square += spread[k, k]
                    fresh[k] -= scale * (mean[k] * others + curved[k] + 0.5 * own_square)
                    highest = max(highest, fresh[k])
                norm = 0.0
                for k in range(n_topics):
                    fresh[k] = np.exp(fresh[k] - highest)
                    norm += fresh[k]
                for k in range(n_topics):
                    own[k] = fresh[k] / norm
                _add(own, 1.0, total)
                if has_spread:
                    _add_product(spread, own, 1.0, curved)
            change = 0.0
            for k in range(n_topics):
                change += abs(total[k] + alpha - gamma[d, k])
                gamma[d, k] = total[k] + alpha
            if change < TOLERANCE * n_topics:
                break


@numba.njit(cache=True, nogil=True, error_model="numpy")
def summarise(
    words: np.ndarray,
    starts: np.ndarray,
    shares: Floats,
    totals: Floats,
    frequencies: Floats,
    second: Floats,
) -> None:
    """Fill the expected counts, E z̄, and Σ_d E[z̄ z̄']."""
    totals[:] = 0.0
    second[:] = 0.0
    n_topics = shares.shape[1]
    for d in range(starts.size - 1):
        length = starts[d + 1] - starts[d]
        frequencies[d] = 1.0 / n_topics
        if length == 0:
            continue
        total = np.zeros(n_topics)
        scale = 1.0 / length**2
        for n in range(starts[d], starts[d + 1]):
            own = shares[n]
            _add(own, 1.0, totals[words[n]])
            _add(own, 1.0, total)
            for k in range(n_topics):
                for j in range(n_topics):
                    second[k, j] -= scale * own[k] * own[j]
        for k in range(n_topics):
            frequencies[d, k] = total[k] / length
            second[k, k] += scale * total[k]
            for j in range(n_topics):
                second[k, j] += scale * total[k] * total[j]


class GaussianPosterior:
    """The variational posterior of the topics, and the parameters of the response."""

    def __init__(self, corpus: Corpus, y: Floats, n_topics: int, prior: Prior, seed: int) -> None:
        self.corpus, self.prior, self.y = corpus, prior, y
        self.topics = start_topics(corpus, n_topics, seed)  # λ
        self.shares = np.full((corpus.n_tokens, n_topics), 1.0 / n_topics)
        self.gamma = np.full((corpus.n_documents, n_topics), prior.alpha)
        self.gamma += corpus.lengths[:, None] / n_topics
        self.frequencies = np.full(self.gamma.shape, 1.0 / n_topics)
        self.second_moment = np.zeros((n_topics, n_topics))
        self.totals = np.zeros_like(self.topics)
        self.mean = np.zeros(n_topics)
        self.spread = np.zeros((0, 0))
        self.pull = np.zeros(corpus.n_documents)
        self.variance = float(y.var())

    @property
    def square(self) -> Floats:
        """E[η η']."""
        square = np.outer(self.mean, self.mean)
        return square + self.spread if self.spread.size else square

    def update_documents(self) -> None:
        """Update q(θ) and q(z), given the present q(η), δ² and pull."""
        words, starts = self.corpus.words, self.corpus.starts
        linear = self.y / self.variance + self.pull
        update_documents(
            words,
            starts,
            expected_log(self.topics),
            linear,
            self.mean,
            self.spread,
            1.0 / self.variance,
            self.prior.alpha,
            self.gamma,
            self.shares,
        )
        summarise(words, starts, self.shares, self.totals, self.frequencies, self.second_moment)

    def update_topics(self) -> None:
        """Update q(φ)."""
        self.topics = self.prior.beta + self.totals

    def update_variance(self) -> None:
        """Set δ² to the expected squared error."""
        self.variance = max(self.squared_error() / self.y.size, 1e-8)

    def squared_error(self) -> float:
        """Return Σ_d E (y_d - η · z̄_d)²."""
        linear = self.y @ (self.frequencies @ self.mean)
        return float(self.y @ self.y - 2.0 * linear + (self.square * self.second_moment).sum())

    def bound(self) -> float:
        """Return the bound over topics and responses given q(η), with the pull of the margin."""
        log_theta = digamma(self.gamma) - digamma(self.gamma.sum(axis=1, keepdims=True))
        # Σ q (E log θ + E log φ) over tokens needs expected counts only.
        expected = (self.totals * expected_log(self.topics)).sum()
        expected += (self.corpus.lengths[:, None] * self.frequencies * log_theta).sum()
        entropy = -(self.shares * np.log(self.shares + 1e-300)).sum()
        n_topics = self.gamma.shape[1]
        response = -0.5 * self.squared_error() / self.variance
        response -= 0.5 * self.y.size * np.log(2.0 * np.pi * self.variance)
        return float(
            expected
            + entropy
            + response
            + self.pull @ (self.frequencies @ self.mean)
            + dirichlet_part(self.gamma, np.full(n_topics, self.prior.alpha))
            + dirichlet_part(self.topics.T, np.full(self.topics.shape[0], self.prior.beta))
        )
