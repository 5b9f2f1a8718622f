"""The state of a sweep (assignments and their count tables) and the choice of its path."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pymc_medlda._arrays import Floats
from pymc_medlda.kernels._jit import alone_beside_the_cache, kernel
from pymc_medlda.kernels.augmentation import fill_scales
from pymc_medlda.kernels.counts import (
    Counts,
    Present,
    Prior,
    Tokens,
    count_topics,
    count_words,
    list_present,
    log_assignments,
    log_words,
    project_present,
    tabulate_prior,
    tabulate_rising,
    tally_table,
)
from pymc_medlda.kernels.simd.lanes import LANES
from pymc_medlda.kernels.simd.uniform import first_counter
from pymc_medlda.kernels.sweeps import bounds, rows
from pymc_medlda.kernels.sweeps.bounds import sweep_by_bounds
from pymc_medlda.kernels.sweeps.plain import sweep_plainly
from pymc_medlda.kernels.sweeps.rows import sweep_by_rows
from pymc_medlda.kernels.sweeps.word_lists import (
    WordLists,
    empty_lists,
    fill_lists,
    order_lists,
    tally_lists,
)
from pymc_medlda.kernels.weights import draw_weights

PATHS = ("auto", "plain", "dense", "sparse")
FEW_TOPICS = 40  # up to which a row of the table costs less than a list
MOST_TOPICS = 2**16  # in an entry of a list


class TopicSampler:
    """Topic assignments with count tables that follow them, swept in place.

    The tables are a cache of ``z`` and nothing else: `load` keeps them only where a byte
    comparison proves that they belong to the assignments it is given, so a step that uses a
    sampler remains a function of its point and random generator.

    Parameters
    ----------
    tokens : Tokens
    n_words, n_topics : int
    path : {"auto", "plain", "dense", "sparse"}
        "plain" is the slow and obvious sweep. "dense" keeps all word-topic counts and draws by
        `rows`; "sparse" keeps those that are not zero and draws by `bounds`, or by `rows` where
        there are several tasks. All are equal in law; "auto" takes the quickest.
    """

    def __init__(self, tokens: Tokens, *, n_words: int, n_topics: int, path: str = "auto") -> None:
        if path not in PATHS:
            raise ValueError(f"path must be one of {PATHS}, got {path!r}")
        if path == "sparse" and n_topics > MOST_TOPICS:
            raise ValueError(
                f'path "sparse" takes at most {MOST_TOPICS} topics, got n_topics = {n_topics}'
            )
        self.tokens = tokens
        self.n_words = n_words
        self.n_topics = n_topics
        if path == "auto":
            path = "dense" if n_topics <= FEW_TOPICS else "sparse"
            if n_topics > MOST_TOPICS:
                path = "plain"
        self.path = path
        self.document_topic = np.zeros((tokens.start.size - 1, n_topics), np.int32)
        self.topic = np.zeros(n_topics, np.int64)
        self.lists: WordLists | None = None  # C_kt, in one of two forms
        self.table: Any = None
        if path == "sparse":
            self.lists = empty_lists(tokens.word, n_words=n_words, n_topics=n_topics)
        else:
            width = -(-n_topics // LANES) * LANES if path == "dense" else n_topics
            self.table = np.zeros((n_words, width), np.int32)
        most = np.bincount(tokens.word).max(initial=0)
        self.tally = np.zeros(most + 2, np.int64)  # of C_kt: how many are 1, 2, ...
        self.rising = 1.0, np.empty(0)  # beta and log Γ(beta + c) - log Γ(beta) of all c
        self.prior: Prior | None = None
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
        with alone_beside_the_cache(fill_scales):
            for _ in range(2):  # the second compares
                tiny.load(np.zeros(2, np.uint8 if self.n_topics <= 256 else np.uint16))
            tiny.sweep(rng, alpha=alpha, beta=1.0, eta=eta, a=a, b=b)
            tiny.project(eta)
            tiny.log_words(1.0)
            tiny.log_assignments(alpha)
            empty = np.zeros_like(tiny.document_topic)
            present = list_present(empty)
            draw_weights(rng, empty, present, a, b, mean=eta, precision=eta + 1.0)
            fill_scales(np.zeros(1), np.zeros(1), np.zeros(1), np.zeros(1))

    def load(self, z: NDArray[np.unsignedinteger]) -> bool:
        """Take over a copy of ``z``; return whether it was held already, and need no recount."""
        if self.z is not None and same_bytes(self.z, z):
            return True
        self.z = z.copy()
        self._present = None
        count_topics(self.tokens, self.z, self.document_topic, self.topic)
        if self.table is not None:
            count_words(self.tokens.word, self.z, self.table)
            tally_table(self.table, self.tally)
        if self.lists is not None:
            fill_lists(self.tokens.word, self.z, self.lists)
            order_lists(self.lists)
            tally_lists(self.lists, self.tally)
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
        self._present = None
        if self.path == "plain":
            counts = Counts(self.table, self.document_topic, self.topic)
            moved = sweep_plainly(rng, self.tokens, self.z, counts, alpha, beta, eta, a, b)
            tally_table(self.table, self.tally)
            return moved
        state = first_counter(rng), self.tokens, self.z, self.document_topic, beta, a, b
        beta_total = self.n_words * beta
        if self.lists is not None and eta.shape[0] == 1:
            topics = bounds.arrange_topics(eta[0], alpha, self.topic, beta_total)
            work = bounds.empty_workspace(topics.eta.size)
            moved, self.refusals = sweep_by_bounds(*state, self.lists, self.tally, topics, work)
            self.topic[:] = topics.in_corpus[: self.n_topics]
        else:
            known = rows.arrange_topics(eta, alpha, self.topic, beta_total)
            room = rows.empty_workspace(eta.shape[0], known.alpha.size)
            moved = sweep_by_rows(*state, self.table, self.lists, self.tally, known, room)
            self.topic[:] = known.in_corpus[: self.n_topics]
        if self.lists is not None:
            order_lists(self.lists)
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
        project_present(*self.present, eta, out)
        return out

    def log_words(self, beta: float) -> float:
        """Return log p(W | Z)."""
        if self.rising[0] != beta or self.rising[1].size == 0:
            self.rising = beta, tabulate_rising(beta, self.tally.size)
        return log_words(self.tally, self.topic, self.n_words * beta, self.rising[1])

    def log_assignments(self, alpha: Floats) -> float:
        """Return log p(Z)."""
        if self.prior is None or not np.array_equal(self.prior.alpha, alpha):
            self.prior = tabulate_prior(self.tokens.start, alpha.copy())
        alpha, row, rising, lengths = self.prior
        return log_assignments(*self.present, alpha, row, rising, lengths)


def same_bytes(x: NDArray[Any], y: NDArray[Any]) -> bool:
    """Say whether two arrays of one dtype are equal, eight bytes at a time."""
    if x.dtype != y.dtype or x.shape != y.shape:
        return False
    bytes_x, bytes_y = (np.ascontiguousarray(v).reshape(-1).view(np.uint8) for v in (x, y))
    whole = bytes_x.size - bytes_x.size % 8
    if differ(bytes_x[:whole].view(np.uint64), bytes_y[:whole].view(np.uint64)):
        return False
    return not differ(bytes_x[whole:], bytes_y[whole:])


@kernel
def differ(x: np.ndarray, y: np.ndarray) -> bool:
    """Say whether two arrays differ; without a branch in the loop, it takes whole vectors."""
    difference = 0
    for n in range(x.size):
        difference |= x[n] ^ y[n]
    return difference != 0
