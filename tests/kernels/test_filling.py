"""Counts that are given as a sparse table are those that are counted from tokens."""

import numpy as np
import pytest
from scipy import sparse

from pymc_medlda.kernels.counts import Tokens
from pymc_medlda.kernels.new_document_sweeps import WordTopics
from pymc_medlda.kernels.new_documents import estimate_from_counts, estimate_topics
from pymc_medlda.kernels.sweeps import interface
from pymc_medlda.kernels.sweeps.interface import State
from pymc_medlda.kernels.sweeps.topic_sampler import SWEEPS

V, K, N = 30, 9, 2000


@pytest.fixture
def drawn():
    rng = np.random.default_rng(1)
    word, z = rng.integers(V - 3, size=N).astype(np.int32), rng.integers(K, size=N).astype(np.uint8)
    word.flags.writeable = False
    table = sparse.coo_array((np.ones(N, np.int32), (word, z)), (V, K)).tocsr()
    table.sort_indices()
    return word, z, table


@pytest.mark.parametrize("path", SWEEPS)
def test_a_filled_sweep_and_its_copy_hold_what_a_recount_holds(path, drawn):
    word, z, table = drawn
    counted, filled = (SWEEPS[path](np.bincount(word, minlength=V), n_topics=K) for _ in range(2))
    tallies = np.zeros((2, np.bincount(word).max() + 2), np.int64)
    start = np.array([0, N])
    start.flags.writeable = False
    rest = np.empty((1, K), np.int32), np.bincount(z, minlength=K), tallies[0], np.ones(1)
    counted.recount(State(Tokens(word, start), z, *rest))
    filled.fill(table, tallies[1])
    np.testing.assert_array_equal(filled.word_topic(), counted.word_topic())
    np.testing.assert_array_equal(*tallies[:, 1:])
    copied = filled.copy()
    filled.fill(table[:, ::-1].tocsr().sorted_indices(), tallies[1])
    assert not np.array_equal(filled.word_topic(), counted.word_topic())
    np.testing.assert_array_equal(copied.word_topic(), counted.word_topic())


@pytest.mark.parametrize("path", SWEEPS)
def test_entries_are_the_counts_that_are_not_zero(path, drawn, monkeypatch):
    monkeypatch.setattr(interface, "AT_ONCE", 7)
    word, _, table = drawn
    sweep = SWEEPS[path](np.bincount(word, minlength=V), n_topics=K)
    sweep.fill(table, np.zeros(N, np.int32))
    found = sweep.entries()
    again = sparse.coo_array((found.n_tokens, (found.word, found.topic)), (V, K))
    np.testing.assert_array_equal(again.toarray(), table.toarray())
    assert found.n_tokens.all()
    assert np.all(np.diff(found.word) >= 0)


def test_a_table_without_words_has_no_entries():
    nothing = np.empty(0, np.int32)
    for kind in SWEEPS.values():
        assert [part.size for part in kind(nothing, n_topics=3).entries()] == [0, 0, 0]


def test_phi_from_counts_is_phi_from_tokens(drawn):
    word, z, table = drawn
    row = np.where(np.arange(V) % 2 == 0, np.arange(V) // 2, -1).astype(np.int32)
    found = []
    for _ in range(2):
        phi, prior = np.zeros((V // 2, 16)), np.empty(V // 2)
        found.append(WordTopics(phi, np.empty(K), prior))
    prior = V, np.full(K, 0.3), 0.01
    estimate_topics(word, z, row, *prior, found[0])
    entries = table.tocoo()
    cell = entries.row.astype(np.int64) * K + entries.col
    estimate_from_counts(cell, entries.data, row, *prior, found[1])
    for left, right in zip(*found, strict=True):
        np.testing.assert_allclose(left, right, rtol=1e-14)
