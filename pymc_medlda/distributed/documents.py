"""A partition of the documents as the tasks use it: its tokens by blocks of words, and its labels.

Words are in as many blocks as there are partitions, so that every partition can work at a block of
its own at any time: see `kernels.sweeps.blocked`.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pymc_medlda._arrays import Floats
from pymc_medlda.distributed.describing import Coding, Description, spread_offset
from pymc_medlda.distributed.partitions import Partition
from pymc_medlda.distributed.settings import START, Settings, generator
from pymc_medlda.kernels.counts import Tokens, count_topics
from pymc_medlda.kernels.log_densities import Prior, tabulate_prior
from pymc_medlda.kernels.sweeps.blocks import Dealt, arrange, deal, order_of
from pymc_medlda.run.coordinates import spread

MOST_KEPT = 1000  # documents whose topics the result holds, over all partitions


class Documents(NamedTuple):
    """The documents of a partition, which no task changes."""

    words: list[NDArray[np.int32]]  # of each block: the numbers of its tokens' words in the block
    starts: NDArray[np.int64]  # (n_blocks, n_documents + 1) where those of each document begin
    gamma: Floats  # (n_documents,) 1/N_d
    y: Floats  # (n_documents, n_tasks), NaN where it is missing
    offset: Floats | None  # (n_documents, n_tasks) added to eta · z̄, except the location
    prior: Prior  # tables for log p(Z)
    kept: NDArray[np.intp]  # the documents whose topics the result holds
    # Of each block: where its tokens are in the partition, if all topics are to be written.
    order: list[NDArray[np.unsignedinteger]] | None = None

    @property
    def n_documents(self) -> int:
        """Number of documents."""
        return self.gamma.size

    def tokens(self, B: int) -> Tokens:
        """Return the tokens of a block, which are read-only, as kernels are compiled for."""
        views = [np.asarray(array).view() for array in (self.words[B], self.starts[B])]
        for view in views:
            view.flags.writeable = False
        return Tokens(*views)


@dataclass
class Topics:
    """The topics of the tokens of a partition, and what is counted in them: changed in place."""

    z: list[NDArray[np.unsignedinteger]]  # of each block of words
    document_topic: NDArray[np.int32]  # (n_documents, n_topics) C_dk
    totals: NDArray[np.int64]  # (n_blocks, n_topics) how many of these tokens each topic has
    moved: int  # tokens that changed topic in the last sweep
    log_words: float  # what the block that was visited last adds to log p(W | Z)


def plan_blocks(described: list[Description]) -> Dealt:
    """Deal the words to as many blocks as there are partitions, by how often they occur."""
    return deal(np.sum([own.frequency for own in described], axis=0), len(described))


def save_plan(described: list[Description], path: str) -> str:
    """Deal the words to blocks, and write that to a file which all workers reach."""
    plan = plan_blocks(described)
    sizes = [words.size for words in plan.words]
    unfinished = f"{path}.{os.getpid()}.tmp.npz"
    np.savez(
        unfinished,
        block=plan.block,
        number=plan.number,
        sizes=sizes,
        words=np.concatenate(plan.words),
    )
    os.replace(unfinished, path)
    return path


def load_plan(path: str) -> Dealt:
    """Read what `save_plan` has written."""
    with np.load(path, allow_pickle=False) as file:
        words = np.split(file["words"], np.cumsum(file["sizes"])[:-1])
        return Dealt(file["block"], file["number"], words)


def prepare_documents(
    partition: Partition,
    coding: Coding | None,
    plan: Dealt,
    given: Settings,
    *,
    keeps_order: bool = False,
) -> Documents:
    """Load a partition and arrange its tokens by the blocks of their words."""
    corpus, y, offset = partition.load()
    arranged = arrange(corpus.tokens, plan)
    values = np.zeros((corpus.n_documents, given.n_tasks))
    if coding is not None:
        values = coding.code(y, corpus.n_documents).reshape(values.shape)
    if offset is not None:
        offset = spread_offset(offset, *values.shape)
    most = max(MOST_KEPT // given.n_partitions, 1)
    return Documents(
        words=[own.word for own in arranged],
        starts=np.stack([own.start for own in arranged]),
        gamma=1.0 / np.maximum(corpus.lengths, 1),
        y=np.asarray(values, np.float64),
        offset=offset,
        prior=tabulate_prior(corpus.starts, given.alpha.copy()),
        kept=spread(corpus.n_documents, most),
        order=order_of(arranged, corpus.words, plan) if keeps_order else None,
    )


def start_topics(own: Documents, given: Settings, chain: int, i: int) -> Topics:
    """Draw all topics uniformly."""
    rng = generator(given.seed, chain, START, i)
    drawn = [
        rng.integers(given.n_topics, size=words.size, dtype=given.topic_dtype)
        for words in own.words
    ]
    return count(own, drawn, given)


def count(
    own: Documents,
    z: list[NDArray[np.unsignedinteger]],
    given: Settings,
    moved: int = 0,
    log_words: float = 0.0,
) -> Topics:
    """Count the topics of the tokens."""
    shape = (own.n_documents, given.n_topics)
    document_topic, part = np.zeros(shape, np.int32), np.zeros(shape, np.int32)
    totals = np.zeros((len(z), given.n_topics), np.int64)
    for B, topics in enumerate(z):
        count_topics(own.tokens(B), topics, part, totals[B])
        document_topic += part
    return Topics(z, document_topic, totals, moved, log_words)


class Kept(NamedTuple):
    """The documents whose topics the result holds, their words in the order of the blocks."""

    words: NDArray[np.int64]  # ids in the vocabulary
    lengths: NDArray[np.int64]
    y: Floats
    offset: Floats | None


def _places(own: Documents) -> list[tuple[int, slice]]:
    """Return the tokens of kept documents, as pairs of a block and a range of its tokens."""
    return [
        (B, slice(int(start[d]), int(start[d + 1])))
        for d in own.kept
        for B, start in enumerate(own.starts)
    ]


def describe_kept(own: Documents, plan: Dealt) -> Kept:
    """Return the words and labels of the kept documents."""
    words = [plan.words[B][own.words[B][place]] for B, place in _places(own)]
    n_blocks = len(own.words)
    lengths = np.array([part.size for part in words], np.int64).reshape(-1, n_blocks).sum(axis=1)
    nothing = np.empty(0, np.int64)
    offset = None if own.offset is None else own.offset[own.kept]
    return Kept(np.concatenate([nothing, *words]), lengths, own.y[own.kept], offset)


def topics_of_kept(own: Documents, topics: Topics) -> NDArray[np.unsignedinteger]:
    """Return the topics of the tokens of kept documents."""
    parts = [topics.z[B][place] for B, place in _places(own)]
    return np.concatenate([topics.z[0][:0], *parts])
