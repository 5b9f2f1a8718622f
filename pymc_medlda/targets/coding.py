"""Code what a user gives as y: labels become ±1, numbers stay, missing entries become NaN."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pymc_medlda._arrays import Floats
from pymc_medlda.targets.labels import (
    code_classes,
    code_columns,
    code_label_lists,
    distinct_values,
    holds_label_lists,
    is_missing,
)
from pymc_medlda.targets.response import Response


def code_response(
    y: Any,
    *,
    n_documents: int,
    takes_labels: bool | None = None,
    single: bool | None = None,
    classes: Sequence[Any] | NDArray[Any] | None = None,
    partial: bool = False,
    name: str = "y",
) -> Response:
    """Code ``y`` as a `Response`; its kind follows from its values unless arguments fix it.

    Parameters
    ----------
    y : array-like
        One value, one label or one list of labels per document, or a matrix with one column per
        task. NaN, or None among labels, marks a missing entry.
    n_documents : int
        The length that y must have.
    takes_labels : bool, optional
        Whether the loss takes labels or real values. By default strings, booleans, integers and
        numbers with at most two distinct values are labels; other numbers are real values.
    single : bool, optional
        Whether the model has one discriminant per document (two classes or one value) or several.
    classes : sequence, optional
        The allowed classes or labels, in order; by default those that occur, sorted.
    partial : bool
        Whether y is a part of the data, such as held-out documents, in which some classes and
        labels may not occur.
    name : str
        The name of the argument in error messages.

    Returns
    -------
    Response

    Examples
    --------
    >>> code_response(["spam", "ham", "spam"], n_documents=3).values.tolist()
    [1.0, -1.0, 1.0]
    >>> code_response([["a"], ["b"], ["a", "b"]], n_documents=3).values.tolist()
    [[1.0, -1.0], [-1.0, 1.0], [1.0, 1.0]]
    """
    if holds_label_lists(y):
        _check_length(len(y), n_documents, name)
        return code_label_lists(y, classes, partial, name)
    names = [str(c) for c in y.columns] if hasattr(y, "columns") else None
    array = _as_array(y, name)
    _check_length(array.shape[0] if array.ndim else 0, n_documents, name)
    missing = _missing(array, name)
    if array.ndim == 2:
        if takes_labels is None:
            takes_labels = np.unique(array[~missing]).size <= 2 or array.dtype.kind in "biuOUS"
        task_names = np.asarray(classes if classes is not None else names or range(array.shape[1]))
        if task_names.size != array.shape[1]:
            raise ValueError(
                f"classes names {task_names.size} tasks, but {name} has {array.shape[1]} columns"
            )
        if takes_labels:
            values = code_columns(array, missing, task_names, partial, name)
            return Response("multilabel", values, task_names)
        return Response("real", _as_reals(array, missing, name), task_names)
    if array.ndim != 1:
        raise ValueError(f"{name} must have one or two dimensions, got {array.ndim}")
    present = distinct_values(array[~missing], name) if classes is None else np.asarray(classes)
    guessed = takes_labels is None
    if takes_labels is None:
        takes_labels = present.size <= 2 or array.dtype.kind not in "f"
    if not takes_labels:
        return Response("real", _as_reals(array, missing, name), None)
    return code_classes(array, missing, present, single, guessed, name)


def _as_array(y: Any, name: str) -> NDArray[Any]:
    """Return y as an array that keeps the type of its labels."""
    if hasattr(y, "to_numpy"):
        array = np.asarray(y.to_numpy())
    elif hasattr(y, "toarray"):
        array = y.toarray()
    else:
        raw = list(y) if isinstance(y, Iterable) and not isinstance(y, np.ndarray) else y
        kinds = {type(v) for v in raw} if isinstance(raw, list) else set()
        # np.asarray would turn [1, "a"] and ["a", nan] silently into strings.
        mixed = str in kinds and len(kinds) > 1
        array = np.array(raw, dtype=object) if mixed else np.asarray(raw)
    if array.dtype.kind == "O":
        values = array.ravel()
        filled = [v for v in values if not is_missing(v)]
        if any(isinstance(v, float) and np.isnan(v) for v in values) and any(
            isinstance(v, str) for v in filled
        ):
            raise ValueError(
                f"{name} mixes NaN and strings: mark missing labels with None, or give numbers"
            )
        if filled and all(isinstance(v, (bool, np.bool_)) for v in filled):
            return array
        if filled and all(isinstance(v, (int, float, np.number)) for v in filled):
            return np.array(
                [np.nan if is_missing(v) else v for v in values], dtype=np.float64
            ).reshape(array.shape)
    return array


def _missing(array: NDArray[Any], name: str) -> NDArray[np.bool_]:
    """Return a mask of the missing entries; raise for infinite values and types not allowed."""
    if array.dtype.kind == "f":
        if np.isinf(array).any():
            raise ValueError(
                f"{name} holds infinite values; finite numbers are allowed, NaN marks a missing one"
            )
        return np.isnan(array)
    if array.dtype.kind == "O":
        return np.array([is_missing(v) for v in array.ravel()], bool).reshape(array.shape)
    if array.dtype.kind not in "biuUS":
        raise TypeError(
            f"{name} has dtype {array.dtype}; labels (strings, integers, booleans), real numbers "
            "or lists of labels are allowed"
        )
    return np.zeros(array.shape, bool)


def _as_reals(array: NDArray[Any], missing: NDArray[np.bool_], name: str) -> Floats:
    """Return real numbers, with NaN for the missing ones."""
    try:
        reals: Floats = np.where(missing, np.nan, array).astype(np.float64)
    except (TypeError, ValueError):
        raise ValueError(
            f"{name} holds labels such as {array[~missing].ravel()[0]!r}, but this loss needs real "
            "numbers"
        ) from None
    return reals


def _check_length(length: int, n_documents: int, name: str) -> None:
    if length != n_documents:
        raise ValueError(
            f"{name} has {length} entries, but the corpus has {n_documents} documents; "
            "give one entry per document (NaN where it is missing)"
        )
