"""Topics of new documents given the topic-word distributions of a draw: the test-time sampler.

Given phi the documents are independent, so blocks of documents can be sampled in parallel. The
topics of a block, its random numbers and its likelihood are kept from one draw to the next.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pymc_medlda.kernels._jit import kernel
from pymc_medlda.kernels.counts import Tokens
from pymc_medlda.kernels.new_document_sweeps import (
    Topics,
    WordTopics,
    Workspace,
    add_up,
    empty_workspace,
    sweep_by_lists,
    sweep_by_rows,
)
from pymc_medlda.kernels.simd.uniform import STRIDE, uniform

# Documents that share a random stream and a stopping rule: enough tokens that noise does not hide
# the rise of their likelihood, few enough that their words stay in the cache. The answer depends
# on this number, so it is fixed. It does not depend on the number of threads.
BLOCK = 32
MOST_BY_ROWS = 128  # topics; beyond that, lists are quicker


class Assignments(NamedTuple):
    """Topics of all new documents under the draws of one chain, and what their blocks keep."""

    z: NDArray[np.int32]  # (n_tokens,)
    counts: NDArray[np.float64]  # (n_documents, n_topics), C_dk
    listed: NDArray[np.int32]  # (n_documents, n_topics), see `Topics`; (n_documents, 0) for rows
    n_listed: NDArray[np.int64]  # (n_documents, 1)
    counter: NDArray[np.uint64]  # (n_blocks,), where the next random numbers begin
    likelihood: NDArray[np.float64]  # (n_blocks,), log p(w_n | z_¬n) summed in the last sweep
    # (n_tokens, n_topics), the part of each token in z̄ of its document under the last draw, times
    # its length; (0, n_topics) if that is not wanted
    of_token: NDArray[np.float64]


class Schedule(NamedTuple):
    """How long the chain of a block of documents runs under each draw."""

    n_samples: int
    max_burn_in: int  # of the first draw
    tolerance: float
    max_between: int  # the most sweeps before the samples of any other draw


@kernel
def normalise_topics(
    size: np.ndarray, n_words: int, alpha: np.ndarray, beta: float, out: WordTopics
) -> None:
    """Divide C_kt + beta by C_k + V beta; ``size`` is C_k. Write the rest of ``out``."""
    n_topics = alpha.size
    for k in range(n_topics):
        size[k] = 1.0 / (size[k] + n_words * beta)
    for t in range(out.phi.shape[0]):
        for k in range(n_topics):
            out.phi[t, k] *= size[k]
    for t in range(out.prior.size):
        total = 0.0
        for k in range(n_topics):
            total += alpha[k] * out.phi[t, k]
        out.prior[t] = total
    out.alpha[:] = alpha


@kernel
def estimate_from_counts(
    cell: np.ndarray,
    count: np.ndarray,
    row: np.ndarray,
    n_words: int,
    alpha: np.ndarray,
    beta: float,
    out: WordTopics,
) -> None:
    """Fill ``out`` as `estimate_topics` does, from counts: ``cell`` is word * n_topics + topic."""
    n_topics = alpha.size
    size = np.zeros(n_topics)
    out.phi[:, :n_topics] = beta
    out.phi[:, n_topics:] = 0.0
    for e in range(cell.size):
        t, k = cell[e] // n_topics, cell[e] % n_topics
        size[k] += count[e]
        if row[t] >= 0:
            out.phi[row[t], k] += count[e]
    normalise_topics(size, n_words, alpha, beta, out)


@kernel
def estimate_topics(
    word: np.ndarray,
    z: np.ndarray,
    row: np.ndarray,
    n_words: int,
    alpha: np.ndarray,
    beta: float,
    out: WordTopics,
) -> None:
    r"""Fill ``out`` with the posterior mean of phi given the training assignments ``z``.

    .. math:: \hat\phi_{kt} = \frac{C_{kt} + \beta}{C_k + V \beta}

    ``row`` (n_words,) gives the row of ``out`` for each word of the training vocabulary, -1 for a
    word that does not occur in the new documents. Only the rows that are needed are computed; the
    room `run` computes the same for the whole vocabulary.
    """
    n_topics = alpha.size
    size = np.zeros(n_topics)
    out.phi[:, :n_topics] = beta
    out.phi[:, n_topics:] = 0.0
    for n in range(word.size):
        if not (0 <= z[n] < n_topics and 0 <= word[n] < row.size):
            raise ValueError("z or the words of the training documents are out of range")
        size[z[n]] += 1.0
        if row[word[n]] >= 0:
            out.phi[row[word[n]], z[n]] += 1.0
    normalise_topics(size, n_words, alpha, beta, out)


@kernel
def start_uniformly(counter: np.ndarray, start: np.ndarray, n_topics: int) -> Assignments:
    """Assign tokens to topics uniformly at random; ``start`` holds where each document begins.

    ``counter`` (n_blocks,) says where the random numbers of each block begin.
    """
    n_documents = start.size - 1
    by_lists = n_topics > MOST_BY_ROWS
    state = Assignments(
        np.empty(start[-1], np.int32),
        np.zeros((n_documents, n_topics)),
        np.empty((n_documents, n_topics if by_lists else 0), np.int32),
        np.zeros((n_documents, 1), np.int64),
        counter.copy(),
        np.full(counter.size, -np.inf),
        np.zeros((0, n_topics)),
    )
    for d in range(n_documents):
        for n in range(start[d], start[d + 1]):
            k = int(uniform(state.counter[d // BLOCK]) * n_topics)
            state.counter[d // BLOCK] += STRIDE
            state.z[n] = k
            if by_lists and state.counts[d, k] == 0.0:
                state.listed[d, state.n_listed[d, 0]] = k
                state.n_listed[d, 0] += 1
            state.counts[d, k] += 1.0
    return state


@kernel
def sample_blocks(
    tokens: Tokens,
    topics: WordTopics,
    schedule: Schedule,
    state: Assignments,
    first: int,
    last: int,
    out: np.ndarray,
) -> int:
    """Go on with the chains of blocks ``first`` to ``last`` - 1 under the phi of another draw.

    The expected z̄ is written to the rows of ``out`` (documents, topics) that belong to these
    blocks. Returns the longest burn-in of a block.
    """
    work = empty_workspace(topics.phi.shape[1])
    longest = 0
    for block in range(first, last):
        burn_in = _burn_in(tokens, topics, schedule, state, block, work)
        longest = max(longest, burn_in)
        _average(tokens, topics, schedule.n_samples, state, block, work, out)
    return longest


@kernel
def _burn_in(
    tokens: Tokens,
    topics: WordTopics,
    schedule: Schedule,
    state: Assignments,
    block: int,
    work: Workspace,
) -> int:
    """Sweep over a block until its log likelihood settles; return the number of sweeps.

    That is when it differs from that of the sweep before by at most ``tolerance`` relative to
    itself. The sweep before the first is the last one under the draw before.
    """
    n_documents = tokens.start.size - 1
    most = schedule.max_burn_in
    if state.likelihood[block] > -np.inf:  # the topics are those of another draw
        most = min(most, schedule.max_between)
    for burn_in in range(most):
        now = 0.0
        for d in range(block * BLOCK, min((block + 1) * BLOCK, n_documents)):
            now += sweep_document(tokens, topics, state, d, work, False)
        settled = abs(now - state.likelihood[block]) <= schedule.tolerance * abs(now)
        state.likelihood[block] = now
        if settled:
            return burn_in + 1
    return most


@kernel
def _average(
    tokens: Tokens,
    topics: WordTopics,
    n_samples: int,
    state: Assignments,
    block: int,
    work: Workspace,
    out: np.ndarray,
) -> None:
    """Write z̄ of the documents of a block, averaged over sweeps, to their rows of ``out``.

    An empty document gets the prior mean alpha / sum(alpha).
    """
    n_documents = tokens.start.size - 1
    likelihood = 0.0
    for d in range(block * BLOCK, min((block + 1) * BLOCK, n_documents)):
        length = tokens.start[d + 1] - tokens.start[d]
        row = out[d]
        if length == 0:
            row[:] = topics.alpha / add_up(topics.alpha)
            continue
        work.total[:] = 0.0
        of_token = state.of_token[tokens.start[d] : tokens.start[d + 1]]
        of_token[:] = 0.0
        now = 0.0
        for _ in range(n_samples):
            now = sweep_document(tokens, topics, state, d, work, True)
        likelihood += now
        for k in range(row.size):
            row[k] = work.total[k] / (n_samples * length)
        of_token /= n_samples
    state.likelihood[block] = likelihood


@kernel
def sweep_document(
    tokens: Tokens,
    topics: WordTopics,
    state: Assignments,
    d: int,
    work: Workspace,
    averaged: bool,
) -> float:
    """Draw the topic of every token of document d; return the sum of log p(w_n | z_¬n)."""
    begin, end = tokens.start[d], tokens.start[d + 1]
    word = tokens.word[begin:end]
    own = Topics(
        state.z[begin:end],
        state.counts[d],
        state.listed[d],
        state.n_listed[d],
        state.of_token[begin:end],
    )
    counter = state.counter[d // BLOCK]
    state.counter[d // BLOCK] = counter + np.uint64(end - begin) * STRIDE
    if own.listed.size > 0:
        return sweep_by_lists(counter, word, topics, own, work, averaged)
    return sweep_by_rows(counter, word, topics, own, work, averaged)
