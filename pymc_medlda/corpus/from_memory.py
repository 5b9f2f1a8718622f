"""The constructors of `pymc_medlda.Corpus` for data in memory: texts, counts and tokens."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Literal, Self

import pandas as pd
from numpy.typing import ArrayLike

from pymc_medlda._arguments import check_choice
from pymc_medlda.corpus.checks import as_vocabulary, check_n_words, seal
from pymc_medlda.corpus.counting import check_options, count_texts
from pymc_medlda.corpus.frames import as_texts, index_names, split_frame
from pymc_medlda.corpus.matrices import as_csr, expand_counts
from pymc_medlda.corpus.recipe import TextRecipe
from pymc_medlda.corpus.tokens import number_tokens


class FromMemory:
    """What `Corpus` inherits to be built from texts, counts and tokens."""

    # If a parent class had no __slots__, every corpus would have a __dict__.
    __slots__ = ()

    def __init__(
        self,
        words: ArrayLike,
        starts: ArrayLike,
        *,
        vocabulary: Iterable[str] | None = None,
        n_words: int | None = None,
        document_names: Iterable[Any] | None = None,
    ) -> None:
        raise NotImplementedError("Corpus defines how it is built from arrays")

    def _with_recipe(self, recipe: TextRecipe | None) -> Self:
        raise NotImplementedError("Corpus defines how it keeps a recipe")

    @classmethod
    def from_texts(
        cls,
        texts: Iterable[str],
        *,
        vocabulary: Iterable[str] | None = None,
        document_names: Iterable[Any] | None = None,
        text_column: str | None = None,
        stemmer: Callable[[str], str] | None = None,
        **count_vectorizer_kwargs: Any,
    ) -> Self:
        """Count the words of texts with scikit-learn's ``CountVectorizer``.

        Parameters
        ----------
        texts : iterable of str, series or frame
            One text per document: a list, an array, a pandas or polars series, or a frame whose
            only column, or ``text_column``, holds the texts. A pandas index other than the
            default numbering becomes the document names.
        vocabulary : sequence of str, or mapping from words to positions, optional
            The words to count, such as the vocabulary of the training corpus; other words are
            left out.
        document_names : (n_documents,) sequence, optional
            A name for each document.
        text_column : str, optional
            The column of a frame that holds the texts.
        stemmer : function, optional
            Returns the stem of a word; packages such as NLTK and snowballstemmer have some. It is
            applied to the words that are left after stop words are removed.
        **count_vectorizer_kwargs
            Passed on to ``CountVectorizer``: ``stop_words``, ``min_df``, ``ngram_range``, ... A
            ``dtype`` has no effect, as the counts become tokens. ``stop_words`` may also be the
            name of a language, such as ``"german"``, which needs the extra ``languages``.

        Returns
        -------
        Corpus
            Its ``recipe`` tells how the texts were split. A model of the corpus stores it, so that
            `predict` takes texts too. This needs functions with an import path: a lambda is used
            here, but cannot be stored.

        Examples
        --------
        >>> import pymc_medlda as med
        >>> train = med.Corpus.from_texts(["a red fish", "the blue fish"], stop_words=["the"])
        >>> train.vocabulary.tolist()
        ['blue', 'fish', 'red']
        >>> med.Corpus.from_texts(["fish and chips"], vocabulary=train.vocabulary)
        Corpus(1 document, 1 token, 3 words)
        """
        documents, names = as_texts(texts, text_column)
        known = None if vocabulary is None else list(as_vocabulary(vocabulary))
        own = ("texts", "document_names", "text_column", "stemmer")
        check_options(count_vectorizer_kwargs, "from_texts", own)
        counted = count_texts(documents, known, stemmer, count_vectorizer_kwargs)
        matrix, words, recipe = counted
        corpus = cls.from_dtm(
            matrix,
            vocabulary=words,
            document_names=names if document_names is None else document_names,
        )
        return corpus._with_recipe(recipe)

    @classmethod
    def from_dtm(
        cls,
        matrix: Any,
        *,
        vocabulary: Iterable[str] | None = None,
        document_names: Iterable[Any] | None = None,
    ) -> Self:
        """Turn a document-term matrix of counts into tokens.

        Parameters
        ----------
        matrix : (n_documents, n_words) sparse or dense matrix, or frame
            Whole counts in any numeric dtype: any scipy sparse format, a NumPy array, a pandas or
            polars frame, an xarray object. The columns of a frame are its vocabulary and a pandas
            index names the documents, unless they are the default numbering; the coordinates of
            an xarray object do the same.
        vocabulary : (n_words,) sequence of str, or mapping, optional
            The word of each column, or a mapping from each word to its column, such as the
            ``vocabulary_`` of scikit-learn's ``CountVectorizer``. Without it the corpus has
            ``vocabulary = None``.
        document_names : (n_documents,) sequence, optional
            A name for each document.

        Returns
        -------
        Corpus
            The tokens of a document are in the order of their word ids.

        Examples
        --------
        >>> import pymc_medlda as med
        >>> corpus = med.Corpus.from_dtm([[2, 0, 1], [0, 0, 0]], vocabulary=["cat", "dog", "fish"])
        >>> corpus
        Corpus(2 documents, 3 tokens, 3 words, 1 empty document)
        >>> corpus.words
        array([0, 0, 2], dtype=int32)
        """
        values, columns, names = split_frame(matrix)
        csr = as_csr(values)
        words, starts = expand_counts(csr)
        return cls(
            seal(words),
            seal(starts),
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
    ) -> Self:
        """Take documents that are already divided into words or word ids.

        Parameters
        ----------
        documents : iterable of lists of str, or of lists of int
            The tokens of each document. Their order is kept. The index of a pandas series names
            the documents, unless it is the default numbering.
        vocabulary : (n_words,) sequence of str, or mapping from words to ids, optional
            The word of each id. By default the words that occur, sorted.
        n_words : int, optional
            Size of the vocabulary, for ids without a vocabulary; by default the largest id
            plus one.
        document_names : (n_documents,) sequence, optional
            A name for each document.
        unknown : {"error", "drop"}
            What to do with words that are not in the vocabulary. `to_vocabulary` also drops
            them, and returns how many tokens it dropped.

        Returns
        -------
        Corpus

        Examples
        --------
        >>> import pymc_medlda as med
        >>> med.Corpus.from_tokens([["red", "fish", "red"], []]).words
        array([1, 0, 1], dtype=int32)
        >>> med.Corpus.from_tokens([[0, 4], [1]], n_words=10)
        Corpus(2 documents, 3 tokens, 10 words)
        """
        check_choice("unknown", unknown, ("error", "drop"))
        check_n_words(n_words)
        known = None if vocabulary is None else as_vocabulary(vocabulary)
        names = index_names(documents.index) if isinstance(documents, pd.Series) else None
        words, starts, known = number_tokens(documents, known, drop=unknown == "drop")
        return cls(
            seal(words),
            seal(starts),
            vocabulary=known,
            n_words=n_words,
            document_names=names if document_names is None else document_names,
        )
