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

What is rounded stays small. E is computed anew after `MOST_MOVES` moves, and once moves have changed
an exponent by more than `FURTHEST`. If the exponents G_j of a topic might be beyond
`STEEP`, its rows hold instead what a visit to one of its tokens needs, computed with the token
taken out; they serve until a token of the document moves.
"""

from __future__ import annotations

import math

import numpy as np

from pymc_medlda._arrays import Floats
from pymc_medlda.kernels._jit import Index
from pymc_medlda.kernels.counts import move_in_tally
from pymc_medlda.kernels.simd.counted import draw_counted, fetch_row, move_counted
from pymc_medlda.kernels.simd.lanes import combine, dot, exponentials, weigh_anew
from pymc_medlda.kernels.simd.uniform import STRIDE, uniform
from pymc_medlda.kernels.sweeps.interface import Parameters, State
from pymc_medlda.kernels.sweeps.pieces import loop, piece
from pymc_medlda.kernels.sweeps.products_state import Corpus, Topics, Workspace

# Factors below exp(LOWEST) = exp(-400) of the largest are zero. Two exponents may come nearer to
# each other by 2 FURTHEST through moves and by 2 STEEP through a row, so a factor that was set to
# zero would be at most exp(-40) of the largest, which is less than rounding changes their sum by.
STEEP = 150.0
FURTHEST = 30.0
MOST_MOVES = 256
AHEAD = 8  # how many tokens ahead the counts of a word are requested from memory


@piece
def open_document(
    d: Index, gamma: float, state: State, given: Parameters, topics: Topics, work: Workspace
) -> None:
    """Fill what is held of document d, except E, A and the rows."""
    size, slope, corpus = work.prior.size, work.slope, work.corpus
    for i in range(slope.size):
        slope[i] = 0.5 * gamma * gamma * given.a[d, i]
    combine(slope, topics.squared, work.own, 0, size)
    for i in range(slope.size):
        slope[i] *= 2.0 * math.sqrt(topics.furthest[i])
    combine(slope, topics.pull, work.pull, 0, size)
    for k in range(state.document_topic.shape[1]):
        work.in_document[k] = state.document_topic[d, k]
    for k in range(size):
        work.prior[k] = (work.in_document[k] + corpus.alpha[k]) * corpus.rate[k]


@piece
def compute_exponents(
    d: Index, gamma: float, given: Parameters, topics: Topics, work: Workspace
) -> None:
    """Compute the exponents f, without their squares, from the counts ``in_document``."""
    size, slope = work.prior.size, work.slope
    for i in range(slope.size):
        total = dot(work.in_document, 0, topics.eta, i * size, size)
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
    work.in_document[j] -= 1.0
    compute_exponents(d, gamma, given, topics, work)
    work.in_document[j] += 1.0
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
def prior_without(j: Index, beta_total: float, work: Workspace) -> float:
    """Return P_j with one token of topic j taken out."""
    corpus = work.corpus
    share = (work.in_document[j] - 1.0) + corpus.alpha[j]
    return share / ((corpus.in_corpus[j] - 1.0) + beta_total)


@piece
def move_in_document(
    j: Index, new: Index, beta_total: float, work: Workspace
) -> tuple[float, float]:
    """Follow a token from topic j to ``new`` in C_k and C_dk; return the new P of both topics."""
    # Every number is read once and written once: a number that is read soon after it was written
    # arrives late.
    corpus, in_document = work.corpus, work.in_document
    all_j, all_new = corpus.in_corpus[j] - 1.0, corpus.in_corpus[new] + 1.0
    own_j, own_new = in_document[j] - 1.0, in_document[new] + 1.0
    rate_j, rate_new = 1.0 / (all_j + beta_total), 1.0 / (all_new + beta_total)
    of_j, of_new = (own_j + corpus.alpha[j]) * rate_j, (own_new + corpus.alpha[new]) * rate_new
    corpus.in_corpus[j], corpus.in_corpus[new] = all_j, all_new
    corpus.rate[j], corpus.rate[new] = rate_j, rate_new
    in_document[j], in_document[new] = own_j, own_new
    return of_j, of_new


@loop
def sweep_by_products(
    vectors: tuple[int, ...],
    counter: np.uint64,
    state: State,
    given: Parameters,
    beta_total: float,
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
    size, beta, pull = work.prior.size, given.beta, work.pull
    moved, version, no_factors = 0, 0, size * size
    sign = -1.0 if work.slope.size == 1 else 1.0  # see `Workspace.pull`
    work.holder[:] = -1
    work.version[:] = -1
    for d in range(start.size - 1):
        first, last = start[d], start[d + 1]
        if first == last:
            continue
        gamma, a, moved_before = 1.0 / (last - first), given.a[d], moved
        open_document(d, gamma, state, given, topics, work)
        version += 1
        shift = np.inf  # how far moves have shifted exponents since E was computed
        for n in range(first, last):
            t, j = word[n], np.int64(z[n])
            begin = t * size
            ahead = word[min(n + AHEAD, word.size - 1)] * size
            fetch_row(vectors, table, ahead)
            n_own = np.int64(table[begin + j])
            counter += STRIDE
            u = uniform(counter)
            first_weight, at, own_factor, shift = prepare_visit(
                j, d, gamma, version, shift, given, topics, work
            )
            stay = (n_own - 1 + beta) * (own_factor * prior_without(j, beta_total, work))
            new = draw_counted(
                vectors, table, begin, j, beta, work.weight, first_weight, work.lift, at, stay, u
            )
            if new == j:
                continue
            if new < 0:
                raise ValueError("a, b or eta of a document is not finite")
            at = find_factors(j, d, gamma, a, topics, work)
            to = find_factors(new, d, gamma, a, topics, work)
            move_in_tally(state.tally, n_own, table[begin + new])
            of_j, of_new = move_in_document(j, new, beta_total, work)
            move_counted(
                vectors, table, begin, j, new, work.prior, of_j, of_new,
                work.factor, work.weight, work.lift, at, work.lower, to,
            )  # fmt: skip
            z[n] = new
            moved += 1
            version += 1
            shift += pull[j] + sign * pull[new]
            # The rows of a steep topic hold no factors of a move.
            if max(at, to) == no_factors or (moved - moved_before) % MOST_MOVES == 0:
                shift = np.inf
        if moved > moved_before:
            for k in range(state.document_topic.shape[1]):
                state.document_topic[d, k] = np.int32(work.in_document[k])
    return moved
