"""Bits of words, against Python's whole numbers of any size."""

import numpy as np
import pytest

from pymc_medlda.kernels.bits import bit, count_bits, lowest_bit, without_lowest

NUMBERS = [1, 2, 3, 0x8000000000000000, 2**64 - 1, 0x5555555555555555, 0x0F00F000000000A0]
NUMBERS += [int(x) for x in np.random.default_rng(1).integers(1, 2**64, 50, dtype=np.uint64)]


@pytest.mark.parametrize("plain", [False, True])
def test_bits_are_counted_and_found(plain):
    """Compiled, and as plain Python, where products may overflow."""
    functions = count_bits, lowest_bit, without_lowest
    count, lowest, rest = (f.py_func if plain else f for f in functions)
    with np.errstate(over="ignore"):
        for number in NUMBERS:
            word = np.uint64(number)
            assert count(word) == number.bit_count()
            assert lowest(word) == (number & -number).bit_length() - 1
            assert int(rest(word)) == number & (number - 1)
        assert count(np.uint64(0)) == 0
        assert lowest(np.uint64(0)) == 64


def test_every_place_has_its_bit():
    assert [int(bit(place)) for place in range(64)] == [1 << place for place in range(64)]
