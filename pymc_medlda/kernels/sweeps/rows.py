r"""The quick exact sweep by rows of weights: for several tasks and many topics.

Take the token (word t, topic j) of document d out; h_i is the sum of eta_i over the other tokens,
s_i the sum over all. The conditional (see `plain`) is, with f the supervised exponent and
R_k = 1/(C_k + V beta),

    q(k) ∝ (C_kt + beta) P_k exp(f_k(h)),    P_k = (C_dk + alpha_k) R_k,
    f_k(h) = gamma sum_i eta_ik (b_i - gamma a_i (eta_ik / 2 + h_i)) = f_k(s) + G_jk,
    G_jk = gamma² sum_i a_i eta_ij eta_ik.

So the weights A_k = P_k exp(f_k(s)) hold as long as no token of the document moves. What depends
on the token's own topic j is a row exp(G_j), which holds for the whole document and is computed
once for each topic that occurs in it. A visit needs only the product W_j of the two, for k ≠ j:
sum_k q(k) = stay + sum over the word's topics of W_jk C_kt + beta sum_k W_jk. A move from j to k
adds G_j - G_k to f. Only the computation of the rows costs more with more tasks.

C_kt is in lists of the topics in which a word occurs, which are short where there are many topics.
If the target is tempered, P_k is a power and C_kt + beta is one, which `gains` divides into what an
entry of the list adds and what every topic has.
"""

from __future__ import annotations

import numpy as np

from pymc_medlda._arrays import Floats
from pymc_medlda.kernels._jit import Index
from pymc_medlda.kernels.simd.lanes import (
    combine,
    dot,
    exponentials,
    multiply,
    weigh,
)
from pymc_medlda.kernels.simd.listed import choose_listed
from pymc_medlda.kernels.simd.uniform import STRIDE, choose, uniform
from pymc_medlda.kernels.sweeps.document import (
    move_in_document,
    open_document,
    prior_without_token,
)
from pymc_medlda.kernels.sweeps.gains import fetch_ahead, move_entry, sum_in_row
from pymc_medlda.kernels.sweeps.interface import Parameters, State
from pymc_medlda.kernels.sweeps.pieces import loop, piece
from pymc_medlda.kernels.sweeps.rows_state import Rows, Topics, Workspace
from pymc_medlda.kernels.sweeps.tempering import Temper, word_weight
from pymc_medlda.kernels.sweeps.word_lists import TOPIC, WordLists

# If an exponent G_jk is beyond this, W_j is not computed as a product, because its factors might
# underflow. Weights below exp(LOWEST) are zero, so STEEP must leave room for the others.
STEEP = 150.0


@piece
def weigh_document(
    d: Index,
    gamma: float,
    state: State,
    given: Parameters,
    topics: Topics,
    work: Workspace,
    temper: Temper | None,
) -> bool:
    """Compute f_k(s) and A_k of document d; return whether a row of it might be steep."""
    size, slope = work.exponent.size, work.slope
    open_document(d, state, work.document, temper)
    for i in range(slope.size):
        total = dot(work.document.in_document, 0, topics.eta, i * size, size)
        slope[i] = gamma * (given.b[d, i] - gamma * given.a[d, i] * total)
    combine(slope, topics.eta, work.exponent, 0, size)
    for i in range(slope.size):
        slope[i] = 0.5 * gamma * gamma * given.a[d, i]
    combine(slope, topics.squared, work.lifted, 0, size)
    for k in range(size):
        work.exponent[k] -= work.lifted[k]
    weigh(work.exponent, work.document.prior, work.weight, 0, size)
    work.rows.owner[:] = -1
    reach = 0.0
    for i in range(slope.size):
        reach += 2.0 * slope[i] * topics.furthest[i]
    return not reach <= STEEP


@piece
def has_row(j: Index, rows: Rows) -> bool:
    """Say whether topic j has a row in the visited document."""
    return rows.owner[rows.place[j]] == j


@piece
def claim_row(
    j: Index,
    row: Index,
    gamma: float,
    a: Floats,
    may_be_steep: bool,
    topics: Topics,
    work: Workspace,
) -> Index:
    """Give row ``row`` to topic j, fill it with G_j and exp(G_j), and return the row to use next.

    ``a`` is that of the document, (n_tasks,). A topic that had the row before loses it.
    """
    rows, size, slope = work.rows, work.exponent.size, work.slope
    if rows.owner[row] >= 0:
        work.version[rows.owner[row]] = -1
    rows.owner[row] = j
    rows.place[j] = row
    begin = row * size
    for i in range(slope.size):
        slope[i] = gamma * gamma * a[i] * topics.eta[i * size + j]
    combine(slope, topics.eta, rows.pull, begin, size)
    extreme = 0.0
    if may_be_steep:
        for k in range(size):
            extreme = max(extreme, abs(rows.pull[begin + k]))
    rows.steep[row] = not extreme <= STEEP
    if not rows.steep[row]:
        exponentials(rows.pull, begin, rows.lift, begin, size)
    return (row + 1) % rows.owner.size


@piece
def hold_topic(j: Index, beta: float, work: Workspace, temper: Temper | None) -> None:
    """Compute W_j and the two numbers that every visit to a token of topic j needs."""
    rows, size, prior = work.rows, work.exponent.size, work.document.prior
    at = rows.place[j] * size
    own_prior = prior_without_token(j, work.document, temper)
    if rows.steep[rows.place[j]]:
        for k in range(size):
            work.lifted[k] = work.exponent[k] + rows.pull[at + k]
        weigh(work.lifted, prior, rows.weight, at, size)
        work.stay[j] = rows.weight[at + j] / prior[j] * own_prior
        rows.weight[at + j] = 0.0
        rest = 0.0
        for k in range(size):
            rest += rows.weight[at + k]
    else:
        work.stay[j] = work.weight[j] * rows.lift[at + j] / prior[j] * own_prior
        rest = multiply(work.weight, rows.lift, at, rows.weight, at, j, size)
    work.rest[j] = word_weight(0, beta, temper) * rest


@piece
def visit(
    u: float,
    t: Index,
    j: Index,
    beta: float,
    lists: WordLists,
    tally: np.ndarray,
    work: Workspace,
    temper: Temper | None,
) -> Index:
    """Draw the topic of a token (word t, topic j); return the new topic.

    ``u`` is a uniform random number. The token is moved in the lists and their tally.
    """
    size, row, entry = work.exponent.size, work.rows.weight, lists.entry
    at, begin = work.rows.place[j] * size, lists.start[t]
    end = begin + lists.length[t]
    listed, own = sum_in_row(entry, begin, end, j, row, at, work.share, temper)
    stay = work.stay[j] * word_weight((entry[begin + own] >> 16) - 1, beta, temper)
    whole = stay + listed + work.rest[j]
    x = u * whole - stay
    if x < 0.0:
        return j
    if not whole > 0.0:
        raise ValueError("a, b or eta of a document is not finite")
    place: Index = -1
    if x < listed:
        place = choose_listed(x, work.share, end - begin)
        if place < 0:
            return j
        new = entry[begin + place] & TOPIC
    else:
        new = choose((x - listed) / word_weight(0, beta, temper), row, at, size)
        if new < 0:
            return j
    move_entry(lists, tally, t, own, place, new, temper)
    return new


@piece
def shift_exponent(j: Index, sign: float, work: Workspace) -> None:
    """Add G_j to the exponents f (``sign`` 1.0) or subtract it (-1.0)."""
    at = work.rows.place[j] * work.exponent.size
    for k in range(work.exponent.size):
        work.exponent[k] += sign * work.rows.pull[at + k]


@loop
def sweep_by_rows(
    counter: np.uint64,
    state: State,
    given: Parameters,
    beta_total: float,
    lists: WordLists,
    topics: Topics,
    work: Workspace,
    temper: Temper | None,
) -> int:
    """Visit every token once and draw its topic from the full conditional (see the module).

    C_kt is in ``lists``. ``counter`` is where the random numbers begin (see `uniform`). ``state``,
    except C_k, is updated in place, with the lists, the C_k of ``work`` and ``temper``. Returns how
    many tokens changed topic.
    """
    word, start, z = state.tokens.word, state.tokens.start, state.z
    size, beta = work.exponent.size, given.beta
    moved, version = 0, 0
    work.version[:] = -1
    for d in range(start.size - 1):
        first, last = start[d], start[d + 1]
        if first == last:
            continue
        gamma, a = state.gamma[d], given.a[d]
        may_be_steep = weigh_document(d, gamma, state, given, topics, work, temper)
        next_row: Index = 0
        version += 1
        for n in range(first, last):
            t, j = word[n], np.int64(z[n])
            if work.version[j] != version:
                if not has_row(j, work.rows):
                    next_row = claim_row(j, next_row, gamma, a, may_be_steep, topics, work)
                hold_topic(j, beta, work, temper)
                work.version[j] = version
            counter += STRIDE
            u = uniform(counter)
            fetch_ahead(lists, word, n, temper)
            new = visit(u, t, j, beta, lists, state.tally, work, temper)
            if new == j:
                continue
            z[n] = new
            state.document_topic[d, j] -= 1
            state.document_topic[d, new] += 1
            move_in_document(j, new, beta_total, work.document, temper)
            shift_exponent(j, 1.0, work)  # before claim_row, which may overwrite this row
            if not has_row(new, work.rows):
                next_row = claim_row(new, next_row, gamma, a, may_be_steep, topics, work)
            shift_exponent(new, -1.0, work)
            weigh(work.exponent, work.document.prior, work.weight, 0, size)
            moved += 1
            version += 1
    return moved
