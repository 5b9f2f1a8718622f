"""Draw the topic of one token under bounds, by rejection, for the sweep by `bounds`.

The symbols are those of `bounds`: A_k the weights of the document, T_k their bounds, s the slope.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pymc_medlda.kernels._jit import Index
from pymc_medlda.kernels.simd.exponential import exponential
from pymc_medlda.kernels.simd.lanes import LANES, N_SINGLE, SHARED, dot, sum_grouped
from pymc_medlda.kernels.simd.uniform import STRIDE, choose, uniform
from pymc_medlda.kernels.sweeps.bounds_state import Topics, Workspace
from pymc_medlda.kernels.sweeps.document import prior_without_token
from pymc_medlda.kernels.sweeps.pieces import piece
from pymc_medlda.kernels.sweeps.word_lists import TOPIC, WordLists


class Visit(NamedTuple):
    """The token that is visited: where its word's list is, and the weights of its draw."""

    j: Index  # its topic
    begin: Index  # of the word's list
    end: Index
    own: Index  # the place of topic j in the list
    stay: float  # the weight of staying in topic j
    listed: float  # the weight of the topics in the list
    whole: float  # the weight of all topics


@piece
def weigh_visit(
    t: Index, j: Index, beta: float, lists: WordLists, topics: Topics, work: Workspace
) -> Visit:
    """Sum the weights of all topics, with their bounds, for a token of word t and topic j."""
    begin = lists.start[t]
    end = begin + lists.length[t]
    listed, own = sum_grouped(
        lists.entry, begin, end, j, work.weight, topics.single, work.bound, j * LANES, work.share
    )
    stay = work.stay[j] * ((lists.entry[begin + own] >> 16) - 1 + beta)
    return Visit(j, begin, end, own, stay, listed, stay + listed + work.rest[j])


@piece
def draw_anywhere(x: float, row: Index, topics: Topics, work: Workspace) -> Index:
    """Return the topic at which the cumulated A_k T_k, group by group, passes ``x``."""
    weight, shared, bound = work.weight, topics.shared, work.bound
    group = -1
    for lane in range(N_SINGLE + 1):
        part = bound[row + lane] * work.mass[lane]
        if part > 0.0:
            group = lane
            if x < part:
                break
            x -= part
    if group != SHARED:
        return topics.single[group]
    x /= bound[row + SHARED]
    first = 0
    for width in (16 * LANES, LANES):
        while first < weight.size - width:
            part = dot(weight, first, shared, first, width)
            if x < part:
                break
            x -= part
            first += width
    found = -1
    for k in range(first, weight.size):
        part = weight[k] * shared[k]
        if part > 0.0:
            found = k
            x -= part
            if x < 0.0:
                break
    return found


@piece
def is_accepted(k: Index, u: float, slope: float, topics: Topics) -> bool:
    """Accept topic k, drawn under the shared bound T, with probability exp(s eta_k)/T."""
    side = LANES if slope > 0.0 else 0
    excess = slope * (topics.eta[k] - topics.ends[side + SHARED])
    # 1 + x ≤ exp(x) saves most exponentials.
    return u <= 1.0 + excess or u <= exponential(excess)


@piece
def draw_by_rejection(
    counter: np.uint64,
    visit: Visit,
    beta: float,
    entry: np.ndarray,
    topics: Topics,
    work: Workspace,
) -> tuple[Index, Index, int, np.uint64]:
    """Draw a topic under the bounds, or the present one with its exact weight, until accepted.

    Returns the topic, its place in the word's list, how many draws were refused, and the counter of
    the random numbers. The topic is -1 if too many draws were refused or if no weight is positive;
    the place is -1 if it is not known.
    """
    j, row, slope = visit.j, visit.j * LANES, work.slope[visit.j]
    most_tries = 4 + topics.eta.size // 64  # beyond this, computing all weights costs less
    tries = 0
    counter += STRIDE
    while visit.whole > 0.0:
        x = uniform(counter) * visit.whole - visit.stay
        if x < 0.0:
            return j, visit.own, tries, counter
        place: Index = -1
        if x < visit.listed:
            place = choose(x, work.share, 0, visit.end - visit.begin)
            new = entry[visit.begin + place] & TOPIC
        else:
            new = draw_anywhere((x - visit.listed) / beta, row, topics, work)
        if new >= 0 and new != j:  # the weight of j is in ``stay``
            if topics.shared[new] == 0.0:
                return new, place, tries, counter
            counter += STRIDE
            if is_accepted(new, uniform(counter), slope, topics):
                return new, place, tries, counter
        tries += 1
        if tries == most_tries:
            break
        counter += STRIDE
    return -1, -1, tries, counter


@piece
def draw_from_all(
    u: float, visit: Visit, beta: float, beta_total: float, entry: np.ndarray, work: Workspace
) -> Index:
    """Draw from A_k (C_kt + beta) over all topics, where the reference is the token's own sum."""
    j, weight, buffer = visit.j, work.weight, work.share
    n_own = entry[visit.begin + visit.own] >> 16
    own_prior = prior_without_token(j, beta_total, work.document)
    for k in range(weight.size):
        buffer[k] = beta * weight[k]
    for e in range(visit.begin, visit.end):
        k = entry[e] & TOPIC
        buffer[k] += (entry[e] >> 16) * weight[k]
    buffer[j] = work.factor[j] * own_prior * (n_own - 1 + beta)
    whole = 0.0
    for k in range(weight.size):
        whole += buffer[k]
    if not whole > 0.0:
        raise ValueError("a, b or eta of a document is not finite")
    return choose(u * whole, buffer, 0, weight.size)
