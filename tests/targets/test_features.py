"""Features as users give them: frames, arrays, sparse matrices, and tf-idf of words."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import xarray as xr
from scipy import sparse
from sklearn.feature_extraction.text import TfidfTransformer

from pymc_medlda.targets.features import read_features, read_new_features
from pymc_medlda.targets.word_features import count_words, rarity_of_words, weigh_words

X = np.array([[1.0, 0.0], [0.0, 2.5], [3.0, 0.0]])
DOCUMENTS = [0, 1, 2]


@pytest.mark.parametrize(
    ("given", "kind"),
    [
        (X, "dense"),
        (X.tolist(), "dense"),
        (X.astype(np.float32), "dense"),
        (sparse.csr_matrix(X), "sparse"),
        (sparse.coo_array(X), "sparse"),
        (pd.DataFrame(X), "dense"),
        (pd.DataFrame.sparse.from_spmatrix(sparse.csr_matrix(X)), "sparse"),
        (xr.DataArray(X), "dense"),
    ],
)
def test_every_form_gives_the_same_matrix(given, kind):
    features = read_features(given, DOCUMENTS)
    np.testing.assert_array_equal(features.matrix.by_columns.toarray(), X)
    assert features.kind == kind
    assert features.names is None


def test_booleans_and_whole_numbers_are_numbers():
    flags = pd.DataFrame({"a": [True, False, True], "b": [1, 2, 3]})
    features = read_features(flags, DOCUMENTS)
    np.testing.assert_array_equal(features.matrix.by_columns.toarray(), [[1, 1], [0, 2], [1, 3]])
    assert features.names.tolist() == ["a", "b"]
    both = read_features(flags[["a"]], DOCUMENTS).matrix.by_columns.toarray()
    np.testing.assert_array_equal(both, [[1], [0], [1]])


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_columns_of_new_documents_are_matched_by_name(frame):
    assert read_features(frame({"b": X[:, 1], "a": X[:, 0]}), DOCUMENTS).names.tolist() == [
        "b",
        "a",
    ]
    frame = frame({"b": X[:, 1], "a": X[:, 0]})
    found = read_new_features(frame, DOCUMENTS, ["a", "b"], 2)
    np.testing.assert_array_equal(found.by_columns.toarray(), X)
    by_position = read_new_features(X, DOCUMENTS, ["a", "b"], 2)
    np.testing.assert_array_equal(by_position.by_columns.toarray(), X)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (["a", "c"], "it lacks 'b'; the model does not know 'c'"),
        (["a"], "it lacks 'b'"),
        (["a", "b", "c"], "the model does not know 'c'"),
    ],
)
def test_missing_and_unknown_columns_are_named(columns, message):
    frame = pd.DataFrame(np.ones((3, len(columns))), columns=columns)
    with pytest.raises(ValueError, match=message):
        read_new_features(frame, DOCUMENTS, ["a", "b"], 2)


def test_columns_without_names_must_be_as_many():
    with pytest.raises(ValueError, match="3 columns; the model was sampled with 2"):
        read_new_features(np.ones((3, 3)), DOCUMENTS, None, 2)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("word", "must be 'words' or have two dimensions"),
        (None, "got None"),
        (np.ones(3), r"shape \(3,\)"),
        (X[:2], "3 rows are needed"),
        (np.ones((3, 0)), "at least one column"),
        (np.where(X > 2, np.nan, X), "NaN"),
        (sparse.csr_array(np.where(X > 2, np.inf, X)), "infinite"),
        (pd.DataFrame(X, columns=["a", "a"]), "two columns of one name"),
        ([[1.0], [1.0, 2.0], [3.0]], "two dimensions"),
    ],
)
def test_what_is_no_table_of_numbers_is_refused(given, message):
    with pytest.raises(ValueError, match=message):
        read_features(given, DOCUMENTS)


@pytest.mark.parametrize(
    "given", [np.array([["a"], ["b"], ["c"]]), sparse.csr_array(X).astype(complex)]
)
def test_text_and_complex_numbers_are_refused(given):
    with pytest.raises(TypeError, match="features must"):
        read_features(given, DOCUMENTS)


def test_words_weigh_as_scikit_learn_weighs_them():
    rng = np.random.default_rng(2)
    counts = rng.poisson(0.5, (30, 12))
    counts[4] = 0  # an empty document
    counts[:, 7] = 0  # a word that occurs nowhere
    words = np.concatenate([rng.permutation(np.repeat(np.arange(12), row)) for row in counts])
    starts = np.r_[0, counts.sum(axis=1).cumsum()]
    counted = count_words(words, starts, 12)
    np.testing.assert_array_equal(counted.toarray(), counts)
    theirs = TfidfTransformer(sublinear_tf=True).fit(counts)
    idf = rarity_of_words(counted)
    np.testing.assert_allclose(idf, theirs.idf_)
    new = rng.poisson(0.5, (5, 12))
    mine = weigh_words(sparse.csr_array(new.astype(float)), idf)
    np.testing.assert_allclose(mine.toarray(), theirs.transform(new).toarray())
