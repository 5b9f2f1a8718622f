"""What the entries of the lists count in a draw: their counts, or gains if the target is tempered.

The gain of an entry is (C_kt + beta)^tau - beta^tau (see `tempering`). The gains lie side by side
as the entries do, so that a loop over a list reads them as vectors. Where ``temper`` is None, numba
leaves out all that concerns it.
"""

from __future__ import annotations

import numpy as np

from pymc_medlda._arrays import Floats
from pymc_medlda.kernels._jit import Index
from pymc_medlda.kernels.simd.lanes import LANES, fetch
from pymc_medlda.kernels.simd.listed import (
    sum_grouped,
    sum_grouped_gains,
    sum_listed,
    sum_listed_gains,
)
from pymc_medlda.kernels.sweeps.pieces import loop, piece
from pymc_medlda.kernels.sweeps.tempering import Temper
from pymc_medlda.kernels.sweeps.word_lists import WordLists, fetch_list, fetch_place, move_token

AHEAD = 8  # how many tokens ahead the list of a word is requested from memory


@loop
def fill_gains(lists: WordLists, of_words: Floats, gain: Floats) -> None:
    """Write the gain of every entry that is in use."""
    for t in range(lists.length.size):
        for e in range(lists.start[t], lists.start[t] + lists.length[t]):
            gain[e] = of_words[lists.entry[e] >> 16] - of_words[0]


@piece
def gain_at(e: Index, entry: np.ndarray, temper: Temper | None) -> float:
    """Return what entry e adds to the factor of a word that a topic does not have: its count."""
    return np.float64(entry[e] >> 16) if temper is None else temper.of_cells[e]


@piece
def fetch_entries(lists: WordLists, t: Index, temper: Temper | None) -> None:
    """Request what a visit to word t reads of its list into the processor's cache."""
    fetch_list(lists, t)
    if temper is not None:
        fetch(temper.of_cells, lists.start[t])
        fetch(temper.of_cells, lists.start[t] + LANES)


@piece
def fetch_ahead(lists: WordLists, word: np.ndarray, n: Index, temper: Temper | None) -> None:
    """Request what the visits to tokens after n read of their words, in two stages."""
    if n + 2 * AHEAD < word.size:
        fetch_place(lists, np.int64(np.uint32(word[n + 2 * AHEAD])))
    if n + AHEAD < word.size:
        fetch_entries(lists, np.int64(np.uint32(word[n + AHEAD])), temper)


@piece
def sum_in_groups(
    entry: np.ndarray,
    begin: Index,
    end: Index,
    topic: Index,
    weight: Floats,
    bound: Floats,
    at: Index,
    share: Floats,
    temper: Temper | None,
) -> tuple[float, Index]:
    """Sum a list under the bounds of groups: see `sum_grouped`."""
    if temper is None:
        return sum_grouped(entry, begin, end, topic, weight, bound, at, share)
    return sum_grouped_gains(entry, begin, end, topic, weight, bound, at, share, temper.of_cells)


@piece
def sum_in_row(
    entry: np.ndarray,
    begin: Index,
    end: Index,
    topic: Index,
    weight: Floats,
    at: Index,
    share: Floats,
    temper: Temper | None,
) -> tuple[float, Index]:
    """Sum a list with the weights of a row: see `sum_listed`."""
    if temper is None:
        return sum_listed(entry, begin, end, topic, weight, at, share)
    return sum_listed_gains(entry, begin, end, topic, weight, at, share, temper.of_cells)


@piece
def move_entry(
    lists: WordLists,
    tally: np.ndarray,
    t: Index,
    old: Index,
    new: Index,
    k: Index,
    temper: Temper | None,
) -> None:
    """Move a token of word t in its list, with `move_token`, and bring the gains up to date."""
    place = move_token(lists, tally, t, old, new, k)
    if temper is not None:
        # An entry changed at the old place, and at the new one or at the end of the list.
        begin, of_words = lists.start[t], temper.of_words
        last = lists.length[t] - 1
        for e in (begin + old, begin + (place if place >= 0 else last)):
            temper.of_cells[e] = of_words[lists.entry[e] >> 16] - of_words[0]
