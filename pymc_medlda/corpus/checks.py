"""Check and convert what users give to a corpus; each error says what came and what is allowed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Values = TypeVar("Values", bound=NDArray[Any])
# Word ids are int32.
LARGEST = int(np.iinfo(np.int32).max)


def seal(values: Values) -> Values:
    """Make an array read-only in place and return it; for arrays that no caller holds."""
    values.setflags(write=False)
    return values


def freeze(values: NDArray[Any], dtype: type[Any]) -> NDArray[Any]:
    """Return a read-only contiguous array of the dtype, copied unless it already is one."""
    if values.dtype == dtype and not values.flags.writeable and values.flags.c_contiguous:
        return values
    return seal(np.array(values, dtype=dtype))


def as_ids(values: Any, argument: str) -> NDArray[Any]:
    """Return integers as a one-dimensional array of the integer dtype they came in."""
    ids = np.asarray(values)
    if ids.size == 0 and not isinstance(values, np.ndarray):
        ids = ids.astype(np.int64)  # NumPy makes an empty list an array of floats
    if ids.ndim != 1 or ids.dtype.kind not in "iu":
        raise TypeError(
            f"{argument} must be a one-dimensional array of integers; "
            f"got {ids.ndim} dimensions of {ids.dtype}"
        )
    return ids


def as_vocabulary(words: Iterable[str]) -> NDArray[np.object_]:
    """Return distinct words as a read-only array of str."""
    if isinstance(words, str):
        raise TypeError("vocabulary must be a sequence of words; got one string")
    entries = list(words)
    for t, word in enumerate(entries):
        if not isinstance(word, str):
            raise TypeError(f"vocabulary must hold strings; got {word!r} at position {t}")
    if len(set(entries)) < len(entries):
        again = Counter(entries).most_common(1)[0][0]
        raise ValueError(f"vocabulary must hold distinct words; got {again!r} more than once")
    vocabulary = np.empty(len(entries), object)
    vocabulary[:] = [str(word) for word in entries]  # NumPy's own strings become plain str
    return seal(vocabulary)


def vocabulary_size(
    words: NDArray[Any], vocabulary: NDArray[np.object_] | None, n_words: int | None
) -> int:
    """Return the number of words that a vocabulary, ``n_words`` or the ids themselves imply."""
    if n_words is not None and (isinstance(n_words, bool) or not _is_count(n_words)):
        raise ValueError(f"n_words must be a whole number, 0 or more; got {n_words!r}")
    if vocabulary is None:
        return int(words.max(initial=-1)) + 1 if n_words is None else int(n_words)
    if n_words is not None and n_words != vocabulary.size:
        raise ValueError(
            f"vocabulary must hold {n_words} words, one per column; got {vocabulary.size}"
        )
    return vocabulary.size


def _is_count(value: Any) -> bool:
    return isinstance(value, (int, np.integer)) and 0 <= int(value) <= LARGEST


def as_names(names: Iterable[Any], n_documents: int) -> NDArray[Any]:
    """Return a name for each document as a read-only array."""
    if isinstance(names, str):
        raise TypeError("document_names must be a sequence of names; got one string")
    entries = list(names)
    if len(entries) != n_documents:
        raise ValueError(
            f"document_names must hold {n_documents} names, one per document; got {len(entries)}"
        )
    if entries and all(isinstance(name, (int, np.integer)) for name in entries):
        return seal(np.array(entries))
    named = np.empty(n_documents, object)
    named[:] = entries
    return seal(named)


def as_positions(selection: Any, n_documents: int) -> NDArray[np.intp]:
    """Return the positions of the documents that a slice, positions or a boolean mask selects."""
    if isinstance(selection, slice):
        return np.arange(n_documents)[selection]
    rows = np.asarray(selection)
    if rows.ndim == 1 and rows.size == 0 and not isinstance(selection, np.ndarray):
        rows = rows.astype(np.intp)
    if rows.ndim != 1 or rows.dtype.kind not in "iub":
        raise TypeError(
            "a corpus is indexed by a slice, integer positions or a boolean mask; "
            f"got {selection!r} (write corpus[[3]] for one document)"
        )
    if rows.dtype.kind == "b":
        if rows.size != n_documents:
            raise IndexError(f"a mask must have {n_documents} entries; got {rows.size}")
        return np.flatnonzero(rows)
    if rows.size and (rows.min() < -n_documents or rows.max() >= n_documents):
        raise IndexError(
            f"positions must lie between {-n_documents} and {n_documents - 1}; "
            f"got {rows[(rows < -n_documents) | (rows >= n_documents)][0]}"
        )
    rows = rows.astype(np.intp)
    return np.where(rows < 0, rows + n_documents, rows)
