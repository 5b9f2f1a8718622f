"""New documents for a served model: texts, or a corpus, as distinct words and their counts."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pymc_medlda._arrays import Floats

if TYPE_CHECKING:
    from pymc_medlda.corpus.recipe import TextRecipe


@dataclass(frozen=True, eq=False)
class Documents:
    """New documents, their words numbered as in the served model.

    Attributes
    ----------
    names : array
        The names of the documents, or their positions.
    words : list of int array
        The distinct words of each document that the model knows.
    times : list of float array
        How often each of these words occurs.
    """

    names: NDArray[Any]
    words: list[NDArray[np.intp]]
    times: list[Floats]

    def __iter__(self) -> Iterator[tuple[NDArray[np.intp], Floats]]:
        return zip(self.words, self.times, strict=True)

    def __len__(self) -> int:
        return len(self.words)

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Number of tokens of each document whose words the model knows."""
        return np.array([int(times.sum()) for times in self.times], np.int64)


def read_documents(
    documents: Any, ids: Mapping[str, int] | None, n_words: int, recipe: TextRecipe | None
) -> Documents:
    """Return texts or a corpus as counts of known words.

    ``ids`` numbers the words of the model, None if they have no names.
    """
    module = sys.modules.get("pymc_medlda.corpus.corpus")
    if module is not None and isinstance(documents, module.Corpus):
        return _read_corpus(documents, ids, n_words)
    texts, names = _as_texts(documents)
    if recipe is None or ids is None:
        raise ValueError(
            "documents must be a Corpus for this model, because its run does not say how texts "
            "are split: its corpus was not made by Corpus.from_texts"
        )
    found = [[ids[word] for word in recipe.words_of(text) if word in ids] for text in texts]
    return _count(names, [np.asarray(words, np.intp) for words in found], once=recipe.binary)


def _read_corpus(corpus: Any, ids: Mapping[str, int] | None, n_words: int) -> Documents:
    """Match the words of a corpus by name, or by position where the model has no names."""
    if ids is None:
        if corpus.n_words != n_words:
            raise ValueError(
                f"documents has {corpus.n_words} words and the model {n_words}, and the model has "
                "no names for them: the vocabularies must be of one size"
            )
        number = np.arange(n_words)
    elif corpus.vocabulary is None:
        raise ValueError(
            "documents must have a vocabulary, because this model matches words by name"
        )
    else:
        number = np.array([ids.get(str(word), -1) for word in corpus.vocabulary], np.intp)
    words = number[corpus.words]
    of_document = np.split(words, corpus.starts[1:-1])
    return _count(corpus.document_labels, [own[own >= 0] for own in of_document])


def _count(names: NDArray[Any], words: Sequence[NDArray[np.intp]], once: bool = False) -> Documents:
    pairs = [np.unique(own, return_counts=True) for own in words]
    times = [np.ones(n.size) if once else n.astype(np.float64) for _, n in pairs]
    return Documents(names, [own for own, _ in pairs], times)


def _as_texts(texts: Any) -> tuple[list[str], NDArray[Any]]:
    """Return texts as a list, with the names of the documents: the index of a series."""
    wanted = "documents must be a Corpus or a list of texts, one per document"
    if isinstance(texts, (str, bytes)):
        raise TypeError(f"{wanted}; got one string")
    if hasattr(texts, "columns"):
        raise TypeError(f"{wanted}; got a table: give its column of texts")
    if isinstance(texts, Mapping) or not isinstance(texts, Iterable):
        raise TypeError(f"{wanted}; got {texts!r} ({type(texts).__name__})")
    if isinstance(texts, (set, frozenset)):
        raise TypeError(f"{wanted}; got a {type(texts).__name__}, which has no order")
    found = list(texts)
    for position, text in enumerate(found):
        if not isinstance(text, str):
            raise TypeError(f"documents must hold texts; got {text!r} at position {position}")
    index = getattr(texts, "index", None)
    if index is None or callable(index):  # lists have a method of this name
        return found, np.arange(len(found))
    return found, np.asarray(index)
