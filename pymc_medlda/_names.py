"""Names of documents, words, classes and tasks: only such as files can hold.

NetCDF and Zarr hold whole numbers and text. A name of another type would be lost, or would stop
the run when it is saved, after all draws were made. So names are checked when they are given.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

WHOLE = np.iinfo(np.int64)
_NUMBER = re.compile(r"[0-9]{1,15}(\.0)?")


def as_names(names: Iterable[Any], argument: str) -> NDArray[Any]:
    """Return names as an array of integers if all are integers, otherwise as an array of text.

    The parts of a tuple are joined by a comma: ``("a", 1)`` becomes ``"a, 1"``. Anything else, such
    as a date, becomes its ``str``. Missing names and bytes are refused, and so are different names
    that would become the same text.
    """
    if isinstance(names, (str, bytes)):
        raise TypeError(f"{argument} must be a sequence of names; got one string, {names!r}")
    check_ordered(names, argument)
    if isinstance(names, Mapping):
        raise TypeError(f"{argument} must be a sequence of names; got a {type(names).__name__}")
    try:
        entries = list(names)
    except TypeError:
        raise TypeError(
            f"{argument} must be a sequence of names; got {names!r} ({type(names).__name__})"
        ) from None
    if all(is_whole(name) for name in entries):
        return np.array(entries, np.int64)
    named = np.empty(len(entries), object)
    if all(isinstance(name, str) for name in entries):
        named[:] = [str(name) for name in entries]  # NumPy's own strings become plain str
    else:
        named[:] = [_as_text(name, position, argument) for position, name in enumerate(entries)]
        _check_distinct(entries, named, argument)
    check_text(named.tolist(), argument)
    return named


def check_text(texts: Sequence[str], argument: str) -> None:
    """Raise if a text cannot be stored: lone surrogates have no UTF-8, files end text at a NUL."""
    if "\0" not in (joined := "".join(texts)) and is_unicode(joined):
        return
    position, text = next((i, t) for i, t in enumerate(texts) if "\0" in t or not is_unicode(t))
    raise ValueError(
        f"{argument} must hold text that files can store, without lone surrogates and NUL "
        f"characters; got {text!r} at position {position}"
    )


def is_unicode(text: str) -> bool:
    """Return whether a text can be written as UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def is_missing(value: Any) -> bool:
    """Return whether a value is None, NaN, pandas' NA or NaT."""
    return (
        value is None
        or value is pd.NA
        or value is pd.NaT
        or (isinstance(value, (float, np.floating)) and bool(np.isnan(value)))
        or (isinstance(value, (np.datetime64, np.timedelta64)) and bool(np.isnat(value)))
    )


def is_whole(name: Any) -> bool:
    """Return whether a name is a whole number that files can hold."""
    whole = isinstance(name, (int, np.integer)) and not isinstance(name, (bool, np.timedelta64))
    return whole and WHOLE.min <= int(name) <= WHOLE.max


def check_ordered(names: Any, argument: str) -> None:
    """Raise for a set, which has no order: which name belongs to which position is unknown."""
    if isinstance(names, (set, frozenset)):
        raise TypeError(
            f"{argument} must be a sequence, because the order counts; got a {type(names).__name__}"
            ", which has none: give a list, such as sorted(...)"
        )


def positions_of(names: Sequence[Any]) -> list[int] | None:
    """Return names as positions if they are 0, 1, ... in any order, otherwise None.

    Whole numbers that became floats or text, such as "2.0", count as well.

    Examples
    --------
    >>> positions_of(["2.0", 0, "1"])
    [2, 0, 1]
    >>> positions_of([2, 3])
    """
    if not all(is_whole(name) or _NUMBER.fullmatch(str(name)) for name in names):
        return None
    positions = [int(float(str(name))) for name in names]
    return positions if sorted(positions) == list(range(len(positions))) else None


def _as_text(name: Any, position: int, argument: str) -> str:
    parts = list(name) if isinstance(name, tuple) else [name]
    for i, part in enumerate(parts):
        if isinstance(part, np.datetime64):
            parts[i] = pd.Timestamp(part)  # so that the text does not depend on NumPy's unit
        if is_missing(part) or isinstance(part, bytes):
            raise TypeError(
                f"{argument} must hold a name in every place, such as a text or a whole number; "
                f"got {name!r} at position {position}"
            )
        if type(part).__hash__ is None:
            raise TypeError(
                f"{argument} must hold names that cannot change, such as texts or whole numbers; "
                f"got {name!r} ({type(name).__name__}) at position {position}"
            )
    return ", ".join(str(part) for part in parts)


def _check_distinct(entries: list[Any], named: NDArray[Any], argument: str) -> None:
    """Raise if different names became the same text. Equal names are allowed."""
    first: dict[str, Any] = {}
    for name, text in zip(entries, named.tolist(), strict=True):
        other = first.setdefault(text, name)
        if other != name or isinstance(other, str) != isinstance(name, str):
            raise ValueError(
                f"{argument} must stay distinct as text; got {other!r} and {name!r}, both {text!r}"
            )
