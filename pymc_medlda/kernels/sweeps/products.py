r"""The quick exact sweep over a table of counts: for any number of tasks, and for few topics.

Take the token (word t, topic j) of document d out; h_i is the sum of eta_i over the other tokens,
s_i the sum over all. The conditional (see `plain`) is, with f the supervised exponent and
R_k = 1/(C_k + V beta),

    q(k) ∝ (C_kt + beta) P_k exp(f_k(h)),    P_k = (C_dk + alpha_k) R_k,
    f_k(h) = gamma sum_i eta_ik (b_i - gamma a_i (eta_ik / 2 + h_i)) = f_k(s) + G_jk,
    G_jk = gamma² sum_i a_i eta_ij eta_ik.

The sweep keeps E_k = exp(f_k(s)), up to a common factor, and A_k = P_k E_k of the visited document,
and for each of its topics the rows exp(G_j) and exp(-G_j). Then a visit is a product of three
vectors, A_k exp(G_jk) (C_kt + beta), and a move from j to k multiplies E by exp(G_j) exp(-G_k): no
exponential is computed unless a topic is new in the document.

What is rounded stays small. E is computed anew after `MOST_MOVES` moves, and once moves have
changed an exponent by more than `FURTHEST`. If the exponents G_j of a topic might be beyond
`STEEP`, its rows hold instead what a visit to one of its tokens needs, computed with the token
taken out; they serve until a token of the document moves.
"""

from __future__ import annotations

import math

import numpy as np

from pymc_medlda._arrays import Floats
from pymc_medlda.kernels._jit import Index
from pymc_medlda.kernels.counts import move_in_tally
from pymc_medlda.kernels.simd.counted import (
    count_weights,
    draw_counted,
    fetch_row,
    fill_prior,
    item,
    move_counted,
)
from pymc_medlda.kernels.simd.lanes import combine, exponentials, weigh_anew
from pymc_medlda.kernels.simd.uniform import STRIDE, uniform
from pymc_medlda.kernels.sweeps.interface import Parameters, State
from pymc_medlda.kernels.sweeps.pieces import loop, piece
from pymc_medlda.kernels.sweeps.products_state import MOST_MOVES, Topics, Workspace

# Factors below exp(LOWEST) = exp(-400) of the largest are zero. Two exponents may come nearer to
# each other by 2 FURTHEST through moves and by 2 STEEP through a row, so a factor that was set to
# zero would be at most exp(-140), or 1e-61, of the largest. That does not matter unless alpha times
# beta is as small.
STEEP = 100.0
FURTHEST = 30.0
AHEAD = 8  # how many tokens ahead the counts of a word are requested from memory


@piece
def open_document(
    d: Index, gamma: float, state: State, given: Parameters, topics: Topics, work: Workspace
) -> None:
    """Fill what is held of document d, except E, A and the rows."""
    size, slope = work.prior.size, work.slope
    for i in range(slope.size):
        slope[i] = 0.5 * gamma * gamma * given.a[d, i]
    combine(slope, topics.squared, work.own, 0, size)
    for i in range(slope.size):
        slope[i] *= 2.0 * math.sqrt(topics.furthest[i])
    combine(slope, topics.pull, work.pull, 0, size)
    for k in range(state.document_topic.shape[1]):
        work.in_document[k] = state.document_topic[d, k]
    compute_prior(-1, work.without, work)


@piece
def compute_prior(change: int, out: Floats, work: Workspace) -> None:
    """Write P_k with ``change`` more tokens of topic k in the document."""
    corpus = work.corpus
    fill_prior(
        work.in_document, corpus.alpha, corpus.in_corpus, corpus.beta_total, change, out, out.size
    )


@piece
def compute_exponents(
    d: Index, gamma: float, given: Parameters, topics: Topics, work: Workspace
) -> None:
    """Compute P, and the exponents f without their squares, from the counts."""
    size, slope = work.prior.size, work.slope
    compute_prior(0, work.prior, work)
    for i in range(slope.size):
        total = count_weights(work.in_document, topics.eta, i * size, size)
        slope[i] = gamma * (given.b[d, i] - gamma * given.a[d, i] * total)
    combine(slope, topics.eta, work.exponent, 0, size)


@piece
def renew_factors(
    d: Index, gamma: float, given: Parameters, topics: Topics, work: Workspace
) -> None:
    """Compute E and A of document d."""
    compute_exponents(d, gamma, given, topics, work)
    size = work.prior.size
    weigh_anew(work.exponent, work.own, work.prior, work.factor, work.weight, 0, size)


@piece
def hold_steep(
    j: Index, d: Index, gamma: float, given: Parameters, topics: Topics, work: Workspace
) -> None:
    """Fill the rows of a steep topic: E with a token of topic j taken out, and E times P."""
    size = work.prior.size
    work.in_document[j] -= 1
    compute_exponents(d, gamma, given, topics, work)
    work.in_document[j] += 1
    weigh_anew(work.exponent, work.own, work.prior, work.lower, work.lift, j * size, size)


@piece
def claim_rows(
    j: Index, d: Index, gamma: float, a: Floats, topics: Topics, work: Workspace
) -> None:
    """Fill the rows exp(G_j) and exp(-G_j) of topic j in document d."""
    size, slope = work.prior.size, work.slope
    at = j * size
    for i in range(slope.size):
        slope[i] = gamma * gamma * a[i] * topics.eta[i * size + j]
    combine(slope, topics.eta, work.exponent, 0, size)
    exponentials(work.exponent, 0, work.lift, at, size)
    for k in range(size):
        work.lower[at + k] = 1.0 / work.lift[at + k]
    work.holder[j] = d


@piece
def find_factors(
    j: Index, d: Index, gamma: float, a: Floats, topics: Topics, work: Workspace
) -> Index:
    """Return where the factors of a move from or to topic j begin: ones, if it is steep."""
    size = work.prior.size
    if abs(work.pull[j]) > STEEP:
        return size * size
    if work.holder[j] != d:
        claim_rows(j, d, gamma, a, topics, work)
    return j * size


@piece
def prepare_visit(
    j: Index,
    d: Index,
    gamma: float,
    version: int,
    shift: float,
    given: Parameters,
    topics: Topics,
    work: Workspace,
) -> tuple[Index, Index, float, float]:
    """Bring what a visit to a token of topic j needs up to date.

    Returns where its weights begin in ``weight`` and in ``lift``, the factor E_j with the token
    taken out, and how far moves have shifted exponents since E was computed.
    """
    size = work.prior.size
    if abs(work.pull[j]) > STEEP:
        if work.version[j] != version:
            hold_steep(j, d, gamma, given, topics, work)
            work.version[j] = version
        return size, j * size, work.lower[j * size + j], shift
    if abs(shift) > FURTHEST:
        renew_factors(d, gamma, given, topics, work)
        shift = 0.0
    at = find_factors(j, d, gamma, given.a[d], topics, work)
    return 0, at, work.factor[j] * work.lift[at + j], shift


@piece
def prior_of(j: Index, change: int, work: Workspace) -> float:
    """Return P_j with ``change`` more tokens of topic j in the document."""
    corpus = work.corpus
    share = np.float64(work.in_document[j] + change) + corpus.alpha[j]
    return share / ((corpus.in_corpus[j] + change) + corpus.beta_total)


@piece
def count_moves(n: int, tally: np.ndarray, work: Workspace) -> None:
    """Bring the tally of C_kt up to date, after n moves.

    It is not done at every move, because the next visits would wait for what is written to an
    address that depends on the topic that was drawn.
    """
    for m in range(n):
        move_in_tally(tally, work.left[m], work.entered[m])


@piece
def move_in_document(
    vectors: tuple[int, ...],
    j: Index,
    new: Index,
    d: Index,
    gamma: float,
    a: Floats,
    begin: Index,
    table: np.ndarray,
    topics: Topics,
    work: Workspace,
) -> float:
    """Move a token from topic j to ``new`` in all counts and weights.

    Returns how far that shifts exponents: infinitely, if E lacks the move of a steep topic.
    """
    at = find_factors(j, d, gamma, a, topics, work)
    to = find_factors(new, d, gamma, a, topics, work)
    of_j, of_new = prior_of(j, -1, work), prior_of(new, 1, work)
    move_counted(
        vectors, table, begin, j, new, work.in_document, work.corpus.in_corpus,
        of_j, of_new, work.factor, work.weight, work.lift, at, work.lower, to,
    )  # fmt: skip
    work.without[j], work.without[new] = prior_of(j, -1, work), prior_of(new, -1, work)
    if max(at, to) == work.prior.size * work.prior.size:
        return np.inf
    if work.slope.size == 1:  # see `Workspace.pull`
        return work.pull[j] - work.pull[new]
    return work.pull[j] + work.pull[new]


@loop
def sweep_by_products(
    vectors: tuple[int, ...],
    counter: np.uint64,
    state: State,
    given: Parameters,
    table: np.ndarray,
    topics: Topics,
    work: Workspace,
) -> int:
    """Visit every token once and draw its topic from the full conditional (see the module).

    ``table`` is C_kt, flat from (n_words, size) with zeros after the last topic; ``vectors`` has
    one element for each vector of a row. ``counter`` is where the random numbers begin (see
    `uniform`). ``state``, except C_k, is updated in place, with the table and the C_k of ``work``.
    Returns how many tokens changed topic.
    """
    word, start, z = state.tokens.word, state.tokens.start, state.z
    size, beta, final = work.prior.size, given.beta, word.size - 1
    moved, version = 0, 0
    work.holder[:] = -1
    work.version[:] = -1
    for d in range(start.size - 1):
        first, last = start[d], start[d + 1]
        if first == last:
            continue
        gamma, moved_before = 1.0 / (last - first), moved
        open_document(d, gamma, state, given, topics, work)
        version += 1
        pending = 0  # moves that the tally lacks
        shift = np.inf  # how far moves have shifted exponents since E was computed
        # Read one token ahead: addresses that are known early make mispredicted branches cheaper.
        next_begin, next_j = item(word, first) * size, item(z, first)
        for n in range(first, last):
            begin, j = next_begin, next_j
            following = min(n + 1, final)
            next_begin, next_j = item(word, following) * size, item(z, following)
            fetch_row(vectors, table, item(word, min(n + AHEAD, final)) * size)
            n_own = item(table, begin + j)
            counter += STRIDE
            u = uniform(counter)
            first_weight, at, own_factor, shift = prepare_visit(
                j, d, gamma, version, shift, given, topics, work
            )
            stay = (n_own - 1 + beta) * (own_factor * work.without[j])
            new = draw_counted(
                vectors, table, begin, j, beta, work.weight, first_weight, work.lift, at, stay, u
            )
            if new == j:
                continue
            if new < 0:
                raise ValueError("a, b or eta of a document is not finite")
            work.left[pending], work.entered[pending] = n_own, table[begin + new]
            pending += 1
            shift += move_in_document(
                vectors, j, new, d, gamma, given.a[d], begin, table, topics, work
            )
            z[n] = new
            moved += 1
            version += 1
            if pending == MOST_MOVES:
                count_moves(pending, state.tally, work)
                pending, shift = 0, np.inf
        if moved > moved_before:
            count_moves(pending, state.tally, work)
            for k in range(state.document_topic.shape[1]):
                state.document_topic[d, k] = work.in_document[k]
    return moved
