"""The Gaussian draw of the weights w of features: one by one, or all of a task together.

Symbols: a, b the augmented loss (log factor b F - a F²/2), x_dj the features, and F = X w: all that
is added to it besides, such as η · z̄, is already in b.
"""

from __future__ import annotations

import math

import numpy as np

from pymc_medlda._arrays import Floats
from pymc_medlda.kernels._jit import kernel
from pymc_medlda.kernels.adding import add_product, add_scaled, padded
from pymc_medlda.kernels.checks import check_factors
from pymc_medlda.kernels.features import FeatureMatrix
from pymc_medlda.kernels.weights_by_topics import draw_gaussian


def draw_feature_weights(
    rng: np.random.Generator,
    features: FeatureMatrix,
    a: Floats,
    b: Floats,
    weights: Floats,
    *,
    mean: Floats,
    precision: Floats,
) -> Floats:
    r"""Draw the weights of all features and tasks from their Gaussian conditionals.

    Few features whose values are mostly not zero are drawn together, like the weights of topics.
    Others are drawn one after the other, each given the present values of all others:

    .. math:: w_{ji} \sim N(l / p, 1 / p), \quad p = \tau_{ji} + \sum_d a_{di} x_{dj}^2, \quad
       l = \tau_{ji} \mu_{ji} + \sum_d x_{dj} \bigl(b_{di} - a_{di} (F_{di} - w_{ji} x_{dj})\bigr)

    The cost is that of the values that are not zero. A feature that no document with a label has
    follows its prior.

    Parameters
    ----------
    rng : numpy.random.Generator
    features : FeatureMatrix
        x_dj.
    a, b : (n_documents, n_tasks) float array
        The augmented loss, with all that is added to F besides X w already in b.
    weights : (n_features, n_tasks) float array
        The present weights, which are left as they are.
    mean, precision : (n_features, n_tasks) or (1, n_tasks) float array
        μ and τ of the Normal prior.

    Returns
    -------
    (n_features, n_tasks) float array
    """
    _check_shapes(features, a, b, weights, mean, precision)
    noise = rng.standard_normal(weights.shape)
    if features.dense is not None:
        draws = draw_together(features.dense, a, b, mean, precision, noise)
    else:
        draws = draw_one_by_one(features, a, b, weights, mean, precision, noise)
    if not math.isfinite(draws.sum()):
        check_factors(a, b)
        raise np.linalg.LinAlgError(
            "the weights of the features are not finite: check the mean and the scale of their "
            f"prior, whose precision 1/scale² is {precision.min():g} to {precision.max():g}"
        )
    return draws


def _check_shapes(
    features: FeatureMatrix, a: Floats, b: Floats, weights: Floats, mean: Floats, precision: Floats
) -> None:
    """Raise unless the arrays belong together: kernels do not check where they read."""
    (n_documents, n_features), n_tasks = features.shape, a.shape[1]
    allowed = ((1, n_tasks), (n_features, n_tasks))
    if not (
        a.shape == b.shape == (n_documents, n_tasks)
        and weights.shape == (n_features, n_tasks)
        and mean.shape == precision.shape
        and mean.shape in allowed
    ):
        raise ValueError(
            f"a and b must have shape {(n_documents, n_tasks)}, the weights {allowed[1]} and their "
            f"prior {allowed[0]} or {allowed[1]}; got {a.shape}, {b.shape}, {weights.shape}, "
            f"{mean.shape} and {precision.shape}"
        )


def draw_together(
    x: Floats, a: Floats, b: Floats, mean: Floats, precision: Floats, noise: Floats
) -> Floats:
    """Draw w of every task from N(P⁻¹ q, P⁻¹), P = diag(τ) + Σ a x xᵀ and q = τ μ + Σ b x."""
    draws = np.empty(noise.shape)
    spread = np.broadcast_to(precision, noise.shape)
    linear = spread * mean + x.T @ b
    for i in range(noise.shape[1]):
        gram = np.ascontiguousarray(x.T @ (x * a[:, i : i + 1]))
        draws[:, i] = draw_gaussian(gram, spread[:, i], linear[:, i], noise[:, i])
    return draws


def draw_one_by_one(
    features: FeatureMatrix,
    a: Floats,
    b: Floats,
    weights: Floats,
    mean: Floats,
    precision: Floats,
    noise: Floats,
) -> Floats:
    """Draw w_ji given all others, feature by feature."""
    n_tasks = weights.shape[1]
    residual = b - a * features.project(weights)
    draws = weights.copy()
    columns = features.start, features.row, features.value
    if n_tasks == 1:
        arrays = (a, residual, mean, precision, noise, draws)
        sweep_one_task(*columns, *(array.reshape(-1) for array in arrays))
        return draws
    width = padded(n_tasks)
    prior = np.ascontiguousarray(mean), np.ascontiguousarray(precision)
    sweep_tasks(*columns, _pad(a, width), _pad(residual, width), *prior, noise, draws)
    return draws


def _pad(array: Floats, width: int) -> Floats:
    """Return rows that are padded with zeros, one after the other."""
    out = np.zeros((array.shape[0], width))
    out[:, : array.shape[1]] = array
    return out.reshape(-1)


@kernel
def sweep_one_task(
    start: np.ndarray,
    row: np.ndarray,
    value: np.ndarray,
    a: np.ndarray,
    residual: np.ndarray,
    mean: np.ndarray,
    precision: np.ndarray,
    noise: np.ndarray,
    weights: np.ndarray,
) -> None:
    """Draw the weights of one task in turn; ``residual`` holds b - a F and is kept up to date."""
    for j in range(weights.size):
        own = j if mean.size > 1 else 0
        data, linear = 0.0, 0.0
        for e in range(start[j], start[j + 1]):
            x, d = value[e], row[e]
            data += a[d] * x * x
            linear += x * residual[d]
        p = precision[own] + data
        linear += precision[own] * mean[own] + data * weights[j]
        drawn = linear / p + noise[j] / math.sqrt(p)
        change = drawn - weights[j]
        weights[j] = drawn
        for e in range(start[j], start[j + 1]):
            d = row[e]
            residual[d] -= a[d] * (value[e] * change)


@kernel
def sweep_tasks(
    start: np.ndarray,
    row: np.ndarray,
    value: np.ndarray,
    a: np.ndarray,
    residual: np.ndarray,
    mean: np.ndarray,
    precision: np.ndarray,
    noise: np.ndarray,
    weights: np.ndarray,
) -> None:
    """Draw those of several tasks; rows of ``a`` and ``residual`` are padded to eight lanes."""
    n_features, n_tasks = weights.shape
    width = padded(n_tasks)
    data, linear, change = np.zeros(width), np.zeros(width), np.zeros(width)
    for j in range(n_features):
        own = j if mean.shape[0] > 1 else 0
        data[:] = 0.0
        linear[:] = 0.0
        for e in range(start[j], start[j + 1]):
            x, at = value[e], row[e] * width
            add_scaled(a, at, x * x, data, 0, width)
            add_scaled(residual, at, x, linear, 0, width)
        for i in range(n_tasks):
            p = precision[own, i] + data[i]
            total = linear[i] + precision[own, i] * mean[own, i] + data[i] * weights[j, i]
            drawn = total / p + noise[j, i] / math.sqrt(p)
            change[i] = drawn - weights[j, i]
            weights[j, i] = drawn
        for e in range(start[j], start[j + 1]):
            add_product(a, row[e] * width, change, -value[e], residual, row[e] * width, width)
