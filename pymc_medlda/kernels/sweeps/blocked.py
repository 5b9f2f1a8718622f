"""The exact sweep in blocks: one chain on several cores.

Words and documents are in P blocks each, and every token is in the cell (i, B) of its document and
its word. Given the masses of `masses`, two cells that share neither documents nor words share no
count at all. A sweep draws the masses and goes through P rounds; in round e, the cells
(i, (i + e) mod P) are independent of each other, so that several threads may visit them side by
side. Every cell has random numbers of its own, so the draws depend on the number of blocks, but not
on the number of threads.

Within a cell, topics are drawn by any of the sweeps: each block of words is to it a vocabulary of
its own.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pymc_medlda.kernels.counts import Tokens
from pymc_medlda.kernels.sweeps.blocks import divide, put_back
from pymc_medlda.kernels.sweeps.interface import Parameters, State, Sweep
from pymc_medlda.kernels.sweeps.masses import draw_log_masses
from pymc_medlda.kernels.sweeps.team import Team


def default_blocks(threads: int, n_words: int) -> int:
    """Return how many blocks suit a number of threads: one for each, if there are as many words."""
    return min(threads, n_words)


class BlockedSweep:
    """Sweeps of one kind, one for each block of words, with the tokens in the order of the blocks.

    Parameters
    ----------
    kind : type of Sweep
    tokens : Tokens
    n_words, n_topics, n_blocks : int
    team : Team
        The threads that visit cells.
    """

    def __init__(
        self,
        kind: type[Sweep],
        tokens: Tokens,
        *,
        n_words: int,
        n_topics: int,
        n_blocks: int,
        team: Team,
    ) -> None:
        self.team = team
        self.n_blocks, self.n_topics = n_blocks, n_topics
        self.blocks = divide(tokens, n_words, n_blocks)
        self.n_words = np.array([words.size for words in self.blocks.words])
        self.totals = np.zeros((n_blocks, n_topics), np.int64)  # C_kB
        self.states: list[State] = []  # of each block of words, for all documents
        self.sweeps = [
            kind(np.bincount(own.word, minlength=n), n_topics=n_topics)
            for own, n in zip(self.blocks.tokens, self.n_words, strict=True)
        ]
        cells = [(i, (i + e) % n_blocks) for e in range(n_blocks) for i in range(n_blocks)]
        self.cells = cells
        # A cell waits for those of the round before that have its documents or its words.
        of_round = n_blocks * (np.arange(n_blocks) - 1)
        self.after = [
            () if e == 0 else (int(of_round[e]) + i, int(of_round[e]) + (i + 1) % n_blocks)
            for e in range(n_blocks)
            for i in range(n_blocks)
        ]

    def recount(self, state: State) -> None:
        """Take over the topics of ``state``, and count C_kt, C_kB and the tally anew."""
        self.states = []
        for B, (own, order) in enumerate(zip(self.blocks.tokens, self.blocks.order, strict=True)):
            z = state.z[order]
            tally = np.zeros(np.bincount(own.word).max(initial=0) + 2, np.int32)
            self.totals[B] = np.bincount(z, minlength=self.n_topics)
            self.states.append(
                State(own, z, state.document_topic, self.totals[B], tally, state.gamma)
            )
        self.team.run(lambda B: self.sweeps[B].recount(self.states[B]), self.n_blocks)
        self._add_up(state)

    def sweep(self, rng: np.random.Generator, state: State, given: Parameters) -> int:
        """Draw the topic of every token once; return how many tokens changed topic."""
        log_mass = draw_log_masses(rng, self.totals, self.n_words, given.beta)
        counters = np.frombuffer(rng.bytes(8 * len(self.cells)), np.uint64)
        weights = self.sweeps[0].arrange(given.eta)
        work: list[Any] = [None] * self.n_blocks

        def visit(m: int) -> int:
            i, B = self.cells[m]
            if m < self.n_blocks:  # the first round visits every block of words once
                work[B] = self.sweeps[B].begin(self.states[B], given, weights, log_mass[B])
            moved = self._visit_cell(i, B, counters[m], state, given, weights, work[B])
            if m >= len(self.cells) - self.n_blocks:  # the last round
                self.sweeps[B].end(self.states[B], weights, work[B])
            return moved

        moved = sum(self.team.run(visit, len(self.cells), self.after))
        self._add_up(state)
        return moved

    def _visit_cell(
        self,
        i: int,
        B: int,
        counter: np.uint64,
        state: State,
        given: Parameters,
        weights: Any,
        work: Any,
    ) -> int:
        """Draw the topics of a cell, and write them to ``state`` too."""
        first, last = self.blocks.edges[i], self.blocks.edges[i + 1]
        own, documents = self.states[B], slice(first, last)
        start = own.tokens.start[first : last + 1]
        cell = own._replace(
            tokens=Tokens(own.tokens.word, start),
            document_topic=state.document_topic[documents],
            gamma=state.gamma[documents],
        )
        of_cell = given._replace(a=given.a[documents], b=given.b[documents])
        moved = self.sweeps[B].visit(counter, cell, of_cell, weights, work)
        if moved:
            put_back(self.blocks.order[B], own.z, start[0], start[-1], state.z)
        return moved

    def _add_up(self, state: State) -> None:
        """Write C_k and the tally of all blocks."""
        state.topic[:] = self.totals.sum(axis=0)
        state.tally[:] = 0
        for own in self.states:
            state.tally[: own.tally.size] += own.tally

    def word_topic(self) -> NDArray[np.integer]:
        """Return C_kt as a table, (n_words, n_topics)."""
        table = np.zeros((int(self.n_words.sum()), self.n_topics), np.int64)
        for words, sweep in zip(self.blocks.words, self.sweeps, strict=True):
            table[words] = sweep.word_topic()
        return table
