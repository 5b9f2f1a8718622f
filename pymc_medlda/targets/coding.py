"""Code what a user gives as y: labels become ±1, numbers stay, missing entries become NaN."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pymc_medlda._arguments import LARGEST
from pymc_medlda._arrays import Floats
from pymc_medlda.targets.documents import order_of_columns
from pymc_medlda.targets.labels import (
    as_classes,
    check_not_ambiguous,
    code_classes,
    code_columns,
    code_label_lists,
    distinct_values,
    holds_label_lists,
)
from pymc_medlda.targets.reading import as_array, as_sequence
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
        task. NaN, or None among labels, marks a missing entry. Lists of integer labels that all
        have the same length look like a matrix: give sets instead.
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
    declared = None if classes is None else as_classes(classes)
    y = as_sequence(y, name)
    if holds_label_lists(y):
        _check_length(len(y), n_documents, name)
        if takes_labels is False:
            raise ValueError(f"{name} holds lists of labels, but this loss needs real numbers")
        return code_label_lists(y, declared, partial, name)
    if takes_labels is not False:
        check_not_ambiguous(y, name)
    array, missing = as_array(y, name)
    _check_length(array.shape[0], n_documents, name)
    if array.ndim == 2:
        columns = [str(c) for c in y.columns] if hasattr(y, "columns") else None
        return _code_matrix(array, missing, columns, declared, takes_labels, partial, name)
    if array.ndim != 1:
        raise ValueError(f"{name} must have one or two dimensions, got {array.ndim}")
    present = distinct_values(array[~missing], name) if declared is None else declared
    guessed = takes_labels is None
    if takes_labels is None:
        takes_labels = present.size <= 2 or array.dtype.kind not in "f"
    if not takes_labels:
        return Response("real", _as_reals(array, missing, name), None)
    return code_classes(array, missing, present, single, guessed, name)


def _code_matrix(
    array: NDArray[Any],
    missing: NDArray[np.bool_],
    columns: list[str] | None,
    declared: NDArray[Any] | None,
    takes_labels: bool | None,
    partial: bool,
    name: str,
) -> Response:
    """Code a matrix with one column per task."""
    if not array.shape[1]:
        raise ValueError(f"{name} must have one column per task, got no columns")
    if declared is not None and declared.size != array.shape[1]:
        raise ValueError(
            f"classes names {declared.size} tasks, but {name} has {array.shape[1]} columns"
        )
    if columns is not None and declared is not None:
        order = order_of_columns(columns, [str(c) for c in declared.tolist()], name)
        array, missing = array[:, order], missing[:, order]
    if declared is None:
        declared = np.arange(array.shape[1]) if columns is None else as_classes(columns, name)
    if takes_labels is None:
        takes_labels = array.dtype.kind != "f" or np.unique(array[~missing]).size <= 2
    if takes_labels:
        return Response(
            "multilabel", code_columns(array, missing, declared, partial, name), declared
        )
    return Response("real", _as_reals(array, missing, name), declared)


def _as_reals(array: NDArray[Any], missing: NDArray[np.bool_], name: str) -> Floats:
    """Return real numbers, with NaN for the missing ones."""
    if array.dtype.kind not in "biuf" and not missing.all():
        raise ValueError(
            f"{name} holds labels such as {array[~missing].tolist()[0]!r}, but this loss needs "
            "real numbers"
        )
    reals: Floats = np.where(missing, np.nan, array).astype(np.float64)
    if (np.abs(reals[~missing]) > LARGEST).any():
        raise ValueError(f"{name} must hold values up to {LARGEST:g}, whose squares are finite")
    return reals


def _check_length(length: int, n_documents: int, name: str) -> None:
    if length != n_documents:
        raise ValueError(
            f"{name} has {length} entries, but there are {n_documents} documents; "
            "give one entry per document (NaN where it is missing)"
        )
