"""The order in which topics are eliminated from the precision of the weights, and what it fills.

P has an entry for two topics only if a document with a label holds both: they are neighbours then.
With many topics most pairs are not. Eliminating a topic makes all its neighbours neighbours of each
other. The topic with the fewest neighbours is always eliminated next, until the topics that are
left have so many that it costs less to eliminate them together, as one dense block.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pymc_medlda._arrays import Floats
from pymc_medlda.kernels._jit import Index, kernel
from pymc_medlda.kernels.bits import BITS, bit, count_bits, lowest_bit, without_lowest
from pymc_medlda.kernels.counts import Present

# A topic is eliminated by itself while its neighbours are at most one in so many of the topics that
# are left. That takes the square of their number of operations, and in the dense block the square
# of the number of topics that are left, but BLAS makes about twenty-five times as many in a second.
ONE_IN = 5
GONE = np.int64(1) << 62  # the key of a topic that is eliminated: greater than all others


class Elimination(NamedTuple):
    """Topics in the order of their elimination, with their neighbours at that time.

    Topics have new numbers. Those that are eliminated one by one come first, in their order; the
    others keep their order. The neighbours of topic p are ``column[first[p]:first[p + 1]]`` in
    ascending order, all greater than p. The earlier topics that have p as a neighbour are
    ``row[into[p]:into[p + 1]]``, and ``place`` says where in ``column`` each of them has p.
    """

    number: NDArray[np.int32]  # (n_topics,) the new number of each topic
    first: NDArray[np.int64]  # (n_eliminated + 1,)
    column: NDArray[np.int32]
    into: NDArray[np.int64]  # (n_eliminated + 1,)
    row: NDArray[np.int32]
    place: NDArray[np.int64]


def plan_elimination(present: Present, a: Floats, n_topics: int) -> Elimination:
    """Choose the order for all tasks together; documents where every a is zero do not count."""
    neighbours = np.zeros((n_topics, -(-n_topics // BITS)), np.uint64)
    link_topics(present.start, present.topic, a, neighbours)
    number, first = np.empty(n_topics, np.int32), np.empty(n_topics + 1, np.int64)
    room = np.empty(n_topics * (n_topics + 1) // (2 * ONE_IN) + 1, np.int32)
    n_eliminated = order_topics(neighbours, ONE_IN, number, first, room)
    first = first[: n_eliminated + 1]
    size = int(first[-1])
    into, place = np.empty(n_eliminated + 1, np.int64), np.empty(size, np.int64)
    column, row = np.empty(size, np.int32), np.empty(size, np.int32)
    arrange(number, first, room[:size], column, into, row, place)
    return Elimination(number, first, column, into, row, place)


@kernel
def link_topics(
    start: np.ndarray, topic: np.ndarray, a: np.ndarray, neighbours: np.ndarray
) -> None:
    """Set bit j of row k where a document with a > 0 in any task holds both topics."""
    n_topics, n_words = neighbours.shape
    together = np.zeros(n_words, np.uint64)
    for d in range(start.size - 1):
        labelled = False
        for i in range(a.shape[1]):
            labelled |= a[d, i] != 0.0
        if not labelled:
            continue
        for e in range(start[d], start[d + 1]):
            together[topic[e] // BITS] |= bit(topic[e] % BITS)
        for e in range(start[d], start[d + 1]):
            for w in range(n_words):
                neighbours[topic[e], w] |= together[w]
        for e in range(start[d], start[d + 1]):
            together[topic[e] // BITS] = np.uint64(0)
    for k in range(n_topics):  # no topic is its own neighbour
        remove(neighbours, k, k)


@kernel
def order_topics(
    neighbours: np.ndarray, one_in: int, number: np.ndarray, first: np.ndarray, room: np.ndarray
) -> int:
    """Eliminate topics from the graph, fewest neighbours first; return how many were eliminated.

    Their neighbours at that time are written to ``room``, one topic after the other, in the old
    numbers. ``neighbours`` is changed. Of topics with equally many neighbours the first is taken.
    """
    n_topics = neighbours.shape[0]
    # The number of neighbours in front of the topic: the least of the keys is found by vector code.
    key = np.empty(n_topics, np.int64)
    for k in range(n_topics):
        key[k] = count_neighbours(neighbours, k) << 32 | k
        number[k] = -1
    n_eliminated, first[0] = 0, 0
    while n_eliminated < n_topics:
        least = key[0]
        for k in range(1, n_topics):
            least = min(least, key[k])
        if (least >> 32) * one_in > n_topics - n_eliminated:
            break
        chosen = least & 0xFFFFFFFF
        begin = first[n_eliminated]
        end = list_neighbours(neighbours, chosen, room, begin)
        number[chosen], key[chosen] = n_eliminated, GONE
        for e in range(begin, end):
            k = int(room[e])
            join(neighbours, k, chosen)
            key[k] = count_neighbours(neighbours, k) << 32 | k
        n_eliminated += 1
        first[n_eliminated] = end
    left = n_eliminated
    for k in range(n_topics):
        if number[k] < 0:
            number[k] = left
            left += 1
    return n_eliminated


@kernel
def count_neighbours(neighbours: np.ndarray, k: int) -> Index:
    """Return how many neighbours a topic has."""
    n: Index = 0
    for w in range(neighbours.shape[1]):
        n += count_bits(neighbours[k, w])
    return n


@kernel
def list_neighbours(neighbours: np.ndarray, k: int, out: np.ndarray, at: int) -> int:
    """Write the neighbours of a topic to ``out`` from ``at`` on; return the end."""
    for w in range(neighbours.shape[1]):
        word = neighbours[k, w]
        while word != np.uint64(0):
            out[at] = w * BITS + lowest_bit(word)
            at += 1
            word = without_lowest(word)
    return at


@kernel
def join(neighbours: np.ndarray, k: int, eliminated: int) -> None:
    """Give a topic the neighbours of one that is eliminated, and take that one and itself out."""
    for w in range(neighbours.shape[1]):
        neighbours[k, w] |= neighbours[eliminated, w]
    remove(neighbours, k, k)
    remove(neighbours, k, eliminated)


@kernel
def remove(neighbours: np.ndarray, k: int, j: int) -> None:
    """Take topic j out of the neighbours of topic k."""
    neighbours[k, j // BITS] &= ~(np.uint64(1) << np.uint64(j % BITS))


@kernel
def arrange(
    number: np.ndarray,
    first: np.ndarray,
    neighbour: np.ndarray,
    column: np.ndarray,
    into: np.ndarray,
    row: np.ndarray,
    place: np.ndarray,
) -> None:
    """Give the neighbours their new numbers, sort them, and list whose neighbour a topic is.

    Each of the two lists is sorted by going through the other in order, without comparisons.
    """
    n_topics, n_eliminated = number.size, first.size - 1
    begin = np.zeros(n_topics + 1, np.int64)
    for e in range(neighbour.size):
        begin[number[neighbour[e]] + 1] += 1
    for q in range(n_topics):
        begin[q + 1] += begin[q]
    into[:] = begin[: n_eliminated + 1]
    end = begin.copy()
    for p in range(n_eliminated):
        for e in range(first[p], first[p + 1]):
            q = number[neighbour[e]]
            row[end[q]] = p
            end[q] += 1
    at = first.copy()
    for q in range(n_topics):
        for e in range(begin[q], begin[q + 1]):
            p = row[e]
            column[at[p]], place[e] = q, at[p]
            at[p] += 1
