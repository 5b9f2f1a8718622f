"""The exponential without branches, against that of the standard library."""

import math

import numpy as np

from pymc_medlda.kernels.simd.exponential import (
    ABOVE,
    LOWEST,
    above,
    exponential,
    of_both_signs,
)


def test_exponential_is_within_two_units_of_the_last_place():
    x = np.r_[np.linspace(LOWEST + 1e-9, 700.0, 20_001), np.linspace(-1, 1, 2001), 0.0]
    exact = np.array([math.exp(v) for v in x])
    ours = np.array([exponential(v) for v in x])
    assert (np.abs(ours - exact) <= 2 * np.spacing(exact)).all()
    assert exponential(LOWEST - 1e-9) == exponential(-math.inf) == 0.0
    assert [exponential.py_func(v) for v in x[::97]] == ours[::97].tolist()


def test_a_bound_is_close_above_the_exponential():
    x = np.r_[np.linspace(-700.0, 700.0, 20_001), np.linspace(-1, 1, 20_001), 0.0]
    exact = np.array([math.exp(v) for v in x])
    ours = np.array([above(v) for v in x])
    assert ((ours >= exact) & (ours <= (1.0 + ABOVE) * exact)).all()
    assert [above.py_func(v) for v in x[::97]] == ours[::97].tolist()


def test_both_signs_are_within_four_units_of_the_last_place():
    x = np.r_[np.linspace(-0.5, 0.5, 20_001), 0.0, 1e-300]
    ours = np.array([of_both_signs(v) for v in x])
    for sign, column in ((1.0, ours[:, 0]), (-1.0, ours[:, 1])):
        exact = np.array([math.exp(sign * v) for v in x])
        assert (np.abs(column - exact) <= 4 * np.spacing(exact)).all()
    assert [of_both_signs.py_func(v) for v in x[::97]] == [tuple(pair) for pair in ours[::97]]
