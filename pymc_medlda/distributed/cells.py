"""The topics of one cell: the tokens of a partition whose words are in one block.

The counts C_kt of a block go from partition to partition. Whoever has a block changes it in place,
and hands it on.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import gammaln

from pymc_medlda.distributed.documents import Documents, Topics
from pymc_medlda.distributed.settings import CELL, Settings, generator
from pymc_medlda.distributed.weights import Augmented, Weights
from pymc_medlda.kernels.counts import add_words
from pymc_medlda.kernels.simd.uniform import first_counter
from pymc_medlda.kernels.sweeps.blocks import Dealt
from pymc_medlda.kernels.sweeps.interface import Parameters, State, Sweep, entries_of
from pymc_medlda.kernels.sweeps.topic_sampler import SWEEPS
from pymc_medlda.run.stored_counts import dtype_of_cells


class Block(NamedTuple):
    """The counts of the words of a block, over all partitions."""

    sweep: Sweep  # holds C_kt
    topic: NDArray[np.int64]  # (n_topics,) C_kB
    tally: NDArray[np.int32]  # how many of the counts C_kt are 1, 2, ...

    def copy(self) -> Block:
        """Return a block that can be written to, aligned as sweeps want it: see `aligned_zeros`."""
        return Block(self.sweep.copy(), self.topic.copy(), self.tally.copy())


def count_words(
    of_documents: Sequence[tuple[Documents, Topics]], B: int, plan: Dealt, given: Settings
) -> sparse.csr_array:
    """Return C_kt of the words of a block in the tokens of some partitions."""
    shape = (plan.words[B].size, given.n_topics)
    if math.prod(shape) > sum(own.words[B].size for own, _ in of_documents):
        total = sparse.csr_array(shape, dtype=np.int32)
        for own, topics in of_documents:
            word, z = np.asarray(own.words[B]), topics.z[B]
            total += sparse.coo_array((np.ones(z.size, np.int32), (word, z)), shape).tocsr()
        return total
    # A table takes less memory than a list of all tokens.
    table = np.zeros(shape, np.int32)
    for own, topics in of_documents:
        add_words(own.tokens(B).word, topics.z[B], table)
    word, topic, count = entries_of(table)
    del table
    end = np.cumsum(np.bincount(word, minlength=shape[0]))
    return sparse.csr_array((count, topic, np.concatenate([[0], end])), shape)


def build_block(counts: list[sparse.csr_array], given: Settings) -> Block:
    """Add up the counts of all stations, in the form that sweeps use; they leave the list.

    Each of them may be as large as the block, so the list does not hold what has been added.
    """
    table = counts.pop(0)
    while counts:
        table = table + counts.pop(0)
    table.sort_indices()
    frequency = np.asarray(table.sum(axis=1)).ravel()
    sweep = SWEEPS[given.path](frequency, n_topics=given.n_topics)
    tally = np.zeros(frequency.max(initial=0) + 2, np.int32)
    sweep.fill(table, tally)
    topic = np.asarray(table.sum(axis=0), np.int64).ravel()
    return Block(sweep, topic, tally)


def pack_block(block: Block, B: int, plan: Dealt, given: Settings) -> tuple[NDArray, NDArray]:
    """Return the cells of the table (word, topic) that are not zero, and their counts."""
    word, topic, count = block.sweep.entries()
    kind = dtype_of_cells(plan.block.size * given.n_topics)
    cell = (plan.words[B] * given.n_topics).astype(kind)[word]
    cell += topic.astype(kind, copy=False)
    return cell, count.astype(np.int32, copy=False)


def log_rising(tally: NDArray[np.int32], beta: float) -> float:
    """Return the sum of log Γ(beta + C_kt) - log Γ(beta), of all counts that the tally counts."""
    occurring = np.flatnonzero(tally[1:]) + 1  # few of the counts up to the largest do
    return float(np.dot(tally[occurring], gammaln(beta + occurring) - gammaln(beta)))


def draw_cell(
    own: Documents,
    topics: Topics,
    block: Block,
    augmented: Augmented,
    weights: Weights,
    given: Settings,
    place: tuple[int, int, int, int],
    arranged: Any,
) -> None:
    r"""Draw the topics of a cell from their full conditional given the masses of the blocks.

    .. math:: q(z = k) \propto s_{kB} \frac{C_{kt} + \beta}{C_{kB} + V_B \beta}
       (C_{dk} + \alpha_k) \exp(f_k)

    ``place`` is the chain, the sweep, the partition and the block; ``arranged`` are the weights of
    the sweep as `Sweep.arrange` arranges them. Topics and counts are updated in place.
    """
    chain, number, i, B = place
    sweep, z = block.sweep, topics.z[B]
    parameters = Parameters(given.alpha, given.beta, weights.eta, augmented.a, augmented.b)
    state = State(own.tokens(B), z, topics.document_topic, block.topic, block.tally, own.gamma)
    work = sweep.begin(state, parameters, arranged, weights.log_mass[B])
    counter = first_counter(generator(given.seed, chain, CELL, number, i, B))
    moved = sweep.visit(counter, state, parameters, arranged, work)
    sweep.end(state, arranged, work)
    topics.totals[B] = np.bincount(z, minlength=given.n_topics)
    # A sweep begins with block i, where the count of what has moved begins anew.
    topics.moved = moved + (topics.moved if B != i else 0)
    if B == (i - 1) % given.n_partitions:  # the last one of the sweep
        topics.log_words = log_rising(state.tally, given.beta)
