"""Several classes: a softmax of the discriminants, with a temperature and a curvature."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_softmax, softmax

from pymc_medlda._arrays import Floats

CURVATURES = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0)
"""Candidates, in units of one over the spread of the discriminants."""
NEEDED = 2.0
"""A curvature must raise the log likelihood by this much, or there is none."""
MOST_STEPS = 60
LARGEST_EXPONENT = 50.0


class Softmax(NamedTuple):
    r"""Probabilities are softmax(u(F) / temperature).

    .. math:: u(F) = (1 - e^{-\kappa F}) / \kappa

    with the curvature κ; u(F) = F if it is zero. The hinge loss does not ask for more than its
    margin, so a discriminant far above zero says little more than one that is above zero, while
    differences below zero keep their meaning.
    """

    temperature: float
    curvature: float

    def probabilities(self, discriminant: Floats) -> Floats:
        """Return the probabilities of classes, (..., n_classes)."""
        chances: Floats = softmax(bend(discriminant, self.curvature) / self.temperature, axis=-1)
        return chances


def bend(discriminant: Floats, curvature: float) -> Floats:
    """Return u(F), which grows with F and is not convex."""
    if curvature == 0.0:
        return discriminant
    # Far below zero u continues as its tangent, so that it stays finite and keeps the order.
    bound = -LARGEST_EXPONENT / curvature
    inside = np.maximum(discriminant, bound)
    slope = np.exp(LARGEST_EXPONENT)
    beyond = np.minimum(discriminant - bound, 0.0)
    return -np.expm1(-curvature * inside) / curvature + slope * beyond


def fit_softmax(discriminant: Floats, target: NDArray[np.intp]) -> Softmax:
    """Return the softmax of the largest likelihood; its temperature is infinite if F does not help.

    The target of a document is its class with the weight n/(n + L) and the uniform distribution
    with the rest, for n documents and L classes. So the temperature stays above zero if the classes
    are separated perfectly.

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
    >>> fitted = fit_softmax(F, y)
    >>> round(1 / fitted.temperature, 2), fitted.curvature
    (1.09, 0.0)
    """
    spread = float(discriminant.std()) if discriminant.size else 0.0
    if not spread > 0.0:
        return Softmax(np.inf, 0.0)
    best, least = Softmax(np.inf, 0.0), np.inf
    for candidate in CURVATURES:
        curvature = candidate / spread
        temperature, cost = _fit_temperature(bend(discriminant, curvature), target)
        if cost < least - (NEEDED if candidate and not best.curvature else 0.0):
            best, least = Softmax(temperature, curvature), cost
    return best


def _fit_temperature(u: Floats, target: NDArray[np.intp]) -> tuple[float, float]:
    """Return the best temperature of softmax(u / temperature), and its cross entropy.

    The cross entropy is convex in the inverse temperature b: Newton's method finds the root of its
    derivative, and bisection takes over where a step leaves the interval that holds it.
    """
    n, n_classes = u.shape
    x = u - u.max(axis=1, keepdims=True)
    scale = float(x.std())
    x = x / scale
    weight = n / (n + n_classes)
    own = x[np.arange(n), target]
    reached = weight * own.sum() + (1.0 - weight) * x.mean(axis=1).sum()

    def derivatives(b: float) -> tuple[float, float]:
        p = softmax(b * x, axis=1)
        mean = (p * x).sum(axis=1)
        return float(mean.sum() - reached), float(((p * x * x).sum(axis=1) - mean**2).sum())

    first, second = derivatives(0.0)
    if first >= 0.0:
        return np.inf, n * float(np.log(n_classes))
    low, high, b = 0.0, np.inf, 0.0
    for _ in range(MOST_STEPS):
        low, high = (b, high) if first < 0.0 else (low, b)
        step = b - first / second if second > 0.0 else np.inf
        inside = low < step < min(high, 4.0 * low + 4.0)
        new = step if inside else (0.5 * (low + high) if high < np.inf else 4.0 * low + 4.0)
        settled = abs(new - b) <= 1e-10 * new
        b = new
        if settled:
            break
        first, second = derivatives(b)
    log_p = log_softmax(b * x, axis=1)
    cost = weight * log_p[np.arange(n), target].sum() + (1.0 - weight) * log_p.mean(axis=1).sum()
    return scale / b, -float(cost)
