"""The class itself: arrays that never change, selection, equality, pickling."""

import pickle

import numpy as np
import pytest

from pymc_medlda.corpus import Corpus
from tests.corpus.small import COUNTS, WORDS


def test_arrays_and_sizes(corpus):
    assert corpus.words.tolist() == [0, 0, 2, 1, 1, 1, 2]
    assert corpus.starts.tolist() == [0, 3, 3, 7]
    assert corpus.words.dtype == np.int32
    assert corpus.starts.dtype == np.int64
    assert (corpus.n_documents, corpus.n_words, corpus.n_tokens) == (3, 3, 7)
    assert corpus.lengths.tolist() == [3, 0, 4]
    assert len(corpus) == 3
    assert repr(corpus) == "Corpus(3 documents, 7 tokens, 3 words, 1 empty document)"
    assert corpus.tokens.word is corpus.words
    assert corpus.tokens.start is corpus.starts


def test_nothing_can_be_changed(corpus):
    with pytest.raises(AttributeError, match="words cannot be set"):
        corpus.words = np.zeros(7)
    with pytest.raises(AttributeError, match="cannot be deleted"):
        del corpus.words
    assert not hasattr(corpus, "__dict__")
    for part in (corpus, corpus[1:], corpus[[2, 0]], pickle.loads(pickle.dumps(corpus))):
        for values in (part.words, part.starts, part.vocabulary, part.document_names):
            with pytest.raises(ValueError, match="read-only"):
                values[0] = values[-1]


def test_later_changes_to_the_source_do_not_reach_the_corpus():
    words, starts = np.array([0, 1], np.int32), np.array([0, 2])
    corpus = Corpus(words, starts)
    words[0] = 1
    assert corpus.words.tolist() == [0, 1]
    assert words.flags.writeable


def test_equality_pickling_and_hash(corpus):
    again = pickle.loads(pickle.dumps(corpus))
    assert again == corpus
    assert hash(again) == hash(corpus)
    assert corpus != Corpus.from_dtm(COUNTS, vocabulary=WORDS)
    assert corpus != Corpus.from_dtm(COUNTS, vocabulary=WORDS[::-1], document_names=list("abc"))
    assert Corpus([0], [0, 1], n_words=2) != Corpus([0], [0, 1], n_words=3)
    assert corpus != "corpus"


@pytest.mark.parametrize(
    ("selection", "rows"),
    [
        (slice(1, None), [1, 2]),
        (slice(2, 0), []),
        (slice(None, None, -1), [2, 1, 0]),
        ([2, 0, 2], [2, 0, 2]),
        (np.array([-1]), [2]),
        ([], []),
        (np.array([True, False, True]), [0, 2]),
    ],
)
def test_selection_of_documents(corpus, selection, rows):
    part = corpus[selection]
    assert (part.to_dtm().toarray() == COUNTS[rows]).all()
    assert part.document_names.tolist() == ["abc"[row] for row in rows]
    assert part.vocabulary is corpus.vocabulary
    assert part.starts.dtype == np.int64


@pytest.mark.parametrize(
    ("selection", "error", "message"),
    [
        (1, TypeError, r"corpus\[\[3\]\]"),
        ([0.5], TypeError, "integer positions"),
        ([3], IndexError, "between -3 and 2; got 3"),
        ([True, False], IndexError, "3 entries; got 2"),
    ],
)
def test_selection_refused(corpus, selection, error, message):
    with pytest.raises(error, match=message):
        corpus[selection]


@pytest.mark.parametrize(
    ("words", "starts", "arguments", "error", "message"),
    [
        ([0, 3], [0, 2], {"n_words": 3}, ValueError, "ids from 0 to 2.*got 3"),
        ([0, -1], [0, 2], {}, ValueError, "got -1"),
        ([0.5], [0, 1], {}, TypeError, "words must be .* integers"),
        ([0, 1], [0, 1], {}, ValueError, "starts must rise from 0 to .* 2"),
        ([0, 1], [0, 2, 1, 2], {}, ValueError, "starts must rise"),
        ([0], [0, 1], {"n_words": -1}, ValueError, "n_words must be"),
        ([0], [0, 1], {"n_words": 1.5}, TypeError, "n_words must be"),
    ],
)
def test_arrays_refused(words, starts, arguments, error, message):
    with pytest.raises(error, match=message):
        Corpus(words, starts, **arguments)


def test_a_corpus_without_tokens():
    for empty in (
        Corpus.from_dtm(np.zeros((2, 3), int)),
        Corpus.from_tokens([[], []], n_words=3),
        Corpus.from_texts(["", ""], vocabulary=WORDS),
    ):
        assert (empty.n_documents, empty.n_words, empty.n_tokens) == (2, 3, 0)
        assert empty.to_dtm().shape == (2, 3)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"vocabulary": ["a", "b"]}, ValueError, "vocabulary must hold 3 words.*got 2"),
        ({"vocabulary": ["a", "b", "a"]}, ValueError, "'a' more than once"),
        ({"vocabulary": ["a", "b", 1]}, TypeError, "got 1 at position 2"),
        ({"vocabulary": "abc"}, TypeError, "one string"),
        ({"document_names": ["a"]}, ValueError, "document_names must hold 3 names.*got 1"),
        ({"document_names": "abc"}, TypeError, "one string"),
    ],
)
def test_names_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        Corpus.from_dtm(COUNTS, **arguments)
