"""Documents in which many tokens move, visited without branches by the sweep by products.

The symbols are those of `products`. Such a document is visited in runs (see `unbranched`), between
which E is computed anew. A run is so short that its moves cannot change an exponent by more than
`FURTHEST`, wherever they go.
"""

from __future__ import annotations

import numpy as np

from pymc_medlda._arrays import Floats
from pymc_medlda.kernels._jit import Index
from pymc_medlda.kernels.simd.lanes import LANES, combine, exponentials_of_both_signs
from pymc_medlda.kernels.simd.unbranched import visit_unbranched
from pymc_medlda.kernels.simd.uniform import STRIDE
from pymc_medlda.kernels.sweeps.interface import Parameters, State
from pymc_medlda.kernels.sweeps.pieces import loop, piece
from pymc_medlda.kernels.sweeps.products_document import (
    FURTHEST,
    close_document,
    count_moves,
    open_document,
    renew_factors,
)
from pymc_medlda.kernels.sweeps.products_state import (
    MOST_MOVES,
    MOST_VECTORS,
    Runs,
    Topics,
    Workspace,
)

# The rows of a topic are computed by a formula that holds up to this exponent.
GENTLE = 0.5


@piece
def may_suit_runs(
    vectors: tuple[int, ...], d: Index, moved: int, start: np.ndarray, runs: Runs
) -> bool:
    """Say whether document d is visited in runs, if its exponents are gentle.

    It is if it is long and if many tokens moved before it in this sweep. This depends on nothing
    but the sweep itself, so that its draws follow from its counter.
    """
    visited, length = start[d] - start[0], start[d + 1] - start[d]
    is_long = len(vectors) <= MOST_VECTORS and length >= runs.tokens
    return is_long and moved >= runs.moved * (visited + 1)


@piece
def length_of_runs(work: Workspace) -> int:
    """Return how many tokens of an opened document are visited in a run; zero if it is steep."""
    steepest = 0.0
    for k in range(work.pull.size):
        steepest = max(steepest, abs(work.pull[k]))
    if not steepest <= GENTLE:
        return 0
    if 2.0 * steepest * MOST_MOVES <= FURTHEST:  # see `Workspace.pull`
        return MOST_MOVES
    return int(FURTHEST / (2.0 * steepest))


@piece
def claim_all_rows(
    n: int, gamma: float, a: Floats, n_topics: int, topics: Topics, work: Workspace
) -> None:
    """Fill the rows exp(G_j) and exp(-G_j) of all topics, in the order of their places."""
    size, slope = work.prior.size, work.slope
    for j in range(n_topics):
        for i in range(slope.size):
            slope[i] = gamma * gamma * a[i] * topics.eta[i * size + j]
        combine(slope, topics.eta, work.exponent, 0, size)
        at = (j % LANES * n + j // LANES) * size
        exponentials_of_both_signs(work.exponent, work.lift, work.lower, at, size)


@piece
def visit_in_runs(
    vectors: tuple[int, ...],
    d: Index,
    longest: int,
    counter: np.uint64,
    state: State,
    given: Parameters,
    table: np.ndarray,
    topics: Topics,
    work: Workspace,
) -> int:
    """Draw the topics of a document; return how many changed, or -1 if a weight is not finite."""
    word, start, z = state.tokens.word, state.tokens.start, state.z
    gamma, corpus = state.gamma[d], work.corpus
    n_topics = state.document_topic.shape[1]
    claim_all_rows(len(vectors), gamma, given.a[d], n_topics, topics, work)
    moved = 0
    for begin in range(start[d], start[d + 1], longest):
        end = min(begin + longest, start[d + 1])
        renew_factors(d, gamma, given, topics, work)
        changed = visit_unbranched(
            vectors, word, z, begin, end, counter, table, given.beta,
            corpus.beta_total, corpus.alpha, work.factor, work.in_document, corpus.in_corpus,
            work.lift, work.lower, work.left, work.entered,
        )  # fmt: skip
        if changed < 0:
            return -1
        count_moves(changed, state.tally, work)
        counter += np.uint64(end - begin) * STRIDE
        moved += changed
    return moved


# This is no piece: in the loop that calls it, its code would make other visits slower.
@loop
def sweep_in_runs(
    vectors: tuple[int, ...],
    d: Index,
    moved: int,
    counter: np.uint64,
    state: State,
    given: Parameters,
    table: np.ndarray,
    topics: Topics,
    work: Workspace,
) -> tuple[Index, int]:
    """Visit documents from d on, up to one that does not suit runs.

    ``moved`` is how many tokens of the documents before d changed topic, and ``counter`` where the
    random numbers of document d begin. Returns the document that comes next, and how many tokens of
    all documents before it changed topic, or -1 if a weight is not finite.
    """
    start = state.tokens.start
    while d < start.size - 1:
        first, last = start[d], start[d + 1]
        if not may_suit_runs(vectors, d, moved, start, work.runs):
            break
        open_document(d, state.gamma[d], state, given, topics, work, None)
        longest = length_of_runs(work)
        if longest == 0:
            break
        changed = visit_in_runs(vectors, d, longest, counter, state, given, table, topics, work)
        if changed < 0:
            return d, -1
        close_document(d, 0, state, work)
        counter += np.uint64(last - first) * STRIDE
        moved += changed
        d += 1
    return d, moved
