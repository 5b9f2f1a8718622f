"""The weights A_k of a document around a reference sum, for the sweep by `bounds`.

The symbols are those of `bounds`. All exponentials are computed when a reference is chosen. Of the
weights and their sums, a move renews those of the two topics whose prior changed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pymc_medlda._arrays import Floats
from pymc_medlda.kernels._jit import Index
from pymc_medlda.kernels.simd.listed import N_GROUPS, add_up, shift_mass, supervise, tag
from pymc_medlda.kernels.sweeps.bounds_state import Topics, Workspace
from pymc_medlda.kernels.sweeps.pieces import piece


class DocumentLoss(NamedTuple):
    """What the supervised exponent takes from the visited document."""

    gamma: float
    a: float
    b: float
    strength: float  # gamma² a


class Reference(NamedTuple):
    """The exponents f_k(c) of a reference sum: eta_k (linear - quadratic eta_k) - top."""

    centre: float  # c
    linear: float
    quadratic: float
    top: float  # makes the largest of them zero


@piece
def exponent_at(k: Index, reference: Reference, topics: Topics) -> float:
    """Return f_k(c), minus the largest of all."""
    eta = topics.eta[k]
    return eta * (reference.linear - reference.quadratic * eta) - reference.top


@piece
def highest_exponent(linear: float, quadratic: float, ascending: Floats) -> float:
    """Return the largest of eta (linear - quadratic eta): at the eta next to the vertex."""
    # Without a branch, because the processor could not predict it.
    below: Index = 0
    n = ascending.size
    while n > 1:
        half = n // 2
        below += half * np.int64(2.0 * quadratic * ascending[below + half] < linear)
        n -= half
    low, high = ascending[below], ascending[min(below + 1, ascending.size - 1)]
    return max(low * (linear - quadratic * low), high * (linear - quadratic * high))


@piece
def sum_groups(topics: Topics, work: Workspace) -> None:
    """Compute the sums of A over the groups."""
    for group in range(N_GROUPS):
        first, last = topics.begin[group], topics.begin[group + 1]
        work.mass[group] = add_up(work.weight, first, last - first)
    work.error[:] = 0.0


@piece
def refer_to(centre: float, loss: DocumentLoss, topics: Topics, work: Workspace) -> Reference:
    """Compute bounds of exp(f), divided by its largest value, and of A, for c = ``centre``."""
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
    return Reference(centre, linear, quadratic, top)


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
