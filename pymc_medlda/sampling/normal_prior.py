"""The Normal prior of weights, as the log density of a model has it."""

from __future__ import annotations

from typing import Any

import numpy as np


def log_normaliser(scale: Any, shape: tuple[int, ...]) -> float:
    """Return the part of a Normal log density that does not depend on the weights, (*shape)."""
    # PyMC takes the logarithm of the scale in the scale's own precision.
    log_scale = np.log(np.asarray(scale, _precision_of_logarithm(scale)))
    log_spread = np.broadcast_to(log_scale, shape).sum(dtype=float)
    return -float(log_spread) - 0.5 * float(np.log(2.0 * np.pi)) * int(np.prod(shape))


def _precision_of_logarithm(scale: Any) -> np.dtype[Any]:
    """Return the dtype in which PyTensor computes the logarithm of an array."""
    dtype = np.asarray(scale).dtype
    if dtype.kind == "f":
        return dtype
    return np.dtype(np.float32 if dtype.itemsize <= 2 else np.float64)
