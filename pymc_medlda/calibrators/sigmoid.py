"""A sigmoid for two classes or one label."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from pymc_medlda._arrays import Floats

MOST_STEPS = 100
SETTLED = 1e-10


class Sigmoid(NamedTuple):
    """The log odds of a label are ``slope`` * F + ``intercept``."""

    slope: float
    intercept: float

    def log_odds(self, discriminant: Floats) -> Floats:
        """Return the log odds of the label."""
        return self.slope * discriminant + self.intercept


def fit_sigmoid(discriminant: Floats, positive: NDArray[np.bool_]) -> Sigmoid:
    """Fit a sigmoid by Newton's method, with the smoothed targets of Platt (1999).

    A positive document has the target (n₊ + 1)/(n₊ + 2) instead of 1 and a negative one
    1/(n₋ + 2) instead of 0, so that the slope stays finite if the classes are separated. A slope
    below zero would turn the decisions around: it is replaced by zero, and the probability is then
    the share of the positive documents.

    Parameters
    ----------
    discriminant : (n_documents,) float array
        Out-of-fold discriminants.
    positive : (n_documents,) bool array

    Examples
    --------
    >>> import numpy as np
    >>> F = np.linspace(-2, 2, 1000)
    >>> fitted = fit_sigmoid(F, np.random.default_rng(0).random(1000) < 1 / (1 + np.exp(-3 * F)))
    >>> bool(abs(fitted.slope - 3) < 0.5), bool(abs(fitted.intercept) < 0.3)
    (True, True)
    """
    n_positive = int(positive.sum())
    n_negative = positive.size - n_positive
    target = np.where(positive, (n_positive + 1.0) / (n_positive + 2.0), 1.0 / (n_negative + 2.0))
    constant = Sigmoid(0.0, float(logit(target.mean())) if target.size else 0.0)
    centre, scale = (discriminant.mean(), discriminant.std()) if target.size else (0.0, 0.0)
    if not scale > 0.0:
        return constant
    slope, level = _newton((discriminant - centre) / scale, target, constant.intercept)
    if slope <= 0.0:
        return constant
    return Sigmoid(slope / scale, level - slope * centre / scale)


def _newton(x: Floats, target: Floats, level: float) -> tuple[float, float]:
    """Minimise the cross entropy of a sigmoid; x has mean 0 and variance 1."""
    design = np.stack([x, np.ones_like(x)], axis=1)
    parameters = np.array([0.0, level])
    cost = _cross_entropy(design @ parameters, target)
    for _ in range(MOST_STEPS):
        chance = expit(design @ parameters)
        gradient = design.T @ (chance - target)
        # The ridge keeps the matrix invertible where all chances are 0 or 1 in rounding.
        curvature = (design * (chance * (1.0 - chance))[:, None]).T @ design + 1e-9 * np.eye(2)
        step = np.linalg.solve(curvature, gradient)
        length = 1.0
        while True:
            new = parameters - length * step
            new_cost = _cross_entropy(design @ new, target)
            if new_cost <= cost or length < SETTLED:
                break
            length /= 2.0
        settled = cost - new_cost <= SETTLED * (1.0 + cost)
        parameters, cost = new, new_cost
        if settled:
            break
    return float(parameters[0]), float(parameters[1])


def _cross_entropy(log_odds: Floats, target: Floats) -> float:
    return float((np.logaddexp(0.0, log_odds) - target * log_odds).sum())
