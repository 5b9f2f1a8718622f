"""The state of a sweep (assignments and their count tables) and the choice of its path."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pymc_medlda.kernels import many_tasks, one_task
from pymc_medlda.kernels._jit import alone_beside_the_cache
from pymc_medlda.kernels.augmentation import draw_scales
from pymc_medlda.kernels.counts import (
    Counts,
    Present,
    Tokens,
    count_topics,
    count_words,
    list_present,
    log_assignments,
    log_topics,
    log_words,
    project_present,
    tabulate_rising,
)
from pymc_medlda.kernels.many_tasks import sweep_many_tasks
from pymc_medlda.kernels.one_task import sweep_one_task
from pymc_medlda.kernels.topics import sweep_plainly
from pymc_medlda.kernels.uniform import first_counter
from pymc_medlda.kernels.weights import draw_weights
from pymc_medlda.kernels.wordlists import (
    empty_lists,
    fill_lists,
    order_lists,
)

Floats = NDArray[np.float64]

PATHS = ("auto", "plain", "sparse")


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
        self.beta, self.rising = 1.0, np.empty(0)  # of the last sweep, and log Γ(beta + n) of it
        self._present: Present | None = None
        self._room = 0
        self.z: Any = None  # (n_tokens,) unsigned integers, once loaded
        self.refusals = 0  # draws of the last sweep that were refused and drawn again

    def __getstate__(self) -> dict[str, Any]:
        """Leave the tables behind: they follow from the assignments that are loaded next."""
        return {name: getattr(self, name) for name in ("tokens", "n_words", "n_topics", "path")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        tokens = state.pop("tokens")
        self.__init__(tokens, **state)  # type: ignore[misc]

    def compile(self, n_tasks: int) -> None:
        """Compile (or read from the cache) all that a chain of this kind needs.

        Called before processes are started, it leaves nothing for each of them to compile; and
        of programs that start together, one compiles while the others wait.
        """
        rng = np.random.default_rng(0)
        tokens = Tokens(np.zeros(2, np.int32), np.array([0, 2], np.int64))
        tiny = TopicSampler(tokens, n_words=1, n_topics=self.n_topics, path=self.path)
        alpha, eta = np.ones(self.n_topics), np.zeros((n_tasks, self.n_topics))
        a, b = np.zeros((1, n_tasks)), np.zeros((1, n_tasks))
        with alone_beside_the_cache(draw_scales):
            tiny.load(np.zeros(2, np.uint8 if self.n_topics <= 256 else np.uint16))
            tiny.sweep(rng, alpha=alpha, beta=1.0, eta=eta, a=a, b=b)
            tiny.project(eta)
            tiny.log_words(1.0)
            tiny.log_assignments(alpha)
            empty = np.zeros_like(tiny.document_topic)
            present = list_present(empty)
            draw_weights(rng, empty, present, a, b, mean=eta, precision=eta + 1.0)
            draw_scales(rng, np.zeros(1), np.zeros(1))

    def load(self, z: NDArray[np.unsignedinteger]) -> bool:
        """Take over a copy of ``z``; return whether it was held already, and need no recount."""
        if self.z is not None and same_bytes(self.z, z):
            return True
        self.z = z.copy()
        self._present = None
        count_topics(self.tokens, self.z, self.document_topic, self.topic)
        if self.path == "plain":
            count_words(self.tokens.word, self.z, self.word_topic)
        else:
            fill_lists(self.tokens.word, self.z, self.lists)
            self._order_lists(self.beta)
        return False

    def _order_lists(self, beta: float) -> None:
        """Order the lists, as they must be between sweeps; keep the sum that comes with it."""
        if self.beta != beta or self.rising.size == 0:
            self.beta, self.rising = beta, tabulate_rising(beta, 256)
        self.log_lists = order_lists(self.lists, beta, self.rising)

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
        self._present = None
        if self.path == "plain":
            counts = Counts(self.word_topic, self.document_topic, self.topic)
            return sweep_plainly(rng, self.tokens, self.z, counts, alpha, beta, eta, a, b)
        counter = first_counter(rng)
        state = counter, self.tokens, self.z, self.lists, self.document_topic, beta, a, b
        beta_total = self.n_words * beta
        if eta.shape[0] == 1:
            topics = one_task.arrange_topics(eta[0], alpha, self.topic, beta_total)
            work = one_task.empty_workspace(topics.eta.size)
            moved, self.refusals = sweep_one_task(*state, topics, work)
            self.topic[:] = topics.in_corpus[: self.n_topics]
        else:
            tabled = many_tasks.arrange_topics(eta, alpha, self.topic, beta_total)
            room = many_tasks.empty_workspace(eta.shape[0], tabled.alpha.size)
            moved = sweep_many_tasks(*state, tabled, room)
            self.topic[:] = tabled.in_corpus[: self.n_topics]
        self._order_lists(beta)
        return moved

    @property
    def present(self) -> Present:
        """The topics that occur in each document, listed when first asked for after a sweep."""
        if self._present is None:
            self._present = list_present(self.document_topic, self._room)
            self._room = int(self._present.start[-1])
        return self._present

    def project(self, eta: Floats) -> Floats:
        """Return eta_i · z̄_d, the discriminant without its offset, (n_documents, n_tasks)."""
        out = np.empty((self.document_topic.shape[0], eta.shape[0]))
        project_present(self.present, eta, out)
        return out

    def log_words(self, beta: float) -> float:
        """Return log p(W | Z)."""
        if self.path == "plain":
            return log_words(self.word_topic, self.topic, beta)
        if self.beta != beta:
            self._order_lists(beta)
        return self.log_lists - log_topics(self.topic, self.n_words * beta)

    def log_assignments(self, alpha: Floats) -> float:
        """Return log p(Z)."""
        return log_assignments(self.present, alpha)


def same_bytes(x: NDArray[Any], y: NDArray[Any]) -> bool:
    """Say whether two arrays of one dtype are equal, eight bytes at a time."""
    if x.dtype != y.dtype or x.shape != y.shape:
        return False
    bytes_x, bytes_y = (np.ascontiguousarray(v).reshape(-1).view(np.uint8) for v in (x, y))
    whole = bytes_x.size - bytes_x.size % 8
    return np.array_equal(bytes_x[whole:], bytes_y[whole:]) and np.array_equal(
        bytes_x[:whole].view(np.uint64), bytes_y[:whole].view(np.uint64)
    )
