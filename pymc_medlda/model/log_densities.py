"""PyTensor operations: the big sums of the log joint, as calls of compiled functions.

The count statistics of an assignment are kept until it changes: beside NUTS the log joint is
evaluated at every leapfrog step, although only a small part of it depends on what NUTS moves.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

import numpy as np
import pytensor.tensor as pt
from numpy.typing import NDArray
from pytensor.gradient import disconnected_type
from pytensor.graph.basic import Apply, Variable
from pytensor.graph.op import Op
from scipy import sparse
from scipy.special import digamma, gammaln

from pymc_medlda._arrays import Floats
from pymc_medlda._compat.pytensor import run_in_python

Statistic = TypeVar("Statistic")


class _Remembered(Generic[Statistic]):
    """The statistic of the last assignment, reused while a comparison shows that it is the same."""

    def __init__(self) -> None:
        self.arrays: tuple[NDArray[Any], ...] = ()

    def get(self, compute: Callable[..., Statistic], *arrays: NDArray[Any]) -> Statistic:
        if len(self.arrays) != len(arrays) or not all(map(np.array_equal, self.arrays, arrays)):
            self.statistic = compute(*arrays)
            self.arrays = tuple(array.copy() for array in arrays)
        return self.statistic


class RememberingOp(Op):
    """An op that remembers what its last inputs gave; copies and pickles start without."""

    def __init__(self) -> None:
        self._remembered: _Remembered[Any] = _Remembered()

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in self.__dict__.items() if key != "_remembered"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._remembered = _Remembered()


def as_float64(value: Any) -> Variable:
    """Return a tensor in double precision, whatever the precision of a variable is."""
    return pt.cast(pt.as_tensor(value), "float64")


# Tables up to this many cells are counted directly; larger ones, mostly empty, by sorting cells.
LARGEST_TABLE = 50_000_000


def _count_cells(
    row: NDArray[Any], z: NDArray[Any], n_rows: int, n_topics: int
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the topic and the count of every non-empty cell of the (row, topic) table."""
    cell = row.astype(np.int64) * n_topics + z
    if n_rows * n_topics > LARGEST_TABLE:
        occupied, count = np.unique(cell, return_counts=True)
    else:
        table = np.bincount(cell, minlength=n_rows * n_topics)
        occupied = np.flatnonzero(table)
        count = table[occupied]
    return occupied % n_topics, count


class LogAssignments(RememberingOp):
    """log p(Z | alpha) and its gradient in alpha, document-topic distributions integrated out."""

    __props__ = ("n_topics",)

    def __init__(self, n_topics: int) -> None:
        super().__init__()
        self.n_topics = n_topics

    def make_node(self, z: Any, start: Any, alpha: Any) -> Apply:
        """Take z (n_tokens,), document starts (n_documents + 1,) and alpha (n_topics,)."""
        inputs = [pt.as_tensor(z), pt.as_tensor(start), as_float64(alpha)]
        return Apply(self, inputs, [pt.dscalar(), pt.dvector()])

    def perform(self, node: Apply, inputs: Any, output_storage: Any) -> None:
        """Evaluate from a histogram: how often each topic occurs c times in a document."""
        z, start, alpha = inputs
        histogram = self._remembered.get(self._histogram, z, start)
        if histogram is None or not (alpha > 0).all():  # not by the formula, which has no value
            output_storage[0][0], output_storage[1][0] = np.asarray(-np.inf), np.zeros(alpha.size)
            return
        topic, count, times, length, n_long = histogram
        value = np.dot(times, gammaln(alpha[topic] + count) - gammaln(alpha[topic]))
        slope = np.bincount(
            topic,
            weights=times * (digamma(alpha[topic] + count) - digamma(alpha[topic])),
            minlength=alpha.size,
        )
        total = alpha.sum()
        value -= np.dot(n_long, gammaln(total + length) - gammaln(total))
        slope -= np.dot(n_long, digamma(total + length) - digamma(total))
        output_storage[0][0] = np.asarray(value)
        output_storage[1][0] = slope

    def _histogram(self, z: NDArray[Any], start: NDArray[Any]) -> tuple[NDArray[Any], ...] | None:
        if not all_below(z, self.n_topics):
            return None  # a topic that does not exist has density zero
        lengths = np.diff(start)
        document = np.repeat(np.arange(lengths.size), lengths)
        topic, count = _count_cells(document, z, lengths.size, self.n_topics)
        longest = int(lengths.max(initial=0)) + 1
        pair, times = np.unique(topic * longest + count, return_counts=True)
        length, n_long = np.unique(lengths, return_counts=True)
        return pair // longest, pair % longest, times, length, n_long

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        """Only alpha is connected: z and the starts are discrete."""
        return [[False, False], [False, False], [True, False]]

    def pullback(self, inputs: Any, outputs: Any, cotangents: Any) -> list[Variable]:
        """Return the gradient in alpha, computed with the value."""
        return [disconnected_type(), disconnected_type(), cotangents[0] * outputs[1]]

    L_op = pullback


class LogWords(RememberingOp):
    """log p(W | Z, beta) and its slope in beta, the topic-word distributions integrated out."""

    __props__ = ("n_words", "n_topics")

    def __init__(self, n_words: int, n_topics: int) -> None:
        super().__init__()
        self.n_words = n_words
        self.n_topics = n_topics

    def make_node(self, words: Any, z: Any, beta: Any) -> Apply:
        """Take words (n_tokens,), z (n_tokens,) and the scalar beta."""
        inputs = [pt.as_tensor(words), pt.as_tensor(z), as_float64(beta)]
        return Apply(self, inputs, [pt.dscalar(), pt.dscalar()])

    def perform(self, node: Apply, inputs: Any, output_storage: Any) -> None:
        """Evaluate from a histogram: how often a word occurs c times in a topic."""
        words, z, beta = inputs
        histogram = self._remembered.get(self._histogram, words, z)
        if histogram is None or not beta > 0:
            output_storage[0][0], output_storage[1][0] = np.asarray(-np.inf), np.asarray(0.0)
            return
        count, times, size = histogram
        total = self.n_words * beta
        value = np.dot(times, gammaln(beta + count) - gammaln(beta))
        value -= np.sum(gammaln(total + size) - gammaln(total))
        slope = np.dot(times, digamma(beta + count) - digamma(beta))
        slope -= self.n_words * np.sum(digamma(total + size) - digamma(total))
        output_storage[0][0] = np.asarray(value)
        output_storage[1][0] = np.asarray(slope)

    def _histogram(self, words: NDArray[Any], z: NDArray[Any]) -> tuple[NDArray[Any], ...] | None:
        if not (all_below(z, self.n_topics) and all_below(words, self.n_words)):
            return None
        _, in_topic = _count_cells(words, z, self.n_words, self.n_topics)
        count, times = np.unique(in_topic, return_counts=True)
        return count, times, np.bincount(z, minlength=self.n_topics)

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        """Only beta is connected: words and z are discrete."""
        return [[False, False], [False, False], [True, False]]

    def pullback(self, inputs: Any, outputs: Any, cotangents: Any) -> list[Variable]:
        """Return the slope in beta, computed with the value."""
        return [disconnected_type(), disconnected_type(), cotangents[0] * outputs[1]]

    L_op = pullback


class Project(RememberingOp):
    """eta_i · z̄_d for every document and task, linear in eta."""

    __props__ = ("n_topics",)

    def __init__(self, n_topics: int) -> None:
        super().__init__()
        self.n_topics = n_topics

    def make_node(self, z: Any, start: Any, eta: Any) -> Apply:
        """Take z (n_tokens,), document starts (n_documents + 1,) and eta (n_tasks, n_topics)."""
        inputs = [pt.as_tensor(z), pt.as_tensor(start), as_float64(eta)]
        return Apply(self, inputs, [pt.dmatrix()])

    def perform(self, node: Apply, inputs: Any, output_storage: Any) -> None:
        """Multiply by the topic frequencies, a sparse matrix."""
        z, start, eta = inputs
        frequency = self._remembered.get(self._frequencies, z, start)
        output_storage[0][0] = np.ascontiguousarray(frequency @ eta.T)

    def _frequencies(self, z: NDArray[Any], start: NDArray[Any]) -> sparse.csr_array:
        return topic_frequencies(z, start, self.n_topics)

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        """Only eta is connected: z and the starts are discrete."""
        return [[False], [False], [True]]

    def pullback(self, inputs: Any, outputs: Any, cotangents: Any) -> list[Variable]:
        """Send the cotangents of documents back to the topics of their tokens."""
        z, start, _ = inputs
        back = ProjectBack(self.n_topics)(z, start, cotangents[0])
        return [disconnected_type(), disconnected_type(), back]

    L_op = pullback


class ProjectBack(Project):
    """The transpose of `Project`: sum_d g_di z̄_dk."""

    def perform(self, node: Apply, inputs: Any, output_storage: Any) -> None:
        """Multiply the cotangents (n_documents, n_tasks) by the frequencies."""
        z, start, cotangent = inputs
        frequency = self._remembered.get(self._frequencies, z, start)
        output_storage[0][0] = np.ascontiguousarray((frequency.T @ cotangent).T)

    def pullback(self, inputs: Any, outputs: Any, cotangents: Any) -> list[Variable]:
        """Return the projection of the cotangents: the transpose of the transpose."""
        z, start, _ = inputs
        forth = Project(self.n_topics)(z, start, cotangents[0])
        return [disconnected_type(), disconnected_type(), forth]

    L_op = pullback


def all_below(ids: NDArray[Any], n: int) -> bool:
    """Tell whether all ids are in 0, ..., n - 1."""
    return ids.size == 0 or (int(ids.min()) >= 0 and int(ids.max()) < n)


def topic_frequencies(z: NDArray[Any], start: NDArray[Any], n_topics: int) -> sparse.csr_array:
    """Return z̄ as a sparse (n_documents, n_topics) matrix; empty documents have empty rows.

    Where a topic does not exist the density is zero, whatever the frequencies are: all are zero.
    """
    if not all_below(z, n_topics):
        return sparse.csr_array((start.size - 1, n_topics))
    lengths = np.diff(start)
    share: Floats = np.repeat(1.0 / np.maximum(lengths, 1), lengths)
    # Both index arrays are copies, as summing duplicates works in place.
    topic, first = z.astype(np.int32), start.astype(np.int32 if z.size < 2**31 else np.int64)
    frequency = sparse.csr_array((share, topic, first), shape=(lengths.size, n_topics))
    frequency.sum_duplicates()
    return frequency


for _op_type in (LogAssignments, LogWords, Project, ProjectBack):
    run_in_python(_op_type)
