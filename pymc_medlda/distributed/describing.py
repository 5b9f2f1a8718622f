"""What is asked of every partition before sampling, and how the y of partitions become numbers."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pymc_medlda._arguments import as_numbers
from pymc_medlda._arrays import Floats
from pymc_medlda._names import is_missing
from pymc_medlda.distributed.partitions import Partition, Partitions, check_offset
from pymc_medlda.targets.coding import code_response
from pymc_medlda.targets.labels import distinct_values, holds_label_lists, listing
from pymc_medlda.targets.reading import as_array, as_sequence
from pymc_medlda.targets.response import Response

MOST_CLASSES = 2  # numbers with more different values are real values, unless a loss takes labels


class Labels(NamedTuple):
    """What y of a partition looks like."""

    form: str  # "vector", "matrix" or "lists"
    n_columns: int
    # The labels that occur; three different numbers at most, if they may be real values.
    values: tuple[Any, ...]
    is_float: bool = False  # whether these are numbers that may be real values


class Description(NamedTuple):
    """What is asked of every partition before sampling."""

    frequency: NDArray[np.int64]  # how often each word occurs
    n_documents: int
    n_tokens: int
    vocabulary: str  # a digest
    content: str  # a digest of tokens, y and offset: a checkpoint belongs to these
    labels: Labels | None  # where y is a part of the partition, and not coded


class Summary(NamedTuple):
    """The part of a description that does not grow with the vocabulary."""

    n_documents: int
    n_tokens: int
    n_words: int
    vocabulary: str
    content: str
    labels: Labels | None


def describe(part: Partition, takes_labels: bool | None) -> Description:
    """Count the words of a partition, and find its labels."""
    corpus, y, offset = part.load()
    frequency = np.bincount(corpus.words, minlength=corpus.n_words)
    words = [] if corpus.vocabulary is None else corpus.vocabulary.tolist()
    names = digest("\0".join(words).encode(errors="replace"))
    tokens = np.ascontiguousarray(corpus.words, np.int32), np.asarray(corpus.lengths, np.int64)
    content = digest(*tokens, as_bytes(y), as_bytes(offset))
    sizes = corpus.n_documents, corpus.n_tokens
    return Description(frequency, *sizes, names, content, find_labels(y, takes_labels))


def digest(*contents: Any) -> str:
    """Return a short name of arrays and bytes."""
    state = hashlib.blake2b(digest_size=8)
    for content in contents:
        state.update(content)
    return state.hexdigest()


def as_bytes(values: Any) -> Any:
    """Return numbers as their bytes, and labels as text, whatever holds them."""
    if values is None:
        return b""
    if isinstance(values, Response):
        return np.ascontiguousarray(values.values, np.float64)
    rows = as_sequence(values, "y")
    if not holds_label_lists(rows):
        array = np.asarray(rows)
        if array.dtype.kind in "biuf":
            return np.ascontiguousarray(array, np.float64)
        rows = array.tolist()
    # Labels of a set come in any order.
    return repr([sorted(map(repr, row)) if _is_set(row) else row for row in rows]).encode()


def _is_set(row: Any) -> bool:
    return isinstance(row, (set, frozenset))


def summary_of(description: Description) -> Summary:
    """Return what the driver reads of a description."""
    frequency, n_documents, n_tokens, vocabulary, content, labels = description
    return Summary(n_documents, n_tokens, frequency.size, vocabulary, content, labels)


def find_labels(y: Any, takes_labels: bool | None) -> Labels | None:
    """Return what y of a partition looks like, None if it has none or it is coded already."""
    if y is None or isinstance(y, Response):
        return None
    values = as_sequence(y, "y")
    if holds_label_lists(values):
        rows = (row for row in values if not is_missing(row))
        return Labels("lists", 0, tuple({label for row in rows for label in row}))
    array, missing = as_array(values, "y")
    n_columns = array.shape[1] if array.ndim == 2 else 0
    form = "matrix" if array.ndim == 2 else "vector"
    is_float = array.dtype.kind == "f"
    if takes_labels is False or (n_columns and (takes_labels or not is_float)):
        return Labels(form, n_columns, ())
    found = distinct_values(array[~missing], "y")
    # Three tell that numbers are real values, of which there may be as many as documents.
    limited = found[: MOST_CLASSES + 1] if is_float and takes_labels is None else found
    return Labels(form, n_columns, tuple(limited.tolist()), is_float)


def vocabulary_of(part: Partition) -> NDArray[np.object_] | None:
    """Return the vocabulary of a partition."""
    return part.load()[0].vocabulary


def spread_offset(offset: Any, n_documents: int, n_tasks: int) -> Floats:
    """Return the offset of a partition, (n_documents, n_tasks)."""
    if offset is None:
        return np.zeros((n_documents, n_tasks))
    array = as_numbers("offset", offset)
    check_offset(array, n_documents, n_tasks)
    columns = array if array.ndim == 2 else array[:, None]
    return np.broadcast_to(columns, (n_documents, n_tasks)).copy()


class Coding(NamedTuple):
    """How y of a partition becomes numbers: as it would with all documents together."""

    kind: str
    classes: Any
    takes_labels: bool | None
    has_columns: bool  # whether y is a matrix once it is coded

    @property
    def n_tasks(self) -> int:
        """Number of discriminants of each document."""
        return len(self.classes) if self.has_columns else 1

    def code(self, y: Any, n_documents: int) -> Floats:
        """Return the coded values of a partition."""
        if isinstance(y, Response):
            return y.values
        if n_documents == 0:
            return np.empty((0, self.n_tasks) if self.has_columns else 0)
        coded = code_response(
            y,
            n_documents=n_documents,
            takes_labels=self.takes_labels,
            single=True if self.kind == "binary" else None,
            classes=None if self.kind == "real" else self.classes,
            partial=True,
        )
        if coded.kind != self.kind:
            raise ValueError(
                f"y of a partition is {coded.kind}, but that of the others is {self.kind}: give "
                "the same kind of values, and a loss, in all of them"
            )
        return coded.values


def code_here(given: Partitions, takes_labels: bool | None) -> tuple[Partitions, Coding | None]:
    """Code y where it is known here, and give every partition its own; None if it is not."""
    if given.y is None or given.edges is None:
        return given, None
    n_documents = int(given.edges[-1])
    coded = code_response(
        given.y, n_documents=n_documents, takes_labels=takes_labels, classes=given.classes
    )
    parts = []
    for part, first, last in zip(given.parts, given.edges[:-1], given.edges[1:], strict=True):
        own = Response(coded.kind, coded.values[first:last], coded.classes)
        parts.append(Partition(replace(part.loader, y=own)))  # type: ignore[type-var]
    coding = Coding(coded.kind, coded.classes, takes_labels, coded.values.ndim == 2)
    return replace(given, parts=parts), coding


def find_coding(
    given: Partitions, summaries: Sequence[Summary], takes_labels: bool | None
) -> Coding | None:
    """Return how partitions code the y that they load; None if they have none."""
    # Partitions without documents have nothing to say.
    known = [summary.labels for summary in summaries if summary.n_documents]
    found = [labels for labels in known if labels is not None]
    if not found:
        return None
    if len(found) < len(known):
        raise ValueError(
            "y must be there in all partitions or in none; "
            f"{len(known) - len(found)} of {len(known)} have none"
        )
    forms = sorted({labels.form for labels in found})
    widths = sorted({labels.n_columns for labels in found})
    if len(forms) > 1 or len(widths) > 1:
        came = f"{' and '.join(forms)}, with {' and '.join(map(str, widths))} columns"
        raise ValueError(f"y must have the same form in all partitions; got {came}")
    form, n_columns = forms[0], widths[0]
    values: set[Any] = set().union(*(labels.values for labels in found))
    names = {_name_type(value) for labels in found for value in labels.values}
    if len(names) > 1:
        raise TypeError(
            f"y must hold labels of one type in all partitions; got {' and '.join(sorted(names))}"
        )
    classes: Any = given.classes
    if takes_labels is None and any(labels.is_float for labels in found):
        # As `code_response` does with all documents together.
        n_classes = len(values) if classes is None or form == "matrix" else len(classes)
        takes_labels = n_classes <= MOST_CLASSES
    if takes_labels is False:
        tasks = None if form != "matrix" else np.arange(n_columns)
        return Coding("real", tasks, False, form == "matrix")
    if form == "matrix":
        classes = np.arange(n_columns) if classes is None else np.asarray(classes)
        return Coding("multilabel", classes, True, True)
    if classes is None:
        classes = sorted(values)
    if form == "lists":
        return Coding("multilabel", np.asarray(classes), True, True)
    if len(classes) == 1:
        raise ValueError(
            f"y has one class only ({listing(classes)}); two or more are needed to classify"
        )
    classes = classes if len(classes) else [-1, 1]
    binary = len(classes) == 2
    return Coding("binary" if binary else "multiclass", np.asarray(classes), True, not binary)


def _name_type(label: Any) -> str:
    """Return "text", "booleans" or "numbers"."""
    if isinstance(label, str):
        return "text"
    return "booleans" if isinstance(label, (bool, np.bool_)) else "numbers"
