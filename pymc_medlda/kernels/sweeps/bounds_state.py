"""The arrays of the sweep by bounds: those of all topics, and those of the visited document.

The symbols are those of `bounds`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pymc_medlda._arrays import Floats
from pymc_medlda.kernels.simd.aligned import aligned_zeros
from pymc_medlda.kernels.simd.lanes import LANES, N_SINGLE, SHARED
from pymc_medlda.kernels.sweeps.document import Document


class Topics(NamedTuple):
    """The weights eta of a sweep and their groups, padded; padding has no weight in any draw."""

    eta: Floats  # (size,); padding repeats a real topic, so that the range of eta stays
    ascending: Floats  # (n_topics,) eta in ascending order
    single: np.ndarray  # (N_SINGLE,) the topics of extreme eta; -1 where there are fewer topics
    shared: Floats  # (size,) 1.0 for the other topics, else 0.0
    ends: Floats  # (2 LANES,) eta of the single topics, then the smallest of the others; and
    # again, with the largest of the others


class Workspace(NamedTuple):
    """What a sweep holds of the visited document."""

    document: Document
    factor: Floats  # (size,) exp(f_k(c)), at most 1
    weight: Floats  # (size,) A_k
    mass: Floats  # (LANES,) sums of A_k over the groups
    bound: Floats  # (size * LANES,) for each topic j: T of the groups, and exp(s eta_j)
    slope: Floats  # (size,) s for the tokens of a topic
    stay: Floats  # (size,) weight of a topic's token to stay, divided by C_kt - 1 + beta
    rest: Floats  # (size,) beta times the sum of A_k T_k
    version: np.ndarray  # (size,) version of the document for which the four above were computed
    share: Floats  # (size + LANES,) A_k T_k C_kt along the word's list


def arrange_topics(eta: Floats, size: int) -> Topics:
    """Pad the weights to ``size`` topics, and choose the topics with a bound of their own."""
    padded, shared = aligned_zeros(2, size)
    padded[: eta.size] = eta
    padded[eta.size :] = eta[0]
    ascending = np.sort(eta)
    by_extremity = np.argsort(-np.abs(eta - ascending[eta.size // 2]), kind="stable")
    extreme, others = by_extremity[:N_SINGLE], by_extremity[N_SINGLE:]
    single = np.full(N_SINGLE, -1, np.int64)
    single[: extreme.size] = extreme
    shared[others] = 1.0
    ends = aligned_zeros(2, LANES)
    ends[:, : extreme.size] = eta[extreme]
    if others.size:
        ends[:, SHARED] = eta[others].min(), eta[others].max()
    return Topics(padded, ascending, single, shared, ends.reshape(-1))


def empty_workspace(document: Document) -> Workspace:
    """Allocate what a sweep holds of one document."""
    size = document.alpha.size
    factor, weight, slope, stay, rest = aligned_zeros(5, size)
    return Workspace(
        document,
        factor,
        weight,
        mass=aligned_zeros(LANES),
        bound=aligned_zeros(size * LANES),
        slope=slope,
        stay=stay,
        rest=rest,
        version=np.zeros(size, np.int64),
        share=aligned_zeros(size + LANES),
    )
