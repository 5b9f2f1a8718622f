"""Uniform random numbers of a counter, and the choice of an index by weight."""

import numpy as np
import pytest
from scipy import stats

from pymc_medlda.kernels.simd.uniform import STRIDE, choose, first_counter, uniform


def test_uniform_numbers_of_a_counter():
    """Against SplitMix64 in whole numbers, whose first output from zero is published."""

    def mix(counter):
        bits = (counter ^ counter >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        bits = (bits ^ bits >> 27) * 0x94D049BB133111EB % 2**64
        return bits ^ bits >> 31

    assert mix(int(STRIDE)) == 0xE220A8397B1DCDAF
    counters = [int(STRIDE) * n % 2**64 for n in range(1, 20_001)]
    drawn = np.array([uniform(np.uint64(n)) for n in counters])
    assert drawn.tolist() == [(mix(n) >> 11) * 2.0**-53 for n in counters]
    assert stats.kstest(drawn, "uniform").pvalue > 1e-3
    with np.errstate(over="ignore"):
        assert uniform.py_func(np.uint64(counters[7])) == drawn[7]
    assert first_counter(np.random.default_rng(1)) != first_counter(np.random.default_rng(2))


@pytest.mark.parametrize("chosen", [choose, choose.py_func])
def test_weights_choose(chosen):
    weight = np.array([9.0, 0.0, 2.0, 0.0, 3.0, 0.0])
    assert [chosen(x, weight, 1, 5) for x in (0.0, 1.9, 2.0, 4.9)] == [1, 1, 3, 3]
    assert chosen(5.0 + 1e-9, weight, 1, 5) == 3
    # Of a thousand points between zero and the sum, each index gets its share exactly.
    places = [chosen(0.005 * (i + 0.5), weight, 1, 5) for i in range(1000)]
    assert np.bincount(places, minlength=5).tolist() == [0, 400, 0, 600, 0]
    assert chosen(0.0, weight, 5, 1) == -1
