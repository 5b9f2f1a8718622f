"""Turn a document-term matrix of counts into flat token arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from pymc_medlda._arguments import check_unmasked
from pymc_medlda.corpus.checks import MOST, check_memory

# Temporary arrays cover this many stored counts at a time, so that loading needs little memory
# beyond the arrays it returns.
BLOCK = 1 << 18


def as_csr(matrix: Any) -> sparse.csr_array | sparse.csr_matrix:
    """Return a sparse or dense matrix as CSR with sorted, unique indices in each row."""
    check_unmasked("matrix", matrix)
    if not sparse.issparse(matrix):
        try:
            matrix = np.asarray(matrix)
        except (TypeError, ValueError):
            raise TypeError(
                "matrix must have one row per document, all of the same length; "
                f"got a {type(matrix).__name__} of rows of unequal length"
            ) from None
    if matrix.ndim != 2:
        raise ValueError(f"matrix must have two dimensions, documents and words; got {matrix.ndim}")
    if matrix.dtype.kind not in "biuf":
        raise TypeError(f"matrix must hold integer counts; got the dtype {matrix.dtype}")
    if matrix.shape[1] > MOST:
        raise ValueError(f"matrix must have at most {MOST} columns; got {matrix.shape[1]}")
    if isinstance(matrix, np.ndarray):
        return sparse.csr_array(matrix)
    # Two arrays of row starts: those of the matrix and those of the corpus.
    check_memory("matrix", 16 * matrix.shape[0], f"{matrix.shape[0]} rows")
    _check_structure(matrix)
    if matrix.format in ("coo", "bsr"):
        matrix = _widen(matrix)  # these add up repeated entries when they become CSR
    csr = matrix.tocsr()
    if not csr.has_canonical_format:
        # sum_duplicates works in place, and the caller's matrix must stay as it is.
        csr = _widen(csr).copy() if csr is matrix else _widen(csr)
        csr.sum_duplicates()
    return csr


def _widen(matrix: Any) -> Any:
    """Return the matrix with entries that can be added up: 200 + 200 is 144 among uint8."""
    if matrix.dtype.kind == "f":
        return matrix.astype(np.float64)
    if matrix.dtype.kind == "b":
        return matrix  # True twice is True
    largest = int(matrix.data.max(initial=0))
    if largest > MOST:
        raise ValueError(_no_count(largest))
    return matrix.astype(np.int64)


def _check_structure(matrix: Any) -> None:
    """Raise if the index arrays of a sparse matrix point outside it: SciPy's loops trust them."""
    try:
        if matrix.format in ("csr", "csc", "bsr"):
            matrix.check_format(full_check=True)
        elif matrix.format == "coo":
            for places, size in zip((matrix.row, matrix.col), matrix.shape, strict=True):
                if places.size and not 0 <= int(places.min()) <= int(places.max()) < size:
                    raise ValueError("an index lies outside the shape")
    except ValueError as error:
        raise ValueError(f"matrix is not a valid sparse matrix: {error}") from None


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
    n_tokens = sum(int(counts[i:j].sum(dtype=np.int64)) for i, j in blocks)
    # The ids of the tokens, and as much again while they are written.
    check_memory("matrix", 8 * n_tokens, f"{n_tokens} tokens")
    words = np.empty(n_tokens, np.int32)
    starts = np.zeros(indptr.size, np.int64)
    end = 0
    for first, last in blocks:
        block = counts[first:last].astype(np.intp)
        ends = end + np.cumsum(block)
        words[end : ends[-1]] = np.repeat(indices[first:last], block)
        # Set the ends of the rows whose last stored count lies in this block.
        low, high = np.searchsorted(indptr, [first, last], side="right")
        starts[low:high] = ends[indptr[low:high] - first - 1]
        end = int(ends[-1])
    return words, starts


def check_counts(matrix: sparse.csr_array | sparse.csr_matrix, first: int, last: int) -> None:
    """Raise if a stored count from ``first`` to ``last`` is negative, fractional or not finite."""
    block = matrix.data[first:last]
    # NaN fails every comparison, so it needs no separate test.
    good = (block >= 0) & (block <= MOST)
    if block.dtype.kind == "f":
        good &= block == np.trunc(block)
    if good.all():
        return
    position = first + int(np.argmin(good))
    row = int(np.searchsorted(matrix.indptr, position, side="right")) - 1
    place = f" in row {row}, column {matrix.indices[position]}"
    raise ValueError(_no_count(matrix.data[position]) + place)


def _no_count(value: Any) -> str:
    return f"matrix must hold counts, whole numbers from 0 to {MOST}; got {value}"
