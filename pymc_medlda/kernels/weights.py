"""The Gaussian draw of the classifier weights, one task at a time.

Symbols: a, b the augmented loss (log factor b F - a F²/2), z̄_d = C_d / N_d.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import blas, lapack

from pymc_medlda.kernels._jit import kernel

Floats = NDArray[np.float64]

# Documents whose frequencies are unfolded to floats at a time: the block stays in the cache, and
# nothing of size documents x topics is formed in float64.
BLOCK = 2048
# With more topics than this, documents hold few of them, and the products of those that are there
# cost less than BLAS on rows of zeros.
MANY_TOPICS = 128


def draw_weights(
    rng: np.random.Generator,
    document_topic: NDArray[np.integer],
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
    grams = np.zeros((n_tasks, n_topics, n_topics), order="C")
    linear = precision * mean
    if n_topics > MANY_TOPICS:
        _accumulate_sparsely(document_topic, a, b, grams, linear)
    else:
        _accumulate_blocks(document_topic, a, b, grams, linear)
    draws = np.empty((n_tasks, n_topics))
    for i in range(n_tasks):
        draws[i] = _draw_gaussian(grams[i], precision[i], linear[i], noise[i])
    return draws


def _accumulate_blocks(
    document_topic: NDArray[np.integer], a: Floats, b: Floats, grams: Floats, linear: Floats
) -> None:
    """Add sum_d a_d z̄_d z̄_d' and sum_d b_d z̄_d of every task, by BLAS on blocks of documents."""
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
    document_topic: np.ndarray, a: np.ndarray, b: np.ndarray, grams: np.ndarray, linear: np.ndarray
) -> None:
    """Add the same sums from the topics that occur, pair by pair, to the same triangle."""
    n_documents, n_topics = document_topic.shape
    present = np.empty(n_topics, np.int64)
    frequency = np.empty(n_topics)
    for d in range(n_documents):
        n_present, length = 0, 0
        for k in range(n_topics):
            present[n_present] = k
            n_present += document_topic[d, k] > 0
            length += document_topic[d, k]
            if n_present == n_topics:
                break
        for p in range(n_present):
            frequency[p] = document_topic[d, present[p]] / length
        for i in range(a.shape[1]):
            for p in range(n_present):
                linear[i, present[p]] += b[d, i] * frequency[p]
                scaled = a[d, i] * frequency[p]
                for q in range(p + 1):
                    grams[i, present[p], present[q]] += scaled * frequency[q]


def _add_gram(gram: Floats, rows: Floats) -> None:
    """Add rows' rows to the upper triangle (in Fortran's eyes) of ``gram``."""
    blas.dsyrk(1.0, rows.T, beta=1.0, c=gram.T, overwrite_c=1)


def _draw_gaussian(gram: Floats, precision: Floats, linear: Floats, noise: Floats) -> Floats:
    """Draw from N(P⁻¹ q, P⁻¹) with P = gram + diag(precision): U'U = P, η = U⁻¹ (U'⁻¹ q + ε)."""
    matrix = gram.T
    matrix[np.diag_indices(precision.size)] += precision
    factor, info = lapack.dpotrf(matrix, lower=0, overwrite_a=1)
    if info != 0:
        raise np.linalg.LinAlgError(
            "the precision of the weights is not positive definite: check the prior's scale"
        )
    half = lapack.dtrtrs(factor, linear, lower=0, trans=1)[0]
    return np.asarray(lapack.dtrtrs(factor, half + noise, lower=0, trans=0)[0]).ravel()
