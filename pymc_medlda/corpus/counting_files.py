"""Documents from files, one after the other, and their words counted while they are written down.

Nothing here holds more than one block of documents and the words that occur. Words are numbered in
the order in which they come, and the numbers are appended to a file. When all documents are read,
it is known which words are frequent enough, and the numbers are translated block by block.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pymc_medlda._optional import import_optional
from pymc_medlda.corpus.checks import MOST
from pymc_medlda.corpus.formats import LDAC_LINE, check_path
from pymc_medlda.corpus.frames import pick_columns
from pymc_medlda.corpus.mapped import STARTS, WORDS, new_array

AT_ONCE = 2000  # documents of a table that are read at a time
BLOCK = 1 << 20  # tokens that are translated at a time
FORMATS = ("lines", "files", "csv", "parquet", "ldac")
SUFFIXES = {".csv": "csv", ".parquet": "parquet", ".ldac": "ldac"}
MISSING = ["", "NA", "NaN", "nan", "null", "None"]  # among labels; texts may be any of these


class Columns(NamedTuple):
    """Which columns of a table hold texts and labels."""

    text: str | None
    label: str | None


class Counted(NamedTuple):
    """The words of documents, in the order in which they came."""

    words: list[str]
    n_tokens: NDArray[np.int64]  # of each word
    n_documents: NDArray[np.int64]  # that hold it
    ends: NDArray[np.int64]  # of the documents, in tokens


def as_paths(paths: Any) -> list[Path]:
    """Return one path or several as a list of files that are there."""
    one = isinstance(paths, (str, Path))
    if not one and not isinstance(paths, Iterable):
        raise TypeError(f"paths must be a path or a list of paths, got {paths!r}")
    given = [paths] if one else list(paths)
    for path in given:
        check_path(path, "paths")
    found = [Path(path) for path in given]
    if not found:
        raise ValueError("paths must hold at least one file, got none")
    missing = [path for path in found if not path.is_file()]
    if missing:
        raise FileNotFoundError(f"paths must be files; there is no file {missing[0]}")
    return found


def choose_format(paths: Sequence[Path], given: str | None) -> str:
    """Return the format, found by the ends of the names if it was not given."""
    if given is not None:
        return given
    found = {SUFFIXES.get(path.suffix.lower(), "lines") for path in paths}
    if len(found) > 1:
        raise ValueError(f"paths are of several formats, {', '.join(sorted(found))}: give format")
    return found.pop()


def iterate_texts(
    paths: Sequence[Path], kind: str, columns: Columns
) -> Iterator[tuple[Iterable[str], Sequence[Any]]]:
    """Yield texts, with their labels if a column of labels is named, a block at a time."""
    if kind in ("csv", "parquet") and columns.text is None:
        raise ValueError(f"text_column must name the column of the texts of a {kind} file")
    if kind not in ("csv", "parquet") and columns != (None, None):
        raise ValueError(f"text_column and label_column are for tables; format is {kind!r}")
    for path in paths:
        if kind in ("lines", "ldac"):
            with open(path, encoding="utf-8") as file:
                yield (line.rstrip("\n") for line in _decoded(path, file)), ()
        elif kind == "files":
            with open(path, encoding="utf-8") as file:
                yield ["".join(_decoded(path, file))], ()
        else:
            for frame in _frames(path, kind, columns):
                texts, labels = pick_columns(frame, columns.text, columns.label)
                yield texts.tolist(), () if labels is None else labels.tolist()


def _decoded(path: Path, file: Iterable[str]) -> Iterator[str]:
    """Yield the lines of a file; name it in the error if it is no text."""
    try:
        yield from file
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is not UTF-8 text: {error}") from error


def split_ldac(vocabulary: NDArray[np.object_]) -> Callable[[str], list[str]]:
    """Return what turns a line ``M term:count ...`` into words."""

    def split(line: str) -> list[str]:
        if LDAC_LINE.fullmatch(line.encode()) is None:
            raise ValueError(f"paths must hold lines 'M term:count ...'; got {line[:60]!r}")
        n_pairs, *values = map(int, line.replace(":", " ").split())
        terms, counts = values[0::2], values[1::2]
        if len(terms) != n_pairs or max(terms, default=0) >= vocabulary.size:
            raise ValueError(
                f"paths hold the line {line[:60]!r}, which needs {n_pairs} terms below "
                f"{vocabulary.size}, the size of the vocabulary"
            )
        if max(counts, default=0) > MOST:
            raise ValueError(f"paths hold a count above {MOST} in the line {line[:60]!r}")
        return [vocabulary[t] for t, n in zip(terms, counts, strict=True) for _ in range(n)]

    return split


def _frames(path: Path, kind: str, columns: Columns) -> Iterator[pd.DataFrame]:
    """Yield the wanted columns of a table, some rows at a time."""
    wanted = [name for name in columns if name is not None]
    if kind == "parquet":
        parquet = import_optional(
            "pyarrow.parquet", needed_by="reading Parquet", package="pyarrow", extra="files"
        )
        with parquet.ParquetFile(path) as file:
            there = [name for name in wanted if name in file.schema_arrow.names]
            for batch in file.iter_batches(AT_ONCE, columns=there):
                yield batch.to_pandas()
        return
    try:
        # Texts such as "NA" are no missing values.
        options: Any = {"dtype": {columns.text: str}, "keep_default_na": False}
        options["usecols"] = lambda name: name in wanted  # what is missing is reported later
        if columns.label is not None:
            options["na_values"] = {columns.label: MISSING}
        with pd.read_csv(path, chunksize=AT_ONCE, **options) as reader:
            yield from reader
    except (ValueError, pd.errors.ParserError, UnicodeDecodeError) as error:
        raise ValueError(f"{path} cannot be read as CSV: {error}") from error


class WordWriter:
    """Numbers words as they come, writes the numbers to a file, and counts."""

    def __init__(self, path: Path) -> None:
        self.file = open(path, "wb")
        self.number: dict[str, int] = {}
        self.n_tokens, self.n_documents, self.ends = array("q"), array("q"), array("q")
        self.written = 0

    def add(self, words: Iterable[str]) -> None:
        """Write the words of a document."""
        number = self.number
        numbers = array("i", [number.setdefault(word, len(number)) for word in words])
        new = len(number) - len(self.n_tokens)
        self.n_tokens.extend([0] * new)
        self.n_documents.extend([0] * new)
        for t in numbers:
            self.n_tokens[t] += 1
        for t in set(numbers):
            self.n_documents[t] += 1
        self.file.write(numbers.tobytes())
        self.written += len(numbers)
        self.ends.append(self.written)

    def close(self) -> Counted:
        """Close the file, and return what was counted."""
        self.file.close()
        counted = (self.n_tokens, self.n_documents, self.ends)
        n_tokens, n_documents, ends = (np.array(values, np.int64) for values in counted)
        return Counted(list(self.number), n_tokens, n_documents, ends)


def choose_words(
    counted: Counted, *, min_df: float, max_df: float, max_words: int | None
) -> NDArray[np.intp]:
    """Return which words are kept, in alphabetical order.

    The rules are those of scikit-learn's ``CountVectorizer``: whole numbers are numbers of
    documents, fractions are shares of them, and of the rest the most frequent words are kept.
    """
    total = counted.ends.size
    lowest = min_df if isinstance(min_df, int) else min_df * total
    highest = max_df if isinstance(max_df, int) else max_df * total
    kept = np.flatnonzero((counted.n_documents >= lowest) & (counted.n_documents <= highest))
    if max_words is not None and kept.size > max_words:
        # Of words that are equally frequent, those that come first in the alphabet are kept.
        in_order = sorted(kept, key=lambda t: (-counted.n_tokens[t], counted.words[t]))
        kept = np.array(in_order[:max_words], np.intp)
    if not kept.size:
        raise ValueError("no word is left: min_df, max_df or the vocabulary excludes all words")
    return np.array(sorted(kept, key=lambda t: counted.words[t]), np.intp)


def translate(source: Path, folder: Path, number: NDArray[np.int32], counted: Counted) -> None:
    """Write the tokens to a folder with their new numbers; a negative one leaves a word out."""
    n_kept = int(counted.n_tokens[number >= 0].sum())
    words = new_array(folder / WORDS, np.int32, n_kept)
    starts = new_array(folder / STARTS, np.int64, counted.ends.size + 1)
    starts[0] = 0
    written = d = 0
    with open(source, "rb") as file:
        first = 0
        while block := file.read(4 * BLOCK):
            new = number[np.frombuffer(block, np.int32)]
            before = np.concatenate([[0], np.cumsum(new >= 0)])
            last = first + new.size
            end = int(np.searchsorted(counted.ends, last, side="right"))
            starts[d + 1 : end + 1] = written + before[counted.ends[d:end] - first]
            words[written : written + int(before[-1])] = new[new >= 0]
            written, first, d = written + int(before[-1]), last, end
    starts[d + 1 :] = written  # empty documents of a file without tokens
    for made in (words, starts):
        if isinstance(made, np.memmap):
            made.flush()
