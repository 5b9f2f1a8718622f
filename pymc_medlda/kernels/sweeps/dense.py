"""The path "dense": C_kt in a table, drawn by products. The quickest for few topics."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pymc_medlda.kernels.counts import count_words, tally_table
from pymc_medlda.kernels.simd.aligned import aligned_zeros, padded_size
from pymc_medlda.kernels.simd.lanes import LANES
from pymc_medlda.kernels.simd.uniform import first_counter
from pymc_medlda.kernels.sweeps.interface import Parameters, State, Sweep
from pymc_medlda.kernels.sweeps.products import sweep_by_products
from pymc_medlda.kernels.sweeps.products_state import (
    arrange_corpus,
    arrange_topics,
    empty_workspace,
    memory_of_rows,
)
from pymc_medlda.kernels.sweeps.tempering import Powers, arrange_temper, hold_powers

# The loop over the vectors of a row is unrolled, so that a longer row takes longer to compile.
MOST_TOPICS = 256


class DenseSweep(Sweep):
    """The sweep by products, with C_kt in a table whose rows are padded to full vectors."""

    def __init__(self, word: NDArray[np.int32], *, n_words: int, n_topics: int) -> None:
        if n_topics > MOST_TOPICS:
            raise ValueError(
                f'path "dense" takes at most {MOST_TOPICS} topics, got n_topics = {n_topics}'
            )
        self.n_topics = n_topics
        self.table = aligned_zeros(n_words, padded_size(n_topics), dtype=np.int32)
        self.powers: Powers | None = None  # of the table, after a tempered sweep

    @classmethod
    def memory(cls, *, n_tokens: int, n_words: int, n_topics: int) -> dict[str, int]:
        """Return the size of the table in bytes, and of the rows of a document."""
        table = f"the table of {n_words} words and {n_topics} topics"
        return {table: 4 * n_words * padded_size(n_topics), **memory_of_rows(n_topics)}

    def recount(self, state: State) -> None:
        """Count C_kt and its tally anew."""
        self.powers = None
        count_words(state.tokens.word, state.z, self.table)
        tally_table(self.table, state.tally)

    def sweep(self, rng: np.random.Generator, state: State, given: Parameters) -> int:
        """Draw the topic of every token once; return how many tokens changed topic."""
        counter, (n_words, size) = first_counter(rng), self.table.shape
        corpus = arrange_corpus(given.alpha, state.topic, n_words * given.beta)
        work = empty_workspace(given.eta.shape[0], corpus)
        table = self.table.reshape(-1)
        temper = None
        if given.power != 1.0:
            self.powers = hold_powers(self.powers, state, given, self.table)
            temper = arrange_temper(self.powers, state, n_words * given.beta)
        else:
            self.powers = None  # they would not follow the counts
        moved = sweep_by_products(
            (0,) * (size // LANES),
            counter,
            state,
            given,
            table,
            arrange_topics(given.eta, size),
            work,
            temper,
        )
        state.topic[:] = corpus.in_corpus[: self.n_topics]
        return moved

    def word_topic(self) -> NDArray[np.integer]:
        """Return C_kt, (n_words, n_topics)."""
        return self.table[:, : self.n_topics]
