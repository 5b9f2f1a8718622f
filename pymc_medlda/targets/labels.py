"""Code labels as ±1: one class per document, several labels per document, columns of labels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pymc_medlda._arrays import Floats
from pymc_medlda.targets.response import Response


def code_classes(
    array: NDArray[Any],
    missing: NDArray[np.bool_],
    present: NDArray[Any],
    single: bool | None,
    guessed: bool,
    name: str,
) -> Response:
    """Code a vector of class labels: one discriminant for two classes, or one per class.

    A class that occurs only once suggests that real values were taken for labels. It is refused
    if the kind of the response was ``guessed``, and accepted if the loss is one for labels.
    """
    outside = ~missing & ~np.isin(array, present)
    if outside.any():
        raise ValueError(
            f"{name} holds {array[outside][0]!r}, which is not one of the classes "
            f"{listing(present)}"
        )
    if present.size < 2 and not missing.all():
        raise ValueError(
            f"{name} has one class only ({listing(present)}); two or more are needed to classify"
        )
    if present.size == 0:
        present = np.array([-1, 1])
    if single is None:
        single = present.size == 2
    if single and present.size > 2:
        raise ValueError(
            f"{name} has {present.size} classes ({listing(present)}), but eta holds one "
            "weight per topic: give eta the shape (classes, topics), or give two classes"
        )
    if single:
        return Response(
            "binary", np.where(missing, np.nan, np.where(array == present[1], 1.0, -1.0)), present
        )
    values = np.where(array[:, None] == present, 1.0, -1.0)
    values[missing] = np.nan
    once = present[(values > 0).sum(axis=0) == 1]
    if once.size and guessed:
        raise ValueError(
            f"{name} holds {listing(once)} once only; every class needs two documents or more "
            "(for real values give a regression loss such as EpsilonInsensitive(), for rare "
            "classes give Hinge())"
        )
    return Response("multiclass", values, present)


def code_columns(
    array: NDArray[Any],
    missing: NDArray[np.bool_],
    tasks: NDArray[Any],
    partial: bool,
    name: str,
) -> Floats:
    """Code a matrix of labels column by column: 0 and 1, -1 and 1, booleans or any two values."""
    values = np.full(array.shape, np.nan)
    if partial:
        return np.where(missing, np.nan, np.where(np.where(missing, 0, array) > 0, 1.0, -1.0))
    for i, task in enumerate(tasks):
        given = array[~missing[:, i], i]
        distinct = distinct_values(given, name)
        if distinct.size != 2 and given.size:
            raise ValueError(
                f"column {task} of {name} has {distinct.size} distinct values "
                f"({listing(distinct)}); a task needs exactly two (NaN marks missing entries)"
            )
        values[~missing[:, i], i] = np.where(given == distinct[-1], 1.0, -1.0) if given.size else 0
    return values


def code_label_lists(
    y: Any, classes: Sequence[Any] | NDArray[Any] | None, partial: bool, name: str
) -> Response:
    """Code one collection of labels per document."""
    rows = [None if is_missing(row) else set(row) for row in y]
    found = {label for row in rows if row is not None for label in row}
    labels = np.asarray(sorted(found) if classes is None else list(classes))
    outside = sorted(map(str, found - set(labels.tolist())))
    if outside:
        raise ValueError(
            f"{name} holds the labels {listing(outside)}, which are not among the declared "
            f"classes {listing(labels)}"
        )
    values = np.full((len(rows), labels.size), np.nan)
    for d, row in enumerate(rows):
        if row is not None:
            values[d] = [1.0 if label in row else -1.0 for label in labels.tolist()]
    given = values[~np.isnan(values[:, 0])] if labels.size else values
    constant = labels[np.ptp(given, axis=0) == 0] if given.size else labels[:0]
    if constant.size and not partial:
        raise ValueError(
            f"labels {listing(constant)} of {name} are set for all documents or for none; "
            "a label must be set for some documents and not for others"
        )
    return Response("multilabel", values, labels)


def holds_label_lists(y: Any) -> bool:
    """Return whether y is a sequence of collections of labels, not a matrix of numbers."""
    if isinstance(y, np.ndarray) and y.dtype.kind != "O":
        return False
    if hasattr(y, "toarray") or hasattr(y, "columns") or isinstance(y, (str, Mapping)):
        return False
    rows = [row for row in y if not is_missing(row)] if isinstance(y, Iterable) else []
    if not rows or not all(isinstance(row, (list, tuple, set, frozenset)) for row in rows):
        return False
    ragged = len({len(row) for row in rows}) > 1
    return ragged or any(isinstance(label, str) for row in rows for label in row)


def distinct_values(values: NDArray[Any], name: str) -> NDArray[Any]:
    """Return the sorted distinct values; raise if they are of types that cannot be compared."""
    if values.dtype.kind != "O":
        return np.unique(values)
    found = set(values.tolist())
    try:
        return np.asarray(sorted(found))
    except TypeError:
        types = sorted({type(v).__name__ for v in found})
        raise ValueError(
            f"{name} mixes labels of types {', '.join(types)}; all labels must be of one type"
        ) from None


def is_missing(value: Any) -> bool:
    """Return whether a value is None or NaN."""
    return value is None or (isinstance(value, (float, np.floating)) and bool(np.isnan(value)))


def listing(values: Any, limit: int = 6) -> str:
    """Return values as text for a message; of many values only the first few."""
    items = [repr(v) for v in (values.tolist() if isinstance(values, np.ndarray) else values)]
    return ", ".join(items[:limit]) + (f", ... ({len(items)} in all)" if len(items) > limit else "")
