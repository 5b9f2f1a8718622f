"""The scheme that is measured beside ours, drawn phi, has the law of the model too."""

from itertools import product

import numpy as np
import pytest
from scipy.special import gammaln

from tests.benchmarks.drawn_phi import draw_phi, sweep_plainly

WORD, START = np.array([0, 1, 0, 2], np.int32), np.array([0, 2, 4])
ALPHA, ETA, BETA = np.array([0.6, 0.9]), np.array([1.5, -1.0]), 0.4
A, B = np.array([2.0, 0.7]), np.array([1.1, -0.8])
N_SWEEPS = 10_000


def counts_of(z):
    """Return the counts of words and topics, and of documents and topics."""
    words, documents = np.zeros((3, 2), np.int32), np.zeros((2, 2), np.int32)
    np.add.at(words, (WORD, z), 1)
    np.add.at(documents, (np.repeat([0, 1], 2), z), 1)
    return words, documents


def log_joint(z):
    words, documents = counts_of(np.array(z))
    score = documents @ ETA / 2
    log_words = gammaln(words + BETA).sum() - gammaln(words.sum(axis=0) + 3 * BETA).sum()
    return log_words + gammaln(documents + ALPHA).sum() + B @ score - A @ score**2 / 2


def distance(draw):
    """Return the total variation between the states of a long chain and the enumerated law."""
    rng = np.random.default_rng(1)
    states = list(product(range(2), repeat=4))
    joint = np.array([log_joint(z) for z in states])
    law = np.exp(joint - joint.max())
    seen, z = np.zeros(len(states)), np.zeros(4, np.uint8)
    for _ in range(N_SWEEPS):
        words, documents = counts_of(z)
        given = (ALPHA, A, B, ETA, draw(rng, words, BETA), words, BETA)
        sweep_plainly(rng, WORD, START, z, documents, *given)
        seen[z @ [8, 4, 2, 1]] += 1
    return np.abs(seen / N_SWEEPS - law / law.sum()).sum() / 2


@pytest.mark.slow
def test_both_loops_have_the_law_of_the_model():
    def draw_none(rng, table, beta):
        return np.empty((0, 2), np.float32)

    def hold_mean(rng, table, beta):  # the negative control
        return ((table + beta) / (table + beta).sum(axis=0)).astype(np.float32)

    assert distance(draw_phi) < 0.03
    assert distance(draw_none) < 0.03
    assert distance(hold_mean) > 0.05
