"""The check of a value that a step reads at a point: nothing reaches a kernel unchecked."""

from __future__ import annotations

from typing import Any

import numpy as np

from pymc_medlda._arrays import Floats


def check_value(name: str, value: Any, shape: tuple[int, ...], *, positive: bool = False) -> Floats:
    """Return a value broadcast to ``shape`` as float64, or raise if it is not finite, or positive.

    A random variable or data may give a prior or an offset any value, so every new one is checked.
    What is returned is an ordinary array of its own: numba compiles a kernel anew for an array that
    is a view of a smaller one or that may not be written to.
    """
    try:
        values = np.array(np.broadcast_to(np.asarray(value, np.float64), shape), order="C")
    except ValueError:
        raise ValueError(
            f"{name} has shape {np.shape(value)} at this point; {shape} is expected"
        ) from None
    wrong = ~(np.isfinite(values) & (values > 0 if positive else True))
    if wrong.any():
        kind = "positive finite numbers are" if positive else "finite numbers are"
        raise ValueError(f"{name} is {values[wrong][0]} at this point; only {kind} allowed")
    return values
