"""Uniform random numbers that cost a few instructions, and the choice of an index by weight.

SplitMix64 (Steele, Lea and Flood, *Fast splittable pseudorandom number generators*, 2014): a
counter is increased by a constant, and a bijection of 64 bits scrambles it. A sweep takes its first
counter from the chain's own generator, so it remains a function of that generator. The numbers need
no memory and no call, and none has to wait for the one before.
"""

from __future__ import annotations

import numpy as np

from pymc_medlda.kernels._jit import Index, kernel

STRIDE = np.uint64(0x9E3779B97F4A7C15)  # odd, so that the counter takes every value once
FIRST, SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
UNIT = 2.0**-53


def first_counter(rng: np.random.Generator) -> np.uint64:
    """Draw the counter at which the random numbers of a sweep begin."""
    return np.frombuffer(rng.bytes(8), np.uint64)[0]


@kernel
def uniform(counter: np.uint64) -> float:
    """Return the number in [0, 1) that belongs to a counter; add `STRIDE` for the next number."""
    bits = (counter ^ (counter >> np.uint64(30))) * FIRST
    bits = (bits ^ (bits >> np.uint64(27))) * SECOND
    bits = bits ^ (bits >> np.uint64(31))
    return np.float64(np.int64(bits >> np.uint64(11))) * UNIT


@kernel
def choose(x: float, weight: np.ndarray, begin: Index, n: Index) -> Index:
    """Return where the cumulated weights pass ``x``, among the ``n`` weights from ``begin``.

    If x is uniform between zero and their sum, this draws an index with probability proportional to
    its weight. If rounding leaves x at or above the sum, the result is the last index with a
    positive weight, or -1 if there is none.
    """
    found: Index = -1
    for place in range(n):
        part = weight[begin + place]
        if part > 0.0:
            found = place
            x -= part
            if x < 0.0:
                break
    return found
