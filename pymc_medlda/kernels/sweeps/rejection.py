"""Draw the topic of one token under bounds, by rejection, for the sweep by `bounds`.

The symbols are those of `bounds`: A_k the weights of the document, T_k their bounds, s the slope.
If the target is tempered, beta^tau takes the place of beta, and gains that of counts (see `gains`).
Topics are named by their slots, except in the lists.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pymc_medlda.kernels._jit import Index
from pymc_medlda.kernels.simd.exponential import ABOVE, exponential
from pymc_medlda.kernels.simd.lanes import LANES, dot, weigh
from pymc_medlda.kernels.simd.listed import N_GROUPS, OWN, add_up, bound_groups, choose_listed
from pymc_medlda.kernels.simd.uniform import STRIDE, choose, uniform
from pymc_medlda.kernels.sweeps.bounds_state import Topics, Workspace
from pymc_medlda.kernels.sweeps.document import prior_without_token
from pymc_medlda.kernels.sweeps.gains import gain_at, sum_in_groups
from pymc_medlda.kernels.sweeps.pieces import piece
from pymc_medlda.kernels.sweeps.reference import Reference, exponent_at
from pymc_medlda.kernels.sweeps.tempering import Temper, word_weight
from pymc_medlda.kernels.sweeps.word_lists import TOPIC, WordLists

# Two bounds that exceed an exponential by ABOVE at most are refused for larger numbers only.
SURE = 1.0 / (1.0 + ABOVE) ** 2


class Visit(NamedTuple):
    """The token that is visited: where its word's list is, and the weights of its draw."""

    j: Index  # the slot of its topic
    slope: float
    reference: Reference
    begin: Index  # of the word's list
    end: Index
    own: Index  # the place of its topic in the list
    stay: float  # the weight of staying, under its bound
    listed: float  # the weight of the topics in the list
    whole: float  # the weight of all topics


@piece
def weigh_visit(
    t: Index,
    topic: Index,
    j: Index,
    slope: float,
    reference: Reference,
    beta: float,
    lists: WordLists,
    topics: Topics,
    work: Workspace,
    temper: Temper | None,
) -> Visit:
    """Sum the weights of all topics, under their bounds, for a token of word t and slot j."""
    begin = lists.start[t]
    end = begin + lists.length[t]
    bound_groups(slope, topics.ends, topics.tilt[j], work.bound)
    listed, own = sum_in_groups(
        lists.entry, begin, end, topic, work.by_topic, work.bound, 0, work.share, temper
    )
    rest = dot(work.bound, 0, work.mass, 0, LANES)
    n_own = lists.entry[begin + own] >> 16
    own_prior = prior_without_token(j, work.document, temper)
    stay = work.factor[j] * own_prior * work.bound[OWN] * word_weight(n_own - 1, beta, temper)
    whole = stay + listed + word_weight(0, beta, temper) * rest
    return Visit(j, slope, reference, begin, end, own, stay, listed, whole)


@piece
def draw_anywhere(x: float, topics: Topics, work: Workspace) -> Index:
    """Return the slot at which the cumulated A_k T_k, group by group, passes ``x``."""
    weight, bound = work.weight, work.bound
    group = -1
    for lane in range(N_GROUPS):
        part = bound[lane] * work.mass[lane]
        if part > 0.0:
            group = lane
            if x < part:
                break
            x -= part
    if group < 0:
        return -1
    x /= bound[group]
    first, last = topics.begin[group], topics.begin[group + 1]
    for width in (16 * LANES, LANES):
        while first < last - width:
            part = add_up(weight, first, width)
            if x < part:
                break
            x -= part
            first += width
    found = choose(x, weight, first, last - first)
    return first + found if found >= 0 else -1


@piece
def is_accepted(
    x: float, weight: float, k: Index, lane: Index, visit: Visit, topics: Topics, work: Workspace
) -> bool:
    """Accept slot k, drawn under the bound T in a lane, with probability exp(f_k(h))/bound.

    f_k(h) = f_k(c) + s eta_k, up to what all topics share, and the bound is that of f_k(c) times T.
    ``x`` is uniform between 0 and ``weight``.
    """
    exponent = exponent_at(k, visit.reference, topics) + visit.slope * topics.tilt[k]
    return x * (work.factor[k] * work.bound[lane]) <= weight * exponential(exponent)


@piece
def draw_by_rejection(
    counter: np.uint64,
    visit: Visit,
    beta: float,
    entry: np.ndarray,
    topics: Topics,
    work: Workspace,
    temper: Temper | None,
) -> tuple[Index, Index, int, np.uint64]:
    """Draw a topic under the bounds until one is accepted.

    Returns its slot, its place in the word's list, how many draws were refused, and the counter of
    the random numbers. The slot is -1 if too many draws were refused or if no weight is positive;
    the place is -1 if it is not known.
    """
    j = visit.j
    most_tries = 4 + topics.eta.size // 64  # beyond this, computing all weights costs less
    tries = 0
    counter += STRIDE
    while visit.whole > 0.0:
        u = uniform(counter) * visit.whole
        x = u - visit.stay
        if x < 0.0:
            if u <= SURE * visit.stay or is_accepted(u, visit.stay, j, OWN, visit, topics, work):
                return j, visit.own, tries, counter
        else:
            place: Index = -1
            new: Index = -1
            if x < visit.listed:
                place = choose_listed(x, work.share, visit.end - visit.begin)
                if place >= 0:
                    new = np.int64(topics.slot[entry[visit.begin + place] & TOPIC])
            else:
                x = (x - visit.listed) / word_weight(0, beta, temper)
                new = draw_anywhere(x, topics, work)
            if new >= 0 and new != j:  # the weight of j is in ``stay``
                counter += STRIDE
                if is_accepted(uniform(counter), 1.0, new, topics.group[new], visit, topics, work):
                    return new, place, tries, counter
        tries += 1
        if tries == most_tries:
            break
        counter += STRIDE
    return -1, -1, tries, counter


@piece
def draw_from_all(
    u: float,
    visit: Visit,
    reference: Reference,
    beta: float,
    entry: np.ndarray,
    topics: Topics,
    work: Workspace,
    temper: Temper | None,
) -> Index:
    """Draw from P_k exp(f_k(h)) (C_kt + beta) over all slots; h is the centre of the reference."""
    j, buffer, prior = visit.j, work.share, work.document.prior
    for k in range(prior.size):
        work.exponent[k] = exponent_at(k, reference, topics)
    weigh(work.exponent, prior, work.exact, 0, prior.size)
    for k in range(prior.size):
        buffer[k] = word_weight(0, beta, temper) * work.exact[k]
    for e in range(visit.begin, visit.end):
        listed = np.int64(topics.slot[entry[e] & TOPIC])
        buffer[listed] += gain_at(e, entry, temper) * work.exact[listed]
    n_own = entry[visit.begin + visit.own] >> 16
    own_prior = prior_without_token(j, work.document, temper)
    buffer[j] = work.exact[j] / prior[j] * own_prior * word_weight(n_own - 1, beta, temper)
    whole = 0.0
    for k in range(prior.size):
        whole += buffer[k]
    if not whole > 0.0:
        raise ValueError("a, b or eta of a document is not finite")
    return choose(u * whole, buffer, 0, prior.size)
