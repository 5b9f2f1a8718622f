"""Rows added in lanes: compiled code equals its definition bit for bit."""

import numpy as np
import pytest

from pymc_medlda.kernels._jit import kernel
from pymc_medlda.kernels.adding import add_product, add_scaled, padded


@pytest.mark.parametrize("n", [8, 24, 64])
def test_a_multiple_of_a_row_is_added(n):
    x, start = np.random.default_rng(n).normal(size=(2, n + 16))

    @kernel
    def add(x: np.ndarray, out: np.ndarray) -> None:
        add_scaled(x, 3, 0.7, out, 5, n)

    compiled, interpreted = start.copy(), start.copy()
    add(x, compiled)
    add.py_func(x, interpreted)
    np.testing.assert_array_equal(compiled, interpreted)
    expected = start.copy()
    expected[5 : n + 5] += 0.7 * x[3 : n + 3]
    np.testing.assert_allclose(compiled, expected)
    assert (compiled[:5] == start[:5]).all()
    assert (compiled[n + 5 :] == start[n + 5 :]).all()


@pytest.mark.parametrize("n", [8, 24])
def test_a_product_of_rows_is_added(n):
    x, start = np.random.default_rng(n).normal(size=(2, n + 16))
    y = np.random.default_rng(0).normal(size=n)

    @kernel
    def add(x: np.ndarray, y: np.ndarray, out: np.ndarray) -> None:
        add_product(x, 3, y, -0.7, out, 5, n)

    compiled, interpreted = start.copy(), start.copy()
    add(x, y, compiled)
    add.py_func(x, y, interpreted)
    np.testing.assert_array_equal(compiled, interpreted)
    expected = start.copy()
    expected[5 : n + 5] -= 0.7 * x[3 : n + 3] * y
    np.testing.assert_allclose(compiled, expected)
    assert (compiled[:5] == start[:5]).all()
    assert (compiled[n + 5 :] == start[n + 5 :]).all()


def test_rows_are_padded_to_eight():
    assert [padded(n) for n in (1, 8, 9, 20)] == [8, 8, 16, 24]
