"""Turn a document-term matrix of counts into flat token arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from pymc_medlda.corpus.checks import LARGEST

# Temporary arrays cover this many stored counts at a time, so that loading needs little memory
# beyond the arrays it returns.
BLOCK = 1 << 18


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
        # sum_duplicates sorts in place, and the caller's matrix must stay as it is.
        csr = csr.copy() if csr is matrix else csr
        csr.sum_duplicates()
    return csr


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
        # Set the ends of the rows whose last stored count lies in this block.
        low, high = np.searchsorted(indptr, [first, last], side="right")
        starts[low:high] = ends[indptr[low:high] - first - 1]
        end = int(ends[-1])
    return words, starts


def check_counts(matrix: sparse.csr_array | sparse.csr_matrix, first: int, last: int) -> None:
    """Raise if a stored count from ``first`` to ``last`` is negative, fractional or not finite."""
    block = matrix.data[first:last]
    # NaN fails every comparison, so it needs no separate test.
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
