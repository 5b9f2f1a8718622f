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

Where many tokens move, documents are visited without branches, in the same law: see
`products_runs`.

The same loop serves a tempered target (see `tempering`): then it is given the powers of all counts
in ``temper``, and draws from ``temper.of_cells`` instead of the table. Where ``temper`` is None,
numba leaves out all that concerns it.
"""

from __future__ import annotations

import numpy as np

from pymc_medlda._arrays import Floats
from pymc_medlda.kernels._jit import Index
from pymc_medlda.kernels.simd.counted import draw_counted, fetch_row, item, move_counted
from pymc_medlda.kernels.simd.lanes import fetch
from pymc_medlda.kernels.simd.uniform import STRIDE, uniform
from pymc_medlda.kernels.sweeps.interface import Parameters, State
from pymc_medlda.kernels.sweeps.pieces import loop, piece
from pymc_medlda.kernels.sweeps.products_document import (
    close_document,
    count_moves,
    find_factors,
    open_document,
    prepare_visit,
)
from pymc_medlda.kernels.sweeps.products_prior import move_prior, prior_after
from pymc_medlda.kernels.sweeps.products_runs import may_suit_runs, sweep_in_runs
from pymc_medlda.kernels.sweeps.products_state import MOST_MOVES, Topics, Workspace
from pymc_medlda.kernels.sweeps.tempering import Temper, move_in_rows, move_rates, word_weight

AHEAD = 8  # how many tokens ahead the counts of a word are requested from memory


@piece
def fetch_ahead(
    vectors: tuple[int, ...],
    n: Index,
    size: int,
    state: State,
    table: np.ndarray,
    temper: Temper | None,
) -> None:
    """Request what a visit to token n reads, before it is visited."""
    begin = item(state.tokens.word, n) * size
    if temper is None:
        fetch_row(vectors, table, begin)
    else:  # of the table one count is read, unless the token moves
        fetch_row(vectors, temper.of_cells, begin)
        fetch(table, begin + item(state.z, n))


@piece
def draw_topic(
    vectors: tuple[int, ...],
    begin: Index,
    j: Index,
    beta: float,
    first_weight: Index,
    at: Index,
    stay: float,
    u: float,
    table: np.ndarray,
    work: Workspace,
    temper: Temper | None,
) -> Index:
    """Draw from the counts of a word, whose row begins at ``begin``, or from their powers."""
    weight, lift = work.weight, work.lift
    if temper is None:
        return draw_counted(vectors, table, begin, j, beta, weight, first_weight, lift, at, stay, u)
    return draw_counted(
        vectors, temper.of_cells, begin, j, 0.0, weight, first_weight, lift, at, stay, u
    )


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
    temper: Temper | None,
) -> float:
    """Move a token from topic j to ``new`` in all counts and weights.

    Returns how far that shifts exponents: infinitely, if E lacks the move of a steep topic.
    """
    at = find_factors(j, d, gamma, a, topics, work)
    to = find_factors(new, d, gamma, a, topics, work)
    if temper is not None:
        move_rates(j, new, work.corpus.in_corpus, temper)
    of_j, of_new = prior_after(j, new, work, temper)
    move_counted(
        vectors, table, begin, j, new, work.in_document, work.corpus.in_corpus,
        of_j, of_new, work.factor, work.weight, work.lift, at, work.lower, to,
    )  # fmt: skip
    move_prior(j, new, of_j, of_new, work, temper)
    if temper is not None:
        move_in_rows(j, new, begin, table, temper)
    if max(at, to) == work.prior.size * work.prior.size:
        return np.inf
    if work.slope.size == 1:  # see `Workspace.pull`
        return work.pull[j] - work.pull[new]
    return work.pull[j] + work.pull[new]


@loop
def sweep_by_visits(
    vectors: tuple[int, ...],
    earliest: Index,
    moved: int,
    counter: np.uint64,
    state: State,
    given: Parameters,
    table: np.ndarray,
    topics: Topics,
    work: Workspace,
    temper: Temper | None,
) -> tuple[Index, int]:
    """Visit documents from ``earliest`` on, up to a later one that may suit runs.

    The arguments and what is returned are those of `sweep_in_runs`. In the loop, ``pending`` is how
    many moves the tally lacks, and ``shift`` how far moves have shifted exponents since E was
    computed. Words and topics are read one token ahead, because addresses that are known early make
    mispredicted branches cheaper.
    """
    word, start, z = state.tokens.word, state.tokens.start, state.z
    size, beta, final, version = work.prior.size, given.beta, word.size - 1, 0
    work.holder[:] = -1
    work.version[:] = -1
    for d in range(earliest, start.size - 1):
        first, last = start[d], start[d + 1]
        if temper is None and d > earliest and may_suit_runs(vectors, d, moved, start, work.runs):
            return d, moved
        if first == last:
            continue
        gamma, moved_before = state.gamma[d], moved
        open_document(d, gamma, state, given, topics, work, temper)
        version += 1
        pending, shift = 0, np.inf
        next_begin, next_j = item(word, first) * size, item(z, first)
        for n in range(first, last):
            begin, j = next_begin, next_j
            following = min(n + 1, final)
            next_begin, next_j = item(word, following) * size, item(z, following)
            fetch_ahead(vectors, min(n + AHEAD, final), size, state, table, temper)
            n_own = item(table, begin + j)
            counter += STRIDE
            u = uniform(counter)
            first_weight, at, own_factor, shift = prepare_visit(
                j, d, gamma, version, shift, given, topics, work
            )
            stay = word_weight(n_own - 1, beta, temper) * (own_factor * work.without[j])
            new = draw_topic(
                vectors, begin, j, beta, first_weight, at, stay, u, table, work, temper
            )
            if new == j:
                continue
            if new < 0:
                raise ValueError("a, b or eta of a document is not finite")
            work.left[pending], work.entered[pending] = n_own, table[begin + new]
            pending += 1
            shift += move_in_document(
                vectors, j, new, d, gamma, given.a[d], begin, table, topics, work, temper
            )
            z[n] = new
            moved += 1
            version += 1
            if pending == MOST_MOVES:
                count_moves(pending, state.tally, work)
                pending, shift = 0, np.inf
        if moved > moved_before:
            close_document(d, pending, state, work)
    return start.size - 1, moved


@loop
def sweep_by_products(
    vectors: tuple[int, ...],
    counter: np.uint64,
    state: State,
    given: Parameters,
    table: np.ndarray,
    topics: Topics,
    work: Workspace,
    temper: Temper | None,
) -> int:
    """Visit every token once and draw its topic from the full conditional (see the module).

    ``table`` is C_kt, flat from (n_words, size) with zeros after the last topic; ``vectors`` has
    one element for each vector of a row. ``counter`` is where the random numbers begin (see
    `uniform`). ``state``, except C_k, is updated in place, with the table, ``temper`` and the C_k
    of ``work``. Returns how many tokens changed topic.
    """
    start = state.tokens.start
    d: Index = 0
    moved = 0
    while d < start.size - 1:
        if temper is None:
            here = counter + np.uint64(start[d] - start[0]) * STRIDE
            d, moved = sweep_in_runs(vectors, d, moved, here, state, given, table, topics, work)
            if moved < 0:
                raise ValueError("a, b or eta of a document is not finite")
        here = counter + np.uint64(start[d] - start[0]) * STRIDE
        d, moved = sweep_by_visits(
            vectors, d, moved, here, state, given, table, topics, work, temper
        )
    return moved
