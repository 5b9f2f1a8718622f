"""The Gaussian draw of the classifier weights, one task at a time.

Symbols: a, b the augmented loss (log factor b F - a F²/2), z̄_d = C_d / N_d.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import blas, lapack

from pymc_medlda._arrays import Floats
from pymc_medlda._memory import check_fits
from pymc_medlda.kernels._jit import kernel
from pymc_medlda.kernels.checks import check_factors
from pymc_medlda.kernels.counts import Present
from pymc_medlda.kernels.occurring import mark_occurring, renumber
from pymc_medlda.kernels.weights_by_documents import costs_less, draw_by_documents

# How many documents are converted to frequencies in float64 at a time: such a block stays in the
# processor's cache, and no float64 array of all documents times topics is needed.
BLOCK = 2048
# If a smaller share of the counts C_dk than this is not zero, adding the products of those costs
# less than BLAS on rows that are mostly zeros.
SPARSE = 0.35
# Up to this number of topics it costs less to draw the weights of all of them together than to
# find those that do not occur.
ALL_TOGETHER = 64


def draw_weights(
    rng: np.random.Generator,
    document_topic: NDArray[np.integer],
    present: Present,
    a: Floats,
    b: Floats,
    *,
    mean: Floats,
    precision: Floats,
) -> Floats:
    r"""Draw the weights of every task from their Gaussian conditional (eqs. 12, 19 and 26).

    .. math:: \eta_i \sim N(P_i^{-1} q_i, P_i^{-1}), \quad
       P_i = \mathrm{diag}(\tau_i) + \sum_d a_{di} \bar z_d \bar z_d^\top, \quad
       q_i = \tau_i \mu_i + \sum_d b_{di} \bar z_d

    Topics that occur in no document with a label are independent of the others. If there are many
    topics they come straight from their prior, so that the cost depends on the topics that occur
    and not on K.

    Parameters
    ----------
    rng : numpy.random.Generator
    document_topic : (n_documents, n_topics) int array
        C_dk.
    present : Present
        The same, without its zeros.
    a, b : (n_documents, n_tasks) float array
        The augmented loss, the offset already in b.
    mean, precision : (n_tasks, n_topics) float array
        μ and τ = 1/ν² of the Normal prior.

    Returns
    -------
    (n_tasks, n_topics) float array
    """
    n_topics = mean.shape[1]
    _check_shapes(document_topic, a, b, mean, precision)
    occurs = np.full(n_topics, n_topics <= ALL_TOGETHER)
    n_occurring = mark_occurring(present.start, present.topic, a, b, precision, occurs)
    if n_occurring < 0:
        check_factors(a, b)
        raise np.linalg.LinAlgError(
            "the precision of the weights is not positive definite and finite: check the prior's "
            f"scale, whose precision 1/scale² is {precision.min():g} to {precision.max():g}"
        )
    noise = rng.standard_normal(mean.shape)
    if n_occurring == occurs.size:
        draws = _draw_occurring(rng, document_topic, present, a, b, mean, precision, noise)
        return _finite(draws, mean)
    draws = mean + noise / np.sqrt(precision)  # what no label knows of follows its prior
    topics = np.flatnonzero(occurs)
    if topics.size:
        prior = mean[:, topics], precision[:, topics], noise[:, topics]
        listed = renumber(present, topics, occurs.size)
        draws[:, topics] = _draw_occurring(rng, document_topic, listed, a, b, *prior, topics)
    return _finite(draws, mean)


def _check_shapes(
    document_topic: NDArray[np.integer], a: Floats, b: Floats, mean: Floats, precision: Floats
) -> None:
    """Raise unless the arrays belong together: kernels do not check where they read."""
    (n_documents, n_topics), n_tasks = document_topic.shape, mean.shape[0]
    if not (
        a.shape == b.shape == (n_documents, n_tasks)
        and mean.shape == precision.shape == (n_tasks, n_topics)
    ):
        raise ValueError(
            f"a and b must have shape {(n_documents, n_tasks)} and the prior of the weights "
            f"{(n_tasks, n_topics)}, got {a.shape}, {b.shape}, {mean.shape} and {precision.shape}"
        )


def _finite(draws: Floats, mean: Floats) -> Floats:
    """Return the weights, or raise if they are too large to be represented."""
    if not math.isfinite(draws.sum()):
        raise np.linalg.LinAlgError(
            "the weights are not finite: check the mean of their prior, which is up to "
            f"{np.abs(mean).max():g} in size, and its scale"
        )
    return draws


def _draw_occurring(
    rng: np.random.Generator,
    document_topic: NDArray[np.integer],
    present: Present,
    a: Floats,
    b: Floats,
    mean: Floats,
    precision: Floats,
    noise: Floats,
    topics: NDArray[np.intp] | None = None,
) -> Floats:
    """Draw the weights of topics that occur, by the quicker of two ways.

    ``topics`` holds the columns of ``document_topic`` that they have, None if all topics occur.
    ``present`` and the prior know no others.
    """
    n_tasks, n_topics = mean.shape
    if not costs_less(a, n_topics):
        return _draw_by_topics(document_topic, present, a, b, mean, precision, noise, topics)
    draws = np.empty((n_tasks, n_topics))
    for i in range(n_tasks):
        task = slice(i, i + 1)
        rows = np.flatnonzero(a[:, i])
        # What has a linear term alone moves the mean; there are few such documents, if any.
        others = np.flatnonzero((a[:, i] == 0.0) & (b[:, i] != 0.0))
        shift = b[others, i] @ _frequencies(document_topic, others, topics)
        drawn = draw_by_documents(
            _frequencies(document_topic, rows, topics),
            a[rows, i],
            b[rows, i],
            mean=mean[i] + shift / precision[i],
            precision=precision[i],
            noise=noise[i],
            document_noise=rng.standard_normal(rows.size),
        )
        if drawn is None:
            own = (a[:, task].copy(), b[:, task].copy())  # contiguous, as kernels are compiled for
            prior = mean[task], precision[task], noise[task]
            drawn = _draw_by_topics(document_topic, present, *own, *prior, topics)[0]
        draws[i] = drawn
    return draws


def _frequencies(
    document_topic: NDArray[np.integer], rows: Any, topics: NDArray[np.intp] | None
) -> Floats:
    """Return z̄ of some documents, and of some topics if there are others."""
    counts = document_topic[rows]
    length = counts.sum(axis=1, keepdims=True)
    if topics is not None:
        counts = counts[:, topics]
    return counts / np.maximum(length, 1)


def _draw_by_topics(
    document_topic: NDArray[np.integer],
    present: Present,
    a: Floats,
    b: Floats,
    mean: Floats,
    precision: Floats,
    noise: Floats,
    topics: NDArray[np.intp] | None,
) -> Floats:
    """Draw by a factorisation of the precision P of each task."""
    n_tasks, n_topics = mean.shape
    with np.errstate(over="ignore"):  # see `_finite`
        linear = precision * mean
    _check_memory(n_tasks, n_topics)
    if present.start[-1] < SPARSE * document_topic.shape[0] * n_topics:
        by_topic = np.zeros((n_topics, n_topics, n_tasks))
        _accumulate_sparsely(*present, a, b, by_topic, linear)
        grams = np.ascontiguousarray(by_topic.transpose(2, 0, 1))
    else:
        grams = np.zeros((n_tasks, n_topics, n_topics))
        _accumulate_blocks(document_topic, topics, a, b, grams, linear)
    draws = np.empty((n_tasks, n_topics))
    for i in range(n_tasks):
        draws[i] = _draw_gaussian(grams[i], precision[i], linear[i], noise[i])
    return draws


def _check_memory(n_tasks: int, n_topics: int) -> None:
    """Raise unless the tables of the topics that occur fit into memory, two at a time."""
    size = 2 * 8 * n_tasks * n_topics**2
    if size > 10**8:  # otherwise there is no need to ask
        check_fits("n_topics", n_topics, {f"the precision of {n_tasks} x {n_topics} weights": size})


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
        frequency = _frequencies(document_topic, rows, topics)
        linear += b[rows].T @ frequency
        for i in range(a.shape[1]):
            root = np.sqrt(a[rows, i])
            _add_gram(grams[i], frequency * root[:, None])


@kernel
def _accumulate_sparsely(
    start: np.ndarray,
    topic: np.ndarray,
    count: np.ndarray,
    a: np.ndarray,
    b: np.ndarray,
    grams: np.ndarray,
    linear: np.ndarray,
) -> None:
    """Add the same sums, pair by pair of the topics that occur, to the same triangle.

    ``grams`` is (topics, topics, tasks): a pair's entries for all tasks are next to each other.
    """
    n_tasks, n_topics = linear.shape
    flat = grams.reshape(-1)  # one index is cheaper to compute than three
    frequency = np.empty(n_topics)
    for d in range(start.size - 1):
        labelled = False
        for i in range(n_tasks):
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
            if n_tasks == 1:  # saves the inner loops
                linear[0, k] += b[d, 0] * frequency[p]
                scaled = a[d, 0] * frequency[p]
                for q in range(p + 1):
                    flat[k * n_topics + topic[first + q]] += scaled * frequency[q]
            else:
                for i in range(n_tasks):
                    linear[i, k] += b[d, i] * frequency[p]
                for q in range(p + 1):
                    product = frequency[p] * frequency[q]
                    at = (k * n_topics + topic[first + q]) * n_tasks
                    for i in range(n_tasks):
                        flat[at + i] += a[d, i] * product


def _add_gram(gram: Floats, rows: Floats) -> None:
    """Add rowsᵀ·rows to the upper triangle (Fortran order) of ``gram``."""
    blas.dsyrk(1.0, rows.T, beta=1.0, c=gram.T, overwrite_c=1)


def _draw_gaussian(gram: Floats, precision: Floats, linear: Floats, noise: Floats) -> Floats:
    """Draw from N(P⁻¹ q, P⁻¹) with P = gram + diag(precision): UᵀU = P, η = U⁻¹ (U⁻ᵀ q + ε)."""
    gram.ravel()[:: precision.size + 1] += precision
    factor, info = lapack.dpotrf(gram.T, lower=0, overwrite_a=1)
    if info != 0:
        raise np.linalg.LinAlgError(
            "the precision of the weights is not positive definite in floating point: check the "
            "prior's scale, and the size of the loss"
        )
    half = lapack.dtrtrs(factor, linear, lower=0, trans=1)[0]
    return np.asarray(lapack.dtrtrs(factor, half + noise, lower=0, trans=0)[0]).ravel()
