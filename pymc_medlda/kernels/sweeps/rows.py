r"""The quick exact sweep by rows of weights: for any number of tasks, and for few topics.

Take the token (word t, topic j) of document d out; h_i is the sum of eta_i over the others, s_i
over all. The conditional (see `topics`) is, with f the supervised exponent and
R_k = 1/(C_k + V beta),

    q(k) ∝ (C_kt + beta) P_k exp(f_k(h)),    P_k = (C_dk + alpha_k) R_k,
    f_k(h) = gamma sum_i eta_ik (b_i - gamma a_i (eta_ik / 2 + h_i)) = f_k(s) + G_jk,
    G_jk = gamma² sum_i a_i eta_ij eta_ik.

So the weights A_k = P_k exp(f_k(s)) hold while no token of the document moves, and a token's own
share is a row exp(G_j) that holds for the whole document, computed once for each topic that occurs
in it. Their product W_j, a row for k ≠ j, is all a visit needs: sum_k q(k) = stay + sum over the
word's topics of W_jk C_kt + beta sum_k W_jk. A move from j to k adds G_j - G_k to f: no cost grows
with the number of tasks but that of the rows.

C_kt comes as a table, whose row times W_j is a few instructions where topics are few, or as lists
of the word's topics only, where they are many.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pymc_medlda.kernels._jit import Index, kernel
from pymc_medlda.kernels.counts import (
    Tokens,
    move_in_document,
    move_in_tally,
    open_document,
    pad_topics,
)
from pymc_medlda.kernels.simd.lanes import (
    LANES,
    combine,
    dot,
    exponentials,
    fetch,
    multiply,
    sum_counted,
    sum_listed,
    weigh,
)
from pymc_medlda.kernels.simd.uniform import STRIDE, choose, uniform
from pymc_medlda.kernels.sweeps.word_lists import TOPIC, WordLists, find_topic, move_token

# Exponent G_jk beyond which W_j is not a product, as its factors might underflow. Weights below
# exp(LOWEST) are zero, so that STEEP must leave the others in between their place.
STEEP = 150.0
AHEAD = 8  # tokens between asking for a word's counts and reading them
MOST_ROWS = 512  # a document with more topics than this computes rows anew


class Topics(NamedTuple):
    """What a sweep knows of each topic, padded to whole vectors; padding has no weight."""

    eta: np.ndarray  # (n_tasks * size,); padding repeats a real topic, so it widens no range
    squared: np.ndarray  # (n_tasks * size,) eta²
    furthest: np.ndarray  # (n_tasks,) the largest eta²
    alpha: np.ndarray  # (size,)
    in_corpus: np.ndarray  # (size,) C_k
    rate: np.ndarray  # (size,) R_k


class Workspace(NamedTuple):
    """What a sweep holds of the document at hand; see the module for the symbols."""

    in_document: np.ndarray  # (size,) C_dk
    prior: np.ndarray  # (size,) P_k
    exponent: np.ndarray  # (size,) f_k(s)
    weight: np.ndarray  # (size,) A_k, but for a factor
    lifted: np.ndarray  # (size,) f_k(h), where a row is steep
    slope: np.ndarray  # (n_tasks,) factors of sums over tasks
    pull: np.ndarray  # (rows * size,) G, a row a topic that occurs
    lift: np.ndarray  # (rows * size,) exp(G)
    row: np.ndarray  # (rows * size,) W
    steep: np.ndarray  # (rows,) whether G is; in place 0, whether any may be
    owner: np.ndarray  # (rows,) whose row it is; in place 0, which is no row, the one taken last
    place: np.ndarray  # (size,) the row of a topic; right if it owns the row
    held: np.ndarray  # (size, 2) STAY and REST of a topic's tokens
    version: np.ndarray  # (size,) for which they, and W, hold
    share: np.ndarray  # (size + LANES,) W_jk C_kt along the word's list


STAY = 0  # weight to stay, over C_kt - 1 + beta
REST = 1  # beta times the sum of W_jk


def arrange_topics(
    eta: np.ndarray, alpha: np.ndarray, in_corpus: np.ndarray, beta_total: float
) -> Topics:
    """Pad what a sweep knows of each topic."""
    padded = pad_topics(alpha, in_corpus, beta_total)
    padded_eta = np.repeat(eta[:, :1], padded.shape[1], axis=1)
    padded_eta[:, : eta.shape[1]] = eta
    squared = padded_eta**2
    alpha, count, rate = padded
    return Topics(padded_eta.ravel(), squared.ravel(), squared.max(axis=1), alpha, count, rate)


def empty_workspace(n_tasks: int, size: int) -> Workspace:
    """Allocate what a sweep holds of one document."""
    n_rows = min(size, MOST_ROWS) + 2  # place 0 is no row
    return Workspace(
        in_document=np.zeros(size),
        prior=np.zeros(size),
        exponent=np.zeros(size),
        weight=np.zeros(size),
        lifted=np.zeros(size),
        slope=np.zeros(n_tasks),
        pull=np.zeros(n_rows * size),
        lift=np.zeros(n_rows * size),
        row=np.zeros(n_rows * size),
        steep=np.zeros(n_rows, np.bool_),
        owner=np.zeros(n_rows, np.int64),
        place=np.zeros(size, np.int64),
        held=np.zeros((size, 2)),
        version=np.zeros(size, np.int64),
        share=np.zeros(size + LANES),
    )


@kernel
def claim_row(
    j: Index,
    gamma: float,
    a: np.ndarray,
    eta: np.ndarray,
    slope: np.ndarray,
    pull: np.ndarray,
    lift: np.ndarray,
    steep: np.ndarray,
    owner: np.ndarray,
    place: np.ndarray,
    version: np.ndarray,
) -> None:
    """Give topic j a row and fill it with G_j and exp(G_j).

    Whether it has one is asked before the call, which costs more than the question.
    """
    size = place.size
    taken = owner[0] % (owner.size - 1) + 1
    owner[0] = taken
    if owner[taken] >= 0:
        version[owner[taken]] = -1
    owner[taken] = j
    place[j] = taken
    begin = taken * size
    for i in range(a.size):
        slope[i] = gamma * gamma * a[i] * eta[i * size + j]
    combine(slope, eta, pull, begin, size)
    extreme = 0.0
    if steep[0]:
        for k in range(size):
            extreme = max(extreme, abs(pull[begin + k]))
    steep[taken] = not extreme <= STEEP
    if not steep[taken]:
        exponentials(pull, begin, lift, begin, size)


@kernel
def sweep_by_rows(
    counter: np.uint64,
    tokens: Tokens,
    z: np.ndarray,
    document_topic: np.ndarray,
    beta: float,
    a: np.ndarray,
    b: np.ndarray,
    table: np.ndarray | None,
    lists: WordLists | None,
    tally: np.ndarray,
    topics: Topics,
    work: Workspace,
) -> int:
    """Visit every token once and draw its topic from the full conditional (see the module).

    C_kt is either in ``table``, (n_words, size) with columns of zeros after the last topic, or in
    ``lists``; the other is None, and numba compiles only what the one there is needs. ``counter``
    is where the random numbers begin (see `uniform`). ``z``, C_kt and their ``tally``,
    ``document_topic`` and the counts in ``topics`` are updated in place. Returns how many tokens
    changed topic.
    """
    eta, alpha, count, rate = topics.eta, topics.alpha, topics.in_corpus, topics.rate
    squared, furthest = topics.squared, topics.furthest
    in_document, prior, exponent = work.in_document, work.prior, work.exponent
    weight, lifted, slope = work.weight, work.lifted, work.slope
    pull, lift, rows = work.pull, work.lift, work.row
    steep, owner, place_of = work.steep, work.owner, work.place
    held, version_of, share = work.held, work.version, work.share
    word, document_start = tokens.word, tokens.start
    n_tasks, size = a.shape[1], alpha.size
    if table is not None:
        counts = table.reshape(-1)
        n_words = table.shape[0]
    if lists is not None:
        entry, list_start, list_length = lists.entry, lists.start, lists.length
        n_words = list_length.size
    beta_total = n_words * beta
    moved, version = 0, 0
    version_of[:] = -1
    for d in range(document_start.size - 1):
        first, last = document_start[d], document_start[d + 1]
        if first == last:
            continue
        gamma = 1.0 / (last - first)
        a_d = a[d]
        open_document(d, document_topic, alpha, rate, in_document, prior)
        for i in range(n_tasks):
            total = dot(in_document, 0, eta, i * size, size)
            slope[i] = gamma * (b[d, i] - gamma * a_d[i] * total)
        combine(slope, eta, exponent, 0, size)
        for i in range(n_tasks):
            slope[i] = 0.5 * gamma * gamma * a_d[i]
        combine(slope, squared, lifted, 0, size)
        reach = 0.0
        for i in range(n_tasks):
            reach += 2.0 * slope[i] * furthest[i]
        steep[0] = not reach <= STEEP
        for k in range(size):
            exponent[k] -= lifted[k]
        weigh(exponent, prior, weight, 0, size)
        owner[:] = -1
        owner[0] = 0
        version += 1
        for n in range(first, last):
            t, j = word[n], np.int64(z[n])
            if version_of[j] != version:
                if place_of[j] == 0 or owner[place_of[j]] != j:
                    claim_row(
                        j, gamma, a_d, eta, slope, pull, lift, steep, owner, place_of, version_of
                    )
                at = place_of[j] * size
                own_prior = (in_document[j] - 1.0 + alpha[j]) / (count[j] - 1.0 + beta_total)
                if steep[place_of[j]]:
                    for k in range(size):
                        lifted[k] = exponent[k] + pull[at + k]
                    weigh(lifted, prior, rows, at, size)
                    held[j, STAY] = rows[at + j] / prior[j] * own_prior
                    rows[at + j] = 0.0
                    rest = 0.0
                    for k in range(size):
                        rest += rows[at + k]
                else:
                    held[j, STAY] = weight[j] * lift[at + j] / prior[j] * own_prior
                    rest = multiply(weight, lift, at, rows, at, j, size)
                held[j, REST] = beta * rest
                version_of[j] = version
            at = place_of[j] * size
            ahead = word[min(n + AHEAD, word.size - 1)]
            if table is not None:
                begin = t * size
                fetch(counts, ahead * size)
                fetch(counts, ahead * size + size - 1)
                listed = sum_counted(rows, at, counts, begin, size)
                n_own = np.int64(counts[begin + j])
            if lists is not None:
                begin = list_start[t]
                end = begin + list_length[t]
                fetch(entry, list_start[ahead])
                fetch(entry, list_start[ahead] + LANES)
                listed, own = sum_listed(entry, begin, end, j, rows, at, share)
                n_own = entry[begin + own] >> 16
            stay = held[j, STAY] * (n_own - 1 + beta)
            whole = stay + listed + held[j, REST]
            counter += STRIDE
            x = uniform(counter) * whole - stay
            if x < 0.0:
                continue
            if not whole > 0.0:
                raise ValueError("a, b or eta of a document is not finite")
            new: Index = -1
            if table is not None:
                for k in range(size):
                    share[k] = rows[at + k] * (counts[begin + k] + beta)
                new = choose(x, share, 0, size)
                if new < 0:  # rounding, where nothing but staying has any weight
                    continue
                move_in_tally(tally, n_own, counts[begin + new])
                counts[begin + j] -= 1
                counts[begin + new] += 1
            if lists is not None:
                if x < listed:
                    place = choose(x, share, 0, end - begin)
                    new = entry[begin + place] & TOPIC
                else:
                    new = choose((x - listed) / beta, rows, at, size)
                    if new < 0:
                        continue
                    place = find_topic(entry, begin, end, new)
                move_token(list_length, entry, tally, t, begin, end, own, place, new)
            z[n] = new
            move_in_document(
                d, j, new, beta_total, document_topic, alpha, count, rate, in_document, prior
            )
            for k in range(size):  # first of all, as the next row may take the place of this
                exponent[k] += pull[at + k]
            if place_of[new] == 0 or owner[place_of[new]] != new:
                claim_row(
                    new, gamma, a_d, eta, slope, pull, lift, steep, owner, place_of, version_of
                )
            to = place_of[new] * size
            for k in range(size):
                exponent[k] -= pull[to + k]
            weigh(exponent, prior, weight, 0, size)
            moved += 1
            version += 1
    return moved
