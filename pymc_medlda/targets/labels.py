"""Code labels as ±1: one class per document, several labels per document, columns of labels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pymc_medlda._arrays import Floats
from pymc_medlda._names import check_ordered, check_text, is_missing
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
    position = find_classes(array, missing, present, name)
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
        values = np.where(missing, np.nan, np.where(position == 1, 1.0, -1.0))
        return Response("binary", values, present)
    values = np.where(position[:, None] == np.arange(present.size), 1.0, -1.0)
    values[missing] = np.nan
    once = present[(values > 0).sum(axis=0) == 1]
    if once.size and guessed:
        raise ValueError(
            f"{name} holds {listing(once)} once only; every class needs two documents or more "
            "(for real values give a regression loss such as EpsilonInsensitive(), for rare "
            "classes give Hinge(); fit has values=True and values=False for these, and the command "
            "line --values and --classes)"
        )
    return Response("multiclass", values, present)


def find_classes(
    array: NDArray[Any], missing: NDArray[np.bool_], present: NDArray[Any], name: str
) -> NDArray[np.intp]:
    """Return the position of each label among the classes, -1 where it is missing."""
    # A dictionary compares "1" and 1 as Python does; NumPy would turn both into text.
    place = {label: i for i, label in enumerate(present.tolist())}
    entries = zip(array.tolist(), missing.tolist(), strict=True)
    position = np.array([-1 if m else place.get(v, -2) for v, m in entries], np.intp)
    if (position == -2).any():
        raise ValueError(
            f"{name} holds {array[position == -2].tolist()[0]!r}, which is not one of the classes "
            f"{listing(present)}"
        )
    return position


def code_columns(
    array: NDArray[Any],
    missing: NDArray[np.bool_],
    tasks: NDArray[Any],
    partial: bool,
    name: str,
) -> Floats:
    """Code a matrix of labels column by column: 0 and 1, -1 and 1, booleans or any two values.

    In ``partial`` data a column may hold one value only, so that its coding cannot be seen: there
    labels must be 0 and 1, -1 and 1, or booleans.
    """
    values = np.full(array.shape, np.nan)
    if partial:
        found = distinct_values(array[~missing], name)
        if not (set(found.tolist()) <= {0, 1} or set(found.tolist()) <= {-1, 1}):
            raise ValueError(
                f"{name} holds {listing(found)}, but decisions are 0 or 1 for each label: give "
                "labels as 0 and 1, as -1 and 1, as booleans or as lists of labels"
            )
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


def code_label_lists(y: Any, classes: NDArray[Any] | None, partial: bool, name: str) -> Response:
    """Code one collection of labels per document."""
    rows = [None if is_missing(row) else _as_set(row, d, name) for d, row in enumerate(y)]
    found = {label for row in rows if row is not None for label in row}
    check_labels(found, name)
    labels = np.asarray(sorted(found)) if classes is None else classes
    if not labels.size:
        raise ValueError(f"{name} holds no label: at least one document must have one")
    outside = sorted(map(repr, found - set(labels.tolist())))
    if outside:
        raise ValueError(
            f"{name} holds the labels {', '.join(outside[:6])}, which are not among the declared "
            f"classes {listing(labels)}"
        )
    values = np.full((len(rows), labels.size), np.nan)
    for d, row in enumerate(rows):
        if row is not None:
            values[d] = [1.0 if label in row else -1.0 for label in labels.tolist()]
    given = values[~np.isnan(values[:, 0])]
    constant = labels[np.ptp(given, axis=0) == 0] if given.size else labels[:0]
    if constant.size and not partial:
        raise ValueError(
            f"labels {listing(constant)} of {name} are set for all documents or for none; "
            "a label must be set for some documents and not for others"
        )
    return Response("multilabel", values, labels)


def _as_set(row: Any, d: int, name: str) -> set[Any]:
    try:
        labels = set(row.tolist() if isinstance(row, np.ndarray) else row)
    except TypeError:
        labels = {None}
    if any(is_missing(label) for label in labels):
        raise TypeError(f"{name} must hold lists of labels; document {d} has {row!r}")
    return labels


def holds_label_lists(y: Any) -> bool:
    """Return whether y is a sequence of collections of labels, not a matrix of numbers."""
    if isinstance(y, np.ndarray) and y.dtype.kind != "O":
        return False
    if hasattr(y, "toarray") or hasattr(y, "columns"):
        return False
    rows = [row for row in y if not is_missing(row)]
    collections = (list, tuple, set, frozenset, np.ndarray)
    if not rows or not all(isinstance(row, collections) for row in rows):
        return False
    if any(isinstance(row, (set, frozenset)) for row in rows):
        return True
    ragged = len({len(row) for row in rows}) > 1
    return ragged or any(isinstance(label, str) for row in rows for label in row)


def check_not_ambiguous(y: Any, name: str) -> None:
    """Raise if rows of integers of equal length may be lists of labels as well as a matrix.

    An array is a matrix, and so are rows of 0 and 1 or of -1 and 1, the usual codes of a matrix.
    """
    if not isinstance(y, list) and not (isinstance(y, np.ndarray) and y.dtype.kind == "O"):
        return
    rows = [row for row in y if isinstance(row, (list, tuple, np.ndarray))]
    values = {value for row in rows for value in np.asarray(row, object).ravel().tolist()}
    if not values or values <= {0, 1} or values <= {-1, 1}:
        return
    if all(_kind(type(value)) == "number" and not isinstance(value, float) for value in values):
        raise ValueError(
            f"{name} holds rows of the integers {listing(sorted(values))}, all of one length: they "
            f"may be lists of labels or a matrix with one column per task. Give [set(row) for row "
            f"in {name}] for labels, np.array({name}) for a matrix"
        )


def check_labels(labels: Iterable[Any], name: str) -> str | None:
    """Return "text", "bool" or "number", the one type of all labels; raise if there are others."""
    types = {type(label) for label in labels}
    kinds = {_kind(kind) for kind in types}
    if None in kinds:
        bad = next(label for label in labels if _kind(type(label)) is None)
        raise TypeError(
            f"{name} holds {bad!r} ({type(bad).__name__}); labels must be strings, integers or "
            "booleans, values real numbers"
        )
    if len(kinds) > 1:
        names = ", ".join(sorted({kind.__name__ for kind in types}))
        raise ValueError(f"{name} mixes labels of types {names}; all labels must be of one type")
    if kinds == {"text"}:
        check_text(sorted(set(labels)), name)
    return kinds.pop() if kinds else None


def _kind(of: type[Any]) -> str | None:
    if issubclass(of, str):
        return "text"
    if issubclass(of, (bool, np.bool_)):
        return "bool"
    if issubclass(of, (int, float, np.integer, np.floating)):
        return None if issubclass(of, np.timedelta64) else "number"
    return None


def as_classes(classes: Sequence[Any] | NDArray[Any], argument: str = "classes") -> NDArray[Any]:
    """Return distinct classes, labels or names of tasks as an array."""
    if isinstance(classes, (str, bytes)) or not isinstance(classes, Iterable):
        raise TypeError(f"{argument} must be a sequence of labels, got {classes!r}")
    check_ordered(classes, argument)
    entries = classes.tolist() if isinstance(classes, np.ndarray) else list(classes)
    missing = [position for position, label in enumerate(entries) if is_missing(label)]
    if missing:
        raise ValueError(f"{argument} must hold labels, got a missing one at {missing[0]}")
    check_labels(entries, argument)
    if not entries:
        raise ValueError(f"{argument} must hold at least one label, got none")
    if len(set(entries)) < len(entries):
        again = next(label for label in entries if entries.count(label) > 1)
        raise ValueError(f"{argument} must hold distinct labels, got {again!r} more than once")
    return np.asarray(entries)


def distinct_values(values: NDArray[Any], name: str) -> NDArray[Any]:
    """Return the sorted distinct values; raise if they are of types that cannot be compared."""
    if values.dtype.kind != "O":
        found = np.unique(values)
        if values.dtype.kind == "U":
            check_text(found.tolist(), name)
        return found
    check_labels(values.tolist(), name)
    return np.asarray(sorted(set(values.tolist())))


def listing(values: Any, limit: int = 6) -> str:
    """Return values as text for a message; of many values, and of long ones, only the beginning."""
    items = [_shorten(v) for v in (values.tolist() if isinstance(values, np.ndarray) else values)]
    return ", ".join(items[:limit]) + (f", ... ({len(items)} in all)" if len(items) > limit else "")


def _shorten(value: Any, most: int = 40) -> str:
    """Return a value as text; a whole document, given as a label by mistake, is cut short."""
    text = repr(value)
    return text if len(text) <= most else f"{text[: most - 3]}..."
