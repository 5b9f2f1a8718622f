"""`Corpus.from_texts` and `Corpus.from_tokens`: texts, words and word ids."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from pymc_medlda import _optional
from pymc_medlda.corpus import Corpus
from tests.corpus.small import TEXTS, WORDS


def test_tokens_keep_their_order():
    corpus = Corpus.from_tokens([["fish", "cat", "fish"], (), ["dog"]])
    assert corpus.vocabulary.tolist() == WORDS
    assert corpus.words.tolist() == [2, 0, 2, 1]
    assert corpus.starts.tolist() == [0, 3, 3, 4]
    by_id = Corpus.from_tokens([np.array([2, 0, 2]), [], [1]], vocabulary=WORDS)
    assert by_id == corpus


@pytest.mark.parametrize(
    ("documents", "arguments", "error", "message"),
    [
        ("cat", {}, TypeError, "got one string"),
        (["cat"], {}, TypeError, "document 0 is one string"),
        ([["cat"], ["dog", 3]], {}, TypeError, "strings; got 3 in document 1"),
        ([[0], [1, "cat"]], {}, TypeError, "integer ids; got 'cat' in document 1"),
        ([[True]], {}, TypeError, "integer ids; got True"),
        ([np.array([0.5])], {}, TypeError, "document 0 holds float64"),
        ([["cat"], ["cow"]], {"vocabulary": WORDS}, ValueError, "got 'cow' in document 1"),
        ([[0], [3]], {"vocabulary": WORDS}, ValueError, "0 to 2; got 3 in document 1"),
        ([[-1]], {}, ValueError, "got -1 in document 0"),
        ([[5]], {"n_words": 5}, ValueError, "0 to 4.*got 5"),
        ([["cat"]], {"unknown": "keep"}, ValueError, "unknown must be"),
    ],
)
def test_tokens_refused(documents, arguments, error, message):
    with pytest.raises(error, match=message):
        Corpus.from_tokens(documents, **arguments)


def test_unknown_words_can_be_dropped_and_counted():
    documents = [["cow", "cat"], ["cow"], ["fish", "cow", "dog"]]
    dropped = Corpus.from_tokens(documents, vocabulary=WORDS, unknown="drop")
    assert dropped.words.tolist() == [0, 2, 1]
    assert dropped.lengths.tolist() == [1, 0, 2]
    mapped, n_dropped = Corpus.from_tokens(documents).to_vocabulary(WORDS)
    assert mapped == dropped
    assert n_dropped == 3
    with pytest.raises(ValueError, match="only ids"):
        Corpus.from_tokens([[0]]).to_vocabulary(WORDS)


@pytest.mark.parametrize(
    "texts",
    [
        TEXTS,
        tuple(TEXTS),
        np.array(TEXTS, dtype=object),
        pd.Series(TEXTS),
        pl.Series(TEXTS),
        pd.DataFrame({"text": TEXTS}),
        pl.DataFrame({"text": TEXTS}),
    ],
    ids=lambda texts: f"{type(texts).__module__}.{type(texts).__name__}",
)
def test_texts_of_any_kind(texts):
    corpus = Corpus.from_texts(texts, stop_words=["and", "the"])
    assert corpus.vocabulary.tolist() == WORDS
    assert all(type(word) is str for word in corpus.vocabulary)
    assert corpus.lengths.tolist() == [2, 0, 1]
    assert corpus.document_names is None


@pytest.mark.parametrize("library", [pd, pl])
def test_text_column_of_a_frame(library):
    frame = library.DataFrame({"stars": [1, 2, 3], "text": TEXTS})
    assert Corpus.from_texts(frame, text_column="text") == Corpus.from_texts(TEXTS)
    with pytest.raises(ValueError, match=r"\['stars', 'text'\]; got None"):
        Corpus.from_texts(frame)
    with pytest.raises(ValueError, match=r"\['stars', 'text'\]; got 'body'"):
        Corpus.from_texts(frame, text_column="body")


def test_pandas_index_names_the_texts():
    corpus = Corpus.from_texts(pd.Series(TEXTS, index=["x", "y", "z"]))
    assert corpus.document_names.tolist() == ["x", "y", "z"]


def test_texts_with_the_vocabulary_of_another_corpus():
    train = Corpus.from_texts(TEXTS)
    test = Corpus.from_texts(["fish, more fish!"], vocabulary=train.vocabulary)
    assert (test.vocabulary == train.vocabulary).all()
    assert test.vocabulary[test.words].tolist() == ["fish", "fish"]


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ("a text", "one string"),
        (["a", None], "got None at position 1"),
        (pd.Series(["a", np.nan]), "got nan at position 1"),
        (pl.Series(["a", None]), "got None at position 1"),
        ([["a"]], r"got \['a'\] at position 0"),
    ],
)
def test_texts_refused(texts, message):
    with pytest.raises(TypeError, match=message):
        Corpus.from_texts(texts)
    with pytest.raises(TypeError, match="text_column is for frames"):
        Corpus.from_texts(["a"], text_column="text")
    with pytest.raises(TypeError, match=r"no argument 'stopwords'; it has .*stemmer.* stop_words"):
        Corpus.from_texts(["a word"], stopwords=["a"])


def test_missing_scikit_learn_names_the_extra(monkeypatch):
    def refuse(name):
        raise ImportError(name)

    monkeypatch.setattr("importlib.import_module", refuse)
    with pytest.raises(ImportError, match=r"pymc-medlda\[sklearn\]"):
        _optional.import_sklearn("datasets")
