"""Features of documents as users give them become a matrix, with names for its columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray
from scipy import sparse

from pymc_medlda._arguments import LARGEST, as_numbers, check_unmasked
from pymc_medlda._names import as_names
from pymc_medlda.kernels.features import FeatureMatrix
from pymc_medlda.targets.documents import align_to_documents, columns_of
from pymc_medlda.targets.labels import listing

WORDS = "words"
"""What a user gives, and what a run stores, if the features are the tf-idf of the corpus itself."""


@dataclass(frozen=True)
class Features:
    """The features of documents.

    Attributes
    ----------
    matrix : FeatureMatrix
    names : (n_features,) array, or None
        None if the features have no names, and if they are the words of the corpus.
    idf : (n_words,) float array, or None
        The weights of the words, if the features are the words.
    is_sparse : bool
        Whether they were given as a sparse matrix.
    """

    matrix: FeatureMatrix
    names: NDArray[Any] | None = None
    idf: NDArray[np.float64] | None = None
    is_sparse: bool = True

    @property
    def kind(self) -> str:
        """How they are stored with a run."""
        if self.idf is not None:
            return WORDS
        return "sparse" if self.is_sparse else "dense"


def read_features(values: Any, documents: Sequence[Any], argument: str = "features") -> Features:
    """Return features that a user gave, after checking them.

    ``documents`` are the names of the documents, with which a pandas object is matched.
    """
    if isinstance(values, str) or not _has_two_dims(values):
        raise ValueError(
            f"{argument} must be {WORDS!r} or have two dimensions, one row per document and one "
            f"column per feature; got {_describe(values)}"
        )
    names = _names_of(values, argument)
    values = align_to_documents(values, documents, argument)
    matrix = _as_matrix(values, argument)
    n_documents, n_features = matrix.shape
    if n_documents != len(documents) or not n_features:
        raise ValueError(
            f"{argument} has shape {matrix.shape}; {len(documents)} rows are needed, one per "
            "document, and at least one column"
        )
    entries = matrix.data if sparse.issparse(matrix) else matrix
    if not np.isfinite(entries).all() or np.abs(entries).max(initial=0.0) > LARGEST:
        raise ValueError(
            f"{argument} holds NaN or infinite values, or some beyond {LARGEST:g}; finite numbers "
            "are allowed"
        )
    return Features(FeatureMatrix(matrix), names, is_sparse=bool(sparse.issparse(matrix)))


def read_new_features(
    values: Any, documents: Sequence[Any], known: Iterable[Any] | None, n_features: int
) -> FeatureMatrix:
    """Return the features of new documents, with the columns of those that the model knows.

    ``known`` are the names of these, None if they have none. Columns with names are matched by
    name, others by position.
    """
    features = read_features(values, documents)
    own = features.matrix.by_columns
    if features.names is not None and known is not None:
        given, wanted = features.names.tolist(), list(known)
        missing = [name for name in wanted if name not in set(given)]
        unknown = [name for name in given if name not in set(wanted)]
        if missing or unknown:
            raise ValueError(
                f"features has the columns {listing(given)}, but the model was sampled with "
                f"{listing(wanted)}"
                + (f"; it lacks {listing(missing)}" if missing else "")
                + (f"; the model does not know {listing(unknown)}" if unknown else "")
            )
        place = {name: position for position, name in enumerate(given)}
        return FeatureMatrix(own[:, [place[name] for name in wanted]])
    if own.shape[1] != n_features:
        raise ValueError(
            f"features has {own.shape[1]} columns; the model was sampled with {n_features} features"
        )
    return features.matrix


def _has_two_dims(values: Any) -> bool:
    if sparse.issparse(values) or isinstance(values, (pd.DataFrame, xr.DataArray)):
        return len(values.shape) == 2
    try:
        return np.ndim(values) == 2
    except ValueError:  # rows of unequal length
        return False


def _describe(values: Any) -> str:
    if isinstance(values, str) or np.isscalar(values) or values is None:
        return repr(values)
    shape = getattr(values, "shape", None)
    return f"a {type(values).__name__}" + (f" of shape {shape}" if shape is not None else "")


def _names_of(values: Any, argument: str) -> NDArray[Any] | None:
    """Return the names of the columns, None if they have none or are only numbered."""
    columns = columns_of(values)
    if columns is None:
        return None
    names = as_names(columns, f"the columns of {argument}")
    if names.tolist() == list(range(len(names))):
        return None
    if len(set(names.tolist())) < len(names):
        raise ValueError(f"{argument} has two columns of one name: {listing(names.tolist())}")
    return names


def _as_matrix(values: Any, argument: str) -> Any:
    """Return an array or a sparse matrix of floats."""
    if sparse.issparse(values):
        if values.dtype.kind not in "iufb":
            raise TypeError(f"{argument} must hold numbers, got the dtype {values.dtype}")
        return values.astype(np.float64)
    check_unmasked(argument, values)
    if isinstance(values, pd.DataFrame):
        if all(isinstance(kind, pd.SparseDtype) for kind in values.dtypes) and len(values.columns):
            return sparse.csr_array(values.sparse.to_coo(), dtype=np.float64)
        values = values.to_numpy()
    array = np.asarray(values)
    return as_numbers(argument, array.astype(np.int8) if array.dtype.kind == "b" else array)
