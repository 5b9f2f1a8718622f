"""Powers of counts, for sweeps whose target is tempered: raised to a power tau below one.

The conditional of a tempered sweep is that of `plain` with (C_kt + beta)^tau, (C_dk + alpha_k)^tau
and (C_k + V beta)^-tau in place of the factors themselves. The counts are whole numbers, so their
powers are read from tables. Tempered tokens move often, and hardly any move computes a power.

A path keeps the powers of C_kt beside the counts. `dense` keeps rows of (C_kt + beta)^tau. `sparse`
keeps a gain for each entry of its lists: (C_kt + beta)^tau - beta^tau, so that what the word has in
topics without an entry is beta^tau times a sum over all topics, as it is beta times this sum where
nothing is tempered.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pymc_medlda._arrays import Floats
from pymc_medlda.kernels._jit import Index, kernel
from pymc_medlda.kernels.simd.exponential import exponential
from pymc_medlda.kernels.sweeps.interface import Parameters, State
from pymc_medlda.kernels.sweeps.pieces import piece

# How many powers of C_k are in a table, which is 8 MB, and how many of C_dk, which is 32 MB. Those
# of larger counts are computed.
MOST_TABULATED = 2**20
MOST_IN_DOCUMENTS = 2**22


class Powers(NamedTuple):
    """Tables that serve from a sweep to the next, as long as the parameters stay as they are."""

    power: float  # tau
    alpha: Floats  # a copy of the parameter
    beta: float
    of_words: Floats  # (c + beta)^tau for every count c
    of_documents: Floats  # (n + alpha)^tau for n < width, one row for each value of alpha
    kind: np.ndarray  # (n_topics,) which row is that of a topic; the last row is of padding: zeros
    width: int
    is_complete: bool  # whether this is enough for all documents
    of_topics: Floats  # (n + V beta)^-tau for every n below `MOST_TABULATED`


class Temper(NamedTuple):
    """What a tempered sweep needs, by topic or by slot, padded to full vectors."""

    power: float  # tau
    beta_total: float  # V beta
    of_cells: NDArray[np.floating]  # the powers of C_kt, in the form of the path: see the module
    of_words: Floats  # this and the next are those of `Powers`
    of_documents: Floats
    begin: np.ndarray  # (size,) where the row of a topic begins in ``of_documents``
    width: int  # how long the row is
    beyond: tuple[int, ...]  # empty if all C_dk are below the width: then no test is compiled
    of_topics: Floats  # that of `Powers`
    alpha: Floats  # (size,)
    rate: Floats  # (size,) (C_k + V beta)^-tau
    less: Floats  # (size,) the same with one token less


def memory_of_powers(n_tokens: int, n_topics: int) -> dict[str, int]:
    """Return the size in bytes of what `hold_powers` allocates, at most."""
    of_topics = min(n_tokens + 2, MOST_TABULATED)
    of_documents = min((n_topics + 1) * (n_tokens + 2), max(MOST_IN_DOCUMENTS, 2 * (n_topics + 1)))
    return {
        "the powers of counts in documents": 8 * of_documents,
        "the powers of other counts": 8 * (of_topics + n_tokens + 2),
    }


def hold_powers(held: Powers | None, state: State, given: Parameters, n_words: int) -> Powers:
    """Return the tables of powers: those that are held, if they belong to the parameters."""
    tau, alpha, beta = given.power, given.alpha, given.beta
    if held is not None and (held.power, held.beta) == (tau, beta):
        if np.array_equal(held.alpha, alpha):
            return held
    values, kind = np.unique(alpha, return_inverse=True)
    longest = int(np.diff(state.tokens.start).max(initial=0))
    width = max(2, min(longest + 2, MOST_IN_DOCUMENTS // (values.size + 1)))
    of_words = np.asarray((np.arange(state.tally.size) + beta) ** tau, np.float64)
    of_documents = np.zeros((values.size + 1, width))
    of_documents[:-1] = (np.arange(width) + values[:, None]) ** tau
    n_tabulated = min(state.tokens.word.size + 2, MOST_TABULATED)
    of_topics = np.asarray((np.arange(n_tabulated) + n_words * beta) ** -tau, np.float64)
    by_document = of_documents.reshape(-1), kind.reshape(-1), width, width == longest + 2
    return Powers(tau, alpha.copy(), beta, of_words, *by_document, of_topics)


def arrange_temper(
    powers: Powers,
    of_cells: NDArray[np.floating],
    topic: np.ndarray,
    beta_total: float,
    alpha: Floats,
    rates: tuple[Floats, Floats],
    slot: np.ndarray | None = None,
) -> Temper:
    """Arrange the powers for a sweep, in the order of the topics or by their slots.

    ``alpha`` has that order already, and its padding. The powers of C_k at the beginning of the
    sweep are written to ``rates``, which become ``rate`` and ``less``.
    """
    slot = np.arange(topic.size) if slot is None else slot
    begin = np.full(alpha.size, powers.of_documents.size - powers.width, np.int64)
    begin[slot] = powers.kind * powers.width
    rate, less = rates
    rate[slot] = (topic + beta_total) ** -powers.power
    less[slot] = (np.maximum(topic - 1, 0) + beta_total) ** -powers.power
    beyond = () if powers.is_complete else (0,)
    of_documents = powers.of_documents, begin, powers.width, beyond
    tables = of_cells, powers.of_words, *of_documents, powers.of_topics
    return Temper(powers.power, beta_total, *tables, alpha, rate, less)


@kernel
def fill_rows(table: np.ndarray, of_words: np.ndarray, rows: np.ndarray) -> None:
    """Write the power of every count in a table."""
    for i in range(table.size):
        rows[i] = of_words[table[i]]


@piece
def word_weight(n: Index, beta: float, temper: Temper | None) -> float:
    """Return the factor of a word that occurs n times in a topic: n + beta, or its power."""
    return n + beta if temper is None else temper.of_words[n]


@piece
def power_in_document(k: Index, n: Index, temper: Temper) -> float:
    """Return (n + alpha_k)^tau. A negative count, which is never used, counts as zero."""
    place = max(n, 0)
    if len(temper.beyond) == 0 or place < temper.width:
        return temper.of_documents[temper.begin[k] + place]
    return exponential(temper.power * math.log(place + temper.alpha[k]))


@piece
def power_in_corpus(n: float, temper: Temper) -> float:
    """Return (n + V beta)^-tau. A negative count, which is never used, counts as zero."""
    place = int(max(n, 0.0))
    if place < temper.of_topics.size:
        return temper.of_topics[place]
    return exponential(-temper.power * math.log(n + temper.beta_total))


@piece
def move_rates(j: Index, new: Index, in_corpus: Floats, temper: Temper) -> None:
    """Bring the powers of C_k up to date, just before a token moves from topic j to ``new``."""
    rate, less = temper.rate, temper.less
    rate[j], less[new] = less[j], rate[new]
    less[j] = power_in_corpus(in_corpus[j] - 2.0, temper)
    rate[new] = power_in_corpus(in_corpus[new] + 1.0, temper)


@piece
def move_in_rows(j: Index, new: Index, begin: Index, table: np.ndarray, temper: Temper) -> None:
    """Bring the powers of C_kt up to date, just after a token moved from topic j to ``new``."""
    temper.of_cells[begin + j] = temper.of_words[table[begin + j]]
    temper.of_cells[begin + new] = temper.of_words[table[begin + new]]
