"""Partitions of a corpus: each of them can be loaded by any worker, as often as it is needed."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pymc_medlda._arguments import check_whole
from pymc_medlda._arrays import Floats
from pymc_medlda.corpus import Corpus
from pymc_medlda.corpus.mapped import find_folder
from pymc_medlda.targets.coding import code_response
from pymc_medlda.targets.documents import align_to_documents
from pymc_medlda.targets.labels import holds_label_lists
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
    classes : sequence or None
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
    classes: Sequence[Any] | None = None

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
    return Partitions(parts, y, edges, classes)


class Labels(NamedTuple):
    """What y of a partition looks like."""

    form: str  # "vector", "matrix" or "lists"
    n_columns: int
    values: tuple[Any, ...]  # the labels that occur; none of a matrix and of real values


class Description(NamedTuple):
    """What is asked of every partition before sampling."""

    frequency: NDArray[np.int64]  # how often each word occurs
    n_documents: int
    n_tokens: int
    vocabulary: str  # a digest
    labels: Labels | None  # where y is a part of the partition, and not coded


class Summary(NamedTuple):
    """The part of a description that does not grow with the vocabulary."""

    n_documents: int
    n_tokens: int
    n_words: int
    vocabulary: str
    labels: Labels | None


def describe(part: Partition, takes_labels: bool | None) -> Description:
    """Count the words of a partition, and find its labels."""
    corpus, y = part.load()
    frequency = np.bincount(corpus.words, minlength=corpus.n_words)
    words = [] if corpus.vocabulary is None else corpus.vocabulary.tolist()
    digest = hashlib.blake2b("\0".join(words).encode(errors="replace"), digest_size=8).hexdigest()
    return Description(
        frequency, corpus.n_documents, corpus.n_tokens, digest, find_labels(y, takes_labels)
    )


def summary_of(description: Description) -> Summary:
    """Return what the driver reads of a description."""
    return Summary(*description[1:3], description.frequency.size, *description[3:])


def find_labels(y: Any, takes_labels: bool | None) -> Labels | None:
    """Return what y of a partition looks like, None if it has none or it is coded already."""
    if y is None or isinstance(y, Response):
        return None
    values = as_sequence(y, "y")
    if holds_label_lists(values):
        return Labels("lists", 0, tuple({label for row in values if row for label in row}))
    array = np.asarray(values)
    if array.ndim == 2:
        return Labels("matrix", array.shape[1], ())
    if takes_labels is False:
        return Labels("vector", 0, ())
    if takes_labels is None and array.dtype.kind == "f":
        raise ValueError("y holds numbers with a fraction: give a loss, for labels or for values")
    return Labels("vector", 0, tuple({v for v in array.tolist() if v is not None and v == v}))


def vocabulary_of(part: Partition) -> NDArray[np.object_] | None:
    """Return the vocabulary of a partition."""
    return part.load()[0].vocabulary


class Coding(NamedTuple):
    """How y of a partition becomes numbers: as it would with all documents together."""

    kind: str
    classes: Any
    takes_labels: bool | None
    has_columns: bool  # whether y is a matrix once it is coded

    @property
    def n_tasks(self) -> int:
        """Number of discriminants of each document."""
        return len(self.classes) if self.has_columns else 1

    def code(self, y: Any, n_documents: int) -> Floats:
        """Return the coded values of a partition."""
        if isinstance(y, Response):
            return y.values
        coded = code_response(
            y,
            n_documents=n_documents,
            takes_labels=self.takes_labels,
            single=True if self.kind == "binary" else None,
            classes=None if self.kind == "real" else self.classes,
            partial=True,
        )
        if coded.kind != self.kind:
            raise ValueError(
                f"y of a partition is {coded.kind}, but that of the others is {self.kind}: give "
                "the same kind of values, and a loss, in all of them"
            )
        return coded.values


def code_here(given: Partitions, takes_labels: bool | None) -> tuple[Partitions, Coding | None]:
    """Code y where it is known here, and give every partition its own; None if it is not."""
    if given.y is None or given.edges is None:
        return given, None
    n_documents = int(given.edges[-1])
    coded = code_response(
        given.y, n_documents=n_documents, takes_labels=takes_labels, classes=given.classes
    )
    parts = []
    for part, first, last in zip(given.parts, given.edges[:-1], given.edges[1:], strict=True):
        own = Response(coded.kind, coded.values[first:last], coded.classes)
        parts.append(Partition(replace(part.loader, y=own)))  # type: ignore[type-var]
    coding = Coding(coded.kind, coded.classes, takes_labels, coded.values.ndim == 2)
    return replace(given, parts=parts), coding


def find_coding(
    given: Partitions, summaries: Sequence[Summary], takes_labels: bool | None
) -> Coding | None:
    """Return how partitions code the y that they load; None if they have none."""
    found = [summary.labels for summary in summaries if summary.labels is not None]
    if not found:
        return None
    if len(found) < len(summaries) or len({labels.form for labels in found}) > 1:
        raise ValueError("y must be there in all partitions or in none, and of one form")
    form, n_columns = found[0].form, found[0].n_columns
    if takes_labels is False:
        names = None if form != "matrix" else np.arange(n_columns)
        return Coding("real", names, False, form == "matrix")
    classes: Any = given.classes
    if form == "matrix":
        classes = np.arange(n_columns) if classes is None else np.asarray(classes)
        return Coding("multilabel", classes, True, True)
    if classes is None:
        classes = sorted(set().union(*(labels.values for labels in found)))
    if form == "lists":
        return Coding("multilabel", np.asarray(classes), True, True)
    binary = len(classes) == 2
    return Coding("binary" if binary else "multiclass", np.asarray(classes), True, not binary)


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
