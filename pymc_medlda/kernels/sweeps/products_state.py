"""The arrays of the sweep by products: those of the corpus, of all topics, and of a document.

The symbols are those of `products`. All arrays are padded to full vectors; padding has no weight.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pymc_medlda._arrays import Floats
from pymc_medlda.kernels.simd.aligned import aligned_zeros
from pymc_medlda.kernels.sweeps.document import padded_size
from pymc_medlda.kernels.sweeps.rows_state import Topics as Topics
from pymc_medlda.kernels.sweeps.rows_state import arrange_topics as arrange_topics


class Corpus(NamedTuple):
    """What a sweep knows of each topic in all documents, (size,) each."""

    alpha: Floats
    in_corpus: Floats  # C_k
    rate: Floats  # R_k
    less: Floats  # R_k with one token less
    more: Floats  # R_k with one token more


class Workspace(NamedTuple):
    """What a sweep holds of the visited document."""

    corpus: Corpus
    in_document: Floats  # (size,) C_dk
    prior: Floats  # (size,) P_k
    without: Floats  # (size,) P_k with one token of topic k taken out
    own: Floats  # (size,) gamma²/2 sum_i a_i eta_ik²
    drift: Floats  # (size,) a bound of what a token of topic k adds to any exponent
    exponent: Floats  # (size,) f_k(s), or G_j while its rows are computed
    factor: Floats  # (size,) E_k
    weight: Floats  # (size,) A_k
    lift: Floats  # ((size + 1) * size,) exp(G_j) from j * size; at the end a row of ones
    lower: Floats  # ((size + 1) * size,) exp(-G_j)
    holder: np.ndarray  # (size,) the document for which the rows of a topic were computed
    slope: Floats  # (n_tasks,) factors in sums over tasks


def arrange_corpus(alpha: Floats, topic: np.ndarray, beta_total: float) -> Corpus:
    """Arrange what all documents share."""
    corpus = Corpus(*aligned_zeros(5, padded_size(topic.size)))
    for k in range(topic.size):
        pass
    n = topic.size
    corpus.alpha[:n], corpus.in_corpus[:n] = alpha, topic
    corpus.rate[:n] = 1.0 / (topic + beta_total)
    # A topic without tokens has no token to take out.
    corpus.less[:n] = 1.0 / (np.maximum(topic, 1) - 1.0 + beta_total)
    corpus.more[:n] = 1.0 / (topic + 1.0 + beta_total)
    return corpus


def empty_workspace(n_tasks: int, corpus: Corpus) -> Workspace:
    """Allocate what a sweep holds of one document."""
    size = corpus.alpha.size
    lift, lower = aligned_zeros(2, (size + 1) * size)
    lift[:], lower[:] = 1.0, 1.0
    return Workspace(
        corpus,
        *aligned_zeros(8, size),
        lift,
        lower,
        holder=np.zeros(size, np.int64),
        slope=np.zeros(n_tasks),
    )
