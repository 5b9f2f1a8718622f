"""Partitions of a corpus: each of them can be loaded by any worker, as often as it is needed."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pymc_medlda._arguments import as_numbers, check_whole
from pymc_medlda.corpus import Corpus
from pymc_medlda.corpus.mapped import find_folder
from pymc_medlda.kernels.checks import LARGEST
from pymc_medlda.targets.documents import (
    align_to_documents,
    align_to_tasks,
    columns_of,
    is_numbering,
)
from pymc_medlda.targets.labels import as_classes, listing
from pymc_medlda.targets.reading import as_sequence
from pymc_medlda.targets.response import Response

Loader = Callable[[], tuple[Any, ...]]


class Loaded(NamedTuple):
    """What a partition holds."""

    corpus: Corpus
    y: Any = None
    offset: Any = None


@dataclass(frozen=True, eq=False)
class Partition:
    """Documents that a function without arguments loads, with their y and offset, or None."""

    loader: Loader

    def load(self) -> Loaded:
        """Return the documents, their y and their offset."""
        found = self.loader()
        sizes = (2, 3)
        if not (isinstance(found, tuple) and len(found) in sizes and isinstance(found[0], Corpus)):
            raise TypeError(
                "the loader of a partition must return a Corpus and y (None if there is none), and "
                f"perhaps an offset; got {type(found).__name__}"
            )
        return Loaded(*found)


@dataclass(frozen=True, eq=False)
class Partitions:
    """A corpus in partitions, for `sample`.

    Attributes
    ----------
    parts : list of Partition
    y : array-like or None
        The response of all documents, where it is known here. Otherwise partitions load their own.
    edges : (n_partitions + 1,) int array or None
        Which documents the partitions hold, if y is known here.
    classes : array or None
        The allowed classes or labels, in order.

    Examples
    --------
    >>> import pymc_medlda as med
    >>> corpus = med.Corpus.from_tokens([["red", "fish"], ["blue", "fish"]])
    >>> len(med.distributed.partition(corpus, n_partitions=2))
    2
    """

    parts: list[Partition]
    y: Any = None
    edges: NDArray[np.int64] | None = None
    classes: NDArray[Any] | None = None

    def __len__(self) -> int:
        return len(self.parts)

    def __repr__(self) -> str:
        return f"Partitions({len(self)} partitions)"


@dataclass(frozen=True, eq=False)
class Held:
    """A loader of documents that are in memory."""

    corpus: Corpus
    y: Any = None
    offset: Any = None

    def __call__(self) -> Loaded:
        """Return the documents."""
        return Loaded(self.corpus, self.y, self.offset)


@dataclass(frozen=True, eq=False)
class Mapped:
    """A loader of some documents of a corpus that lies in a folder."""

    folder: str
    first: int
    last: int
    y: Any = None
    offset: Any = None

    def __call__(self) -> Loaded:
        """Map the folder, and select the documents."""
        documents = slice(self.first, self.last)
        corpus = Corpus.from_folder(self.folder, documents=documents)
        return Loaded(corpus, self.y, self.offset)


def partition(
    corpus: Corpus,
    y: Any = None,
    *,
    n_partitions: int = 8,
    offset: Any = None,
    features: None = None,
    classes: Sequence[Any] | None = None,
) -> Partitions:
    """Divide a corpus into partitions of consecutive documents with nearly equal numbers of tokens.

    The draws of `sample` depend on the partitions, and never on the workers. There should be as
    many partitions as workers have threads, and twice as many if workers may be added later.

    Parameters
    ----------
    corpus : Corpus
        The documents. If they lie in a folder (`Corpus.from_folder`), workers map them from there;
        documents that were selected from such a corpus are copied to files.
    y : array-like, optional
        Labels, real values, lists of labels or a matrix, as for `GibbsMedLDA`.
    n_partitions : int, default 8
        How many; at most as many as there are documents and words.
    offset : array, optional
        Added to the discriminants: one number per document, or a column per task. The columns of a
        frame are matched by name with ``classes``, or with the columns of y.
    features : None
        Partitions take no features: use ``pm.sample`` for a model with these.
    classes : sequence, optional
        Allowed classes or labels, in order.

    Returns
    -------
    Partitions

    Examples
    --------
    >>> import pymc_medlda as med
    >>> planted = med.datasets.make_planted(30, n_topics=3, n_words=40, seed=1)
    >>> med.distributed.partition(planted.corpus, planted.y, n_partitions=2)
    Partitions(2 partitions)
    """
    if not isinstance(corpus, Corpus):
        raise TypeError(f"corpus must be a pymc_medlda.Corpus, got {type(corpus).__name__}")
    if features is not None:
        raise ValueError(
            "features must be None: partitions take none. Use pm.sample with "
            "GibbsMedLDA(features=...), or give what is known of their effect as offset"
        )
    if corpus.n_tokens == 0:
        raise ValueError("corpus has no tokens: at least one document must have a word")
    most = min(corpus.n_documents, corpus.n_words)
    check_whole("n_partitions", n_partitions, at_least=1, at_most=most)
    if y is not None:
        y = align_to_documents(y, corpus.document_labels, "y")
        if len(as_sequence(y, "y")) != corpus.n_documents:
            raise ValueError(
                f"y has {len(y)} entries, but there are {corpus.n_documents} documents"
            )
    if offset is not None:
        if y is None:
            raise ValueError("offset was given, but there is no y to use it for")
        offset = align_to_documents(offset, corpus.document_labels, "offset")
        offset = as_numbers("offset", _align_to_tasks(offset, y, classes))
        check_offset(offset, corpus.n_documents)
    starts = corpus.starts
    shares = starts[-1] * np.arange(n_partitions + 1) / n_partitions
    edges = np.searchsorted(starts, shares).astype(np.int64)
    # Every partition has a document, also where a few hold most of the tokens.
    edges = np.maximum(edges, np.arange(n_partitions + 1))
    edges = np.minimum(edges, corpus.n_documents - np.arange(n_partitions, -1, -1))
    edges[0], edges[-1] = 0, corpus.n_documents
    folder = find_folder(corpus.words)
    parts = []
    for first, last in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        shift = None if offset is None else offset[first:last]
        own: Loader = Held(corpus[first:last], offset=shift)
        if folder is not None:
            own = Mapped(str(folder.resolve()), first, last, offset=shift)
        parts.append(Partition(own))
    known = None if classes is None else as_classes(classes)
    return Partitions(parts, y, edges, known)


def _align_to_tasks(offset: Any, y: Any, classes: Sequence[Any] | None) -> Any:
    """Return an offset with its columns in the order of the tasks, which are not coded yet."""
    columns, tasks = columns_of(offset), columns_of(y) if classes is None else classes
    if tasks is None and columns is not None and len(columns) > 1 and not is_numbering(columns):
        raise ValueError(
            f"offset has the columns {listing(columns)}, and neither classes nor columns of y tell "
            "the order of the tasks: give classes, or an array whose columns are in their order"
        )
    return align_to_tasks(offset, tasks, "offset")


def check_offset(offset: NDArray[Any], n_documents: int, n_tasks: int | None = None) -> None:
    """Raise unless an offset has finite numbers, one per document or per document and task."""
    fits = offset.ndim in (1, 2) and offset.shape[0] == n_documents
    if offset.ndim == 2 and n_tasks is not None:
        fits = fits and offset.shape[1] in (1, n_tasks)
    if not fits:
        raise ValueError(
            f"offset has shape {offset.shape}; it must have one number for each of the "
            f"{n_documents} documents, or a column per task"
        )
    if not np.isfinite(offset).all() or np.abs(offset).max(initial=0.0) > LARGEST:
        raise ValueError(f"offset holds NaN or infinite values, or some beyond {LARGEST:g}")


@dataclass(frozen=True)
class Stored:
    """A loader of documents that were put down in a file, without their own names."""

    path: str
    documents: Mapped | None = None
    """Where the documents themselves lie, if the file holds their y alone."""
    vocabulary: str | None = None
    """The file of the words, which all partitions share; None if words have no names."""

    def __call__(self) -> Loaded:
        """Read the file."""
        with np.load(self.path, allow_pickle=False) as file:
            y = Response(str(file["kind"]), file["y"], None) if "y" in file else None
            offset = file["offset"] if "offset" in file else None
            if self.documents is not None:
                return Loaded(self.documents().corpus, y, offset)
            known = None if self.vocabulary is None else load_vocabulary(self.vocabulary)
            n_words = int(file["n_words"])
            corpus = Corpus(file["words"], file["starts"], vocabulary=known, n_words=n_words)
            return Loaded(corpus, y, offset)


def is_in_memory(part: Partition) -> bool:
    """Tell whether documents, y or offset of a partition are in the memory of this process."""
    own = part.loader
    if isinstance(own, Mapped):
        return own.y is not None or own.offset is not None
    return isinstance(own, Held)


def put_down(part: Partition, path: Path) -> Partition:
    """Write what is in memory to a file that workers can load; leave other partitions alone.

    The words lie beside it, in one file for all partitions with the same vocabulary.
    """
    own = part.loader
    if not isinstance(own, (Held, Mapped)) or not is_in_memory(part):
        return part
    arrays: dict[str, Any] = {}
    if isinstance(own.y, Response):
        arrays = {"y": own.y.values, "kind": np.array(own.y.kind)}
    if own.offset is not None:
        arrays["offset"] = own.offset
    if isinstance(own, Mapped):
        np.savez(path, **arrays)
        return Partition(Stored(str(path.resolve()), replace(own, y=None, offset=None)))
    corpus = own.corpus
    arrays |= {"words": corpus.words, "starts": corpus.starts, "n_words": np.array(corpus.n_words)}
    np.savez(path, **arrays)
    known = None if corpus.vocabulary is None else save_vocabulary(corpus.vocabulary, path.parent)
    return Partition(Stored(str(path.resolve()), vocabulary=known))


def save_vocabulary(vocabulary: NDArray[np.object_], folder: Path) -> str:
    """Write words to a file whose name depends on them, unless it is there; return its path."""
    # The words of a corpus hold no NUL, but may hold line breaks.
    text = "".join(f"{word}\0" for word in vocabulary.tolist()).encode()
    digest = hashlib.blake2b(text, digest_size=16).hexdigest()
    path = folder.resolve() / f"vocabulary-{digest}.npy"
    if not path.exists():
        unfinished = path.with_name(f"{path.stem}.{os.getpid()}.tmp.npy")
        np.save(unfinished, np.frombuffer(text, np.uint8), allow_pickle=False)
        os.replace(unfinished, path)
    return str(path)


def load_vocabulary(path: str) -> list[str]:
    """Read what `save_vocabulary` has written."""
    text = np.load(path, allow_pickle=False).tobytes().decode()
    return text.split("\0")[:-1]
