"""Uniform random numbers that cost a few instructions, and what they choose.

SplitMix64 (Steele, Lea and Flood, *Fast splittable pseudorandom number generators*, 2014): a
counter goes up by a constant, and a bijection of 64 bits scrambles it. A sweep takes its first
counter from the chain's own generator, so it remains a function of that generator; the numbers
need no memory and no call, and do not wait for each other.
"""

from __future__ import annotations

import numpy as np

from pymc_medlda.kernels._jit import Index, kernel

STRIDE = np.uint64(0x9E3779B97F4A7C15)  # odd, so that the counter takes every value once
_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_UNIT = 2.0**-53


def first_counter(rng: np.random.Generator) -> np.uint64:
    """Draw where a sweep's numbers begin."""
    return np.frombuffer(rng.bytes(8), np.uint64)[0]


@kernel
def uniform(counter: np.uint64) -> float:
    """Return the number in [0, 1) that belongs to a counter; add `STRIDE` for the next."""
    bits = (counter ^ (counter >> np.uint64(30))) * _FIRST
    bits = (bits ^ (bits >> np.uint64(27))) * _SECOND
    bits = bits ^ (bits >> np.uint64(31))
    return np.float64(np.int64(bits >> np.uint64(11))) * _UNIT


@kernel
def choose(x: float, weight: np.ndarray, begin: Index, n: Index) -> Index:
    """Return where the cumulated weights pass ``x``, among the ``n`` weights from ``begin``.

    With x uniform below their sum, this draws by weight. Where rounding leaves x at or above the
    sum, the answer is the last of any weight, -1 if none has any.
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
