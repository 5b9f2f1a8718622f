"""A temperature for several classes: probabilities are softmax(F / temperature)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import softmax

from pymc_medlda._arrays import Floats

COLDEST = 1e-12


def fit_temperature(discriminant: Floats, target: NDArray[np.intp]) -> float:
    """Return the temperature of the largest likelihood, infinite if no discriminant helps.

    The target of a document is its class with the weight n/(n + L) and the uniform distribution
    with the rest, for n documents and L classes. So the temperature stays above zero if the classes
    are separated perfectly. The cross entropy is convex in the inverse temperature b, and b is the
    root of its derivative.

    Parameters
    ----------
    discriminant : (n_documents, n_classes) float array
        Out-of-fold discriminants.
    target : (n_documents,) int array
        The position of the class of each document.

    Examples
    --------
    >>> import numpy as np
    >>> F = np.array([[1.0, 0.0], [1.0, 0.0], [1.0, 0.0], [0.0, 1.0]] * 100)
    >>> y = np.array([0, 0, 1, 1] * 100)  # three in four are right, and log(3) is 1.0986
    >>> round(1 / fit_temperature(F, y), 2)
    1.09
    """
    n, n_classes = discriminant.shape
    centred = discriminant - discriminant.max(axis=1, keepdims=True) if n else discriminant
    scale = float(centred.std()) if n else 0.0
    if not scale > 0.0:
        return np.inf
    x = centred / scale
    weight = n / (n + n_classes)
    reached = weight * x[np.arange(n), target].sum() + (1.0 - weight) * x.mean(axis=1).sum()

    def derivative(b: float) -> float:
        return float((softmax(b * x, axis=1) * x).sum() - reached)

    if derivative(0.0) >= 0.0:
        return np.inf
    high = 1.0
    while derivative(high) < 0.0 and high < 1.0 / COLDEST:
        high *= 2.0
    return scale / float(brentq(derivative, 0.0, high, xtol=1e-10 * high))


def chances_of_classes(discriminant: Floats, temperature: float) -> Floats:
    """Return the probabilities of classes, (..., n_classes)."""
    chances: Floats = softmax(discriminant / temperature, axis=-1)
    return chances
