import pickle
import tracemalloc

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from pymc_medlda.corpus import Corpus, flattening

COUNTS = np.array([[2, 0, 1], [0, 0, 0], [0, 3, 1]])
WORDS = ["cat", "dog", "fish"]
TEXTS = ["the cat and the fish", "", "a dog"]


@pytest.fixture
def corpus():
    return Corpus.from_dtm(COUNTS, vocabulary=WORDS, document_names=["a", "b", "c"])


def plain_tokens(counts):
    """List the tokens the slow and obvious way."""
    return [t for row in np.asarray(counts) for t in range(len(row)) for _ in range(int(row[t]))]


def random_matrix(*, n_documents, per_document, n_words, seed=1):
    rng = np.random.default_rng(seed)
    indices = np.sort(rng.integers(0, n_words, (n_documents, per_document), np.int32), axis=1)
    counts = rng.integers(1, 4, indices.size, np.int32)
    indptr = np.arange(0, indices.size + 1, per_document, dtype=np.int32)
    matrix = sparse.csr_array((counts, indices.ravel(), indptr), shape=(n_documents, n_words))
    matrix.sum_duplicates()
    return matrix


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
    monkeypatch.setattr(flattening, "BLOCK", block)
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


@pytest.mark.parametrize(
    ("words", "starts", "arguments", "error", "message"),
    [
        ([0, 3], [0, 2], {"n_words": 3}, ValueError, "ids from 0 to 2.*got 3"),
        ([0, -1], [0, 2], {}, ValueError, "got -1"),
        ([0.5], [0, 1], {}, TypeError, "words must be .* integers"),
        ([0, 1], [0, 1], {}, ValueError, "starts must rise from 0 to .* 2"),
        ([0, 1], [0, 2, 1, 2], {}, ValueError, "starts must rise"),
        ([0], [0, 1], {"n_words": -1}, ValueError, "n_words must be"),
        ([0], [0, 1], {"n_words": 1.5}, ValueError, "n_words must be"),
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


def test_missing_scikit_learn_names_the_extra(monkeypatch):
    from pymc_medlda.corpus import readers

    def refuse(name):
        raise ImportError(name)

    monkeypatch.setattr("importlib.import_module", refuse)
    with pytest.raises(ImportError, match=r"pymc-medlda\[sklearn\]"):
        readers.import_sklearn("datasets")


def test_ldac_round_trip(corpus, tmp_path):
    path, words = tmp_path / "corpus.ldac", tmp_path / "words.txt"
    corpus.to_ldac(path)
    assert path.read_text() == "2 0:2 2:1\n0\n2 1:3 2:1\n"
    words.write_text("\n".join(WORDS) + "\n")
    for vocabulary in (words, str(words), WORDS):
        again = Corpus.from_ldac(path, vocabulary=vocabulary, document_names=["a", "b", "c"])
        assert again == corpus


def test_ldac_details(tmp_path):
    path = tmp_path / "corpus.ldac"
    path.write_text("2 3:1 0:2\r\n2 1:1 1:1\n\n\n")
    corpus = Corpus.from_ldac(path)
    assert corpus.words.tolist() == [0, 0, 3, 1, 1]
    assert corpus.n_words == 4
    path.write_text("")
    assert Corpus.from_ldac(path).n_documents == 0


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("2 0:1", "line 2: announces 2 terms and has 1"),
        ("1 0:-1", "line 2: expected"),
        ("1 0:1.5", "line 2: expected"),
        ("1 0 1", "line 2: expected"),
        ("", "line 2: expected"),
        ("1 0:99999999999", "line 2: .* larger than"),
        ("1 7:1", "terms must be below 3.*got 7"),
    ],
)
def test_malformed_ldac_lines(tmp_path, line, message):
    path = tmp_path / "corpus.ldac"
    path.write_text(f"1 0:1\n{line}\n1 0:1\n")
    with pytest.raises(ValueError, match=message):
        Corpus.from_ldac(path, vocabulary=WORDS)


def test_svmlight(tmp_path):
    path = tmp_path / "corpus.svm"
    path.write_text("1 1:2 3:1\n-1\n1 2:3 3:1\n")
    corpus, y = Corpus.from_svmlight(path, vocabulary=WORDS)
    assert corpus == Corpus.from_dtm(COUNTS, vocabulary=WORDS)
    assert y.tolist() == [1, -1, 1]
    assert Corpus.from_svmlight(path, zero_based=True, n_words=9)[0].n_words == 9
    path.write_text("1,4 1:2\n2 1:1\n")
    assert Corpus.from_svmlight(path, multilabel=True)[1] == [(1.0, 4.0), (2.0,)]
    path.write_text("1 1:2.5\n")
    with pytest.raises(ValueError, match=r"got 2\.5 in row 0"):
        Corpus.from_svmlight(path)


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_tables(tmp_path, kind):
    path = tmp_path / f"texts.{kind}"
    frame = pd.DataFrame({"body": ["NA", "", "null dog"], "label": ["x", "y", "x"]})
    getattr(frame, f"to_{kind}")(path, index=False)
    read = getattr(Corpus, f"from_{kind}")
    corpus, labels = read(path, text_column="body", label_column="label", min_df=1)
    assert corpus.vocabulary.tolist() == ["dog", "na", "null"]
    assert corpus.lengths.tolist() == [1, 0, 2]
    assert labels.tolist() == ["x", "y", "x"]
    assert read(path, text_column="body") == corpus
    with pytest.raises(ValueError, match=r"text_column .*\['body', 'label'\]; got 'text'"):
        read(path, text_column="text")
    with pytest.raises(ValueError, match=r"label_column .*; got 'stars'"):
        read(path, text_column="body", label_column="stars")


def test_csv_options(tmp_path):
    path = tmp_path / "texts.csv"
    path.write_text("body;label\na dog;1\n")
    corpus = Corpus.from_csv(path, text_column="body", read_options={"sep": ";"})
    assert corpus.vocabulary.tolist() == ["dog"]


def test_parquet_without_a_reader_names_what_to_install(monkeypatch, tmp_path):
    def refuse(*args, **kwargs):
        raise ImportError("no engine")

    monkeypatch.setattr(pd, "read_parquet", refuse)
    with pytest.raises(ImportError, match="pip install pyarrow"):
        Corpus.from_parquet(tmp_path / "texts.parquet", text_column="body")


def test_ten_million_tokens_take_little_more_memory_than_the_arrays():
    matrix = random_matrix(n_documents=50_000, per_document=100, n_words=30_000)
    tracemalloc.start()
    corpus = Corpus.from_dtm(matrix)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert corpus.n_tokens == matrix.sum() > 9_900_000
    assert peak < 1.3 * (corpus.words.nbytes + corpus.starts.nbytes)
    assert (corpus.to_dtm() != matrix).nnz == 0
