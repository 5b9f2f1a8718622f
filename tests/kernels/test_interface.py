"""Every sweep keeps the declared interface: what it takes, updates, leaves alone and returns."""

import inspect

import numpy as np
import pytest

from pymc_medlda.kernels.counts import Tokens, count_topics
from pymc_medlda.kernels.sweeps.interface import Parameters, State, Sweep
from pymc_medlda.kernels.sweeps.topic_sampler import PATHS, SWEEPS
from tests.kernels.conftest import parameters

ALL = [(path, n_tasks) for path in SWEEPS for n_tasks in (1, 3)]


def start(corpus, path, n_topics, seed=0):
    """Return a sweep with the state of random topics, counted."""
    tokens, n_words = corpus
    z = np.random.default_rng(seed).integers(0, n_topics, tokens.word.size).astype(np.uint8)
    n_documents = tokens.start.size - 1
    most = np.bincount(tokens.word).max()
    document_topic = np.zeros((n_documents, n_topics), np.int32)
    topic = np.zeros(n_topics, np.int64)
    gamma = 1.0 / np.maximum(np.diff(tokens.start), 1)
    state = State(tokens, z, document_topic, topic, np.zeros(most + 2, np.int64), gamma)
    count_topics(tokens, z, document_topic, topic)
    sweep = SWEEPS[path](np.bincount(tokens.word, minlength=n_words), n_topics=n_topics)
    sweep.recount(state)
    return sweep, state


def assert_consistent(sweep, state, corpus):
    """All counts are those of z, counted by NumPy."""
    tokens, n_words = corpus
    n_topics = state.topic.size
    expected = np.zeros((n_words, n_topics), int)
    np.add.at(expected, (tokens.word, state.z), 1)
    np.testing.assert_array_equal(sweep.word_topic(), expected)
    np.testing.assert_array_equal(state.topic, expected.sum(axis=0))
    tally = np.bincount(expected.ravel(), minlength=state.tally.size)
    np.testing.assert_array_equal(state.tally[1:], tally[1:])
    document = np.repeat(np.arange(tokens.start.size - 1), np.diff(tokens.start))
    in_document = np.zeros_like(state.document_topic)
    np.add.at(in_document, (document, state.z), 1)
    np.testing.assert_array_equal(state.document_topic, in_document)


@pytest.mark.parametrize(("path", "n_tasks"), ALL)
@pytest.mark.parametrize("n_topics", [1, 5, 60])
def test_all_counts_are_those_of_z_before_and_after_a_sweep(medium, path, n_tasks, n_topics):
    sweep, state = start(medium, path, n_topics)
    assert_consistent(sweep, state, medium)
    given = Parameters(**parameters(medium[0].start.size - 1, n_topics, n_tasks))
    for seed in range(3):
        before = state.z.copy()
        moved = sweep.sweep(np.random.default_rng(seed), state, given)
        assert moved == np.count_nonzero(before != state.z)
        assert n_topics == 1 or moved > 0
        assert_consistent(sweep, state, medium)


@pytest.mark.parametrize(("path", "n_tasks"), ALL)
def test_all_counts_are_those_of_z_in_documents_with_many_moves(path, n_tasks):
    """Sweeps keep what they compute for a number of moves, which a long document exceeds."""
    rng = np.random.default_rng(4)
    lengths = np.array([3, 1500, 0, 700])
    word = rng.integers(0, 40, lengths.sum()).astype(np.int32)
    corpus = Tokens(word, np.r_[0, np.cumsum(lengths)]), 40
    sweep, state = start(corpus, path, 5)
    given = Parameters(**parameters(lengths.size, 5, n_tasks))
    assert sweep.sweep(rng, state, given) > 1000
    assert_consistent(sweep, state, corpus)


@pytest.mark.parametrize(("path", "n_tasks"), ALL)
def test_a_sweep_changes_nothing_that_it_is_given(medium, path, n_tasks):
    sweep, state = start(medium, path, 5)
    given = Parameters(**parameters(medium[0].start.size - 1, 5, n_tasks))
    before = [np.copy(value) for value in (*given, *state.tokens)]
    sweep.sweep(np.random.default_rng(1), state, given)
    for old, new in zip(before, (*given, *state.tokens), strict=True):
        np.testing.assert_array_equal(old, new)


@pytest.mark.parametrize(("path", "n_tasks"), ALL)
def test_a_sweep_is_a_function_of_state_and_generator(medium, path, n_tasks):
    """Whether its counts were kept from the sweep before or counted again makes no difference."""
    given = Parameters(**parameters(medium[0].start.size - 1, 12, n_tasks))
    kept, state = start(medium, path, 12)
    kept.sweep(np.random.default_rng(1), state, given)
    fresh, other = start(medium, path, 12)
    other.z[:] = state.z
    count_topics(other.tokens, other.z, other.document_topic, other.topic)
    fresh.recount(other)
    for sweep, its in ((kept, state), (fresh, other)):
        sweep.sweep(np.random.default_rng(2), its, given)
    np.testing.assert_array_equal(state.z, other.z)


def test_every_sweep_has_a_name_and_the_same_arguments():
    ours = {sweep for sweep in Sweep.__subclasses__() if sweep.__module__ != __name__}
    assert ours == set(SWEEPS.values())
    assert PATHS == ("auto", *SWEEPS)
    for name in Sweep.__abstractmethods__:
        declared = list(inspect.signature(getattr(Sweep, name)).parameters)
        for sweep in SWEEPS.values():
            assert list(inspect.signature(getattr(sweep, name)).parameters) == declared


def test_a_sweep_that_lacks_a_part_cannot_be_made():
    class Half(Sweep):
        def sweep(self, rng, state, given):
            return 0

    with pytest.raises(TypeError, match="abstract"):
        Half(np.zeros(1, np.int32), n_words=1, n_topics=2)


@pytest.mark.parametrize("path", ["dense", "sparse"])
@pytest.mark.parametrize("slope", [10.0, 30.0])
def test_a_margin_may_pull_a_whole_document_across(path, slope):
    """Exponents change by more than a float can hold while the tokens move one after the other."""
    n, n_topics = 40, 8
    corpus = Tokens(np.zeros(n, np.int32), np.array([0, n])), 1
    eta = np.array([[1.0, -1.0] * 4, [0.0] * n_topics])
    steep = np.array([[slope * n * n, 0.0]])
    given = Parameters(np.full(n_topics, 0.5), 0.5, eta, steep, steep)
    rng = np.random.default_rng(0)
    for _ in range(20):
        sweep, state = start(corpus, path, n_topics)
        state.z[:] = 1  # every token on the wrong side
        count_topics(corpus[0], state.z, state.document_topic, state.topic)
        sweep.recount(state)
        sweep.sweep(rng, state, given)
        assert_consistent(sweep, state, corpus)
        # F is 1 where the loss is least, and all other values are extremely unlikely.
        assert (eta[0][state.z]).mean() == 1.0
