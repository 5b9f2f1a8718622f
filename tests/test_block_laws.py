"""Chains in blocks visit the enumerated posterior, whatever the loss; fixed masses do not."""

import numpy as np
import pytest

from pymc_medlda.kernels.sweeps import blocked
from pymc_medlda.sampling import augmenting
from tests.oracle import Toy, threshold, z_scores
from tests.test_laws import CASES, draws_of, expectations, statistics

pytestmark = pytest.mark.law

NAMES = (
    "hinge",
    "epsilon-insensitive",
    "gaussian",
    "logistic",
    "two tasks",
    "missing labels",
    "offset",
)
N_DRAWS = 6000
# Chains that stay in one place for long need more draws until their errors are normal.
MORE_DRAWS = {"offset": 24_000}


def scores_of(toy, path, blocks, n_draws=N_DRAWS, **settings):
    """Return the scores of all assignments that are not rare and of the moments of the weights."""
    samples = statistics(toy, *draws_of(toy, path, n_draws, blocks=blocks, **settings))
    expected = expectations(toy)
    # Rare assignments are visited several times in a row, and have no normal error.
    tested = np.r_[expected[:64] * n_draws > 150, np.ones(expected.size - 64, bool)]
    return z_scores(samples[:, tested], expected[tested]), threshold(tested.sum())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "blocks"), [("dense", 2), ("dense", 3), ("sparse", 2), ("sparse", 3)]
)
@pytest.mark.parametrize("name", NAMES)
def test_chain_in_blocks_visits_the_enumerated_posterior(name, path, blocks):
    scores, limit = scores_of(CASES[name][0], path, blocks, MORE_DRAWS.get(name, N_DRAWS))
    assert np.abs(scores).max() < limit


@pytest.mark.slow
@pytest.mark.parametrize("name", ["hinge", "two tasks", "missing labels"])
def test_chain_whose_blocks_are_augmented_apart_visits_the_enumerated_posterior(name, monkeypatch):
    monkeypatch.setattr(augmenting, "MANY", 1)
    scores, limit = scores_of(CASES[name][0], "dense", 2)
    assert np.abs(scores).max() < limit


@pytest.mark.slow
def test_blocks_with_the_same_random_numbers_give_another_law(monkeypatch):
    """The negative control: all blocks begin with the same seed, and so depend on each other."""
    monkeypatch.setattr(augmenting, "MANY", 1)
    default_rng = np.random.default_rng

    def alike(seed=None):
        return default_rng(1 if isinstance(seed, list) else seed)

    monkeypatch.setattr(augmenting.np.random, "default_rng", alike)
    scores, limit = scores_of(CASES["hinge"][0], "dense", 2)
    assert np.abs(scores).max() > 1.5 * limit


@pytest.mark.slow
@pytest.mark.parametrize("path", ["dense", "sparse"])
def test_masses_that_are_not_drawn_give_another_law(path, monkeypatch):
    """Each is held at its expectation, which is what the counts at the start of a sweep say."""

    def expected_masses(rng, totals, n_words, beta):
        shape = totals + beta * n_words[:, None]
        return np.log(shape / shape.sum(axis=0))

    monkeypatch.setattr(blocked, "draw_log_masses", expected_masses)
    scores, limit = scores_of(Toy(), path, 3)
    assert np.abs(scores).max() > 1.5 * limit


@pytest.mark.slow
def test_chain_on_several_threads_visits_the_enumerated_posterior():
    scores, limit = scores_of(Toy(), "auto", 3, n_draws=4000, threads=2)
    assert np.abs(scores).max() < limit
