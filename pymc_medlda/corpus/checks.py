"""Check and convert what users give to a corpus; each error says what came and what is allowed."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from pymc_medlda._arguments import check_unmasked, check_whole
from pymc_medlda._names import as_names, check_ordered, check_text, is_whole

Values = TypeVar("Values", bound=NDArray[Any])
# The largest vocabulary, and the largest count of one word in one document. Both are far beyond
# any text, so that a larger number is a mistake, which would otherwise run for minutes.
MOST = 100_000_000


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
    check_unmasked(argument, values)
    try:
        ids = np.asarray(values)
    except (TypeError, ValueError, OverflowError):
        raise TypeError(
            f"{argument} must be a one-dimensional array of integers; "
            f"got a {type(values).__name__} that is no array"
        ) from None
    if ids.size == 0 and not isinstance(values, np.ndarray):
        ids = ids.astype(np.int64)  # NumPy makes an empty list an array of floats
    if ids.ndim != 1 or ids.dtype.kind not in "iu":
        raise TypeError(
            f"{argument} must be a one-dimensional array of integers; "
            f"got {ids.ndim} dimensions of {ids.dtype}"
        )
    return ids


def as_starts(values: Any, n_tokens: int) -> NDArray[np.int64]:
    """Return the starts of the documents, which rise from 0 to the number of tokens."""
    starts = as_ids(values, "starts")
    # Compared before they are converted and subtracted: unsigned integers would wrap around.
    if (
        starts.size < 1
        or starts[0] != 0
        or starts[-1] != n_tokens
        or (starts[1:] < starts[:-1]).any()
    ):
        raise ValueError(
            f"starts must rise from 0 to the number of tokens, {n_tokens}; got {starts}"
        )
    return freeze(starts, np.int64)


def as_vocabulary(words: Iterable[str], argument: str = "vocabulary") -> NDArray[np.object_]:
    """Return distinct words as a read-only array of str.

    A mapping is read as scikit-learn writes it: each word with its position.
    """
    if isinstance(words, (str, bytes)):
        raise TypeError(f"{argument} must be a sequence of words; got one string, {words!r}")
    check_ordered(words, argument)
    try:
        entries = _by_position(words, argument) if isinstance(words, Mapping) else list(words)
    except TypeError:
        raise TypeError(
            f"{argument} must be a sequence of words; got {words!r} ({type(words).__name__})"
        ) from None
    for t, word in enumerate(entries):
        if not isinstance(word, str):
            raise TypeError(f"{argument} must hold strings; got {word!r} at position {t}")
    if len(set(entries)) < len(entries):
        again = Counter(entries).most_common(1)[0][0]
        raise ValueError(f"{argument} must hold distinct words; got {again!r} more than once")
    check_text(entries, argument)
    vocabulary = np.empty(len(entries), object)
    vocabulary[:] = [str(word) for word in entries]  # NumPy's own strings become plain str
    return seal(vocabulary)


def _by_position(words: Mapping[str, Any], argument: str) -> list[str]:
    """Return the words of a mapping from words to positions, in the order of the positions."""
    positions = list(words.values())
    whole = all(is_whole(position) for position in positions)
    if not whole or sorted(positions) != list(range(len(positions))):
        shown = ", ".join(map(repr, positions[:6]))
        raise ValueError(
            f"{argument} is a mapping, so it must hold the position of each word, the whole "
            f"numbers from 0 to {len(positions) - 1}; got {shown}"
        )
    return sorted(words, key=words.__getitem__)


def check_n_words(n_words: Any) -> None:
    """Raise unless ``n_words`` is None or a possible size of a vocabulary."""
    if n_words is not None:
        check_whole("n_words", n_words, at_least=0, at_most=MOST)


def vocabulary_size(
    words: NDArray[Any], vocabulary: NDArray[np.object_] | None, n_words: int | None
) -> int:
    """Return the number of words that a vocabulary, ``n_words`` or the ids themselves imply."""
    check_n_words(n_words)
    if vocabulary is None:
        if n_words is not None:
            return int(n_words)
        # An id that is too large is reported by the check of the ids.
        return min(int(words.max(initial=0)) + 1 if words.size else 0, MOST)
    if n_words is not None and n_words != vocabulary.size:
        raise ValueError(
            f"vocabulary must hold {n_words} words, one per column; got {vocabulary.size}"
        )
    return vocabulary.size


def check_ids(words: NDArray[Any], size: int) -> None:
    """Raise unless all word ids are below the size of the vocabulary."""
    if not words.size:
        return
    lowest, highest = int(words.min()), int(words.max())
    if lowest < 0 or highest >= size:
        raise ValueError(
            f"words must hold ids from 0 to {size - 1}, the ids of the vocabulary; "
            f"got {lowest if lowest < 0 else highest}"
        )


def as_document_names(names: Iterable[Any], n_documents: int) -> NDArray[Any]:
    """Return a name for each document as a read-only array of integers or of text."""
    named = as_names(names, "document_names")
    if named.size != n_documents:
        raise ValueError(
            f"document_names must hold {n_documents} names, one per document; got {named.size}"
        )
    return seal(named)


def check_memory(argument: str, n_bytes: int, what: str) -> None:
    """Raise if arrays of so many bytes cannot fit into the memory of this machine."""
    if not hasattr(os, "sysconf"):
        return
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    if n_bytes > memory:
        raise ValueError(
            f"{argument} has {what}, which would take {n_bytes / 2**30:.0f} GB of memory; "
            f"this machine has {memory / 2**30:.0f} GB"
        )
