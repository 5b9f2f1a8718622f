"""For every word the topics it occurs in, with counts: C_kt without its zeros.

An entry packs both in one integer, ``count << 16 | topic``, so that a word's entries are one
contiguous read. A word of frequency f is in at most min(f, K) topics, so the lists take at most
eight bytes a token whatever K is, and they are filled from the front: the first ``length[t]``
entries from ``start[t]`` are in use. Within a sweep they are in any order; between sweeps they are
in the order of the topics, so that the lists, and with them the next draws, are a function of z.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pymc_medlda.kernels._jit import Index, kernel
from pymc_medlda.kernels.counts import move_in_tally
from pymc_medlda.kernels.simd.lanes import LANES

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
    return WordLists(start, np.zeros(n_words, np.int32), np.zeros(start[-1] + LANES, np.int64))


# The next ones take the arrays one by one: numba counts references to every member of a tuple
# that it passes on, which costs more than the work itself.
@kernel
def find_topic(entry: np.ndarray, begin: Index, end: Index, k: Index) -> Index:
    """Return the place of topic k in a list, -1 where the word has no token in it."""
    for e in range(begin, end):
        if entry[e] & TOPIC == k:
            return e - begin
    return -1


@kernel
def move_token(
    length: np.ndarray,
    entry: np.ndarray,
    tally: np.ndarray,
    t: Index,
    begin: Index,
    end: Index,
    old: Index,
    new: Index,
    k: Index,
) -> None:
    """Count one token less at place ``old`` of word t's list, one more in topic k, at ``new``.

    ``new`` is -1 where the topic is not listed yet. A list never outgrows its room: a topic's last
    token makes room for the next topic. ``tally`` follows (see `tally_table`).
    """
    move_in_tally(tally, entry[begin + old] >> 16, entry[begin + new] >> 16 if new >= 0 else 0)
    if entry[begin + old] >= 2 * ONE:
        entry[begin + old] -= ONE
        if new >= 0:
            entry[begin + new] += ONE
        else:
            entry[end] = ONE | k
            length[t] += 1
    elif new >= 0:
        entry[begin + new] += ONE
        entry[begin + old] = entry[end - 1]
        length[t] -= 1
    else:
        entry[begin + old] = ONE | k


@kernel
def fill_lists(word: np.ndarray, z: np.ndarray, lists: WordLists) -> None:
    """Fill the lists with the counts of ``z``."""
    start, length, entry = lists.start, lists.length, lists.entry
    length[:] = 0
    for n in range(word.size):
        t, k = word[n], np.int64(z[n])
        begin = start[t]
        place = find_topic(entry, begin, begin + length[t], k)
        if place >= 0:
            entry[begin + place] += ONE
        else:
            entry[begin + length[t]] = ONE | k
            length[t] += 1


@kernel
def tally_lists(lists: WordLists, tally: np.ndarray) -> None:
    """Count the counts of the lists; see `tally_table`."""
    tally[:] = 0
    for t in range(lists.length.size):
        for e in range(lists.start[t], lists.start[t] + lists.length[t]):
            tally[lists.entry[e] >> 16] += 1


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
