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

    The first three hold for all documents, the last two for the one that is visited.
    """

    alpha: Floats
    in_corpus: Floats  # C_k
    rate: Floats  # R_k
    in_document: Floats  # C_dk
    prior: Floats  # P_k


def pad_topics(alpha: Floats, topic: np.ndarray, beta_total: float) -> Document:
    """Arrange what all documents share; the rest is filled by `open_document`."""
    padded = aligned_zeros(5, padded_size(topic.size))
    padded[:3, : topic.size] = alpha, topic, 1.0 / (topic + beta_total)
    return Document(*padded)


@piece
def open_document(d: Index, state: State, document: Document) -> None:
    """Write C_dk and P_k of document d."""
    for k in range(state.document_topic.shape[1]):
        document.in_document[k] = state.document_topic[d, k]
    for k in range(document.prior.size):
        document.prior[k] = (document.in_document[k] + document.alpha[k]) * document.rate[k]


@piece
def prior_without_token(j: Index, beta_total: float, document: Document) -> float:
    """Return P_j with one token of topic j taken out of the document."""
    return (document.in_document[j] - 1.0 + document.alpha[j]) / (
        document.in_corpus[j] - 1.0 + beta_total
    )


@piece
def move_in_document(
    d: Index, j: Index, new: Index, beta_total: float, state: State, document: Document
) -> None:
    """Follow a token of document d from topic j to ``new``, in C_dk, C_k and P_k."""
    state.document_topic[d, j] -= 1
    state.document_topic[d, new] += 1
    for topic, change in ((j, -1.0), (new, 1.0)):
        document.in_document[topic] += change
        document.in_corpus[topic] += change
        document.rate[topic] = 1.0 / (document.in_corpus[topic] + beta_total)
        document.prior[topic] = (
            document.in_document[topic] + document.alpha[topic]
        ) * document.rate[topic]
