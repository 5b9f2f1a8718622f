r"""The quick exact sweep by bounds, for one task: the cost of a visit does not grow with K.

Take the token (word t, topic j) of document d out; h is the sum of eta over the other tokens. The
conditional (see `plain`) is, with f the supervised exponent and R_k = 1/(C_k + V beta),

    q(k) ∝ (C_kt + beta) P_k exp(f_k(h)),    P_k = (C_dk + alpha_k) R_k,
    f_k(h) = gamma eta_k (b - gamma a (eta_k / 2 + h)).

Around a reference sum c (that of the document without one average token) the exponent is
f_k(h) = f_k(c) + s eta_k with the slope s = gamma² a (c - h). The weights A_k = P_k exp(f_k(c))
hold as long as no token of the document moves; all that depends on the token, or on moves since c
was chosen, is in the slope. This allows three savings.

1. Whether the token stays is drawn first. Nine times out of ten it does, and nothing is stored.
2. With any bound T_k ≥ exp(s eta_k), draw k ≠ j from A_k T_k (C_kt + beta) and accept it with
   probability exp(s eta_k)/T_k; otherwise draw again, *including* the choice to stay, whose weight
   is exact. This is rejection sampling, not Metropolis: what is accepted has the law q, whatever
   the bound. The bound and the reference may therefore be chosen for speed.
3. Most weights eta_k are close to each other. So the topics of extreme eta have bounds of their
   own, exp(s eta_k), and all others share one: eight exponentials, one vector, whatever K is.
   sum_k A_k T_k (C_kt + beta) is a sum over the word's topics plus beta times a sum over groups.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pymc_medlda._arrays import Floats
from pymc_medlda.kernels._jit import Index
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
from pymc_medlda.kernels.sweeps.bounds_state import Topics, Workspace
from pymc_medlda.kernels.sweeps.compiling import loop, piece
from pymc_medlda.kernels.sweeps.document import (
    move_in_document,
    open_document,
    prior_without_token,
)
from pymc_medlda.kernels.sweeps.interface import Parameters, State
from pymc_medlda.kernels.sweeps.word_lists import TOPIC, WordLists, find_topic, move_token

# If the exponents under the shared bound differ by more than this, a new reference is chosen.
SOFT = 2.0
# If an exponent s eta_k is beyond this, the token's own sum h becomes the reference. Weights below
# exp(LOWEST) are zero, so STEEP must leave room for the others.
STEEP = 150.0
AHEAD = 8  # how many tokens before the visit a word's list is requested from memory


class Loss(NamedTuple):
    """What the supervised exponent takes from the visited document."""

    gamma: float
    a: float
    b: float
    strength: float  # gamma² a


class Visit(NamedTuple):
    """A token that is visited: its word and topic, the word's list, and what its draw weighs."""

    t: Index
    j: Index
    begin: Index  # of the word's list
    end: Index
    own: Index  # the place of topic j in the list
    stay: float  # the weight of staying in topic j
    listed: float  # the weight of the topics in the list
    whole: float  # the weight of all topics


@piece
def highest_exponent(linear: float, quadratic: float, ascending: Floats) -> float:
    """Return the largest of eta (linear - quadratic eta): at the eta next to the vertex."""
    low, high = 0, ascending.size - 1
    while high - low > 1:
        middle = (low + high) // 2
        if 2.0 * quadratic * ascending[middle] < linear:
            low = middle
        else:
            high = middle
    below, above = ascending[low], ascending[high]
    return max(below * (linear - quadratic * below), above * (linear - quadratic * above))


@piece
def refer_to(centre: float, loss: Loss, topics: Topics, work: Workspace) -> None:
    """Compute exp(f), divided by its largest value, and A for the reference sum c = ``centre``."""
    linear = loss.gamma * (loss.b - loss.gamma * loss.a * centre)
    quadratic = 0.5 * loss.gamma * loss.gamma * loss.a
    top = highest_exponent(linear, quadratic, topics.ascending)
    prior = work.document.prior
    supervise(topics.eta, linear, quadratic, top, prior, work.factor, work.weight, prior.size)


@piece
def sum_groups(topics: Topics, work: Workspace) -> None:
    """Compute the sums of A over the groups."""
    for lane in range(N_SINGLE):
        k = topics.single[lane]
        work.mass[lane] = work.weight[k] if k >= 0 else 0.0
    work.mass[SHARED] = dot(work.weight, 0, topics.shared, 0, work.weight.size)


@piece
def hold_topic(
    j: Index, slope: float, beta: float, beta_total: float, topics: Topics, work: Workspace
) -> None:
    """Compute the bounds, and the numbers that every visit to a token of topic j needs."""
    row = j * LANES
    side = LANES if slope > 0.0 else 0
    rest = bound_groups(slope, topics.ends, side, topics.eta[j], work.mass, work.bound, row)
    own_prior = prior_without_token(j, beta_total, work.document)
    work.slope[j] = slope
    work.stay[j] = work.factor[j] * own_prior * work.bound[row + OWN]
    work.rest[j] = beta * rest


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
    return Visit(t, j, begin, end, own, stay, listed, stay + listed + work.rest[j])


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
    x: float,
    counter: np.uint64,
    visit: Visit,
    beta: float,
    entry: np.ndarray,
    topics: Topics,
    work: Workspace,
) -> tuple[Index, Index, int, np.uint64]:
    """Draw a topic under the bounds until one is accepted.

    ``x`` is the first uniform number below ``visit.whole``, less ``visit.stay``. Returns the
    topic, its place in the list, how many draws were refused, and the counter of the random
    numbers. The topic is -1 if too many draws were refused, the place -1 if it is not known.
    """
    j, row, slope = visit.j, visit.j * LANES, work.slope[visit.j]
    most_tries = 4 + topics.eta.size // 64  # beyond this, computing all weights costs less
    tries = 0
    while visit.whole > 0.0:
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
        x = uniform(counter) * visit.whole - visit.stay
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


@loop
def sweep_by_bounds(
    counter: np.uint64,
    state: State,
    given: Parameters,
    beta_total: float,
    lists: WordLists,
    topics: Topics,
    work: Workspace,
) -> tuple[int, int]:
    """Visit every token once and draw its topic from the full conditional (see the module).

    ``counter`` is where the random numbers begin (see `uniform`). ``state``, except C_k, is
    updated in place, with ``lists`` and the C_k of ``work``. Returns how many tokens changed topic
    and how many draws were refused.
    """
    word, start, z = state.tokens.word, state.tokens.start, state.z
    beta, eta, document = given.beta, topics.eta, work.document
    furthest = max(-topics.ascending[0], topics.ascending[-1])
    spread = topics.ends[LANES + SHARED] - topics.ends[SHARED]
    moved, refusals, version = 0, 0, 0
    work.version[:] = -1
    for d in range(start.size - 1):
        first, last = start[d], start[d + 1]
        if first == last:
            continue
        gamma = 1.0 / (last - first)
        loss = Loss(gamma, given.a[d, 0], given.b[d, 0], gamma * gamma * given.a[d, 0])
        open_document(d, state, document)
        total = dot(document.in_document, 0, eta, 0, eta.size)
        centre = total - gamma * total
        refer_to(centre, loss, topics, work)
        sum_groups(topics, work)
        version += 1
        for n in range(first, last):
            t, j = word[n], np.int64(z[n])
            if work.version[j] != version:
                slope = loss.strength * (centre - (total - eta[j]))
                if not abs(slope) * furthest <= STEEP:
                    slope, centre = 0.0, total - eta[j]
                    refer_to(centre, loss, topics, work)
                    sum_groups(topics, work)
                    version += 1
                hold_topic(j, slope, beta, beta_total, topics, work)
                work.version[j] = version
            if n + AHEAD < word.size:
                ahead = lists.start[word[n + AHEAD]]
                fetch(lists.entry, ahead)
                fetch(lists.entry, ahead + LANES)
            visit = weigh_visit(t, j, beta, lists, topics, work)
            counter += STRIDE
            x = uniform(counter) * visit.whole - visit.stay
            if x < 0.0:
                continue
            new, place, tries, counter = draw_by_rejection(
                x, counter, visit, beta, lists.entry, topics, work
            )
            refusals += tries
            if new < 0:  # the law after refusals is the same, so any exact draw will do
                centre = total - eta[j]
                refer_to(centre, loss, topics, work)
                sum_groups(topics, work)
                version += 1
                counter += STRIDE
                new = draw_from_all(uniform(counter), visit, beta, beta_total, lists.entry, work)
            if new == j:
                continue
            if place < 0:
                place = find_topic(lists, t, new)
            move_token(lists, state.tally, t, visit.own, place, new)
            z[n] = new
            move_in_document(d, j, new, beta_total, state, document)
            work.weight[j] = work.factor[j] * document.prior[j]
            work.weight[new] = work.factor[new] * document.prior[new]
            total += eta[new] - eta[j]
            if loss.strength * abs(centre - total) * spread > SOFT:
                centre = total - gamma * total
                refer_to(centre, loss, topics, work)
            sum_groups(topics, work)
            moved += 1
            version += 1
    return moved, refusals
