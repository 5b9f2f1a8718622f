"""A run on a cluster: the driver, which submits sweeps, collects draws and writes checkpoints."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np

from pymc_medlda._arguments import check_whole
from pymc_medlda.distributed.checkpoints import Checkpoint, digest_of
from pymc_medlda.distributed.crews import Opening
from pymc_medlda.distributed.describing import (
    Coding,
    Summary,
    code_here,
    describe,
    find_coding,
    summary_of,
    vocabulary_of,
)
from pymc_medlda.distributed.documents import Kept, plan_blocks, save_plan
from pymc_medlda.distributed.draws import Draw, Face, collect_draw, pack_draws, unpack_draws
from pymc_medlda.distributed.executors import Executor
from pymc_medlda.distributed.letters import Lost
from pymc_medlda.distributed.partitions import Partition, Partitions, put_down
from pymc_medlda.distributed.progress import Progress
from pymc_medlda.distributed.settings import Settings
from pymc_medlda.distributed.stations import Order, Report
from pymc_medlda.distributed.storing import make_store
from pymc_medlda.distributed.weights import Weights, first_weights
from pymc_medlda.losses import Loss, Standardised

Result = TypeVar("Result")
FORMAT = 2  # of checkpoints
MOST_LOSSES = 20  # in a row, without a checkpoint between them


class Schedule(NamedTuple):
    """How many sweeps there are, and which of them are stored."""

    tune: int
    draws: int
    sweeps_per_draw: int
    chains: int
    checkpoint_every: int

    def check(self) -> Schedule:
        """Return plain numbers; raise unless they are those of sweeps, draws and chains."""
        for name, value in self._asdict().items():
            check_whole(name, value, at_least=0 if name == "tune" else 1)
        return Schedule(*map(int, self))  # NumPy's integers cannot be written to a description

    @property
    def n_sweeps(self) -> int:
        """Number of sweeps of each chain."""
        return (self.tune + self.draws) * self.sweeps_per_draw

    def is_stored(self, sweep: int) -> bool:
        """Tell whether the state after a sweep is a stored draw."""
        return sweep > self.tune * self.sweeps_per_draw and sweep % self.sweeps_per_draw == 0


class State(NamedTuple):
    """Where a run is."""

    sweep: int
    weights: list[Weights]  # of each chain, of that sweep
    drawn: list[list[Draw]]  # of each chain


class Run:
    """The driver of a run.

    Parameters
    ----------
    executor : Executor
    schedule : Schedule
    folder : path or None
        For checkpoints and for what is in memory here; None if tasks run in this process.
    z_store : path or None
        For the topics of all tokens.
    """

    def __init__(
        self, executor: Executor, schedule: Schedule, folder: Path | None, z_store: Path | None
    ) -> None:
        self.executor, self.schedule, self.folder = executor, schedule, folder
        self.z_store = None if z_store is None else z_store.resolve()
        self.parts: list[Partition] = []
        self.summaries: list[Summary] = []
        self.vocabulary: Any = None
        self.coding: Coding | None = None
        self.given: Settings
        self.plan: Any = None  # Dealt, or the path of a file that holds it
        self.kept: dict[int, Kept] = {}
        self.checkpoint: Checkpoint | None = None
        self.n_written = 0  # draws of each chain that are in files

    @property
    def n_tokens(self) -> int:
        """Number of tokens of all partitions."""
        return sum(summary.n_tokens for summary in self.summaries)

    def describe(self, partitions: Partitions, loss: Loss | Standardised | None) -> Coding | None:
        """Ask all partitions for their words and labels; return how y is coded."""
        takes_labels = None if loss is None else loss.takes_labels
        partitions, coding = code_here(partitions, takes_labels)
        self.parts = partitions.parts
        # What is in memory here knows its words, so that no worker need be asked.
        held = self.executor.shares_memory or partitions.edges is not None
        if held:
            self.vocabulary = vocabulary_of(self.parts[0])
        if not self.executor.shares_memory:
            assert self.folder is not None
            place = self.folder / "partitions"
            place.mkdir(parents=True, exist_ok=True)
            self.parts = [put_down(own, place / f"{i}.npz") for i, own in enumerate(self.parts)]
        submit = self.executor.submit
        described = [
            submit(describe, own, takes_labels, key=("describe", i))
            for i, own in enumerate(self.parts)
        ]
        self.summaries = self.executor.gather(
            [submit(summary_of, own, key=("summary", i)) for i, own in enumerate(described)]
        )
        if not held:
            known = submit(vocabulary_of, self.parts[0], key=("vocabulary", 0))
            self.vocabulary = self.executor.gather(known)
        self._check()
        self._deal(described)
        if coding is None:
            coding = find_coding(partitions, self.summaries, takes_labels)
        self.coding = coding
        return coding

    def _check(self) -> None:
        """Raise unless the partitions belong together."""
        sizes = {(own.n_words, own.vocabulary) for own in self.summaries}
        if len(sizes) > 1:
            raise ValueError("all partitions must have the same vocabulary")
        if self.n_tokens == 0:
            raise ValueError(
                "the partitions have no tokens: at least one document must have a word"
            )
        n_words = self.summaries[0].n_words
        if n_words < len(self.parts):
            raise ValueError(f"there are {len(self.parts)} partitions, but only {n_words} words")

    def _deal(self, described: list[Any]) -> None:
        """Deal the words to blocks."""
        if self.executor.shares_memory:
            self.plan = plan_blocks(described)
            return
        assert self.folder is not None
        # In a file, and not the result of a task: workers may be lost again and again.
        path = str((self.folder / "plan.npz").resolve())
        plan = self.executor.submit(save_plan, described, path, key=("plan", 0))
        self.plan = self.executor.gather(plan)

    def insist(self, work: Callable[[], Result]) -> Result:
        """Do something once more whenever workers are lost meanwhile."""
        losses = 0
        while True:
            try:
                return work()
            except Lost as error:
                losses += 1
                if losses > MOST_LOSSES:
                    raise RuntimeError(
                        f"workers were lost {losses} times before the first sweep: {error}. Look "
                        "into the logs of the workers"
                    ) from error
                self.executor.recover()

    def sample(self, given: Settings, progress: Progress) -> list[list[Draw]]:
        """Run all sweeps of all chains; return the stored draws of each chain."""
        self.given = given
        self.checkpoint = None if self.folder is None else Checkpoint(self.folder, self._identity())
        if self.z_store is not None:
            sizes = [own.n_tokens for own in self.summaries]
            shape = (self.schedule.chains, self.schedule.draws)
            make_store(self.z_store, digest_of(self._identity()), sizes, shape, given.topic_dtype)
        last, losses = self.schedule.n_sweeps, 0
        state = self._begin()
        progress.first = state.sweep
        while state.sweep < last or not self.kept:
            reached = state.sweep
            try:
                state = self._work(state, progress)
            except Lost as error:
                saved = self._begin()
                losses = 0 if saved.sweep > reached else losses + 1
                if losses > MOST_LOSSES:
                    raise RuntimeError(
                        f"workers were lost {losses} times before a checkpoint after sweep "
                        f"{reached} could be written: write them more often, or look into the "
                        "logs of the workers"
                    ) from error
                self.executor.recover()
                state = saved
        return state.drawn

    def _work(self, state: State, progress: Progress) -> State:
        """Open a crew, and go on until the run ends or a larger crew can be opened."""
        folder = "" if self.folder is None else str(self.folder.resolve())
        parts = dict(enumerate(self.parts))
        arguments = (self.coding, self.plan, self.given, state.sweep, state.weights, folder)
        crew = self.executor.open(Opening(parts, *arguments, self.z_store is not None))
        try:
            if not self.kept:
                self.kept = crew.describe_kept()
            is_saved = True
            while state.sweep < self.schedule.n_sweeps:
                if is_saved and crew.is_outgrown():
                    break
                order = self._order(state.sweep, crew.pace)
                state = self._collect(state, order, crew.follow(order), progress)
                is_saved = order.checkpoint is not None
        finally:
            crew.close()
        return state

    def _order(self, sweep: int, pace: int) -> Order:
        """Return the next sweeps, up to a checkpoint or the end."""
        every, last = self.schedule.checkpoint_every, self.schedule.n_sweeps
        due = min((sweep // every + 1) * every, last)
        until = min(sweep + pace, due)
        stored = tuple(s for s in range(sweep + 1, until + 1) if self.schedule.is_stored(s))
        saves = self.checkpoint is not None and until == due < last
        folder = str(self.checkpoint.folder) if saves and self.checkpoint is not None else None
        n_drawn = max(sweep // self.schedule.sweeps_per_draw - self.schedule.tune, 0)
        z_store = None if self.z_store is None else str(self.z_store)
        return Order(sweep + 1, until, stored, n_drawn, folder, z_store)

    def _collect(
        self, state: State, order: Order, reports: Sequence[Report], progress: Progress
    ) -> State:
        """Put together what the stations tell, and write a checkpoint if one is due."""
        numbers, last = range(self.schedule.chains), order.last
        seen = {key: found for own in reports for key, found in own.seen.items()}
        drawn = [
            [*before, *(collect_draw(reports, c, sweep) for sweep in order.stored)]
            for c, before in enumerate(state.drawn)
        ]
        found = [seen[c, last] for c in numbers]
        first = first_weights(self.given)
        weights = [first._replace(eta=own.eta, nu=own.nu) for own in found]
        if order.checkpoint is not None and self.checkpoint is not None:
            arrays: dict[str, Any] = {}
            for c, own in enumerate(found):
                arrays |= {f"weights-{c}-eta": own.eta, f"weights-{c}-nu": np.array(own.nu)}
            unwritten = [own[self.n_written :] for own in drawn]
            self.checkpoint.write(last, arrays, pack_draws(unwritten))
            self.n_written = len(drawn[0])
        progress.update(last, [own.statistics for own in found])
        return State(last, weights, drawn)

    def _begin(self) -> State:
        """Return where the last checkpoint is, or the beginning."""
        numbers = range(self.schedule.chains)
        found = None if self.checkpoint is None else self.checkpoint.read()
        drawn: list[list[Draw]] = [[] for _ in numbers]
        first = first_weights(self.given)
        self.n_written = 0
        if self.checkpoint is None or found is None:
            return State(0, [first for _ in numbers], drawn)
        sweep = int(found["sweep"])
        arrays = self.checkpoint.read_state(sweep)
        weights = [
            first._replace(eta=arrays[f"weights-{c}-eta"], nu=float(arrays[f"weights-{c}-nu"]))
            for c in numbers
        ]
        for part in self.checkpoint.read_draws(found["parts"]):
            for own, more in zip(drawn, unpack_draws(part, len(drawn)), strict=True):
                own.extend(more)
        self.n_written = len(drawn[0])
        return State(sweep, weights, drawn)

    def _identity(self) -> dict[str, Any]:
        """Return what must be the same for a run to be continued, as numbers and text."""
        given = self.given._asdict()
        loss = self.given.loss
        if loss is not None:
            parameters = {name: float(getattr(loss, name)) for name in loss.parameter_names()}
            given["loss"] = [loss.key(), parameters]
        given["alpha"] = self.given.alpha.tolist()
        if self.given.units is not None:
            given["units"] = [own.tolist() for own in self.given.units]
        return {
            "format": FORMAT,
            "given": given,
            "schedule": list(self.schedule[:4]),
            "documents": [list(own[:5]) for own in self.summaries],
        }

    def face(self, attributes: dict[str, Any]) -> Face:
        """Return what the result says of the corpus."""
        return Face(
            [self.kept[i] for i in range(len(self.parts))],
            self.vocabulary,
            self.summaries[0].n_words,
            None if self.coding is None else self.coding.classes,
            self.coding is not None and self.coding.has_columns,
            sum(summary.n_documents for summary in self.summaries),
            attributes,
        )
