"""The support vector machines inside max-margin topic models, by liblinear's dual algorithm.

MedLDA needs the dual variables μ of its machines. scikit-learn's LinearSVC and LinearSVR do not
return them, so their algorithm stands here once more: coordinate descent in the dual problem
(Hsieh, Chang, Lin, Keerthi and Sundararajan, 2008; Ho and Lin, 2012). The tests compare with them.
A machine may start from the dual variables of an earlier one, which saves most of its work.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np

from pymc_medlda._arrays import Floats

TOLERANCE = 1e-3  # of the largest violation of optimality, in units of the margin or of y
MOST_ROUNDS = 1000


class Solution(NamedTuple):
    """The weights of one machine, and how strongly each document pulls at them."""

    weights: Floats  # (n_features,), the sum of pull times features
    pull: Floats  # (n_documents,), y μ for labels, μ - μ* for real values


def solve_hinge(
    features: Floats, y: Floats, *, c: float, margin: float, start: Floats | None = None
) -> Solution:
    """Minimise |κ|²/2 + 2c Σ max(0, margin - y κ·x), with y = ±1; return κ and y μ.

    ``start`` is the pull of an earlier solution.
    """
    pull = np.zeros(y.size) if start is None else start.copy()
    rng = np.random.default_rng(0)  # of the order in which documents are visited
    weights = pull @ features
    _descend_hinge(rng, features, y, 2.0 * c, margin, pull, weights)
    return Solution(weights, pull)


def solve_tube(
    features: Floats, y: Floats, *, c: float, epsilon: float, start: Floats | None = None
) -> Solution:
    """Minimise |κ|²/2 + 2c Σ max(0, |y - κ·x| - epsilon); return κ and μ - μ*."""
    pull = np.zeros(y.size) if start is None else start.copy()
    rng = np.random.default_rng(0)
    weights = pull @ features
    _descend_tube(rng, features, y, 2.0 * c, epsilon, TOLERANCE * y.std(), pull, weights)
    return Solution(weights, pull)


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _dot(one: Floats, other: Floats) -> float:
    total = 0.0
    for k in range(one.size):
        total += one[k] * other[k]
    return total


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _descend_hinge(
    rng: np.random.Generator,
    features: Floats,
    y: Floats,
    bound: float,
    margin: float,
    pull: Floats,
    weights: Floats,
) -> None:
    """Minimise |Σ y μ x|²/2 - margin Σ μ over 0 ≤ μ ≤ bound, one document after the other."""
    for _ in range(MOST_ROUNDS):
        worst = 0.0
        for d in rng.permutation(y.size):
            square = _dot(features[d], features[d])
            if square == 0.0:
                continue
            own = y[d] * pull[d]
            slope = y[d] * _dot(features[d], weights) - margin
            new = min(max(own - slope / square, 0.0), bound)
            # The slope counts only where μ may move against it.
            if (slope < 0.0 and own < bound) or (slope > 0.0 and own > 0.0):
                worst = max(worst, abs(slope))
            if new != own:
                pull[d] = y[d] * new
                for k in range(weights.size):
                    weights[k] += y[d] * (new - own) * features[d, k]
        if worst < TOLERANCE * margin:
            return


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _descend_tube(
    rng: np.random.Generator,
    features: Floats,
    y: Floats,
    bound: float,
    epsilon: float,
    tolerance: float,
    pull: Floats,
    weights: Floats,
) -> None:
    """Minimise |Σ p x|²/2 - Σ p y + epsilon Σ |p| over -bound ≤ p ≤ bound."""
    for _ in range(MOST_ROUNDS):
        worst = 0.0
        for d in rng.permutation(y.size):
            square = _dot(features[d], features[d])
            if square == 0.0:
                continue
            own = pull[d]
            error = y[d] - _dot(features[d], weights)
            # Without the bounds, the best p solves error + square (own - p) = ± epsilon.
            best = own + error / square
            shrunk = np.sign(best) * max(abs(best) - epsilon / square, 0.0)
            new = min(max(shrunk, -bound), bound)
            worst = max(worst, abs(new - own) * square)
            if new != own:
                pull[d] = new
                for k in range(weights.size):
                    weights[k] += (new - own) * features[d, k]
        if worst < tolerance:
            return


def solve_classes(
    features: Floats, y: Floats, *, c: float, margin: float, start: Floats | None = None
) -> tuple[Floats, Floats]:
    """Minimise Σ_j |κ_j|²/2 + 2c Σ_d max_j (margin [j ≠ y_d] + κ_j·x - κ_y·x) (Crammer, Singer).

    ``y`` has one column per class, with a single +1 in each row. Returns κ, one row per class, and
    the pull of each document on the weights of each class; its rows sum to zero.
    """
    pull = np.zeros(y.shape) if start is None else start.copy()
    rng = np.random.default_rng(0)
    weights = pull.T @ features
    _descend_classes(rng, features, y.argmax(axis=1), 2.0 * c, margin, pull, weights)
    return weights, pull


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _descend_classes(
    rng: np.random.Generator,
    features: Floats,
    label: np.ndarray,
    bound: float,
    margin: float,
    pull: Floats,
    weights: Floats,
) -> None:
    """Minimise Σ_j |Σ_d p_dj x_d|²/2 + margin Σ_{j ≠ y_d} p_dj, one document after the other.

    The pulls of a document sum to zero; that of its own class is at most ``bound``, and those of
    others at most zero. Its best pulls are min(bound_j, (β - B_j) / |x|²), where β makes their sum
    zero and is found among sorted values.
    """
    n_classes, n_features = weights.shape
    slope, ordered = np.empty(n_classes), np.empty(n_classes)
    for _ in range(MOST_ROUNDS):
        worst = 0.0
        for d in rng.permutation(label.size):
            square = _dot(features[d], features[d])
            if square == 0.0:
                continue
            for j in range(n_classes):
                slope[j] = _dot(weights[j], features[d]) - square * pull[d, j]
                if j != label[d]:
                    slope[j] += margin
                ordered[j] = -slope[j]
            ordered[label[d]] -= square * bound
            ordered.sort()
            level = -ordered[0] - square * bound
            n = 1
            while n < n_classes and level < -n * ordered[n]:
                level -= ordered[n]
                n += 1
            level /= n
            for j in range(n_classes):
                highest = bound if j == label[d] else 0.0
                new = min(highest, (level - slope[j]) / square)
                change = new - pull[d, j]
                if change != 0.0:
                    worst = max(worst, abs(change) * square)
                    pull[d, j] = new
                    for k in range(n_features):
                        weights[j, k] += change * features[d, k]
        if worst < TOLERANCE * margin:
            return
