"""Read what a user gives as y: an array with a mask of its missing entries, checked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from pymc_medlda._arguments import is_symbolic
from pymc_medlda._names import is_missing
from pymc_medlda.targets.labels import check_labels

EXACT = 2**53  # up to this number every integer is a float
KINDS_OF_INTEGERS = (np.iinfo(np.int64), np.iinfo(np.uint64))
ALLOWED = "labels (strings, integers, booleans), real numbers or lists of labels are allowed"


def as_sequence(y: Any, name: str) -> Any:
    """Return y as a list, an array, a frame or a sparse matrix; raise for anything else."""
    if isinstance(y, np.ma.MaskedArray):
        if not np.ma.is_masked(y):
            return y.data
        entries = y.data.astype(object)
        entries[np.ma.getmaskarray(y)] = None  # a masked entry is a missing one
        return entries
    if isinstance(y, np.ndarray) and y.dtype.kind == "T":
        return y.astype(object)  # NumPy's text of any length, whose missing entries are objects
    if isinstance(y, xr.DataArray) and y.ndim == 2 and y.dims[1] in y.indexes:
        return y.to_pandas()  # so that tasks keep their names
    if isinstance(y, np.ndarray) and y.ndim == 0:
        raise TypeError(f"{name} must have one entry per document, got {y!r}")
    if isinstance(y, np.ndarray) or hasattr(y, "toarray") or hasattr(y, "columns"):
        return y
    if isinstance(y, (pd.Index, pd.api.extensions.ExtensionArray)):
        y = pd.Series(y)
    if isinstance(y, pd.Series):
        # pandas marks missing text by NaN, which a list may not; and where entries are missing, it
        # makes floats of the integers of its own dtypes.
        own = y.dtype == object or not isinstance(y.dtype, np.dtype)
        return y.astype(object).where(y.notna(), None).to_list() if own else y
    if hasattr(y, "to_list"):  # a series of polars, whose rows may be lists
        return y.to_list()
    if hasattr(y, "__array__") and not is_symbolic(y) and not np.isscalar(y):
        return np.asarray(y)
    no_sequence = isinstance(y, (str, bytes, Mapping, set, frozenset)) or is_symbolic(y)
    if no_sequence or not isinstance(y, Iterable):
        raise TypeError(
            f"{name} must have one entry per document, got {y!r} ({type(y).__name__}); {ALLOWED}"
        )
    return [v.item() if isinstance(v, np.ndarray) and v.ndim == 0 else v for v in y]


def as_array(y: Any, name: str) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Return y as an array that keeps the type of its labels, and a mask of what is missing.

    Integers stay integers, whether or not some are missing; these have the entry 0.
    """
    array = _as_one_array(y, name)
    if array.dtype.kind == "O":
        missing = np.array([is_missing(v) for v in array.ravel()], bool).reshape(array.shape)
        kind = check_labels(array[~missing].tolist(), name)
        if kind == "number":
            array = _as_numbers(array, missing, name)
    else:
        missing = np.isnan(array) if array.dtype.kind == "f" else np.zeros(array.shape, bool)
    if array.dtype.kind not in "biufUO":
        raise TypeError(f"{name} has dtype {array.dtype}; {ALLOWED}")
    if array.dtype.kind == "f" and np.isinf(array).any():
        raise ValueError(
            f"{name} holds infinite values; finite numbers are allowed, NaN marks a missing one"
        )
    return array, missing


def _as_one_array(y: Any, name: str) -> NDArray[Any]:
    if hasattr(y, "toarray"):
        return np.asarray(y.toarray())
    if hasattr(y, "to_numpy"):
        return np.asarray(y.to_numpy())
    if isinstance(y, np.ndarray):
        return y
    kinds = {type(v) for v in y}
    if str in kinds and float in kinds and any(v != v for v in y if isinstance(v, float)):
        raise ValueError(
            f"{name} mixes NaN and strings: mark missing labels with None, or give numbers"
        )
    # np.asarray would turn [1, "a"] into strings and [True, 2] into numbers; and integers into
    # floats, if one is NaN or if they do not fit into 64 bits.
    as_they_are = str in kinds or (len(kinds) > 1 and kinds & {bool, np.bool_})
    whole = any(issubclass(kind, (int, np.integer)) for kind in kinds)
    try:
        array = np.array(y, dtype=object) if as_they_are else np.asarray(y)
        return np.array(y, dtype=object) if whole and array.dtype.kind == "f" else array
    except (TypeError, ValueError, OverflowError):
        raise TypeError(
            f"{name} must have entries of one form, got values beside lists or rows of unequal "
            f"length; {ALLOWED}"
        ) from None


def _as_numbers(array: NDArray[Any], missing: NDArray[np.bool_], name: str) -> NDArray[Any]:
    """Return numbers, with 0 among integers and NaN among floats where one is missing."""
    given = array[~missing].tolist()
    if all(isinstance(value, (int, np.integer)) for value in given) and given:
        lowest, highest = min(map(int, given)), max(map(int, given))
        kind = next((k for k in KINDS_OF_INTEGERS if k.min <= lowest and highest <= k.max), None)
        if kind is None:
            raise ValueError(
                f"{name} holds integers from {lowest} to {highest}, which no integer type of 64 "
                "bits holds: give labels as strings"
            )
        return np.where(missing, 0, array).astype(kind.dtype)
    for value in given:
        if isinstance(value, (int, np.integer)) and not -EXACT <= int(value) <= EXACT:
            raise ValueError(
                f"{name} holds {value}, which is too large for a number among fractions: give "
                "labels as strings"
            )
    return np.where(missing, np.nan, array).astype(np.float64)
