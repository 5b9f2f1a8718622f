"""`Corpus.from_dtm`: matrices and frames of counts."""

import tracemalloc

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from pymc_medlda.corpus import Corpus, matrices
from tests.corpus.small import COUNTS, WORDS, plain_tokens


def random_matrix(*, n_documents, per_document, n_words, seed=1):
    rng = np.random.default_rng(seed)
    indices = np.sort(rng.integers(0, n_words, (n_documents, per_document), np.int32), axis=1)
    counts = rng.integers(1, 4, indices.size, np.int32)
    indptr = np.arange(0, indices.size + 1, per_document, dtype=np.int32)
    matrix = sparse.csr_array((counts, indices.ravel(), indptr), shape=(n_documents, n_words))
    matrix.sum_duplicates()
    return matrix


@pytest.mark.parametrize("layout", ["csr", "csc", "coo", "lil", "dok", "bsr", "dia"])
@pytest.mark.parametrize("kind", ["array", "matrix"])
def test_any_sparse_layout(layout, kind):
    matrix = getattr(sparse, f"{layout}_{kind}")(COUNTS)
    corpus = Corpus.from_dtm(matrix)
    assert corpus.words.tolist() == plain_tokens(COUNTS)
    assert corpus.vocabulary is None
    assert corpus.n_words == 3


def test_unsorted_and_repeated_entries_are_counted_and_the_matrix_left_alone():
    indices = np.array([2, 0, 2])
    matrix = sparse.csr_array((np.array([1, 2, 4]), indices, [0, 3]), shape=(1, 4))
    assert Corpus.from_dtm(matrix).words.tolist() == [0, 0, 2, 2, 2, 2, 2]
    assert matrix.indices.tolist() == [2, 0, 2]


@pytest.mark.parametrize("dtype", [bool, np.uint8, np.int64, np.uint64, np.float32, float])
def test_any_numeric_dtype(dtype):
    counts = COUNTS.astype(dtype)
    assert Corpus.from_dtm(counts).words.tolist() == plain_tokens(counts)


@pytest.mark.parametrize("block", [1, 7, 64, 1000])
def test_blocks_of_any_size_give_the_same_tokens(monkeypatch, block):
    monkeypatch.setattr(matrices, "BLOCK", block)
    counts = np.random.default_rng(3).poisson(0.4, (40, 9))
    counts[[0, 5, 6, -1]] = 0
    corpus = Corpus.from_dtm(counts)
    assert corpus.words.tolist() == plain_tokens(counts)
    assert corpus.lengths.tolist() == counts.sum(axis=1).tolist()


def test_pandas_frames():
    frame = pd.DataFrame(COUNTS, columns=WORDS, index=["x", "y", "z"])
    for source in (frame, frame.astype(pd.SparseDtype(int, 0)), frame.astype("Int64")):
        corpus = Corpus.from_dtm(source)
        assert corpus.words.tolist() == plain_tokens(COUNTS)
        assert corpus.vocabulary.tolist() == WORDS
        assert corpus.document_names.tolist() == ["x", "y", "z"]
    named = Corpus.from_dtm(frame, vocabulary=["k", "l", "m"], document_names=[7, 8, 9])
    assert named.vocabulary.tolist() == ["k", "l", "m"]
    assert named.document_names.tolist() == [7, 8, 9]


def test_default_numbering_of_a_frame_names_nothing():
    corpus = Corpus.from_dtm(pd.DataFrame(COUNTS))
    assert corpus.vocabulary is None
    assert corpus.document_names is None


def test_polars_frame():
    corpus = Corpus.from_dtm(pl.DataFrame(COUNTS, schema=WORDS, orient="row"))
    assert corpus.words.tolist() == plain_tokens(COUNTS)
    assert corpus.vocabulary.tolist() == WORDS


@pytest.mark.parametrize("bad", [-1, 0.5, np.nan, np.inf, 2.0**31])
@pytest.mark.parametrize("build", [np.asarray, sparse.csr_array, pd.DataFrame])
def test_bad_counts_are_named_with_their_place(bad, build):
    counts = COUNTS.astype(float)
    counts[2, 1] = bad
    with pytest.raises(ValueError, match=rf"matrix must hold counts.*{bad}.* row 2, column 1"):
        Corpus.from_dtm(build(counts))


@pytest.mark.parametrize(
    ("matrix", "error", "message"),
    [
        ([1, 2], ValueError, "two dimensions"),
        ([["a"]], TypeError, "integer counts"),
        (np.ones((1, 1)) * 1j, TypeError, "complex"),
        (pd.DataFrame({"n": [1], "text": ["a"]}), TypeError, r"columns \['text'\]"),
        (pl.DataFrame({"n": [1], "text": ["a"]}), TypeError, r"columns \['text'\]"),
        (pd.DataFrame({"n": pd.array([1, None], "Int64")}), ValueError, "got nan in row 1"),
        (pl.DataFrame({"n": [1, None]}), ValueError, "got nan in row 1"),
    ],
)
def test_matrices_refused(matrix, error, message):
    with pytest.raises(error, match=message):
        Corpus.from_dtm(matrix)


def test_ten_million_tokens_take_little_more_memory_than_the_arrays():
    matrix = random_matrix(n_documents=50_000, per_document=100, n_words=30_000)
    tracemalloc.start()
    corpus = Corpus.from_dtm(matrix)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert corpus.n_tokens == matrix.sum() > 9_900_000
    assert peak < 1.3 * (corpus.words.nbytes + corpus.starts.nbytes)
    assert (corpus.to_dtm() != matrix).nnz == 0
