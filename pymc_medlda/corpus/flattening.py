"""Flatten matrices of counts and lists of tokens into the arrays of a corpus."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain, repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from pymc_medlda.corpus.checks import LARGEST, as_vocabulary

# Temporaries are made for this many stored counts at a time, so that loading needs little memory
# beyond the arrays it returns.
BLOCK = 1 << 18


def expand_counts(
    matrix: sparse.csr_array | sparse.csr_matrix,
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Repeat each column index as often as its count, row after row.

    Parameters
    ----------
    matrix : (n_documents, n_words) CSR
        Whole counts, of any numeric dtype.

    Returns
    -------
    words : (n_tokens,) int32 array
    starts : (n_documents + 1,) int64 array
    """
    counts, indices, indptr = matrix.data, matrix.indices, matrix.indptr
    blocks = [(i, min(i + BLOCK, counts.size)) for i in range(0, counts.size, BLOCK)]
    for first, last in blocks:
        check_counts(matrix, first, last)
    words = np.empty(sum(int(counts[i:j].sum(dtype=np.int64)) for i, j in blocks), np.int32)
    starts = np.zeros(indptr.size, np.int64)
    end = 0
    for first, last in blocks:
        block = counts[first:last].astype(np.intp)
        ends = end + np.cumsum(block)
        words[end : ends[-1]] = np.repeat(indices[first:last], block)
        # The rows whose last stored count lies in this block end here.
        low, high = np.searchsorted(indptr, [first, last], side="right")
        starts[low:high] = ends[indptr[low:high] - first - 1]
        end = int(ends[-1])
    return words, starts


def check_counts(matrix: sparse.csr_array | sparse.csr_matrix, first: int, last: int) -> None:
    """Refuse negative, fractional and non-finite counts among the stored ones."""
    block = matrix.data[first:last]
    # NaN fails every comparison, so it needs no case of its own.
    good = (block >= 0) & (block <= LARGEST)
    if block.dtype.kind == "f":
        good &= block == np.trunc(block)
    if good.all():
        return
    position = first + int(np.argmin(good))
    row = int(np.searchsorted(matrix.indptr, position, side="right")) - 1
    raise ValueError(
        f"matrix must hold counts, whole numbers from 0 to {LARGEST}; "
        f"got {matrix.data[position]} in row {row}, column {matrix.indices[position]}"
    )


def as_csr(matrix: Any) -> sparse.csr_array | sparse.csr_matrix:
    """Return a sparse or dense matrix as CSR with sorted, unique indices in each row."""
    if not sparse.issparse(matrix):
        matrix = np.asarray(matrix)
    if matrix.ndim != 2:
        raise ValueError(f"matrix must have two dimensions, documents and words; got {matrix.ndim}")
    if matrix.dtype.kind not in "biuf":
        raise TypeError(f"matrix must hold integer counts; got the dtype {matrix.dtype}")
    if matrix.shape[1] > LARGEST:
        raise ValueError(f"matrix must have at most {LARGEST} columns; got {matrix.shape[1]}")
    csr = sparse.csr_array(matrix) if isinstance(matrix, np.ndarray) else matrix.tocsr()
    if not csr.has_canonical_format:
        csr = csr.copy() if csr is matrix else csr  # the caller's matrix is not ours to sort
        csr.sum_duplicates()
    return csr


def number_tokens(
    documents: Iterable[Any], vocabulary: NDArray[np.object_] | None, *, drop: bool
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.object_] | None]:
    """Return lists of words or of word ids as flat arrays, with the vocabulary of the words.

    Words that a given vocabulary does not have are an error, or left out if ``drop``.
    """
    if isinstance(documents, (str, bytes)):
        raise TypeError("documents must be a list of lists of tokens; got one string")
    lists = [_as_list(document, d) for d, document in enumerate(documents)]
    starts = np.zeros(len(lists) + 1, np.int64)
    np.cumsum([len(tokens) for tokens in lists], out=starts[1:])
    first = next((tokens[0] for tokens in lists if len(tokens)), 0)
    if not isinstance(first, str):
        return join_ids(lists, vocabulary), starts, vocabulary
    _check_types(lists, str, "strings")
    if vocabulary is None:
        vocabulary = as_vocabulary(sorted(set().union(*lists)))
    ids = {word: t for t, word in enumerate(vocabulary)}
    # map and repeat keep the loop over the tokens out of the interpreter.
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
    """Return lists of word ids as one array."""
    pieces = [np.empty(0, np.int32)]
    largest = LARGEST if vocabulary is None else vocabulary.size - 1
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
    """Leave out the tokens that have no word."""
    kept = words >= 0
    before = np.zeros(words.size + 1, np.int64)
    np.cumsum(kept, out=before[1:])
    return words[kept], before[starts]


def _as_list(document: Any, d: int) -> Any:
    if isinstance(document, (str, bytes)):
        raise TypeError(f"documents must hold lists of tokens; document {d} is one string")
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
