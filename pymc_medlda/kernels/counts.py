"""Flat token arrays, the count tables of a topic assignment, and what follows from them.

Symbols: C_kt word t in topic k, C_dk topic k in document d, C_k tokens of topic k, N_d tokens of
document d, gamma = 1/N_d.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pymc_medlda.kernels._jit import kernel


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


@kernel
def log_rising(x: float, n: int, table: np.ndarray) -> float:
    """Return log Γ(x + n) - log Γ(x), looked up in ``table`` (of this x) where it reaches."""
    if n < table.size:
        return table[n]
    return math.lgamma(x + n) - math.lgamma(x)


@kernel
def tabulate_rising(x: float, size: int) -> np.ndarray:
    """Return log Γ(x + n) - log Γ(x) for n = 0 .. size - 1, as sums of logarithms."""
    table = np.zeros(size)
    for n in range(1, size):
        table[n] = table[n - 1] + math.log(x + (n - 1))
    return table


@kernel
def log_words(word_topic: np.ndarray, topic: np.ndarray, beta: float) -> float:
    """Return log p(W | Z, beta), the topic-word distributions integrated out."""
    n_words, n_topics = word_topic.shape
    table = tabulate_rising(beta, 256)
    total = 0.0
    for t in range(n_words):
        for k in range(n_topics):
            count = word_topic[t, k]
            if count > 0:
                total += log_rising(beta, count, table)
    for k in range(n_topics):
        total -= math.lgamma(n_words * beta + topic[k]) - math.lgamma(n_words * beta)
    return total


@kernel
def log_assignments(document_topic: np.ndarray, alpha: np.ndarray) -> float:
    """Return log p(Z | alpha), the document-topic distributions integrated out."""
    n_documents, n_topics = document_topic.shape
    tables = np.empty((n_topics, 64))
    for k in range(n_topics):
        tables[k] = tabulate_rising(alpha[k], 64)
    alpha_total = alpha.sum()
    of_length = tabulate_rising(alpha_total, 1024)
    total = 0.0
    for d in range(n_documents):
        length = 0
        for k in range(n_topics):
            count = document_topic[d, k]
            if count > 0:
                length += count
                total += log_rising(alpha[k], count, tables[k])
        total -= log_rising(alpha_total, length, of_length)
    return total
