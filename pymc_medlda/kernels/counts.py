"""Flat token arrays, the count tables of a topic assignment, and what follows from them.

Symbols: C_kt word t in topic k, C_dk topic k in document d, C_k tokens of topic k, N_d tokens of
document d, gamma = 1/N_d.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from pymc_medlda.kernels._jit import Index, kernel
from pymc_medlda.kernels.simd.lanes import LANES, occupied


class Tokens(NamedTuple):
    """A corpus as flat arrays: document d holds the tokens ``start[d]:start[d + 1]``."""

    word: NDArray[np.int32]
    start: NDArray[np.int64]


class Counts(NamedTuple):
    """Count tables of an assignment; each of them sums to the number of tokens."""

    word_topic: NDArray[np.int32]  # (n_words, n_topics), C_kt, rows contiguous in the topic
    document_topic: NDArray[np.int32]  # (n_documents, n_topics), C_dk
    topic: NDArray[np.int64]  # (n_topics,), C_k


@kernel
def count_topics(
    tokens: Tokens, z: np.ndarray, document_topic: np.ndarray, topic: np.ndarray
) -> None:
    """Fill C_dk and C_k with the counts of ``z``."""
    document_topic[:] = 0
    topic[:] = 0
    for d in range(tokens.start.size - 1):
        for n in range(tokens.start[d], tokens.start[d + 1]):
            document_topic[d, z[n]] += 1
            topic[z[n]] += 1


@kernel
def count_words(word: np.ndarray, z: np.ndarray, word_topic: np.ndarray) -> None:
    """Fill C_kt with the counts of ``z``."""
    word_topic[:] = 0
    for n in range(word.size):
        word_topic[word[n], z[n]] += 1


@kernel
def project(tokens: Tokens, z: np.ndarray, eta: np.ndarray, out: np.ndarray) -> None:
    """Write eta_i · z̄_d, the discriminant without its offset, to ``out`` (documents, tasks).

    ``eta`` is (n_tasks, n_topics). An empty document has z̄ = 0.
    """
    n_tasks = eta.shape[0]
    by_topic = np.ascontiguousarray(eta.T)
    for d in range(tokens.start.size - 1):
        out[d, :] = 0.0
        for n in range(tokens.start[d], tokens.start[d + 1]):
            for i in range(n_tasks):
                out[d, i] += by_topic[z[n], i]
        length = tokens.start[d + 1] - tokens.start[d]
        if length > 0:
            for i in range(n_tasks):
                out[d, i] /= length


def pad_topics(
    alpha: NDArray[np.float64], topic: NDArray[np.int64], beta_total: float
) -> NDArray[np.float64]:
    """Return alpha_k, C_k and 1/(C_k + V beta), zero from the last topic to a whole vector."""
    padded = np.zeros((3, -(-topic.size // LANES) * LANES))
    padded[:, : topic.size] = alpha, topic, 1.0 / (topic + beta_total)
    return padded


@kernel
def open_document(
    d: Index,
    document_topic: np.ndarray,
    alpha: np.ndarray,
    rate: np.ndarray,
    in_document: np.ndarray,
    prior: np.ndarray,
) -> None:
    """Write C_dk and (C_dk + alpha_k)/(C_k + V beta) of document d to padded rows."""
    for k in range(document_topic.shape[1]):
        in_document[k] = document_topic[d, k]
    for k in range(prior.size):
        prior[k] = (in_document[k] + alpha[k]) * rate[k]


@kernel
def move_in_document(
    d: Index,
    j: Index,
    new: Index,
    beta_total: float,
    document_topic: np.ndarray,
    alpha: np.ndarray,
    count: np.ndarray,
    rate: np.ndarray,
    in_document: np.ndarray,
    prior: np.ndarray,
) -> None:
    """Follow a token of document d from topic j to ``new``, in its counts and in C_k."""
    document_topic[d, j] -= 1
    document_topic[d, new] += 1
    for topic, change in ((j, -1.0), (new, 1.0)):
        in_document[topic] += change
        count[topic] += change
        rate[topic] = 1.0 / (count[topic] + beta_total)
        prior[topic] = (in_document[topic] + alpha[topic]) * rate[topic]


class Present(NamedTuple):
    """C_dk without its zeros, document by document, in the order of the topics.

    The entries e of document d are ``start[d]:start[d + 1]``: ``n_tokens[e]`` of ``topic[e]``.
    """

    start: NDArray[np.int64]
    topic: NDArray[np.int32]
    n_tokens: NDArray[np.int32]


def list_present(document_topic: NDArray[np.int32], room: int = 0) -> Present:
    """List the topics that occur in each document; ``room`` is a guess of how many entries."""
    n_documents, n_topics = document_topic.shape
    room = max(room, 8 * n_documents) + n_topics
    start = np.empty(n_documents + 1, np.int64)
    while True:
        listed = Present(start, np.empty(room, np.int32), np.empty(room, np.int32))
        if fill_present(document_topic, *listed):
            return listed
        room *= 2


@kernel
def fill_present(
    document_topic: np.ndarray, start: np.ndarray, topic: np.ndarray, count: np.ndarray
) -> bool:
    """List the topics that occur in each document; return whether there was room."""
    n_documents, n_topics = document_topic.shape
    n = 0
    for d in range(n_documents):
        start[d] = n
        if n + n_topics > topic.size:
            return False
        first = 0
        while first + LANES <= n_topics:
            # Most topics are not there: eight of them are passed over in one comparison. The
            # others are written without branches, which nobody could foresee.
            bits = occupied(document_topic, d, first)
            if bits != 0:
                for lane in range(LANES):
                    topic[n] = first + lane
                    count[n] = document_topic[d, first + lane]
                    n += bits >> lane & 1
            first += LANES
        for k in range(first, n_topics):
            topic[n] = k
            count[n] = document_topic[d, k]
            n += document_topic[d, k] > 0
    start[n_documents] = n
    return True


# These take the arrays of a tuple one by one: numba takes long to look into a named tuple.
@kernel
def project_present(
    start: np.ndarray, topic: np.ndarray, count: np.ndarray, eta: np.ndarray, out: np.ndarray
) -> None:
    """Write what `project` writes, from the topics that occur."""
    n_tasks = eta.shape[0]
    by_topic = np.ascontiguousarray(eta.T)
    total = np.empty(n_tasks)
    for d in range(start.size - 1):
        length, only = 0, 0.0
        total[:] = 0.0
        for e in range(start[d], start[d + 1]):
            length += count[e]
            if n_tasks == 1:  # no loop within the loop
                only += count[e] * by_topic[topic[e], 0]
            else:
                for i in range(n_tasks):
                    total[i] += count[e] * by_topic[topic[e], i]
        total[0] += only
        for i in range(n_tasks):
            out[d, i] = total[i] / max(length, 1)


@kernel
def tabulate_rising(x: float, size: int) -> np.ndarray:
    """Return log Γ(x + n) - log Γ(x) for n = 0 .. size - 1, as sums of logarithms."""
    table = np.zeros(size)
    for n in range(1, size):
        table[n] = table[n - 1] + math.log(x + (n - 1))
    return table


@kernel
def tally_table(table: np.ndarray, tally: np.ndarray) -> None:
    """Count the counts C_kt: tally[c] is how many of them are c. Nobody reads tally[0]."""
    tally[:] = 0
    for t in range(table.shape[0]):
        for k in range(table.shape[1]):
            tally[table[t, k]] += 1


@kernel
def move_in_tally(tally: np.ndarray, old: Index, new: Index) -> None:
    """Follow a token that leaves a count of ``old`` for one that was ``new``; see `tally_table`."""
    tally[old] -= 1
    tally[old - 1] += 1
    tally[new] -= 1
    tally[new + 1] += 1


@kernel
def log_words(tally: np.ndarray, topic: np.ndarray, beta_total: float, rising: np.ndarray) -> float:
    """Return log p(W | Z, beta), the topic-word distributions integrated out.

    ``tally`` is that of C_kt: equal counts contribute equally. ``rising`` holds
    log Γ(beta + c) - log Γ(beta) for all of them.
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
    """What log p(Z | alpha) needs of alpha alone."""

    alpha: NDArray[np.float64]
    row: NDArray[np.intp]  # (n_topics,) in the next: topics of equal alpha share one
    rising: NDArray[np.float64]  # log Γ(alpha + n) - log Γ(alpha) for n from 0
    lengths: float  # the sum over documents of log Γ(sum alpha + N_d) - log Γ(sum alpha)


def tabulate_prior(start: NDArray[np.int64], alpha: NDArray[np.float64]) -> Prior:
    """Compute what is the same for all assignments."""
    length, total = np.diff(start), alpha.sum()
    values, row = np.unique(alpha, return_inverse=True)
    # As far as a document may need it, but no more than stays in the cache.
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

    The arguments are those of a `Present` and a `Prior`.
    """
    total = 0.0
    for e in range(start[-1]):
        k, n = topic[e], count[e]
        if n < rising.shape[1]:
            total += rising[row[k], n]
        else:
            total += math.lgamma(alpha[k] + n) - math.lgamma(alpha[k])
    return total - lengths
