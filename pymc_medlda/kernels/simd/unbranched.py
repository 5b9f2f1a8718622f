"""Visits to the tokens of a document without a branch that depends on what is drawn.

Like those of `lanes`, this is a definition in plain Python, and `llvm_unbranched` emits the same as
operations on vectors. Half of the branches between staying and moving are mispredicted where every
second token moves, and each takes as long as half a visit. Here every token is taken out, drawn and
put in again, whether it moves or not. What is known before a topic is drawn is computed in the
meantime for the next token, so that the next draw waits for one product and one sum.

Rows of factors are in the order of the places: see `topic_at`.
"""

from __future__ import annotations

from typing import Any

from pymc_medlda.kernels.simd.lanes import LANES, LARGEST, cumulate
from pymc_medlda.kernels.simd.uniform import STRIDE, uniform


def topic_at(place: Any, n: int) -> Any:
    """Return the topic at a place of the order in which `visit_unbranched` cumulates n vectors.

    The places go through the lanes, and for each lane through all vectors.
    """
    return place % n * LANES + place // n


def place_of(topic: Any, n: int) -> Any:
    """Return the place of a topic in n vectors: the inverse of `topic_at`."""
    return topic % LANES * n + topic // LANES


def visit_unbranched(
    vectors: Any,
    word: Any,
    z: Any,
    first: Any,
    last: Any,
    counter: Any,
    table: Any,
    beta: Any,
    beta_total: Any,
    alpha: Any,
    factor: Any,
    in_document: Any,
    in_corpus: Any,
    lift: Any,
    lower: Any,
    left: Any,
    entered: Any,
) -> Any:
    """Draw the topics of the tokens ``first`` to ``last`` of a document, one after the other.

    With its token taken out, topic k is drawn with probability proportional to

        factor[k] (in_document[k] + alpha[k]) / (in_corpus[k] + beta_total) (C_kt + beta).

    To take a token of topic j out multiplies the factors by the row of j in ``lift``, and to put it
    in by that in ``lower``. The factors themselves are not updated, and may be thrown away; z, the
    counts C_kt in ``table``, ``in_document`` and ``in_corpus`` are. ``counter`` is that of the
    token before the first. Returns how many tokens moved, with the counts that they left and
    entered in ``left`` and ``entered``, or -1 if the weights of a token have no positive and finite
    sum. ``vectors`` is that of `draw_counted`; rows are flat, in the order of the places.
    """
    n = len(vectors)
    size, moved = n * LANES, 0
    factors = [float(factor[k]) for k in range(size)]
    totals = [in_corpus[k] + beta_total for k in range(size)]
    for token in range(first, last):
        counter += STRIDE
        begin, j = int(word[token]) * size, int(z[token])
        own = table[begin + j]
        _change(begin, j, -1, table, in_document, in_corpus, totals)
        _multiply(factors, lift, place_of(j, n) * size)
        parts = [
            factors[k] * ((in_document[k] + alpha[k]) / totals[k] * (table[begin + k] + beta))
            for k in range(size)
        ]
        place = _choose(parts, n, float(uniform(counter)))
        new = topic_at(place, n) if 0 <= place < size else j
        entering = table[begin + new]
        _change(begin, new, 1, table, in_document, in_corpus, totals)
        _multiply(factors, lower, place_of(new, n) * size)
        if place < 0:
            return -1
        z[token] = new
        if new != j:
            left[moved], entered[moved] = own, entering
            moved += 1
    return moved


def _choose(parts: list[float], n: int, u: float) -> int:
    """Return the place where the cumulated weights pass u times their sum: -1 if that is no sum.

    The place is found by counting how many of the sums are passed, without a branch. It is past the
    last one where rounding leaves all of them passed.
    """
    add = lambda left, right: left + right  # noqa: E731
    sums = [cumulate([parts[v * LANES + lane] for v in range(n)], add) for lane in range(LANES)]
    ends = [one[-1] for one in sums]
    pairs = [ends[lane] + ends[lane ^ 1] for lane in range(LANES)]
    fours = [pairs[lane] + pairs[lane ^ 2] for lane in range(LANES)]
    whole = fours[0] + fours[4]
    if not 0.0 < whole < LARGEST:
        return -1
    before = [ends[lane ^ 1] if lane & 1 else 0.0 for lane in range(LANES)]
    before = [before[lane] + (pairs[lane ^ 2] if lane & 2 else 0.0) for lane in range(LANES)]
    before = [before[lane] + (fours[lane ^ 4] if lane & 4 else 0.0) for lane in range(LANES)]
    return sum(before[lane] + one <= whole * u for lane in range(LANES) for one in sums[lane])


def _change(
    begin: int, k: int, by: int, table: Any, in_document: Any, in_corpus: Any, totals: list[float]
) -> None:
    """Add a token of topic k to all counts, or take one out."""
    table[begin + k] += by
    in_document[k] += by
    in_corpus[k] += by
    totals[k] += by


def _multiply(factors: list[float], rows: Any, at: int) -> None:
    """Multiply the factors by a row."""
    for k in range(len(factors)):
        factors[k] *= rows[at + k]
