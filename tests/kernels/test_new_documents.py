"""The test-time sampler against a slow twin and its own Python source."""

import numpy as np

from pymc_medlda.kernels import new_document_sweeps, new_documents
from pymc_medlda.kernels.counts import Tokens
from pymc_medlda.kernels.new_document_sweeps import WordTopics
from pymc_medlda.kernels.new_documents import BLOCK, Schedule
from tests.kernels.toy_documents import (
    BOTH_SWEEPS,
    begin,
    make_problem,
    sweep,
    sweep_slowly,
    with_lists,
)

CALLED = {
    new_documents: ["start_uniformly", "sample_blocks", "_burn_in", "_average", "sweep_document"],
    new_document_sweeps: ["sweep_by_rows", "sweep_by_lists", "add_probabilities", "add_up"],
}


@BOTH_SWEEPS
def test_frequencies_equal_those_of_the_slow_twin(rng, by_lists):
    tokens, topics = make_problem(rng, [6])
    out = np.empty((400, 5))
    schedule = Schedule(n_samples=5, max_burn_in=20, tolerance=0.0, max_between=0)
    for seed, row in enumerate(out):
        state = begin([7, seed], tokens, 5, by_lists)
        new_documents.sample_blocks(tokens, topics, schedule, state, 0, 1, row[None])
    slow = np.zeros((400, 5))
    for row in slow:
        z = rng.integers(0, 5, 6)
        for step in range(12):
            sweep_slowly(rng, tokens.word, z, topics)
            if step >= 7:
                row += np.bincount(z, minlength=5) / 30
    error = np.sqrt((out.var(axis=0) + slow.var(axis=0)) / 400)
    assert np.max(np.abs(out.mean(axis=0) - slow.mean(axis=0)) / error) < 4.0


def run_everything(by_lists):
    tokens, topics = make_problem(np.random.default_rng(3), [30, 0, 1, 80], n_topics=20)
    z = np.random.default_rng(5).integers(0, 20, tokens.word.size).astype(np.uint8)
    row = np.where(np.arange(12) % 3 == 0, -1, np.cumsum(np.arange(12) % 3 > 0) - 1)
    fitted = WordTopics(np.empty((8, 24)), np.empty(20), np.empty(8))
    estimate = new_documents.estimate_topics
    estimate(tokens.word, z, row, 12, topics.alpha, 0.1, fitted)
    state = begin(5, tokens, 20, by_lists)
    out = np.empty((2, 4, 20))
    schedule = Schedule(3, 30, 1e-3, 2)
    burn_in = [
        new_documents.sample_blocks(tokens, topics, schedule, state, 0, 1, each) for each in out
    ]
    return [np.array(burn_in), out, *fitted, *state]


@BOTH_SWEEPS
def test_compiled_kernels_equal_their_source_bit_for_bit(monkeypatch, by_lists):
    jitted = run_everything(by_lists)
    names = {**CALLED, new_documents: [*CALLED[new_documents], "estimate_topics"]}
    for module, functions in names.items():
        for name in [*functions, "empty_workspace", "uniform", "add_up", "choose"]:
            function = getattr(module, name, None)
            if function is not None:
                monkeypatch.setattr(module, name, getattr(function, "py_func", function))
    for name in ("sweep_by_rows", "sweep_by_lists"):
        monkeypatch.setattr(new_documents, name, getattr(new_document_sweeps, name))
    for name in ("_log_normaliser", "_find_by_prior"):
        function = getattr(new_document_sweeps, name)
        monkeypatch.setattr(new_document_sweeps, name, getattr(function, "py_func", function))
    with np.errstate(over="ignore"):
        source = run_everything(by_lists)
    for mine, theirs in zip(jitted, source, strict=True):
        np.testing.assert_array_equal(mine, theirs)


@BOTH_SWEEPS
def test_tokens_add_up_to_their_documents(rng, by_lists):
    tokens, topics = make_problem(rng, [30, 0, 1, 80])
    schedule = Schedule(n_samples=3, max_burn_in=5, tolerance=0.0, max_between=1)
    out, plain = np.empty((2, 4, 5))
    state, without = begin(7, tokens, 5, by_lists), begin(7, tokens, 5, by_lists)
    state = state._replace(of_token=np.zeros((111, 5)))
    for _ in range(2):
        new_documents.sample_blocks(tokens, topics, schedule, state, 0, 1, out)
        new_documents.sample_blocks(tokens, topics, schedule, without, 0, 1, plain)
        np.testing.assert_array_equal(out, plain)
        np.testing.assert_allclose(state.of_token.sum(axis=1), 1.0)
        for d, length in enumerate([30, 0, 1, 80]):
            if length:
                own = state.of_token[tokens.start[d] : tokens.start[d + 1]]
                np.testing.assert_allclose(own.sum(axis=0) / length, out[d])


def test_many_topics_are_drawn_by_lists():
    start = np.array([0, 50, 90])
    state = new_documents.start_uniformly(np.array([3], np.uint64), start, 200)
    again = with_lists(state)
    np.testing.assert_array_equal(state.n_listed, again.n_listed)
    for d in range(2):
        n = state.n_listed[d, 0]
        assert sorted(state.listed[d, :n].tolist()) == again.listed[d, :n].tolist()


def test_estimated_topics_are_the_posterior_mean(rng):
    word = rng.integers(0, 6, 200).astype(np.int32)
    z = rng.integers(0, 3, 200).astype(np.uint8)
    alpha = np.array([0.1, 0.2, 0.3])
    row = np.array([1, -1, 0, 2, -1, 3])
    out = WordTopics(np.full((4, 8), np.nan), np.empty(3), np.empty(4))
    new_documents.estimate_topics(word, z, row, 6, alpha, 0.5, out)
    table = np.zeros((6, 3))
    np.add.at(table, (word, z), 1)
    phi = (table + 0.5) / (table.sum(axis=0) + 6 * 0.5)
    np.testing.assert_allclose(phi.sum(axis=0), 1.0)
    np.testing.assert_allclose(out.phi[:, :3], phi[[2, 0, 3, 5]], rtol=1e-14)
    np.testing.assert_array_equal(out.phi[:, 3:], 0.0)
    np.testing.assert_allclose(out.prior, out.phi[:, :3] @ alpha, rtol=1e-14)


def test_empty_documents_get_the_prior_and_burn_in_stops(rng):
    tokens, topics = make_problem(rng, [0, 200, 0])
    out = np.full((3, 5), np.nan)

    def burn_in(schedule, state):
        return new_documents.sample_blocks(tokens, topics, schedule, state, 0, 1, out)

    state = begin(1, tokens, 5)
    assert 2 <= burn_in(Schedule(2, 500, 1e-2, 3), state) < 500
    prior = topics.alpha / topics.alpha.sum()
    np.testing.assert_allclose(out[[0, 2]], [prior, prior])
    np.testing.assert_allclose(out.sum(axis=1), 1.0)
    # The next draw goes on from there, with a limit of its own, and with that of the first draw.
    assert burn_in(Schedule(2, 500, 0.0, 3), state) == 3
    assert burn_in(Schedule(2, 500, 1.0, 3), state) == 1
    assert burn_in(Schedule(2, 1, 0.0, 3), state) == 1
    assert burn_in(Schedule(2, 7, 0.0, 3), begin(1, tokens, 5)) == 7
    assert burn_in(Schedule(1, 0, 0.0, 3), begin(1, tokens, 5)) == 0


def test_documents_take_random_numbers_of_their_own(rng):
    """Every token takes one number, so the same document twice is drawn differently."""
    tokens, topics = make_problem(rng, [50])
    twice = Tokens(np.tile(tokens.word, 2), np.array([0, 50, 100]))
    state = begin(1, twice, 5)
    state.z[50:] = state.z[:50]
    state.counts[1] = state.counts[0]
    before = state.counter[0]
    for d in range(2):
        sweep(twice, topics, state, d)
    assert not np.array_equal(state.z[:50], state.z[50:])
    taken = (int(state.counter[0]) - int(before)) % 2**64
    assert taken == 100 * int(new_documents.STRIDE) % 2**64


def test_blocks_read_and_write_their_own_documents_only(rng):
    """A block gives the same answer alone as among others, and leaves the others untouched."""
    tokens, topics = make_problem(rng, rng.integers(0, 9, 3 * BLOCK - 5))
    schedule = Schedule(2, 10, 0.0, 1)
    whole, part = np.full((2, 3 * BLOCK - 5, 5), -1.0)
    new_documents.sample_blocks(tokens, topics, schedule, begin(2, tokens, 5), 0, 3, whole)
    state, untouched = begin(2, tokens, 5), begin(2, tokens, 5)
    new_documents.sample_blocks(tokens, topics, schedule, state, 1, 2, part)
    own = slice(BLOCK, 2 * BLOCK)
    np.testing.assert_array_equal(whole[own], part[own])
    assert (np.delete(part, np.r_[own], axis=0) == -1.0).all()
    assert (state.counter == untouched.counter).tolist() == [True, False, True]
    np.testing.assert_array_equal(state.counts[:BLOCK], untouched.counts[:BLOCK])
    np.testing.assert_array_equal(state.counts[2 * BLOCK :], untouched.counts[2 * BLOCK :])
