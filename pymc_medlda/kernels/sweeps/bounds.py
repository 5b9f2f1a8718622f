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
3. Topics of similar eta share a bound. They are in seven groups, as narrow as can be, so all bounds
   are one vector, whatever K is: exp(s eta) at the highest end of each group.
   sum_k A_k T_k (C_kt + beta) is a sum over the word's topics plus beta times a sum over groups.

Of A and its sums, a move renews the two topics whose prior changed. The exponentials are computed
again only if the sum of eta has moved so far from the reference that draws would be refused.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pymc_medlda._arrays import Floats
from pymc_medlda.kernels._jit import Index
from pymc_medlda.kernels.simd.lanes import LANES, dot
from pymc_medlda.kernels.simd.listed import (
    N_GROUPS,
    OWN,
    add_up,
    bound_groups,
    shift_mass,
    supervise,
    tag,
)
from pymc_medlda.kernels.simd.uniform import STRIDE, uniform
from pymc_medlda.kernels.sweeps.bounds_state import TINY, Topics, Workspace
from pymc_medlda.kernels.sweeps.document import (
    Document,
    move_in_document,
    open_in_slots,
    prior_without_token,
)
from pymc_medlda.kernels.sweeps.interface import Parameters, State
from pymc_medlda.kernels.sweeps.pieces import loop, piece
from pymc_medlda.kernels.sweeps.rejection import draw_by_rejection, draw_from_all, weigh_visit
from pymc_medlda.kernels.sweeps.word_lists import WordLists, fetch_list, move_token

# If exponents under one bound differ by more than SOFT because tokens moved, or any exponents by
# more than FAR, a new reference is chosen.
SOFT = 2.0
FAR = 50.0
# If an exponent s eta_k is beyond this, the token's own sum h becomes the reference. Weights below
# exp(LOWEST) are zero, so STEEP must leave room for the others.
STEEP = 150.0
# If the slopes of a document's tokens differ by so little that exponents of its topics differ by at
# most GENTLE, all its tokens share the bounds, until moves have changed an exponent by SLACK. Its
# slopes are never steep: those of two tokens may differ by FAR, and so may the reference.
GENTLE = 0.1
SLACK = 0.02
AHEAD = 8  # how many tokens ahead the list of a word is requested from memory


class DocumentLoss(NamedTuple):
    """What the supervised exponent takes from the visited document."""

    gamma: float
    a: float
    b: float
    strength: float  # gamma² a


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
def sum_groups(topics: Topics, work: Workspace) -> None:
    """Compute the sums of A over the groups."""
    for group in range(N_GROUPS):
        first, last = topics.begin[group], topics.begin[group + 1]
        work.mass[group] = add_up(work.weight, first, last - first)
    work.error[:] = 0.0


@piece
def refer_to(centre: float, loss: DocumentLoss, topics: Topics, work: Workspace) -> None:
    """Compute exp(f), divided by its largest value, and A, for the reference sum c = ``centre``."""
    linear = loss.gamma * (loss.b - loss.gamma * loss.a * centre)
    quadratic = 0.5 * loss.gamma * loss.gamma * loss.a
    top = highest_exponent(linear, quadratic, topics.ascending)
    supervise(
        topics.eta, linear, quadratic, top, work.document.prior, topics.group,
        work.factor, work.weight, topics.eta.size,
    )  # fmt: skip
    for slot in range(topics.eta.size):
        work.by_topic[topics.topic[slot]] = work.weight[slot]
    sum_groups(topics, work)


@piece
def reweigh_topic(slot: Index, topics: Topics, work: Workspace) -> float:
    """Compute A of a topic whose prior changed; return by how much it changed."""
    before = work.weight[slot]
    after = tag(work.factor[slot] * work.document.prior[slot], topics.group[slot])
    work.weight[slot] = after
    work.by_topic[topics.topic[slot]] = after
    return after - before


@piece
def reweigh(j: Index, new: Index, topics: Topics, work: Workspace) -> None:
    """Compute A of the two topics whose prior changed, and the sums over their groups."""
    of_j, of_new = reweigh_topic(j, topics, work), reweigh_topic(new, topics, work)
    if shift_mass(work.mass, work.error, topics.group[j], of_j, topics.group[new], of_new):
        sum_groups(topics, work)


@piece
def hold_weights(j: Index, row: Index, lane: Index, work: Workspace) -> None:
    """Compute two weights that a visit to a token of slot j needs, under the bounds of a row."""
    at = row * LANES
    own_prior = prior_without_token(j, work.document)
    work.stay[j] = work.factor[j] * own_prior * work.bound[at + lane]
    work.rest[row] = dot(work.bound, at, work.mass, 0, LANES)


@piece
def range_of_tilt(topics: Topics, document: Document) -> tuple[float, float]:
    """Return the smallest and the largest tilt in the document; it ascends with the slots."""
    first, last = 0, topics.tilt.size - 1
    while first < last and document.in_document[first] == 0.0:
        first += 1
    while first < last and document.in_document[last] == 0.0:
        last -= 1
    return topics.tilt[first], topics.tilt[last]


@piece
def sweep_document(
    d: Index,
    counter: np.uint64,
    version: int,
    state: State,
    given: Parameters,
    beta_total: float,
    lists: WordLists,
    topics: Topics,
    work: Workspace,
) -> tuple[np.uint64, int, int, int]:
    """Visit every token of document d, which is not empty.

    ``version`` numbers the states of the weights A, and is increased whenever they change. Returns
    the counter and the version reached, how many tokens changed topic and how many draws were
    refused.
    """
    word, z, beta, eta = state.tokens.word, state.z, given.beta, topics.eta
    first, last = state.tokens.start[d], state.tokens.start[d + 1]
    gamma = 1.0 / (last - first)
    loss = DocumentLoss(gamma, given.a[d, 0], given.b[d, 0], gamma * gamma * given.a[d, 0])
    moved, refusals = 0, 0
    open_in_slots(d, state, topics.slot, work.document)
    low, high = range_of_tilt(topics, work.document)
    steepest = max(abs(low), abs(high), TINY)
    is_gentle = (
        loss.strength * (high - low) * steepest <= GENTLE
        and 2.0 * loss.strength * topics.furthest * topics.furthest <= FAR
    )
    slack = SLACK / steepest  # of the slope
    most_drift = min(SOFT / topics.width, FAR / topics.furthest)  # of the slope
    held = np.nan  # the sum of eta for which the bounds of all tokens were computed
    total = dot(work.document.in_document, 0, eta, 0, eta.size)
    centre = total - gamma * total
    refer_to(centre, loss, topics, work)
    version += 1
    for n in range(first, last):
        t, old = np.int64(np.uint32(word[n])), np.int64(z[n])
        j = np.int64(topics.slot[old])
        slope = loss.strength * (centre - (total - eta[j]))
        if is_gentle:
            row, lane = eta.size, topics.group[j]
            if not loss.strength * abs(total - held) <= slack:
                held = total
                middle = centre - (total - topics.middle)
                lowest = loss.strength * (middle + low) - slack
                highest = loss.strength * (middle + high) + slack
                bound_groups(lowest, highest, topics.ends, 0.0, work.level, work.bound, row * LANES)
            hold_weights(j, row, lane, work)
        else:
            row, lane = j, OWN
            if work.version[j] != version:
                if not abs(slope) * topics.furthest <= STEEP:
                    slope, centre = 0.0, total - eta[j]
                    refer_to(centre, loss, topics, work)
                    version += 1
                own = topics.tilt[j]
                bound_groups(slope, slope, topics.ends, own, work.level, work.bound, row * LANES)
                hold_weights(j, row, lane, work)
                work.version[j] = version
        if n + AHEAD < word.size:
            fetch_list(lists, np.int64(np.uint32(word[n + AHEAD])))
        visit = weigh_visit(t, old, j, row, lane, slope, beta, lists, work)
        new, place, tries, counter = draw_by_rejection(
            counter, visit, beta, lists.entry, topics, work
        )
        refusals += tries
        if new < 0:  # the law after refusals is the same, so any exact draw will do
            centre, held = total - eta[j], np.nan
            refer_to(centre, loss, topics, work)
            version += 1
            counter += STRIDE
            new = draw_from_all(uniform(counter), visit, beta, lists.entry, topics, work)
        if new == j:
            continue
        drawn = np.int64(topics.topic[new])
        z[n] = drawn
        move_token(lists, state.tally, t, visit.own, place, drawn)
        state.document_topic[d, old] -= 1
        state.document_topic[d, drawn] += 1
        move_in_document(j, new, beta_total, work.document)
        total += eta[new] - eta[j]
        drift = centre - (total - gamma * total)
        if loss.strength * abs(drift) > most_drift:
            centre, held = total - gamma * total, np.nan
            refer_to(centre, loss, topics, work)
        else:
            reweigh(j, new, topics, work)
        moved += 1
        version += 1
    return counter, version, moved, refusals


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
    start = state.tokens.start
    moved, refusals, version = 0, 0, 0
    work.version[:] = -1
    for d in range(start.size - 1):
        if start[d] < start[d + 1]:
            counter, version, changed, refused = sweep_document(
                d, counter, version, state, given, beta_total, lists, topics, work
            )
            moved += changed
            refusals += refused
    return moved, refusals
