"""The features of documents: a matrix X, held by columns, that multiplies weights."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from pymc_medlda._arrays import Floats

# Up to so many features, of which so great a share is not zero, weights are drawn together.
TOGETHER = 64
DENSE = 0.1


class FeatureMatrix:
    """X, one row per document and one column per feature; two of them are equal if X is.

    Parameters
    ----------
    values : (n_documents, n_features) array or sparse matrix
        Finite numbers. They are copied.
    """

    def __init__(self, values: Any) -> None:
        by_columns = sparse.csc_array(values, dtype=np.float64, copy=True)
        by_columns.sum_duplicates()
        by_columns.eliminate_zeros()
        self.by_columns = by_columns
        self.shape: tuple[int, int] = by_columns.shape
        self.start: NDArray[np.int64] = by_columns.indptr.astype(np.int64)
        self.row: NDArray[np.int32] = by_columns.indices.astype(np.int32)
        self.value: Floats = by_columns.data
        few = self.shape[1] <= TOGETHER and by_columns.nnz >= DENSE * np.prod(self.shape)
        self.dense: Floats | None = by_columns.toarray(order="C") if few else None
        state = hashlib.blake2b(repr(self.shape).encode(), digest_size=16)
        for array in (self.start, self.row, self.value):
            state.update(array.tobytes())
        self.digest = state.hexdigest()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FeatureMatrix) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    def __repr__(self) -> str:
        return f"FeatureMatrix({self.shape[0]} x {self.shape[1]}, {self.digest[:8]})"

    def project(self, weights: Floats) -> Floats:
        """Return X w for weights (n_features, n_tasks), (n_documents, n_tasks)."""
        return np.ascontiguousarray(self.by_columns @ weights)

    def project_back(self, values: Floats) -> Floats:
        """Return Xᵀ v for values (n_documents, n_tasks), (n_features, n_tasks)."""
        return np.ascontiguousarray(self.by_columns.T @ values)
