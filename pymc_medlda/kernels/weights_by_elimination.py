"""The Gaussian draw of the weights where most pairs of topics share no document.

The factor U of P = UᵀU is computed row by row, straight from the documents. Topics are numbered as
in `elimination`. Symbols: a, b the augmented loss (log factor b F - a F²/2), z̄_d = C_d / N_d, q the
linear term of the weights.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pymc_medlda._arrays import Floats
from pymc_medlda.kernels._jit import kernel
from pymc_medlda.kernels.counts import Present
from pymc_medlda.kernels.elimination import plan_elimination
from pymc_medlda.kernels.weights_by_topics import check_memory, draw_gaussian, not_positive_definite

# With fewer topics than this, one dense factorisation takes less than a millisecond.
MANY_TOPICS = 256


class Shares(NamedTuple):
    """z̄ without its zeros, with the new numbers of the topics.

    The entries e of document d are ``start[d]:start[d + 1]``: the share ``share[e]`` of topic
    ``number[e]``. Those of a topic p that is eliminated are ``entry[first[p]:first[p + 1]]``, in
    the documents ``document``.
    """

    start: NDArray[np.int64]
    number: NDArray[np.int32]
    share: Floats
    first: NDArray[np.int64]
    entry: NDArray[np.int64]
    document: NDArray[np.int64]


def draw_by_elimination(
    present: Present, a: Floats, b: Floats, *, mean: Floats, precision: Floats, noise: Floats
) -> Floats:
    """Draw the weights of every task: UᵀU = P, η = U⁻¹ (U⁻ᵀ q + ε), with topics reordered.

    Parameters
    ----------
    present : Present
        C_dk of the topics that occur, without its zeros.
    a, b : (n_documents, n_tasks) float array
    mean, precision, noise : (n_tasks, n_topics) float array
        μ and τ of the prior, and ε, which is standard normal.

    Returns
    -------
    (n_tasks, n_topics) float array
    """
    n_tasks, n_topics = mean.shape
    plan = plan_elimination(present, a, n_topics)
    n_eliminated = plan.first.size - 1
    check_memory(1, n_topics - n_eliminated)
    shares = list_shares(present, plan.number, n_eliminated)
    documents = shares.start, shares.number, shares.share
    order = np.empty(n_topics, np.intp)
    order[plan.number] = np.arange(n_topics)
    pivot, factor = np.empty(n_eliminated), np.empty(plan.column.size)
    draws = np.empty((n_tasks, n_topics))
    for i in range(n_tasks):
        tau = precision[i, order]
        with np.errstate(over="ignore"):  # the caller asks whether the weights are finite
            x = tau * mean[i, order]
        add_linear(*documents, b, i, x)
        if not eliminate(*shares, *plan[1:], a, i, tau, x, pivot, factor):
            raise not_positive_definite()
        x[:n_eliminated] += noise[i, order[:n_eliminated]]
        if n_eliminated < n_topics:
            rest = np.zeros((n_topics - n_eliminated, n_topics - n_eliminated))
            add_documents(*documents, a, i, n_eliminated, rest)
            subtract_eliminated(plan.first, plan.column, factor, rest)
            own = slice(n_eliminated, None)
            x[own] = draw_gaussian(rest, tau[own], x[own], noise[i, order[own]])
        substitute(plan.first, plan.column, pivot, factor, x)
        draws[i, order] = x
    return draws


def list_shares(present: Present, new_number: NDArray[np.int32], n_eliminated: int) -> Shares:
    """List z̄ by documents, and by topics for those that are eliminated."""
    size = int(present.start[-1])
    number, share = np.empty(size, np.int32), np.empty(size)
    first = np.zeros(n_eliminated + 1, np.int64)
    entry, document = np.empty(size, np.int64), np.empty(size, np.int64)
    fill_shares(*present, new_number, number, share, first, entry, document)
    return Shares(present.start, number, share, first, entry, document)


@kernel
def fill_shares(
    start: np.ndarray,
    topic: np.ndarray,
    count: np.ndarray,
    new_number: np.ndarray,
    number: np.ndarray,
    share: np.ndarray,
    first: np.ndarray,
    entry: np.ndarray,
    document: np.ndarray,
) -> None:
    """Write what `Shares` holds; ``first`` is zero."""
    n_eliminated = first.size - 1
    for d in range(start.size - 1):
        length = 0
        for e in range(start[d], start[d + 1]):
            length += count[e]
        each = 1.0 / max(length, 1)
        for e in range(start[d], start[d + 1]):
            number[e] = new_number[topic[e]]
            share[e] = count[e] * each
            if number[e] < n_eliminated:
                first[number[e] + 1] += 1
    for p in range(n_eliminated):
        first[p + 1] += first[p]
    at = first.copy()
    for d in range(start.size - 1):
        for e in range(start[d], start[d + 1]):
            if number[e] < n_eliminated:
                place = at[number[e]]
                entry[place], document[place] = e, d
                at[number[e]] += 1


@kernel
def add_linear(
    start: np.ndarray, number: np.ndarray, share: np.ndarray, b: np.ndarray, i: int, out: np.ndarray
) -> None:
    """Add sum_d b_d z̄_d of task i."""
    for d in range(start.size - 1):
        for e in range(start[d], start[d + 1]):
            out[number[e]] += b[d, i] * share[e]


@kernel
def eliminate(
    start: np.ndarray,
    number: np.ndarray,
    share: np.ndarray,
    held: np.ndarray,
    entry: np.ndarray,
    document: np.ndarray,
    first: np.ndarray,
    column: np.ndarray,
    into: np.ndarray,
    row: np.ndarray,
    place: np.ndarray,
    a: np.ndarray,
    i: int,
    precision: np.ndarray,
    x: np.ndarray,
    pivot: np.ndarray,
    factor: np.ndarray,
) -> bool:
    """Write the rows of U of the topics that are eliminated; return False if a pivot is not > 0.

    ``pivot`` gets the diagonal and ``factor`` the other entries, in the order of ``column``. ``x``
    is q, which becomes U⁻ᵀ q for these topics, and what is left of q for the others.
    """
    total = np.zeros(x.size)
    for p in range(pivot.size):
        total[p] = precision[p]
        for e in range(first[p], first[p + 1]):
            total[column[e]] = 0.0
        # Sums for topics that are eliminated already are written, but they are never read.
        for h in range(held[p], held[p + 1]):
            d = document[h]
            scaled = a[d, i] * share[entry[h]]
            for e in range(start[d], start[d + 1]):
                total[number[e]] += scaled * share[e]
        for r in range(into[p], into[p + 1]):
            own = factor[place[r]]
            for e in range(place[r], first[row[r] + 1]):
                total[column[e]] -= own * factor[e]
        if not total[p] > 0.0:
            return False
        pivot[p] = math.sqrt(total[p])
        x[p] /= pivot[p]
        for e in range(first[p], first[p + 1]):
            factor[e] = total[column[e]] / pivot[p]
            x[column[e]] -= factor[e] * x[p]
    return True


@kernel
def add_documents(
    start: np.ndarray,
    number: np.ndarray,
    share: np.ndarray,
    a: np.ndarray,
    i: int,
    n_eliminated: int,
    rest: np.ndarray,
) -> None:
    """Add sum_d a_d z̄_d z̄_dᵀ of the topics that are left to the lower triangle of their block."""
    n_rest = rest.shape[0]
    flat = rest.reshape(-1)  # one index is cheaper to compute than two
    topic, own = np.empty(n_rest, np.int64), np.empty(n_rest)
    for d in range(start.size - 1):
        if a[d, i] == 0.0:  # adds zeros, and may hold topics that are not among those with numbers
            continue
        n = 0
        for e in range(start[d], start[d + 1]):
            if number[e] >= n_eliminated:
                topic[n], own[n] = number[e] - n_eliminated, share[e]
                n += 1
        for p in range(n):
            scaled = a[d, i] * own[p]
            for q in range(p + 1):
                flat[topic[p] * n_rest + topic[q]] += scaled * own[q]


@kernel
def subtract_eliminated(
    first: np.ndarray, column: np.ndarray, factor: np.ndarray, rest: np.ndarray
) -> None:
    """Subtract what the topics that are eliminated contribute to the block of the others."""
    n_eliminated, n_rest = first.size - 1, rest.shape[0]
    flat = rest.reshape(-1)
    for p in range(n_eliminated):
        begin = first[p + 1]
        while begin > first[p] and column[begin - 1] >= n_eliminated:
            begin -= 1
        for e in range(begin, first[p + 1]):
            at = (column[e] - n_eliminated) * n_rest - n_eliminated
            for f in range(begin, e + 1):
                flat[at + column[f]] -= factor[e] * factor[f]


@kernel
def substitute(
    first: np.ndarray, column: np.ndarray, pivot: np.ndarray, factor: np.ndarray, x: np.ndarray
) -> None:
    """Solve for the topics that are eliminated in U y = x, the others solved already."""
    for p in range(pivot.size - 1, -1, -1):
        for e in range(first[p], first[p + 1]):
            x[p] -= factor[e] * x[column[e]]
        x[p] /= pivot[p]
