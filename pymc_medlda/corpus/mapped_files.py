"""The constructors of `pymc_medlda.Corpus` for corpora that lie in a folder and not in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path as FilePath
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from pymc_medlda._arguments import check_choice, check_share, check_whole
from pymc_medlda._optional import import_sklearn
from pymc_medlda.corpus import counting_files, mapped
from pymc_medlda.corpus.checks import as_vocabulary
from pymc_medlda.corpus.formats import Path
from pymc_medlda.corpus.from_memory import FromMemory


class FromFolder(FromMemory):
    """What `Corpus` inherits to lie in a folder."""

    __slots__ = ()

    @classmethod
    def from_files(
        cls,
        paths: Path | Iterable[Path],
        folder: Path,
        *,
        format: str | None = None,
        text_column: str | None = None,
        label_column: str | None = None,
        vocabulary: Iterable[str] | None = None,
        min_df: float = 1,
        max_df: float = 1.0,
        max_words: int | None = None,
        **count_vectorizer_kwargs: Any,
    ) -> Self | tuple[Self, NDArray[Any]]:
        r"""Read files that may be larger than memory, and leave the tokens in a folder.

        The files are read once, a few documents at a time. Memory holds the words that occur and
        the lengths of the documents, but never the texts or the tokens. The arrays of the returned
        corpus are mapped from the folder, so that the operating system reads the parts that are
        used. `from_folder` opens the folder again.

        Parameters
        ----------
        paths : path or list of paths
            The files.
        folder : path
            Where to put the corpus. It must not hold one yet.
        format : {"lines", "files", "csv", "parquet", "ldac"}, optional
            One document per line of text, one per file, one per row of a table, or one per line of
            counts. By default it follows from the names of the files: ``.csv``, ``.parquet``,
            ``.ldac``, and lines for any other.
        text_column, label_column : str, optional
            The columns of a table that hold the texts and the labels.
        vocabulary : sequence of str, optional
            The words to keep, such as those of another corpus. By default all that are frequent
            enough, in alphabetical order. Of counts (``"ldac"``) it is required, and names the
            terms.
        min_df, max_df : int or float, default 1 and 1.0
            Words in fewer or in more documents are left out: a number of documents if it is an
            int, a share of them if it is a float.
        max_words : int, optional
            Keep so many words at most, the most frequent ones.
        **count_vectorizer_kwargs
            How texts become words, as for scikit-learn's ``CountVectorizer``: ``stop_words``,
            ``lowercase``, ``ngram_range``, ...

        Returns
        -------
        corpus : Corpus
            The words of a document are in the order of the text.
        labels : (n_documents,) array
            Only if ``label_column`` is given. If a document has a list of labels, all entries are
            lists.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> import pymc_medlda as med
        >>> place = pathlib.Path(tempfile.mkdtemp())
        >>> _ = (place / "reviews.txt").write_text("good food\nbad food\n")
        >>> med.Corpus.from_files(place / "reviews.txt", place / "corpus", min_df=2)
        Corpus(2 documents, 2 tokens, 1 word)
        """
        found = counting_files.as_paths(paths)
        if format is not None:
            check_choice("format", format, counting_files.FORMATS)
        kind = counting_files.choose_format(found, format)
        _check_frequency("min_df", min_df)
        _check_frequency("max_df", max_df)
        if max_words is not None:
            check_whole("max_words", max_words, at_least=1)
        known = None if vocabulary is None else as_vocabulary(vocabulary)
        split = _make_splitter(kind, known, count_vectorizer_kwargs)
        place = mapped.make_folder(folder)
        provisional = place / "provisional.bin"
        writer = counting_files.WordWriter(provisional)
        labels: list[Any] = []
        columns = counting_files.Columns(text_column, label_column)
        try:
            for texts, own in counting_files.iterate_texts(found, kind, columns):
                for text in texts:
                    writer.add(split(text))
                labels.extend(own)
            counted = writer.close()
            if known is None or kind == "ldac":
                limits: Any = {"min_df": min_df, "max_df": max_df, "max_words": max_words}
                chosen = counting_files.choose_words(counted, **limits)
                known = as_vocabulary([counted.words[t] for t in chosen])
            ids = {word: t for t, word in enumerate(known)}
            number = np.array([ids.get(word, -1) for word in counted.words], np.int32)
            counting_files.translate(provisional, place, number, counted)
            mapped.write_words(place / mapped.VOCABULARY, known)
        finally:
            writer.file.close()
            provisional.unlink(missing_ok=True)
        corpus = cls.from_folder(place)
        return corpus if label_column is None else (corpus, _as_array(labels))

    @classmethod
    def from_folder(cls, folder: Path, *, documents: slice | None = None) -> Self:
        """Open a corpus that `from_files` or `to_folder` left in a folder, without reading it.

        Parameters
        ----------
        folder : path
            The folder.
        documents : slice, optional
            Consecutive documents: the others are not even looked at. By default all.

        Returns
        -------
        Corpus
            Its arrays are mapped from the files.

        Examples
        --------
        >>> import tempfile
        >>> import pymc_medlda as med
        >>> folder = tempfile.mkdtemp() + "/corpus"
        >>> med.Corpus.from_tokens([["red", "fish"], []]).to_folder(folder)
        >>> med.Corpus.from_folder(folder)
        Corpus(2 documents, 2 tokens, 2 words, 1 empty document)
        >>> med.Corpus.from_folder(folder, documents=slice(0, 1))
        Corpus(1 document, 2 tokens, 2 words)
        """
        found = mapped.read_folder(folder)
        return cls(**(found if documents is None else mapped.select(found, documents)))

    def to_folder(self, folder: Path) -> None:
        """Write the corpus to a folder, from which `from_folder` maps it.

        Parameters
        ----------
        folder : path
            Where to put it. It must not hold a corpus yet.

        Examples
        --------
        >>> import tempfile
        >>> import pymc_medlda as med
        >>> folder = tempfile.mkdtemp() + "/corpus"
        >>> corpus = med.Corpus.from_tokens([["red", "fish"], []])
        >>> corpus.to_folder(folder)
        >>> med.Corpus.from_folder(folder) == corpus
        True
        """
        own: Any = self  # its attributes are those of a corpus
        place: FilePath = mapped.make_folder(folder)
        if own.vocabulary is not None:
            mapped.write_words(place / mapped.VOCABULARY, own.vocabulary)
        else:
            (place / mapped.N_WORDS).write_text(f"{own.n_words}\n", encoding="ascii")
        if own.document_names is not None:
            names = own.document_names
            # Text is an array of objects, which a file could only hold pickled.
            plain = names.astype(str) if names.dtype == object else names
            np.save(place / mapped.NAMES, plain, allow_pickle=False)
        np.save(place / mapped.STARTS, own.starts, allow_pickle=False)
        np.save(place / mapped.WORDS, own.words, allow_pickle=False)


def _as_array(labels: list[Any]) -> NDArray[Any]:
    """Return one label, one value or one list of labels per document as an array."""
    if not any(isinstance(label, (list, tuple, np.ndarray)) for label in labels):
        return np.asarray(labels)
    lists = np.empty(len(labels), object)
    for d, label in enumerate(labels):
        lists[d] = None if label is None else list(label)
    return lists


def _make_splitter(
    kind: str, vocabulary: NDArray[np.object_] | None, options: dict[str, Any]
) -> Callable[[str], list[str]]:
    """Return what turns the text of a document into its words."""
    if kind == "ldac":
        if vocabulary is None:
            raise ValueError("vocabulary must name the terms of files in the LDA-C format")
        return counting_files.split_ldac(vocabulary)
    text = import_sklearn("feature_extraction.text")
    split: Callable[[str], list[str]] = text.CountVectorizer(**options).build_analyzer()
    return split


def _check_frequency(name: str, value: Any) -> None:
    """Raise unless a limit is a number of documents or a share of them."""
    if isinstance(value, float):
        check_share(name, value)
    else:
        check_whole(name, value, at_least=1)
