"""The counts and priors of the document that is visited, shared by the two sweeps over lists.

Symbols: R_k = s_k/(C_k + V beta) and P_k = (C_dk + alpha_k) R_k, or the powers tau of both, if the
target is tempered (see `tempering`). The mass s_k is one unless words are in blocks (see `masses`).
Where ``temper`` is None, numba leaves out all that concerns it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pymc_medlda._arrays import Floats
from pymc_medlda.kernels._jit import Index
from pymc_medlda.kernels.bits import BITS, lowest_bit, without_lowest
from pymc_medlda.kernels.counts import find_present
from pymc_medlda.kernels.simd.aligned import aligned_zeros, padded_size
from pymc_medlda.kernels.simd.lanes import dot
from pymc_medlda.kernels.sweeps.interface import State
from pymc_medlda.kernels.sweeps.pieces import piece
from pymc_medlda.kernels.sweeps.tempering import Temper, move_rates, power_in_document

# The logarithm of the smallest mass. A topic of such a mass is not drawn in any run, and the
# products of its weights stay within the range of a float.
SMALLEST = -300.0
FEW_TO_OPEN = 256  # up to so many topics, it costs less to write all of them than to find some


class Document(NamedTuple):
    """What a sweep knows of each topic, (size,) each, padded with zeros to a full vector.

    The first five hold for all documents, the last two for the one that is visited. The order of
    the topics is that of their slots.
    """

    alpha: Floats
    mass: Floats  # s_k
    in_corpus: Floats  # C_k
    rate: Floats  # R_k
    less: Floats  # R_k with one token less
    in_document: Floats  # C_dk
    prior: Floats  # P_k


def pad_topics(
    alpha: Floats,
    topic: np.ndarray,
    beta_total: float,
    log_mass: Floats,
    slot: np.ndarray | None = None,
    size: int = 0,
) -> Document:
    """Arrange what all documents share, by slots below ``size`` or in the order of the topics.

    The rest is filled by `open_document` or `open_in_slots`.
    """
    if slot is None:
        slot, size = np.arange(topic.size), padded_size(topic.size)
    document = Document(*aligned_zeros(7, size))
    document.alpha[slot], document.in_corpus[slot] = alpha, topic
    mass = np.exp(np.maximum(log_mass, SMALLEST))
    document.mass[slot] = mass
    document.rate[slot] = mass / (topic + beta_total)
    # A topic without tokens has no token to take out.
    document.less[slot] = mass / (np.maximum(topic, 1) - 1.0 + beta_total)
    return document


@piece
def open_document(d: Index, state: State, document: Document, temper: Temper | None) -> None:
    """Write C_dk and P_k of document d, in the order of the topics."""
    for k in range(state.document_topic.shape[1]):
        document.in_document[k] = state.document_topic[d, k]
    compute_prior(document, temper)


@piece
def open_in_slots(
    d: Index, state: State, slot: np.ndarray, eta: Floats, document: Document, temper: Temper | None
) -> float:
    """Write C_dk and P_k of document d, by slot; return its sum of ``eta``.

    If there are many topics, only those that the document holds are written: before, C_dk is zero
    and P_k that of an empty document, and `close_in_slots` makes it so again.
    """
    counts, total = state.document_topic, 0.0
    n_topics = counts.shape[1]
    if n_topics <= FEW_TO_OPEN:
        for k in range(n_topics):
            document.in_document[slot[k]] = counts[d, k]
        compute_prior(document, temper)
        return dot(document.in_document, 0, eta, 0, eta.size)
    for first in range(0, n_topics, BITS):
        found = find_present(counts, int(d), first, min(first + BITS, n_topics))
        while found != np.uint64(0):
            topic = first + lowest_bit(found)
            found = without_lowest(found)
            own = np.int64(slot[topic])
            document.in_document[own] = counts[d, topic]
            document.prior[own] = share_of(own, 0, document, temper) * document.rate[own]
            total += document.in_document[own] * eta[own]
    return total


@piece
def close_in_slots(
    d: Index, state: State, slot: np.ndarray, document: Document, temper: Temper | None
) -> None:
    """Take the tokens of document d out; a topic that lost all its tokens is as it should be."""
    counts = state.document_topic
    n_topics = counts.shape[1]
    if n_topics <= FEW_TO_OPEN:  # the next document overwrites all of it
        return
    for first in range(0, n_topics, BITS):
        found = find_present(counts, int(d), first, min(first + BITS, n_topics))
        while found != np.uint64(0):
            own = np.int64(slot[first + lowest_bit(found)])
            found = without_lowest(found)
            document.in_document[own] = 0.0
            document.prior[own] = share_of(own, 0, document, temper) * document.rate[own]


@piece
def compute_prior(document: Document, temper: Temper | None) -> None:
    """Compute P_k of all topics."""
    for k in range(document.prior.size):
        document.prior[k] = share_of(k, 0, document, temper) * document.rate[k]


@piece
def share_of(k: Index, change: int, document: Document, temper: Temper | None) -> float:
    """Return C_dk + alpha_k with ``change`` more tokens of topic k, or its power."""
    if temper is None:
        return document.in_document[k] + change + document.alpha[k]
    return power_in_document(k, int(document.in_document[k]) + change, temper)


@piece
def prior_without_token(j: Index, document: Document, temper: Temper | None) -> float:
    """Return P_j with one token of topic j taken out of the document."""
    return share_of(j, -1, document, temper) * document.less[j]


@piece
def move_in_document(
    j: Index, new: Index, beta_total: float, document: Document, temper: Temper | None
) -> None:
    """Follow a token of the document from topic j to ``new``, in C_dk, C_k, their rates and P_k."""
    in_corpus, rate, less = document.in_corpus, document.rate, document.less
    if temper is not None:
        move_rates(j, new, in_corpus, temper)  # those of ``temper`` are those of ``document``
    document.in_document[j] -= 1.0
    document.in_document[new] += 1.0
    in_corpus[j] -= 1.0
    in_corpus[new] += 1.0
    if temper is None:
        # Two of the four rates are known; nothing waits for the divisions of the others.
        rate[j], less[new] = less[j], rate[new]
        less[j] = document.mass[j] / (in_corpus[j] - 1.0 + beta_total)
        rate[new] = document.mass[new] / (in_corpus[new] + beta_total)
    for topic in (j, new):
        document.prior[topic] = share_of(topic, 0, document, temper) * rate[topic]
