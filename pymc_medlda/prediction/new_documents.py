"""Topic frequencies of new documents, draw by draw of a run: the test-time sampler in threads."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import groupby, pairwise
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pymc_medlda._arguments import check_seed
from pymc_medlda._arrays import Floats
from pymc_medlda.corpus import Corpus
from pymc_medlda.kernels.counts import Tokens
from pymc_medlda.kernels.new_document_sweeps import WordTopics
from pymc_medlda.kernels.new_documents import (
    BLOCK,
    MOST_BY_ROWS,
    Assignments,
    Schedule,
    estimate_from_counts,
    estimate_topics,
    sample_blocks,
    start_uniformly,
)
from pymc_medlda.kernels.simd.aligned import aligned_zeros, padded_size
from pymc_medlda.kernels.sweeps.team import available_cores
from pymc_medlda.run.topic_draws import TopicDraws


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

    def empty_topics(self, n_topics: int) -> WordTopics:
        """Allocate phi of the words of these documents."""
        phi = aligned_zeros(self.n_rows, padded_size(n_topics))
        n_prior = self.n_rows if n_topics > MOST_BY_ROWS else 0
        return WordTopics(phi, np.empty(n_topics), np.empty(n_prior))

    def estimate(self, topics: TopicDraws, chain: int, draw: int, out: WordTopics) -> WordTopics:
        """Write phi-hat of a draw for the words of these documents to ``out``, and return it."""
        alpha, beta = topics.alpha(chain, draw), topics.beta(chain, draw)
        row, n_words = self.row, topics.n_words
        if topics.counts is not None:
            cell, count = topics.counts.entries(chain, draw)
            estimate_from_counts(cell, count, row, n_words, alpha, beta, out)
        else:
            z = topics.assignments_at(chain, draw)
            estimate_topics(topics.tokens.word, z, row, n_words, alpha, beta, out)
        return out

    def start(self, n_topics: int, seed: np.random.SeedSequence, chain: int) -> Assignments:
        """Return random topics, with a random stream for each chain and block of documents."""
        n_blocks = count_blocks(self.tokens)
        child = np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, chain))
        counter = child.generate_state(n_blocks, np.uint64)
        return start_uniformly(counter, self.tokens.start, n_topics)


def count_blocks(tokens: Tokens) -> int:
    """Return the number of blocks of documents."""
    return -(-(tokens.start.size - 1) // BLOCK)


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

    ``draws`` are pairs of chain and draw, the chains one after the other. The first draw of a chain
    starts from random topics, every other one from the topics under the draw before. Every chain
    and block of documents has its own random stream, so the answer does not depend on the number of
    threads.
    """
    cores = cores or available_cores()
    if cores > 1:
        yield from _iterate_in_threads(topics, documents, draws, schedule, seed, cores)
        return
    of_token = np.zeros((0, topics.n_topics))
    yield from _iterate_in_order(topics, documents, draws, schedule, seed, of_token)


def iterate_token_topics(
    topics: TopicDraws,
    documents: NewDocuments,
    draws: Sequence[tuple[int, int]],
    *,
    schedule: Schedule,
    seed: np.random.SeedSequence,
) -> Iterator[tuple[Floats, Floats]]:
    """Yield z̄ of the documents, and what each of their tokens adds to it times their length.

    The second array, (n_tokens, n_topics), is used again for the next draw. The same seed gives the
    same z̄ as `iterate_topic_frequencies`.
    """
    of_token = np.zeros((documents.tokens.word.size, topics.n_topics))
    for out, _ in _iterate_in_order(topics, documents, draws, schedule, seed, of_token):
        yield out, of_token


def _iterate_in_order(
    topics: TopicDraws,
    documents: NewDocuments,
    draws: Sequence[tuple[int, int]],
    schedule: Schedule,
    seed: np.random.SeedSequence,
    of_token: Floats,
) -> Iterator[tuple[Floats, int]]:
    """Do this in one thread. ``of_token`` holds the topics of tokens, if it has rows for them."""
    word_topics = documents.empty_topics(topics.n_topics)
    n_blocks = count_blocks(documents.tokens)
    for chain, of_chain in groupby(draws, key=itemgetter(0)):
        state = documents.start(topics.n_topics, seed, chain)._replace(of_token=of_token)
        for _, draw in of_chain:
            documents.estimate(topics, chain, draw, word_topics)
            out = np.empty(state.counts.shape)
            args = (documents.tokens, word_topics, schedule, state)
            yield out, sample_blocks(*args, 0, n_blocks, out)


def _iterate_in_threads(
    topics: TopicDraws,
    documents: NewDocuments,
    draws: Sequence[tuple[int, int]],
    schedule: Schedule,
    seed: np.random.SeedSequence,
    cores: int,
) -> Iterator[tuple[Floats, int]]:
    """Do the same in threads, which share the blocks of a draw.

    A task waits for tasks that were submitted before it: phi of its draw, and the same blocks under
    the draw before. The pool begins tasks in the order in which they were submitted, so the first
    one that is not done never waits for one that has not begun.
    """
    n_blocks = count_blocks(documents.tokens)
    bounds = np.linspace(0, n_blocks, max(1, min(n_blocks, cores)) + 1).astype(int)

    def estimate(chain: int, draw: int) -> WordTopics:
        return documents.estimate(topics, chain, draw, documents.empty_topics(topics.n_topics))

    def sample(
        phi: Future[WordTopics],
        before: Future[int] | None,
        state: Assignments,
        first: int,
        last: int,
        out: Floats,
    ) -> int:
        if before is not None:
            before.result()
        return sample_blocks(documents.tokens, phi.result(), schedule, state, first, last, out)

    waiting: deque[tuple[Floats, list[Future[int]]]] = deque()
    pool = ThreadPoolExecutor(cores)
    try:
        for chain, of_chain in groupby(draws, key=itemgetter(0)):
            state = documents.start(topics.n_topics, seed, chain)
            before: Sequence[Future[int] | None] = [None] * (bounds.size - 1)
            for _, draw in of_chain:
                out: Floats = np.empty(state.counts.shape)
                phi = pool.submit(estimate, chain, draw)
                parts = [
                    pool.submit(sample, phi, part, state, i, j, out)
                    for part, (i, j) in zip(before, pairwise(bounds), strict=True)
                ]
                waiting.append((out, parts))
                before = parts
                # Draws ahead keep the threads busy; their number is limited, as each holds arrays.
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


def _collect(out: Floats, parts: list[Future[int]]) -> tuple[Floats, int]:
    return out, max((part.result() for part in parts), default=0)
