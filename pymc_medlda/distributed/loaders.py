"""Partitions that are loaded from functions, or from a bag of texts."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from pymc_medlda._arguments import check_share, check_whole
from pymc_medlda._optional import import_optional, import_sklearn
from pymc_medlda.corpus import Corpus
from pymc_medlda.corpus.counting import check_options
from pymc_medlda.distributed.executors import InProcess, check_client
from pymc_medlda.distributed.partitions import Loader, Partition, Partitions
from pymc_medlda.targets.labels import as_classes, listing


def from_loaders(loaders: Iterable[Loader], *, classes: Sequence[Any] | None = None) -> Partitions:
    """Return partitions that functions load, each of them wherever it is needed.

    Parameters
    ----------
    loaders : list of callables
        Functions without arguments that return a `Corpus` and its y, or None, and perhaps an
        offset of its discriminants. All must have the same vocabulary, and each must return the
        same documents whenever it is called. ``dask.delayed(load)``, and its call with arguments,
        may stand for a function: workers compute it whenever its documents are needed.
    classes : sequence, optional
        Allowed classes or labels, in order; by default all that occur, sorted.

    Returns
    -------
    Partitions

    Examples
    --------
    >>> import pymc_medlda as med
    >>> first = med.Corpus.from_tokens([["red"], ["blue"]], vocabulary=["blue", "red"])
    >>> med.distributed.from_loaders([lambda: (first, [0, 1])])
    Partitions(1 partitions)
    """
    if not isinstance(loaders, Iterable):
        raise TypeError(f"loaders must be a list of functions, got {loaders!r}")
    found = list(loaders)
    wrong = [loader for loader in found if not callable(loader)]
    if wrong or not found:
        came = repr(wrong[0]) if wrong else "none"
        raise TypeError(f"loaders must hold functions without arguments, got {came}")
    check_recomputed(found, "loaders")
    own = [Computed(loader) if hasattr(loader, "__dask_graph__") else loader for loader in found]
    known = None if classes is None else as_classes(classes)
    return Partitions([Partition(loader) for loader in own], classes=known)


@dataclass(frozen=True, eq=False)
class Computed:
    """A loader that is an object of ``dask.delayed``, computed whenever it is called."""

    delayed: Any

    def __call__(self) -> tuple[Any, ...]:
        """Compute it; what ``dask.delayed`` makes of a function is that function, to be called."""
        found: Any = self.delayed.compute(scheduler="synchronous")
        return found() if callable(found) else found


def check_recomputed(given: Any, argument: str) -> None:
    """Raise if a Dask object holds results on workers, which are lost if these workers are."""
    distributed = sys.modules.get("distributed")  # without it there are no such results
    if distributed is not None and distributed.futures_of(given):
        raise ValueError(
            f"{argument} must be given as it was before persist(): its partitions are on workers "
            "now, and could not be loaded again if one of these were lost"
        )


@dataclass(frozen=True, eq=False)
class Delayed:
    """A loader of one partition of a bag, which is computed again whenever it is loaded."""

    texts: Any
    vocabulary: tuple[str, ...]
    paired: bool  # whether every text has a label
    options: dict[str, Any]

    def __call__(self) -> tuple[Corpus, Any]:
        """Compute the texts, and count their words."""
        entries = list(self.texts.compute(scheduler="synchronous"))
        texts = [entry[0] for entry in entries] if self.paired else entries
        y = [entry[1] for entry in entries] if self.paired else None
        return Corpus.from_texts(texts, vocabulary=self.vocabulary, **self.options), y


def from_bag(
    bag: Any,
    *,
    min_df: int = 1,
    max_df: float = 1.0,
    max_words: int | None = None,
    classes: Sequence[Any] | None = None,
    client: Any = None,
    **count_vectorizer_kwargs: Any,
) -> Partitions:
    """Return the partitions of a Dask bag of texts, or of pairs of a text and its label.

    The words are counted on the cluster, partition by partition; only their counts come together.

    Parameters
    ----------
    bag : dask.bag.Bag
        Of texts, or of pairs (text, label).
    min_df : int, default 1
        Words in fewer documents are left out.
    max_df : int or float, default 1.0
        Words in more documents are left out; a float is a share of the documents.
    max_words : int, optional
        Keep so many words at most, those in most documents.
    classes : sequence, optional
        Allowed classes or labels, in order; by default all that occur, sorted.
    client : dask.distributed.Client or InProcess, optional
        Where words are counted. By default Dask decides: by its default client, if there is one,
        and otherwise in processes of this machine.
    **count_vectorizer_kwargs
        How texts become words, as for scikit-learn's ``CountVectorizer``: all of its options
        except ``vocabulary`` and ``max_features``.

    Returns
    -------
    Partitions

    Examples
    --------
    >>> import dask.bag
    >>> import pymc_medlda as med
    >>> bag = dask.bag.from_sequence([("good food", 1), ("bad food", 0)], npartitions=2)
    >>> with dask.config.set(scheduler="synchronous"):
    ...     med.distributed.from_bag(bag)
    Partitions(2 partitions)
    """
    import_optional("dask.bag", needed_by="from_bag", package="dask", extra="dask")
    if not hasattr(bag, "to_delayed"):
        raise TypeError(f"bag must be a dask.bag.Bag, got {type(bag).__name__}")
    check_recomputed(bag, "bag")
    check_client(client)
    check_whole("min_df", min_df, at_least=1)
    if isinstance(max_df, float):
        check_share("max_df", max_df)
    else:
        check_whole("max_df", max_df, at_least=1)
    if max_words is not None:
        check_whole("max_words", max_words, at_least=1)
    _check_splitting(count_vectorizer_kwargs)
    split = import_sklearn("feature_extraction.text").CountVectorizer(**count_vectorizer_kwargs)
    counting = bag.map_partitions(_count_documents, split.build_analyzer())
    counted = compute(counting.reduction(_add_counted, _add_counted), client)
    if counted.n_paired not in (0, counted.n_documents):
        raise ValueError(
            f"bag must hold texts, or pairs (text, label); got {counted.n_paired} pairs among "
            f"{counted.n_documents} entries"
        )
    highest = max_df * counted.n_documents if isinstance(max_df, float) else max_df
    chosen = [(-n, word) for word, n in counted.words.items() if min_df <= n <= highest]
    if not chosen:
        raise ValueError(
            f"no word of bag is in {min_df} documents or more and in {highest:g} or fewer, of "
            f"{counted.n_documents} documents: lower min_df, or raise max_df"
        )
    known = tuple(sorted(word for _, word in sorted(chosen)[:max_words]))
    own = (known, counted.n_paired > 0, count_vectorizer_kwargs)
    return from_loaders([Delayed(texts, *own) for texts in bag.to_delayed()], classes=classes)


def _check_splitting(options: dict[str, Any]) -> None:
    """Raise unless these are options of ``CountVectorizer`` that say how texts become words."""
    instead = {
        "vocabulary": "the words are counted here: limit them with min_df, max_df and max_words",
        "max_features": "give max_words, which keeps the words that are in most documents",
    }
    for name, advice in instead.items():
        if name in options:
            raise TypeError(f"from_bag has no argument {name!r}: {advice}")
    check_options(options, "from_bag", ("bag", "max_words", "classes", "client"))


def compute(collection: Any, client: Any) -> Any:
    """Return the value of an object of Dask, computed where the client says."""
    if client is None:
        return collection.compute()
    if isinstance(client, InProcess):
        return collection.compute(scheduler="synchronous")
    return client.compute(collection).result()


class Counted(NamedTuple):
    """What is counted in the entries of a bag."""

    words: Counter[str]  # in how many documents each word is
    n_documents: int
    n_paired: int  # documents that have a label


def _count_documents(entries: Iterable[Any], split: Callable[[str], list[str]]) -> list[Counted]:
    """Count the entries of a partition, and in how many of them each word is."""
    words: Counter[str] = Counter()
    n_documents, n_paired = 0, 0
    for entry in entries:
        paired = isinstance(entry, (tuple, list)) and len(entry) == 2
        text = entry[0] if paired else entry
        if not isinstance(text, str):
            raise TypeError(f"bag must hold texts, or pairs (text, label); got {listing([entry])}")
        words.update(set(split(text)))
        n_documents, n_paired = n_documents + 1, n_paired + paired
    return [Counted(words, n_documents, n_paired)]


def _add_counted(counted: Iterable[Counted]) -> Counted:
    parts = list(counted)
    words: Counter[str] = Counter()
    for part in parts:
        words.update(part.words)
    return Counted(words, sum(p.n_documents for p in parts), sum(p.n_paired for p in parts))
