"""Draws and moves in rows of counts: compiled as defined, and with the law that they state."""

import numpy as np
import pytest

from pymc_medlda.kernels._jit import kernel
from pymc_medlda.kernels.simd import counted


@pytest.mark.parametrize("n_vectors", [1, 2, 3, 7])
def test_a_topic_is_drawn_by_its_share_of_a_row_of_counts(n_vectors):
    """As u goes from 0 to 1, each topic is drawn on an interval as long as its share."""
    rng, size, vectors = np.random.default_rng(5), 8 * n_vectors, (0,) * n_vectors
    weight, lift = rng.random(size), rng.random(size + 3)
    counts = rng.poisson(0.6, size + 5).astype(np.int32)
    weight[rng.random(size) < 0.2] = 0.0
    shifted = np.r_[np.ones(4), weight]

    @kernel
    def draw(u: float, j: int, stay: float) -> int:
        return counted.draw_counted(vectors, counts, 5, j, 0.1, shifted, 4, lift, 3, stay, u)

    places = (np.arange(20_000) + 0.5) / 20_000
    for j in (0, size // 2, size - 1):
        share = weight * lift[3:] * (counts[5:] + 0.1)
        share[j] = stay = 0.4 * share.sum()
        drawn = [draw(u, j, stay) for u in places]
        assert drawn[::97] == [draw.py_func(u, j, stay) for u in places[::97]]
        frequency = np.bincount(drawn, minlength=size) / places.size
        np.testing.assert_allclose(frequency, share / share.sum(), atol=2 / places.size)
        assert not frequency[share == 0.0].any()


def test_a_draw_at_the_ends_of_rounding_or_without_weight():
    weight, lift, counts = np.zeros(16), np.ones(16), np.zeros(16, np.int32)

    @kernel
    def draw(u: float, stay: float, weight: np.ndarray) -> int:
        return counted.draw_counted((0, 0), counts, 0, 3, 0.1, weight, 0, lift, 0, stay, u)

    almost_one = 1.0 - 2.0**-53
    for function in (draw, draw.py_func):
        assert function(0.5, 0.0, weight) == -1
        assert function(0.5, np.nan, weight) == -1
        assert function(almost_one, 1.0, weight) == 3  # all that has weight is to stay
    weight[5] = np.nan
    assert draw(0.5, 1.0, weight) == draw.py_func(0.5, 1.0, weight) == -1


def test_the_order_of_a_draw_visits_every_topic_once():
    for n in (1, 2, 5):
        assert sorted(counted.topic_at(place, n) for place in range(8 * n)) == list(range(8 * n))


def test_a_move_changes_one_count_each_and_all_weights():
    rng = np.random.default_rng(6)
    counts = rng.integers(1, 9, 29).astype(np.int32)
    prior, factor, weight = rng.random((3, 24))
    lift, lower = rng.random((2, 30))

    @kernel
    def move(
        j: int, new: int, counts: np.ndarray, prior: np.ndarray, factor: np.ndarray, out: np.ndarray
    ) -> None:
        counted.move_counted(
            (0, 0, 0), counts, 5, j, new, prior, 7.0, 8.0, factor, out, lift, 2, lower, 6
        )

    for j, new in ((0, 1), (23, 0), (7, 8), (15, 14)):
        results = [[x.copy() for x in (counts, prior, factor, weight)] for _ in range(2)]
        move(j, new, *results[0])
        move.py_func(j, new, *results[1])
        for compiled, interpreted in zip(*results, strict=True):
            np.testing.assert_array_equal(compiled, interpreted)
        expected = counts.copy()
        expected[5 + j] -= 1
        expected[5 + new] += 1
        np.testing.assert_array_equal(results[0][0], expected)
        priors = prior.copy()
        priors[[j, new]] = 7.0, 8.0
        np.testing.assert_array_equal(results[0][1], priors)
        np.testing.assert_allclose(results[0][2], factor * lift[2:26] * lower[6:30])
        np.testing.assert_array_equal(results[0][3], priors * results[0][2])
