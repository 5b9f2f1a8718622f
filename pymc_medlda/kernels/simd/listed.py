"""Loops over the list of a word's topics, and over weights in groups, in eight lanes.

Like those of `lanes`, these are definitions in plain Python; `llvm_listed` emits the same as
operations on vectors. An entry of a list is ``count << 16 | topic``. A loop over a list may read up
to seven entries past its end, and write as many numbers past the end, without any effect on the
result.

Weights are in groups, each with a bound of its own. The group of a weight is in its three lowest
bits (see `tag`), so that one read fetches both. This changes a weight by less than 2**-49 of it,
and every use of the weight sees the same number.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pymc_medlda.kernels._jit import kernel
from pymc_medlda.kernels.simd.exponential import LOWEST, above
from pymc_medlda.kernels.simd.lanes import HALF, LANES, dot, fold

N_GROUPS = 7
OWN = N_GROUPS  # the lane of the token's own topic, among the bounds of the groups
TAG = 7  # mask of the group in a weight
ROUNDED = 2.0**-50  # of a sum and the next: more than one addition can change of it
MOST_ROUNDED = 2.0**-36  # of a sum, before all weights are added again


@kernel
def tag(weight: float, group: int) -> float:
    """Return a weight with its group in the lowest bits; a weight of zero stays zero."""
    bits = np.float64(weight).view(np.int64) & np.int64(~TAG) | np.int64(group)
    return np.int64(bits).view(np.float64) if weight > 0.0 else 0.0


def supervise(
    eta: Any,
    linear: Any,
    quadratic: Any,
    top: Any,
    prior: Any,
    group: Any,
    factor: Any,
    weight: Any,
    n: Any,
) -> Any:
    """Write a bound of exp(eta (linear - quadratic eta) - top) to ``factor`` for k < n.

    It is zero below exp(`LOWEST`). Its product with ``prior``, tagged with ``group``, is written to
    ``weight``.
    """
    for k in range(n):
        exponent = eta[k] * (linear - quadratic * eta[k]) - top
        factor[k] = above(exponent) if exponent > LOWEST else 0.0
        weight[k] = tag(factor[k] * prior[k], group[k])


def bound_groups(slope: Any, ends: Any, own: Any, bound: Any) -> Any:
    """Write bounds of exp(slope * x), one per group.

    The x of group l are from ends[l] to ends[8 + l], and the last lane is of ``own`` alone.
    """
    for lane in range(LANES):
        low, high = (own if lane == OWN else ends[e + lane] for e in (0, LANES))
        bound[lane] = above(slope * low if slope * low > slope * high else slope * high)


def sum_grouped(
    entry: Any, begin: Any, end: Any, j: Any, weight: Any, bound: Any, at: Any, share: Any
) -> Any:
    """Return the sum of weight[k] * count * bound over a word's list, and the place of topic j.

    The weights are tagged; the bound of group g is bound[at + g]. Topic j is left out. The sums
    that each lane has reached are written to ``share``, for `choose_listed`.
    """
    return _sum_list(entry, begin, end, j, _weigh_in_groups(weight, bound, at), share)


def sum_grouped_gains(
    entry: Any,
    begin: Any,
    end: Any,
    j: Any,
    weight: Any,
    bound: Any,
    at: Any,
    share: Any,
    gain: Any,
) -> Any:
    """Return what `sum_grouped` returns, with ``gain``, which has one for each entry, as counts."""
    term = _weigh_in_groups(weight, bound, at)
    return _sum_list(entry, begin, end, j, term, share, gain)


def sum_listed(entry: Any, begin: Any, end: Any, j: Any, weight: Any, at: Any, share: Any) -> Any:
    """Return what `sum_grouped` returns, with the weights weight[at + k] and no bounds."""
    return _sum_list(entry, begin, end, j, lambda k, count: weight[at + k] * count, share)


def sum_listed_gains(
    entry: Any, begin: Any, end: Any, j: Any, weight: Any, at: Any, share: Any, gain: Any
) -> Any:
    """Return what `sum_listed` returns, with ``gain``, which has one for each entry, as counts."""
    return _sum_list(entry, begin, end, j, lambda k, count: weight[at + k] * count, share, gain)


def choose_listed(x: Any, share: Any, n: Any) -> Any:
    """Return the place in a list of n entries at which the cumulated weights pass ``x``.

    ``share`` holds the sums that each lane had reached along the list. The weights are cumulated
    lane by lane: the first lane, the one four further on, the second, and so on. The place is found
    by counting how many sums are passed, without a branch. The sums never fall along this order, so
    a place without weight is never chosen. If rounding leaves all of them passed, it is -1.
    """
    n_vectors = (n + LANES - 1) // LANES
    ends = share[(n_vectors - 1) * LANES : n_vectors * LANES]
    base, passed, lanes_passed = 0.0, 0, 0
    for lane in range(HALF):
        for carried, place in ((0.0, lane), (ends[lane], lane + HALF)):
            lanes_passed += base + (carried + ends[place]) <= x
            for v in range(n_vectors):
                passed += base + (carried + share[v * LANES + place]) <= x
        base += ends[lane] + ends[lane + HALF]
    if lanes_passed == LANES:
        return -1
    vector = passed - lanes_passed * n_vectors
    return vector * LANES + lanes_passed // 2 + lanes_passed % 2 * HALF


def find_listed(entry: Any, begin: Any, end: Any, k: Any) -> Any:
    """Return the place of topic k in a list, -1 if it is not there."""
    for e in range(end - begin):
        if int(entry[begin + e]) & 65535 == k:
            return e
    return -1


def add_up(x: Any, at: Any, n: Any) -> Any:
    """Return the sum of x[at + k] over k < n."""
    return dot(x, at, [1.0] * n, 0, n)


def shift_mass(mass: Any, error: Any, j: Any, by: Any, new: Any, and_by: Any) -> Any:
    """Add to the sums of two groups; return whether rounding may have changed a sum too much.

    ``error`` bounds what rounding has changed of each sum. The weights that come and go are at most
    the sums themselves, so that each of the few roundings changes a sum by less than 2**-53 of the
    sums before and after.
    """
    is_far = False
    for lane in range(LANES):
        before = mass[lane]
        change = (by if lane == j else 0.0) + (and_by if lane == new else 0.0)
        mass[lane] = before + change
        error[lane] += ROUNDED * (before + mass[lane])
        is_far |= bool(error[lane] > MOST_ROUNDED * mass[lane])
    return is_far


def _weigh_in_groups(weight: Any, bound: Any, at: Any) -> Callable[[Any, Any], Any]:
    def term(k: Any, count: Any) -> Any:
        group = int(np.float64(weight[k]).view(np.int64)) & TAG
        return weight[k] * count * bound[at + group]

    return term


def _sum_list(
    entry: Any, begin: Any, end: Any, j: Any, term: Any, share: Any, gain: Any = None
) -> Any:
    lanes, own = [0.0] * LANES, 0
    for e in range(-(-(end - begin) // LANES) * LANES):
        if e < end - begin:
            k, count = int(entry[begin + e]) & 65535, int(entry[begin + e]) >> 16
            count = count if gain is None else gain[begin + e]
            if k == j:
                own = e
            else:
                lanes[e % LANES] += term(k, count)
        share[e] = lanes[e % LANES]
    return fold(lanes, lambda left, right: left + right), own
