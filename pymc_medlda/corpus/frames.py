"""Take texts, labels and counts out of lists, series and frames of pandas and polars.

polars is recognised by the name of its module, so that it need not be installed, and xarray, so
that it need not be imported.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pymc_medlda._arguments import check_unmasked
from pymc_medlda._names import as_names


def as_texts(
    texts: Any, text_column: str | None = None, argument: str = "texts"
) -> tuple[list[str], NDArray[Any] | None]:
    """Return the documents of a list, series or frame of texts, and their names if it has any."""
    if isinstance(texts, (str, bytes)):
        raise TypeError(
            f"{argument} must be a collection of strings, one per document; got one string"
        )
    if isinstance(texts, Mapping) or not isinstance(texts, Iterable):
        raise TypeError(
            f"{argument} must be a collection of strings, one per document; "
            f"got {texts!r} ({type(texts).__name__})"
        )
    check_unmasked(argument, texts)
    library = library_of(texts)
    table: Any = texts
    if library in ("pandas", "polars") and hasattr(table, "columns"):
        columns = list(table.columns)
        if argument != "texts" and len(columns) != 1:  # there is no argument text_column
            raise ValueError(
                f"{argument} must be texts, but is a frame with the columns {columns}: give the "
                "column of texts"
            )
        texts = table[pick_column(columns, text_column)]
    elif text_column is not None:
        raise TypeError(f"text_column is for frames; texts is a {type(texts).__name__}")
    names = index_names(texts.index) if library == "pandas" and hasattr(texts, "index") else None
    documents = list(texts)
    for d, text in enumerate(documents):
        if not isinstance(text, str):
            raise TypeError(f"{argument} must hold strings; got {text!r} at position {d}")
    return documents, names


def pick_columns(
    frame: pd.DataFrame, text_column: str | None, label_column: str | None
) -> tuple[pd.Series, NDArray[Any] | None]:
    """Return the texts of a frame, and the labels if their column is named."""
    columns = list(frame.columns)
    texts = frame[pick_column(columns, text_column)]
    if label_column is None:
        return texts, None
    labels = frame[pick_column(columns, label_column, "label_column")]
    if not (pd.api.types.is_numeric_dtype(labels) or pd.api.types.is_bool_dtype(labels)):
        # pandas marks missing text by NaN or NA; None is what marks a missing label elsewhere.
        labels = labels.astype(object).where(labels.notna(), None)
    return texts, labels.to_numpy()


def pick_column(columns: Sequence[Any], wanted: str | None, argument: str = "text_column") -> Any:
    """Return the wanted column, or the only column if none was named."""
    if wanted is None and len(columns) == 1:
        return columns[0]
    n_found = sum(1 for column in columns if type(column) is type(wanted) and column == wanted)
    if n_found != 1:
        often = f", which is the name of {n_found} columns" if n_found else ""
        raise ValueError(
            f"{argument} must be one of the columns {list(columns)}; got {wanted!r}{often}"
        )
    return wanted


def split_frame(matrix: Any) -> tuple[Any, Sequence[str] | None, NDArray[Any] | None]:
    """Return the counts, column names and row names of a matrix or of a frame of counts."""
    library = library_of(matrix)
    if library == "xarray" and getattr(matrix, "ndim", 0) == 2:
        return _split_xarray(matrix)
    if library not in ("pandas", "polars") or not hasattr(matrix, "columns"):
        return matrix, None, None
    if library == "polars":
        textual = [name for name, kind in matrix.schema.items() if not _is_count(kind)]
        _refuse_columns(textual)
        return matrix.to_numpy(), list(matrix.columns), None
    textual = [
        name
        for name, kind in zip(matrix.columns, matrix.dtypes, strict=True)
        if not pd.api.types.is_numeric_dtype(kind)
    ]
    _refuse_columns(textual)
    names = _column_names(matrix.columns)
    if len(matrix.columns) and all(isinstance(kind, pd.SparseDtype) for kind in matrix.dtypes):
        try:
            return matrix.sparse.to_coo(), names, index_names(matrix.index)
        except ValueError as error:
            raise ValueError(f"matrix cannot be read as sparse counts: {error}") from error
    values = matrix.to_numpy()
    if values.dtype == object:  # nullable integers with missing entries
        values = matrix.to_numpy(dtype=np.float64, na_value=np.nan)
    return values, names, index_names(matrix.index)


def _split_xarray(matrix: Any) -> tuple[Any, Sequence[str] | None, NDArray[Any] | None]:
    """Return the counts of an xarray object, and its coordinates unless they only number."""
    found = [matrix.indexes.get(dim) for dim in matrix.dims]
    rows, columns = (
        None if index is None or np.array_equal(index, np.arange(index.size)) else index
        for index in found
    )
    words = None if columns is None else _column_names(columns)
    return matrix.values, words, None if rows is None else rows.to_numpy()


def _column_names(columns: pd.Index) -> list[str] | None:
    """Return the columns of a frame as words, None for the default numbering."""
    labels = index_names(columns)
    if labels is None:
        return None
    return [str(name) for name in as_names(labels, "the columns of matrix")]


def library_of(data: Any) -> str:
    """Return the name of the library a frame or series comes from, without importing it."""
    return type(data).__module__.partition(".")[0]


def index_names(index: pd.Index) -> NDArray[Any] | None:
    """Return the labels of a pandas index, or None for the default numbering 0, 1, ..."""
    if isinstance(index, pd.RangeIndex) and index.start == 0 and index.step == 1:
        return None
    return index.to_numpy()


def _is_count(polars_type: Any) -> bool:
    return polars_type.is_numeric() or str(polars_type) == "Boolean"


def _refuse_columns(names: list[Any]) -> None:
    if names:
        raise TypeError(f"matrix must hold integer counts; the columns {names[:5]} are not numbers")
