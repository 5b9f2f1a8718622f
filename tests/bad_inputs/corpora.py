"""Corpora: arrays, matrices, texts and tokens that are refused."""

from collections import Counter

import numpy as np
import pandas as pd
import polars as pl
from scipy import sparse

from pymc_medlda.corpus import Corpus
from tests.bad_inputs.kinds import CHOICE, WHOLE, Row, rows


def arrays(words=(0, 1), starts=(0, 1, 2), **options):
    return Corpus(words, starts, **options)


def matrix(matrix=((1, 0), (2, 1)), **options):
    return Corpus.from_dtm(matrix, **options)


def texts(texts=("a dog", "the cat"), **options):
    return Corpus.from_texts(texts, **options)


def frame(texts=None, text_column="text"):
    given = pd.DataFrame({"text": ["a dog", "the cat"], "id": [1, 2]}) if texts is None else texts
    return Corpus.from_texts(given, text_column=text_column)


def tokens(documents=(("dog", "cat"), ("cat",)), **options):
    return Corpus.from_tokens(documents, **options)


def renumbered(vocabulary=("cat", "dog")):
    return tokens().to_vocabulary(vocabulary)


def damaged(attribute, position, value):
    found = sparse.csr_array(np.eye(3, dtype=int))
    getattr(found, attribute)[position] = value
    return found


def coo(values, places, shape, dtype=np.int64):
    return sparse.coo_array((np.array(values, dtype), places), shape=shape)


CALLS = {
    "Corpus": arrays,
    "from_dtm": matrix,
    "from_texts": texts,
    "from_texts of a frame": frame,
    "from_tokens": tokens,
    "to_vocabulary": renumbered,
}

ARRAYS = {
    "two dimensions": [[0, 1]],
    "floats": [0.0, 1.0],
    "text": ["0", "1"],
    "none": None,
    "ragged": [[0], [0, 1]],
    "masked": np.ma.array([0, 1, 2], mask=[0, 0, 1]),
    "bools": np.array([False, True]),
    "dates": np.array(["2020", "2021"], "M8[Y]"),
}
VOCABULARY = {
    "one string": "cat",
    "number": 3,
    "numbers": [1, 2],
    "missing word": ["cat", None],
    "repeated word": ["cat", "cat"],
    "lone surrogate": ["cat", "\ud800"],
    "NUL": ["cat", "d\0g"],
    "bytes": [b"cat", b"dog"],
    "set": {"cat", "dog"},
    "mapping from ids": {0: "cat", 1: "dog"},
    "mapping with a gap": {"cat": 0, "dog": 2},
    "mapping with a repeated position": {"cat": 1, "dog": 1},
    "mapping to text": {"cat": "0", "dog": "1"},
}
NAMES = {
    "one string": "ab",
    "number": 3,
    "too few": ["a"],
    "none": ["a", None],
    "NaN": [1.0, np.nan],
    "NA": [1, pd.NA],
    "NaT": [pd.Timestamp("2020"), pd.NaT],
    "bytes": [b"a", b"b"],
    "lists": [["a"], ["b"]],
    "lone surrogate": ["a", "\udfff"],
    "NUL": ["a", "b\0"],
    "same as text": [1, "1"],
    "tuple with a missing part": [("a", 1), ("a", None)],
    "set": {"a", "b"},
    "mapping": {"a": 1, "b": 0},
}
MATRICES = {
    "none": None,
    "text": [["a", "b"]],
    "vector": [1, 2],
    "cube": np.ones((2, 2, 2), int),
    "ragged": [[1, 2], [3]],
    "complex": np.ones((2, 2)) * 1j,
    "dates": np.array([["2020"]], "M8[Y]"),
    "negative": [[1, -1]],
    "fraction": [[0.5, 1.0]],
    "NaN": [[np.nan, 1.0]],
    "infinite": [[np.inf, 1.0]],
    "huge count": [[2_000_000_000, 1]],
    "huge unsigned count": np.array([[2**63 + 5]], np.uint64),
    "more tokens than memory": np.full((200, 200), 10**8),
    "masked": np.ma.array([[1, 2]], mask=[[0, 1]]),
    "negative, sparse": sparse.csr_array(np.array([[1, -1]])),
    "NaN, sparse": sparse.csc_array(np.array([[np.nan, 1.0]])),
    "repeated huge": coo([2**63, 2**63], ([0, 0], [0, 0]), (1, 2), np.uint64),
    "too many columns": coo([1], ([0], [0]), (1, 2 * 10**9)),
    "too many rows": coo([1], ([0], [0]), (10**12, 2)),
    "index outside": damaged("indices", 1, 10**6),
    "index below zero": damaged("indices", 1, -5),
    "starts that fall": damaged("indptr", 1, 3),
    "frame with text": pd.DataFrame({"n": [1], "text": ["a"]}),
    "frame with dates": pd.DataFrame({"n": pd.to_datetime(["2020"])}),
    "frame with missing": pd.DataFrame({"n": pd.array([1, None], "Int64")}),
    "sparse frame of ones": pd.DataFrame({"n": pd.arrays.SparseArray([1, 1], fill_value=1)}),
    "polars with text": pl.DataFrame({"n": [1], "text": ["a"]}),
    "polars with missing": pl.DataFrame({"n": [1, None]}),
    "columns that are the same text": pd.DataFrame([[1, 2]], columns=[1, "1"]),
    "index with missing": pd.DataFrame([[1], [2]], index=["a", None]),
    "polars with lists": pl.DataFrame({"n": [[1], [2]]}),
}
# Errors that are found in the names of a frame mention these.
OTHER_WORDS = {"index with missing": "document_names"}

ROWS = [
    *rows("Corpus", ARRAYS, "words", "starts"),
    Row("Corpus", "words", "beyond int32", [0, 2**40]),
    Row("Corpus", "words", "beyond int64", np.array([0, 2**63], np.uint64)),
    Row("Corpus", "words", "beyond any integer", [0, 2**70]),
    Row("Corpus", "words", "negative", [0, -1]),
    Row("Corpus", "starts", "fall", [0, 2, 1, 2]),
    Row("Corpus", "starts", "unsigned and fall", np.array([0, 2, 1, 2], np.uint64)),
    Row("Corpus", "starts", "wrapped", np.array([0, 2**64 - 1, 2], np.uint64)),
    Row("Corpus", "starts", "empty", []),
    Row("Corpus", "starts", "begin late", [1, 2]),
    Row("Corpus", "starts", "end early", [0, 1]),
    *rows("Corpus", WHOLE, "n_words"),
    Row("Corpus", "n_words", "too small", 1, "words"),
    Row("Corpus", "n_words", "too large", 2_000_000_000),
    *rows("Corpus", VOCABULARY, "vocabulary"),
    Row("Corpus", "vocabulary", "too short", ["cat"], "vocabulary"),
    *rows("Corpus", NAMES, "document_names"),
    *[
        Row("from_dtm", "matrix", kind, value, OTHER_WORDS.get(kind, "matrix"))
        for kind, value in MATRICES.items()
    ],
    *rows("from_dtm", VOCABULARY, "vocabulary"),
    *rows("from_dtm", NAMES, "document_names", leave_out=["NUL", "lone surrogate"]),
    Row("from_texts", "texts", "none", None),
    Row("from_texts", "texts", "one string", "a dog"),
    Row("from_texts", "texts", "mapping", {"a": "a dog"}),
    Row("from_texts", "texts", "numbers", [1, 2]),
    Row("from_texts", "texts", "missing", ["a dog", None]),
    Row("from_texts", "texts", "missing in a series", pd.Series(["a dog", np.nan])),
    Row("from_texts", "texts", "bytes", [b"a dog"]),
    Row("from_texts", "texts", "without words", ["", " "]),
    Row("from_texts", "texts", "masked", np.ma.array(["a dog", "b"], mask=[0, 1])),
    Row("from_texts", "text_column", "not for lists", "text"),
    *rows("from_texts", {"number": 3, "text": "porter"}, "stemmer"),
    Row("from_texts", "ngram_range", "zero", (0, 1)),
    Row("from_texts", "min_df", "negative", -1),
    Row("from_texts", "no_such_option", "unknown", 1),
    *rows("from_texts", VOCABULARY, "vocabulary"),
    Row("from_texts", "document_names", "too few", ["a"]),
    Row("from_texts of a frame", "text_column", "unknown", "body"),
    Row("from_texts of a frame", "text_column", "none", None),
    Row("from_texts of a frame", "text_column", "list", ["text"]),
    Row("from_texts of a frame", "text_column", "not text", "id", "texts"),
    Row(
        "from_texts of a frame",
        "texts",
        "two columns of one name",
        pd.DataFrame([["a", "b"]], columns=["text", "text"]),
        "text_column",
    ),
    Row("from_tokens", "documents", "none", None),
    Row("from_tokens", "documents", "one string", "cat"),
    Row("from_tokens", "documents", "strings", ["cat", "dog"]),
    Row("from_tokens", "documents", "numbers", [1, 2]),
    Row("from_tokens", "documents", "frame", pd.DataFrame({"a": [1]}), "documents", "DataFrame"),
    Row("from_tokens", "documents", "mapping", {"a": ["cat"]}, "documents", "dict"),
    Row("from_tokens", "documents", "counters", [Counter(cat=5)], "document 0", "from_dtm"),
    Row("from_tokens", "documents", "mixed", [["cat", 1]]),
    Row("from_tokens", "documents", "missing", [["cat", None]]),
    Row("from_tokens", "documents", "floats", [[0.5]]),
    Row("from_tokens", "documents", "bools", [[True, False]]),
    Row("from_tokens", "documents", "negative id", [[0, -1]]),
    Row("from_tokens", "documents", "huge id", [[2_000_000_000]]),
    Row("from_tokens", "documents", "id beyond int64", [[2**70]]),
    Row("from_tokens", "documents", "masked", [np.ma.array([0, 1], mask=[0, 1])]),
    Row("from_tokens", "documents", "cube", np.zeros((2, 2, 2), int)),
    Row("from_tokens", "documents", "lone surrogate", [["\ud800"]]),
    Row("from_tokens", "documents", "NUL", [["a\0b"]]),
    Row("from_tokens", "documents", "bytes", [[b"cat"]]),
    Row("from_tokens", "vocabulary", "unknown words", ["dog"], "documents"),
    *rows("from_tokens", VOCABULARY, "vocabulary", leave_out=["repeated word"]),
    *rows("from_tokens", WHOLE, "n_words"),
    Row("from_tokens", "n_words", "too large", 2_000_000_000),
    Row("from_tokens", "document_names", "too many", list("abc")),
    *rows("from_tokens", CHOICE, "unknown"),
    *rows("to_vocabulary", VOCABULARY, "vocabulary"),
]
