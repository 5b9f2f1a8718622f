"""The Gaussian draw of the weights by a dense factorisation of their precision P.

Symbols: a, b the augmented loss (log factor b F - a F²/2), z̄_d = C_d / N_d.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import blas, lapack

from pymc_medlda._arrays import Floats
from pymc_medlda._memory import check_fits
from pymc_medlda.kernels._jit import kernel
from pymc_medlda.kernels.adding import add_scaled, padded
from pymc_medlda.kernels.counts import Present
from pymc_medlda.kernels.grams import accumulate_densely

# How many documents are converted to frequencies in float64 at a time: such a block stays in the
# processor's cache, and no float64 array of all documents times topics is needed.
BLOCK = 2048
# If a smaller share of the counts C_dk than this is not zero, adding the products of those costs
# less than BLAS on rows that are mostly zeros.
SPARSE = 0.35
# One task and so many topics: if a greater share of the counts than this is not zero, adding the
# products of all costs less than either.
DENSE = 0.2
LEAST_DENSE, MOST_DENSE = 8, 64


def is_sparse(document_topic: NDArray[np.integer], present: Present, n_topics: int) -> bool:
    """Say whether few of the counts of these topics are not zero."""
    return bool(present.start[-1] < SPARSE * document_topic.shape[0] * n_topics)


def prefers_dense(document_topic: NDArray[np.integer], present: Present, n_tasks: int) -> bool:
    """Say whether `accumulate_densely` is the quickest way."""
    n_documents, n_topics = document_topic.shape
    if n_tasks > 1 or not LEAST_DENSE <= n_topics <= MOST_DENSE:
        return False
    return bool(present.start[-1] >= DENSE * n_documents * n_topics)


def draw_by_topics(
    document_topic: NDArray[np.integer],
    present: Present,
    a: Floats,
    b: Floats,
    mean: Floats,
    precision: Floats,
    noise: Floats,
    topics: NDArray[np.intp] | None,
) -> Floats:
    """Draw the weights of every task: UᵀU = P, η = U⁻¹ (U⁻ᵀ q + ε).

    ``topics`` holds the columns of ``document_topic`` that the weights have, None if they have all.
    ``present`` and the prior know no others.
    """
    n_tasks, n_topics = mean.shape
    with np.errstate(over="ignore"):  # the caller asks whether the weights are finite
        linear = precision * mean
    grams = sum_products(document_topic, present, a, b, linear, topics)
    draws = np.empty((n_tasks, n_topics))
    for i in range(n_tasks):
        draws[i] = draw_gaussian(grams[i], precision[i], linear[i], noise[i])
    return draws


def sum_products(
    document_topic: NDArray[np.integer],
    present: Present,
    a: Floats,
    b: Floats,
    linear: Floats,
    topics: NDArray[np.intp] | None = None,
) -> Floats:
    """Return sum_d a_d z̄_d z̄_dᵀ of every task, and add sum_d b_d z̄_d to ``linear``.

    One triangle of the products is filled, the one that `draw_gaussian` reads. ``topics`` is that
    of `draw_by_topics`.
    """
    n_tasks, n_topics = linear.shape
    check_memory(n_tasks, n_topics)
    densely = topics is None and prefers_dense(document_topic, present, n_tasks)
    if densely or is_sparse(document_topic, present, n_topics):
        return _accumulate_in_lanes(document_topic, present, a, b, linear, densely)
    grams = np.zeros((n_tasks, n_topics, n_topics))
    _accumulate_blocks(document_topic, topics, a, b, grams, linear)
    return grams


def _accumulate_in_lanes(
    document_topic: NDArray[np.integer],
    present: Present,
    a: Floats,
    b: Floats,
    linear: Floats,
    densely: bool,
) -> Floats:
    """Return sum_d a_d z̄_d z̄_dᵀ of every task, and add sum_d b_d z̄_d to ``linear``."""
    n_tasks, n_topics = linear.shape
    n_rows = padded(n_topics) if densely else n_topics
    grams = np.zeros((n_rows, n_rows, padded(n_tasks) if n_tasks > 1 else 1))
    own = np.zeros((n_tasks, n_rows))
    own[:, :n_topics] = linear
    accumulate(document_topic, *present, a, b, grams, own, densely)
    linear[:] = own[:, :n_topics]
    return np.ascontiguousarray(grams[:n_topics, :n_topics, :n_tasks].transpose(2, 0, 1))


def check_memory(n_tasks: int, n_topics: int) -> None:
    """Raise unless the tables of the topics that occur fit into memory, two at a time."""
    size = 2 * 8 * n_tasks * n_topics**2
    if size > 10**8:  # smaller arrays always fit
        check_fits("n_topics", n_topics, {f"the precision of {n_tasks} x {n_topics} weights": size})


def frequencies(
    document_topic: NDArray[np.integer], rows: Any, topics: NDArray[np.intp] | None
) -> Floats:
    """Return z̄ of some documents, and of some topics if there are others."""
    counts = document_topic[rows]
    length = counts.sum(axis=1, keepdims=True)
    if topics is not None:
        counts = counts[:, topics]
    return counts / np.maximum(length, 1)


def _accumulate_blocks(
    document_topic: NDArray[np.integer],
    topics: NDArray[np.intp] | None,
    a: Floats,
    b: Floats,
    grams: Floats,
    linear: Floats,
) -> None:
    """Add sum_d a_d z̄_d z̄_dᵀ and sum_d b_d z̄_d of every task, by BLAS on blocks of documents."""
    for first in range(0, document_topic.shape[0], BLOCK):
        rows = slice(first, first + BLOCK)
        frequency = frequencies(document_topic, rows, topics)
        linear += b[rows].T @ frequency
        for i in range(a.shape[1]):
            root = np.sqrt(a[rows, i])
            _add_gram(grams[i], frequency * root[:, None])


def _add_gram(gram: Floats, rows: Floats) -> None:
    """Add rowsᵀ·rows to the upper triangle (Fortran order) of ``gram``."""
    blas.dsyrk(1.0, rows.T, beta=1.0, c=gram.T, overwrite_c=1)


@kernel
def _add_to_one_task(
    start: np.ndarray,
    topic: np.ndarray,
    count: np.ndarray,
    a: np.ndarray,
    b: np.ndarray,
    grams: np.ndarray,
    linear: np.ndarray,
) -> None:
    """Add them for one task; ``grams`` is (topics, topics, 1)."""
    n_topics = linear.shape[1]
    flat = grams.reshape(-1)  # one index is cheaper to compute than three
    frequency = np.empty(n_topics)
    for d in range(start.size - 1):
        # Otherwise it adds zeros, and may hold topics that are not among those of `linear`.
        if a[d, 0] != 0.0 or b[d, 0] != 0.0:
            first, last = start[d], start[d + 1]
            length = 0
            for e in range(first, last):
                length += count[e]
            share = 1.0 / max(length, 1)
            for p in range(last - first):
                k = topic[first + p]
                frequency[p] = count[first + p] * share
                linear[0, k] += b[d, 0] * frequency[p]
                scaled = a[d, 0] * frequency[p]
                for q in range(p + 1):
                    flat[k * n_topics + topic[first + q]] += scaled * frequency[q]


@kernel
def _add_to_tasks(
    start: np.ndarray,
    topic: np.ndarray,
    count: np.ndarray,
    a: np.ndarray,
    b: np.ndarray,
    grams: np.ndarray,
    linear: np.ndarray,
) -> None:
    """Add them for several tasks, padded to a multiple of eight in ``grams``."""
    n_tasks, n_topics = linear.shape
    width = grams.shape[2]
    flat = grams.reshape(-1)
    own_a, own_b, frequency = np.zeros(width), np.zeros(width), np.empty(n_topics)
    by_topic = np.zeros(n_topics * width)
    for i in range(n_tasks):
        for k in range(n_topics):
            by_topic[k * width + i] = linear[i, k]
    for d in range(start.size - 1):
        labelled = False
        for i in range(n_tasks):
            own_a[i], own_b[i] = a[d, i], b[d, i]
            labelled |= (a[d, i] != 0.0) | (b[d, i] != 0.0)
        if not labelled:  # adds zeros, and may hold topics that are not among those of `linear`
            continue
        first, last = start[d], start[d + 1]
        length = 0
        for e in range(first, last):
            length += count[e]
        share = 1.0 / max(length, 1)
        for p in range(last - first):
            k = topic[first + p]
            frequency[p] = count[first + p] * share
            add_scaled(own_b, 0, frequency[p], by_topic, k * width, width)
            for q in range(p + 1):
                product = frequency[p] * frequency[q]
                at = (k * n_topics + topic[first + q]) * width
                add_scaled(own_a, 0, product, flat, at, width)
    for i in range(n_tasks):
        for k in range(n_topics):
            linear[i, k] = by_topic[k * width + i]


@kernel
def accumulate(
    document_topic: np.ndarray,
    start: np.ndarray,
    topic: np.ndarray,
    count: np.ndarray,
    a: np.ndarray,
    b: np.ndarray,
    grams: np.ndarray,
    linear: np.ndarray,
    densely: bool,
) -> None:
    """Add the same sums, pair by pair of all topics or of those that occur, to one triangle.

    ``grams`` is (topics, topics, tasks): a pair's entries for all tasks are next to each other. All
    ways are one kernel, so that a chain finds compiled whatever its documents need.
    """
    if densely:
        accumulate_densely(document_topic, a, b, grams, linear)
    elif linear.shape[0] == 1:  # saves the inner loops
        _add_to_one_task(start, topic, count, a, b, grams, linear)
    else:
        _add_to_tasks(start, topic, count, a, b, grams, linear)


def draw_gaussian(gram: Floats, precision: Floats, linear: Floats, noise: Floats) -> Floats:
    """Draw from N(P⁻¹ q, P⁻¹) with P = gram + diag(precision): UᵀU = P, η = U⁻¹ (U⁻ᵀ q + ε)."""
    gram.ravel()[:: precision.size + 1] += precision
    factor, info = lapack.dpotrf(gram.T, lower=0, overwrite_a=1)
    if info != 0:
        raise not_positive_definite()
    half = lapack.dtrtrs(factor, linear, lower=0, trans=1)[0]
    return np.asarray(lapack.dtrtrs(factor, half + noise, lower=0, trans=0)[0]).ravel()


def not_positive_definite() -> np.linalg.LinAlgError:
    """Return the error for a precision that rounding errors have made singular."""
    return np.linalg.LinAlgError(
        "the precision of the weights is not positive definite in floating point: check the "
        "prior's scale, and the size of the loss"
    )
