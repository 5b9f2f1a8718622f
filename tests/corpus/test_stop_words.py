"""Stop words of other languages, named as users name them."""

import sys

import pytest

from pymc_medlda.corpus import Corpus

GERMAN = ["Das ist für die Katze", "und der Hund schläft"]


def test_german_stop_words_are_left_out_and_stored():
    pytest.importorskip("stop_words")
    corpus = Corpus.from_texts(GERMAN, stop_words="german")
    assert corpus.vocabulary.tolist() == ["hund", "katze", "schläft"]
    assert {"das", "für", "und"} <= set(corpus.recipe.to_dict()["stop_words"])
    by_code = Corpus.from_texts(GERMAN, stop_words="de")
    assert by_code == corpus
    assert by_code.recipe == corpus.recipe


def test_stop_words_are_prepared_like_the_texts():
    pytest.importorskip("stop_words")
    plain = Corpus.from_texts(GERMAN, stop_words="German", strip_accents="unicode")
    assert plain.vocabulary.tolist() == ["hund", "katze", "schlaft"]
    # "don't" is one of the stop words of that package, and texts are split into "don" and "t".
    english = Corpus.from_texts(["Don't fish, don"], stop_words="en")
    assert english.vocabulary.tolist() == ["fish"]


def test_english_is_the_list_of_scikit_learn():
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    recipe = Corpus.from_texts(["the fish"], stop_words="english").recipe
    assert set(recipe.stop_words) == ENGLISH_STOP_WORDS


def test_an_unknown_language_is_refused_with_the_known_ones():
    pytest.importorskip("stop_words")
    with pytest.raises(ValueError, match=r"one of arabic, .*german.*; got 'klingon'"):
        Corpus.from_texts(GERMAN, stop_words="klingon")


def test_a_missing_package_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "stop_words", None)
    with pytest.raises(ImportError, match=r"stop_words='german' needs .*pymc-medlda\[languages\]"):
        Corpus.from_texts(GERMAN, stop_words="german")
