"""Which document is meant: one of the training documents, or a new one."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pymc_medlda.corpus import Corpus
from pymc_medlda.run.topic_draws import TopicDraws
from pymc_medlda.run.words import match_words


class Subject(NamedTuple):
    """The document that is explained.

    Attributes
    ----------
    label : name of the document, or its position
        None for a new document without a name.
    corpus : Corpus
        This document alone, with the words of the model.
    position : int or None
        Its position among the training documents; None if it is new.
    n_unknown : int
        Tokens of words that the model does not know.
    text : str or None
        The document as it is read, if it is known.
    """

    label: Any
    corpus: Corpus
    position: int | None
    n_unknown: int
    text: str | None


def find_document(topics: TopicDraws, document: Any, text: str | None) -> Subject:
    """Return the document that a position, a name, a corpus of one document or a text means.

    A `Subject` is returned as it is.
    """
    if text is not None and not isinstance(text, str):
        raise TypeError(f"text must be a text or None, got {type(text).__name__}")
    if isinstance(document, Subject):
        return document
    if isinstance(document, Corpus):
        return _take_new(topics, document, text)
    if isinstance(document, list) and len(document) == 1 and isinstance(document[0], str):
        return _take_new(topics, document, document[0])
    position = _find_position(topics, document)
    if position is not None:
        return take_training(topics, position, text)
    if isinstance(document, str):
        return _take_text(topics, document)
    raise ValueError(
        f"document must be the position (0 to {topics.documents.size - 1}) or the name of a "
        "training document, a Corpus with one document, or a text; got "
        f"{document!r:.80}"
    )


def _find_position(topics: TopicDraws, document: Any) -> int | None:
    """Return the position of a training document, by its name first and then by its position."""
    if isinstance(document, bool | np.bool_) or not isinstance(document, str | int | np.integer):
        return None
    names = topics.documents.tolist()
    if isinstance(document, np.integer):
        document = int(document)
    places = [i for i, name in enumerate(names) if name == document]
    if len(places) > 1:
        raise ValueError(
            f"document {document!r} is the name of {len(places)} training documents: give a Corpus "
            "with the one that is meant"
        )
    if places:
        return places[0]
    is_position = isinstance(document, int) and 0 <= document < len(names)
    return document if is_position else None


def take_training(topics: TopicDraws, position: int, text: str | None) -> Subject:
    """Return the training document at a position."""
    begin, end = topics.tokens.start[position : position + 2]
    words = topics.tokens.word[begin:end]
    own = Corpus(words, [0, words.size], n_words=topics.n_words)
    return Subject(topics.documents[position], own, position, 0, text)


def _take_new(topics: TopicDraws, documents: Corpus | list[str], text: str | None) -> Subject:
    """Return the only document of a corpus, or the only text of a list."""
    known, n_unknown = match_words(topics, documents)
    if known.n_documents != 1:
        raise ValueError(
            f"document is a Corpus with {known.n_documents} documents; one document is explained "
            "at a time: select it with corpus[[position]]"
        )
    label = None if known.document_names is None else known.document_names[0]
    return Subject(label, known, None, n_unknown, text)


def _take_text(topics: TopicDraws, text: str) -> Subject:
    """Return a text as a document, if the run knows how to split it."""
    if topics.recipe is None or topics.vocabulary is None:
        raise ValueError(
            f"document {text[:60]!r} is not the name of a training document, and the run does not "
            "know how to split texts: its corpus was not made by Corpus.from_texts. Give a Corpus "
            "with one document"
        )
    return _take_new(topics, [text], text)
