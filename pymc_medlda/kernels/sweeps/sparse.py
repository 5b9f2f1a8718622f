"""The path "sparse": C_kt in lists, drawn by bounds or by rows. The quickest for many topics."""

from __future__ import annotations

import copy
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from pymc_medlda._arrays import Floats
from pymc_medlda.kernels.simd.aligned import padded_size
from pymc_medlda.kernels.sweeps import bounds_state, rows_state
from pymc_medlda.kernels.sweeps.bounds import sweep_by_bounds
from pymc_medlda.kernels.sweeps.document import Document, pad_topics
from pymc_medlda.kernels.sweeps.gains import fill_gains
from pymc_medlda.kernels.sweeps.interface import Entries, Parameters, State, Sweep
from pymc_medlda.kernels.sweeps.rows import sweep_by_rows
from pymc_medlda.kernels.sweeps.tempering import (
    Powers,
    Temper,
    arrange_temper,
    hold_powers,
    memory_of_powers,
)
from pymc_medlda.kernels.sweeps.word_lists import (
    MOST_NARROW,
    TOPIC,
    empty_lists,
    fill_lists,
    order_lists,
    tally_lists,
)

MOST_TOPICS = 2**16  # an entry of a list has room for no larger topic


class SparseSweep(Sweep):
    """The sweep by bounds where there is one task, by rows where there are several."""

    def __init__(self, frequency: NDArray[np.integer], *, n_topics: int) -> None:
        if n_topics > MOST_TOPICS:
            raise ValueError(
                f'path "sparse" takes at most {MOST_TOPICS} topics, got n_topics = {n_topics}'
            )
        self.n_topics = n_topics
        self.lists = empty_lists(frequency, n_topics=n_topics)
        self.powers: Powers | None = None
        self.gain: Floats | None = None  # one for each entry of the lists, after a tempered sweep
        self.refusals = 0  # draws of the last sweep by bounds that were refused and repeated

    @classmethod
    def memory(cls, *, n_tokens: int, n_words: int, n_topics: int) -> dict[str, int]:
        """Return the size of the lists in bytes, of their gains, and of what a document needs."""
        lists = f"the lists of topics of {n_words} words"
        entry = 4 if n_tokens < MOST_NARROW else 8  # at most: it depends on the frequency of words
        return {
            lists: entry * n_tokens + 12 * n_words,
            f"{lists}, in powers": 8 * n_tokens,
            **rows_state.memory_of_rows(n_topics),
            **memory_of_powers(n_tokens, n_topics),
        }

    def recount(self, state: State) -> None:
        """Count C_kt and its tally anew."""
        fill_lists(state.tokens.word, state.z, self.lists)
        order_lists(self.lists)
        tally_lists(self.lists, state.tally)

    def arrange(self, eta: Floats) -> bounds_state.Topics | rows_state.Topics:
        """Divide the weights of one task into groups, or pad those of several."""
        if eta.shape[0] == 1:
            return bounds_state.arrange_topics(eta[0])
        return rows_state.arrange_topics(eta, padded_size(self.n_topics))

    def begin(self, state: State, given: Parameters, weights: Any, log_mass: Floats) -> Any:
        """Allocate what is held of one document, and the powers of a tempered target."""
        corpus = given.alpha, state.topic, self.lists.length.size * given.beta, log_mass
        if isinstance(weights, bounds_state.Topics):
            slot = weights.slot
            document = pad_topics(*corpus, slot, weights.eta.size)
            work: Any = bounds_state.empty_workspace(document, weights)
        else:
            slot = np.arange(self.n_topics)
            document = pad_topics(*corpus)
            work = rows_state.empty_workspace(given.eta.shape[0], document)
        self.refusals = 0
        return work, self._temper(state, given, document, slot)

    def visit(
        self, counter: np.uint64, state: State, given: Parameters, weights: Any, work: Any
    ) -> int:
        """Draw the topic of every token; return how many changed topic."""
        beta_total = self.lists.length.size * given.beta
        arguments = counter, state, given, beta_total, self.lists, weights, *work
        if not isinstance(weights, bounds_state.Topics):
            return sweep_by_rows(*arguments)
        moved, refusals = sweep_by_bounds(*arguments)
        self.refusals += refusals
        return moved

    def end(self, state: State, weights: Any, work: Any) -> None:
        """Write C_k, and put the lists in order."""
        is_grouped = isinstance(weights, bounds_state.Topics)
        slot = weights.slot if is_grouped else np.arange(self.n_topics)
        state.topic[:] = work[0].document.in_corpus[slot]
        order_lists(self.lists)

    def _temper(
        self, state: State, given: Parameters, document: Document, slot: np.ndarray
    ) -> Temper | None:
        """Compute the gains of the lists, and arrange what a tempered sweep needs, if it is one.

        The rates of ``document`` become powers.
        """
        if given.power == 1.0:
            return None
        n_words = self.lists.length.size
        self.powers = hold_powers(self.powers, state, given, n_words)
        if self.gain is None:
            self.gain = np.zeros(self.lists.entry.size)
        fill_gains(self.lists, self.powers.of_words, self.gain)
        rates = document.rate, document.less
        beta_total = n_words * given.beta
        return arrange_temper(
            self.powers, self.gain, state.topic, beta_total, document.alpha, rates, slot
        )

    def word_topic(self) -> NDArray[np.integer]:
        """Return C_kt as a table, (n_words, n_topics)."""
        table = np.zeros((self.lists.length.size, self.n_topics), np.int64)
        word, topic, count = self.entries()
        table[word, topic] = count
        return table

    def entries(self) -> Entries:
        """Return the counts C_kt that are not zero, in the order of the words."""
        start, length, entry = self.lists
        word = np.repeat(np.arange(length.size, dtype=np.int32), length)
        first = np.cumsum(length) - length
        listed = entry[np.repeat(start[:-1] - first, length) + np.arange(word.size)]
        return Entries(word, (listed & TOPIC).astype(np.int32), (listed >> 16).astype(np.int32))

    def fill(self, table: sparse.csr_array, tally: NDArray[np.int32]) -> None:
        """Take over C_kt, and write its tally."""
        start, length, entry = self.lists
        length[:] = np.diff(table.indptr)
        # Lists have room for more entries than there are.
        shift = np.repeat(start[:-1] - table.indptr[:-1], length)
        entry[shift + np.arange(table.nnz)] = table.data.astype(np.int64) << 16 | table.indices
        tally_lists(self.lists, tally)

    def copy(self) -> Self:
        """Return a sweep with the same lists."""
        copied = copy.copy(self)
        copied.powers = copied.gain = None
        copied.lists = self.lists._replace(
            length=self.lists.length.copy(), entry=self.lists.entry.copy()
        )
        return copied
