"""Names of words and documents belong to what they came with, whatever form they came in."""

from itertools import permutations

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from sklearn.feature_extraction.text import CountVectorizer

from pymc_medlda.corpus import Corpus

COUNTS = np.array([[3, 0, 1], [0, 2, 0]])
NAMED = Corpus([0, 1, 2], [0, 1, 2, 3], document_names=["a", "b", "c"])
BARE = Corpus([0, 1, 2], [0, 1, 2, 3])


def words_of(corpus):
    return [corpus.vocabulary[tokens].tolist() for tokens in np.split(corpus.words, corpus.starts)]


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_a_mapping_gives_each_word_its_position(order):
    words = ["u", "v", "w"]
    mapping = {words[position]: position for position in order}
    ids = [[0, 2, 1]]
    for build in (
        lambda known: Corpus([0, 2, 1], [0, 3], vocabulary=known),
        lambda known: Corpus.from_dtm(COUNTS, vocabulary=known),
        lambda known: Corpus.from_tokens(ids, vocabulary=known),
        lambda known: Corpus.from_tokens([["w", "u"]], vocabulary=known),
        lambda known: Corpus.from_texts(["u w w"], vocabulary=known, token_pattern=r"\w"),
        lambda known: Corpus.from_tokens([["w", "u"]]).to_vocabulary(known)[0],
    ):
        assert build(mapping) == build(words)


def test_the_vocabulary_of_a_vectorizer_is_read_as_it_is_meant():
    texts = ["zoo zoo bee", "ant bee"]
    vectorizer = CountVectorizer()
    counts = vectorizer.fit_transform(texts)
    assert list(vectorizer.vocabulary_) != sorted(vectorizer.vocabulary_)
    corpus = Corpus.from_dtm(counts, vocabulary=vectorizer.vocabulary_)
    assert words_of(corpus) == words_of(Corpus.from_texts(texts))


def test_the_dtype_of_counts_does_not_change_them():
    assert Corpus.from_texts(["aa " * 300], dtype=np.uint8).n_tokens == 300


def test_the_index_of_a_series_of_tokens_names_the_documents():
    tokens = pd.Series([["u"], ["v"]], index=["p", "q"])
    assert Corpus.from_tokens(tokens).document_names.tolist() == ["p", "q"]
    assert Corpus.from_tokens(tokens.reset_index(drop=True)).document_names is None
    assert Corpus.from_tokens(tokens, document_names=[1, 2]).document_names.tolist() == [1, 2]


def test_coordinates_of_xarray_name_documents_and_words():
    names = {"d": ["p", "q"], "w": ["z", "y", "x"]}
    corpus = Corpus.from_dtm(xr.DataArray(COUNTS, names, ("d", "w")))
    assert corpus == Corpus.from_dtm(pd.DataFrame(COUNTS, names["d"], names["w"]))
    bare = Corpus.from_dtm(COUNTS)
    assert Corpus.from_dtm(xr.DataArray(COUNTS)) == bare
    assert Corpus.from_dtm(xr.DataArray(COUNTS, {"d": [0, 1]}, ("d", "w"))) == bare


@pytest.mark.parametrize(
    ("corpus", "index", "is_right"),
    [
        (NAMED, ["a", "b", "c"], True),
        (NAMED, None, True),
        (NAMED, ["c", "b", "a"], False),
        (NAMED, [7, 8, 9], False),
        (BARE, None, True),
        (BARE, [7, 3, 9], True),
        (BARE, [2, 0, 1], False),
        (BARE, [2.0, 0.0, 1.0], False),
    ],
)
def test_a_mask_selects_the_documents_of_its_index_or_none(corpus, index, is_right):
    mask = pd.Series([True, False, False], index=index)
    for form in (mask, mask.rename_axis("document").to_xarray()):
        if is_right:
            assert corpus[form].words.tolist() == [0]
        else:
            with pytest.raises(ValueError, match="the mask has the index"):
                corpus[form]
    assert corpus[pd.Series([2, 0], index=["c", "a"])].words.tolist() == [2, 0]
