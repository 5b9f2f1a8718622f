"""The arrays of the sweep by products: those of the corpus, of all topics, and of a document.

The symbols are those of `products`. All arrays are padded to full vectors; padding has no weight.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pymc_medlda._arrays import Floats
from pymc_medlda.kernels.simd.aligned import aligned_zeros, padded_size

# Factors are computed anew after so many moves, which bounds what rounding adds up to.
MOST_MOVES = 256


class Topics(NamedTuple):
    """The weights eta of a sweep; padding repeats a real topic, so that the range of eta stays."""

    eta: Floats  # (n_tasks * size,)
    squared: Floats  # (n_tasks * size,) eta²
    pull: Floats  # (n_tasks * size,) eta if there is one task, |eta| if there are several
    furthest: Floats  # (n_tasks,) the largest eta² of each task


class Corpus(NamedTuple):
    """What a sweep knows of each topic in all documents."""

    alpha: Floats  # (size,)
    in_corpus: Floats  # (size,) C_k
    beta_total: float  # V beta
    log_mass: Floats  # (size,) log s_k, zero where the words are in one block


class Runs(NamedTuple):
    """Which documents are visited without branches (see `products_runs`)."""

    # The share of tokens that moved before, from which the branches cost more than they save, and
    # from how many tokens on it pays to compute the rows of all topics.
    moved: float = 0.4
    tokens: int = 96


# Up to how many vectors fit into the registers of a visit without branches.
MOST_VECTORS = 3
RUNS = Runs()


class Workspace(NamedTuple):
    """What a sweep holds of the visited document."""

    corpus: Corpus
    in_document: np.ndarray  # (size,) C_dk
    prior: Floats  # (size,) P_k
    without: Floats  # (size,) P_k with one token of topic k taken out
    added: Floats  # (size,) P_k with one token of topic k added; unused if the target is tempered
    own: Floats  # (size,) gamma²/2 sum_i a_i eta_ik² - log s_k
    # (size,) The largest |G_jk| over k, with the sign of eta_j, if there is one task: a move from j
    # to k changes no exponent by more than |pull_j - pull_k|, and moves one after the other none by
    # more than the absolute sum of these differences. If there are several tasks it is a bound of
    # |G_jk|, and exponents change by no more than pull_j + pull_k.
    pull: Floats
    exponent: Floats  # (size,) f_k(s), or G_j while its rows are computed
    factor: Floats  # (size,) E_k
    weight: Floats  # (2 * size,) A_k, and then ones
    # From j * size each, with a row of ones at the end: exp(G_j) and exp(-G_j), but the weights and
    # the factors E of a visit if topic j is steep.
    lift: Floats  # ((size + 1) * size,)
    lower: Floats  # ((size + 1) * size,)
    holder: np.ndarray  # (size,) the document for which the rows of a topic were computed
    version: np.ndarray  # (size,) the version of the document for which those of a steep topic were
    slope: Floats  # (n_tasks,) factors in sums over tasks
    # (MOST_MOVES,) C_kt of the cells that tokens left and entered, which the tally lacks yet.
    left: np.ndarray
    entered: np.ndarray
    runs: Runs


def arrange_topics(eta: Floats, size: int) -> Topics:
    """Pad the weights to ``size`` topics."""
    n_tasks, n_topics = eta.shape
    padded, squared, pull = aligned_zeros(3, n_tasks, size)
    padded[:, :n_topics] = eta
    padded[:, n_topics:] = eta[:, :1]
    squared[:] = padded**2
    pull[:] = padded if n_tasks == 1 else np.abs(padded)
    furthest = squared.max(axis=1)
    return Topics(padded.reshape(-1), squared.reshape(-1), pull.reshape(-1), furthest)


def arrange_corpus(alpha: Floats, topic: np.ndarray, beta_total: float, log_mass: Floats) -> Corpus:
    """Arrange what all documents share."""
    padded = aligned_zeros(3, padded_size(topic.size))
    padded[:, : topic.size] = alpha, topic, log_mass
    return Corpus(padded[0], padded[1], beta_total, padded[2])


def memory_of_rows(n_topics: int) -> dict[str, int]:
    """Return the size in bytes of what `empty_workspace` allocates, without its small arrays."""
    return {
        f"two tables of {n_topics} rows and {n_topics} topics": 2 * 8 * padded_size(n_topics) ** 2
    }


def empty_workspace(n_tasks: int, corpus: Corpus) -> Workspace:
    """Allocate what a sweep holds of one document."""
    size = corpus.alpha.size
    prior, without, added, own, pull, exponent, factor = aligned_zeros(7, size)
    in_document = aligned_zeros(size, dtype=np.int32)
    left, entered = aligned_zeros(2, MOST_MOVES, dtype=np.int32)
    weight = aligned_zeros(2 * size)
    weight[size:] = 1.0
    lift, lower = aligned_zeros(2, (size + 1) * size)
    lift[size * size :] = lower[size * size :] = 1.0
    return Workspace(
        corpus,
        in_document,
        prior,
        without,
        added,
        own,
        pull,
        exponent,
        factor,
        weight,
        lift,
        lower,
        holder=np.full(size, -1, np.int64),
        version=np.full(size, -1, np.int64),
        slope=np.zeros(n_tasks),
        left=left,
        entered=entered,
        runs=RUNS,
    )
