r"""The quick exact sweep by bounds, for one task: the cost of a visit does not grow with K.

Take the token (word t, topic j) of document d out; h is the sum of eta over the other tokens. The
conditional (see `plain`) is, with f the supervised exponent and R_k = 1/(C_k + V beta),

    q(k) ∝ (C_kt + beta) P_k exp(f_k(h)),    P_k = (C_dk + alpha_k) R_k,
    f_k(h) = gamma eta_k (b - gamma a (eta_k / 2 + h)).

Around a reference sum c (that of the document without one average token) the exponent is
f_k(h) = f_k(c) + s eta_k with the slope s = gamma² a (c - h). The weights A_k = P_k exp(f_k(c))
hold as long as no token of the document moves; all that depends on the token, or on moves since c
was chosen, is in the slope. This allows three savings.

1. Whether the token stays is drawn first. Mostly it does, and nothing is stored.
2. With any bound T_k ≥ exp(s eta_k), draw k from A_k T_k (C_kt + beta) and accept it with
   probability exp(s eta_k)/T_k; otherwise draw again, *including* the choice to stay. This is
   rejection sampling, not Metropolis: what is accepted has the law q, whatever the bound. The bound
   and the reference may therefore be chosen for speed.
3. Topics of similar eta share a bound. They are in seven groups, as narrow as can be, so all bounds
   are one vector, whatever K is: exp(s eta) at the highest end of each group.
   sum_k A_k T_k (C_kt + beta) is a sum over the word's topics plus beta times a sum over groups.

The tokens of one topic have the same slope until a token moves. Staying then needs no bound: its
weight is exact. In a gentle document, where the slopes of all tokens are nearly equal, all tokens
share bounds that hold for a range of slopes. So most of its moves need no exponential at all.

If the target is tempered, P_k is a power and C_kt + beta is one, which `gains` divides into what an
entry of the list adds and what every topic has. The bounds concern the loss alone, which is
tempered where a and b are drawn, so they hold as they are.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pymc_medlda.kernels._jit import Index
from pymc_medlda.kernels.simd.lanes import LANES, dot
from pymc_medlda.kernels.simd.listed import OWN, bound_groups
from pymc_medlda.kernels.simd.uniform import STRIDE, uniform
from pymc_medlda.kernels.sweeps.bounds_state import Topics, Workspace
from pymc_medlda.kernels.sweeps.document import (
    Document,
    move_in_document,
    open_in_slots,
    prior_without_token,
)
from pymc_medlda.kernels.sweeps.gains import fetch_ahead, move_entry
from pymc_medlda.kernels.sweeps.interface import Parameters, State
from pymc_medlda.kernels.sweeps.pieces import loop, piece
from pymc_medlda.kernels.sweeps.reference import DocumentLoss, refer_to, reweigh
from pymc_medlda.kernels.sweeps.rejection import draw_by_rejection, draw_from_all, weigh_visit
from pymc_medlda.kernels.sweeps.tempering import Temper
from pymc_medlda.kernels.sweeps.word_lists import WordLists

# If exponents under one bound differ by more than SOFT because tokens moved, or any exponents by
# more than FAR, a new reference is chosen.
SOFT = 2.0
FAR = 50.0
# If an exponent s eta_k is beyond this, the token's own sum h becomes the reference. Weights below
# exp(LOWEST) are zero, so STEEP must leave room for the others.
STEEP = 150.0
# The tokens of a gentle document share their bounds until moves have changed an exponent by SLACK.
# Its slopes are never steep: those of two tokens may differ by FAR, and so may the reference.
SLACK = 0.02


class Slopes(NamedTuple):
    """How much the slopes of the tokens of a document may differ."""

    lowest: float  # the smallest tilt of a topic in the document
    highest: float  # the largest
    is_gentle: bool
    slack: float  # a change of the slope for which shared bounds have room
    most_drift: float  # a change of the slope that needs a new reference


@piece
def range_slopes(loss: DocumentLoss, topics: Topics, document: Document) -> Slopes:
    """Find the tilts in a document, which ascend with the slots, and what follows from them."""
    first, last = 0, topics.tilt.size - 1
    while first < last and document.in_document[first] == 0.0:
        first += 1
    while first < last and document.in_document[last] == 0.0:
        last -= 1
    lowest, highest = topics.tilt[first], topics.tilt[last]
    is_gentle = (
        loss.strength * (highest - lowest) * topics.furthest <= topics.gentle
        and 2.0 * loss.strength * topics.furthest * topics.furthest <= FAR
    )
    most_drift = min(SOFT / topics.width, FAR / topics.furthest)
    return Slopes(lowest, highest, is_gentle, SLACK / topics.furthest, most_drift)


@piece
def hold_weights(j: Index, row: Index, lane: Index, work: Workspace, temper: Temper | None) -> None:
    """Compute two weights that a visit to a token of slot j needs, under the bounds of a row."""
    at = row * LANES
    own_prior = prior_without_token(j, work.document, temper)
    work.stay[j] = work.factor[j] * own_prior * work.bound[at + lane]
    work.rest[row] = dot(work.bound, at, work.mass, 0, LANES)


@piece
def hold_topic(
    j: Index, slope: float, topics: Topics, work: Workspace, temper: Temper | None
) -> None:
    """Compute the bounds and weights for the tokens of slot j."""
    own, at = topics.tilt[j], j * LANES
    bound_groups(slope, slope, topics.ends, own, work.level, work.bound, at)
    hold_weights(j, j, OWN, work, temper)


@piece
def share_bounds(
    of_median: float, loss: DocumentLoss, slopes: Slopes, topics: Topics, work: Workspace
) -> None:
    """Compute bounds for all tokens; ``of_median`` is c - h of a token whose eta is the median."""
    lowest = loss.strength * (of_median + slopes.lowest) - slopes.slack
    highest = loss.strength * (of_median + slopes.highest) + slopes.slack
    at = topics.eta.size * LANES
    bound_groups(lowest, highest, topics.ends, 0.0, work.level, work.bound, at)


@piece
def begin_document(
    d: Index,
    gamma: float,
    state: State,
    given: Parameters,
    topics: Topics,
    work: Workspace,
    temper: Temper | None,
) -> tuple[DocumentLoss, Slopes, float]:
    """Open document d; return its loss, its slopes and its sum of eta."""
    a, b = given.a[d, 0], given.b[d, 0]
    loss = DocumentLoss(gamma, a, b, gamma * gamma * a)
    open_in_slots(d, state, topics.slot, work.document, temper)
    total = dot(work.document.in_document, 0, topics.eta, 0, topics.eta.size)
    return loss, range_slopes(loss, topics, work.document), total


@piece
def prepare_visit(
    j: Index,
    total: float,
    held: float,
    centre: float,
    version: int,
    loss: DocumentLoss,
    slopes: Slopes,
    topics: Topics,
    work: Workspace,
    temper: Temper | None,
) -> tuple[float, float, float, int]:
    """Bring bounds and weights for a token of slot j up to date.

    ``total`` is the document's sum of eta, and ``held`` the one for which shared bounds were
    computed. Returns the slope, and the last three of the first five arguments.
    """
    slope = loss.strength * (centre - (total - topics.eta[j]))
    if slopes.is_gentle:
        if not loss.strength * abs(total - held) <= slopes.slack:
            held = total
            share_bounds(centre - (total - topics.middle), loss, slopes, topics, work)
        hold_weights(j, topics.eta.size, topics.group[j], work, temper)
    elif work.version[j] != version:
        if not abs(slope) * topics.furthest <= STEEP:
            slope, centre = 0.0, total - topics.eta[j]
            refer_to(centre, loss, topics, work)
            version += 1
        hold_topic(j, slope, topics, work, temper)
        work.version[j] = version
    return slope, held, centre, version


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
    temper: Temper | None,
) -> tuple[np.uint64, int, int, int]:
    """Visit every token of document d, which is not empty.

    ``version`` numbers the states of the weights A. Returns the counter and the version reached,
    and how many tokens changed topic and how many draws were refused.
    """
    word, z, beta, eta = state.tokens.word, state.z, given.beta, topics.eta
    first, last = state.tokens.start[d], state.tokens.start[d + 1]
    moved, refusals = 0, 0
    loss, slopes, total = begin_document(d, state.gamma[d], state, given, topics, work, temper)
    centre = total - loss.gamma * total
    held = np.nan  # the sum of eta for which the bounds of all tokens were computed
    refer_to(centre, loss, topics, work)
    version += 1
    for n in range(first, last):
        # LLVM leaves out tests for negative places if it knows that numbers were unsigned.
        t, old = np.int64(np.uint32(word[n])), np.int64(z[n])
        j = np.int64(topics.slot[old])
        slope, held, centre, version = prepare_visit(
            j, total, held, centre, version, loss, slopes, topics, work, temper
        )
        row, lane = (eta.size, topics.group[j]) if slopes.is_gentle else (j, OWN)
        fetch_ahead(lists, word, n, temper)
        visit = weigh_visit(t, old, j, row, lane, slope, beta, lists, work, temper)
        new, place, tries, counter = draw_by_rejection(
            counter, visit, beta, lists.entry, topics, work, temper
        )
        refusals += tries
        if new < 0:  # the law after refusals is the same, so any exact draw will do
            centre, held = total - eta[j], np.nan
            refer_to(centre, loss, topics, work)
            version += 1
            counter += STRIDE
            new = draw_from_all(uniform(counter), visit, beta, lists.entry, topics, work, temper)
        if new == j:
            continue
        drawn = np.int64(topics.topic[new])
        z[n] = drawn
        move_entry(lists, state.tally, t, visit.own, place, drawn, temper)
        state.document_topic[d, old] -= 1
        state.document_topic[d, drawn] += 1
        move_in_document(j, new, beta_total, work.document, temper)
        total += eta[new] - eta[j]
        average = total - loss.gamma * total
        if loss.strength * abs(centre - average) > slopes.most_drift:
            centre, held = average, np.nan
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
    temper: Temper | None,
) -> tuple[int, int]:
    """Visit every token once and draw its topic from the full conditional (see the module).

    ``counter`` is where the random numbers begin (see `uniform`). ``state``, except C_k, is
    updated in place, with ``lists``, the C_k of ``work`` and ``temper``. Returns how many tokens
    changed topic and how many draws were refused.
    """
    start = state.tokens.start
    moved, refusals, version = 0, 0, 0
    work.version[:] = -1
    for d in range(start.size - 1):
        if start[d] < start[d + 1]:
            counter, version, changed, refused = sweep_document(
                d, counter, version, state, given, beta_total, lists, topics, work, temper
            )
            moved += changed
            refusals += refused
    return moved, refusals
