"""For every word the topics it occurs in, with counts: C_kt without its zeros.

An entry packs both in one integer, ``count << 16 | topic``, so that a word's entries are one
contiguous read. A word of frequency f is in at most min(f, K) topics, so the lists take at most
eight bytes a token whatever K is, and they are filled from the front: the first ``length[t]``
entries from ``start[t]`` are in use. Within a sweep they are in any order; between sweeps they are
in the order of the topics, so that the lists, and with them the next draws, are a function of z.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pymc_medlda.kernels._jit import Index, kernel
from pymc_medlda.kernels.counts import log_rising, tabulate_rising
from pymc_medlda.kernels.lanes import SHORT

ONE = 1 << 16  # one token, in the count of an entry
TOPIC = ONE - 1  # mask of the topic in an entry


class WordLists(NamedTuple):
    """The non-zero entries of C_kt, a list a word."""

    start: NDArray[np.int64]  # (n_words + 1,)
    length: NDArray[np.int32]  # (n_words,)
    entry: NDArray[np.int64]  # with some room at the end: see `lanes.sum_listed`


def empty_lists(word: NDArray[np.int32], *, n_words: int, n_topics: int) -> WordLists:
    """Allocate the lists that any assignment of these tokens to ``n_topics`` fits in."""
    room = np.minimum(np.bincount(word, minlength=n_words), n_topics)
    start = np.zeros(n_words + 1, np.int64)
    np.cumsum(room, out=start[1:])
    return WordLists(start, np.zeros(n_words, np.int32), np.zeros(start[-1] + SHORT, np.int64))


# The next two take the arrays one by one: numba counts references to every member of a tuple
# that it passes on, which costs more than the work itself.
@kernel
def add_token(start: np.ndarray, length: np.ndarray, entry: np.ndarray, t: Index, k: Index) -> None:
    """Count one more token of word t in topic k."""
    first = start[t]
    last = first + length[t]
    for e in range(first, last):
        if entry[e] & TOPIC == k:
            entry[e] += ONE
            return
    entry[last] = ONE | k
    length[t] += 1


@kernel
def remove_token(
    start: np.ndarray, length: np.ndarray, entry: np.ndarray, t: Index, k: Index
) -> None:
    """Count one token of word t less in topic k, where it has some; the last entry fills a gap."""
    e = start[t]
    while entry[e] & TOPIC != k:
        e += 1
    if entry[e] < 2 * ONE:
        length[t] -= 1
        entry[e] = entry[start[t] + length[t]]
    else:
        entry[e] -= ONE


@kernel
def fill_lists(word: np.ndarray, z: np.ndarray, lists: WordLists) -> None:
    """Fill the lists with the counts of ``z``."""
    start, length, entry = lists.start, lists.length, lists.entry
    length[:] = 0
    for n in range(word.size):
        add_token(start, length, entry, word[n], np.int64(z[n]))


@kernel
def order_lists(lists: WordLists) -> None:
    """Put every list in the order of its topics; quick where little changed since it was."""
    start, length, entry = lists.start, lists.length, lists.entry
    for t in range(length.size):
        first = start[t]
        for e in range(first + 1, first + length[t]):
            moving = entry[e]
            place = e
            while place > first and entry[place - 1] & TOPIC > moving & TOPIC:
                entry[place] = entry[place - 1]
                place -= 1
            entry[place] = moving


@kernel
def rename_topics(names: np.ndarray, z: np.ndarray, lists: WordLists) -> None:
    """Replace every topic k, in ``z`` and in the lists, by ``names[k]``."""
    for n in range(z.size):
        z[n] = names[z[n]]
    start, length, entry = lists.start, lists.length, lists.entry
    for t in range(length.size):
        for e in range(start[t], start[t] + length[t]):
            entry[e] += names[entry[e] & TOPIC] - (entry[e] & TOPIC)


@kernel
def log_words_of_lists(lists: WordLists, topic: np.ndarray, beta: float) -> float:
    """Return log p(W | Z, beta), the topic-word distributions integrated out."""
    n_words = lists.length.size
    table = tabulate_rising(beta, 256)
    total = 0.0
    for t in range(n_words):
        first = lists.start[t]
        for e in range(first, first + lists.length[t]):
            total += log_rising(beta, lists.entry[e] >> 16, table)
    for k in range(topic.size):
        total -= math.lgamma(n_words * beta + topic[k]) - math.lgamma(n_words * beta)
    return total
