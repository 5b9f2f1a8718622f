"""The topics that occur in documents with labels: only these have weights that labels know of."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pymc_medlda.kernels._jit import kernel
from pymc_medlda.kernels.checks import LARGEST
from pymc_medlda.kernels.counts import Present


@kernel
def mark_occurring(
    start: np.ndarray,
    topic: np.ndarray,
    a: np.ndarray,
    b: np.ndarray,
    precision: np.ndarray,
    occurs: np.ndarray,
) -> int:
    """Mark the topics of documents that carry a label; return how many topics are marked.

    Returns -1 if a, b or the precision is out of range. It reads a and b in any case, and topics
    only until all are marked, which is usually after a few documents.
    """
    n_occurring, wrong = occurs.sum(), False
    for i in range(precision.shape[0]):
        for k in range(precision.shape[1]):
            wrong |= not 0.0 < precision[i, k] < np.inf
    for d in range(start.size - 1):
        labelled = False
        for i in range(a.shape[1]):
            # `and` would be a branch
            wrong |= not ((a[d, i] >= 0.0) & (a[d, i] <= LARGEST) & (abs(b[d, i]) <= LARGEST))
            labelled |= (a[d, i] != 0.0) | (b[d, i] != 0.0)
        if labelled and n_occurring < occurs.size:
            for e in range(start[d], start[d + 1]):
                n_occurring += not occurs[topic[e]]
                occurs[topic[e]] = True
    return -1 if wrong else n_occurring


def renumber(present: Present, topics: NDArray[np.intp], n_topics: int) -> Present:
    """Give the topics that occur the numbers 0, 1, ...

    Other topics are only in documents without labels, which add zeros wherever their number points.
    """
    number = np.zeros(n_topics, np.int32)
    number[topics] = np.arange(topics.size)
    n_entries = present.start[-1]
    return Present(present.start, number[present.topic[:n_entries]], present.n_tokens)
