"""One chain: the tasks of a sweep, and which of them need the results of which others.

A sweep of P partitions is P rounds; in round e, partition i visits the cell of the block
(i + e) mod P. A visit needs the topics that the visit of the partition before left, and the counts
that the block's visit before left. So no task waits for a whole round, and nothing but the sums of
the partitions comes together in one place.
"""

from __future__ import annotations

from operator import attrgetter, itemgetter
from typing import Any, NamedTuple

from pymc_medlda.distributed.cells import build_block, count_words, visit_cell
from pymc_medlda.distributed.documents import start_topics
from pymc_medlda.distributed.executors import Executor
from pymc_medlda.distributed.settings import Settings
from pymc_medlda.distributed.weights import Weights, augment, draw_weights, first_weights


class Corpora(NamedTuple):
    """What all chains share: the documents of each partition, and the blocks of words."""

    documents: list[Any]  # results of `prepare_documents`
    plan: Any  # of `plan_blocks`


class Chain:
    """The state of one chain, as results of tasks that may not have run yet.

    Parameters
    ----------
    executor : Executor
    corpora : Corpora
    given : Settings
    number : int
        The number of the chain, a part of the names of its random numbers.
    """

    def __init__(self, executor: Executor, corpora: Corpora, given: Settings, number: int) -> None:
        self.executor, self.corpora, self.given, self.number = executor, corpora, given, number
        self.topics: list[Any] = []  # of each partition
        self.blocks: list[Any] = []  # of each block
        self.weights: Any = None
        self.rebuilt = 0  # how often blocks were counted

    def _submit(self, task: Any, *arguments: Any, key: tuple[Any, ...], at: int = -1) -> Any:
        name, *numbers = key
        return self.executor.submit(task, *arguments, key=(name, self.number, *numbers), at=at)

    def start(self) -> None:
        """Begin with uniform topics and weights of zero."""
        topics = [
            self._submit(start_topics, own, self.given, self.number, i, key=("start", i), at=i)
            for i, own in enumerate(self.corpora.documents)
        ]
        self.resume(topics, first_weights(self.given))

    def resume(self, topics: list[Any], weights: Weights) -> None:
        """Go on with the topics of each partition, and count the words of the blocks anew."""
        self.topics, self.weights = topics, weights
        self.rebuilt += 1
        counts = [
            self._submit(
                count_words,
                own,
                topics[i],
                self.corpora.plan,
                self.given,
                key=("count", self.rebuilt, i),
                at=i,
            )
            for i, own in enumerate(self.corpora.documents)
        ]
        self.blocks = []
        for B in range(len(counts)):
            parts = [
                self._submit(itemgetter(B), own, key=("part", self.rebuilt, i, B), at=i)
                for i, own in enumerate(counts)
            ]
            key = ("build", self.rebuilt, B)
            self.blocks.append(self._submit(build_block, parts, self.given, key=key, at=B))

    def look(self, sweep: int) -> tuple[list[Any], Any]:
        """Augment the losses of the present draw; return that, and the weights of ``sweep``.

        The weights carry the statistics of the draw before.
        """
        augmented = [
            self._submit(
                augment,
                own,
                self.topics[i],
                self.weights,
                self.given,
                (self.number, sweep, i),
                key=("augment", sweep, i),
                at=i,
            )
            for i, own in enumerate(self.corpora.documents)
        ]
        sums = [
            self._submit(attrgetter("sums"), own, key=("sums", sweep, i), at=i)
            for i, own in enumerate(augmented)
        ]
        place = (self.number, sweep)
        arguments = (sums, self.weights, self.corpora.plan, self.given, place)
        return augmented, self._submit(draw_weights, *arguments, key=("weights", sweep))

    def sweep(self, sweep: int) -> Any:
        """Submit all tasks of a sweep; return its weights, with statistics of the draw before."""
        augmented, self.weights = self.look(sweep)
        P = len(self.topics)
        for e in range(P):
            cells = []
            for i, own in enumerate(self.corpora.documents):
                B = (i + e) % P
                cell = self._submit(
                    visit_cell,
                    own,
                    self.topics[i],
                    self.blocks[B],
                    augmented[i],
                    self.weights,
                    self.given,
                    (self.number, sweep, i, B),
                    key=("visit", sweep, i, B),
                    at=i,
                )
                cells.append((i, B, cell))
            for i, B, cell in cells:
                self.topics[i] = cell
                key = ("block", sweep, i, B)
                self.blocks[B] = self._submit(attrgetter("block"), cell, key=key, at=i)
        return self.weights
