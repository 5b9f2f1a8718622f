"""Powers of counts, for sweeps whose target is tempered: raised to a power tau below one.

The conditional of a tempered sweep is that of `plain` with (C_kt + beta)^tau, (C_dk + alpha_k)^tau
and (C_k + V beta)^-tau in place of the factors themselves. The counts are whole numbers, so their
powers are read from tables. Tempered tokens move often, and no move computes a power.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pymc_medlda._arrays import Floats
from pymc_medlda.kernels._jit import Index, kernel
from pymc_medlda.kernels.simd.aligned import aligned_zeros
from pymc_medlda.kernels.simd.exponential import exponential
from pymc_medlda.kernels.sweeps.interface import Parameters, State
from pymc_medlda.kernels.sweeps.pieces import piece

# C_k has powers in a table up to this number of tokens, which is 8 MB. Beyond it they are computed.
MOST_TABULATED = 2**20


class Powers(NamedTuple):
    """What may be kept from a sweep to the next, as long as the parameters stay as they are."""

    power: float  # tau
    alpha: Floats  # a copy of the parameter
    beta: float
    of_words: Floats  # (c + beta)^tau for every count c
    of_documents: Floats  # (n + alpha)^tau for every n, one row for each value of alpha
    begin: np.ndarray  # (size,) where the row of a topic begins in ``of_documents``
    of_topics: Floats  # (n + V beta)^-tau for every n below `MOST_TABULATED`
    # (n_words * size,) (C_kt + beta)^tau, in single precision: a row takes half of the time to
    # read, and rounding changes the probability of a topic by less than 1e-7 of it.
    rows: NDArray[np.float32]


class Temper(NamedTuple):
    """What the sweep by products needs, padded to full vectors of topics."""

    power: float  # tau
    beta_total: float  # V beta
    rows: NDArray[np.float32]  # this and the next four are those of `Powers`
    of_words: Floats
    of_documents: Floats
    begin: np.ndarray
    of_topics: Floats
    rate: Floats  # (size,) (C_k + V beta)^-tau
    less: Floats  # (size,) the same with one token less


def hold_powers(
    held: Powers | None, state: State, given: Parameters, table: NDArray[np.int32]
) -> Powers:
    """Return the powers of all counts: those that are held, if they belong to the parameters.

    The caller holds none after its table has changed in any way but by tempered sweeps.
    """
    tau, alpha, beta = given.power, given.alpha, given.beta
    if held is not None and (held.power, held.beta) == (tau, beta):
        if np.array_equal(held.alpha, alpha):
            return held
    values, kind = np.unique(alpha, return_inverse=True)
    longest = int(np.diff(state.tokens.start).max(initial=0))
    of_words = np.asarray((np.arange(state.tally.size) + beta) ** tau, np.float64)
    of_documents = np.zeros((values.size + 1, longest + 2))  # the last row is that of the padding
    of_documents[:-1] = (np.arange(longest + 2) + values[:, None]) ** tau
    begin = np.full(table.shape[1], values.size, np.int64)
    begin[: alpha.size] = kind.reshape(-1)
    begin *= longest + 2
    rows = aligned_zeros(table.size, dtype=np.float32) if held is None else held.rows
    fill_rows(table.reshape(-1), of_words, rows)
    n_tabulated = min(state.tokens.word.size + 2, MOST_TABULATED)
    of_topics = np.asarray((np.arange(n_tabulated) + table.shape[0] * beta) ** -tau, np.float64)
    tables = of_words, of_documents.reshape(-1), begin, of_topics, rows
    return Powers(tau, alpha.copy(), beta, *tables)


def arrange_temper(powers: Powers, state: State, beta_total: float) -> Temper:
    """Return the powers of a sweep, with those of C_k at its beginning."""
    tau, topic = powers.power, state.topic
    rate, less = aligned_zeros(2, powers.begin.size)
    rate[: topic.size] = (topic + beta_total) ** -tau
    less[: topic.size] = (np.maximum(topic - 1, 0) + beta_total) ** -tau
    tables = powers.rows, powers.of_words, powers.of_documents, powers.begin, powers.of_topics
    return Temper(tau, beta_total, *tables, rate, less)


@kernel
def fill_rows(table: np.ndarray, of_words: np.ndarray, rows: np.ndarray) -> None:
    """Write the power of every count in a table."""
    for i in range(table.size):
        rows[i] = of_words[table[i]]


@piece
def power_in_document(k: Index, n: Index, temper: Temper) -> float:
    """Return (n + alpha_k)^tau; a count below zero, which nobody uses, counts as zero."""
    return temper.of_documents[temper.begin[k] + max(n, 0)]


@piece
def power_in_corpus(n: float, temper: Temper) -> float:
    """Return (n + V beta)^-tau; a count below zero, which nobody uses, counts as zero."""
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
    temper.rows[begin + j] = temper.of_words[table[begin + j]]
    temper.rows[begin + new] = temper.of_words[table[begin + new]]
