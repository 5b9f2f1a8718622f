"""Checks of arguments; each error names the argument, what came and what is allowed."""

from __future__ import annotations

import numbers
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from pymc_medlda._arrays import Floats

# Within these bounds inverses, squares and sums over documents and topics are finite.
SMALLEST, LARGEST = 1e-100, 1e100


def is_symbolic(value: Any) -> bool:
    """Return whether a value is a PyTensor variable, whose number is known only when sampling."""
    # If PyTensor is not loaded there are no such variables, and this check must not load it.
    basic = sys.modules.get("pytensor.graph.basic")
    return basic is not None and isinstance(value, basic.Variable)


def check_unmasked(name: str, value: Any) -> None:
    """Raise if ``value`` is a masked array that hides entries, which NumPy would use anyway."""
    if isinstance(value, np.ma.MaskedArray) and np.ma.is_masked(value):
        raise ValueError(
            f"{name} is a masked array with {int(np.ma.count_masked(value))} hidden entries; "
            "give an array without a mask"
        )


def check_whole(name: str, value: Any, *, at_least: int, at_most: int | None = None) -> None:
    """Raise unless ``value`` is a whole number that is not below ``at_least``.

    If ``at_most`` is given it must not be above that either.
    """
    if not _is_number(value) or not isinstance(value, numbers.Integral):
        raise TypeError(
            f"{name} must be a whole number of at least {at_least}, got {value!r} "
            f"({type(value).__name__})"
        )
    if value < at_least:
        raise ValueError(f"{name} must be at least {at_least}, got {value}")
    if at_most is not None and int(value) > at_most:
        raise ValueError(f"{name} must be at most {at_most}, got {value}")


def check_bool(name: str, value: Any) -> None:
    """Raise unless ``value`` is True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} must be True or False, got {value!r}")


def check_name(name: str, value: Any) -> None:
    """Raise unless ``value`` is a text that can name a variable or a dim."""
    if not isinstance(value, str) or not value:
        raise TypeError(f"{name} must be a name, a text that is not empty, got {value!r}")


def check_choice(name: str, value: Any, allowed: Sequence[str]) -> None:
    """Raise unless ``value`` is one of the allowed texts."""
    if not isinstance(value, str) or value not in allowed:
        *others, last = map(repr, allowed)
        raise ValueError(f"{name} must be {', '.join(others)} or {last}, got {value!r}")


def as_numbers(name: str, value: Any) -> Floats:
    """Return a number or an array of numbers as floats; raise for anything else.

    Text, dates, complex numbers, booleans and missing values are refused, as are masked entries.
    """
    check_unmasked(name, value)
    try:
        array = np.asarray(value)
        if array.dtype.kind == "O" and not any(isinstance(v, (str, bytes)) for v in array.flat):
            array = array.astype(np.float64)  # such as Python integers beyond int64, or decimals
    except (TypeError, ValueError, OverflowError):
        array = np.empty(0, object)
    if array.dtype.kind not in "iuf":
        raise TypeError(
            f"{name} must be a number or an array of numbers, got {_shorten(value)} "
            f"({type(value).__name__})"
        )
    return array.astype(np.float64)


def check_positive(
    name: str, value: Any, *, or_zero: bool = False, at_most: float = LARGEST
) -> None:
    """Raise unless ``value``, a number or an array of numbers, is finite and positive.

    With ``or_zero`` zero is allowed too. Nothing may be above ``at_most``, so that sums and squares
    stay finite, nor so small that its inverse is infinite. A symbolic value is not checked.
    """
    if is_symbolic(value):
        return
    bound = "zero or more" if or_zero else "greater than zero"
    array = as_numbers(name, value)
    bad = ~np.isfinite(array) | (array < 0 if or_zero else array <= 0)
    if bad.any():
        came = value if array.ndim == 0 else f"an array with {array[bad][0]}"
        raise ValueError(f"{name} must be finite and {bound}, got {came}")
    bad = (array > at_most) | ((array < SMALLEST) & (array > 0))
    if bad.any():
        came = value if array.ndim == 0 else f"an array with {array[bad][0]}"
        raise ValueError(f"{name} must lie between {SMALLEST:g} and {at_most:g}, got {came}")


def check_scalar(name: str, value: Any) -> None:
    """Raise if ``value`` is an array and not one number. A symbolic value is not checked."""
    if not is_symbolic(value) and np.ndim(as_numbers(name, value)):
        raise ValueError(f"{name} must be one number, got the shape {np.shape(value)}")


def check_probability(name: str, value: Any) -> None:
    """Raise unless ``value`` lies between 0 and 1, and is neither."""
    if not _is_number(value) or not 0.0 < float(value) < 1.0:
        raise ValueError(f"{name} must be a probability between 0 and 1, got {value!r}")


def check_share(name: str, value: Any) -> None:
    """Raise unless ``value`` is a number from 0 to 1, both of which are allowed."""
    if not _is_number(value) or not 0.0 <= float(value) <= 1.0:
        raise ValueError(f"{name} must be a number between 0 and 1, got {value!r}")


def check_power(name: str, value: Any) -> None:
    """Raise unless ``value`` is a number above 0 and at most 1."""
    if not _is_number(value) or not 0.0 < float(value) <= 1.0:
        raise ValueError(f"{name} must be a number above 0 and at most 1, got {value!r}")


def check_seed(name: str, value: Any) -> None:
    """Raise unless a generator of random numbers can be made from ``value``."""
    if isinstance(value, (np.random.Generator, np.random.SeedSequence)):
        return
    entries = value if isinstance(value, (list, tuple, np.ndarray)) and np.ndim(value) else [value]
    try:
        # NumPy takes booleans for 0 and 1, and reads numbers from texts in a list.
        if any(isinstance(entry, (bool, np.bool_, str, bytes)) for entry in entries):
            raise TypeError
        np.random.SeedSequence(value)
    except (TypeError, ValueError):
        raise TypeError(
            f"{name} must be a whole number of at least 0, a sequence of them, a "
            f"numpy.random.Generator or None; got {value!r}"
        ) from None


def _is_number(value: Any) -> bool:
    # Python counts booleans among the integers, and NumPy counts differences of time among them.
    return isinstance(value, numbers.Real) and not isinstance(value, (bool, np.timedelta64))


def _shorten(value: Any, most: int = 80) -> str:
    text = repr(value)
    return text if len(text) <= most else f"{text[:most]}..."
