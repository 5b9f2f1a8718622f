"""The Gaussian draw of the weights where fewer documents than topics carry labels.

Symbols: n documents with a > 0, K topics; Z the topic frequencies (n, K), A and T the diagonal
matrices of a and of the prior's precision τ.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import blas, lapack

from pymc_medlda._arrays import Floats

# With fewer topics than this, the factorisation of the K × K precision takes less than a
# millisecond, and the draw stays what it is for all ordinary corpora.
MANY_TOPICS = 256
# The smallest reciprocal condition number at which the solution is trusted: half of the digits.
SMALLEST_RECIPROCAL = 1e-8


def costs_less(a: Floats, n_topics: int) -> bool:
    """Say whether n² K + n³/3 operations are fewer than the K³/3 of a factorisation of P."""
    if n_topics < MANY_TOPICS:
        return False
    n, k = float(np.count_nonzero(a.any(axis=1))), float(n_topics)
    return n**2 * k + n**3 / 3.0 < k**3 / 3.0


def draw_by_documents(
    frequency: Floats,
    a: Floats,
    b: Floats,
    *,
    mean: Floats,
    precision: Floats,
    noise: Floats,
    document_noise: Floats,
) -> Floats | None:
    r"""Draw the weights of one task by a system of n equations instead of K.

    .. math:: \eta = h + T^{-1} Z^\top S^{-1} \big(A^{-1} b - Z h - A^{-1/2} \delta\big), \quad
       h = \mu + T^{-1/2} \epsilon, \quad S = A^{-1} + Z T^{-1} Z^\top

    with ε and δ standard normal. By Woodbury's identity this has the mean
    :math:`P^{-1} (T \mu + Z^\top b)` and the covariance :math:`P^{-1}` of
    :math:`P = T + Z^\top A Z` (Bhattacharya, Chakraborty and Mallick 2016, for a general b). The
    linear term enters as the target b/a of a discriminant: if it were added to h, nearly all of
    its digits would cancel where a is large.

    Parameters
    ----------
    frequency : (n, n_topics) float array
        z̄ of the documents with a > 0.
    a, b : (n,) float array
    mean, precision, noise : (n_topics,) float array
        μ, τ and ε. What has a linear term but no quadratic one is part of the mean.
    document_noise : (n,) float array
        δ.

    Returns
    -------
    (n_topics,) float array or None
        None if rounding errors would matter: S is nearly singular or too large for a float.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        start = mean + noise / np.sqrt(precision)
        if a.size == 0:
            return start
        system = blas.dsyrk(1.0, frequency / np.sqrt(precision))  # the upper triangle
        target = b / a - frequency @ start - document_noise / np.sqrt(a)
        # Documents of very different a are made comparable, so that S has a diagonal of ones:
        # errors then depend only on how different the topics of the documents are.
        scale = 1.0 / np.sqrt(system.diagonal() + 1.0 / a)
        system *= scale[:, None] * scale
        target *= scale
    if not (np.isfinite(target).all() and (scale > 0.0).all()):
        return None
    np.fill_diagonal(system, 1.0)
    norm = (system.sum(axis=0) + system.sum(axis=1) - 1.0).max()  # no entry is negative
    factor, info = lapack.dpotrf(system, lower=0)
    if info != 0 or lapack.dpocon(factor, norm)[0] < SMALLEST_RECIPROCAL:
        return None
    solution = scale * lapack.dpotrs(factor, target, lower=0)[0].ravel()
    drawn = start + (frequency.T @ solution) / precision
    return drawn if np.isfinite(drawn).all() else None
