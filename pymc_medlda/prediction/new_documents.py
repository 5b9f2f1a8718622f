"""Topic frequencies of new documents, draw by draw of a run: the test-time sampler in threads."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pymc_medlda._arguments import check_seed
from pymc_medlda._arrays import Floats
from pymc_medlda.corpus import Corpus
from pymc_medlda.kernels.counts import Tokens
from pymc_medlda.kernels.new_documents import (
    Schedule,
    WordTopics,
    estimate_topics,
    sample_documents,
)
from pymc_medlda.run.topic_draws import TopicDraws

# Documents that share a random stream and a stopping rule: enough tokens that noise does not hide
# the rise of their likelihood, few enough that their words stay in the cache. The answer depends
# on this number, so it is fixed. It does not depend on the number of threads.
BLOCK = 32


@dataclass(frozen=True)
class NewDocuments:
    """New documents, their words numbered among those that occur in them.

    Attributes
    ----------
    tokens : Tokens
    row : (n_words,) int array
        For each word of the training vocabulary its number here, -1 if it does not occur.
    n_rows : int
    """

    tokens: Tokens
    row: NDArray[np.int32]
    n_rows: int

    @classmethod
    def from_corpus(cls, corpus: Corpus) -> NewDocuments:
        """Renumber the words of a corpus that has the training vocabulary."""
        occurs = np.bincount(corpus.words, minlength=corpus.n_words) > 0
        row = np.where(occurs, np.cumsum(occurs) - 1, -1).astype(np.int32)
        return cls(Tokens(row[corpus.words], corpus.starts), row, int(occurs.sum()))

    def estimate(self, topics: TopicDraws, chain: int, draw: int) -> WordTopics:
        """Return phi-hat of a draw for the words of these documents."""
        n_topics = topics.n_topics
        out = WordTopics(
            np.empty((self.n_rows, n_topics)), np.empty(n_topics), np.empty(self.n_rows)
        )
        z = topics.assignments_at(chain, draw)
        alpha, beta = topics.alpha(chain, draw), topics.beta(chain, draw)
        estimate_topics(topics.tokens.word, z, self.row, topics.n_words, alpha, beta, out)
        return out


def iterate_topic_frequencies(
    topics: TopicDraws,
    documents: NewDocuments,
    draws: Sequence[tuple[int, int]],
    *,
    schedule: Schedule,
    seed: np.random.SeedSequence,
    cores: int | None = None,
) -> Iterator[tuple[Floats, int]]:
    """Yield, draw after draw, the average of z̄ (n_documents, n_topics) and the longest burn-in.

    Every (chain, draw, block of documents) has its own random stream, so the answer depends on
    neither the number of threads nor the other draws asked for.
    """
    n_documents = documents.tokens.start.size - 1
    n_blocks = -(-n_documents // BLOCK)
    cores = cores or available_cores()
    # Threads share the draws. Where draws are few they also share the blocks of a draw; each then
    # estimates phi again, at the same time as the others.
    n_shares = 1 if cores == 1 else max(1, min(n_blocks, -(-2 * cores // max(len(draws), 1))))
    bounds = np.linspace(0, n_blocks, n_shares + 1).astype(int)

    def sample(chain: int, draw: int, first: int, last: int, out: Floats) -> int:
        word_topics = documents.estimate(topics, chain, draw)
        longest = 0
        for block in range(first, last):
            rng = _stream(seed, chain, draw, block)
            begin, end = block * BLOCK, min((block + 1) * BLOCK, n_documents)
            args = (documents.tokens, word_topics, schedule, begin, end, out)
            longest = max(longest, sample_documents(rng, *args))
        return longest

    def allocate() -> Floats:
        return np.empty((n_documents, topics.n_topics))

    if cores == 1:
        for chain, draw in draws:
            out = allocate()
            yield out, sample(chain, draw, 0, n_blocks, out)
        return
    waiting: deque[tuple[Floats, list[Future[int]]]] = deque()
    pool = ThreadPoolExecutor(cores)
    try:
        for chain, draw in draws:
            out = allocate()
            parts = [pool.submit(sample, chain, draw, i, j, out) for i, j in pairwise(bounds)]
            waiting.append((out, parts))
            # Draws ahead keep the threads busy; their number is limited, as each holds an array.
            if len(waiting) > 2 * cores:
                yield _collect(*waiting.popleft())
        while waiting:
            yield _collect(*waiting.popleft())
    finally:
        pool.shutdown(cancel_futures=True)


def as_seed(random_seed: Any) -> np.random.SeedSequence:
    """Return the seed from which the random streams are spawned."""
    if isinstance(random_seed, np.random.Generator):
        return np.random.SeedSequence(random_seed.integers(2**63).item())
    if isinstance(random_seed, np.random.SeedSequence):
        return random_seed
    check_seed("random_seed", random_seed)
    return np.random.SeedSequence(random_seed)


def available_cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _collect(out: Floats, parts: list[Future[int]]) -> tuple[Floats, int]:
    return out, max((part.result() for part in parts), default=0)


def _stream(seed: np.random.SeedSequence, *key: int) -> np.random.Generator:
    child = np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, *key))
    return np.random.Generator(np.random.PCG64(child))
