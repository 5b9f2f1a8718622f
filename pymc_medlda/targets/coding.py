"""Responses: what a user gives as y, coded as numbers a loss understands, and back.

Labels become ±1 and missing ones NaN; classes and task names are kept to decode decisions.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pymc_medlda.losses import EpsilonInsensitive, Hinge, Loss

# A child of PyMC's logger: its messages appear where PyMC's do.
_log = logging.getLogger("pymc.medlda")

KINDS = ("binary", "multiclass", "multilabel", "real")


@dataclass(frozen=True)
class Response:
    """A coded response.

    Attributes
    ----------
    kind : str
        ``"binary"``, ``"multiclass"``, ``"multilabel"`` or ``"real"``.
    values : (n_documents,) or (n_documents, n_tasks) float array
        ±1 for labels, the values themselves otherwise; NaN where missing.
    classes : array or None
        The two class values (the second is coded +1), the classes, or the label names; None for
        real responses without task names.
    """

    kind: str
    values: NDArray[np.float64]
    classes: NDArray[Any] | None

    @property
    def n_tasks(self) -> int:
        """Number of discriminants a document has."""
        return 1 if self.values.ndim == 1 else self.values.shape[1]


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
    """Code ``y`` as a `Response`, choosing its kind from its values where not told.

    Parameters
    ----------
    y : array-like
        One value, one label or one list of labels a document, or a matrix with a column a task.
        NaN (or None, among labels) marks a missing entry.
    n_documents : int
        Length that y must have.
    takes_labels : bool, optional
        Whether the loss wants labels or real values. By default two distinct values, or discrete
        ones (strings, booleans, integers), are labels and other numbers are real values.
    single : bool, optional
        Whether the model has one discriminant a document (two classes or one value) or several.
    classes : sequence, optional
        The allowed classes or labels, in order; by default those that occur, sorted.
    partial : bool
        Whether y is a part (held-out documents, say) that need not hold every class and label.
    name : str
        How errors call the argument.

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
    if _holds_label_lists(y):
        _check_length(len(y), n_documents, name)
        return _code_label_lists(y, classes, partial, name)
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
            values = _code_columns(array, missing, task_names, partial, name)
            return Response("multilabel", values, task_names)
        return Response("real", _as_reals(array, missing, name), task_names)
    if array.ndim != 1:
        raise ValueError(f"{name} must have one or two dimensions, got {array.ndim}")
    present = _distinct(array[~missing], name) if classes is None else np.asarray(classes)
    guessed = takes_labels is None
    if takes_labels is None:
        takes_labels = present.size <= 2 or array.dtype.kind not in "f"
    if not takes_labels:
        return Response("real", _as_reals(array, missing, name), None)
    return _code_classes(array, missing, present, single, guessed, name)


def choose_loss(response: Response) -> Loss:
    """Return the loss that fits a response of this kind, and say which in one log line."""
    if response.kind == "real":
        loss: Loss = EpsilonInsensitive()
        text = "real values: epsilon-insensitive loss (regression)"
    elif response.kind == "binary":
        loss = Hinge(margin=164.0)
        text = f"two classes {_listing(response.classes)}: hinge loss, margin 164"
    else:
        loss = Hinge(margin=64.0)
        many, one = ("classes", "class") if response.kind == "multiclass" else ("labels", "label")
        text = f"{response.n_tasks} {many}: one hinge loss a {one} (multi-task), margin 64"
    _log.info("y has %s", text)
    return loss


def weigh_classes(c: Mapping[Any, float], response: Response) -> NDArray[np.float64]:
    """Turn a mapping from class (or label) to weight into an array shaped as the coded values.

    Two or several classes weigh the documents of a class; labels weigh the label's task.
    """
    assert response.classes is not None
    known = list(response.classes.tolist())
    unknown = [key for key in c if key not in known]
    if unknown:
        raise ValueError(f"c weighs {_listing(unknown)}, but the classes are {_listing(known)}")
    weight = np.array([float(c.get(value, 1.0)) for value in known])
    values = response.values
    if response.kind == "binary":
        return np.where(values > 0, weight[1], weight[0])
    if response.kind == "multiclass":
        own = np.where(np.isnan(values[:, 0]), 1.0, weight[np.argmax(values, axis=1)])
        return np.broadcast_to(own[:, None], values.shape).copy()
    return np.broadcast_to(weight, values.shape).copy()


def score_response(
    kind: str, y: NDArray[np.float64], discriminant: NDArray[np.float64], given: Any
) -> float:
    """Return the accuracy of the decisions, R² of real responses; NaN where it is undefined.

    ``y`` and ``discriminant`` are (n_documents, n_tasks); ``given`` is a mask of the entries of y
    that are not missing, or True.
    """
    if y.size == 0 or (given is not True and not given.any()):
        return float("nan")
    if kind == "real":
        residual = float(np.square(y - discriminant).sum(where=given))
        spread = float(np.square(y - np.mean(y, axis=0, where=given)).sum(where=given))
        return 1.0 - residual / spread if spread > 0 else float("nan")
    if kind == "multiclass":
        hit = np.argmax(discriminant, axis=1) == np.argmax(y, axis=1)
        return float(hit.mean() if given is True else hit[given.all(axis=1)].mean())
    n_right = int(np.count_nonzero(y * discriminant > 0))
    return n_right / (y.size if given is True else int(np.count_nonzero(given)))


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
        filled = [v for v in values if not _is_missing(v)]
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
                [np.nan if _is_missing(v) else v for v in values], dtype=np.float64
            ).reshape(array.shape)
    return array


def _is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, (float, np.floating)) and bool(np.isnan(value)))


def _missing(array: NDArray[Any], name: str) -> NDArray[np.bool_]:
    if array.dtype.kind == "f":
        if np.isinf(array).any():
            raise ValueError(
                f"{name} holds infinite values; finite numbers are allowed, NaN marks a missing one"
            )
        return np.isnan(array)
    if array.dtype.kind == "O":
        return np.array([_is_missing(v) for v in array.ravel()], bool).reshape(array.shape)
    if array.dtype.kind not in "biuUS":
        raise TypeError(
            f"{name} has dtype {array.dtype}; labels (strings, integers, booleans), real numbers "
            "or lists of labels are allowed"
        )
    return np.zeros(array.shape, bool)


def _distinct(values: NDArray[Any], name: str) -> NDArray[Any]:
    """Return the distinct values, sorted, of one type."""
    if values.dtype.kind != "O":
        return np.unique(values)
    found = set(values.tolist())
    try:
        return np.asarray(sorted(found))
    except TypeError:
        types = sorted({type(v).__name__ for v in found})
        raise ValueError(
            f"{name} mixes labels of types {', '.join(types)}; one type is allowed"
        ) from None


def _check_length(length: int, n_documents: int, name: str) -> None:
    if length != n_documents:
        raise ValueError(
            f"{name} has {length} entries, but the corpus has {n_documents} documents; "
            "give one entry a document (NaN where it is missing)"
        )


def _as_reals(array: NDArray[Any], missing: NDArray[np.bool_], name: str) -> NDArray[np.float64]:
    try:
        reals: NDArray[np.float64] = np.where(missing, np.nan, array).astype(np.float64)
    except (TypeError, ValueError):
        raise ValueError(
            f"{name} holds labels such as {array[~missing].ravel()[0]!r}, but this loss needs real "
            "numbers"
        ) from None
    return reals


def _code_classes(
    array: NDArray[Any],
    missing: NDArray[np.bool_],
    present: NDArray[Any],
    single: bool | None,
    guessed: bool,
    name: str,
) -> Response:
    """Code a vector of class labels, for one discriminant (two classes) or one a class.

    A class that occurs once hints at real values taken for labels: it is refused where the kind
    of the response is ``guessed``, not where a loss of labels asks for classes.
    """
    outside = ~missing & ~np.isin(array, present)
    if outside.any():
        raise ValueError(
            f"{name} holds {array[outside][0]!r}, which is not among the classes "
            f"{_listing(present)}"
        )
    if present.size < 2 and not missing.all():
        raise ValueError(
            f"{name} has one class only ({_listing(present)}); two or more are needed to classify"
        )
    if present.size == 0:
        present = np.array([-1, 1])
    if single is None:
        single = present.size == 2
    if single and present.size > 2:
        raise ValueError(
            f"{name} has {present.size} classes ({_listing(present)}), but eta holds one weight a "
            "topic: give eta the shape (classes, topics), or two classes"
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
            f"{name} holds {_listing(once)} once only; every class needs two documents or more "
            "(for real values give a regression loss such as EpsilonInsensitive(), for rare "
            "classes Hinge())"
        )
    return Response("multiclass", values, present)


def _code_columns(
    array: NDArray[Any],
    missing: NDArray[np.bool_],
    tasks: NDArray[Any],
    partial: bool,
    name: str,
) -> NDArray[np.float64]:
    """Code a matrix of labels, column by column; {0, 1}, {-1, 1}, booleans or any two values."""
    values = np.full(array.shape, np.nan)
    if partial:
        return np.where(missing, np.nan, np.where(np.where(missing, 0, array) > 0, 1.0, -1.0))
    for i, task in enumerate(tasks):
        given = array[~missing[:, i], i]
        distinct = _distinct(given, name)
        if distinct.size != 2 and given.size:
            raise ValueError(
                f"column {task} of {name} has {distinct.size} distinct values "
                f"({_listing(distinct)}); a task needs exactly two (NaN marks missing entries)"
            )
        values[~missing[:, i], i] = np.where(given == distinct[-1], 1.0, -1.0) if given.size else 0
    return values


def _holds_label_lists(y: Any) -> bool:
    """Tell whether y is a sequence of label collections, not a matrix of numbers."""
    if isinstance(y, np.ndarray) and y.dtype.kind != "O":
        return False
    if hasattr(y, "toarray") or hasattr(y, "columns") or isinstance(y, (str, Mapping)):
        return False
    rows = [row for row in y if not _is_missing(row)] if isinstance(y, Iterable) else []
    if not rows or not all(isinstance(row, (list, tuple, set, frozenset)) for row in rows):
        return False
    ragged = len({len(row) for row in rows}) > 1
    return ragged or any(isinstance(label, str) for row in rows for label in row)


def _code_label_lists(
    y: Any, classes: Sequence[Any] | NDArray[Any] | None, partial: bool, name: str
) -> Response:
    rows = [None if _is_missing(row) else set(row) for row in y]
    found = {label for row in rows if row is not None for label in row}
    labels = np.asarray(sorted(found) if classes is None else list(classes))
    outside = sorted(map(str, found - set(labels.tolist())))
    if outside:
        raise ValueError(
            f"{name} holds the labels {_listing(outside)}, which are not among the declared "
            f"classes {_listing(labels)}"
        )
    values = np.full((len(rows), labels.size), np.nan)
    for d, row in enumerate(rows):
        if row is not None:
            values[d] = [1.0 if label in row else -1.0 for label in labels.tolist()]
    given = values[~np.isnan(values[:, 0])] if labels.size else values
    constant = labels[np.ptp(given, axis=0) == 0] if given.size else labels[:0]
    if constant.size and not partial:
        raise ValueError(
            f"labels {_listing(constant)} of {name} are set for all documents or for none; "
            "a label needs both"
        )
    return Response("multilabel", values, labels)


def _listing(values: Any, limit: int = 6) -> str:
    """Write values for a message, the first few of many."""
    items = [repr(v) for v in (values.tolist() if isinstance(values, np.ndarray) else values)]
    return ", ".join(items[:limit]) + (f", ... ({len(items)} in all)" if len(items) > limit else "")
