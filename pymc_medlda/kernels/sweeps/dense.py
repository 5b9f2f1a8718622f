"""The path "dense": C_kt in a table, drawn by products. The quickest for few topics."""

from __future__ import annotations

import copy
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from pymc_medlda._arrays import Floats
from pymc_medlda.kernels.counts import count_words, fill_table, tally_table
from pymc_medlda.kernels.simd.aligned import aligned_zeros, padded_size
from pymc_medlda.kernels.simd.lanes import LANES
from pymc_medlda.kernels.sweeps.interface import Parameters, State, Sweep
from pymc_medlda.kernels.sweeps.products import sweep_by_products
from pymc_medlda.kernels.sweeps.products_state import (
    Corpus,
    Topics,
    Workspace,
    arrange_corpus,
    arrange_topics,
    empty_workspace,
    memory_of_rows,
)
from pymc_medlda.kernels.sweeps.tempering import (
    Powers,
    Temper,
    arrange_temper,
    fill_rows,
    hold_powers,
    memory_of_powers,
)

# The loop over the vectors of a row is unrolled, so that a longer row takes longer to compile.
MOST_TOPICS = 256


class DenseSweep(Sweep):
    """The sweep by products, with C_kt in a table whose rows are padded to full vectors."""

    def __init__(self, frequency: NDArray[np.integer], *, n_topics: int) -> None:
        if n_topics > MOST_TOPICS:
            raise ValueError(
                f'path "dense" takes at most {MOST_TOPICS} topics, got n_topics = {n_topics}'
            )
        self.n_topics = n_topics
        self.table = aligned_zeros(frequency.size, padded_size(n_topics), dtype=np.int32)
        self.powers: Powers | None = None  # those of ``rows``, while these follow the table
        # (n_words * size,) (C_kt + beta)^tau in single precision, after a tempered sweep. A row
        # takes half of the time to read. Rounding changes the weight of a topic by less than 6e-8
        # of it. Tempered sweeps only find the start of a chain: no draw that is kept is one of
        # theirs, so its law stays exact.
        self.rows: NDArray[np.float32] | None = None

    @classmethod
    def memory(cls, *, n_tokens: int, n_words: int, n_topics: int) -> dict[str, int]:
        """Return the size of the table in bytes, and of the rows of a document."""
        table = f"the table of {n_words} words and {n_topics} topics"
        size = 4 * n_words * padded_size(n_topics)
        powers = {f"{table}, in powers": size, **memory_of_powers(n_tokens, n_topics)}
        return {table: size, **memory_of_rows(n_topics), **powers}

    def recount(self, state: State) -> None:
        """Count C_kt and its tally anew."""
        self.powers = None
        count_words(state.tokens.word, state.z, self.table)
        tally_table(self.table, state.tally)

    def arrange(self, eta: Floats) -> Topics:
        """Pad the weights to full vectors."""
        return arrange_topics(eta, self.table.shape[1])

    def begin(
        self, state: State, given: Parameters, weights: Topics, log_mass: Floats
    ) -> tuple[Workspace, Temper | None]:
        """Allocate what is held of one document, and the powers of a tempered target."""
        beta_total = self.table.shape[0] * given.beta
        corpus = arrange_corpus(given.alpha, state.topic, beta_total, log_mass)
        temper = None
        if given.power != 1.0:
            temper = self._temper(state, given, corpus)
        else:
            self.powers = None  # they would not follow the counts
        return empty_workspace(given.eta.shape[0], corpus), temper

    def visit(
        self,
        counter: np.uint64,
        state: State,
        given: Parameters,
        weights: Topics,
        work: tuple[Workspace, Temper | None],
    ) -> int:
        """Draw the topic of every token by products; return how many changed topic."""
        vectors = (0,) * (self.table.shape[1] // LANES)
        table = self.table.reshape(-1)
        return sweep_by_products(vectors, counter, state, given, table, weights, *work)

    def end(self, state: State, weights: Topics, work: tuple[Workspace, Temper | None]) -> None:
        """Write C_k."""
        state.topic[:] = work[0].corpus.in_corpus[: self.n_topics]

    def _temper(self, state: State, given: Parameters, corpus: Corpus) -> Temper:
        """Bring the rows of powers up to date, and arrange what a tempered sweep needs."""
        powers = hold_powers(self.powers, state, given, self.table.shape[0])
        if self.rows is None:
            self.rows = aligned_zeros(self.table.size, dtype=np.float32)
        if powers is not self.powers:
            fill_rows(self.table.reshape(-1), powers.of_words, self.rows)
            self.powers = powers
        rate, less = aligned_zeros(2, corpus.alpha.size)
        return arrange_temper(
            powers, self.rows, state.topic, corpus.beta_total, corpus.alpha, (rate, less)
        )

    def word_topic(self) -> NDArray[np.integer]:
        """Return C_kt, (n_words, n_topics)."""
        return self.table[:, : self.n_topics]

    def fill(self, table: sparse.csr_array, tally: NDArray[np.int32]) -> None:
        """Take over C_kt, and write its tally."""
        fill_table(table.indptr, table.indices, table.data, self.table)
        tally_table(self.table, tally)

    def copy(self) -> Self:
        """Return a sweep with the same counts, in a table that begins at a cache line too."""
        copied = copy.copy(self)
        copied.powers = copied.rows = None
        copied.table = aligned_zeros(*self.table.shape, dtype=np.int32)
        copied.table[:] = self.table
        return copied
