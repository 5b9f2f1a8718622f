"""Counts, projections and lists of a topic assignment, against NumPy."""

import numpy as np
import pytest

from pymc_medlda.kernels.counts import add_words, count_words, list_present, project
from pymc_medlda.kernels.sweeps.topic_sampler import TopicSampler


@pytest.mark.parametrize("n_tasks", [1, 2])
def test_projection_is_the_mean_of_the_weights(medium, n_tasks):
    tokens, n_words = medium
    sampler = TopicSampler(tokens, n_words=n_words, n_topics=4)
    sampler.load((np.arange(tokens.word.size) % 4).astype(np.uint8))
    eta = np.arange(4.0 * n_tasks).reshape(n_tasks, 4)
    length = np.maximum(np.diff(tokens.start), 1)[:, None]
    expected = sampler.document_topic @ eta.T / length
    np.testing.assert_allclose(sampler.project(eta), expected)
    from_tokens = np.empty(expected.shape)
    project(tokens, sampler.z, eta, from_tokens)
    np.testing.assert_allclose(from_tokens, expected)


@pytest.mark.parametrize("n_topics", [1, 7, 8, 9, 40])
@pytest.mark.parametrize("rate", [0.2, 3.0])
def test_topics_that_occur_are_listed(n_topics, rate):
    """Also where nearly all occur, and the guess of the room needed is too small."""
    counts = np.random.default_rng(n_topics).poisson(rate, (50, n_topics)).astype(np.int32)
    listed = list_present(counts)
    for d in range(50):
        entries = slice(listed.start[d], listed.start[d + 1])
        assert listed.topic[entries].tolist() == np.flatnonzero(counts[d]).tolist()
        assert listed.n_tokens[entries].tolist() == counts[d][counts[d] > 0].tolist()


def test_counts_of_words_are_added_to_those_before():
    rng = np.random.default_rng(3)
    word, z = rng.integers(6, size=40).astype(np.int32), rng.integers(4, size=40).astype(np.uint8)
    expected = np.zeros((6, 4), np.int32)
    for t, k in zip(word, z, strict=True):
        expected[t, k] += 1
    table = np.full((6, 4), 9, np.int32)
    count_words(word, z, table)
    np.testing.assert_array_equal(table, expected)
    add_words(word[:11], z[:11], table)
    add_words(word[11:], z[11:], table)
    np.testing.assert_array_equal(table, 2 * expected)
