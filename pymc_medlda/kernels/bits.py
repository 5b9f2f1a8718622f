"""Sets of small numbers as bits of words."""

from __future__ import annotations

import numpy as np

from pymc_medlda.kernels._jit import kernel

BITS = 64  # in a word


@kernel
def count_bits(word: np.uint64) -> np.int64:
    """Return how many bits are set, written so that compilers find the instruction for it."""
    word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    pairs = np.uint64(0x3333333333333333)
    word = (word & pairs) + ((word >> np.uint64(2)) & pairs)
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((word * np.uint64(0x0101010101010101)) >> np.uint64(56))


@kernel
def lowest_bit(word: np.uint64) -> np.int64:
    """Return the place of the lowest bit that is set; 64 if none is."""
    return count_bits((word - np.uint64(1)) & ~word)


@kernel
def without_lowest(word: np.uint64) -> np.uint64:
    """Return a word that is not zero without its lowest bit."""
    return word & (word - np.uint64(1))


@kernel
def bit(place: int) -> np.uint64:
    """Return a word with one bit set."""
    return np.uint64(1) << np.uint64(place)
