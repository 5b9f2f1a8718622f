"""For every word the topics in which it occurs, with counts: C_kt without its zeros.

An entry packs both into one integer, ``count << 16 | topic``, so that a word's entries are one
contiguous read. It takes four bytes, or eight if there is a word of `MOST_NARROW` tokens or more. A
word of frequency f occurs in at most min(f, K) topics, so the lists take at most one entry per
token whatever K is. They are filled from the front: the first ``length[t]``
entries from ``start[t]`` are in use. During a sweep they may be in any order. Between sweeps they
are in the order of the topics, so that the lists, and with them the next draws, are a function of
z.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pymc_medlda.kernels._jit import Index
from pymc_medlda.kernels.counts import move_in_tally
from pymc_medlda.kernels.simd.lanes import LANES, fetch
from pymc_medlda.kernels.simd.listed import find_listed
from pymc_medlda.kernels.sweeps.pieces import loop, piece

ONE = 1 << 16  # one token, in the count of an entry
TOPIC = ONE - 1  # mask of the topic in an entry
MOST_NARROW = 1 << 15  # a count that an entry of four bytes cannot hold


class WordLists(NamedTuple):
    """The non-zero counts C_kt, one list per word."""

    start: NDArray[np.int64]  # (n_words + 1,)
    length: NDArray[np.int32]  # (n_words,)
    entry: NDArray[np.signedinteger]  # with some room at the end: see `listed`


def empty_lists(frequency: NDArray[np.integer], *, n_topics: int) -> WordLists:
    """Allocate lists that have room for any assignment of the tokens to ``n_topics`` topics.

    ``frequency`` is how often each word occurs.
    """
    start = np.zeros(frequency.size + 1, np.int64)
    np.cumsum(np.minimum(frequency, n_topics), out=start[1:])
    kind = np.int32 if frequency.max(initial=0) < MOST_NARROW else np.int64
    length = np.zeros(frequency.size, np.int32)
    return WordLists(start, length, np.zeros(start[-1] + LANES, kind))


@piece
def fetch_list(lists: WordLists, t: Index) -> None:
    """Request the list of word t into the processor's cache: its beginning, as most are short."""
    fetch(lists.entry, lists.start[t])
    fetch(lists.entry, lists.start[t] + LANES)


@piece
def fetch_place(lists: WordLists, t: Index) -> None:
    """Request where the list of word t is, which `fetch_list` reads."""
    fetch(lists.start, t)
    fetch(lists.length, t)


@piece
def find_topic(lists: WordLists, t: Index, k: Index) -> Index:
    """Return the place of topic k in the list of word t, -1 if the word has no token in it."""
    begin = lists.start[t]
    return find_listed(lists.entry, begin, begin + lists.length[t], k)


@piece
def move_token(
    lists: WordLists, tally: np.ndarray, t: Index, old: Index, new: Index, k: Index
) -> Index:
    """Move a token of word t from the topic at place ``old`` of its list to topic k.

    ``new`` is the place of topic k, or -1 if that is not known. A list always has room: if topic k
    is not in it and there is no more room, the token was the last one of its topic, whose place
    becomes free. ``tally`` is updated (see `tally_table`). Returns the place that topic k had, or
    -1 if it was not in the list.
    """
    if new < 0:
        new = find_topic(lists, t, k)
    entry, length = lists.entry, lists.length
    begin = lists.start[t]
    end = begin + length[t]
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
    return new


@loop
def fill_lists(word: np.ndarray, z: np.ndarray, lists: WordLists) -> None:
    """Fill the lists with the counts of ``z``."""
    start, length, entry = lists.start, lists.length, lists.entry
    length[:] = 0
    for n in range(word.size):
        t, k = word[n], np.int64(z[n])
        place = find_topic(lists, t, k)
        if place >= 0:
            entry[start[t] + place] += ONE
        else:
            entry[start[t] + length[t]] = ONE | k
            length[t] += 1


@loop
def tally_lists(lists: WordLists, tally: np.ndarray) -> None:
    """Count the counts in the lists; see `tally_table`."""
    tally[:] = 0
    for t in range(lists.length.size):
        for e in range(lists.start[t], lists.start[t] + lists.length[t]):
            tally[lists.entry[e] >> 16] += 1


@loop
def order_lists(lists: WordLists) -> None:
    """Put every list in the order of its topics.

    Insertion sort: near-linear on nearly sorted lists, which is what a sweep leaves.
    """
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
