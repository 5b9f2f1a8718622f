"""The Gaussian draw of the classifier weights, one task at a time.

Symbols: a, b the augmented loss (log factor b F - a F²/2), z̄_d = C_d / N_d.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import blas, lapack

from pymc_medlda._arrays import Floats
from pymc_medlda.kernels._jit import kernel
from pymc_medlda.kernels.counts import Present

# How many documents are converted to frequencies in float64 at a time: such a block stays in the
# processor's cache, and no float64 array of all documents times topics is needed.
BLOCK = 2048
# If a smaller share of the counts C_dk than this is not zero, adding the products of those costs
# less than BLAS on rows that are mostly zeros.
SPARSE = 0.35


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
    n_tasks, n_topics = mean.shape
    noise = rng.standard_normal((n_tasks, n_topics))
    linear = precision * mean
    if present.start[-1] < SPARSE * document_topic.size:
        by_topic = np.zeros((n_topics, n_topics, n_tasks))
        _accumulate_sparsely(*present, a, b, by_topic, linear)
        grams = np.ascontiguousarray(by_topic.transpose(2, 0, 1))
    else:
        grams = np.zeros((n_tasks, n_topics, n_topics))
        _accumulate_blocks(document_topic, a, b, grams, linear)
    draws = np.empty((n_tasks, n_topics))
    for i in range(n_tasks):
        draws[i] = _draw_gaussian(grams[i], precision[i], linear[i], noise[i])
    return draws


def _accumulate_blocks(
    document_topic: NDArray[np.integer], a: Floats, b: Floats, grams: Floats, linear: Floats
) -> None:
    """Add sum_d a_d z̄_d z̄_dᵀ and sum_d b_d z̄_d of every task, by BLAS on blocks of documents."""
    for first in range(0, document_topic.shape[0], BLOCK):
        rows = slice(first, first + BLOCK)
        length = document_topic[rows].sum(axis=1, keepdims=True)
        frequency = document_topic[rows] / np.maximum(length, 1)
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
            "the precision of the weights is not positive definite: check the prior's scale"
        )
    half = lapack.dtrtrs(factor, linear, lower=0, trans=1)[0]
    return np.asarray(lapack.dtrtrs(factor, half + noise, lower=0, trans=0)[0]).ravel()
