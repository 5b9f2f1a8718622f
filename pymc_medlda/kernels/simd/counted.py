"""A draw from a row of counts, and the move that follows it, in eight lanes.

Like those of `lanes`, these are definitions in plain Python; `llvm_counted` emits the same as
operations on vectors. The number of vectors is that of the elements of the tuple ``vectors``: it is
known when a call is compiled, so that all sums of a draw stay in registers.
"""

from __future__ import annotations

from typing import Any

from pymc_medlda.kernels.simd.aligned import CACHE_LINE
from pymc_medlda.kernels.simd.lanes import HALF, LANES, LARGEST, cumulate, fold


def draw_counted(
    vectors: Any,
    counts: Any,
    begin: Any,
    j: Any,
    beta: Any,
    weight: Any,
    first: Any,
    lift: Any,
    at: Any,
    stay: Any,
    u: Any,
) -> Any:
    """Draw ``stay`` of j, or weight[first + k] * lift[at + k] * (counts[begin + k] + beta), k ≠ j.

    The counts may also be floats: powers of counts, with ``beta`` zero.
    ``u`` is uniform on [0, 1). Returns the index that was drawn, or -1 if the weights have no
    positive and finite sum. ``vectors`` is a tuple with one element per vector of eight, so that
    their number is known when this is compiled.

    The weights are cumulated in an order that suits vectors: see `topic_at`. The index is found by
    counting how many of the sums are passed, without a branch. The sums never fall along the order,
    so an index without weight is never drawn. Where rounding leaves all of them passed, it is j.

    To stay is to draw u W < ``stay``, where W is the sum of all weights. It is asked in the form
    u (W - stay) < stay - u stay, and sums are added in pairs: until the answer is known the
    processor guesses it, and waits for fewer additions in a row where it guessed wrong.
    """
    n, add = len(vectors), lambda left, right: left + right
    rows = []
    for v in range(n):
        parts = [weight[first + k] * lift[at + k] * (counts[begin + k] + beta) for k in _topics(v)]
        rows.append([0.0 if k == j else part for k, part in zip(_topics(v), parts, strict=True)])
    lanes = [cumulate([row[lane] for row in rows], add) for lane in range(LANES)]
    ends = [sums[-1] for sums in lanes]
    bases = [0.0, *cumulate([ends[lane] + ends[lane + HALF] for lane in range(HALF)], add)]
    others = bases.pop()
    kept = stay - u * stay
    if u * others < kept:
        return j
    if not 0.0 < stay + others < LARGEST:
        return -1
    x, passed = u * others - kept, 0
    for lane, base in enumerate(bases):
        for carried, sums in ((0.0, lanes[lane]), (ends[lane], lanes[lane + HALF])):
            passed += sum(base + (carried + one) <= x for one in sums)
    return topic_at(passed, n) if passed < n * LANES else j


def topic_at(place: Any, n: int) -> Any:
    """Return the topic at a place of the order in which `draw_counted` cumulates n vectors.

    The places go through the first four lanes; for each lane through all vectors, and then through
    all vectors of the lane four further on.
    """
    lane, place = place // (2 * n), place % (2 * n)
    return place % n * LANES + place // n * HALF + lane


def _topics(v: int) -> range:
    return range(v * LANES, (v + 1) * LANES)


def move_counted(
    vectors: Any,
    counts: Any,
    begin: Any,
    j: Any,
    new: Any,
    own: Any,
    everywhere: Any,
    prior_of_j: Any,
    prior_of_new: Any,
    factor: Any,
    weight: Any,
    lift: Any,
    at: Any,
    lower: Any,
    and_at: Any,
) -> Any:
    """Move a token from topic j to ``new`` in its word's counts and in the weights of a document.

    The counts from counts[begin], ``own`` and ``everywhere`` change by one each. Factors and
    weights are multiplied by lift[at + k] * lower[and_at + k]; the weights of both topics become
    their prior times their factor. ``vectors`` is that of `draw_counted`. Of the word's counts
    whole vectors are written, although two numbers change: a vector that is read soon after a part
    of it was written arrives late. ``own`` and ``everywhere`` are not read as vectors soon.
    """
    for row, first in ((counts, begin), (own, 0), (everywhere, 0)):
        row[first + j] -= 1
        row[first + new] += 1
    for k in range(len(vectors) * LANES):
        change = lift[at + k] * lower[and_at + k]
        factor[k] *= change
        weight[k] *= change
    weight[j], weight[new] = prior_of_j * factor[j], prior_of_new * factor[new]


def fetch_row(vectors: Any, counts: Any, at: Any) -> Any:
    """Request the row of counts that begins at counts[at], a vector for each of ``vectors``."""


def lines_of_row(size: int, width: int) -> list[int]:
    """Return indices of a row of ``size`` numbers that touch all of its cache lines.

    The row begins where a vector of eight numbers of ``width`` bytes does, which need not be where
    a line begins.
    """
    per_line = CACHE_LINE // width
    return [*range(0, max(size - LANES, 1), per_line), size - 1]


def item(x: Any, at: Any) -> Any:
    """Return x[at]; the compiled form does not ask whether ``at`` is negative or too large."""
    return int(x[at])


def fill_prior(
    counts: Any, alpha: Any, totals: Any, beta_total: Any, change: Any, prior: Any, n: Any
) -> Any:
    """Write (C + alpha[k]) / (T + beta_total) to prior[k], k < n.

    C and T are counts[k] and totals[k] plus ``change``, but T is not negative.
    """
    for k in range(n):
        total = totals[k] + change
        prior[k] = (counts[k] + change + alpha[k]) / ((total if total > 0.0 else 0.0) + beta_total)


def count_weights(counts: Any, x: Any, at: Any, n: Any) -> Any:
    """Return the sum of counts[k] * x[at + k] over k < n."""
    lanes = [0.0] * LANES
    for k in range(n):
        lanes[k % LANES] += counts[k] * x[at + k]
    return fold(lanes, lambda left, right: left + right)
