"""A run on a cluster: the driver, which submits sweeps, collects draws and writes checkpoints."""

from __future__ import annotations

from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from pymc_medlda._arguments import check_whole
from pymc_medlda.distributed.chain import Chain, Corpora
from pymc_medlda.distributed.checkpoints import Checkpoint, load_topics, save_topics
from pymc_medlda.distributed.describing import (
    Coding,
    Summary,
    code_here,
    describe,
    find_coding,
    summary_of,
    vocabulary_of,
)
from pymc_medlda.distributed.documents import describe_kept, plan_blocks, prepare_documents
from pymc_medlda.distributed.draws import (
    Draw,
    Face,
    Pending,
    collect_draw,
    pack_draws,
    request_draw,
    unpack_draws,
    with_statistics,
)
from pymc_medlda.distributed.executors import Executor
from pymc_medlda.distributed.partitions import Partition, Partitions, put_down
from pymc_medlda.distributed.progress import Progress
from pymc_medlda.distributed.settings import Settings
from pymc_medlda.distributed.weights import Weights
from pymc_medlda.losses import Loss


class Schedule(NamedTuple):
    """How many sweeps there are, and which of them are stored."""

    tune: int
    draws: int
    sweeps_per_draw: int
    chains: int
    checkpoint_every: int

    def check(self) -> None:
        """Raise unless these are numbers of sweeps, draws and chains."""
        for name, value in self._asdict().items():
            check_whole(name, value, at_least=0 if name == "tune" else 1)

    @property
    def n_sweeps(self) -> int:
        """Number of sweeps of each chain."""
        return (self.tune + self.draws) * self.sweeps_per_draw

    def is_stored(self, sweep: int) -> bool:
        """Tell whether the state after a sweep is a stored draw."""
        return sweep > self.tune * self.sweeps_per_draw and sweep % self.sweeps_per_draw == 0


class Run:
    """The driver of a run.

    Parameters
    ----------
    executor : Executor
    schedule : Schedule
    folder : path or None
        For checkpoints and for what is in memory here; None if tasks run in this process.
    """

    def __init__(self, executor: Executor, schedule: Schedule, folder: Path | None) -> None:
        self.executor, self.schedule, self.folder = executor, schedule, folder
        self.parts: list[Partition] = []
        self.described: list[Any] = []
        self.summaries: list[Summary] = []
        self.vocabulary: Any = None
        self.coding: Coding | None = None
        self.given: Settings
        self.corpora: Corpora
        self.chains: list[Chain] = []

    @property
    def n_tokens(self) -> int:
        """Number of tokens of all partitions."""
        return sum(summary.n_tokens for summary in self.summaries)

    def describe(self, partitions: Partitions, loss: Loss | None) -> Coding | None:
        """Ask all partitions for their words and labels; return how y is coded."""
        takes_labels = None if loss is None else loss.takes_labels
        partitions, coding = code_here(partitions, takes_labels)
        self.parts = partitions.parts
        # What is in memory here knows its words; workers get it without them.
        held = self.executor.shares_memory or partitions.edges is not None
        if held:
            self.vocabulary = vocabulary_of(self.parts[0])
        if not self.executor.shares_memory:
            assert self.folder is not None
            place = self.folder / "partitions"
            place.mkdir(parents=True, exist_ok=True)
            self.parts = [put_down(own, place / f"{i}.npz") for i, own in enumerate(self.parts)]
        submit = self.executor.submit
        self.described = [
            submit(describe, own, takes_labels, key=("describe", i), at=i)
            for i, own in enumerate(self.parts)
        ]
        self.summaries = self.executor.gather(
            [submit(summary_of, own, key=("summary", i)) for i, own in enumerate(self.described)]
        )
        if not held:
            known = submit(vocabulary_of, self.parts[0], key=("vocabulary", 0))
            self.vocabulary = self.executor.gather(known)
        self._check()
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

    def prepare(self, coding: Coding | None, given: Settings) -> None:
        """Load all partitions, and start the chains or find where they stopped."""
        self.given = given
        submit = self.executor.submit
        plan = submit(plan_blocks, self.described, key=("plan", 0))
        documents = [
            submit(prepare_documents, own, coding, plan, given, key=("prepare", i), at=i)
            for i, own in enumerate(self.parts)
        ]
        self.corpora = Corpora(documents, plan)
        numbers = range(self.schedule.chains)
        self.chains = [Chain(self.executor, self.corpora, given, n) for n in numbers]
        self.words = [
            submit(_words_of, plan, B, key=("words", B), at=B) for B in range(len(self.parts))
        ]

    def sample(self, progress: Progress) -> list[list[Draw]]:
        """Run all sweeps of all chains; return the stored draws of each chain."""
        checkpoint = None if self.folder is None else Checkpoint(self.folder, self._identity())
        first, drawn, unfinished = self._begin(checkpoint)
        written = [len(own) for own in drawn]
        pending: list[Pending | None] = [None] * len(self.chains)
        last = self.schedule.n_sweeps
        for sweep in range(first + 1, last + 2):
            # One sweep more than there are: its weights carry the statistics of the last draw.
            ahead = [
                chain.sweep(sweep) if sweep <= last else chain.look(sweep)[1]
                for chain in self.chains
            ]
            # Workers have the next sweep to work at while this process waits for the last one.
            weights: list[Weights] = self.executor.gather(ahead)
            for c, chain in enumerate(self.chains):
                if pending[c] is not None:
                    unfinished[c] = collect_draw(chain, pending[c])  # type: ignore[arg-type]
                    pending[c] = None
                if unfinished[c] is not None:
                    drawn[c].append(with_statistics(unfinished[c], weights[c].statistics))  # type: ignore[arg-type]
                    unfinished[c] = None
                if sweep <= last and self.schedule.is_stored(sweep):
                    pending[c] = request_draw(chain, sweep, self.words)
            progress.update(sweep - 1, [own.statistics for own in weights])
            due = sweep % self.schedule.checkpoint_every == 0 and sweep < last
            if checkpoint is not None and due:
                for c, chain in enumerate(self.chains):
                    if pending[c] is not None:
                        unfinished[c] = collect_draw(chain, pending[c])  # type: ignore[arg-type]
                        pending[c] = None
                new = [own[n:] for own, n in zip(drawn, written, strict=True)]
                self._save(checkpoint, sweep, weights, new, unfinished)
                written = [len(own) for own in drawn]
        return drawn

    def _begin(
        self, checkpoint: Checkpoint | None
    ) -> tuple[int, list[list[Draw]], list[Draw | None]]:
        """Start the chains, or continue them; return the sweep after which they are, and draws."""
        found = None if checkpoint is None else checkpoint.read()
        nothing: list[Draw | None] = [None] * len(self.chains)
        if checkpoint is None or found is None:
            for chain in self.chains:
                chain.start()
            return 0, [[] for _ in self.chains], nothing
        sweep = int(found["sweep"])
        state = checkpoint.read_state(sweep)
        for c in range(len(self.chains)):
            eta, nu = state[f"weights-{c}-eta"], float(state[f"weights-{c}-nu"])
            self._reload(checkpoint, sweep, c, Weights(eta, nu, np.empty(0), {}))
        drawn: list[list[Draw]] = [[] for _ in self.chains]
        for part in checkpoint.read_draws(found["parts"]):
            for own, more in zip(drawn, unpack_draws(part, len(self.chains)), strict=True):
                own.extend(more)
        waiting = unpack_draws(state, len(self.chains))
        return sweep, drawn, [own[0] if own else None for own in waiting]

    def _save(
        self,
        checkpoint: Checkpoint,
        sweep: int,
        weights: list[Weights],
        new: list[list[Draw]],
        unfinished: list[Draw | None],
    ) -> None:
        """Write a checkpoint, and go on from it: what led to it is not needed any more."""
        saved = [
            self.executor.submit(
                save_topics,
                topics,
                checkpoint.path_of(sweep, chain.number, i),
                key=("save", chain.number, sweep, i),
                at=i,
            )
            for chain in self.chains
            for i, topics in enumerate(chain.topics)
        ]
        self.executor.gather(saved)
        state: dict[str, Any] = pack_draws([[own] if own else [] for own in unfinished])
        for c, own in enumerate(weights):
            state |= {f"weights-{c}-eta": own.eta, f"weights-{c}-nu": np.array(own.nu)}
        checkpoint.write(sweep, state, pack_draws(new))
        self.executor.refresh()
        for c, own in enumerate(weights):
            self._reload(checkpoint, sweep, c, own)

    def _reload(self, checkpoint: Checkpoint, sweep: int, c: int, weights: Weights) -> None:
        """Let a chain go on from the files of a checkpoint."""
        chain = self.chains[c]
        topics = [
            self.executor.submit(
                load_topics,
                own,
                checkpoint.path_of(sweep, c, i),
                self.given,
                key=("load", c, sweep, i),
                at=i,
            )
            for i, own in enumerate(self.corpora.documents)
        ]
        chain.resume(topics, weights)

    def _identity(self) -> dict[str, Any]:
        """Return what must be the same for a run to be continued, as numbers and text."""
        given = self.given._asdict()
        loss = self.given.loss
        if loss is not None:
            parameters = {name: float(getattr(loss, name)) for name in loss.parameter_names()}
            given["loss"] = [loss.key(), parameters]
        given["alpha"] = self.given.alpha.tolist()
        return {
            "given": given,
            "schedule": list(self.schedule[:4]),
            "documents": [list(own[:4]) for own in self.summaries],
        }

    def face(self, attributes: dict[str, Any]) -> Face:
        """Return what the result says of the corpus."""
        kept = [
            self.executor.submit(describe_kept, own, self.corpora.plan, key=("face", i), at=i)
            for i, own in enumerate(self.corpora.documents)
        ]
        return Face(
            self.executor.gather(kept),
            self.vocabulary,
            self.summaries[0].n_words,
            None if self.coding is None else self.coding.classes,
            self.coding is not None and self.coding.has_columns,
            attributes,
        )


def _words_of(plan: Any, B: int) -> Any:
    """Return the words of a block."""
    return itemgetter(B)(plan.words)
