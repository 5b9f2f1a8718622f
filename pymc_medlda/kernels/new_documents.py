"""Topics of new documents given the topic-word distributions of a draw: the test-time sampler.

Given phi the documents are independent, so blocks of documents can be sampled in parallel.

Symbols: phi_kt probability of word t in topic k, C_k tokens of the document in topic k with the
visited token taken out, N its tokens, alpha the prior of its topics.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pymc_medlda.kernels._jit import kernel
from pymc_medlda.kernels.counts import Tokens


class WordTopics(NamedTuple):
    """phi of the words that occur in the new documents, and what else the sampler needs."""

    phi: NDArray[np.float64]  # (n_words, n_topics), rows contiguous in the topic
    alpha: NDArray[np.float64]  # (n_topics,)
    prior: NDArray[np.float64]  # (n_words,), sum_k alpha_k phi_kt: the weight of empty topics


class Assignments(NamedTuple):
    """Topics of a block of documents, with the counts and lists that a sweep needs."""

    z: NDArray[np.int32]  # (tokens of the block,)
    counts: NDArray[np.float64]  # (documents, n_topics), C_dk
    listed: NDArray[
        np.int32
    ]  # (documents, n_topics), the topics that occur in a document, in any order
    n_listed: NDArray[np.int64]  # (documents,), how many topics occur


class Schedule(NamedTuple):
    """How long the chain of a block of documents runs."""

    n_samples: int
    max_burn_in: int
    tolerance: float


@kernel
def estimate_topics(
    word: np.ndarray,
    z: np.ndarray,
    row: np.ndarray,
    n_words: int,
    alpha: np.ndarray,
    beta: float,
    out: WordTopics,
) -> None:
    r"""Fill ``out`` with the posterior mean of phi given the training assignments ``z``.

    .. math:: \hat\phi_{kt} = \frac{C_{kt} + \beta}{C_k + V \beta}

    ``row`` (n_words,) gives the row of ``out`` for each word of the training vocabulary, -1 for a
    word that does not occur in the new documents. Only the rows that are needed are computed; the
    room `run` computes the same for the whole vocabulary.
    """
    n_topics = alpha.size
    size = np.zeros(n_topics)
    out.phi[:] = beta
    for n in range(word.size):
        if not (0 <= z[n] < n_topics and 0 <= word[n] < row.size):
            raise ValueError("z or the words of the training documents are out of range")
        size[z[n]] += 1.0
        if row[word[n]] >= 0:
            out.phi[row[word[n]], z[n]] += 1.0
    for k in range(n_topics):
        size[k] += n_words * beta
    for t in range(out.phi.shape[0]):
        total = 0.0
        for k in range(n_topics):
            out.phi[t, k] /= size[k]
            total += alpha[k] * out.phi[t, k]
        out.prior[t] = total
    out.alpha[:] = alpha


@kernel
def start_uniformly(rng: np.random.Generator, start: np.ndarray, n_topics: int) -> Assignments:
    """Assign tokens to topics uniformly at random; ``start`` holds where each document begins."""
    n_documents = start.size - 1
    state = Assignments(
        np.empty(start[-1] - start[0], np.int32),
        np.zeros((n_documents, n_topics)),
        np.empty((n_documents, n_topics), np.int32),
        np.zeros(n_documents, np.int64),
    )
    for d in range(n_documents):
        for n in range(start[d] - start[0], start[d + 1] - start[0]):
            k = int(rng.random() * n_topics)
            state.z[n] = k
            if state.counts[d, k] == 0.0:
                state.listed[d, state.n_listed[d]] = k
                state.n_listed[d] += 1
            state.counts[d, k] += 1.0
    return state


@kernel
def sample_documents(
    rng: np.random.Generator,
    tokens: Tokens,
    topics: WordTopics,
    schedule: Schedule,
    first: int,
    last: int,
    out: np.ndarray,
) -> int:
    r"""Sample the topics of documents ``first`` to ``last`` - 1 and average their frequencies.

    .. math:: p(z_n = k \mid z_{\neg n}) \propto \phi_{k w_n} (C_k + \alpha_k)

    (the paper's test-time conditional). Topics start uniform. Burn-in ends when the log likelihood
    of the block, the sum of log p(w_n | z_¬n) during a sweep, changes by less than ``tolerance``
    relative to itself, or after ``max_burn_in`` sweeps. Then z̄ is averaged over ``n_samples``
    sweeps into the rows ``first:last`` of ``out`` (documents, topics). An empty document gets the
    prior mean alpha / sum(alpha). Returns the number of burn-in sweeps.
    """
    state = start_uniformly(rng, tokens.start[first : last + 1], topics.alpha.size)
    burn_in = 0
    before = -math.inf
    while burn_in < schedule.max_burn_in:
        now = 0.0
        for d in range(last - first):
            now += sweep_document(rng, tokens, topics, state, first, d)
        burn_in += 1
        if abs(now - before) <= schedule.tolerance * abs(now):
            break
        before = now
    for d in range(last - first):
        length = tokens.start[first + d + 1] - tokens.start[first + d]
        row = out[first + d]
        if length == 0:
            row[:] = topics.alpha / add_up(topics.alpha)
            continue
        row[:] = 0.0
        for _ in range(schedule.n_samples):
            sweep_document(rng, tokens, topics, state, first, d)
            for k in range(row.size):
                row[k] += state.counts[d, k]
        for k in range(row.size):
            row[k] /= schedule.n_samples * length
    return burn_in


@kernel
def sweep_document(
    rng: np.random.Generator,
    tokens: Tokens,
    topics: WordTopics,
    state: Assignments,
    first: int,
    d: int,
) -> float:
    """Draw the topic of every token of one document, number d of the block from ``first``.

    The weights have two parts: phi_kw C_k over the topics that occur in the document, and
    phi_kw alpha_k over all topics, whose sum depends on the word alone. So the cost per token does
    not grow with the number of topics. The present topic comes first in the cumulated weights, so
    that a token that stays needs no search.

    Returns the sum of log p(w_n | z_¬n).
    """
    begin, end = tokens.start[first + d], tokens.start[first + d + 1]
    word = tokens.word[begin:end]
    z = state.z[begin - tokens.start[first] : end - tokens.start[first]]
    count, listed, n_listed = state.counts[d], state.listed[d], state.n_listed[d]
    phi, alpha = topics.phi, topics.alpha
    log_likelihood = 0.0
    product = 1.0
    for n in range(word.size):
        t, old = word[n], z[n]
        count[old] -= 1.0
        total = topics.prior[t]
        for i in range(n_listed):
            total += phi[t, listed[i]] * count[listed[i]]
        product *= total
        # One logarithm per token would cost as much as the draw. So the factors are multiplied, and
        # the logarithm is taken only before the product could underflow or overflow.
        if not 1e-100 < product < 1e100:
            log_likelihood += math.log(product)
            product = 1.0
        x = rng.random() * total - phi[t, old] * (count[old] + alpha[old])
        if x < 0.0:
            count[old] += 1.0
            continue
        new = -1
        for i in range(n_listed):
            k = listed[i]
            if k != old:
                x -= phi[t, k] * count[k]
                if x < 0.0:
                    new = k
                    break
        if new < 0:
            new = _find_by_prior(phi[t], alpha, old, x)
        if count[old] == 0.0:
            n_listed -= 1
            i = 0
            while listed[i] != old:
                i += 1
            listed[i] = listed[n_listed]
        if count[new] == 0.0:
            listed[n_listed] = new
            n_listed += 1
        count[new] += 1.0
        z[n] = new
    state.n_listed[d] = n_listed
    normaliser = math.log(max(word.size - 1, 0) + add_up(alpha))
    return log_likelihood + math.log(product) - word.size * normaliser


@kernel
def add_up(values: np.ndarray) -> float:
    """Sum in order. NumPy's own sum adds in pairs, so compiled and plain code would differ."""
    total = 0.0
    for value in values:
        total += value
    return total


@kernel
def _find_by_prior(phi: np.ndarray, alpha: np.ndarray, old: int, x: float) -> int:
    """Return where the cumulated weights alpha_k phi_k of topics other than ``old`` pass ``x``."""
    new = old
    for k in range(alpha.size):
        if k != old:
            x -= phi[k] * alpha[k]
            # Rounding may leave x just above zero at the end: then take the last possible topic.
            if phi[k] * alpha[k] > 0.0:
                new = k
            if x < 0.0:
                break
    return new
