"""Checks of arguments; each error names the argument, what came and what is allowed."""

from __future__ import annotations

import numbers
import sys
from typing import Any

import numpy as np


def is_symbolic(value: Any) -> bool:
    """Return whether a value is a PyTensor variable, whose number is known only when sampling."""
    # If PyTensor is not loaded there are no such variables, and this check must not load it.
    basic = sys.modules.get("pytensor.graph.basic")
    return basic is not None and isinstance(value, basic.Variable)


def check_whole(name: str, value: Any, *, at_least: int) -> None:
    """Raise unless ``value`` is a whole number that is not below ``at_least``."""
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        raise TypeError(
            f"{name} must be a whole number of at least {at_least}, got {value!r} "
            f"({type(value).__name__})"
        )
    if value < at_least:
        raise ValueError(f"{name} must be at least {at_least}, got {value}")


def check_positive(name: str, value: Any, *, or_zero: bool = False) -> None:
    """Raise unless ``value``, a number or an array of numbers, is finite and positive.

    With ``or_zero`` zero is allowed too. A symbolic value is not checked.
    """
    if is_symbolic(value):
        return
    bound = "zero or more" if or_zero else "greater than zero"
    try:
        array = np.asarray(value, np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"{name} must be a number {bound}, got {value!r}") from None
    bad = ~np.isfinite(array) | (array < 0 if or_zero else array <= 0)
    if bad.any():
        came = value if array.ndim == 0 else f"an array with {array[bad][0]}"
        raise ValueError(f"{name} must be finite and {bound}, got {came}")


def check_probability(name: str, value: Any) -> None:
    """Raise unless ``value`` lies between 0 and 1, and is neither."""
    if not (isinstance(value, (int, float)) and 0.0 < value < 1.0):
        raise ValueError(f"{name} must be a probability between 0 and 1, got {value!r}")
