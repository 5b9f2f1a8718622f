"""The arrays of the sweep by bounds: those of all topics, and those of the visited document.

The symbols are those of `bounds`. Each topic has a slot. The topics of a group have slots next to
each other, which begin and end with a full vector; slots that are left over have no weight.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pymc_medlda._arrays import Floats
from pymc_medlda.kernels._jit import kernel
from pymc_medlda.kernels.simd.aligned import aligned_zeros, padded_size
from pymc_medlda.kernels.simd.lanes import LANES
from pymc_medlda.kernels.simd.listed import N_GROUPS
from pymc_medlda.kernels.sweeps.document import Document

# If moves have changed slopes so far that exponents under one bound differ by more than SOFT, or
# any exponents by more than FAR, a new reference is chosen. Any numbers give the same law, if FAR
# leaves room for the weights: see `STEEP` of `bounds`.
SOFT = 2.0
FAR = 50.0
TINY = 1e-30  # stands for a difference of zero, where it is divided by


class Topics(NamedTuple):
    """The weights eta of a sweep, in groups."""

    eta: Floats  # (size,) by slot; a slot without a topic repeats the eta of another of its group
    group: np.ndarray  # (size,) the group of a slot
    slot: np.ndarray  # (n_topics,) the slot of a topic
    topic: np.ndarray  # (size,) the topic of a slot, n_topics if it has none
    ascending: Floats  # (n_topics,) eta in ascending order
    # The draw of a token does not change if the same number is subtracted from all eta under a
    # slope. This is done to keep the exponents small.
    middle: float  # the median of eta
    tilt: Floats  # (size,) eta by slot, minus the median
    ends: Floats  # (2 * LANES,) the smallest tilt of each group; and again, the largest
    furthest: float  # the largest absolute tilt
    width: float  # the largest difference of two tilts of one group; neither of the two is zero
    begin: np.ndarray  # (N_GROUPS + 1,) the first slot of each group
    most_drift: float  # a change of the slope that needs a new reference


class Workspace(NamedTuple):
    """What a sweep holds of the visited document."""

    document: Document  # by slot
    factor: Floats  # (size,) a bound of exp(f_k(c)) by slot; the largest of these is one
    exponent: Floats  # (size,) f_k(c) by slot, and A_k: where they are needed exactly
    exact: Floats
    weight: Floats  # (size,) a bound of A_k by slot, tagged with its group
    by_topic: Floats  # (n_topics + 1,) the same by topic; the last is of no topic
    mass: Floats  # (LANES,) sums of A_k over the groups
    error: Floats  # (LANES,) how much rounding may have changed of these sums
    bound: Floats  # (LANES,) T of the groups for the visited token, and that of its own topic
    share: Floats  # (size + LANES,) A_k T_k C_kt along the word's list, cumulated


@kernel
def cover(ascending: Floats, n_intervals: int, start: np.ndarray) -> None:
    """Divide numbers in ascending order among few intervals, the longest as short as can be.

    Writes the first place of each interval to ``start``, (n_intervals + 1,). The length is found by
    bisection; however exact it is, every number is in one interval.
    """
    n = ascending.size
    enough, too_short = ascending[-1] - ascending[0], -1.0
    width = 0.0  # enough if there are few different numbers
    for _ in range(40):
        begun, last = 0, -1
        for place in range(n):
            if last < 0 or ascending[place] - ascending[last] > width:
                begun, last = begun + 1, place
        if begun <= n_intervals:
            enough = width
        else:
            too_short = width
        if enough <= 0.0:
            break
        width = 0.5 * (max(too_short, 0.0) + enough)
    begun, last = 0, -1
    start[:] = n
    for place in range(n):
        if last < 0 or ascending[place] - ascending[last] > enough:
            start[begun] = place
            begun, last = begun + 1, place


def arrange_topics(eta: Floats) -> Topics:
    """Divide the topics into groups of similar eta, and give each a slot."""
    order = np.argsort(eta, kind="stable")
    start = np.zeros(N_GROUPS + 1, np.int64)
    cover(eta[order], N_GROUPS, start)
    return arrange_groups(eta, order, start)


def arrange_groups(eta: Floats, order: np.ndarray, start: np.ndarray) -> Topics:
    """Give a slot to each topic of ``N_GROUPS`` groups.

    Group g has the topics ``order[start[g] : start[g + 1]]``, perhaps none. Topics are in ascending
    order of eta.
    """
    ascending, sizes = eta[order], np.diff(start)
    of_topic = np.repeat(np.arange(N_GROUPS), sizes)
    padded_sizes = padded_size(sizes)
    begin = np.concatenate([[0], np.cumsum(padded_sizes)])
    group, padded = aligned_zeros(begin[-1], dtype=np.int64), aligned_zeros(begin[-1])
    group[:] = np.repeat(np.arange(N_GROUPS), padded_sizes)
    padded[:] = ascending[start[group]]
    place = begin[of_topic] + np.arange(order.size) - start[of_topic]
    slot, topic = np.zeros(eta.size, np.uint32), np.full(begin[-1], eta.size, np.uint32)
    slot[order], padded[place], topic[place] = place, ascending, order
    half = order.size // 2
    middle = float(0.5 * (ascending[half] + ascending[~half]))
    ends, filled = aligned_zeros(2, LANES), np.flatnonzero(sizes)
    ends[0, filled] = ascending[start[filled]] - middle
    ends[1, filled] = ascending[start[filled + 1] - 1] - middle
    furthest = max(float(np.abs(ends).max()), TINY)
    width = max(float((ends[1] - ends[0]).max()), TINY)
    return Topics(
        padded,
        group,
        slot,
        topic,
        ascending=ascending,
        middle=middle,
        tilt=padded - middle,
        ends=ends.reshape(-1),
        furthest=furthest,
        width=width,
        begin=begin,
        most_drift=min(SOFT / width, FAR / furthest),
    )


def empty_workspace(document: Document, topics: Topics) -> Workspace:
    """Allocate what a sweep holds of one document."""
    size = topics.eta.size
    # One piece of memory: arrays that lie far apart may get in each other's way in the cache.
    factor, exponent, exact, weight, by_topic, share = aligned_zeros(6, size + LANES)
    mass, error, bound = aligned_zeros(3, LANES)
    return Workspace(
        document,
        factor[:size],
        exponent,
        exact,
        weight[:size],
        by_topic,
        mass,
        error,
        bound,
        share,
    )
