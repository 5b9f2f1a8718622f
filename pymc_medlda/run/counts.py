"""What follows from the counts of a draw: phi-hat, and which topics are empty.

Symbols: C_kt tokens of word t in topic k, C_k tokens of topic k, V words.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pymc_medlda._arrays import Floats

# A topic with less than this part of an even share of the tokens holds almost nothing: its word
# distribution is the prior, so any two such topics look alike.
EMPTY = 0.05


class TopicCounts(NamedTuple):
    """The counts of a draw. The next draw overwrites them: copy what you keep."""

    chain: int
    draw: int
    word_topic: NDArray[np.int32]  # (n_words, n_topics), C_kt
    topic: NDArray[np.int64]  # (n_topics,), C_k


def estimate_phi(counts: TopicCounts, beta: float, out: Floats | None = None) -> Floats:
    """Return phi-hat_kt = (C_kt + beta) / (C_k + V beta), as (n_words, n_topics)."""
    n_words = counts.word_topic.shape[0]
    phi = np.add(counts.word_topic, beta, out=out)
    phi /= counts.topic + n_words * beta
    return phi


def holds_tokens(share: Floats) -> NDArray[np.bool_]:
    """Tell which topics are not empty, given the share of the tokens that each topic has.

    Examples
    --------
    >>> import numpy as np
    >>> holds_tokens(np.array([0.7, 0.299, 0.001])).tolist()
    [True, True, False]
    """
    return np.asarray(share >= EMPTY / share.size)
