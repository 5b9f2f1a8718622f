"""The weights of a response's features as the step sees them: read, drawn, summarised.

Inside, weights are (n_features, n_tasks), so that those of a feature lie side by side. A point
holds them as (n_features,) or (n_tasks, n_features).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pymc_medlda._arrays import Floats
from pymc_medlda.kernels.feature_weights import draw_feature_weights
from pymc_medlda.sampling.graph import FeatureBlock
from pymc_medlda.sampling.normal_prior import log_normaliser
from pymc_medlda.sampling.values import check_value


class FeatureValues(NamedTuple):
    """What the weights of features take from a point: expressions of the model, or their values."""

    weights: Any = None  # as an expression always None: the step finds them in the point
    mean: Any = None
    scale: Any = None


class FeatureWeights:
    """Weights w with a Normal prior, and X w, at the present point.

    Parameters
    ----------
    block : FeatureBlock
        The features in the model's graph.
    name : str
        Name of the weights in a point.
    response : str
        Name of the response, for errors.
    """

    def __init__(self, block: FeatureBlock, name: str, response: str) -> None:
        self.matrix = block.matrix
        self.name, self.response = name, response
        self.dtype = np.dtype(block.weights.type.dtype)
        self.stored: Any = None  # as the point holds them
        self.weights = np.empty((0, 0))
        self.added = np.empty((0, 0))  # X w
        self.mean, self.spread, self.precision = np.empty((3, 0, 0))

    def read(self, weights: Any, tasks: tuple[int, ...]) -> None:
        """Take the weights of a point; ``tasks`` is (n_tasks,), or () for a single task."""
        if self.stored is not None and np.array_equal(self.stored, weights):
            return
        self.stored = None  # until they are found right
        shape = (*tasks, self.matrix.shape[1])
        own = check_value(f"feature weights of {self.response}", weights, shape)
        self._hold(np.ascontiguousarray(np.atleast_2d(own).T))
        self.stored = own.astype(self.dtype)

    def read_prior(self, mean: Any, scale: Any, tasks: tuple[int, ...]) -> None:
        """Take the mean and the scale of the prior; one row is enough if features share them."""
        shape = (*tasks, self.matrix.shape[1])
        shared = all(np.ndim(value) == 0 or np.shape(value)[-1] == 1 for value in (mean, scale))
        # Scales for each task but not for each feature have the shape (n_tasks, 1).
        own = (*tasks, 1) if shared else shape
        name = f"of {self.response}"
        self.mean = _by_feature(check_value(f"feature prior mean {name}", mean, own))
        checked = check_value(f"feature prior scale {name}", scale, own, positive=True)
        self.spread = _by_feature(checked)
        with np.errstate(over="ignore"):
            precision = self.spread**-2.0
        name = f"feature prior precision {name}"
        self.precision = check_value(name, precision, precision.shape, positive=True)
        self.log_normaliser = log_normaliser(scale, shape)

    def draw(self, rng: np.random.Generator, a: Floats, b: Floats) -> None:
        """Draw the weights from their conditionals, rounded as the model stores them.

        All that is added to the discriminant besides X w is already in ``b``.
        """
        drawn = draw_feature_weights(
            rng, self.matrix, a, b, self.weights, mean=self.mean, precision=self.precision
        )
        self.stored = None
        self._hold(drawn.astype(self.dtype, copy=False).astype(np.float64, copy=False))

    def _hold(self, weights: Floats) -> None:
        # X w is computed anew and not updated by the kernel, so that it depends on the weights
        # alone: a chain that continues from a stored point must draw the same.
        self.weights, self.added = weights, self.matrix.project(weights)

    def as_stored(self, tasks: tuple[int, ...]) -> Any:
        """Return a copy of the weights, in the shape and dtype the point holds them."""
        if self.stored is None:
            by_task = np.ascontiguousarray(self.weights.T, self.dtype)
            self.stored = by_task.reshape(*tasks, self.matrix.shape[1])
        return self.stored.copy()

    def log_density(self) -> float:
        """Return the log density of the prior at the weights."""
        error = self.weights - self.mean if self.mean.any() else self.weights
        if self.spread.shape[0] == 1:  # one pass over the weights of many features
            squares = np.einsum("ji,ji->i", error, error) / self.spread[0] ** 2
        else:
            squares = (error / self.spread) ** 2
        return self.log_normaliser - 0.5 * float(squares.sum())


def _by_feature(values: Floats) -> Floats:
    """Return an array with the features first."""
    return np.ascontiguousarray(np.atleast_2d(values).T)
