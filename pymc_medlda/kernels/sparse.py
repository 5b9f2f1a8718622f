r"""The quick exact sweep: the word's topics only, and nothing recomputed that did not change.

Take the token (word t, topic j) of document d out; h_i is the sum of eta_i over the others. The
conditional (see `topics`) is, with f the supervised exponent and R_k = 1/(C_k + V beta),

    q(k) ∝ (C_kt + beta) P_k exp(f_k(h)),    P_k = (C_dk + alpha_k) R_k,
    f_k(h) = gamma sum_i eta_ik (b_i - gamma a_i (eta_ik / 2 + h_i)).

Around a reference sum c (the document without one average token) the exponent is
f_k(h) = f_k(c) + e_k with e_k = gamma² sum_i a_i eta_ik (c_i - h_i): the weights
A_k = P_k exp(f_k(c)) hold while no token of the document moves, and all that depends on the
token, or on moves since c was chosen, is in e_k. Three things follow.

1. sum_k q(k) = stay + sum over the word's topics of A_k T_k C_kt + beta sum_k A_k T_k, T = exp(e):
   the first sum is short, the second changes only with moves and sits in a tree of sums.
2. Whether the token stays is asked first: nine times in ten it does, and nothing is stored.
3. T_k need not be known: with any bound T_k ≥ exp(e_k) in its place, draw k ≠ j, accept it with
   probability exp(e_k)/T_k and else draw again, *including* the choice to stay, whose weight is
   exact. This is rejection, not Metropolis: what is accepted has law q, whatever the bound, so
   bounds and references may be chosen by what was quick before.

The bound is one number where e varies little ("soft"). Else the first ``n_single`` topics have
their own, exp(e_k), and the others share one. With one task e_k is proportional to eta_k, and
under many topics all but a few weights are near zero: the topics of extreme eta come first (the
sweep renames topics for that), and a few exponentials do for any number of topics. With more
tasks, or few topics, all topics are single and nothing is refused.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from pymc_medlda.kernels._jit import Index, kernel
from pymc_medlda.kernels.counts import Tokens
from pymc_medlda.kernels.exponential import exponential
from pymc_medlda.kernels.lanes import dot, fetch, largest, least, sum_listed
from pymc_medlda.kernels.sumtree import build_tree, find_leaf, set_leaf, sum_without
from pymc_medlda.kernels.wordlists import TOPIC, WordLists, add_token, remove_token

SOFT = 1.0  # range of e below which one bound serves all topics
STEEP = 300.0  # range of e beyond which weights may underflow: the whole row, in logarithms

AHEAD = 8  # tokens between asking for a word's list and reading it


class Topics(NamedTuple):
    """What a sweep knows of each topic, in the order and padded size of the tree's leaves."""

    name: np.ndarray  # (size,) the topic's column in C_dk
    eta: np.ndarray  # (n_tasks, size); padding repeats a real topic, so it widens no range
    alpha: np.ndarray  # (size,), 0 for padding
    in_corpus: np.ndarray  # (size,), C_k
    rate: np.ndarray  # (size,), R_k, 0 for padding
    ends: np.ndarray  # (2, n_single + 2) one task: eta of the single topics; the least (in the
    # first row) or largest (in the second) of the others; and the same of all


class Workspace(NamedTuple):
    """What a sweep holds of the document at hand; see the module for the symbols."""

    total: np.ndarray  # (n_tasks,) sum of eta over all tokens
    centre: np.ndarray  # (n_tasks,) c
    in_document: np.ndarray  # (size,) C_dk, zero between documents
    prior: np.ndarray  # (size,) P_k
    factor: np.ndarray  # (size,) exp(f_k(c)), the largest being 1
    weight: np.ndarray  # (size,) A_k
    tree: np.ndarray  # (2 size,) sums of A_k over the topics that are not single
    drift: np.ndarray  # (size,) many tasks: e_k without the token's own pull
    pull: np.ndarray  # (rows, size) many tasks: gamma² sum_i a_i eta_ik eta_ij, j the row's owner
    bound: np.ndarray  # (rows * stride,) T exp(-max e); row 0 is all one
    owner: np.ndarray  # (rows,) whose row it is; in place 0 the row taken last
    held: np.ndarray  # (size, 4) SLOPE, TOP, STAY and REST of a topic's tokens
    marks: np.ndarray  # (size, 3) VERSION for which they hold, LAST and ROW
    buffer: np.ndarray  # (size,)


# Columns of ``held`` and ``marks``, so that what a visit reads of its topic is in one cache line.
SLOPE = 0  # one task: e_k = slope * eta_k
TOP = 1  # max e
STAY = 2  # weight to stay, over C_kt - 1 + beta; NaN where e is steep
REST = 3  # beta times the sum of A_k T_k over k ≠ j
VERSION = 0
LAST = 1  # the bound of topic k is in place ``min(k, last)`` of the row
ROW = 2  # row of ``bound`` and ``pull``


@kernel
def choose_reference(
    gamma: float,
    a: np.ndarray,
    b: np.ndarray,
    eta: np.ndarray,
    total: np.ndarray,
    centre: np.ndarray,
    prior: np.ndarray,
    factor: np.ndarray,
    weight: np.ndarray,
    tree: np.ndarray,
    n_single: int,
    drift: np.ndarray,
) -> None:
    """Set c to the document less one average token, and the weights A that hang on it."""
    size = factor.size
    factor[:] = 0.0
    drift[:] = 0.0
    for i in range(a.size):
        centre[i] = total[i] - gamma * total[i]
        linear = gamma * b[i] - gamma * gamma * a[i] * centre[i]
        quadratic = 0.5 * gamma * gamma * a[i]
        back = gamma * gamma * a[i] * (centre[i] - total[i])
        eta_i = eta[i]
        for k in range(size):
            factor[k] += eta_i[k] * (linear - quadratic * eta_i[k])
        if a.size > 1:
            for k in range(size):
                drift[k] += eta_i[k] * back
    highest = largest(factor)
    for k in range(size):
        factor[k] = exponential(factor[k] - highest)
    for k in range(size):
        weight[k] = factor[k] * prior[k]
    if n_single < size:
        tree[size + n_single :] = weight[n_single:]
        build_tree(tree)


@kernel
def claim_row(j: Index, owner: np.ndarray, marks: np.ndarray) -> tuple[Index, bool]:
    """Return topic j's row in the document's tables, and whether it is yet to be filled."""
    row = marks[j, ROW]
    if row > 0 and owner[row] == j:
        return row, False
    row = owner[0] % (owner.size - 1) + 1
    owner[0] = row
    if owner[row] >= 0:
        marks[owner[row], VERSION] = -1
    owner[row] = j
    marks[j, ROW] = row
    return row, True


@kernel
def pull_of(
    j: Index,
    gamma: float,
    a: np.ndarray,
    eta: np.ndarray,
    pull: np.ndarray,
    owner: np.ndarray,
    marks: np.ndarray,
) -> Index:
    """Return topic j's row of ``pull``, filled."""
    row, is_new = claim_row(j, owner, marks)
    if is_new:
        pull_j = pull[row]
        pull_j[:] = 0.0
        for i in range(a.size):
            strength = gamma * gamma * a[i] * eta[i, j]
            eta_i = eta[i]
            for k in range(pull_j.size):
                pull_j[k] += strength * eta_i[k]
    return row


@kernel
def sum_bounded(
    j: Index, offset: Index, n_single: int, bound: np.ndarray, weight: np.ndarray, tree: np.ndarray
) -> float:
    """Return the sum of A_k T_k over k ≠ j, T in a row of bounds."""
    own = weight[j]
    weight[j] = 0.0
    total = dot(bound, offset, weight, 0, n_single)
    weight[j] = own
    others = tree[1] if j < n_single else sum_without(tree, j, 1)
    return total + bound[offset + n_single] * others


@kernel
def bound_one_task(
    j: Index,
    slope: float,
    eta: np.ndarray,
    ends: np.ndarray,
    bound: np.ndarray,
    owner: np.ndarray,
    marks: np.ndarray,
) -> tuple[float, float, Index]:
    """Bound e_k = slope * eta_k; return e_j - max e, max e and the row of bounds (-1: steep)."""
    side = 1 if slope > 0.0 else 0
    n_ends = ends.shape[1]
    top = slope * ends[side, n_ends - 1]
    spread = top - slope * ends[1 - side, n_ends - 1]
    if not spread <= STEEP:
        return 0.0, top, -1
    row: Index = 0
    if spread > SOFT:
        row, _ = claim_row(j, owner, marks)
        # Unsigned indices instead of slices: those would count references, and signed sums of
        # indices (which may be negative to numba) would not become vector instructions.
        at = np.uint64(row * (bound.size // owner.size))
        for place in range(np.uint64(n_ends - 1)):
            bound[at + np.uint64(place)] = exponential(slope * ends[side, place] - top)
    return slope * eta[0, j] - top, top, row


@kernel
def bound_many_tasks(
    j: Index, row: Index, stride: int, drift: np.ndarray, pull: np.ndarray, bound: np.ndarray
) -> tuple[float, float, Index]:
    """Bound e_k = drift_k + pull_jk; return e_j - max e, max e and the row of bounds."""
    size = drift.size
    pull_j, bound_j = pull[row], bound[row * stride : row * stride + size]
    for k in range(size):
        bound_j[k] = drift[k] + pull_j[k]
    top = largest(bound_j)
    spread = top - least(bound_j)
    own = bound_j[j] - top
    if not spread <= STEEP:
        return own, top, -1
    if spread <= SOFT:
        return own, top, 0
    for k in range(size):
        bound_j[k] = exponential(bound_j[k] - top)
    return own, top, row


@kernel
def find_in_list(
    entry: np.ndarray,
    begin: Index,
    end: Index,
    j: Index,
    x: float,
    bound: np.ndarray,
    offset: Index,
    last: Index,
    weight: np.ndarray,
) -> Index:
    """Return the topic k ≠ j of the word at which the cumulated A_k T_k C_kt passes ``x``."""
    found = j
    for e in range(begin, end):
        k = entry[e] & TOPIC
        share = weight[k] * bound[offset + min(k, last)] * (entry[e] >> 16)
        if k != j and share > 0.0:
            found = k
            x -= share
            if x < 0.0:
                break
    return found


@kernel
def find_anywhere(
    j: Index,
    x: float,
    bound: np.ndarray,
    offset: Index,
    last: Index,
    n_single: int,
    weight: np.ndarray,
    tree: np.ndarray,
) -> Index:
    """Return the topic k ≠ j at which the cumulated A_k T_k passes ``x``."""
    found = j
    for k in range(n_single):
        share = weight[k] * bound[offset + min(k, last)]
        if k != j and share > 0.0:
            found = k
            x -= share
            if x < 0.0:
                return found
    if n_single == weight.size:
        return found
    if j >= n_single:
        set_leaf(tree, j, 0.0)
    if tree[1] > 0.0:
        found = find_leaf(tree, 0, 1, x / bound[offset + last])
    if j >= n_single:
        set_leaf(tree, j, weight[j])
    return found


@kernel
def draw_from_row(
    rng: np.random.Generator,
    entry: np.ndarray,
    begin: Index,
    end: Index,
    j: Index,
    beta: float,
    own_prior: float,
    gamma: float,
    a: np.ndarray,
    b: np.ndarray,
    eta: np.ndarray,
    total: np.ndarray,
    prior: np.ndarray,
    weight: np.ndarray,
) -> int:
    """Draw the topic from all its weights, in logarithms: for documents where e is steep."""
    size = weight.size
    highest = -math.inf
    for k in range(size):
        exponent = 0.0
        for i in range(a.size):
            others = total[i] - eta[i, j]
            exponent += gamma * eta[i, k] * (b[i] - gamma * a[i] * (0.5 * eta[i, k] + others))
        weight[k] = exponent
        highest = max(highest, exponent)
    for k in range(size):
        weight[k] = beta * exponential(weight[k] - highest)
    for e in range(begin, end):
        k = entry[e] & TOPIC
        weight[k] *= ((entry[e] >> 16) - (k == j) + beta) / beta
    cumulated = 0.0
    for k in range(size):
        cumulated += weight[k] * (own_prior if k == j else prior[k])
        weight[k] = cumulated
    x = rng.random() * cumulated
    new = 0
    while weight[new] <= x and weight[new] < cumulated:
        new += 1
    return new


@kernel
def sweep_sparsely(
    rng: np.random.Generator,
    tokens: Tokens,
    z: np.ndarray,
    lists: WordLists,
    document_topic: np.ndarray,
    beta: float,
    a: np.ndarray,
    b: np.ndarray,
    topics: Topics,
    work: Workspace,
) -> tuple[int, int]:
    """Visit every token once and draw its topic from the full conditional (see the module).

    ``z`` and ``lists`` name topics as ``topics`` does, ``document_topic`` by ``topics.name``;
    all of them, and the counts in ``topics``, are updated in place. Returns how many tokens
    changed topic and how many draws were refused.
    """
    eta, alpha, rate, count, name = (
        topics.eta,
        topics.alpha,
        topics.rate,
        topics.in_corpus,
        topics.name,
    )
    total, centre, in_document = work.total, work.centre, work.in_document
    prior, factor, tree, drift, pull = work.prior, work.factor, work.tree, work.drift, work.pull
    bound, owner, held, marks, weight = work.bound, work.owner, work.held, work.marks, work.weight
    ends = topics.ends
    entry, list_start, list_length = lists.entry, lists.start, lists.length
    word, document_start = tokens.word, tokens.start
    size, n_single, n_tasks = factor.size, topics.ends.shape[1] - 2, a.shape[1]
    stride = bound.size // owner.size
    beta_total = lists.length.size * beta
    most_tries = 4 + size // 16  # then the whole row costs less
    moved, refusals, version = 0, 0, 0
    # The list summed last, and for which state: a repeated word is not summed again.
    summed_t, summed_j, summed_version = -1, np.int64(-1), -1
    begin, end, listed, occurrences = np.int64(0), np.int64(0), 0.0, np.int64(0)
    marks[:, VERSION] = -1
    for d in range(tokens.start.size - 1):
        first, last = document_start[d], document_start[d + 1]
        if first == last:
            continue
        gamma = 1.0 / (last - first)
        a_d, b_d = a[d], b[d]
        for leaf in range(size):
            prior[leaf] = alpha[leaf] * rate[leaf]
        for i in range(n_tasks):
            total[i] = 0.0
        for n in range(first, last):
            j = np.int64(z[n])
            in_document[j] += 1
            prior[j] += rate[j]
            for i in range(n_tasks):
                total[i] += eta[i, j]
        owner[:] = -1
        owner[0] = 0
        choose_reference(
            gamma, a_d, b_d, eta, total, centre, prior, factor, weight, tree, n_single, drift
        )
        version += 1
        stale = False  # whether a token moved since the reference was chosen
        for n in range(first, last):
            t, j = word[n], np.int64(z[n])
            while marks[j, VERSION] != version:
                if n_tasks == 1:
                    slope = gamma * gamma * a_d[0] * (centre[0] - (total[0] - eta[0, j]))
                    held[j, SLOPE] = slope
                    own, top, row = bound_one_task(j, slope, eta, ends, bound, owner, marks)
                else:
                    row = pull_of(j, gamma, a_d, eta, pull, owner, marks)
                    own, top, row = bound_many_tasks(j, row, stride, drift, pull, bound)
                if row < 0 and stale:
                    choose_reference(
                        gamma,
                        a_d,
                        b_d,
                        eta,
                        total,
                        centre,
                        prior,
                        factor,
                        weight,
                        tree,
                        n_single,
                        drift,
                    )
                    stale = False
                    version += 1
                    continue
                own_prior = (in_document[j] - 1 + alpha[j]) / (count[j] - 1 + beta_total)
                held[j, TOP] = top
                held[j, STAY] = factor[j] * own_prior * exponential(own) if row >= 0 else math.nan
                marks[j, LAST] = n_single if row > 0 else 0
                offset = row * stride if row > 0 else 0
                held[j, REST] = beta * sum_bounded(j, offset, n_single, bound, weight, tree)
                marks[j, VERSION] = version
            last_bound = marks[j, LAST]
            offset = marks[j, ROW] * stride if last_bound > 0 else 0
            if n + AHEAD < word.size:
                ahead = list_start[word[n + AHEAD]]
                fetch(entry, ahead)
                fetch(entry, ahead + 8)
            if t != summed_t or j != summed_j or version != summed_version:
                summed_t, summed_j, summed_version = t, j, version
                begin = list_start[t]
                end = begin + list_length[t]
                listed, own_entry = sum_listed(
                    entry, begin, end, j, weight, bound, offset, last_bound
                )
                occurrences = own_entry >> 16
            stay = held[j, STAY] * (occurrences - 1 + beta)
            whole = stay + listed + held[j, REST]
            k: Index = -1
            tries = 0
            while whole > 0.0 and tries < most_tries:
                x = rng.random() * whole - stay
                if x < 0.0:
                    k = j
                    break
                if x < listed:
                    k = find_in_list(entry, begin, end, j, x, bound, offset, last_bound, weight)
                else:
                    k = find_anywhere(
                        j, (x - listed) / beta, bound, offset, last_bound, n_single, weight, tree
                    )
                if n_tasks == 1:
                    slope = held[j, SLOPE]
                    if last_bound == 0:
                        excess = slope * eta[0, k] - held[j, TOP]
                    else:
                        end_of_bin = ends[1 if slope > 0.0 else 0, min(k, n_single)]
                        excess = slope * eta[0, k] - slope * end_of_bin
                elif last_bound == 0:
                    excess = drift[k] + pull[marks[j, ROW], k] - held[j, TOP]
                else:
                    excess = 0.0
                if excess >= 0.0:
                    break
                v = rng.random()
                # 1 + x ≤ exp(x) spares most exponentials.
                if v <= 1.0 + excess or v <= math.exp(excess):
                    break
                tries += 1
                k = -1
            refusals += tries
            if k == j:
                continue
            if k < 0:  # what is left after a refusal has the same law: any exact draw will do
                own_prior = (in_document[j] - 1 + alpha[j]) / (count[j] - 1 + beta_total)
                k = draw_from_row(
                    rng,
                    entry,
                    begin,
                    end,
                    j,
                    beta,
                    own_prior,
                    gamma,
                    a_d,
                    b_d,
                    eta,
                    total,
                    prior,
                    work.buffer,
                )
                if k == j:
                    continue
            remove_token(list_start, list_length, entry, t, j)
            add_token(list_start, list_length, entry, t, k)
            z[n] = k
            document_topic[d, name[j]] -= 1
            document_topic[d, name[k]] += 1
            in_document[j] -= 1
            in_document[k] += 1
            count[j] -= 1
            count[k] += 1
            rate[j] = 1.0 / (count[j] + beta_total)
            rate[k] = 1.0 / (count[k] + beta_total)
            prior[j] = (in_document[j] + alpha[j]) * rate[j]
            prior[k] = (in_document[k] + alpha[k]) * rate[k]
            weight[j] = factor[j] * prior[j]
            weight[k] = factor[k] * prior[k]
            if j >= n_single:
                set_leaf(tree, j, weight[j])
            if k >= n_single:
                set_leaf(tree, k, weight[k])
            for i in range(n_tasks):
                total[i] += eta[i, k] - eta[i, j]
            if n_tasks > 1:
                new = pull_of(k, gamma, a_d, eta, pull, owner, marks)
                old = pull_of(j, gamma, a_d, eta, pull, owner, marks)
                pull_j, pull_k = pull[old], pull[new]
                for leaf in range(size):
                    drift[leaf] += pull_j[leaf] - pull_k[leaf]
            moved += 1
            version += 1
            stale = True
        for n in range(first, last):
            in_document[z[n]] = 0
    return moved, refusals
