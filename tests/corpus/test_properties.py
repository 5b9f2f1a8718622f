"""Laws of a corpus that hold for any documents: what goes in comes out, in every form."""

import pickle
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from pymc_medlda.corpus import Corpus

ANY = settings(derandomize=True, deadline=None, database=None, max_examples=150)
# Text that UTF-8 can hold, without the NUL at which files end a text.
TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=4)
# Documents of which at least one has a word: without any there is no vocabulary.
WORD_LISTS = st.lists(st.lists(TEXT, max_size=6), min_size=1, max_size=6).filter(any)
ID_LISTS = st.lists(st.lists(st.integers(0, 9), max_size=8), min_size=1, max_size=6)
FORMATS = st.sampled_from(["csr", "csc", "coo", "lil", "dok", "bsr"])
DTYPES = st.sampled_from([np.uint8, np.int16, np.int32, np.uint64, np.float32, np.float64])


def words_of(corpus):
    """Return the words of each document, as lists."""
    ends = zip(corpus.starts[:-1], corpus.starts[1:], strict=True)
    return [corpus.vocabulary[corpus.words[i:j]].tolist() for i, j in ends]


@ANY
@given(WORD_LISTS)
def test_words_come_back_as_they_went_in(documents):
    corpus = Corpus.from_tokens(documents)
    assert words_of(corpus) == documents
    assert corpus.n_tokens == sum(map(len, documents))


@ANY
@given(ID_LISTS, FORMATS, DTYPES)
def test_counts_are_those_of_the_tokens(documents, form, dtype):
    corpus = Corpus.from_tokens(documents, n_words=10)
    expected = np.array([np.bincount(document, minlength=10) for document in documents])
    assert np.array_equal(corpus.to_dtm().toarray(), expected)
    counts = getattr(sparse, f"{form}_array")(expected.astype(dtype))
    again = Corpus.from_dtm(counts)
    assert again == Corpus.from_tokens([sorted(d) for d in documents], n_words=10)
    assert np.array_equal(again.to_dtm().toarray(), expected)


@ANY
@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4), st.integers(0, 255)), max_size=30),
    st.sampled_from([np.uint8, np.uint16, np.int64, np.float32]),
    st.sampled_from(["coo", "csr", "csc"]),
)
def test_repeated_entries_of_sparse_matrices_are_added_up(entries, dtype, form):
    row, column, value = (np.array([e[i] for e in entries], int) for i in range(3))
    expected = np.zeros((4, 5), int)
    np.add.at(expected, (row, column), value)
    matrix = sparse.coo_array((value.astype(dtype), (row, column)), shape=(4, 5))
    if form != "coo":  # tocsr would add the entries up in the narrow dtype
        major, minor = (row, column) if form == "csr" else (column, row)
        order = np.argsort(major, kind="stable")
        starts = np.searchsorted(major[order], np.arange((4 if form == "csr" else 5) + 1))
        parts = (value[order].astype(dtype), minor[order], starts)
        matrix = getattr(sparse, f"{form}_array")(parts, shape=(4, 5))
    assert np.array_equal(Corpus.from_dtm(matrix).to_dtm().toarray(), expected)


@ANY
@given(WORD_LISTS, st.data())
def test_selected_documents_are_those_documents(documents, data):
    names = [f"document {d}" for d in range(len(documents))]
    corpus = Corpus.from_tokens(documents, document_names=names)
    n = len(documents)
    chosen = data.draw(
        st.one_of(
            st.slices(n),
            st.lists(st.integers(-n, n - 1), max_size=5),
            st.lists(st.booleans(), min_size=n, max_size=n),
        )
    )
    part = corpus[chosen]
    rows = np.arange(n)[np.asarray(chosen, int) if chosen == [] else chosen].tolist()
    assert words_of(part) == [documents[row] for row in rows]
    assert part.document_names.tolist() == [names[row] for row in rows]


@ANY
@given(WORD_LISTS, st.lists(TEXT, unique=True, max_size=6))
def test_another_vocabulary_keeps_the_words_it_has(documents, vocabulary):
    corpus, n_dropped = Corpus.from_tokens(documents).to_vocabulary(vocabulary)
    kept = [[word for word in document if word in vocabulary] for document in documents]
    assert words_of(corpus) == kept
    assert n_dropped == sum(map(len, documents)) - sum(map(len, kept))


@ANY
@given(WORD_LISTS, st.booleans())
def test_pickles_are_equal(documents, named):
    names = [("a", d) for d in range(len(documents))] if named else None
    corpus = Corpus.from_tokens(documents, document_names=names)
    again = pickle.loads(pickle.dumps(corpus))
    assert again == corpus
    assert words_of(again) == documents


SCALARS = st.one_of(
    st.integers(),
    TEXT,
    st.booleans(),
    st.floats(allow_nan=False),
    st.dates(),
    st.tuples(TEXT, st.integers()),
)


@ANY
@given(st.lists(SCALARS, min_size=1, max_size=5))
def test_names_of_any_type_become_numbers_or_text_or_are_refused(names):
    def build():
        return Corpus([0] * len(names), range(len(names) + 1), document_names=names)

    texts = [", ".join(map(str, n)) if isinstance(n, tuple) else str(n) for n in names]
    pairs = list(combinations(range(len(names)), 2))
    if any(texts[i] == texts[j] and names[i] != names[j] for i, j in pairs):
        with pytest.raises(ValueError, match="document_names must stay distinct"):
            build()
        return
    kept = build().document_names
    assert kept.dtype == np.int64 or all(type(name) is str for name in kept)
    assert [str(name) for name in kept] == texts


def test_a_multi_index_names_documents():
    index = pd.MultiIndex.from_product([["a", "b"], [1, 2]])
    corpus = Corpus.from_dtm(pd.DataFrame(np.eye(4, dtype=int), index=index))
    assert corpus.document_names.tolist() == ["a, 1", "a, 2", "b, 1", "b, 2"]


@pytest.mark.parametrize("start", [0, 2])
@pytest.mark.parametrize("step", [1, 2])
def test_the_rows_of_a_frame_name_documents_unless_they_are_only_numbered(start, step):
    frame = pd.DataFrame(np.eye(6, dtype=int)).iloc[start::step]
    assert isinstance(frame.index, pd.RangeIndex)
    names = Corpus.from_dtm(frame).document_names
    if (start, step) == (0, 1):
        assert names is None
    else:
        assert names.tolist() == list(range(start, 6, step))
