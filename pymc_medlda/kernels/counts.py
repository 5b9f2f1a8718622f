"""Flat token arrays and the counts of a topic assignment, in all the forms that kernels use.

Symbols: C_kt word t in topic k, C_dk topic k in document d, C_k tokens of topic k, N_d tokens of
document d, gamma = 1/N_d.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pymc_medlda.kernels._jit import Index, kernel
from pymc_medlda.kernels.adding import add_scaled, padded
from pymc_medlda.kernels.bits import BITS, lowest_bit, without_lowest
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
def add_words(word: np.ndarray, z: np.ndarray, word_topic: np.ndarray) -> None:
    """Add the counts of ``z`` to C_kt."""
    for n in range(word.size):
        word_topic[word[n], z[n]] += 1


@kernel
def count_words(word: np.ndarray, z: np.ndarray, word_topic: np.ndarray) -> None:
    """Fill C_kt with the counts of ``z``."""
    word_topic[:] = 0
    add_words(word, z, word_topic)


@kernel
def fill_table(
    start: np.ndarray, topic: np.ndarray, count: np.ndarray, word_topic: np.ndarray
) -> None:
    """Fill C_kt with the entries of a sparse table, those of word t from start[t] on."""
    word_topic[:] = 0
    for t in range(start.size - 1):
        for e in range(start[t], start[t + 1]):
            word_topic[t, topic[e]] = count[e]


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


class Present(NamedTuple):
    """C_dk without its zeros, document by document, in the order of the topics.

    The entries e of document d are ``start[d]:start[d + 1]``: ``n_tokens[e]`` of ``topic[e]``.
    """

    start: NDArray[np.int64]
    topic: NDArray[np.int32]
    n_tokens: NDArray[np.int32]


def list_present(document_topic: NDArray[np.int32], room: int = 0) -> Present:
    """List the topics that occur in each document; ``room`` is a guess of the number of entries."""
    # Vector code reads rows as they lie in memory; mostly this is the same array.
    document_topic = np.ascontiguousarray(document_topic, np.int32)
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
    """List the topics that occur in each document; return whether the arrays had enough room."""
    n_documents, n_topics = document_topic.shape
    n = 0
    for d in range(n_documents):
        start[d] = n
        if n + n_topics > topic.size:
            return False
        for first in range(0, n_topics, BITS):
            # The processor cannot predict where a loop over the topics that occur ends, so there is
            # one such loop for 64 topics.
            found = find_present(document_topic, d, first, min(first + BITS, n_topics))
            while found != np.uint64(0):
                k = first + lowest_bit(found)
                topic[n] = k
                count[n] = document_topic[d, k]
                n += 1
                found = without_lowest(found)
    start[n_documents] = n
    return True


@kernel
def find_present(document_topic: np.ndarray, d: int, first: int, last: int) -> np.uint64:
    """Return one bit for each of at most 64 topics: whether it occurs in a document."""
    found, k = np.uint64(0), first
    while k + LANES <= last:
        found |= np.uint64(occupied(document_topic, d, k)) << np.uint64(k - first)
        k += LANES
    while k < last:
        found |= np.uint64(document_topic[d, k] > 0) << np.uint64(k - first)
        k += 1
    return found


# The arrays of the tuple are separate arguments: numba is slow to convert a named tuple.
@kernel
def project_present(
    start: np.ndarray, topic: np.ndarray, count: np.ndarray, eta: np.ndarray, out: np.ndarray
) -> None:
    """Write the same as `project`, computed from the topics that occur."""
    n_tasks, n_topics = eta.shape
    if n_tasks == 1:
        for d in range(start.size - 1):
            length, only = 0, 0.0
            for e in range(start[d], start[d + 1]):
                length += count[e]
                only += count[e] * eta[0, topic[e]]
            out[d, 0] = only / max(length, 1)
        return
    width = padded(n_tasks)
    by_topic = np.zeros(n_topics * width)
    for i in range(n_tasks):
        for k in range(n_topics):
            by_topic[k * width + i] = eta[i, k]
    total = np.empty(width)
    for d in range(start.size - 1):
        length = 0
        total[:] = 0.0
        for e in range(start[d], start[d + 1]):
            length += count[e]
            add_scaled(by_topic, topic[e] * width, float(count[e]), total, 0, width)
        for i in range(n_tasks):
            out[d, i] = total[i] / max(length, 1)


@kernel
def tally_table(table: np.ndarray, tally: np.ndarray) -> None:
    """Count the counts C_kt: tally[c] is how many of them equal c. tally[0] is never read."""
    tally[:] = 0
    for t in range(table.shape[0]):
        for k in range(table.shape[1]):
            tally[table[t, k]] += 1


@kernel
def move_in_tally(tally: np.ndarray, old: Index, new: Index) -> None:
    """Move a token from a cell whose count is ``old`` to one whose count is ``new``."""
    tally[old] -= 1
    tally[old - 1] += 1
    tally[new] -= 1
    tally[new + 1] += 1
