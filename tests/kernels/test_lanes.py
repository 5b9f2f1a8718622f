"""Loops in eight lanes: compiled code equals its definition bit for bit, and NumPy nearly."""

import numpy as np
import pytest

from pymc_medlda.kernels._jit import kernel
from pymc_medlda.kernels.simd import lanes
from pymc_medlda.kernels.simd.exponential import LOWEST, exponential


@pytest.mark.parametrize("n", [8, 32, 72])
def test_lanes_are_their_own_definition(n):
    x, y = np.random.default_rng(1).normal(size=(2, n + 8))

    @kernel
    def reduce(x: np.ndarray, y: np.ndarray) -> float:
        return lanes.dot(x, 8, y, 3, x.size - 8)

    assert reduce(x, y) == reduce.py_func(x, y)
    assert lanes.dot(x, 8, y, 3, n) == pytest.approx(x[8:] @ y[3 : n + 3])


def test_rows_are_combined_and_weighed_in_lanes():
    rng = np.random.default_rng(6)
    x, rows, prior = rng.normal(size=3), rng.normal(size=(3, 24)), rng.random(24)

    @kernel
    def fill(rows: np.ndarray, out: np.ndarray) -> None:
        lanes.combine(x, rows, out, 8, 24)
        lanes.weigh(500.0 * out[8:32], prior, out, 32, 24)

    compiled, interpreted = np.zeros((2, 64))
    fill(rows.ravel(), compiled)
    fill.py_func(rows.ravel(), interpreted)
    np.testing.assert_array_equal(compiled, interpreted)
    exponent = x @ rows
    np.testing.assert_allclose(compiled[8:32], exponent)
    weights = np.exp(500.0 * (exponent - exponent.max())) * prior
    np.testing.assert_allclose(compiled[32:56], weights, rtol=1e-10, atol=1e-170)


def test_exponentials_in_lanes_are_those_of_one_number():
    x = np.r_[np.linspace(-500.0, 500.0, 61), LOWEST, -1e300, 0.0]

    @kernel
    def fill(out: np.ndarray) -> None:
        lanes.exponentials(x, 0, out, 8, 64)

    compiled, interpreted = np.zeros((2, 72))
    fill(compiled)
    fill.py_func(interpreted)
    np.testing.assert_array_equal(compiled, interpreted)
    assert compiled[8:].tolist() == [exponential(v) for v in x]


def test_exponentials_of_both_signs_in_lanes_are_those_of_one_number():
    x = np.linspace(-0.5, 0.5, 24)

    @kernel
    def fill(out: np.ndarray, inverse: np.ndarray) -> None:
        lanes.exponentials_of_both_signs(x, out, inverse, 3, 24)

    compiled, interpreted = np.zeros((2, 2, 30))
    fill(*compiled)
    fill.py_func(*interpreted)
    np.testing.assert_array_equal(compiled, interpreted)
    np.testing.assert_allclose(compiled[:, 3:27], np.exp([x, -x]), rtol=1e-15)


def test_factors_are_computed_anew_below_the_highest():
    rng = np.random.default_rng(8)
    exponent, less, prior = rng.normal(0.0, 30.0, (3, 24))

    @kernel
    def weigh(factor: np.ndarray, weight: np.ndarray) -> None:
        lanes.weigh_anew(exponent, less, prior, factor, weight, 2, 24)

    compiled, interpreted = np.zeros((2, 2, 26))
    weigh(*compiled)
    weigh.py_func(*interpreted)
    np.testing.assert_array_equal(compiled, interpreted)
    expected = np.exp(exponent - less - (exponent - less).max())
    np.testing.assert_allclose(compiled[:, 2:], [expected, expected * prior], rtol=1e-14)
    assert not compiled[:, :2].any()


def test_a_row_is_multiplied_in_lanes_without_its_own_topic():
    x, y = np.random.default_rng(3).normal(size=(2, 32))

    @kernel
    def multiply(j: int, out: np.ndarray) -> float:
        return lanes.multiply(x, y, 8, out, 4, j, 24)

    for j in (0, 7, 8, 23):
        compiled, interpreted = np.ones((2, 32))
        assert multiply(j, compiled) == multiply.py_func(j, interpreted)
        np.testing.assert_array_equal(compiled, interpreted)
        expected = x[:24] * y[8:] * (np.arange(24) != j)
        np.testing.assert_allclose(compiled, np.r_[np.ones(4), expected, np.ones(4)])
        assert multiply(j, compiled) == pytest.approx(expected.sum())


def test_occupied_topics_are_bits():
    counts = np.random.default_rng(4).poisson(0.5, (3, 20)).astype(np.int32)

    @kernel
    def bits(d: int, first: int) -> int:
        return lanes.occupied(counts, d, first)

    for d in range(3):
        for first in range(13):
            assert bits(d, first) == bits.py_func(d, first)
            listed = [k for k in range(8) if bits(d, first) >> k & 1]
            assert listed == np.flatnonzero(counts[d, first : first + 8]).tolist()


@pytest.mark.parametrize("n", range(1, 10))
def test_cumulated_sums_never_fall_and_zeros_add_nothing(n):
    rng = np.random.default_rng(n)
    for _ in range(200):
        parts = rng.random(n) * 10.0 ** rng.integers(-20, 20, n)
        parts[rng.random(n) < 0.3] = 0.0
        sums = np.array(lanes.cumulate(parts, lambda left, right: left + right))
        np.testing.assert_allclose(sums, np.cumsum(parts), rtol=1e-14)
        assert (np.diff(sums) >= 0.0).all()
        assert (np.diff(sums)[parts[1:] == 0.0] == 0.0).all()
