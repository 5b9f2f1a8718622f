"""Blocks are even and lose nothing, masses have their law, and threads share work."""

import os
import pickle
import threading
import time

import numpy as np
import pytest
from scipy import stats
from scipy.special import polygamma, psi

from pymc_medlda.kernels.counts import Tokens
from pymc_medlda.kernels.sweeps.blocks import divide
from pymc_medlda.kernels.sweeps.masses import draw_log_masses
from pymc_medlda.kernels.sweeps.team import Team
from pymc_medlda.kernels.sweeps.topic_sampler import TopicSampler


@pytest.mark.parametrize("n_blocks", [1, 2, 3, 7])
def test_every_token_is_in_the_block_of_its_word_and_document(medium, n_blocks):
    tokens, n_words = medium
    blocks = divide(tokens, n_words, n_blocks)
    assert sorted(np.concatenate(blocks.words)) == list(range(n_words))
    assert sorted(np.concatenate(blocks.order)) == list(range(tokens.word.size))
    document = np.repeat(np.arange(tokens.start.size - 1), np.diff(tokens.start))
    for own, words, order in zip(blocks.tokens, blocks.words, blocks.order, strict=True):
        np.testing.assert_array_equal(words[own.word], tokens.word[order])
        its = np.repeat(np.arange(own.start.size - 1), np.diff(own.start))
        np.testing.assert_array_equal(its, document[order])
    assert blocks.edges[0] == 0
    assert blocks.edges[-1] == tokens.start.size - 1
    assert (np.diff(blocks.edges) >= 0).all()


def test_blocks_and_cells_are_even():
    """Frequent words, and documents about the same subject one after the other, in order."""
    rng = np.random.default_rng(1)
    lengths = rng.integers(20, 200, 600)
    subject = np.repeat(np.arange(600) // 60, lengths)
    word = np.minimum(rng.geometric(0.02, lengths.sum()), 300) - 1 + 100 * subject
    tokens = Tokens(word.astype(np.int32), np.r_[0, np.cumsum(lengths)])
    blocks = divide(tokens, 1300, 4)
    sizes = np.array([own.word.size for own in blocks.tokens])
    assert sizes.max() < 1.01 * sizes.mean()
    cells = np.array([np.diff(own.start[blocks.edges]) for own in blocks.tokens])
    assert cells.max() < 1.2 * cells.mean()
    # Ranges of words would be far from even.
    ranges = np.histogram2d(subject, tokens.word, bins=4)[0]
    assert ranges.max() > 2.0 * ranges.mean()
    n_words = [words.size for words in blocks.words]
    assert max(n_words) < 1.1 * np.mean(n_words)


def test_words_without_tokens_and_blocks_without_documents_are_allowed():
    tokens = Tokens(np.array([3, 3, 3], np.int32), np.array([0, 3]))
    blocks = divide(tokens, 10, 4)
    assert sorted(words.size for words in blocks.words) == [1, 3, 3, 3]
    assert sum(own.word.size for own in blocks.tokens) == 3


def test_masses_are_dirichlet():
    """Moments of log s, in units of their Monte Carlo error, also where shapes are tiny."""
    totals = np.array([[0, 5, 0], [3, 0, 1000], [0, 0, 40]])
    n_words, beta, n = np.array([3, 4, 2]), 0.02, 20_000
    rng = np.random.default_rng(2)
    drawn = np.array([draw_log_masses(rng, totals, n_words, beta) for _ in range(n)])
    np.testing.assert_allclose(np.exp(drawn).sum(axis=1), 1.0)
    shape = totals + beta * n_words[:, None]
    mean = psi(shape) - psi(shape.sum(axis=0))
    deviation = np.sqrt(polygamma(1, shape) - polygamma(1, shape.sum(axis=0)))
    assert (np.abs(drawn.mean(axis=0) - mean) < 4.5 * deviation / np.sqrt(n)).all()
    # A share of two is Beta; several shapes here are far too small for a gamma variable.
    for block, topic in ((1, 1), (1, 2), (2, 2)):
        law = stats.beta(shape[block, topic], shape[:, topic].sum() - shape[block, topic])
        assert stats.kstest(np.exp(drawn[:, block, topic]), law.cdf).pvalue > 1e-4


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_work_begins_after_what_it_waits_for(threads):
    finished = []

    def work(m):
        assert set(after[m]) <= set(finished)
        time.sleep(0.001 * (m % 3))
        finished.append(m)
        return m * m

    after = [(), (), (), (0, 1), (2,), (1, 2), (3, 4), ()]
    assert Team(threads).run(work, 8, after) == [m * m for m in range(8)]


def test_several_threads_are_at_work_at_once():
    together = threading.Barrier(3)
    Team(3).run(lambda m: together.wait(10), 3)  # raises if one of them is missing


@pytest.mark.parametrize("threads", [1, 3])
def test_an_error_is_raised_when_nobody_is_at_work_any_more(threads):
    begun, ended = [], []

    def work(m):
        begun.append(m)
        if m == 1:
            raise ValueError("the second")
        time.sleep(0.02)
        ended.append(m)

    team = Team(threads)
    with pytest.raises(ValueError, match="the second"):
        team.run(work, 50, [()] * 25 + [(1,)] * 25)
    assert set(begun) - set(ended) == {1}
    assert max(begun) < 25
    assert team.run(lambda m: m, 3) == [0, 1, 2]  # the team is as good as new


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system cannot fork")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_process_starts_threads_of_its_own():
    team = Team(2)
    assert team.run(lambda m: m, 4) == [0, 1, 2, 3]
    child = os.fork()
    if child == 0:
        os._exit(0 if team.run(lambda m: m + 1, 4) == [1, 2, 3, 4] else 1)
    deadline = time.monotonic() + 20.0
    while (ended := os.waitpid(child, os.WNOHANG)) == (0, 0) and time.monotonic() < deadline:
        time.sleep(0.01)
    if ended == (0, 0):
        os.kill(child, 9)
        os.waitpid(child, 0)
    assert ended == (child, 0)


def test_blocks_and_threads_travel_with_a_sampler(medium):
    tokens, n_words = medium
    sampler = TopicSampler(tokens, n_words=n_words, n_topics=4, blocks=3, threads=2)
    twin = pickle.loads(pickle.dumps(sampler))
    assert (twin.blocks, twin.threads) == (3, 2)


def test_more_blocks_than_words_are_refused(toy):
    with pytest.raises(ValueError, match="blocks must be at most the number of words, 3, got 4"):
        TopicSampler(toy[0], n_words=toy[1], n_topics=2, blocks=4)
