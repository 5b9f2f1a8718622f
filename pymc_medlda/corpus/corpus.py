"""The corpus: immutable flat token arrays grouped by document, and the words they stand for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from typing import Any, Literal, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from pymc_medlda.corpus import checks as _checks
from pymc_medlda.corpus import flattening, readers
from pymc_medlda.kernels.counts import Tokens

Path = str | PathLike[str]


class Corpus:
    """Documents as flat arrays of word ids.

    Document d holds the tokens ``words[starts[d]:starts[d + 1]]``. A corpus never changes: its
    arrays are read-only. Empty documents are kept. Build one with a ``from_...`` constructor;
    this one takes the arrays themselves.

    Indexing with a slice, integer positions or a boolean mask gives the corpus of those
    documents, with the same vocabulary.

    Parameters
    ----------
    words : (n_tokens,) int array
        Word id of each token, document after document.
    starts : (n_documents + 1,) int array
        Where each document starts, and the number of tokens at the end.
    vocabulary : (n_words,) sequence of str, optional
        The word of each id. None where a source names no words.
    n_words : int, optional
        Size of the vocabulary where there are no names for it; by default the largest id plus one.
    document_names : (n_documents,) sequence, optional
        A name for each document.

    Attributes
    ----------
    words : (n_tokens,) int32 array
    starts : (n_documents + 1,) int64 array
    vocabulary : (n_words,) object array of str, or None
    document_names : (n_documents,) array, or None
    n_words : int

    Examples
    --------
    >>> from pymc_medlda.corpus import Corpus
    >>> corpus = Corpus([0, 2, 1, 1], [0, 2, 2, 4], vocabulary=["cat", "dog", "fish"])
    >>> corpus
    Corpus(3 documents, 4 tokens, 3 words, 1 empty document)
    >>> corpus[1:]
    Corpus(2 documents, 2 tokens, 3 words, 1 empty document)
    """

    __slots__ = ("document_names", "n_words", "starts", "vocabulary", "words")

    words: NDArray[np.int32]
    starts: NDArray[np.int64]
    vocabulary: NDArray[np.object_] | None
    document_names: NDArray[Any] | None
    n_words: int

    def __init__(
        self,
        words: ArrayLike,
        starts: ArrayLike,
        *,
        vocabulary: Iterable[str] | None = None,
        n_words: int | None = None,
        document_names: Iterable[Any] | None = None,
    ) -> None:
        words = _checks.as_ids(words, "words")
        starts = _checks.as_ids(starts, "starts")
        if (
            starts.size < 1
            or starts[0] != 0
            or starts[-1] != words.size
            or (np.diff(starts) < 0).any()
        ):
            raise ValueError(
                f"starts must rise from 0 to the number of tokens, {words.size}; got {starts}"
            )
        known = None if vocabulary is None else _checks.as_vocabulary(vocabulary)
        size = _checks.vocabulary_size(words, known, n_words)
        if words.size and (words.min() < 0 or words.max() >= size):
            worst = words.min() if words.min() < 0 else words.max()
            raise ValueError(
                f"words must hold ids from 0 to {size - 1}, the vocabulary; got {worst}"
            )
        names = (
            None if document_names is None else _checks.as_names(document_names, starts.size - 1)
        )
        self._fill(
            _checks.freeze(words, np.int32),
            _checks.freeze(starts, np.int64),
            known,
            names,
            size,
        )

    def _fill(
        self,
        words: NDArray[np.int32],
        starts: NDArray[np.int64],
        vocabulary: NDArray[np.object_] | None,
        document_names: NDArray[Any] | None,
        n_words: int,
    ) -> None:
        values = (document_names, n_words, starts, vocabulary, words)
        for name, value in zip(Corpus.__slots__, values, strict=True):
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        raise AttributeError(f"a Corpus never changes: {name} cannot be set")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a Corpus never changes: {name} cannot be deleted")

    @classmethod
    def from_texts(
        cls,
        texts: Iterable[str],
        *,
        vocabulary: Iterable[str] | None = None,
        document_names: Iterable[Any] | None = None,
        text_column: str | None = None,
        **count_vectorizer_kwargs: Any,
    ) -> Corpus:
        """Count the words of texts with scikit-learn's ``CountVectorizer``.

        Parameters
        ----------
        texts : iterable of str, series or frame
            One text a document: a list, an array, a pandas or polars series, or a frame whose
            only column, or ``text_column``, holds the texts. A pandas index other than the
            default numbering becomes the document names.
        vocabulary : sequence of str, optional
            The words to count, such as the vocabulary of the training corpus; other words are
            left out.
        document_names : (n_documents,) sequence, optional
            A name for each document.
        text_column : str, optional
            The column of a frame that holds the texts.
        **count_vectorizer_kwargs
            Passed on to ``CountVectorizer``: ``stop_words``, ``min_df``, ``ngram_range``, ...

        Returns
        -------
        Corpus

        Examples
        --------
        >>> train = Corpus.from_texts(["a red fish", "the blue fish"], stop_words=["the"])
        >>> train.vocabulary.tolist()
        ['blue', 'fish', 'red']
        >>> Corpus.from_texts(["fish and chips"], vocabulary=train.vocabulary)
        Corpus(1 document, 1 token, 3 words)
        """
        documents, names = readers.as_texts(texts, text_column)
        known = None if vocabulary is None else list(_checks.as_vocabulary(vocabulary))
        text = readers.import_sklearn("feature_extraction.text")
        vectorizer = text.CountVectorizer(vocabulary=known, **count_vectorizer_kwargs)
        matrix = vectorizer.fit_transform(documents)
        return cls.from_dtm(
            matrix,
            vocabulary=vectorizer.get_feature_names_out(),
            document_names=names if document_names is None else document_names,
        )

    @classmethod
    def from_dtm(
        cls,
        matrix: Any,
        *,
        vocabulary: Iterable[str] | None = None,
        document_names: Iterable[Any] | None = None,
    ) -> Corpus:
        """Take a document-term matrix of counts apart into tokens.

        Parameters
        ----------
        matrix : (n_documents, n_words) sparse or dense matrix, or frame
            Whole counts in any numeric dtype; any scipy sparse format, a NumPy array, a pandas or
            polars frame. The columns of a frame are its vocabulary and a pandas index names
            the documents, unless they are the default numbering.
        vocabulary : (n_words,) sequence of str, optional
            The word of each column. Without it the corpus has ``vocabulary = None``.
        document_names : (n_documents,) sequence, optional
            A name for each document.

        Returns
        -------
        Corpus
            The tokens of a document are in the order of their word ids.

        Examples
        --------
        >>> corpus = Corpus.from_dtm([[2, 0, 1], [0, 0, 0]], vocabulary=["cat", "dog", "fish"])
        >>> corpus
        Corpus(2 documents, 3 tokens, 3 words, 1 empty document)
        >>> corpus.words
        array([0, 0, 2], dtype=int32)
        """
        values, columns, names = readers.split_frame(matrix)
        csr = flattening.as_csr(values)
        words, starts = flattening.expand_counts(csr)
        return cls(
            _checks.seal(words),
            _checks.seal(starts),
            vocabulary=columns if vocabulary is None else vocabulary,
            n_words=csr.shape[1],
            document_names=names if document_names is None else document_names,
        )

    @classmethod
    def from_tokens(
        cls,
        documents: Iterable[Iterable[str] | Iterable[int]],
        *,
        vocabulary: Iterable[str] | None = None,
        n_words: int | None = None,
        document_names: Iterable[Any] | None = None,
        unknown: Literal["error", "drop"] = "error",
    ) -> Corpus:
        """Take documents that are already cut into words or word ids.

        Parameters
        ----------
        documents : iterable of lists of str, or of lists of int
            The tokens of each document, in the order to keep.
        vocabulary : (n_words,) sequence of str, optional
            The word of each id. By default the words that occur, sorted.
        n_words : int, optional
            Size of the vocabulary, for ids without a vocabulary; by default the largest id
            plus one.
        document_names : (n_documents,) sequence, optional
            A name for each document.
        unknown : {"error", "drop"}
            What to do with words that are not in the vocabulary. `to_vocabulary` drops them
            too, and says how many.

        Returns
        -------
        Corpus

        Examples
        --------
        >>> Corpus.from_tokens([["red", "fish", "red"], []]).words
        array([1, 0, 1], dtype=int32)
        >>> Corpus.from_tokens([[0, 4], [1]], n_words=10)
        Corpus(2 documents, 3 tokens, 10 words)
        """
        if unknown not in ("error", "drop"):
            raise ValueError(f"unknown must be 'error' or 'drop'; got {unknown!r}")
        known = None if vocabulary is None else _checks.as_vocabulary(vocabulary)
        words, starts, known = flattening.number_tokens(documents, known, drop=unknown == "drop")
        return cls(
            _checks.seal(words),
            _checks.seal(starts),
            vocabulary=known,
            n_words=n_words,
            document_names=document_names,
        )

    @classmethod
    def from_ldac(
        cls,
        path: Path,
        *,
        vocabulary: Path | Iterable[str] | None = None,
        document_names: Iterable[Any] | None = None,
    ) -> Corpus:
        r"""Read a file in the LDA-C format, a line ``M term:count ... term:count`` a document.

        Parameters
        ----------
        path : path
            The file.
        vocabulary : path or sequence of str, optional
            The word of each term, or a file of them, one a line.
        document_names : (n_documents,) sequence, optional
            A name for each document.

        Returns
        -------
        Corpus

        Examples
        --------
        >>> import pathlib, tempfile
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "two.ldac"
        >>> _ = path.write_text("2 0:1 3:2\n0\n")
        >>> Corpus.from_ldac(path)
        Corpus(2 documents, 3 tokens, 4 words, 1 empty document)
        """
        known = None if vocabulary is None else readers.read_words(vocabulary)
        matrix = readers.read_ldac(path, None if known is None else len(known))
        return cls.from_dtm(matrix, vocabulary=known, document_names=document_names)

    @classmethod
    def from_svmlight(
        cls,
        path: Path,
        *,
        vocabulary: Path | Iterable[str] | None = None,
        n_words: int | None = None,
        document_names: Iterable[Any] | None = None,
        zero_based: bool | Literal["auto"] = "auto",
        multilabel: bool = False,
    ) -> tuple[Corpus, Any]:
        r"""Read counts and labels in the SVMlight format, ``label term:count ...`` a line.

        Parameters
        ----------
        path : path
            The file.
        vocabulary : path or sequence of str, optional
            The word of each term, or a file of them, one a line.
        n_words : int, optional
            Size of the vocabulary where it is not given and the file may not use all of it.
        document_names : (n_documents,) sequence, optional
            A name for each document.
        zero_based : bool or "auto"
            Whether terms count from 0; by default they do if a 0 occurs.
        multilabel : bool
            Whether a line starts with several labels, ``label,label term:count ...``.

        Returns
        -------
        corpus : Corpus
        y : (n_documents,) float array, or list of tuples if ``multilabel``
            scikit-learn's ``MultiLabelBinarizer`` makes a 0/1 matrix of the tuples.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "two.svm"
        >>> _ = path.write_text("1 1:2 3:1\n-1 2:1\n")
        >>> Corpus.from_svmlight(path)
        (Corpus(2 documents, 4 tokens, 3 words), array([ 1., -1.]))
        """
        known = None if vocabulary is None else readers.read_words(vocabulary)
        matrix, y = readers.import_sklearn("datasets").load_svmlight_file(
            str(path),
            n_features=n_words if known is None else len(known),
            zero_based=zero_based,
            multilabel=multilabel,
        )
        return cls.from_dtm(matrix, vocabulary=known, document_names=document_names), y

    @classmethod
    def from_csv(
        cls,
        path: Path,
        *,
        text_column: str,
        label_column: str | None = None,
        read_options: Mapping[str, Any] | None = None,
        **kwargs: Any,
    ) -> Corpus | tuple[Corpus, NDArray[Any]]:
        r"""Read texts, and labels if their column is named, from a CSV file.

        Parameters
        ----------
        path : path
            The file.
        text_column, label_column : str
            The columns of the texts and of the labels. An empty text is an empty document.
        read_options : mapping, optional
            Arguments of ``pandas.read_csv``, such as ``{"sep": ";"}``.
        **kwargs
            Arguments of `from_texts`.

        Returns
        -------
        corpus : Corpus
        labels : (n_documents,) array
            Only if ``label_column`` is given.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "reviews.csv"
        >>> _ = path.write_text("review,stars\ngood food,5\nbad food,1\n")
        >>> Corpus.from_csv(path, text_column="review", label_column="stars")
        (Corpus(2 documents, 4 tokens, 3 words), array([5, 1]))
        """
        columns = {"text_column": text_column, "label_column": label_column}
        return cls._from_table(readers.read_csv(path, read_options, **columns), kwargs)

    @classmethod
    def from_parquet(
        cls,
        path: Path,
        *,
        text_column: str,
        label_column: str | None = None,
        read_options: Mapping[str, Any] | None = None,
        **kwargs: Any,
    ) -> Corpus | tuple[Corpus, NDArray[Any]]:
        """Read texts, and labels if their column is named, from a Parquet file.

        The arguments and results are those of `from_csv`; ``read_options`` are arguments of
        ``pandas.read_parquet``, which needs pyarrow.

        Examples
        --------
        >>> import pathlib, tempfile, pandas
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "reviews.parquet"
        >>> pandas.DataFrame({"review": ["good food", "bad food"]}).to_parquet(path)
        >>> Corpus.from_parquet(path, text_column="review")
        Corpus(2 documents, 4 tokens, 3 words)
        """
        columns = {"text_column": text_column, "label_column": label_column}
        return cls._from_table(readers.read_parquet(path, read_options, **columns), kwargs)

    @classmethod
    def _from_table(
        cls, columns: tuple[Any, NDArray[Any] | None], kwargs: dict[str, Any]
    ) -> Corpus | tuple[Corpus, NDArray[Any]]:
        texts, labels = columns
        corpus = cls.from_texts(texts, **kwargs)
        return corpus if labels is None else (corpus, labels)

    @property
    def n_documents(self) -> int:
        """Number of documents, the empty ones among them."""
        return self.starts.size - 1

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
        """The arrays as the kernels take them."""
        return Tokens(self.words, self.starts)

    def to_dtm(self) -> sparse.csr_matrix:
        """Count the words of each document.

        Returns
        -------
        (n_documents, n_words) int32 CSR matrix

        Examples
        --------
        >>> Corpus.from_tokens([[0, 2, 0], []], n_words=3).to_dtm().toarray()
        array([[2, 0, 1], [0, 0, 0]], dtype=int32)
        """
        ones = np.ones(self.n_tokens, np.int32)
        shape = (self.n_documents, self.n_words)
        # A copy, as the duplicates are summed in place.
        matrix = sparse.csr_matrix((ones, self.words, self.starts), shape=shape, copy=True)
        matrix.sum_duplicates()
        return matrix

    def to_ldac(self, path: Path) -> None:
        r"""Write the counts in the LDA-C format, which has no words and no document names.

        Parameters
        ----------
        path : path
            The file to write.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "two.ldac"
        >>> Corpus.from_tokens([[0, 2, 0], []]).to_ldac(path)
        >>> path.read_text()
        '2 0:2 2:1\n0\n'
        """
        readers.write_ldac(self.to_dtm(), path)

    def to_vocabulary(self, vocabulary: Iterable[str]) -> tuple[Corpus, int]:
        """Renumber the words by another vocabulary, and drop those it does not have.

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
        >>> corpus = Corpus.from_tokens([["red", "fish"], ["fish", "chips"]])
        >>> corpus.to_vocabulary(["fish", "red"])
        (Corpus(2 documents, 3 tokens, 2 words), 1)
        """
        if self.vocabulary is None:
            raise ValueError(
                "to_vocabulary needs a corpus with a vocabulary; this one has only ids"
            )
        known = _checks.as_vocabulary(vocabulary)
        ids = {word: t for t, word in enumerate(known)}
        renumbered = np.array([ids.get(word, -1) for word in self.vocabulary], np.int32)
        words = renumbered[self.words]
        words, starts = flattening.drop_negative(words, self.starts)
        return self._with(words, starts, self.document_names, known), self.n_tokens - words.size

    def _with(
        self,
        words: NDArray[np.int32],
        starts: NDArray[np.int64],
        document_names: NDArray[Any] | None,
        vocabulary: NDArray[np.object_] | None = None,
    ) -> Corpus:
        """Build a corpus of arrays that need no check, by default with the same vocabulary."""
        words, starts = _checks.seal(words), _checks.seal(starts)
        names = None if document_names is None else _checks.seal(document_names)
        corpus = object.__new__(type(self))
        if vocabulary is None:
            corpus._fill(words, starts, self.vocabulary, names, self.n_words)
        else:
            corpus._fill(words, starts, vocabulary, names, vocabulary.size)
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
        rows = _checks.as_positions(selection, self.n_documents)
        starts = np.concatenate([[0], np.cumsum(self.lengths[rows])])
        spans = zip(self.starts[rows], self.starts[rows + 1], strict=True)
        # One slice a document: fancy indexing by token would need eight bytes a token beside.
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
        # NumPy forgets on pickling that an array is read-only, so the arrays are sealed again.
        return _restore, (*self._arrays(), self.n_words)

    def _arrays(self) -> tuple[Any, ...]:
        return self.words, self.starts, self.vocabulary, self.document_names


def _restore(
    words: NDArray[np.int32],
    starts: NDArray[np.int64],
    vocabulary: NDArray[np.object_] | None,
    document_names: NDArray[Any] | None,
    n_words: int,
) -> Corpus:
    """Build a pickled corpus again."""
    for values in (words, starts, vocabulary, document_names):
        if values is not None:
            _checks.seal(values)
    corpus = object.__new__(Corpus)
    corpus._fill(words, starts, vocabulary, document_names, n_words)
    return corpus
