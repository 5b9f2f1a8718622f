"""Read and write files: LDA-C, SVMlight, CSV, Parquet and lists of words.

To add a format: write its reader here, and a constructor for it in `from_files`.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Mapping
from os import PathLike
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse

from pymc_medlda._arguments import check_bool
from pymc_medlda._optional import import_sklearn, missing_package
from pymc_medlda.corpus.checks import MOST, as_vocabulary, check_n_words
from pymc_medlda.corpus.frames import pick_columns

Path = str | PathLike[str]

# Python refuses to read numbers of thousands of digits; eighteen are more than enough.
LDAC_LINE = re.compile(rb"\s*\d{1,18}(?:\s+\d{1,18}:\d{1,18})*\s*")


def check_path(path: Any, argument: str = "path") -> None:
    """Raise unless ``path`` is a path: an integer would be taken for an open file."""
    if not isinstance(path, (str, PathLike)):
        raise TypeError(f"{argument} must be a path, got {path!r} ({type(path).__name__})")


def read_ldac(path: Path, n_words: int | None) -> sparse.csr_array:
    """Read LDA-C lines ``M term:count ... term:count`` as a matrix of counts."""
    check_path(path)
    terms, counts, ends = array("i"), array("i"), array("q", [0])
    with open(path, "rb") as file:
        for number, line in enumerate(file, start=1):
            if not line.strip() and not file.read().strip():
                break  # blank lines may end the file; anywhere else one is a lost document
            if LDAC_LINE.fullmatch(line) is None:
                raise ValueError(f"{path}, line {number}: expected 'M term:count ...'")
            pairs, *values = map(int, line.replace(b":", b" ").split())
            if len(values) != 2 * pairs:
                raise ValueError(
                    f"{path}, line {number}: announces {pairs} terms and has {len(values) // 2}"
                )
            if values and max(values) > MOST:
                raise ValueError(f"{path}, line {number}: a term or count is larger than {MOST}")
            terms.extend(values[0::2])
            counts.extend(values[1::2])
            ends.append(len(terms))
    indices = np.frombuffer(terms, np.int32) if terms else np.empty(0, np.int32)
    largest = int(indices.max(initial=-1))
    if n_words is not None and largest >= n_words:
        raise ValueError(
            f"{path}: terms must be below {n_words}, the size of the vocabulary; got {largest}"
        )
    data = np.frombuffer(counts, np.int32) if counts else np.empty(0, np.int32)
    shape = (len(ends) - 1, largest + 1 if n_words is None else n_words)
    return sparse.csr_array((data, indices, np.frombuffer(ends, np.int64)), shape=shape)


def write_ldac(matrix: sparse.csr_matrix, path: Path) -> None:
    """Write a matrix of counts as LDA-C lines."""
    check_path(path)
    with open(path, "w", encoding="ascii") as file:
        for start, end in zip(matrix.indptr[:-1], matrix.indptr[1:], strict=True):
            pairs = zip(matrix.indices[start:end], matrix.data[start:end], strict=True)
            file.write(" ".join([str(end - start), *(f"{t}:{count}" for t, count in pairs)]) + "\n")


def read_svmlight(
    path: Path, n_words: int | None, *, zero_based: bool | Literal["auto"], multilabel: bool
) -> tuple[sparse.csr_matrix, Any]:
    """Read SVMlight lines ``label term:count ...`` as a matrix of counts and the labels."""
    check_path(path)
    check_n_words(n_words)
    check_bool("multilabel", multilabel)
    if zero_based != "auto":
        check_bool("zero_based", zero_based)
    load = import_sklearn("datasets").load_svmlight_file
    try:
        matrix, y = load(
            str(path), n_features=n_words, zero_based=zero_based, multilabel=multilabel
        )
    except ValueError as error:
        size = "" if n_words is None else f" with n_words={n_words}"
        raise ValueError(f"{path} cannot be read as SVMlight{size}: {error}") from error
    return matrix, y


def read_csv(
    path: Path,
    read_options: Mapping[str, Any] | None,
    *,
    text_column: str | None,
    label_column: str | None,
) -> tuple[pd.Series, NDArray[Any] | None]:
    """Read the texts of a CSV file, and the labels if their column is named."""
    check_path(path)
    options = _as_options(read_options)
    # The texts have a reading of their own: by default pandas takes texts such as "NA", "null"
    # and "" for missing values.
    literal = {"keep_default_na": False, "dtype": {text_column: str}, **options}
    try:
        texts, _ = pick_columns(pd.read_csv(path, **literal), text_column, None)
        if label_column is None:
            return texts, None
        return texts, pick_columns(pd.read_csv(path, **options), text_column, label_column)[1]
    except (pd.errors.ParserError, pd.errors.EmptyDataError, UnicodeDecodeError) as error:
        raise ValueError(f"{path} cannot be read as CSV: {error}") from error


def read_parquet(
    path: Path,
    read_options: Mapping[str, Any] | None,
    *,
    text_column: str | None,
    label_column: str | None,
) -> tuple[pd.Series, NDArray[Any] | None]:
    """Read the texts of a Parquet file, and the labels if their column is named."""
    check_path(path)
    options = _as_options(read_options)
    try:  # pandas itself looks for the packages that can read the file
        frame = pd.read_parquet(path, **options)
    except ImportError as error:
        raise missing_package(needed_by="from_parquet", package="pyarrow", extra="files") from error
    except ValueError as error:
        raise ValueError(f"{path} cannot be read as Parquet: {error}") from error
    return pick_columns(frame, text_column, label_column)


def read_words(source: Path | Iterable[str]) -> NDArray[np.object_]:
    """Return a vocabulary given as a file with one word per line, or as the words themselves."""
    if not isinstance(source, (str, PathLike)):
        return as_vocabulary(source)
    try:
        with open(source, encoding="utf-8") as file:
            return as_vocabulary(line.rstrip("\n") for line in file)
    except UnicodeDecodeError as error:
        raise ValueError(f"the vocabulary in {source} is not UTF-8 text: {error}") from error


def _as_options(read_options: Mapping[str, Any] | None) -> dict[str, Any]:
    if read_options is not None and not isinstance(read_options, Mapping):
        raise TypeError(
            "read_options must map arguments of pandas to their values, got "
            f"{read_options!r} ({type(read_options).__name__})"
        )
    return dict(read_options or {})
