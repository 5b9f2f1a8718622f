"""Loops in eight lanes: vector instructions, and the same bits on every processor.

A compiler may not reorder a sum of floats, so a plain loop adds one number at a time. Here the
order is part of the definition: each lane adds every eighth number; then the first half of the
lanes is added to the second until one number is left. This module holds the definitions, in plain
Python; for numba, `llvm` emits the same as operations on vectors of eight, whatever the width of
the processor's registers.

Sizes of rows are multiples of eight. The functions take offsets and not slices, because making a
slice costs time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pymc_medlda.kernels.simd.exponential import exponential, of_both_signs

LANES = 8
HALF = LANES // 2
LARGEST = 1e300  # a sum of weights beyond this counts as infinite
UNROLLED = 4  # how many vectors are summed side by side, without waiting for each other


def dot(x: Any, at: Any, y: Any, and_at: Any, n: Any) -> Any:
    """Return the sum of x[at + k] * y[and_at + k] over k < n."""
    lanes = [[0.0] * LANES for _ in range(UNROLLED)]
    unrolled = n - n % (UNROLLED * LANES)
    for k in range(n):
        vector = k // LANES % UNROLLED if k < unrolled else 0
        lanes[vector][k % LANES] += x[at + k] * y[and_at + k]
    add = lambda left, right: left + right  # noqa: E731
    return fold([fold([lanes[v][i] for v in range(UNROLLED)], add) for i in range(LANES)], add)


def combine(x: Any, rows: Any, out: Any, at: Any, n: Any) -> Any:
    """Write the sum of x[i] * rows[i * n + k] over i < x.size to out[at + k], k < n."""
    for k in range(n):
        total = 0.0
        for i in range(x.size):
            total += x[i] * rows[i * n + k]
        out[at + k] = total


def weigh(exponent: Any, prior: Any, out: Any, at: Any, n: Any) -> Any:
    """Write prior[k] * exp(exponent[k] - the largest of them) to out[at + k], k < n."""
    highest = max(exponent[:n])
    for k in range(n):
        out[at + k] = exponential(exponent[k] - highest) * prior[k]


def weigh_anew(
    exponent: Any, less: Any, prior: Any, factor: Any, weight: Any, at: Any, n: Any
) -> Any:
    """Write exp(exponent[k] - less[k] - the largest of them) to factor[at + k], k < n.

    It times prior[k] is written to weight[at + k].
    """
    highest = max(exponent[k] - less[k] for k in range(n))
    for k in range(n):
        factor[at + k] = exponential((exponent[k] - less[k]) - highest)
        weight[at + k] = factor[at + k] * prior[k]


def exponentials(x: Any, at: Any, out: Any, and_at: Any, n: Any) -> Any:
    """Write exp(x[at + k]) to out[and_at + k] for k < n; see `exponential`."""
    for k in range(n):
        out[and_at + k] = exponential(x[at + k])


def exponentials_of_both_signs(x: Any, out: Any, inverse: Any, at: Any, n: Any) -> Any:
    """Write exp(x[k]) to out[at + k] and exp(-x[k]) to inverse[at + k], k < n.

    The numbers are between -1/2 and 1/2; see `of_both_signs`.
    """
    for k in range(n):
        out[at + k], inverse[at + k] = of_both_signs(x[k])


def multiply(x: Any, y: Any, at: Any, out: Any, and_at: Any, j: Any, n: Any) -> Any:
    """Write x[k] * y[at + k] to out[and_at + k] for k < n, zero for k = j; return their sum."""
    lanes = [0.0] * LANES
    for k in range(n):
        out[and_at + k] = 0.0 if k == j else x[k] * y[at + k]
        lanes[k % LANES] += out[and_at + k]
    return fold(lanes, lambda left, right: left + right)


def occupied(counts: Any, d: Any, first: Any) -> Any:
    """Return one bit for each of the eight counts from counts[d, first]: whether it is positive."""
    return sum(1 << lane for lane in range(LANES) if counts[d, first + lane] > 0)


def fetch(x: Any, at: Any) -> Any:
    """Request x[at] into the processor's cache without waiting; ``at`` may be past the end."""


def cumulate(values: Any, add: Callable[[Any, Any], Any]) -> Any:
    """Return the sums of the first value, the first two, and so on.

    Pairs are added first, then pairs of pairs, so that few additions wait for each other. If no
    value is negative, no sum is smaller than the one before, and equal to it where zero was added.
    """
    sums, width = list(values), 1
    while width < len(sums):
        for place in range(width, len(sums)):
            if place & width:
                sums[place] = add(sums[place - place % width - 1], sums[place])
        width *= 2
    return sums


def fold(values: Any, combine: Callable[[Any, Any], Any]) -> Any:
    """Combine the first half with the second until one value is left."""
    while len(values) > 1:
        half = len(values) // 2
        values = [combine(values[i], values[i + half]) for i in range(half)]
    return values[0]
