r"""The quick exact sweep by bounds, for one task: the cost of a visit does not grow with K.

Take the token (word t, topic j) of document d out; h is the sum of eta over the other tokens. The
conditional (see `plain`) is, with f the supervised exponent and R_k = 1/(C_k + V beta),

    q(k) ∝ (C_kt + beta) P_k exp(f_k(h)),    P_k = (C_dk + alpha_k) R_k,
    f_k(h) = gamma eta_k (b - gamma a (eta_k / 2 + h)).

Around a reference sum c (that of the document without one average token) the exponent is
f_k(h) = f_k(c) + s eta_k with the slope s = gamma² a (c - h). The weights A_k = P_k exp(f_k(c))
hold as long as no token of the document moves; all that depends on the token, or on moves since c
was chosen, is in the slope. This allows four savings.

1. Whether the token stays is drawn first. Mostly it does, and nothing is stored.
2. With any bound T_k ≥ exp(s eta_k), draw k from A_k T_k (C_kt + beta) and accept it with
   probability exp(s eta_k)/T_k; otherwise draw again, *including* the choice to stay. This is
   rejection sampling, not Metropolis: what is accepted has the law q, whatever the bound. The bound
   and the reference may therefore be chosen for speed.
3. Topics of similar eta share a bound. They are in seven groups, as narrow as can be, so all bounds
   are one vector, whatever K is: exp(s eta) at the highest end of each group.
   sum_k A_k T_k (C_kt + beta) is a sum over the word's topics plus beta times a sum over groups.

4. Where a token stays, the next one has the same weights if it is of the same word and topic. In
   documents that were counted, equal words stand side by side, so this is often so.

A bound need not be tight, so all exponentials are computed to three digits and rounded up, also
those of A_k: what is drawn is accepted with its exact weight over its bound. The topic of the token
itself has a bound of its own, and staying is refused in few of a thousand draws.

If the target is tempered, P_k is a power and C_kt + beta is one, which `gains` divides into what an
entry of the list adds and what every topic has. The bounds concern the loss alone, which is
tempered where a and b are drawn, so they hold as they are.
"""

from __future__ import annotations

import numpy as np

from pymc_medlda.kernels._jit import Index
from pymc_medlda.kernels.simd.uniform import STRIDE, uniform
from pymc_medlda.kernels.sweeps.bounds_state import Topics, Workspace
from pymc_medlda.kernels.sweeps.document import (
    close_in_slots,
    compute_prior,
    move_in_document,
    open_in_slots,
)
from pymc_medlda.kernels.sweeps.gains import fetch_ahead, move_entry
from pymc_medlda.kernels.sweeps.interface import Parameters, State
from pymc_medlda.kernels.sweeps.pieces import loop, piece
from pymc_medlda.kernels.sweeps.reference import DocumentLoss, refer_to, reweigh
from pymc_medlda.kernels.sweeps.rejection import draw_by_rejection, draw_from_all, weigh_visit
from pymc_medlda.kernels.sweeps.tempering import Temper
from pymc_medlda.kernels.sweeps.word_lists import WordLists

# If an exponent s eta_k is beyond this, the token's own sum h becomes the reference. Weights below
# exp(LOWEST) are zero, so STEEP must leave room for the others.
STEEP = 150.0


@piece
def sweep_document(
    d: Index,
    counter: np.uint64,
    state: State,
    given: Parameters,
    beta_total: float,
    lists: WordLists,
    topics: Topics,
    work: Workspace,
    temper: Temper | None,
) -> tuple[np.uint64, int, int]:
    """Visit every token of document d, which is not empty.

    Returns the counter that was reached, how many tokens changed topic, and how many draws were
    refused.
    """
    word, z, beta, eta = state.tokens.word, state.z, given.beta, topics.eta
    first, last = state.tokens.start[d], state.tokens.start[d + 1]
    gamma, a, b = state.gamma[d], given.a[d, 0], given.b[d, 0]
    loss = DocumentLoss(gamma, a, b, gamma * gamma * a)
    total = open_in_slots(d, state, topics.slot, eta, work.document, temper)
    moved, refusals = 0, 0
    reference = refer_to(total - gamma * total, loss, topics, work)
    weighed_word: Index = -1  # of the weights in ``visit``, if they still hold
    weighed_topic: Index = -1
    for n in range(first, last):
        # LLVM leaves out tests for negative places if it knows that numbers were unsigned.
        t, old = np.int64(np.uint32(word[n])), np.int64(z[n])
        fetch_ahead(lists, word, n, temper)
        if t != weighed_word or old != weighed_topic:
            j = np.int64(topics.slot[old])
            slope = loss.strength * (reference.centre - (total - eta[j]))
            if not abs(slope) * topics.furthest <= STEEP:
                slope, reference = 0.0, refer_to(total - eta[j], loss, topics, work)
            visit = weigh_visit(t, old, j, slope, reference, beta, lists, topics, work, temper)
            weighed_word, weighed_topic = t, old
        new, place, tries, counter = draw_by_rejection(
            counter, visit, beta, lists.entry, topics, work, temper
        )
        refusals += tries
        if new < 0:  # the law after refusals is the same, so any exact draw will do
            reference = refer_to(total - eta[j], loss, topics, work)
            weighed_word = -1
            counter += STRIDE
            new = draw_from_all(
                uniform(counter), visit, reference, beta, lists.entry, topics, work, temper
            )
        if new == j:
            continue
        weighed_word = -1
        drawn = np.int64(topics.topic[new])
        z[n] = drawn
        move_entry(lists, state.tally, t, visit.own, place, drawn, temper)
        state.document_topic[d, old] -= 1
        state.document_topic[d, drawn] += 1
        move_in_document(j, new, beta_total, work.document, temper)
        total += eta[new] - eta[j]
        average = total - gamma * total
        if loss.strength * abs(reference.centre - average) > topics.most_drift:
            reference = refer_to(average, loss, topics, work)
        else:
            reweigh(j, new, topics, work)
        moved += 1
    close_in_slots(d, state, topics.slot, work.document, temper)
    return counter, moved, refusals


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
    moved, refusals = 0, 0
    compute_prior(work.document, temper)
    for d in range(start.size - 1):
        if start[d] < start[d + 1]:
            counter, changed, refused = sweep_document(
                d, counter, state, given, beta_total, lists, topics, work, temper
            )
            moved += changed
            refusals += refused
    return moved, refusals
