"""Mean-field inference of LDA with a bias per document and topic: for vMedLDA, and to predict.

The variational posterior is Π_d q(θ_d) Π_n q(z_dn) Π_k q(φ_k), with Dirichlet distributions of
parameters γ_d and λ_k. The bias adds Σ_d N_d h_d · E z̄_d to the bound. Tokens of one word in one
document have the same q(z), so documents are held as words with counts.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numba
import numpy as np
from scipy.special import digamma, gammaln

from paper.rivals.collapsed import Prior
from pymc_medlda._arrays import Floats
from pymc_medlda.corpus import Corpus

TOLERANCE = 1e-3  # mean change of γ, in tokens, at which topics have settled


class Stop(NamedTuple):
    """When the rounds over one document stop, and where they start in each iteration."""

    most: int  # rounds
    relative: float  # change of the bound of the document; zero waits until γ has settled
    afresh: bool  # start from the prior each time, and not from where the last iteration ended


STOPS = {
    # As in the settings file that is published with the code of the authors of MedLDA (2009).
    "published": Stop(20, 1e-4, afresh=True),
    "settled": Stop(100, 0.0, afresh=False),
}


class Bags(NamedTuple):
    """Documents as words with counts."""

    words: np.ndarray
    counts: Floats
    starts: np.ndarray
    lengths: Floats  # tokens of each document


def count_words(corpus: Corpus) -> Bags:
    """Count the words of each document."""
    table = corpus.to_dtm().tocsr()
    lengths = corpus.lengths.astype(float)
    return Bags(table.indices, table.data.astype(float), table.indptr.astype(np.int64), lengths)


def expected_log(parameters: Floats) -> Floats:
    """Return E log φ of words and topics, (n_words, n_topics), for λ of that shape."""
    return digamma(parameters) - digamma(parameters.sum(axis=0))


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _digamma(x: float) -> float:
    """Return ψ(x) for x > 0: the recurrence up to 6, then the asymptotic series."""
    shift = 0.0
    while x < 6.0:
        shift -= 1.0 / x
        x += 1.0
    inverse = 1.0 / (x * x)
    series = inverse * (1 / 12.0 - inverse * (1 / 120.0 - inverse * (1 / 252.0 - inverse / 240.0)))
    return shift + np.log(x) - 0.5 / x - series


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _theta_part(gamma: Floats, alpha: float) -> float:
    """Return the part of a document's bound that does not depend on its tokens.

    Added to Σ_n log Σ_k exp(ψ(γ_k) + h_k) φ_kt, it gives the bound for the best q(z) given γ,
    because Σ γ - Σ α is the number of tokens: the terms with ψ(Σ γ) cancel.
    """
    result = math.lgamma(alpha * gamma.size) - math.lgamma(gamma.sum())
    for k in range(gamma.size):
        result += math.lgamma(gamma[k]) - math.lgamma(alpha)
        result += (alpha - gamma[k]) * _digamma(gamma[k])
    return result


@numba.njit(cache=True, nogil=True, error_model="numpy")
def update_documents(
    words: np.ndarray,
    counts: Floats,
    starts: np.ndarray,
    weight: Floats,
    bias: Floats,
    alpha: float,
    gamma: Floats,
    totals: Floats,
    frequencies: Floats,
    most: int,
    relative: float,
) -> int:
    """Raise the bound over q(θ_d) and q(z_dn) of every document, from the γ that it has.

    ``weight`` is exp(E log φ), and ``bias`` exp(h). On return ``gamma`` is new, ``totals``
    (n_words, n_topics) holds the expected counts, and ``frequencies`` E z̄. ``most`` and
    ``relative`` are those of a `Stop`. Returns the number of rounds.
    """
    n_topics = gamma.shape[1]
    factor, fresh = np.empty(n_topics), np.empty(n_topics)
    totals[:] = 0.0
    rounds = 0
    for d in range(starts.size - 1):
        if starts[d] == starts[d + 1]:
            gamma[d] = alpha
            frequencies[d] = 1.0 / n_topics
            continue
        reached = -np.inf
        for _ in range(most):
            rounds += 1
            bound = _theta_part(gamma[d], alpha) if relative > 0.0 else 0.0
            for k in range(n_topics):
                factor[k] = np.exp(_digamma(gamma[d, k])) * bias[d, k]
                fresh[k] = 0.0
            for i in range(starts[d], starts[d + 1]):
                row = weight[words[i]]
                total = 0.0
                for k in range(n_topics):
                    total += factor[k] * row[k]
                share = counts[i] / total
                if relative > 0.0:
                    bound += counts[i] * np.log(total)
                for k in range(n_topics):
                    fresh[k] += share * row[k]
            change = 0.0
            for k in range(n_topics):
                value = alpha + factor[k] * fresh[k]
                change += abs(value - gamma[d, k])
                gamma[d, k] = value
            if relative > 0.0:
                if bound - reached <= relative * abs(bound):
                    break
                reached = bound
            elif change < TOLERANCE * n_topics:
                break
        frequencies[d] = 0.0
        for k in range(n_topics):
            factor[k] = np.exp(_digamma(gamma[d, k])) * bias[d, k]
        for i in range(starts[d], starts[d + 1]):
            row = weight[words[i]]
            total = 0.0
            for k in range(n_topics):
                total += factor[k] * row[k]
            share = counts[i] / total
            for k in range(n_topics):
                part = share * factor[k] * row[k]
                totals[words[i], k] += part
                frequencies[d, k] += part
        frequencies[d] /= frequencies[d].sum()
    return rounds


def start_topics(corpus: Corpus, n_topics: int, seed: int) -> Floats:
    """Return λ to start from: nearly equal topics, which the labels then part."""
    rng = np.random.default_rng(seed)
    return rng.gamma(100.0, 0.01, size=(corpus.n_words, n_topics))


def seed_topics(corpus: Corpus, n_topics: int, seed: int) -> Floats:
    """Return λ to start from: the words of three random documents in each topic.

    With many classes and nearly equal topics, several classes would go to the same topic.
    """
    rng = np.random.default_rng(seed)
    table = corpus.to_dtm().tocsr()
    chosen = rng.choice(corpus.n_documents, size=(n_topics, 3))
    return np.stack([np.ravel(table[own].sum(axis=0)) + 0.1 for own in chosen], axis=1)


def start_documents(bags: Bags, n_topics: int, prior: Prior) -> Floats:
    """Return γ to start from: each topic has the same share of each document."""
    gamma: Floats = np.full((bags.lengths.size, n_topics), prior.alpha)
    gamma += bags.lengths[:, None] / n_topics
    return gamma


class Posterior:
    """The variational posterior of the topics of a corpus."""

    def __init__(
        self,
        corpus: Corpus,
        n_topics: int,
        prior: Prior,
        seed: int,
        stop: Stop = STOPS["settled"],
    ) -> None:
        self.bags = count_words(corpus)
        self.prior = prior
        self.stop = stop
        shape = corpus.n_documents, n_topics
        self.topics = start_topics(corpus, n_topics, seed)  # λ
        self.gamma = start_documents(self.bags, n_topics, prior)
        self.frequencies = np.full(shape, 1.0 / n_topics)
        self.totals = np.zeros_like(self.topics)

    def update_documents(self, exponent: Floats) -> int:
        """Update q(θ) and q(z), with h = ``exponent``."""
        # The shift of h cancels where it is used; it keeps the exponential in range.
        bias = np.exp(exponent - exponent.max(axis=1, keepdims=True))
        weight = np.exp(expected_log(self.topics))
        if self.stop.afresh:
            self.gamma = start_documents(self.bags, self.gamma.shape[1], self.prior)
        return update_documents(
            *self.bags[:3],
            weight,
            bias,
            self.prior.alpha,
            self.gamma,
            self.totals,
            self.frequencies,
            self.stop.most,
            self.stop.relative,
        )

    def update_topics(self) -> None:
        """Update q(φ)."""
        self.topics = self.prior.beta + self.totals

    def bound(self, exponent: Floats) -> float:
        """Return the evidence lower bound of the words, for the q(z) of the last update.

        q(z) itself is not stored. Where it was computed from the present γ, λ and h, its part of
        the bound is Σ_n log Σ_k exp(E log θ_k + E log φ_kt + h_k) - N h · E z̄.
        """
        log_theta = digamma(self.gamma) - digamma(self.gamma.sum(axis=1, keepdims=True))
        bias = exponent + log_theta
        highest = bias.max(axis=1, keepdims=True)
        tokens = log_normalisers(*self.bags[:3], np.exp(expected_log(self.topics)), bias - highest)
        tokens += (self.bags.lengths[:, None] * highest).sum()
        tokens -= (self.bags.lengths[:, None] * exponent * self.frequencies).sum()
        return (
            tokens
            + dirichlet_part(self.gamma, np.full(self.gamma.shape[1], self.prior.alpha))
            + dirichlet_part(self.topics.T, np.full(self.topics.shape[0], self.prior.beta))
        )


@numba.njit(cache=True, nogil=True, error_model="numpy")
def log_normalisers(
    words: np.ndarray, counts: Floats, starts: np.ndarray, weight: Floats, bias: Floats
) -> float:
    """Return Σ_n log Σ_k weight[w_n, k] exp(bias[d, k]) over all tokens."""
    result = 0.0
    for d in range(starts.size - 1):
        factor = np.exp(bias[d])
        for i in range(starts[d], starts[d + 1]):
            result += counts[i] * np.log((factor * weight[words[i]]).sum())
    return result


def dirichlet_part(parameters: Floats, prior: Floats) -> float:
    """Return Σ E log p - E log q of Dirichlet distributions, one per row."""
    total = parameters.sum(axis=1)
    log_mean = digamma(parameters) - digamma(total)[:, None]
    own = gammaln(total).sum() - gammaln(parameters).sum() + ((parameters - 1.0) * log_mean).sum()
    constant = gammaln(prior.sum()) - gammaln(prior).sum()
    return parameters.shape[0] * constant + ((prior - 1.0) * log_mean).sum() - own


def infer(corpus: Corpus, topics: Floats, prior: Prior, stop: Stop = STOPS["settled"]) -> Floats:
    """Return E z̄ of new documents given λ, (n_documents, n_topics)."""
    bags = count_words(corpus)
    gamma = start_documents(bags, topics.shape[1], prior)
    frequencies, totals = np.empty_like(gamma), np.empty_like(topics)
    weight, bias = np.exp(expected_log(topics)), np.ones_like(gamma)
    update_documents(
        *bags[:3], weight, bias, prior.alpha, gamma, totals, frequencies, stop.most, stop.relative
    )
    return frequencies
