"""Read texts and counts from frames and files.

Everything here serves the constructors of `pymc_medlda.Corpus`, which are the public face.
"""

from __future__ import annotations

import importlib
import re
from array import array
from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse

from pymc_medlda.corpus.checks import LARGEST

LDAC_LINE = re.compile(rb"\s*\d+(?:\s+\d+:\d+)*\s*")


def import_sklearn(module: str) -> ModuleType:
    """Import a module of scikit-learn, or say which extra brings it."""
    try:
        return importlib.import_module(f"sklearn.{module}")
    except ImportError as error:
        raise ImportError('this needs scikit-learn: pip install "pymc-medlda[sklearn]"') from error


def library_of(data: Any) -> str:
    """Name the library a frame or series comes from, without importing it."""
    return type(data).__module__.partition(".")[0]


def index_names(index: pd.Index) -> NDArray[Any] | None:
    """Return the labels of a pandas index; the default numbering 0, 1, ... names nothing."""
    if isinstance(index, pd.RangeIndex) and index.start == 0 and index.step == 1:
        return None
    return index.to_numpy()


def split_frame(matrix: Any) -> tuple[Any, Sequence[str] | None, NDArray[Any] | None]:
    """Return the counts, column names and row names of a matrix that may be a frame."""
    library = library_of(matrix)
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
    columns = index_names(matrix.columns)
    names = None if columns is None else [str(name) for name in columns]
    if len(matrix.columns) and all(isinstance(kind, pd.SparseDtype) for kind in matrix.dtypes):
        return matrix.sparse.to_coo(), names, index_names(matrix.index)
    values = matrix.to_numpy()
    if values.dtype == object:  # nullable integers with missing entries
        values = matrix.to_numpy(dtype=np.float64, na_value=np.nan)
    return values, names, index_names(matrix.index)


def _is_count(polars_type: Any) -> bool:
    return polars_type.is_numeric() or str(polars_type) == "Boolean"


def _refuse_columns(names: list[Any]) -> None:
    if names:
        raise TypeError(f"matrix must hold integer counts; the columns {names[:5]} are not numbers")


def as_texts(texts: Any, text_column: str | None) -> tuple[list[str], NDArray[Any] | None]:
    """Return the documents of a list, series or frame of texts, and their names if it has any."""
    if isinstance(texts, (str, bytes)):
        raise TypeError("texts must be a collection of strings, one a document; got one string")
    library = library_of(texts)
    is_frame = library in ("pandas", "polars") and hasattr(texts, "columns")
    if is_frame:
        texts = texts[pick_column(list(texts.columns), text_column)]
    elif text_column is not None:
        raise TypeError(f"text_column is for frames; texts is a {type(texts).__name__}")
    names = index_names(texts.index) if library == "pandas" and hasattr(texts, "index") else None
    documents = list(texts)
    for d, text in enumerate(documents):
        if not isinstance(text, str):
            raise TypeError(f"texts must hold strings; got {text!r} at position {d}")
    return documents, names


def pick_column(columns: Sequence[Any], wanted: str | None, argument: str = "text_column") -> Any:
    """Return the wanted column, or the only one there is."""
    if wanted is None and len(columns) == 1:
        return columns[0]
    if wanted not in columns:
        raise ValueError(f"{argument} must be one of the columns {list(columns)}; got {wanted!r}")
    return wanted


def read_csv(
    path: str | PathLike[str],
    read_options: Mapping[str, Any] | None,
    *,
    text_column: str | None,
    label_column: str | None,
) -> tuple[pd.Series, NDArray[Any] | None]:
    """Read the texts, and the labels if a column of them is named, of a CSV file."""
    options = dict(read_options or {})
    # Read for the texts alone, since pandas takes texts such as "NA", "null" and "" for missing.
    literal = {"keep_default_na": False, "dtype": {text_column: str}, **options}
    texts, _ = pick_columns(pd.read_csv(path, **literal), text_column, None)
    if label_column is None:
        return texts, None
    return texts, pick_columns(pd.read_csv(path, **options), text_column, label_column)[1]


def read_parquet(
    path: str | PathLike[str],
    read_options: Mapping[str, Any] | None,
    *,
    text_column: str | None,
    label_column: str | None,
) -> tuple[pd.Series, NDArray[Any] | None]:
    """Read the texts, and the labels if a column of them is named, of a Parquet file."""
    try:
        frame = pd.read_parquet(path, **(read_options or {}))
    except ImportError as error:
        raise ImportError("from_parquet needs pyarrow: pip install pyarrow") from error
    return pick_columns(frame, text_column, label_column)


def pick_columns(
    frame: pd.DataFrame, text_column: str | None, label_column: str | None
) -> tuple[pd.Series, NDArray[Any] | None]:
    """Return the texts of a frame, and the labels if a column of them is named."""
    columns = list(frame.columns)
    texts = frame[pick_column(columns, text_column)]
    if label_column is None:
        return texts, None
    return texts, frame[pick_column(columns, label_column, "label_column")].to_numpy()


def read_ldac(path: str | PathLike[str], n_words: int | None) -> sparse.csr_array:
    """Read LDA-C lines ``M term:count ... term:count`` as a matrix of counts."""
    terms, counts, ends = array("i"), array("i"), array("q", [0])
    with open(path, "rb") as file:
        for number, line in enumerate(file, start=1):
            if not line.strip() and not file.read().strip():
                break  # blank lines end many files; elsewhere one would be a lost document
            if LDAC_LINE.fullmatch(line) is None:
                raise ValueError(f"{path}, line {number}: expected 'M term:count ...'")
            pairs, *values = map(int, line.replace(b":", b" ").split())
            if len(values) != 2 * pairs:
                raise ValueError(
                    f"{path}, line {number}: announces {pairs} terms and has {len(values) // 2}"
                )
            try:
                terms.extend(values[0::2])
                counts.extend(values[1::2])
            except OverflowError:
                raise ValueError(
                    f"{path}, line {number}: a term or count is larger than {LARGEST}"
                ) from None
            ends.append(len(terms))
    indices = np.frombuffer(terms, np.int32) if terms else np.empty(0, np.int32)
    largest = int(indices.max(initial=-1))
    if n_words is not None and largest >= n_words:
        raise ValueError(f"{path}: terms must be below {n_words}, the vocabulary; got {largest}")
    data = np.frombuffer(counts, np.int32) if counts else np.empty(0, np.int32)
    shape = (len(ends) - 1, largest + 1 if n_words is None else n_words)
    return sparse.csr_array((data, indices, np.frombuffer(ends, np.int64)), shape=shape)


def write_ldac(matrix: sparse.csr_matrix, path: str | PathLike[str]) -> None:
    """Write a matrix of counts as LDA-C lines."""
    with open(path, "w", encoding="ascii") as file:
        for start, end in zip(matrix.indptr[:-1], matrix.indptr[1:], strict=True):
            pairs = zip(matrix.indices[start:end], matrix.data[start:end], strict=True)
            file.write(" ".join([str(end - start), *(f"{t}:{count}" for t, count in pairs)]) + "\n")


def read_words(source: str | PathLike[str] | Iterable[str]) -> list[str]:
    """Return a vocabulary given as a file of one word a line, or as the words themselves."""
    if isinstance(source, (str, PathLike)):
        with open(source, encoding="utf-8") as file:
            return [line.rstrip("\n") for line in file]
    return list(source)
