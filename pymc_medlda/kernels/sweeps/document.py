"""The counts and priors of the document that is visited, shared by the two quick sweeps.

Symbols: R_k = 1/(C_k + V beta) and P_k = (C_dk + alpha_k) R_k.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pymc_medlda._arrays import Floats
from pymc_medlda.kernels._jit import Index
from pymc_medlda.kernels.simd.aligned import aligned_zeros, padded_size
from pymc_medlda.kernels.sweeps.interface import State
from pymc_medlda.kernels.sweeps.pieces import piece


class Document(NamedTuple):
    """What a sweep knows of each topic, (size,) each, padded with zeros to a full vector.

    The first four hold for all documents, the last two for the one that is visited. The order of
    the topics is that of their slots.
    """

    alpha: Floats
    in_corpus: Floats  # C_k
    rate: Floats  # R_k
    less: Floats  # R_k with one token less
    in_document: Floats  # C_dk
    prior: Floats  # P_k


def pad_topics(
    alpha: Floats,
    topic: np.ndarray,
    beta_total: float,
    slot: np.ndarray | None = None,
    size: int = 0,
) -> Document:
    """Arrange what all documents share, by slots below ``size`` or in the order of the topics.

    The rest is filled by `open_document` or `open_in_slots`.
    """
    if slot is None:
        slot, size = np.arange(topic.size), padded_size(topic.size)
    document = Document(*aligned_zeros(6, size))
    document.alpha[slot], document.in_corpus[slot] = alpha, topic
    document.rate[slot] = 1.0 / (topic + beta_total)
    # A topic without tokens has no token to take out.
    document.less[slot] = 1.0 / (np.maximum(topic, 1) - 1.0 + beta_total)
    return document


@piece
def open_document(d: Index, state: State, document: Document) -> None:
    """Write C_dk and P_k of document d, in the order of the topics."""
    for k in range(state.document_topic.shape[1]):
        document.in_document[k] = state.document_topic[d, k]
    compute_prior(document)


@piece
def open_in_slots(d: Index, state: State, slot: np.ndarray, document: Document) -> None:
    """Write C_dk and P_k of document d by slot."""
    for k in range(state.document_topic.shape[1]):
        document.in_document[slot[k]] = state.document_topic[d, k]
    compute_prior(document)


@piece
def compute_prior(document: Document) -> None:
    """Compute P_k of all topics."""
    for k in range(document.prior.size):
        document.prior[k] = (document.in_document[k] + document.alpha[k]) * document.rate[k]


@piece
def prior_without_token(j: Index, document: Document) -> float:
    """Return P_j with one token of topic j taken out of the document."""
    return (document.in_document[j] - 1.0 + document.alpha[j]) * document.less[j]


@piece
def move_in_document(j: Index, new: Index, beta_total: float, document: Document) -> None:
    """Follow a token of the document from topic j to ``new``, in C_dk, C_k, their rates and P_k."""
    alpha, in_corpus, rate, less, in_document, prior = document
    in_document[j] -= 1.0
    in_document[new] += 1.0
    in_corpus[j] -= 1.0
    in_corpus[new] += 1.0
    # Two of the four rates are known; nothing waits for the divisions of the others.
    rate[j], less[new] = less[j], rate[new]
    less[j] = 1.0 / (in_corpus[j] - 1.0 + beta_total)
    rate[new] = 1.0 / (in_corpus[new] + beta_total)
    for topic in (j, new):
        prior[topic] = (in_document[topic] + alpha[topic]) * rate[topic]
