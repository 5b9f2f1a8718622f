"""A station: one thread that works at some of the partitions, sweep after sweep, for all chains.

A sweep of P partitions is P rounds; in round e, partition i visits the cell of the block
(i + e) mod P, and then hands the block on to partition i - 1. The sums of all partitions come
together at one station, which draws the weights and the masses of the blocks. Stations send each
other letters, and nobody else takes part in that: a cluster's scheduler has no work with it.

What a station computes depends on the seed and the partitions only, and never on which station has
which partitions. All stations of a crew must be at work at the same time, as each waits for the
others.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pymc_medlda._arrays import Floats
from pymc_medlda._blas import on_one_core
from pymc_medlda.distributed.cells import Block, build_block, count_words, draw_cell, pack_block
from pymc_medlda.distributed.checkpoints import path_of_topics, save_topics
from pymc_medlda.distributed.documents import Documents, Kept, Topics, describe_kept, topics_of_kept
from pymc_medlda.distributed.letters import Box, Lost, Name, Post, Received
from pymc_medlda.distributed.settings import Settings
from pymc_medlda.distributed.storing import write_topics
from pymc_medlda.distributed.weights import Augmented, Weights, augment, draw_weights
from pymc_medlda.kernels.sweeps.blocks import Dealt

Waiting = Generator[Name, Any, None]


class Layout(NamedTuple):
    """Who works at what."""

    owner: list[int]  # the station of each partition
    n_stations: int

    def partitions_of(self, station: int) -> list[int]:
        """Return the partitions of a station."""
        return [i for i, own in enumerate(self.owner) if own == station]


def lay_out(n_partitions: int, n_stations: int) -> Layout:
    """Give consecutive partitions to each station, so that blocks mostly stay where they are."""
    n_stations = min(n_stations, n_partitions)
    owner = [i * n_stations // n_partitions for i in range(n_partitions)]
    return Layout(owner, n_stations)


class Order(NamedTuple):
    """Which sweeps to run, and what to keep of them."""

    first: int
    last: int
    stored: tuple[int, ...]  # the sweeps whose draws are stored
    first_draw: int  # the number of the first of these draws
    checkpoint: str | None  # a folder, if the topics after the last sweep are to be saved
    z_store: str | None = None  # a Zarr store for the topics of stored draws


class Seen(NamedTuple):
    """What is known of a draw at the station that draws the weights."""

    eta: Floats
    nu: float
    statistics: dict[str, float]


@dataclass
class Report:
    """What a station tells of its sweeps. Keys are the chain, the sweep, and a number."""

    seen: dict[tuple[int, int], Seen] = field(default_factory=dict)
    kept: dict[tuple[int, int, int], NDArray[np.unsignedinteger]] = field(default_factory=dict)
    counts: dict[tuple[int, int, int], tuple[NDArray, NDArray]] = field(default_factory=dict)


@dataclass
class Part:
    """What a station holds of one chain."""

    topics: dict[int, Topics]  # of each of its partitions
    weights: Weights  # of the last sweep
    augmented: dict[int, Augmented] = field(default_factory=dict)


class Station:
    """The partitions of a station, and its part of every chain.

    Parameters
    ----------
    number : int
    layout : Layout
    given : Settings
    plan : Dealt
    documents : dict of int to Documents
        Of its partitions.
    parts : list of Part
        Of each chain.
    sweep : int
        After which sweep they are.
    hold : callable
        Puts large arrays where they belong: into files, if they are not to be in memory.
    """

    def __init__(
        self,
        number: int,
        layout: Layout,
        given: Settings,
        plan: Dealt,
        documents: dict[int, Documents],
        parts: list[Part],
        sweep: int,
        hold: Any = None,
    ) -> None:
        self.number, self.layout, self.plan = number, layout, plan
        # Kernels are compiled for arrays that can be written to, and those of a message cannot be.
        self.given = given._replace(alpha=given.alpha.copy())
        self.documents, self.parts, self.sweep = documents, parts, sweep
        self.box = Box()
        self.hold = hold if hold is not None else leave
        self.is_whole = True  # no order was left half done
        self.has_counted = False

    def __reduce__(self) -> Any:
        raise TypeError("a station stays where it is")

    def describe_kept(self) -> dict[int, Kept]:
        """Return the words and labels of the documents whose topics the result holds."""
        return {i: describe_kept(own, self.plan) for i, own in self.documents.items()}

    def follow(self, order: Order, post: Post) -> Report:
        """Run sweeps, together with the other stations of the crew."""
        if not self.is_whole or order.first != self.sweep + 1:
            raise Lost(f"station {self.number} is not after sweep {order.first - 1}")
        self.is_whole = False
        report = Report()
        runs = [self._run(c, order, post, report) for c in range(len(self.parts))]
        with on_one_core():
            self._take_turns(runs, post)
        self.sweep, self.has_counted = max(order.last, self.sweep), True
        if order.checkpoint is not None:
            for c, part in enumerate(self.parts):
                for i, topics in part.topics.items():
                    save_topics(topics, path_of_topics(order.checkpoint, order.last, c, i))
        self.is_whole = True
        return report

    def _take_turns(self, runs: Sequence[Waiting], post: Post) -> None:
        """Run the chains, one while the others wait for a letter."""
        waiting = [(run, name) for run in runs if (name := next(run, None)) is not None]
        while waiting:
            post.check(0.0)
            n = self.box.wait([name for _, name in waiting], post.check)
            run, name = waiting.pop(n)
            try:
                waiting.append((run, run.send(writable(self.box.take(name)))))
            except StopIteration:
                pass

    def _run(self, c: int, order: Order, post: Post, report: Report) -> Waiting:
        """Run the sweeps of a chain, and yield the names of the letters that it waits for."""
        part, owner = self.parts[c], self.layout.owner
        P = len(owner)
        if not self.has_counted:
            yield from self._count(c, order.first, post)
            yield from self._look(c, order.first, post, None)
        for sweep in range(order.first, order.last + 1):
            part.weights = yield ("weights", c, sweep)
            is_stored, arranged = sweep in order.stored, None
            for e in range(P):
                for i, own in self.documents.items():
                    B = (i + e) % P
                    block = yield ("block", c, sweep, e, B)
                    if arranged is None:  # it is the same for all blocks
                        arranged = block.sweep.arrange(part.weights.eta)
                    given = (part.augmented[i], part.weights, self.given)
                    draw_cell(own, part.topics[i], block, *given, (c, sweep, i, B), arranged)
                    if is_stored and e == P - 1:
                        report.counts[c, sweep, B] = pack_block(block, B, self.plan, self.given)
                    after = (sweep, e + 1) if e < P - 1 else (sweep + 1, 0)
                    post.send(owner[i - 1], ("block", c, *after, B), block)
            if is_stored:
                for i, own in self.documents.items():
                    report.kept[c, sweep, i] = topics_of_kept(own, part.topics[i])
                    if order.z_store is not None:
                        place = (c, order.first_draw + order.stored.index(sweep))
                        write_topics(order.z_store, place, i, own, part.topics[i])
            is_asked = is_stored or sweep == order.last
            yield from self._look(c, sweep + 1, post, report if is_asked else None)

    def _count(self, c: int, sweep: int, post: Post) -> Waiting:
        """Count the words of all blocks, and build those with which the partitions here begin."""
        owner, given = self.layout.owner, self.given
        topics = self.parts[c].topics
        for B, receiver in enumerate(owner):
            # One sum for each block: the counts of every partition together would not fit.
            pairs = [(own, topics[i]) for i, own in self.documents.items()]
            name = ("counts", c, self.number, B)
            post.send(receiver, name, count_words(pairs, B, self.plan, given))
        for B in self.documents:
            counts = []
            for station in range(self.layout.n_stations):
                counts.append((yield ("counts", c, station, B)))
            self.box.put(("block", c, sweep, 0, B), build_block(counts, given))

    def _look(self, c: int, sweep: int, post: Post, report: Report | None) -> Waiting:
        """Augment the losses of the present draw, and have the weights of ``sweep`` drawn.

        These carry the statistics of the present draw, which is reported if that is asked for.
        """
        part, owner, given = self.parts[c], self.layout.owner, self.given
        drawer = c % self.layout.n_stations
        for i, own in self.documents.items():
            before = part.augmented.get(i)
            augmented = augment(own, part.topics[i], part.weights, given, (c, sweep, i), before)
            post.send(drawer, ("sums", c, sweep, i), augmented.sums)
            part.augmented[i] = self.hold(augmented)
        if self.number != drawer:
            return
        sums = []
        for i in range(len(owner)):
            sums.append((yield ("sums", c, sweep, i)))
        weights = draw_weights(sums, part.weights, self.plan, given, (c, sweep))
        if report is not None:
            report.seen[c, sweep - 1] = Seen(part.weights.eta, part.weights.nu, weights.statistics)
        for station in range(self.layout.n_stations):
            post.send(station, ("weights", c, sweep), weights)


def leave(value: Any) -> Any:
    """Return a value as it is."""
    return value


def writable(letter: Any) -> Any:
    """Return a letter with arrays that can be written to, as kernels are compiled for."""
    if not isinstance(letter, Received):
        return letter
    found = letter.letter
    if isinstance(found, Block):
        return found.copy()
    if isinstance(found, Weights):
        return found._replace(eta=found.eta.copy(), log_mass=found.log_mass.copy())
    return found


class Here:
    """Brings letters where there is one station only."""

    def __init__(self, box: Box) -> None:
        self.box = box

    def send(self, station: int, name: Name, letter: Any) -> None:
        """Put the letter into the box."""
        self.box.put(name, letter)

    def check(self, passed: float) -> None:
        """Raise if a letter is missing: nobody else could send it."""
        if passed > 0.0:
            raise RuntimeError("a station waits for itself")
