"""The state of a sweep (assignments and their count tables) and the choice of its path."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pymc_medlda.kernels.counts import (
    Counts,
    Tokens,
    count_topics,
    count_words,
    log_assignments,
    log_words,
    project,
)
from pymc_medlda.kernels.lanes import LANES
from pymc_medlda.kernels.sparse import Topics, Workspace, sweep_sparsely
from pymc_medlda.kernels.topics import sweep_plainly
from pymc_medlda.kernels.wordlists import (
    empty_lists,
    fill_lists,
    log_words_of_lists,
    order_lists,
    rename_topics,
)

Floats = NDArray[np.float64]

PATHS = ("auto", "plain", "sparse")

# With one task and more than the first number of topics, the second says how many are single.
SMALL, N_SINGLE = 64, 32
# Rows of bounds a document may hold at a time; more topics than that in one document recompute.
MOST_ROWS = 512


class TopicSampler:
    """Topic assignments with count tables that follow them, swept in place.

    The tables are a cache of ``z`` and nothing else: `load` keeps them only where a byte
    comparison proves that they belong to the assignments it is given, so a step that uses a
    sampler remains a function of its point and random generator.

    Parameters
    ----------
    tokens : Tokens
    n_words, n_topics : int
    path : {"auto", "plain", "sparse"}
        "plain" is the slow and obvious sweep; "sparse" the quick one, equal in law; "auto" the
        quick one.
    """

    def __init__(self, tokens: Tokens, *, n_words: int, n_topics: int, path: str = "auto") -> None:
        if path not in PATHS:
            raise ValueError(f"path must be one of {PATHS}, got {path!r}")
        self.tokens = tokens
        self.n_words = n_words
        self.n_topics = n_topics
        if path == "auto":  # an entry of a word's list has 16 bits for the topic
            path = "sparse" if n_topics <= 2**16 else "plain"
        self.path = path
        self.document_topic = np.zeros((tokens.start.size - 1, n_topics), np.int32)
        self.topic = np.zeros(n_topics, np.int64)
        if self.path == "plain":
            self.word_topic = np.zeros((n_words, n_topics), np.int32)
        else:
            self.lists = empty_lists(tokens.word, n_words=n_words, n_topics=n_topics)
        self.z: Any = None  # (n_tokens,) unsigned integers, once loaded
        self.refusals = 0  # draws of the last sweep that were refused and drawn again

    def __getstate__(self) -> dict[str, Any]:
        """Leave the tables behind: they follow from the assignments that are loaded next."""
        return {name: getattr(self, name) for name in ("tokens", "n_words", "n_topics", "path")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        tokens = state.pop("tokens")
        self.__init__(tokens, **state)  # type: ignore[misc]

    def compile(self) -> None:
        """Compile (or read from the cache) all that a chain of this kind needs.

        Called before processes are started, it leaves nothing for each of them to compile.
        """
        tokens = Tokens(np.zeros(2, np.int32), np.array([0, 2], np.int64))
        tiny = TopicSampler(tokens, n_words=1, n_topics=self.n_topics, path=self.path)
        tiny.load(np.zeros(2, np.uint8 if self.n_topics <= 256 else np.uint16))
        alpha, eta = np.ones(self.n_topics), np.zeros((1, self.n_topics))
        a = b = np.zeros((1, 1))
        tiny.sweep(np.random.default_rng(0), alpha=alpha, beta=1.0, eta=eta, a=a, b=b)
        tiny.project(eta, np.zeros((1, 1)))
        tiny.log_words(1.0)
        tiny.log_assignments(alpha)

    def load(self, z: NDArray[np.unsignedinteger]) -> bool:
        """Take over a copy of ``z``; return whether it was held already, and need no recount."""
        if self.z is not None and np.array_equal(self.z, z):
            return True
        self.z = z.copy()
        count_topics(self.tokens, self.z, self.document_topic, self.topic)
        if self.path == "plain":
            count_words(self.tokens.word, self.z, self.word_topic)
        else:
            fill_lists(self.tokens.word, self.z, self.lists)
            order_lists(self.lists)
        return False

    def sweep(
        self,
        rng: np.random.Generator,
        *,
        alpha: Floats,
        beta: float,
        eta: Floats,
        a: Floats,
        b: Floats,
    ) -> int:
        """Draw every topic once; return how many tokens changed theirs."""
        if self.path == "plain":
            counts = Counts(self.word_topic, self.document_topic, self.topic)
            return sweep_plainly(rng, self.tokens, self.z, counts, alpha, beta, eta, a, b)
        n_tasks = eta.shape[0]
        all_single = n_tasks > 1 or self.n_topics <= SMALL
        size = padded_size(self.n_topics, for_tree=not all_single)
        n_single = size if all_single else N_SINGLE
        leaf = put_extremes_first(eta[0]) if n_single < size else np.arange(self.n_topics)
        topics = self._arrange_topics(leaf, size, n_single, alpha, beta, eta)
        if n_single < size:
            rename_topics(leaf, self.z, self.lists)
        moved, self.refusals = sweep_sparsely(
            rng,
            self.tokens,
            self.z,
            self.lists,
            self.document_topic,
            beta,
            a,
            b,
            topics,
            empty_workspace(n_tasks, size, n_single),
        )
        if n_single < size:
            rename_topics(topics.name, self.z, self.lists)
        order_lists(self.lists)
        self.topic[:] = topics.in_corpus[leaf]
        return moved

    def _arrange_topics(
        self,
        leaf: NDArray[np.int64],
        size: int,
        n_single: int,
        alpha: Floats,
        beta: float,
        eta: Floats,
    ) -> Topics:
        """Put what a sweep knows of each topic in the order of the leaves."""
        name = np.zeros(size, np.int64)
        name[leaf] = np.arange(self.n_topics)
        padded_eta = np.repeat(eta[:, :1], size, axis=1)
        padded_eta[:, leaf] = eta
        padded_alpha, count, rate = np.zeros(size), np.zeros(size, np.int64), np.zeros(size)
        padded_alpha[leaf] = alpha
        count[leaf] = self.topic
        rate[leaf] = 1.0 / (self.topic + self.n_words * beta)
        ends = np.empty((2, n_single + 2))
        ends[:, :n_single] = padded_eta[0, :n_single]
        others = padded_eta[0, n_single : self.n_topics] if n_single < size else eta[0, :1]
        for side, extreme in enumerate((np.min, np.max)):
            ends[side, n_single:] = extreme(others), extreme(eta[0])
        return Topics(name, padded_eta, padded_alpha, count, rate, ends)

    def project(self, eta: Floats, out: Floats) -> None:
        """Write eta_i · z̄_d, the discriminant without its offset, to ``out``."""
        project(self.tokens, self.z, eta, out)

    def log_words(self, beta: float) -> float:
        """Return log p(W | Z)."""
        if self.path == "plain":
            return log_words(self.word_topic, self.topic, beta)
        return log_words_of_lists(self.lists, self.topic, beta)

    def log_assignments(self, alpha: Floats) -> float:
        """Return log p(Z)."""
        return log_assignments(self.document_topic, alpha)


def padded_size(n_topics: int, *, for_tree: bool) -> int:
    """Return the least multiple of eight lanes, or power of two for a tree, that holds all."""
    if for_tree:
        return max(LANES, 1 << (n_topics - 1).bit_length())
    return -(-n_topics // LANES) * LANES


def put_extremes_first(eta: Floats) -> NDArray[np.int64]:
    """Return a leaf for each topic: the further its eta from the median, the earlier."""
    leaf = np.empty(eta.size, np.int64)
    leaf[np.argsort(-np.abs(eta - np.median(eta)), kind="stable")] = np.arange(eta.size)
    return leaf


def empty_workspace(n_tasks: int, size: int, n_single: int) -> Workspace:
    """Allocate what a sweep holds of one document."""
    n_rows = min(size, MOST_ROWS) + 3
    return Workspace(
        total=np.zeros(n_tasks),
        centre=np.zeros(n_tasks),
        in_document=np.zeros(size, np.int64),
        prior=np.zeros(size),
        factor=np.zeros(size),
        weight=np.zeros(size),
        tree=np.zeros(2 * size),
        drift=np.zeros(size),
        pull=np.zeros((n_rows if n_tasks > 1 else 1, size)),
        bound=np.ones(n_rows * (n_single + LANES)),
        owner=np.zeros(n_rows, np.int64),
        held=np.zeros((size, 4)),
        marks=np.zeros((size, 3), np.int64),
        buffer=np.zeros(size),
    )
