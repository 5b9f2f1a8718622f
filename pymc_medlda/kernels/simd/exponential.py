"""An exponential without branches or calls, so that a loop over it becomes vector instructions."""

from __future__ import annotations

from typing import Any

import numpy as np

from pymc_medlda.kernels._jit import kernel

# Below this the result is zero. Such weights are far too small to matter, and products of larger
# ones with counts and priors never become denormal numbers, which are slow and lose digits.
LOWEST = -400.0

_LOG2_E = 1.4426950408889634
_LN2_HIGH = 0.6931471803691238  # its last 21 bits are zero: n * _LN2_HIGH is exact
_LN2_LOW = 1.9082149292705877e-10
# Adding 1.5 * 2**52 rounds to the nearest integer and leaves it in the lowest bits.
_ROUNDER = 6755399441055744.0
# The parabola that lies closest above 2**x, from -1/2 to 1/2: `above` exceeds exp by at most ABOVE.
_ABOVE = 1.00218, 0.70467, 0.23885
ABOVE = 0.004


@kernel
def reduce_and_sum(x: Any) -> Any:
    """Return n, in the lowest bits of a float, and exp(r), where x = n log(2) + r.

    abs(r) ≤ log(2)/2. The value is the Taylor sum of degree 13 (its remainder is below 4e-18) in
    Estrin's order, whose short chains of dependent operations run fast. It consists of sums and
    products only, so that `emitter` can use the same formula for vectors.
    """
    shifted = x * _LOG2_E + _ROUNDER
    n = shifted - _ROUNDER
    r = (x - n * _LN2_HIGH) - n * _LN2_LOW
    r2 = r * r
    r4 = r2 * r2
    low = (1.0 + r) + r2 * (0.5 + r * (1 / 6))
    middle = (1 / 24 + r * (1 / 120)) + r2 * (1 / 720 + r * (1 / 5040))
    high = (1 / 40320 + r * (1 / 362880)) + r2 * (1 / 3628800 + r * (1 / 39916800))
    last = 1 / 479001600 + r * (1 / 6227020800)
    return shifted, (low + r4 * middle) + (r4 * r4) * (high + r4 * last)


@kernel
def exponential(x: float) -> float:
    """Return exp(x) for x ≤ 700 to within two units in the last place, 0 below `LOWEST`."""
    shifted, value = reduce_and_sum(x)
    exponent = np.float64(shifted).view(np.int64) << np.int64(52)
    bits = exponent + np.float64(value).view(np.int64)
    return np.int64(bits).view(np.float64) if x > LOWEST else 0.0


@kernel
def reduce_and_exceed(x: Any) -> Any:
    """Return n, in the lowest bits of a float, and slightly more than 2**r, for n + r = x/log(2).

    Like `reduce_and_sum`, this consists of sums and products only.
    """
    scaled = x * _LOG2_E
    shifted = scaled + _ROUNDER
    r = scaled - (shifted - _ROUNDER)
    return shifted, _ABOVE[0] + r * (_ABOVE[1] + r * _ABOVE[2])


@kernel
def above(x: float) -> float:
    """Return a number between exp(x) and (1 + `ABOVE`) exp(x), for x from -700 to 700."""
    shifted, value = reduce_and_exceed(x)
    exponent = np.float64(shifted).view(np.int64) << np.int64(52)
    return np.int64(exponent + np.float64(value).view(np.int64)).view(np.float64)


@kernel
def of_both_signs(x: Any) -> Any:
    """Return exp(x) and exp(-x) for abs(x) ≤ 1/2, to within four units in the last place.

    They are the sum and the difference of the even and the odd part of the Taylor sum of degree 14,
    whose remainder is below 3e-17. Like `reduce_and_sum`, this serves numbers and vectors.
    """
    x2 = x * x
    x4 = x2 * x2
    low = (1.0 + x2 * (1 / 2)) + x4 * (1 / 24 + x2 * (1 / 720))
    high = (1 / 40320 + x2 * (1 / 3628800)) + x4 * (1 / 479001600 + x2 * (1 / 87178291200))
    even = low + (x4 * x4) * high
    low = (1.0 + x2 * (1 / 6)) + x4 * (1 / 120 + x2 * (1 / 5040))
    high = (1 / 362880 + x2 * (1 / 39916800)) + x4 * (1 / 6227020800)
    odd = x * (low + (x4 * x4) * high)
    return even + odd, even - odd
