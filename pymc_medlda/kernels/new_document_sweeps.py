r"""One sweep over the topics of a new document: by full rows of phi, or by lists of topics.

Both draw every token once from the paper's test-time conditional,

.. math:: p(z_n = k \mid z_{\neg n}) \propto \phi_{k w_n} (C_k + \alpha_k),

and take one random number per token, from consecutive counters. The sweep by rows computes the
weights of all topics in vectors of eight, which is quicker up to some hundred topics; the cost of
the sweep by lists does not grow with the number of topics.

Symbols: phi_kt probability of word t in topic k, C_k tokens of the document in topic k with the
visited token taken out, N its tokens, alpha the prior of its topics.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pymc_medlda.kernels._jit import kernel
from pymc_medlda.kernels.simd.lanes import LANES, combine, fetch, multiply
from pymc_medlda.kernels.simd.uniform import STRIDE, choose, uniform

AHEAD = 6  # tokens, so that a row of phi is in the cache when its turn comes
ROWS = 64  # tokens whose conditional probabilities are kept until they are summed: 12 kB for K = 20


class WordTopics(NamedTuple):
    """phi of the words that occur in the new documents, and what else the sampler needs."""

    phi: NDArray[np.float64]  # (n_words, width), the topics and zeros up to a multiple of eight
    alpha: NDArray[np.float64]  # (n_topics,)
    # (n_words,), sum_k alpha_k phi_kt, the weight of empty topics; (0,) for the sweep by rows
    prior: NDArray[np.float64]


class Topics(NamedTuple):
    """The topics of the tokens of one document."""

    z: NDArray[np.int32]  # (N,)
    counts: NDArray[np.float64]  # (n_topics,), C_k of all tokens
    listed: NDArray[np.int32]  # (n_topics,), the topics that occur, in any order; (0,) for rows
    n_listed: NDArray[np.int64]  # (1,), how many topics occur
    # (N, n_topics), what sweeps that average add up for each token; (0, n_topics) if not wanted
    of_token: NDArray[np.float64]


class Workspace(NamedTuple):
    """Room for the sweeps over a document, and the sum of the frequencies met in them."""

    weight: NDArray[np.float64]  # (width,), C_k + alpha_k of all tokens, zero beyond the topics
    share: NDArray[np.float64]  # (ROWS * width,), the weights of topics other than the present
    scale: NDArray[np.float64]  # (ROWS,), one over the sum of the weights of a token
    partial: NDArray[np.float64]  # (width,)
    total: NDArray[np.float64]  # (width,), what the sweeps add up


@kernel
def empty_workspace(width: int) -> Workspace:
    """Allocate for topics padded to ``width``."""
    return Workspace(
        np.zeros(width), np.empty(ROWS * width), np.empty(ROWS), np.empty(width), np.zeros(width)
    )


@kernel
def sweep_by_rows(
    counter: np.uint64,
    word: np.ndarray,
    topics: WordTopics,
    state: Topics,
    work: Workspace,
    averaged: bool,
) -> float:
    """Draw the topic of every token of a document; return the sum of log p(w_n | z_¬n).

    If ``averaged``, the conditional probabilities of all topics, from which each token is drawn,
    are added to ``work.total``. Their expectation is that of the drawn topics, and their variance
    is smaller, because the noise of the draws themselves is absent.
    """
    alpha, count, z = topics.alpha, state.counts, state.z
    width = topics.phi.shape[1]
    phi = topics.phi.reshape(-1)
    for k in range(alpha.size):
        work.weight[k] = count[k] + alpha[k]
    log_likelihood, product, row = 0.0, 1.0, 0
    for n in range(word.size):
        at, old = int(word[n]) * width, int(z[n])
        ahead = int(word[min(n + AHEAD, word.size - 1)]) * width
        for line in range(0, width, LANES):
            fetch(phi, ahead + line)
        own = phi[at + old] * (count[old] - 1.0 + alpha[old])
        others = multiply(work.weight, phi, at, work.share, row * width, old, width)
        total = own + others
        # One logarithm per token would cost as much as the draw. So the factors are multiplied, and
        # the logarithm is taken only before the product could underflow or overflow.
        product *= total
        if not 1e-100 < product < 1e100:
            log_likelihood += math.log(product)
            product = 1.0
        # The present topic comes first in the cumulated weights, so a token that stays needs no
        # search.
        x = uniform(counter) * total - own
        counter += STRIDE
        if x >= 0.0:
            new = int(choose(x, work.share, row * width, width))
            if new >= 0:  # otherwise rounding left nothing but the present topic
                count[old] -= 1.0
                count[new] += 1.0
                work.weight[old] = count[old] + alpha[old]
                work.weight[new] = count[new] + alpha[new]
                z[n] = new
        if averaged:
            work.scale[row] = 1.0 / total
            work.total[old] += own * work.scale[row]
            if state.of_token.size > 0:
                state.of_token[n, old] += own * work.scale[row]
                for k in range(alpha.size):
                    state.of_token[n, k] += work.share[row * width + k] * work.scale[row]
            row += 1
            if row == ROWS:
                add_probabilities(work, row, width)
                row = 0
    if row > 0:
        add_probabilities(work, row, width)
    return log_likelihood + math.log(product) - word.size * _log_normaliser(word.size, alpha)


@kernel
def add_probabilities(work: Workspace, n_rows: int, width: int) -> None:
    """Add the probabilities of the topics other than the present, of ``n_rows`` tokens."""
    combine(work.scale[:n_rows], work.share, work.partial, 0, width)
    for k in range(width):
        work.total[k] += work.partial[k]


@kernel
def sweep_by_lists(
    counter: np.uint64,
    word: np.ndarray,
    topics: WordTopics,
    state: Topics,
    work: Workspace,
    averaged: bool,
) -> float:
    """Draw the topic of every token of a document; return the sum of log p(w_n | z_¬n).

    The weights have two parts: phi_kw C_k over the topics that occur in the document, and
    phi_kw alpha_k over all topics, whose sum depends on the word alone. The present topic comes
    first in the cumulated weights, so that a token that stays needs no search. If ``averaged``, the
    counts after the sweep are added to ``work.total``.
    """
    z, count, listed, n_listed = state.z, state.counts, state.listed, state.n_listed[0]
    phi, alpha = topics.phi, topics.alpha
    log_likelihood, product = 0.0, 1.0
    for n in range(word.size):
        t, old = word[n], z[n]
        count[old] -= 1.0
        total = topics.prior[t]
        for i in range(n_listed):
            total += phi[t, listed[i]] * count[listed[i]]
        product *= total
        if not 1e-100 < product < 1e100:
            log_likelihood += math.log(product)
            product = 1.0
        x = uniform(counter) * total - phi[t, old] * (count[old] + alpha[old])
        counter += STRIDE
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
    state.n_listed[0] = n_listed
    if averaged:
        for k in range(count.size):
            work.total[k] += count[k]
        for n in range(state.of_token.shape[0]):
            state.of_token[n, z[n]] += 1.0
    return log_likelihood + math.log(product) - word.size * _log_normaliser(word.size, alpha)


@kernel
def _log_normaliser(length: int, alpha: np.ndarray) -> float:
    """Return the logarithm of the sum of C_k + alpha_k, with one token taken out."""
    return math.log(max(length - 1, 0) + add_up(alpha))


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
