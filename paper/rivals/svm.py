"""The support vector machines inside max-margin topic models, solved by liblinear.

liblinear returns the weights, but MedLDA also needs the dual variables μ. They follow from the
conditions of optimality: μ is at a bound wherever the loss has a slope, and the few documents that
sit on the margin share what is left, so that the weights are the sum of μ times the features.
"""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import lsq_linear
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC, LinearSVR

from pymc_medlda._arrays import Floats

TOLERANCE = 1e-4
SOLVER: dict[str, Any] = {
    "dual": True,
    "fit_intercept": False,
    "tol": TOLERANCE,
    "max_iter": 20_000,
    "random_state": 0,
}
# Documents this close to the margin, in units of it, may have any μ between the bounds.
ON_THE_MARGIN = 20 * TOLERANCE


class Solution(NamedTuple):
    """The weights of one machine, and how strongly each document pulls at them."""

    weights: Floats  # (n_features,), the sum of pull times features
    pull: Floats  # (n_documents,), y μ for labels, μ - μ* for real values


def solve_hinge(features: Floats, y: Floats, *, c: float, margin: float) -> Solution:
    """Minimise |κ|²/2 + 2c Σ max(0, margin - y κ·x), with y = ±1; return κ and y μ."""
    if not (c > 0.0 and abs(y.sum()) < y.size):  # one class only: any large offset will do
        constant = np.zeros(features.shape[1]) if c == 0.0 else np.full(features.shape[1], y[0])
        return Solution(constant * margin, np.zeros(y.size))
    # With κ = margin w, this is the machine with margin 1 and C = 2c / margin.
    cost = 2.0 * c / margin
    machine = LinearSVC(**SOLVER, C=cost, loss="hinge")
    weights = _fit(machine, features, y)
    slack = 1.0 - y * (features @ weights)
    pull = y * cost * (slack > 0.0)
    free = np.abs(slack) < ON_THE_MARGIN
    pull = _share(features, weights, pull, free, np.minimum(0.0, cost * y), cost * np.abs(y))
    return Solution(margin * weights, margin * pull)


def solve_tube(features: Floats, y: Floats, *, c: float, epsilon: float) -> Solution:
    """Minimise |κ|²/2 + 2c Σ max(0, |y - κ·x| - epsilon); return κ and μ - μ*."""
    cost = 2.0 * c
    if cost == 0.0:
        return Solution(np.zeros(features.shape[1]), np.zeros(y.size))
    machine = LinearSVR(**SOLVER, C=cost, epsilon=epsilon)
    weights = _fit(machine, features, y)
    error = y - features @ weights
    pull = cost * np.sign(error) * (np.abs(error) > epsilon)
    free = np.abs(np.abs(error) - epsilon) < ON_THE_MARGIN * max(epsilon, y.std())
    sign = np.sign(error)
    return Solution(
        weights,
        _share(features, weights, pull, free, np.minimum(0.0, cost * sign), cost * np.abs(sign)),
    )


def _fit(machine: LinearSVC | LinearSVR, features: Floats, y: Floats) -> Floats:
    """Return the weights of a fitted machine; one that stops early is close enough."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return np.ravel(machine.fit(features, y).coef_)


def _share(
    features: Floats, weights: Floats, pull: Floats, free: Floats, low: Floats, size: Floats
) -> Floats:
    """Give the free documents a pull between their bounds, such that all pulls make the weights.

    The bounds are ``low`` and ``low + size``.
    """
    if not free.any():
        return pull
    rest = weights - features[~free].T @ pull[~free]
    # A bound of width zero is refused by the solver.
    upper = low[free] + np.maximum(size[free], 1e-12)
    pull = pull.copy()
    pull[free] = lsq_linear(features[free].T, rest, bounds=(low[free], upper)).x
    return pull
