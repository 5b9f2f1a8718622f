"""Turn documents given as lists of words or word ids into flat token arrays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pymc_medlda._arguments import check_unmasked
from pymc_medlda.corpus.checks import MOST, as_vocabulary


def number_tokens(
    documents: Iterable[Any], vocabulary: NDArray[np.object_] | None, *, drop: bool
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.object_] | None]:
    """Return lists of words or of word ids as flat arrays, with the vocabulary of the words.

    A word that is not in a given vocabulary is an error; if ``drop``, it is left out instead.
    """
    if isinstance(documents, (str, bytes)):
        raise TypeError("documents must be a list of lists of tokens; got one string")
    is_table = isinstance(documents, Mapping) or hasattr(documents, "columns")
    if is_table or not isinstance(documents, Iterable):
        raise TypeError(
            f"documents must be a list of lists of tokens; got {type(documents).__name__}"
        )
    check_unmasked("documents", documents)
    lists = [_as_list(document, d) for d, document in enumerate(documents)]
    starts = np.zeros(len(lists) + 1, np.int64)
    np.cumsum([len(tokens) for tokens in lists], out=starts[1:])
    first = next((tokens[0] for tokens in lists if len(tokens)), 0)
    if not isinstance(first, str):
        return join_ids(lists, vocabulary), starts, vocabulary
    _check_types(lists, str, "strings")
    if vocabulary is None:
        vocabulary = as_vocabulary(sorted(set().union(*lists)), "documents")
    ids = {word: t for t, word in enumerate(vocabulary)}
    # map and repeat run the loop over the tokens in C.
    numbers = map(ids.get, chain.from_iterable(lists), repeat(-1))
    words = np.fromiter(numbers, np.int32, starts[-1])
    if words.min(initial=0) < 0:
        if not drop:
            d = int(np.searchsorted(starts, np.argmin(words), side="right")) - 1
            unknown = next(word for word in lists[d] if word not in ids)
            raise ValueError(
                f"documents must hold words of the vocabulary; got {unknown!r} in document {d} "
                "(unknown='drop' leaves such words out)"
            )
        words, starts = drop_negative(words, starts)
    return words, starts, vocabulary


def join_ids(
    lists: Sequence[Sequence[int]], vocabulary: NDArray[np.object_] | None
) -> NDArray[np.int32]:
    """Return lists of word ids as one array, checked against the vocabulary if there is one."""
    pieces = [np.empty(0, np.int32)]
    largest = MOST - 1 if vocabulary is None else vocabulary.size - 1
    for d, tokens in enumerate(lists):
        if not isinstance(tokens, np.ndarray):
            _check_types([tokens], (int, np.integer), "integer ids", d)
        ids = np.asarray(tokens) if len(tokens) else pieces[0]
        if ids.dtype.kind not in "iu" or ids.ndim != 1:
            raise TypeError(f"documents must hold integer ids; document {d} holds {ids.dtype}")
        if ids.size and not (0 <= ids.min() and ids.max() <= largest):
            bad = ids[(ids < 0) | (ids > largest)][0]
            raise ValueError(
                f"documents must hold ids from 0 to {largest}; got {bad} in document {d}"
            )
        pieces.append(ids.astype(np.int32))
    return np.concatenate(pieces)


def drop_negative(
    words: NDArray[np.int32], starts: NDArray[np.int64]
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Leave out the tokens whose word id is negative, and move the starts accordingly."""
    kept = words >= 0
    before = np.zeros(words.size + 1, np.int64)
    np.cumsum(kept, out=before[1:])
    return words[kept], before[starts]


def _as_list(document: Any, d: int) -> Any:
    if isinstance(document, (str, bytes)):
        raise TypeError(f"documents must hold lists of tokens; document {d} is one string")
    if isinstance(document, Mapping):
        raise TypeError(
            f"documents must hold lists of tokens; document {d} is a {type(document).__name__}, "
            "whose values would be lost: repeat each word, list(counter.elements()), or give the "
            "counts as a matrix to from_dtm"
        )
    if not isinstance(document, Iterable) or getattr(document, "ndim", 1) == 0:
        raise TypeError(f"documents must hold lists of tokens; document {d} is {document!r}")
    check_unmasked(f"document {d} of documents", document)
    if isinstance(document, np.ndarray):
        return document if document.dtype.kind in "iufb" else document.tolist()
    return document if isinstance(document, (list, tuple)) else list(document)


def _check_types(
    lists: Iterable[Sequence[Any]], allowed: Any, expected: str, first: int = 0
) -> None:
    for d, tokens in enumerate(lists, first):
        for kind in set(map(type, tokens)):
            if kind is bool or not issubclass(kind, allowed):
                bad = next(token for token in tokens if type(token) is kind)
                raise TypeError(f"documents must hold {expected}; got {bad!r} in document {d}")
