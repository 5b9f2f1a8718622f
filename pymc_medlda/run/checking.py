"""Checks of what was stored: nothing that was read reaches a kernel before it passed one of them.

Each check is one pass over an array, made when a run is decoded. Its error names the stored
variable, says what was found and what is allowed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pymc_medlda._arrays import Floats

Shape = tuple[int, ...]


def check_shape(name: str, found: Sequence[int], allowed: Iterable[Shape], meaning: str) -> None:
    """Raise unless the shape of a stored variable is one of those allowed."""
    shapes = list(allowed)
    if tuple(found) not in shapes:
        listed = " or ".join(str(shape) for shape in shapes)
        raise ValueError(
            f"the stored {name!r} has shape {tuple(found)}; {listed} is allowed, {meaning}"
        )


def check_integers(
    name: str, values: NDArray[Any], *, below: int | None = None, meaning: str
) -> None:
    """Raise unless all values are integers of at least 0, and less than ``below``."""
    if values.dtype.kind not in "iu":
        raise ValueError(
            f"the stored {name!r} is of dtype {values.dtype}; integers are allowed, {meaning}"
        )
    if values.size == 0:
        return
    lowest = 0 if values.dtype.kind == "u" else int(values.min())
    highest = int(values.max())
    if lowest < 0 or (below is not None and highest >= below):
        allowed = "0 or more" if below is None else f"from 0 to {below - 1}"
        raise ValueError(
            f"the stored {name!r} holds {lowest if lowest < 0 else highest}; whole numbers "
            f"{allowed} are allowed, {meaning}"
        )


def check_finite(name: str, values: NDArray[Any], *, or_missing: bool = False) -> Floats:
    """Return numbers as floats; raise if one is infinite or NaN, which ``or_missing`` allows."""
    if values.dtype.kind not in "fiu":
        raise ValueError(f"the stored {name!r} is of dtype {values.dtype}; numbers are allowed")
    numbers = np.asarray(values, np.float64)
    wrong = np.isinf(numbers) if or_missing else ~np.isfinite(numbers)
    if wrong.any():
        hint = ", and NaN where one is missing" if or_missing else ""
        raise ValueError(
            f"the stored {name!r} holds {numbers[wrong][0]}; finite numbers are allowed{hint}"
        )
    return numbers


def check_positive(name: str, values: NDArray[Any], *, or_zero: bool = False) -> None:
    """Raise unless all values are finite and greater than zero, or not below it."""
    numbers = check_finite(name, values)
    wrong = numbers < 0 if or_zero else numbers <= 0
    if wrong.any():
        bound = "of zero or more" if or_zero else "greater than zero"
        raise ValueError(
            f"the stored {name!r} holds {numbers[wrong][0]}; numbers {bound} are allowed"
        )


def check_coded_labels(name: str, kind: str, y: Floats) -> None:
    """Raise unless y is coded as a response of this kind is: ±1, and NaN where it is missing."""
    missing = np.isnan(y)
    wrong = ~missing & (np.abs(y) != 1.0)
    if wrong.any():
        raise ValueError(
            f"the stored {name!r} holds {y[wrong][0]}; a {kind} response is coded -1 and 1, and "
            "NaN where it is missing"
        )
    if kind == "multiclass":
        of_one_class = (y == 1.0).sum(axis=1) == 1
        wrong_rows = np.flatnonzero(~missing.all(axis=1) & (missing.any(axis=1) | ~of_one_class))
        if wrong_rows.size:
            raise ValueError(
                f"the stored {name!r} holds {y[wrong_rows[0]].tolist()} for document "
                f"{wrong_rows[0]}; exactly one class is coded 1 and the others -1, or all are NaN"
            )


def check_distinct(name: str, labels: NDArray[Any], meaning: str) -> None:
    """Raise if a label occurs twice, or is NaN."""
    seen: set[Any] = set()
    for label in labels.tolist():
        if label in seen or label != label:
            again = " more than once" if label in seen else ""
            raise ValueError(
                f"the coordinate {name!r} holds {label!r}{again}; distinct labels are allowed, "
                f"{meaning}"
            )
        seen.add(label)
