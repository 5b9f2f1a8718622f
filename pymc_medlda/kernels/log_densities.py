"""Log densities of words and topic assignments, the Dirichlet variables integrated out.

Symbols: C_kt word t in topic k, C_dk topic k in document d, C_k tokens of topic k, N_d tokens of
document d, V words in the vocabulary.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from pymc_medlda.kernels._jit import kernel


@kernel
def tabulate_rising(x: float, size: int) -> np.ndarray:
    """Return log Γ(x + n) - log Γ(x) for n = 0 .. size - 1, as sums of logarithms."""
    table = np.zeros(size)
    for n in range(1, size):
        table[n] = table[n - 1] + math.log(x + (n - 1))
    return table


@kernel
def log_words(tally: np.ndarray, topic: np.ndarray, beta_total: float, rising: np.ndarray) -> float:
    """Return log p(W | Z, beta), the topic-word distributions integrated out.

    ``tally`` is that of C_kt (see `counts.tally_table`): equal counts contribute equally.
    ``rising`` holds log Γ(beta + c) - log Γ(beta) for every count c.
    """
    total = 0.0
    for c in range(1, tally.size):
        total += tally[c] * rising[c]
    return total - log_topics(topic, beta_total)


@kernel
def log_topics(topic: np.ndarray, beta_total: float) -> float:
    """Return the sum of log Γ(V beta + C_k) - log Γ(V beta) over topics."""
    total = 0.0
    for k in range(topic.size):
        total += math.lgamma(beta_total + topic[k]) - math.lgamma(beta_total)
    return total


class Prior(NamedTuple):
    """The part of log p(Z | alpha) that does not depend on Z, and tables for the rest."""

    alpha: NDArray[np.float64]
    row: NDArray[np.intp]  # (n_topics,) row of ``rising``: topics of equal alpha share one
    rising: NDArray[np.float64]  # (rows, n) log Γ(alpha + n) - log Γ(alpha), n = 0, 1, ...
    lengths: float  # the sum over documents of log Γ(sum alpha + N_d) - log Γ(sum alpha)


def tabulate_prior(start: NDArray[np.int64], alpha: NDArray[np.float64]) -> Prior:
    """Compute what is the same for all assignments of a corpus."""
    length, total = np.diff(start), alpha.sum()
    values, row = np.unique(alpha, return_inverse=True)
    # As long as the longest document needs, but no longer than fits into the processor's cache.
    size = min(int(length.max(initial=0)) + 1, max(64, 2**15 // values.size))
    rising = np.stack([tabulate_rising(value, size) for value in values])
    lengths = float((gammaln(total + length) - gammaln(total)).sum())
    return Prior(alpha, row.reshape(-1), rising, lengths)


@kernel
def log_assignments(
    start: np.ndarray,
    topic: np.ndarray,
    count: np.ndarray,
    alpha: np.ndarray,
    row: np.ndarray,
    rising: np.ndarray,
    lengths: float,
) -> float:
    """Return log p(Z | alpha), the document-topic distributions integrated out.

    The arguments are the fields of a `Present` and of a `Prior`.
    """
    total = 0.0
    for e in range(start[-1]):
        k, n = topic[e], count[e]
        if n < rising.shape[1]:
            total += rising[row[k], n]
        else:
            total += math.lgamma(alpha[k] + n) - math.lgamma(alpha[k])
    return total - lengths
