"""The arrays of the sweep by rows: those of all topics, and those of the visited document.

The symbols are those of `rows`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pymc_medlda._arrays import Floats
from pymc_medlda.kernels.simd.aligned import aligned_zeros
from pymc_medlda.kernels.simd.lanes import LANES
from pymc_medlda.kernels.sweeps.document import Document

MOST_ROWS = 512  # with more topics than this in a document, rows are computed again when needed


class Topics(NamedTuple):
    """The weights eta of a sweep, padded to full vectors; padding has no weight in any draw."""

    eta: Floats  # (n_tasks * size,); padding repeats a real topic, so that the range of eta stays
    squared: Floats  # (n_tasks * size,) eta²
    furthest: Floats  # (n_tasks,) the largest eta² of each task


class Rows(NamedTuple):
    """The rows of the topics that occur in the visited document, ``size`` numbers each.

    Row r begins at ``r * size`` and belongs to topic ``owner[r]``. Topic k has a row if
    ``owner[place[k]] == k``.
    """

    pull: Floats  # (n_rows * size,) G
    lift: Floats  # (n_rows * size,) exp(G), unless the row is steep
    weight: Floats  # (n_rows * size,) W
    steep: np.ndarray  # (n_rows,) whether exp(G) might overflow or underflow
    owner: np.ndarray  # (n_rows,) the topic whose row it is, -1 if it is free
    place: np.ndarray  # (size,) the row of a topic


class Workspace(NamedTuple):
    """What a sweep holds of the visited document."""

    document: Document
    exponent: Floats  # (size,) f_k(s)
    weight: Floats  # (size,) A_k, up to a common factor
    lifted: Floats  # (size,) f_k(h), where a row is steep
    slope: Floats  # (n_tasks,) factors in sums over tasks
    rows: Rows
    stay: Floats  # (size,) weight of a topic's token to stay, divided by C_kt - 1 + beta
    rest: Floats  # (size,) beta times the sum of W_jk over k
    version: (
        np.ndarray
    )  # (size,) version of the document for which W_j, stay and rest were computed
    share: Floats  # (size + LANES,) W_jk C_kt along the word's list, or W_jk (C_kt + beta)


def arrange_topics(eta: Floats, size: int) -> Topics:
    """Pad the weights to ``size`` topics."""
    n_tasks, n_topics = eta.shape
    padded, squared = aligned_zeros(2, n_tasks, size)
    padded[:, :n_topics] = eta
    padded[:, n_topics:] = eta[:, :1]
    squared[:] = padded**2
    return Topics(padded.reshape(-1), squared.reshape(-1), squared.max(axis=1))


def memory_of_rows(n_topics: int) -> dict[str, int]:
    """Return the size in bytes of what `empty_workspace` allocates, without its small arrays."""
    n_rows = min(n_topics, MOST_ROWS)
    return {f"three tables of {n_rows} rows and {n_topics} topics": 3 * 8 * n_rows * n_topics}


def empty_workspace(n_tasks: int, document: Document) -> Workspace:
    """Allocate what a sweep holds of one document."""
    size = document.alpha.size
    n_rows = max(1, min(size, MOST_ROWS))
    pull, lift, row_weight = aligned_zeros(3, n_rows * size)
    exponent, weight, lifted, stay, rest = aligned_zeros(5, size)
    return Workspace(
        document,
        exponent,
        weight,
        lifted,
        slope=np.zeros(n_tasks),
        rows=Rows(
            pull,
            lift,
            row_weight,
            steep=np.zeros(n_rows, np.bool_),
            owner=np.zeros(n_rows, np.int64),
            place=np.zeros(size, np.int64),
        ),
        stay=stay,
        rest=rest,
        version=np.zeros(size, np.int64),
        share=aligned_zeros(size + LANES),
    )
