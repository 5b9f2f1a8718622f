"""Partitions that are files, one each."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from pymc_medlda.corpus import Corpus
from pymc_medlda.corpus.formats import check_path
from pymc_medlda.distributed.loaders import from_loaders
from pymc_medlda.distributed.partitions import Partitions

TABLES = (".parquet", ".csv")
FORMATS = (".ldac", *TABLES, ".npz")
MATRIX = {"data", "indices", "indptr", "shape", "format"}  # what `scipy.sparse.save_npz` writes


def check_npz(path: str) -> bool:
    """Return whether a file of NumPy holds a sparse matrix; raise if it holds no documents."""
    if not zipfile.is_zipfile(path):
        raise ValueError(f"paths must be files of documents: {path} is not a file of numpy.savez")
    with np.load(path, allow_pickle=False) as file:
        found = set(file)
    if {"words", "starts"} <= found:
        return False
    if found >= MATRIX:
        return True
    raise ValueError(
        f"paths must be files of documents: {path} must hold the arrays words and starts, and "
        "perhaps y, or be a matrix of counts that scipy.sparse.save_npz wrote (CSR or CSC); got "
        f"{', '.join(sorted(found)) or 'none'}"
    )


def read_npz(path: str, vocabulary: list[str]) -> tuple[Corpus, Any]:
    """Read tokens, or a sparse matrix of counts, which has no labels."""
    if check_npz(path):
        return Corpus.from_dtm(sparse.load_npz(path), vocabulary=vocabulary), None
    with np.load(path, allow_pickle=False) as file:
        corpus = Corpus(file["words"], file["starts"], vocabulary=vocabulary)
        return corpus, file["y"] if "y" in file else None


@dataclass(frozen=True)
class Read:
    """A loader of one file of texts or counts."""

    path: str
    vocabulary: tuple[str, ...]
    text_column: str | None
    label_column: str | None

    def __call__(self) -> tuple[Corpus, Any]:
        """Read the file."""
        suffix = Path(self.path).suffix.lower()
        known = list(self.vocabulary)
        if suffix == ".ldac":
            return Corpus.from_ldac(self.path, vocabulary=known), None
        if suffix == ".npz":
            return read_npz(self.path, known)
        read: Any = Corpus.from_parquet if suffix == ".parquet" else Corpus.from_csv
        columns = {"text_column": self.text_column, "label_column": self.label_column}
        found = read(self.path, vocabulary=known, **columns)
        return found if isinstance(found, tuple) else (found, None)


def from_files(
    paths: Iterable[str | Path],
    *,
    vocabulary: Iterable[str],
    text_column: str | None = None,
    label_column: str | None = None,
    classes: Sequence[Any] | None = None,
) -> Partitions:
    r"""Return partitions that are files, one each, which workers read.

    Parameters
    ----------
    paths : list of paths
        Files in LDA-C (``.ldac``), Parquet, CSV, or NumPy's ``.npz``. The last holds the arrays
        ``words`` and ``starts`` of a `Corpus`, and perhaps ``y``; or it is a matrix of counts that
        ``scipy.sparse.save_npz`` wrote. All workers must reach the files by these names. Parquet
        and CSV may have addresses too, such as ``s3://...``, which pandas reads.
    vocabulary : sequence of str
        The words of all files.
    text_column, label_column : str, optional
        The columns of a table. The other formats have none: for LDA-C and matrices with labels,
        give functions that read both to `from_loaders`.
    classes : sequence, optional
        Allowed classes or labels, in order; by default all that occur, sorted.

    Returns
    -------
    Partitions

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import pymc_medlda as med
    >>> place = pathlib.Path(tempfile.mkdtemp())
    >>> for name in ("a.csv", "b.csv"):
    ...     _ = (place / name).write_text("text,stars\ngood food,5\nbad food,1\n")
    >>> med.distributed.from_files(
    ...     [place / "a.csv", place / "b.csv"], vocabulary=["good", "bad", "food"],
    ...     text_column="text", label_column="stars",
    ... )
    Partitions(2 partitions)
    """
    if isinstance(paths, (str, Path)) or not isinstance(paths, Iterable):
        raise TypeError(f"paths must be a list of paths, one per partition; got {paths!r}")
    if isinstance(vocabulary, str) or not isinstance(vocabulary, Iterable):
        raise TypeError(f"vocabulary must be a sequence of words, got {vocabulary!r}")
    known = tuple(vocabulary)
    found = [_as_place(path) for path in paths]
    if not found:
        raise ValueError("paths must hold at least one path, got none")
    _check_columns(found, text_column=text_column, label_column=label_column)
    own = (known, text_column, label_column)
    return from_loaders([Read(place, *own) for place in found], classes=classes)


def _check_columns(places: Sequence[str], **columns: Any) -> None:
    """Raise if columns are given as anything but names, or for files that have none."""
    for name, column in columns.items():
        if column is None:
            continue
        if not isinstance(column, str):
            raise TypeError(f"{name} must be the name of a column or None, got {column!r}")
        without = [place for place in places if Path(place).suffix.lower() not in TABLES]
        if without:
            raise ValueError(
                f"{name} is for files in {' and '.join(TABLES)}: {without[0]} has no columns. Give "
                "functions that return its documents and their y to from_loaders"
            )


def _as_place(path: Any) -> str:
    """Return the full path of a file that is there, or an address as it is."""
    check_path(path, "every entry of paths")
    place, suffix = os.fspath(path), Path(path).suffix.lower()
    if suffix not in FORMATS:
        raise ValueError(f"paths must end in {', '.join(FORMATS)}; got {place}")
    if "://" in place:
        if suffix not in TABLES:
            raise ValueError(f"paths that are addresses must end in {', '.join(TABLES)}: {place}")
        return place
    if not Path(path).exists():
        raise FileNotFoundError(f"paths must be files that are there; got {place}")
    if suffix == ".npz":
        check_npz(place)
    return str(Path(path).resolve())
