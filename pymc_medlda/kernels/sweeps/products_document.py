"""What the sweep by products holds of the visited document, and how a visit finds it up to date.

The symbols are those of `products`.
"""

from __future__ import annotations

import math

import numpy as np

from pymc_medlda._arrays import Floats
from pymc_medlda.kernels._jit import Index
from pymc_medlda.kernels.counts import move_in_tally
from pymc_medlda.kernels.simd.counted import count_weights
from pymc_medlda.kernels.simd.lanes import combine, exponentials, weigh_anew
from pymc_medlda.kernels.sweeps.interface import Parameters, State
from pymc_medlda.kernels.sweeps.pieces import piece
from pymc_medlda.kernels.sweeps.products_prior import open_prior
from pymc_medlda.kernels.sweeps.products_state import Topics, Workspace
from pymc_medlda.kernels.sweeps.tempering import Temper

# Factors below exp(LOWEST) = exp(-400) of the largest are zero. Two exponents may come nearer to
# each other by 2 FURTHEST through moves and by 2 STEEP through a row, so a factor that was set to
# zero would be at most exp(-140), or 1e-61, of the largest. That does not matter unless alpha times
# beta is as small.
STEEP = 100.0
FURTHEST = 30.0


@piece
def count_moves(n: int, tally: np.ndarray, work: Workspace) -> None:
    """Bring the tally of C_kt up to date, after n moves.

    It is not done at every move, because the next visits would wait for what is written to an
    address that depends on the topic that was drawn.
    """
    for m in range(n):
        move_in_tally(tally, work.left[m], work.entered[m])


@piece
def close_document(d: Index, pending: int, state: State, work: Workspace) -> None:
    """Write what moves changed in document d, of which the tally lacks the last ones."""
    count_moves(pending, state.tally, work)
    for k in range(state.document_topic.shape[1]):
        state.document_topic[d, k] = work.in_document[k]


@piece
def open_document(
    d: Index,
    gamma: float,
    state: State,
    given: Parameters,
    topics: Topics,
    work: Workspace,
    temper: Temper | None,
) -> None:
    """Fill what is held of document d, except E, A and the rows."""
    size, slope = work.prior.size, work.slope
    for i in range(slope.size):
        slope[i] = 0.5 * gamma * gamma * given.a[d, i]
    combine(slope, topics.squared, work.own, 0, size)
    for k in range(size):
        work.own[k] -= work.corpus.log_mass[k]
    for i in range(slope.size):
        slope[i] *= 2.0 * math.sqrt(topics.furthest[i])
    combine(slope, topics.pull, work.pull, 0, size)
    for k in range(state.document_topic.shape[1]):
        work.in_document[k] = state.document_topic[d, k]
    open_prior(work, temper)


@piece
def compute_exponents(
    d: Index, gamma: float, given: Parameters, topics: Topics, work: Workspace
) -> None:
    """Compute the exponents f without their squares from the counts."""
    size, slope = work.prior.size, work.slope
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
    """Fill the rows of a steep topic: E with a token of topic j taken out, and E times P.

    The product of topic j itself is not used.
    """
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
