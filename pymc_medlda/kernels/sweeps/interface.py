"""What every sweep takes, updates and returns: the one interface behind `TopicSampler`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from pymc_medlda._arrays import Floats
from pymc_medlda.kernels.counts import Tokens
from pymc_medlda.kernels.simd.uniform import first_counter


class State(NamedTuple):
    """Topic assignments and the counts that every sweep keeps up to date, in place."""

    tokens: Tokens
    z: NDArray[np.unsignedinteger]  # (n_tokens,) the topic of each token
    document_topic: NDArray[np.int32]  # (n_documents, n_topics) C_dk
    topic: NDArray[np.int64]  # (n_topics,) C_k
    tally: NDArray[np.int32]  # tally[c]: how many of the counts C_kt are c; see `tally_table`
    # (n_documents,) 1/N_d. A cell of `blocked` holds some of the tokens of its documents, but the
    # loss depends on all of them.
    gamma: Floats


class Parameters(NamedTuple):
    """What the full conditional of the topics is given; a sweep leaves it unchanged."""

    alpha: Floats  # (n_topics,)
    beta: float
    eta: Floats  # (n_tasks, n_topics)
    a: Floats  # (n_documents, n_tasks) the augmented loss: log factor b F - a F²/2
    b: Floats  # (n_documents, n_tasks)
    # The power tau to which the densities of words and topics are raised. The loss is tempered
    # already, where a and b are drawn.
    power: float = 1.0


AT_ONCE = 1 << 16  # words whose counts are listed together


class Entries(NamedTuple):
    """Counts C_kt with their words and topics."""

    word: NDArray[np.int32]
    topic: NDArray[np.int32]
    n_tokens: NDArray[np.integer]


def entries_of(table: NDArray[np.integer]) -> Entries:
    """Return what is not zero in a table of C_kt, in the order of the words."""
    size = np.count_nonzero(table)
    found = Entries(np.empty(size, np.int32), np.empty(size, np.int32), np.empty(size, table.dtype))
    begin = 0
    for first in range(0, table.shape[0], AT_ONCE):  # places take 16 bytes each
        some = table[first : first + AT_ONCE]
        word, topic = np.nonzero(some)
        own = slice(begin, begin + word.size)
        found.word[own], found.topic[own], found.n_tokens[own] = word, topic, some[word, topic]
        found.word[own] += first
        begin += word.size
    return found


class Sweep(ABC):
    """One way to visit every token and draw its topic from the full conditional.

    A sweep owns the storage of the word-topic counts C_kt, in the form that suits it. All sweeps
    draw from the same law, so they differ in speed only.

    `sweep` is made of four parts. Where words and documents are in blocks (see `blocked`), there is
    one object for each block of words, whose `visit` is called once for each block of documents.

    Parameters
    ----------
    frequency : (n_words,) int array
        How often each word occurs.
    n_topics : int
    """

    @abstractmethod
    def __init__(self, frequency: NDArray[np.integer], *, n_topics: int) -> None: ...

    @classmethod
    @abstractmethod
    def memory(cls, *, n_tokens: int, n_words: int, n_topics: int) -> dict[str, int]:
        """Return what C_kt and the arrays of a sweep are, each with its size in bytes."""

    @abstractmethod
    def recount(self, state: State) -> None:
        """Count C_kt of ``state.z`` anew, and write how often each count occurs to its tally."""

    def sweep(self, rng: np.random.Generator, state: State, given: Parameters) -> int:
        """Draw the topic of every token once; return how many tokens changed topic.

        ``state`` and C_kt are updated in place: after the sweep they are what a recount of the
        new ``state.z`` would give.
        """
        counter, weights = first_counter(rng), self.arrange(given.eta)
        work = self.begin(state, given, weights, np.zeros(state.topic.size))
        moved = self.visit(counter, state, given, weights, work)
        self.end(state, weights, work)
        return moved

    @abstractmethod
    def arrange(self, eta: Floats) -> Any:
        """Arrange the weights, (n_tasks, n_topics), as all visits of a sweep read them."""

    @abstractmethod
    def begin(self, state: State, given: Parameters, weights: Any, log_mass: Floats) -> Any:
        """Return what visits work with, which follows C_k from one visit to the next.

        ``weights`` are those of `arrange`, and ``log_mass`` is log s_k, (n_topics,): see `masses`.
        """

    @abstractmethod
    def visit(
        self, counter: np.uint64, state: State, given: Parameters, weights: Any, work: Any
    ) -> int:
        """Draw the topic of every token of the documents of ``state``, which may be a part of all.

        ``counter`` is where the random numbers begin. ``state``, except C_k and perhaps the tally,
        is updated in place, with C_kt and ``work``. Returns how many tokens changed topic. It runs
        mostly without the interpreter lock.
        """

    @abstractmethod
    def end(self, state: State, weights: Any, work: Any) -> None:
        """Write C_k to ``state``, and bring in order what visits have left."""

    @abstractmethod
    def word_topic(self) -> NDArray[np.integer]:
        """Return C_kt as a table, (n_words, n_topics)."""

    def entries(self) -> Entries:
        """Return the counts C_kt that are not zero, in the order of the words."""
        return entries_of(self.word_topic())

    @abstractmethod
    def fill(self, table: sparse.csr_array, tally: NDArray[np.int32]) -> None:
        """Take over C_kt, (n_words, n_topics), sorted and without zeros; write its tally."""

    @abstractmethod
    def copy(self) -> Self:
        """Return a sweep with the same counts C_kt, which follows its own visits only."""
