"""The Gaussian draw of the classifier weights, one task at a time.

Symbols: a, b the augmented loss (log factor b F - a F²/2), z̄_d = C_d / N_d.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import blas, lapack

Floats = NDArray[np.float64]

# Documents whose frequencies are unfolded to floats at a time: the block stays in the cache, and
# nothing of size documents x topics is formed in float64.
BLOCK = 2048


def draw_weights(
    rng: np.random.Generator,
    document_topic: NDArray[np.integer],
    a: Floats,
    b: Floats,
    *,
    mean: Floats,
    precision: Floats,
) -> Floats:
    r"""Draw the weights of every task from their Gaussian conditional (eqs. 6, 16 and 22).

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
    for first in range(0, document_topic.shape[0], BLOCK):
        rows = slice(first, first + BLOCK)
        length = document_topic[rows].sum(axis=1, keepdims=True)
        frequency = document_topic[rows] / np.maximum(length, 1)
        linear += b[rows].T @ frequency
        for i in range(n_tasks):
            root = np.sqrt(a[rows, i])
            _add_gram(grams[i], frequency * root[:, None])
    draws = np.empty((n_tasks, n_topics))
    for i in range(n_tasks):
        draws[i] = _draw_gaussian(grams[i], precision[i], linear[i], noise[i])
    return draws


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
