"""The sweeps over a new document against enumeration and an obvious sweep."""

import numpy as np
import pytest

from pymc_medlda.kernels import new_document_sweeps, new_documents
from pymc_medlda.kernels.counts import Tokens
from pymc_medlda.kernels.new_document_sweeps import ROWS, empty_workspace
from pymc_medlda.kernels.new_documents import Schedule
from tests.kernels.toy_documents import (
    BOTH_SWEEPS,
    begin,
    enumerate_document,
    make_problem,
    make_topics,
    sweep,
)


def largest_z_score(frequency, p):
    """Compare visits of states (batches, states) with p, by the spread of the batches."""
    error = frequency.std(axis=0, ddof=1) / np.sqrt(frequency.shape[0])
    return np.max(np.abs(frequency.mean(axis=0) - p) / np.maximum(error, 1e-4))


def visit(tokens, topics, by_lists, n_batches=50, n_sweeps=2000):
    """Return how often each assignment of the only document is met, batch by batch.

    The second result is the average of z that the sweeps themselves add up, batch by batch.
    """
    n_topics = topics.alpha.size
    digits = n_topics ** np.arange(tokens.word.size)[::-1]
    state = begin(5, tokens, n_topics, by_lists)
    frequency = np.zeros((n_batches, n_topics**tokens.word.size))
    work = empty_workspace(topics.phi.shape[1])
    totals = []
    for batch in range(n_batches):
        work.total[:] = 0.0
        for _ in range(n_sweeps):
            new_documents.sweep_document(tokens, topics, state, 0, work, True)
            frequency[batch, state.z @ digits] += 1 / n_sweeps
        totals.append(work.total[:n_topics] / (n_sweeps * tokens.word.size))
    return frequency, np.array(totals)


@BOTH_SWEEPS
def test_visits_follow_the_enumerated_law(by_lists):
    tokens = Tokens(np.array([0, 1, 0, 2], np.int32), np.array([0, 4]))
    topics = make_topics([[0.6, 0.1, 0.3], [0.1, 0.5, 0.2], [0.3, 0.4, 0.5]], [0.2, 0.5, 0.9])
    frequency, mean = visit(tokens, topics, by_lists)
    states, p = enumerate_document(tokens.word, topics)
    # 81 states with t-distributed scores: 4.5 is passed by chance less than once in a hundred.
    assert largest_z_score(frequency, p) < 4.5
    expected = p @ (states[:, :, None] == np.arange(3)).mean(axis=1)
    assert largest_z_score(mean, expected) < 4.5
    wrong_topics = topics._replace(alpha=topics.alpha + 0.05)
    _, wrong = enumerate_document(tokens.word, wrong_topics)
    assert largest_z_score(frequency, wrong) > 6.0
    wrong_mean = wrong @ (states[:, :, None] == np.arange(3)).mean(axis=1)
    assert largest_z_score(mean, wrong_mean) > 6.0


def replay_slowly(counter, word, z, topics):
    """Do a sweep by rows token by token, with weights computed afresh; return the expected z."""
    n_topics = topics.alpha.size
    expected = np.zeros(n_topics)
    for n in range(word.size):
        weight = topics.phi[word[n], :n_topics] * (
            np.bincount(np.delete(z, n), minlength=n_topics) + topics.alpha
        )
        expected += weight / weight.sum()
        order = np.r_[z[n], np.delete(np.arange(n_topics), z[n])]  # the present topic is first
        x = new_document_sweeps.uniform(counter) * weight.sum()
        z[n] = order[np.searchsorted(np.cumsum(weight[order]), x, side="right")]
        counter += new_document_sweeps.STRIDE
    return expected


@pytest.mark.parametrize("length", [1, 5, ROWS - 1, ROWS, ROWS + 1, 3 * ROWS])
def test_rows_draw_and_expect_what_an_obvious_sweep_does(rng, length):
    """Documents of all lengths, also those that fill the buffer of probabilities exactly."""
    tokens, topics = make_problem(rng, [length], n_topics=11)
    state = begin(length, tokens, 11)
    for _ in range(3):
        z, counter = state.z.copy(), state.counter[0]
        with np.errstate(over="ignore"):
            expected = replay_slowly(counter, tokens.word, z, topics)
        _, total = sweep(tokens, topics, state, averaged=True)
        np.testing.assert_array_equal(state.z, z)
        np.testing.assert_allclose(total, expected, rtol=1e-10, atol=1e-12)


@BOTH_SWEEPS
def test_lists_and_counts_stay_those_of_z(rng, by_lists):
    tokens, topics = make_problem(rng, [40, 0, 7], n_topics=9)
    state = begin(1, tokens, 9, by_lists)
    for _ in range(30):
        for d in range(3):
            sweep(tokens, topics, state, d)
            z = state.z[tokens.start[d] : tokens.start[d + 1]]
            np.testing.assert_array_equal(state.counts[d], np.bincount(z, minlength=9))
            if by_lists:
                listed = state.listed[d, : state.n_listed[d, 0]]
                assert sorted(listed.tolist()) == np.unique(z).tolist()


@BOTH_SWEEPS
def test_likelihood_met_on_the_way_is_that_of_the_conditionals(by_lists):
    """With one topic every token's probability is known: phi, whatever the counts."""
    tokens = Tokens(np.array([0, 1, 1, 2] * 100, np.int32), np.array([0, 400]))
    topics = make_topics([[0.5], [0.2], [0.3]], [0.7])
    state = begin(1, tokens, 1, by_lists)
    log_likelihood, total = sweep(tokens, topics, state, averaged=True)
    expected = np.log(topics.phi[tokens.word, 0]).sum()
    assert log_likelihood == pytest.approx(expected, rel=1e-12)
    assert total == pytest.approx([400.0])
    assert set(state.z.tolist()) == {0}


@BOTH_SWEEPS
def test_extreme_weights_stay_finite(by_lists):
    """Words of hardly any probability, and topics that own their word."""
    phi = np.full((4, 3), 1e-12)
    phi[[0, 1, 2], [0, 1, 2]] = 1.0
    tokens = Tokens(np.repeat([0, 1, 2, 3], 200).astype(np.int32), np.array([0, 800]))
    out = np.empty((1, 3))
    topics = make_topics(phi, [1e-8, 1e-8, 1e-8])
    state = begin(1, tokens, 3, by_lists)
    for _ in range(5):
        assert np.isfinite(sweep(tokens, topics, state)[0])
    assert (state.z[:600] == np.repeat([0, 1, 2], 200)).all()
    new_documents.sample_blocks(tokens, topics, Schedule(4, 20, 1e-3, 1), state, 0, 1, out)
    assert out.sum() == pytest.approx(1.0)
