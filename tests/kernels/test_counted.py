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
    for wrong in (np.nan, np.inf):
        weight[5] = wrong
        assert draw(0.5, 1.0, weight) == draw.py_func(0.5, 1.0, weight) == -1


def test_the_order_of_a_draw_visits_every_topic_once():
    for n in (1, 2, 5):
        assert sorted(counted.topic_at(place, n) for place in range(8 * n)) == list(range(8 * n))


def test_a_move_changes_one_count_each_and_all_weights():
    rng = np.random.default_rng(6)
    counts, own = (rng.integers(1, 9, n).astype(np.int32) for n in (29, 24))
    everywhere = rng.integers(1, 99, 24).astype(float)
    factor, weight = rng.random((2, 24))
    lift, lower = rng.random((2, 30))

    @kernel
    def move(
        j: int,
        new: int,
        counts: np.ndarray,
        own: np.ndarray,
        everywhere: np.ndarray,
        factor: np.ndarray,
        weight: np.ndarray,
    ) -> None:
        counted.move_counted(
            (0, 0, 0), counts, 5, j, new, own, everywhere, 7.0, 8.0,
            factor, weight, lift, 2, lower, 6,
        )  # fmt: skip

    before = counts, own, everywhere, factor, weight
    for j, new in ((0, 1), (23, 0), (7, 8), (15, 14)):
        results = [[x.copy() for x in before] for _ in range(2)]
        move(j, new, *results[0])
        move.py_func(j, new, *results[1])
        for compiled, interpreted in zip(*results, strict=True):
            np.testing.assert_array_equal(compiled, interpreted)
        for old, now, first in zip(before[:3], results[0][:3], (5, 0, 0), strict=True):
            expected = old.copy()
            expected[first + j] -= 1
            expected[first + new] += 1
            np.testing.assert_array_equal(now, expected)
        change = lift[2:26] * lower[6:30]
        np.testing.assert_allclose(results[0][3], factor * change)
        weights = weight * change
        weights[[j, new]] = results[0][3][[j, new]] * [7.0, 8.0]
        np.testing.assert_allclose(results[0][4], weights)


@pytest.mark.parametrize("change", [0, -1, 1])
@pytest.mark.parametrize("size", [8, 24])
def test_what_is_computed_from_counts(size, change):
    rng = np.random.default_rng(7)
    counts = rng.integers(0, 9, size).astype(np.int32)
    alpha, eta = rng.random(size), rng.normal(size=size + 3)
    totals = counts + rng.integers(0, 2, size).astype(float)
    totals[3] = counts[3] = 0  # a topic without tokens has none that could be taken out

    @kernel
    def compute(prior: np.ndarray) -> float:
        counted.fill_prior(counts, alpha, totals, 1.0, change, prior, size)
        return counted.count_weights(counts, eta, 3, size)

    prior, twin = np.empty((2, size))
    assert compute(prior) == compute.py_func(twin) == pytest.approx(counts @ eta[3:])
    np.testing.assert_array_equal(prior, twin)
    expected = (counts + change + alpha) / (np.maximum(totals + change, 0.0) + 1.0)
    np.testing.assert_allclose(prior, expected)


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.int32, np.int64])
def test_one_number_of_an_array(dtype):
    numbers = np.array([3, 0, np.iinfo(dtype).max, 7], dtype)

    @kernel
    def read(at: int) -> int:
        return counted.item(numbers, at)

    assert [read(at) for at in range(4)] == [int(x) for x in numbers]
    assert [read.py_func(at) for at in range(4)] == [int(x) for x in numbers]
