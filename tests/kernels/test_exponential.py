"""The exponential without branches, against that of the standard library."""

import math

import numpy as np

from pymc_medlda.kernels.simd.exponential import LOWEST, exponential


def test_exponential_is_within_two_units_of_the_last_place():
    x = np.r_[np.linspace(LOWEST + 1e-9, 700.0, 20_001), np.linspace(-1, 1, 2001), 0.0]
    exact = np.array([math.exp(v) for v in x])
    ours = np.array([exponential(v) for v in x])
    assert (np.abs(ours - exact) <= 2 * np.spacing(exact)).all()
    assert exponential(LOWEST - 1e-9) == exponential(-math.inf) == 0.0
    assert [exponential.py_func(v) for v in x[::97]] == ours[::97].tolist()
