"""`TopicSampler`: topic assignments with their counts, and the choice of the sweep."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pymc_medlda._arrays import Floats
from pymc_medlda._memory import check_fits
from pymc_medlda.kernels._jit import kernel
from pymc_medlda.kernels.checks import check_parameters, check_tokens, checked_topics
from pymc_medlda.kernels.counts import (
    Present,
    Tokens,
    count_topics,
    list_present,
    project_present,
)
from pymc_medlda.kernels.log_densities import (
    Prior,
    log_assignments,
    log_words,
    tabulate_prior,
    tabulate_rising,
)
from pymc_medlda.kernels.sweeps.blocked import BlockedSweep
from pymc_medlda.kernels.sweeps.dense import DenseSweep
from pymc_medlda.kernels.sweeps.interface import Parameters, State, Sweep
from pymc_medlda.kernels.sweeps.plain import PlainSweep
from pymc_medlda.kernels.sweeps.sparse import MOST_TOPICS, SparseSweep
from pymc_medlda.kernels.sweeps.team import Team, available_cores

# To add a sweep: write a module with a subclass of `Sweep`, and give it a name here.
SWEEPS: dict[str, type[Sweep]] = {"plain": PlainSweep, "dense": DenseSweep, "sparse": SparseSweep}
PATHS = ("auto", *SWEEPS)
FEW_TOPICS = 64  # up to this number, a row of the table costs less than a list
FEW_IN_POWERS = 56  # the same where the target is tempered


def quickest_path(n_topics: int) -> str:
    """Return the name of the quickest sweep for a number of topics."""
    if n_topics <= FEW_TOPICS:
        return "dense"
    return "sparse" if n_topics <= MOST_TOPICS else "plain"


def quickest_tempered_path(n_topics: int) -> str:
    """Return the name of the quickest sweep of a tempered target."""
    return "sparse" if FEW_IN_POWERS < n_topics <= FEW_TOPICS else quickest_path(n_topics)


def check_topics_fit(
    *, n_tokens: int, n_documents: int, n_words: int, n_topics: int, path: str = "auto"
) -> None:
    """Raise unless a sampler for so many topics fits into memory; nothing is allocated."""
    if n_topics >= 2**31:  # topics are counted in int32
        raise ValueError(f"n_topics must be less than {2**31}, got {n_topics}")
    chosen = SWEEPS[quickest_path(n_topics) if path == "auto" else path]
    needed = {
        f"the counts of {n_topics} topics in {n_documents} documents": 4 * n_documents * n_topics,
        f"eta, alpha and other numbers of {n_topics} topics": 64 * n_topics,
        **chosen.memory(n_tokens=n_tokens, n_words=n_words, n_topics=n_topics),
    }
    check_fits("n_topics", n_topics, needed)


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
        `products`; "sparse" keeps those that are not zero and draws by `bounds`, or by `rows` where
        there are several tasks. All are equal in law; "auto" takes the quickest.
    blocks : int
        Into how many blocks words and documents are divided (see `blocked`). The draws depend on
        it, and their law does not.
    threads : int
        How many threads sweep, if the process has as many cores. The draws do not depend on it.
    """

    def __init__(
        self,
        tokens: Tokens,
        *,
        n_words: int,
        n_topics: int,
        path: str = "auto",
        blocks: int = 1,
        threads: int = 1,
    ) -> None:
        if path not in PATHS:
            raise ValueError(f"path must be one of {PATHS}, got {path!r}")
        check_tokens(tokens, n_words)
        if blocks > n_words:
            raise ValueError(f"blocks must be at most the number of words, {n_words}, got {blocks}")
        n_documents = tokens.start.size - 1
        check_topics_fit(
            n_tokens=tokens.word.size,
            n_documents=n_documents,
            n_words=n_words,
            n_topics=n_topics,
            path=path,
        )
        # numba compiles a kernel once more for arrays that are read-only: here they all are.
        self.tokens = Tokens(*(_read_only(array) for array in tokens))
        self.n_words = n_words
        self.frequency = np.bincount(tokens.word, minlength=n_words)
        self.n_topics = n_topics
        self.path = quickest_path(n_topics) if path == "auto" else path
        self.blocks, self.threads = blocks, threads
        self.team = Team(min(threads, available_cores()))
        self.method: Sweep | BlockedSweep = self._make_sweep(SWEEPS[self.path])
        self.gamma = 1.0 / np.maximum(np.diff(tokens.start), 1)
        self.document_topic = np.zeros((n_documents, n_topics), np.int32)
        self.topic = np.zeros(n_topics, np.int64)
        # Of C_kt: how many are 1, 2, ...
        self.tally = np.zeros(self.frequency.max(initial=0) + 2, np.int32)
        self.rising = 1.0, np.empty(0)  # beta and log Γ(beta + c) - log Γ(beta) for all c
        self.prior: Prior | None = None
        self._present: Present | None = None
        self._room = 0
        self.z: Any = None  # (n_tokens,) unsigned integers, once loaded

    def _make_sweep(self, kind: type[Sweep]) -> Sweep | BlockedSweep:
        if self.blocks == 1:
            return kind(self.frequency, n_topics=self.n_topics)
        return BlockedSweep(
            kind,
            self.tokens,
            n_words=self.n_words,
            n_topics=self.n_topics,
            n_blocks=self.blocks,
            team=self.team,
        )

    def __getstate__(self) -> dict[str, Any]:
        """Drop the count tables: `load` counts them again."""
        names = ("tokens", "n_words", "n_topics", "path", "blocks", "threads")
        return {name: getattr(self, name) for name in names}

    def __setstate__(self, state: dict[str, Any]) -> None:
        tokens = state.pop("tokens")
        self.__init__(tokens, **state)  # type: ignore[misc]

    @property
    def state(self) -> State:
        """The assignments and counts that a sweep updates in place."""
        return State(self.tokens, self.z, self.document_topic, self.topic, self.tally, self.gamma)

    @property
    def document_edges(self) -> NDArray[np.int64]:
        """Where each block of documents begins, and the end of the last one."""
        if isinstance(self.method, BlockedSweep):
            return self.method.blocks.edges
        return np.array([0, self.document_topic.shape[0]])

    def load(self, z: NDArray[Any]) -> bool:
        """Take over a copy of ``z``; return whether the sampler held the same z already.

        If so, nothing is counted again. If not, ``z`` is checked: it must hold whole numbers from 0
        to n_topics - 1, one for each token, of any dtype.
        """
        if self.z is not None and same_bytes(self.z, z):
            return True
        self.z = checked_topics(z, n_tokens=self.tokens.word.size, n_topics=self.n_topics)
        self._present = None
        try:
            count_topics(self.tokens, self.z, self.document_topic, self.topic)
            self.method.recount(self.state)
        except BaseException:  # an interrupt: the tables do not belong to this z yet
            self.z = None
            raise
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
        power: float = 1.0,
    ) -> int:
        """Draw every topic once; return how many tokens changed topic.

        ``power`` is that of a tempered target, p(W, Z) to the power tau.

        Raises
        ------
        ValueError
            If a parameter is not finite or is out of range; this holds for every path.
        """
        self._check_shapes(alpha, eta, a, b)
        check_parameters(alpha, beta, eta, a, b)
        if not 0.0 < power <= 1.0:
            raise ValueError(f"power must be above 0 and at most 1, got {power}")
        if power != 1.0 and self.blocks > 1:
            raise ValueError(f"a tempered sweep takes one block, got blocks = {self.blocks}")
        self._present = None
        given = Parameters(alpha, beta, eta, a, b, float(power))
        try:
            return self.method.sweep(rng, self.state, given)
        except BaseException:  # an interrupt may leave z behind what else has changed
            self.z = None
            raise

    def _check_shapes(self, alpha: Floats, eta: Floats, a: Floats, b: Floats) -> None:
        """Raise unless the parameters belong together: kernels do not check where they read."""
        n_documents, n_topics = self.document_topic.shape
        n_tasks = eta.shape[0]
        if not (
            alpha.shape == (n_topics,)
            and eta.shape == (n_tasks, n_topics)
            and a.shape == b.shape == (n_documents, n_tasks)
        ):
            raise ValueError(
                f"alpha must have shape {(n_topics,)}, eta {(n_tasks, n_topics)}, a and b "
                f"{(n_documents, n_tasks)}, got {alpha.shape}, {eta.shape}, {a.shape} and {b.shape}"
            )

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


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    """Return a view that cannot be written to."""
    view = array.view()
    view.flags.writeable = False
    return view


def same_bytes(x: NDArray[Any], y: Any) -> bool:
    """Say whether two arrays of one dtype are equal, eight bytes at a time."""
    y = np.asarray(y)
    if x.dtype != y.dtype or x.shape != y.shape:
        return False
    bytes_x, bytes_y = (np.ascontiguousarray(v).reshape(-1).view(np.uint8) for v in (x, y))
    whole = bytes_x.size - bytes_x.size % 8
    if differ(bytes_x[:whole].view(np.uint64), bytes_y[:whole].view(np.uint64)):
        return False
    return not differ(bytes_x[whole:], bytes_y[whole:])


@kernel
def differ(x: np.ndarray, y: np.ndarray) -> bool:
    """Say whether two arrays differ; without a branch, so that the loop becomes vector code."""
    difference = 0
    for n in range(x.size):
        difference |= x[n] ^ y[n]
    return difference != 0
