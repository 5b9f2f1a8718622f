"""The corpus: immutable flat token arrays grouped by document, and the words they stand for.

The ``from_...`` constructors are inherited from `from_memory` and `from_files`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NoReturn, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from pymc_medlda.corpus import checks
from pymc_medlda.corpus.formats import Path, write_ldac
from pymc_medlda.corpus.from_files import FromFiles
from pymc_medlda.corpus.recipe import TextRecipe
from pymc_medlda.corpus.selecting import as_positions, check_index
from pymc_medlda.corpus.tokens import drop_negative
from pymc_medlda.kernels.counts import Tokens


class Corpus(FromFiles):
    """Documents as flat arrays of word ids.

    Document d holds the tokens ``words[starts[d]:starts[d + 1]]``. A corpus never changes: its
    arrays are read-only. Empty documents are kept. Build a corpus with one of the ``from_...``
    constructors, or from the arrays themselves with the parameters below.

    Indexing with a slice, integer positions or a boolean mask gives the corpus of those
    documents, with the same vocabulary. A mask that is a pandas series is refused if its index
    holds the documents in another order.

    Parameters
    ----------
    words : (n_tokens,) int array
        Word id of each token, document after document.
    starts : (n_documents + 1,) int array
        Position of the first token of each document; the last entry is the number of tokens.
    vocabulary : (n_words,) sequence of str, or mapping, optional
        The word of each id, or a mapping from each word to its id, such as the ``vocabulary_`` of
        scikit-learn's ``CountVectorizer``. None if the words have no names.
    n_words : int, optional
        Size of the vocabulary if the words have no names; by default the largest id plus one. At
        most 100 million.
    document_names : (n_documents,) sequence, optional
        A name for each document. Whole numbers and text stay as they are, and several documents
        may have the same name. Files hold no other names, so the parts of a tuple, such as an
        entry of a pandas ``MultiIndex``, are joined by a comma, and any other name, such as a
        date, becomes its ``str``.

    Attributes
    ----------
    words : (n_tokens,) int32 array
    starts : (n_documents + 1,) int64 array
    vocabulary : (n_words,) object array of str, or None
    document_names : (n_documents,) array of int or of str, or None
    n_words : int
    recipe : TextRecipe or None
        How the texts were split, if the corpus was made from texts; otherwise None. Corpora are
        compared without it.

    Examples
    --------
    >>> import pymc_medlda as med
    >>> corpus = med.Corpus([0, 2, 1, 1], [0, 2, 2, 4], vocabulary=["cat", "dog", "fish"])
    >>> corpus
    Corpus(3 documents, 4 tokens, 3 words, 1 empty document)
    >>> corpus[1:]
    Corpus(2 documents, 2 tokens, 3 words, 1 empty document)
    """

    __slots__ = ("document_names", "n_words", "recipe", "starts", "vocabulary", "words")

    words: NDArray[np.int32]
    starts: NDArray[np.int64]
    vocabulary: NDArray[np.object_] | None
    document_names: NDArray[Any] | None
    n_words: int
    recipe: TextRecipe | None

    def __init__(
        self,
        words: ArrayLike,
        starts: ArrayLike,
        *,
        vocabulary: Iterable[str] | None = None,
        n_words: int | None = None,
        document_names: Iterable[Any] | None = None,
    ) -> None:
        words = checks.as_ids(words, "words")
        starts = checks.as_starts(starts, words.size)
        known = None if vocabulary is None else checks.as_vocabulary(vocabulary)
        size = checks.vocabulary_size(words, known, n_words)
        checks.check_ids(words, size)
        names = None
        if document_names is not None:
            names = checks.as_document_names(document_names, starts.size - 1)
        self._fill(checks.freeze(words, np.int32), starts, known, names, size)

    def _fill(
        self,
        words: NDArray[np.int32],
        starts: NDArray[np.int64],
        vocabulary: NDArray[np.object_] | None,
        document_names: NDArray[Any] | None,
        n_words: int,
        recipe: TextRecipe | None = None,
    ) -> None:
        """Set the attributes, which ``__setattr__`` refuses to everybody else."""
        set_attribute = object.__setattr__
        set_attribute(self, "words", words)
        set_attribute(self, "starts", starts)
        set_attribute(self, "vocabulary", vocabulary)
        set_attribute(self, "document_names", document_names)
        set_attribute(self, "n_words", n_words)
        set_attribute(self, "recipe", recipe)

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        raise AttributeError(f"a Corpus never changes: {name} cannot be set")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a Corpus never changes: {name} cannot be deleted")

    @property
    def n_documents(self) -> int:
        """Number of documents, including the empty ones."""
        return self.starts.size - 1

    @property
    def document_labels(self) -> NDArray[Any]:
        """The names of the documents, or their positions where they have none."""
        if self.document_names is None:
            return np.arange(self.n_documents)
        return self.document_names

    @property
    def n_tokens(self) -> int:
        """Number of tokens in all documents."""
        return self.words.size

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Number of tokens of each document."""
        return np.diff(self.starts)

    @property
    def tokens(self) -> Tokens:
        """The token arrays in the form that the kernels take."""
        return Tokens(self.words, self.starts)

    def to_dtm(self) -> sparse.csr_matrix:
        """Count the words of each document.

        Returns
        -------
        (n_documents, n_words) int32 CSR matrix

        Examples
        --------
        >>> import pymc_medlda as med
        >>> med.Corpus.from_tokens([[0, 2, 0], []], n_words=3).to_dtm().toarray()
        array([[2, 0, 1], [0, 0, 0]], dtype=int32)
        """
        ones = np.ones(self.n_tokens, np.int32)
        shape = (self.n_documents, self.n_words)
        # Copied, because sum_duplicates works in place and the arrays of a corpus are read-only.
        matrix = sparse.csr_matrix((ones, self.words, self.starts), shape=shape, copy=True)
        matrix.sum_duplicates()
        return matrix

    def to_ldac(self, path: Path) -> None:
        r"""Write the counts in the LDA-C format, which keeps neither words nor document names.

        Parameters
        ----------
        path : path
            The file to write.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> import pymc_medlda as med
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "two.ldac"
        >>> med.Corpus.from_tokens([[0, 2, 0], []]).to_ldac(path)
        >>> path.read_text()
        '2 0:2 2:1\n0\n'
        """
        write_ldac(self.to_dtm(), path)

    def to_vocabulary(self, vocabulary: Iterable[str]) -> tuple[Corpus, int]:
        """Renumber the words by another vocabulary, and drop words that it does not have.

        Parameters
        ----------
        vocabulary : sequence of str
            The new vocabulary, such as that of the corpus a model was fitted to.

        Returns
        -------
        corpus : Corpus
            The same documents, without the tokens of unknown words.
        n_dropped : int
            Number of tokens left out.

        Examples
        --------
        >>> import pymc_medlda as med
        >>> corpus = med.Corpus.from_tokens([["red", "fish"], ["fish", "chips"]])
        >>> corpus.to_vocabulary(["fish", "red"])
        (Corpus(2 documents, 3 tokens, 2 words), 1)
        """
        if self.vocabulary is None:
            raise ValueError(
                "to_vocabulary needs a corpus with a vocabulary; this one has only ids"
            )
        known = checks.as_vocabulary(vocabulary)
        ids = {word: t for t, word in enumerate(known)}
        renumbered = np.array([ids.get(word, -1) for word in self.vocabulary], np.int32)
        words = renumbered[self.words]
        words, starts = drop_negative(words, self.starts)
        return self._with(words, starts, self.document_names, known), self.n_tokens - words.size

    def _with(
        self,
        words: NDArray[np.int32],
        starts: NDArray[np.int64],
        document_names: NDArray[Any] | None,
        vocabulary: NDArray[np.object_] | None = None,
    ) -> Corpus:
        """Build a corpus from arrays known to be valid, by default with the same vocabulary."""
        words, starts = checks.seal(words), checks.seal(starts)
        names = None if document_names is None else checks.seal(document_names)
        corpus = object.__new__(type(self))
        if vocabulary is None:
            corpus._fill(words, starts, self.vocabulary, names, self.n_words, self.recipe)
        else:
            corpus._fill(words, starts, vocabulary, names, vocabulary.size, self.recipe)
        return corpus

    def _with_recipe(self, recipe: TextRecipe | None) -> Self:
        """Return the same documents, with a recipe for further texts."""
        corpus = object.__new__(type(self))
        words, starts, vocabulary, names = self._arrays()
        corpus._fill(words, starts, vocabulary, names, self.n_words, recipe)
        return corpus

    def __getitem__(self, selection: slice | Sequence[int] | NDArray[Any]) -> Corpus:
        names = self.document_names
        if isinstance(selection, slice) and selection.step in (None, 1):
            first, last, _ = selection.indices(self.n_documents)
            starts = self.starts[first : max(first, last) + 1]
            words = self.words[starts[0] : starts[-1]]
            return self._with(
                words, starts - starts[0], None if names is None else names[selection]
            )
        check_index(selection, names)
        rows = as_positions(selection, self.n_documents)
        starts = np.concatenate([[0], np.cumsum(self.lengths[rows])])
        spans = zip(self.starts[rows], self.starts[rows + 1], strict=True)
        # One slice per document: an index array over tokens would take eight bytes per token.
        words = np.concatenate([self.words[:0], *(self.words[i:j] for i, j in spans)])
        return self._with(words, starts, None if names is None else names[rows])

    def __len__(self) -> int:
        return self.n_documents

    def __repr__(self) -> str:
        empty = int(np.count_nonzero(self.lengths == 0))
        sizes = {"document": self.n_documents, "token": self.n_tokens, "word": self.n_words}
        if empty:
            sizes["empty document"] = empty
        parts = [f"{size} {name}{'' if size == 1 else 's'}" for name, size in sizes.items()]
        return f"{type(self).__name__}({', '.join(parts)})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Corpus):
            return NotImplemented
        return self.n_words == other.n_words and all(
            mine is theirs or (mine is not None and np.array_equal(mine, theirs))
            for mine, theirs in zip(self._arrays(), other._arrays(), strict=True)
        )

    def __hash__(self) -> int:
        return hash((self.n_documents, self.n_tokens, self.n_words))

    def __reduce__(self) -> tuple[Any, ...]:
        # Unpickled NumPy arrays are writeable, so _restore makes them read-only again.
        return _restore, (*self._arrays(), self.n_words, self.recipe)

    def _arrays(self) -> tuple[Any, ...]:
        return self.words, self.starts, self.vocabulary, self.document_names


def _restore(
    words: NDArray[np.int32],
    starts: NDArray[np.int64],
    vocabulary: NDArray[np.object_] | None,
    document_names: NDArray[Any] | None,
    n_words: int,
    recipe: TextRecipe | None = None,  # pickles of earlier releases have none
) -> Corpus:
    """Build a corpus from the arrays that were pickled."""
    for values in (words, starts, vocabulary, document_names):
        if values is not None:
            checks.seal(values)
    corpus = object.__new__(Corpus)
    corpus._fill(words, starts, vocabulary, document_names, n_words, recipe)
    return corpus
