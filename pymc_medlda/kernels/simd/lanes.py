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

from pymc_medlda.kernels.simd.exponential import exponential

LANES = 8
UNROLLED = 4  # how many vectors are summed side by side, without waiting for each other
N_SINGLE = 6  # topics with a bound of their own in `bound_groups`
# Lanes of the bound that all other topics share, and of the token's own topic.
SHARED, OWN = N_SINGLE, N_SINGLE + 1


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


def supervise(
    eta: Any, linear: Any, quadratic: Any, top: Any, prior: Any, factor: Any, weight: Any, n: Any
) -> Any:
    """Write exp(eta (linear - quadratic eta) - top), and its product with ``prior``, for k < n."""
    for k in range(n):
        factor[k] = exponential(eta[k] * (linear - quadratic * eta[k]) - top)
        weight[k] = factor[k] * prior[k]


def bound_groups(
    slope: Any, ends: Any, at: Any, own: Any, mass: Any, bound: Any, and_at: Any
) -> Any:
    """Write exp(slope * ends[at + l]) to bound[and_at + l], l < 8, with ``own`` in the last.

    Returns the sum of the bounds times ``mass``.
    """
    shares = []
    for lane in range(LANES):
        end = own if lane == OWN else ends[at + lane]
        bound[and_at + lane] = exponential(slope * end)
        shares.append(bound[and_at + lane] * mass[lane])
    return fold(shares, lambda left, right: left + right)


def sum_grouped(
    entry: Any,
    begin: Any,
    end: Any,
    j: Any,
    weight: Any,
    single: Any,
    bound: Any,
    at: Any,
    share: Any,
) -> Any:
    """Return the sum of weight[k] * count * bound over a word's list, and the place of topic j.

    Entries are ``count << 16 | k``. The bound of topic single[l] is bound[at + l], that of all
    others is bound[at + SHARED]. Topic j is left out. The terms are written to ``share``. Up to
    seven entries past the end are read, and as many shares past the end are written, without any
    effect on the result.
    """
    bounds = {int(single[lane]): bound[at + lane] for lane in range(N_SINGLE)}
    shared = bound[at + SHARED]
    term = lambda k, count: weight[k] * count * bounds.get(k, shared)  # noqa: E731
    return _sum_list(entry, begin, end, j, term, share)


def sum_listed(entry: Any, begin: Any, end: Any, j: Any, weight: Any, at: Any, share: Any) -> Any:
    """Return what `sum_grouped` returns, with the weights weight[at + k] and no bounds."""
    return _sum_list(entry, begin, end, j, lambda k, count: weight[at + k] * count, share)


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


def _sum_list(entry: Any, begin: Any, end: Any, j: Any, term: Any, share: Any) -> Any:
    lanes, own = [0.0] * LANES, 0
    for e in range(end - begin):
        k, count = int(entry[begin + e]) & 65535, int(entry[begin + e]) >> 16
        share[e] = 0.0
        if k == j:
            own = e
        else:
            share[e] = term(k, count)
        lanes[e % LANES] += share[e]
    return fold(lanes, lambda left, right: left + right), own


def fold(values: Any, combine: Callable[[Any, Any], Any]) -> Any:
    """Combine the first half with the second until one value is left."""
    while len(values) > 1:
        half = len(values) // 2
        values = [combine(values[i], values[i + half]) for i in range(half)]
    return values[0]
