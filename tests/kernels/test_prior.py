"""Draws from the prior as Pólya urns against the Dirichlet-multinomial probabilities."""

import numpy as np
import pytest
from scipy.stats import chisquare

from pymc_medlda.kernels.prior import draw_assignments, draw_words
from tests.oracle import Toy


def test_prior_assignments_follow_the_dirichlet_multinomial(rng):
    # With one word, log_topics is log p(Z). The sum of alpha is not one.
    toy = Toy(documents=((0, 0, 0), (0,)), n_words=1, alpha=(0.9, 0.4))
    configurations = toy.assignments()
    expected = np.exp([toy.log_topics(z) for z in configurations])
    assert expected.sum() == pytest.approx(1.0)
    out = np.empty(4, np.uint8)
    index = np.zeros(16)
    for _ in range(20_000):
        draw_assignments(rng, np.array(toy.alpha), np.array([0, 3, 4]), out)
        index[out @ 2 ** np.arange(4)[::-1]] += 1
    assert chisquare(index, 20_000 * expected).pvalue > 1e-3
    assert chisquare(index, np.full(16, 20_000 / 16)).pvalue < 1e-6  # negative control


def test_prior_words_follow_the_dirichlet_multinomial(rng):
    z = np.array([0, 1, 0, 0], np.uint8)
    cells = {}
    for _ in range(20_000):
        out = np.empty(4, np.int32)
        draw_words(rng, z, 0.3, 2, 2, out)
        cells[tuple(out)] = cells.get(tuple(out), 0) + 1
    expected = {}
    for words in np.ndindex(2, 2, 2, 2):
        toy = Toy(documents=(words,), n_words=2)
        flat = Toy(documents=((0,) * 4,), n_words=1)
        expected[words] = np.exp(toy.log_topics(z) - flat.log_topics(z))
    assert sum(expected.values()) == pytest.approx(1.0)
    observed = np.array([cells.get(w, 0) for w in expected])
    probability = np.array(list(expected.values()))
    assert chisquare(observed, 20_000 * probability).pvalue > 1e-3
    assert chisquare(observed, np.full(16, 20_000 / 16)).pvalue < 1e-6


def test_jitted_draws_equal_plain_python():
    start = np.array([0, 5, 5, 9])
    alpha = np.array([0.2, 0.5, 0.1])
    draws = []
    for assignments, words in (
        (draw_assignments, draw_words),
        (draw_assignments.py_func, draw_words.py_func),
    ):
        generator = np.random.default_rng(3)
        z, w = np.empty(9, np.uint8), np.empty(9, np.int32)
        assignments(generator, alpha, start, z)
        words(generator, z, 0.1, 20, 3, w)
        draws.append((z.tolist(), w.tolist()))
    assert draws[0] == draws[1]
