"""The constructors of `pymc_medlda.Corpus` for files; `formats` holds the readers they call."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal, Self

from numpy.typing import NDArray

from pymc_medlda.corpus import formats
from pymc_medlda.corpus.formats import Path
from pymc_medlda.corpus.mapped_files import FromFolder


class FromFiles(FromFolder):
    """What `Corpus` inherits to be read from files."""

    __slots__ = ()

    @classmethod
    def from_ldac(
        cls,
        path: Path,
        *,
        vocabulary: Path | Iterable[str] | None = None,
        document_names: Iterable[Any] | None = None,
    ) -> Self:
        r"""Read a file in the LDA-C format, one line ``M term:count ... term:count`` per document.

        Parameters
        ----------
        path : path
            The file.
        vocabulary : path or sequence of str, optional
            The word of each term, or a file of them, one per line.
        document_names : (n_documents,) sequence, optional
            A name for each document.

        Returns
        -------
        Corpus

        Examples
        --------
        >>> import pathlib, tempfile
        >>> import pymc_medlda as med
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "two.ldac"
        >>> _ = path.write_text("2 0:1 3:2\n0\n")
        >>> med.Corpus.from_ldac(path)
        Corpus(2 documents, 3 tokens, 4 words, 1 empty document)
        """
        known = None if vocabulary is None else formats.read_words(vocabulary)
        matrix = formats.read_ldac(path, None if known is None else len(known))
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
    ) -> tuple[Self, Any]:
        r"""Read a file in the SVMlight format, one line ``label term:count ...`` per document.

        Parameters
        ----------
        path : path
            The file.
        vocabulary : path or sequence of str, optional
            The word of each term, or a file of them, one per line.
        n_words : int, optional
            Size of the vocabulary, for a file that has none and may not use all of its words.
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
        >>> import pymc_medlda as med
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "two.svm"
        >>> _ = path.write_text("1 1:2 3:1\n-1 2:1\n")
        >>> med.Corpus.from_svmlight(path)
        (Corpus(2 documents, 4 tokens, 3 words), array([ 1., -1.]))
        """
        known = None if vocabulary is None else formats.read_words(vocabulary)
        matrix, y = formats.read_svmlight(
            path,
            n_words if known is None else len(known),
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
    ) -> Self | tuple[Self, NDArray[Any]]:
        r"""Read the texts of a CSV file, and the labels if their column is named.

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
            None marks a missing one among text, NaN among numbers. Only if ``label_column`` is
            given.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> import pymc_medlda as med
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "reviews.csv"
        >>> _ = path.write_text("review,stars\ngood food,5\nbad food,1\n")
        >>> med.Corpus.from_csv(path, text_column="review", label_column="stars")
        (Corpus(2 documents, 4 tokens, 3 words), array([5, 1]))
        """
        columns = {"text_column": text_column, "label_column": label_column}
        return cls._from_table(formats.read_csv(path, read_options, **columns), kwargs)

    @classmethod
    def from_parquet(
        cls,
        path: Path,
        *,
        text_column: str,
        label_column: str | None = None,
        read_options: Mapping[str, Any] | None = None,
        **kwargs: Any,
    ) -> Self | tuple[Self, NDArray[Any]]:
        """Read the texts of a Parquet file, and the labels if their column is named.

        The arguments and results are those of `from_csv`, except that ``read_options`` are
        arguments of ``pandas.read_parquet``, which needs pyarrow.

        Examples
        --------
        >>> import pathlib, tempfile, pandas
        >>> import pymc_medlda as med
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "reviews.parquet"
        >>> pandas.DataFrame({"review": ["good food", "bad food"]}).to_parquet(path)
        >>> med.Corpus.from_parquet(path, text_column="review")
        Corpus(2 documents, 4 tokens, 3 words)
        """
        columns = {"text_column": text_column, "label_column": label_column}
        return cls._from_table(formats.read_parquet(path, read_options, **columns), kwargs)

    @classmethod
    def _from_table(
        cls, columns: tuple[Any, NDArray[Any] | None], kwargs: dict[str, Any]
    ) -> Self | tuple[Self, NDArray[Any]]:
        texts, labels = columns
        corpus = cls.from_texts(texts, **kwargs)
        return corpus if labels is None else (corpus, labels)
