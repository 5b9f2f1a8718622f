"""Partitions of a corpus: each of them can be loaded by any worker, as often as it is needed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pymc_medlda._arguments import check_whole
from pymc_medlda.corpus import Corpus
from pymc_medlda.corpus.mapped import find_folder
from pymc_medlda.targets.documents import align_to_documents
from pymc_medlda.targets.labels import as_classes
from pymc_medlda.targets.reading import as_sequence
from pymc_medlda.targets.response import Response

Loader = Callable[[], tuple[Corpus, Any]]


@dataclass(frozen=True, eq=False)
class Partition:
    """Documents that a function without arguments loads, with their y or None."""

    loader: Loader

    def load(self) -> tuple[Corpus, Any]:
        """Return the documents and their y."""
        found = self.loader()
        if not (isinstance(found, tuple) and len(found) == 2 and isinstance(found[0], Corpus)):
            raise TypeError(
                "the loader of a partition must return a Corpus and y (None if there is none); "
                f"got {type(found).__name__}"
            )
        return found


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

    def __call__(self) -> tuple[Corpus, Any]:
        """Return the documents."""
        return self.corpus, self.y


@dataclass(frozen=True, eq=False)
class Mapped:
    """A loader of some documents of a corpus that lies in a folder."""

    folder: str
    first: int
    last: int
    y: Any = None

    def __call__(self) -> tuple[Corpus, Any]:
        """Map the folder, and select the documents."""
        return Corpus.from_folder(self.folder)[self.first : self.last], self.y


def partition(
    corpus: Corpus,
    y: Any = None,
    *,
    n_partitions: int = 8,
    classes: Sequence[Any] | None = None,
) -> Partitions:
    """Divide a corpus into partitions of consecutive documents with nearly equal numbers of tokens.

    The draws of `sample` depend on the partitions, and never on the workers. There should be as
    many partitions as workers have threads.

    Parameters
    ----------
    corpus : Corpus
        The documents. If they lie in a folder (`Corpus.from_folder`), workers map them from there.
    y : array-like, optional
        Labels, real values, lists of labels or a matrix, as for `GibbsMedLDA`.
    n_partitions : int, default 8
        How many; at most as many as there are documents and words.
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
        own: Loader = Held(corpus[first:last])
        if folder is not None:
            own = Mapped(str(folder.resolve()), first, last)
        parts.append(Partition(own))
    known = None if classes is None else as_classes(classes)
    return Partitions(parts, y, edges, known)


@dataclass(frozen=True)
class Stored:
    """A loader of documents that were put down in a file, without names."""

    path: str
    documents: Mapped | None = None
    """Where the documents themselves lie, if the file holds their y alone."""

    def __call__(self) -> tuple[Corpus, Any]:
        """Read the file."""
        with np.load(self.path, allow_pickle=False) as file:
            y = Response(str(file["kind"]), file["y"], None) if "y" in file else None
            if self.documents is not None:
                return self.documents()[0], y
            n_words = int(file["n_words"])
            return Corpus(file["words"], file["starts"], n_words=n_words), y


def put_down(part: Partition, path: Path) -> Partition:
    """Write what is in memory to a file that workers can load; leave other partitions alone."""
    own = part.loader
    if not isinstance(own, (Held, Mapped)):
        return part
    arrays: dict[str, Any] = {}
    if isinstance(own.y, Response):
        arrays = {"y": own.y.values, "kind": np.array(own.y.kind)}
    if isinstance(own, Mapped):
        np.savez(path, **arrays)
        return Partition(Stored(str(path.resolve()), replace(own, y=None)))
    corpus = own.corpus
    arrays |= {"words": corpus.words, "starts": corpus.starts, "n_words": np.array(corpus.n_words)}
    np.savez(path, **arrays)
    return Partition(Stored(str(path.resolve())))
