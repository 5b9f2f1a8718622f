r"""The quick exact sweep by bounds, for one task: no cost a visit grows with the number of topics.

Take the token (word t, topic j) of document d out; h is the sum of eta over the others. The
conditional (see `topics`) is, with f the supervised exponent and R_k = 1/(C_k + V beta),

    q(k) ∝ (C_kt + beta) P_k exp(f_k(h)),    P_k = (C_dk + alpha_k) R_k,
    f_k(h) = gamma eta_k (b - gamma a (eta_k / 2 + h)).

Around a reference sum c (the document without one average token) the exponent is
f_k(h) = f_k(c) + s eta_k with the slope s = gamma² a (c - h): the weights A_k = P_k exp(f_k(c))
hold while no token of the document moves, and all that depends on the token, or on moves since c
was chosen, is in the slope. Three things follow.

1. Whether the token stays is asked first: nine times in ten it does, and nothing is stored.
2. With any bound T_k ≥ exp(s eta_k), draw k ≠ j from A_k T_k (C_kt + beta), accept it with
   probability exp(s eta_k)/T_k and else draw again, *including* the choice to stay, whose weight
   is exact. This is rejection, not Metropolis: what is accepted has law q, whatever the bound.
   Bound and reference may thus be chosen by what was quick before.
3. All but a few weights are near each other. So the topics of extreme eta have bounds of their
   own, exp(s eta_k), and all others share one: eight exponentials, one vector, whatever K is.
   sum_k A_k T_k (C_kt + beta) is a sum over the word's topics and beta times a sum over groups.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pymc_medlda.kernels._jit import Index, kernel
from pymc_medlda.kernels.counts import Tokens, move_in_document, open_document, pad_topics
from pymc_medlda.kernels.simd.exponential import exponential
from pymc_medlda.kernels.simd.lanes import (
    LANES,
    N_SINGLE,
    OWN,
    SHARED,
    bound_groups,
    dot,
    fetch,
    sum_grouped,
    supervise,
)
from pymc_medlda.kernels.simd.uniform import STRIDE, choose, uniform
from pymc_medlda.kernels.sweeps.word_lists import TOPIC, WordLists, find_topic, move_token

SOFT = 2.0  # spread of the exponents under the shared bound beyond which a new reference is chosen
# Exponent s eta_k beyond which the token's own sum becomes the reference. Weights below
# exp(LOWEST) are zero, so that STEEP must leave the others in between their place.
STEEP = 150.0

AHEAD = 8  # tokens between asking for a word's list and reading it


class Topics(NamedTuple):
    """What a sweep knows of each topic, padded to whole vectors; padding has no weight."""

    eta: np.ndarray  # (size,); padding repeats a real topic, so it widens no range
    alpha: np.ndarray  # (size,)
    in_corpus: np.ndarray  # (size,) C_k
    rate: np.ndarray  # (size,) R_k
    ascending: np.ndarray  # (n_topics,) eta in order
    single: np.ndarray  # (N_SINGLE,) the topics of extreme eta; -1 where there are fewer topics
    shared: np.ndarray  # (size,) 1.0 for the other topics, else 0.0
    ends: np.ndarray  # (2 LANES,) eta of the single topics, then the least of the others; and
    # the same with the largest


class Workspace(NamedTuple):
    """What a sweep holds of the document at hand; see the module for the symbols."""

    in_document: np.ndarray  # (size,) C_dk
    prior: np.ndarray  # (size,) P_k
    factor: np.ndarray  # (size,) exp(f_k(c)), at most 1
    weight: np.ndarray  # (size,) A_k
    mass: np.ndarray  # (LANES,) sums of A_k over the groups
    bound: np.ndarray  # (size * LANES,) T of the groups, and exp(s eta_j), a row a topic j
    held: np.ndarray  # (size, 3) SLOPE, STAY and REST of a topic's tokens
    version: np.ndarray  # (size,) for which they hold
    share: np.ndarray  # (size + LANES,) A_k T_k C_kt along the word's list


SLOPE = 0  # s
STAY = 1  # weight to stay, over C_kt - 1 + beta
REST = 2  # beta times the sum of A_k T_k


def arrange_topics(
    eta: np.ndarray, alpha: np.ndarray, in_corpus: np.ndarray, beta_total: float
) -> Topics:
    """Pad what a sweep knows of each topic, and choose the topics with a bound of their own."""
    padded = pad_topics(alpha, in_corpus, beta_total)
    size = padded.shape[1]
    padded_eta = np.full(size, eta[0])
    padded_eta[: eta.size] = eta
    ascending = np.sort(eta)
    by_extremity = np.argsort(-np.abs(eta - ascending[eta.size // 2]), kind="stable")
    extreme, others = by_extremity[:N_SINGLE], by_extremity[N_SINGLE:]
    single = np.full(N_SINGLE, -1, np.int64)
    single[: extreme.size] = extreme
    shared, ends = np.zeros(size), np.zeros((2, LANES))
    shared[others] = 1.0
    ends[:, : extreme.size] = eta[extreme]
    if others.size:
        ends[:, SHARED] = eta[others].min(), eta[others].max()
    alpha, count, rate = padded
    return Topics(padded_eta, alpha, count, rate, ascending, single, shared, ends.ravel())


def empty_workspace(size: int) -> Workspace:
    """Allocate what a sweep holds of one document."""
    return Workspace(
        in_document=np.zeros(size),
        prior=np.zeros(size),
        factor=np.zeros(size),
        weight=np.zeros(size),
        mass=np.zeros(LANES),
        bound=np.zeros(size * LANES),
        held=np.zeros((size, 3)),
        version=np.zeros(size, np.int64),
        share=np.zeros(size + LANES),
    )


@kernel
def highest_exponent(linear: float, quadratic: float, ascending: np.ndarray) -> float:
    """Return the largest of eta (linear - quadratic eta): the eta next to the parabola's vertex."""
    low, high = 0, ascending.size - 1
    while high - low > 1:
        middle = (low + high) // 2
        if 2.0 * quadratic * ascending[middle] < linear:
            low = middle
        else:
            high = middle
    below, above = ascending[low], ascending[high]
    return max(below * (linear - quadratic * below), above * (linear - quadratic * above))


@kernel
def choose_reference(
    gamma: float,
    a: float,
    b: float,
    centre: float,
    ascending: np.ndarray,
    eta: np.ndarray,
    prior: np.ndarray,
    factor: np.ndarray,
    weight: np.ndarray,
) -> None:
    """Write exp(f), over its largest value, and A for the reference sum c = ``centre``."""
    linear = gamma * (b - gamma * a * centre)
    quadratic = 0.5 * gamma * gamma * a
    top = highest_exponent(linear, quadratic, ascending)
    supervise(eta, linear, quadratic, top, prior, factor, weight, eta.size)


@kernel
def sum_groups(
    weight: np.ndarray, single: np.ndarray, shared: np.ndarray, mass: np.ndarray
) -> None:
    """Write the sums of A over the groups."""
    for lane in range(N_SINGLE):
        mass[lane] = weight[single[lane]] if single[lane] >= 0 else 0.0
    mass[SHARED] = dot(weight, 0, shared, 0, weight.size)


@kernel
def draw_anywhere(
    x: float,
    bound: np.ndarray,
    row: Index,
    mass: np.ndarray,
    weight: np.ndarray,
    single: np.ndarray,
    shared: np.ndarray,
) -> Index:
    """Return the topic at which the cumulated A_k T_k, group by group, passes ``x``."""
    group = -1
    for lane in range(N_SINGLE + 1):
        part = bound[row + lane] * mass[lane]
        if part > 0.0:
            group = lane
            if x < part:
                break
            x -= part
    if group != SHARED:
        return single[group]
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


@kernel
def draw_from_all(
    u: float,
    entry: np.ndarray,
    begin: Index,
    end: Index,
    j: Index,
    stay: float,
    beta: float,
    weight: np.ndarray,
    buffer: np.ndarray,
) -> Index:
    """Draw from A_k (C_kt + beta), k ≠ j, and ``stay``, where the reference is the token's own."""
    size = weight.size
    for k in range(size):
        buffer[k] = beta * weight[k]
    for e in range(begin, end):
        k = entry[e] & TOPIC
        buffer[k] += (entry[e] >> 16) * weight[k]
    buffer[j] = stay
    whole = 0.0
    for k in range(size):
        whole += buffer[k]
    if not whole > 0.0:
        raise ValueError("a, b or eta of a document is not finite")
    return choose(u * whole, buffer, 0, size)


@kernel
def sweep_by_bounds(
    counter: np.uint64,
    tokens: Tokens,
    z: np.ndarray,
    document_topic: np.ndarray,
    beta: float,
    a: np.ndarray,
    b: np.ndarray,
    lists: WordLists,
    tally: np.ndarray,
    topics: Topics,
    work: Workspace,
) -> tuple[int, int]:
    """Visit every token once and draw its topic from the full conditional (see the module).

    ``counter`` is where the random numbers begin (see `uniform`). ``z``, ``lists``, their
    ``tally``, ``document_topic`` and the counts in ``topics`` are updated in place. Returns how
    many tokens changed topic and how many draws were refused.
    """
    eta, alpha, count, rate = topics.eta, topics.alpha, topics.in_corpus, topics.rate
    ascending, single, shared, ends = topics.ascending, topics.single, topics.shared, topics.ends
    in_document, prior, factor, weight = work.in_document, work.prior, work.factor, work.weight
    mass, bound, held, version_of = work.mass, work.bound, work.held, work.version
    share = work.share
    entry, list_start, list_length = lists.entry, lists.start, lists.length
    word, document_start = tokens.word, tokens.start
    size = eta.size
    beta_total = list_length.size * beta
    most_tries = 4 + size // 64  # then all weights cost less
    furthest = max(-ascending[0], ascending[-1])
    spread = ends[LANES + SHARED] - ends[SHARED]
    moved, refusals, version = 0, 0, 0
    version_of[:] = -1
    for d in range(document_start.size - 1):
        first, last = document_start[d], document_start[d + 1]
        if first == last:
            continue
        gamma = 1.0 / (last - first)
        a_d, b_d = a[d, 0], b[d, 0]
        strength = gamma * gamma * a_d
        open_document(d, document_topic, alpha, rate, in_document, prior)
        total = dot(in_document, 0, eta, 0, size)
        centre = total - gamma * total
        choose_reference(gamma, a_d, b_d, centre, ascending, eta, prior, factor, weight)
        sum_groups(weight, single, shared, mass)
        version += 1
        for n in range(first, last):
            t, j = word[n], np.int64(z[n])
            row = j * LANES
            if version_of[j] != version:
                slope = strength * (centre - (total - eta[j]))
                if not abs(slope) * furthest <= STEEP:
                    centre = total - eta[j]
                    choose_reference(gamma, a_d, b_d, centre, ascending, eta, prior, factor, weight)
                    sum_groups(weight, single, shared, mass)
                    version += 1
                    slope = 0.0
                version_of[j] = version
                side = LANES if slope > 0.0 else 0
                rest = bound_groups(slope, ends, side, eta[j], mass, bound, row)
                own_prior = (in_document[j] - 1.0 + alpha[j]) / (count[j] - 1.0 + beta_total)
                held[j, SLOPE] = slope
                held[j, STAY] = factor[j] * own_prior * bound[row + OWN]
                held[j, REST] = beta * rest
            if n + AHEAD < word.size:
                ahead = list_start[word[n + AHEAD]]
                fetch(entry, ahead)
                fetch(entry, ahead + LANES)
            begin = list_start[t]
            end = begin + list_length[t]
            listed, own = sum_grouped(entry, begin, end, j, weight, single, bound, row, share)
            stay = held[j, STAY] * ((entry[begin + own] >> 16) - 1 + beta)
            whole = stay + listed + held[j, REST]
            counter += STRIDE
            x = uniform(counter) * whole - stay
            if x < 0.0:
                continue
            slope = held[j, SLOPE]
            side = LANES if slope > 0.0 else 0
            new: Index = -1
            place: Index = -1
            tries = 0
            while whole > 0.0:
                if x < 0.0:
                    new = j
                elif x < listed:
                    place = choose(x, share, 0, end - begin)
                    new = entry[begin + place] & TOPIC
                else:
                    place = -1
                    x = (x - listed) / beta
                    new = draw_anywhere(x, bound, row, mass, weight, single, shared)
                    if new == j:  # its weight is in ``stay``
                        new = -1
                if new == j:
                    break
                if new >= 0:
                    if shared[new] == 0.0:
                        break
                    excess = slope * (eta[new] - ends[side + SHARED])
                    counter += STRIDE
                    v = uniform(counter)
                    # 1 + x ≤ exp(x) spares most exponentials.
                    if v <= 1.0 + excess or v <= exponential(excess):
                        break
                new = -1
                tries += 1
                if tries == most_tries:
                    break
                counter += STRIDE
                x = uniform(counter) * whole - stay
            refusals += tries
            if new < 0:  # what is left after a refusal has the same law: any exact draw will do
                centre = total - eta[j]
                choose_reference(gamma, a_d, b_d, centre, ascending, eta, prior, factor, weight)
                sum_groups(weight, single, shared, mass)
                version += 1
                own_prior = (in_document[j] - 1.0 + alpha[j]) / (count[j] - 1.0 + beta_total)
                stay = factor[j] * own_prior * ((entry[begin + own] >> 16) - 1 + beta)
                counter += STRIDE
                place = -1
                new = draw_from_all(
                    uniform(counter), entry, begin, end, j, stay, beta, weight, share
                )
            if new == j:
                continue
            if place < 0:
                place = find_topic(entry, begin, end, new)
            move_token(list_length, entry, tally, t, begin, end, own, place, new)
            z[n] = new
            move_in_document(
                d, j, new, beta_total, document_topic, alpha, count, rate, in_document, prior
            )
            weight[j] = factor[j] * prior[j]
            weight[new] = factor[new] * prior[new]
            total += eta[new] - eta[j]
            if strength * abs(centre - total) * spread > SOFT:
                centre = total - gamma * total
                choose_reference(gamma, a_d, b_d, centre, ascending, eta, prior, factor, weight)
            sum_groups(weight, single, shared, mass)
            moved += 1
            version += 1
    return moved, refusals
