"""The state of a sweep (assignments and their count tables) and the choice of its path."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pymc_medlda.kernels.counts import (
    Tokens,
    count_tokens,
    empty_counts,
    log_assignments,
    log_words,
)
from pymc_medlda.kernels.topics import sweep_plainly

Floats = NDArray[np.float64]


class TopicSampler:
    """Topic assignments with count tables that follow them, swept in place.

    The tables are a cache of ``z`` and nothing else: `load` keeps them only where a byte
    comparison proves that they belong to the assignments it is given, so a step that uses a
    sampler remains a function of its point and random generator.
    """

    def __init__(self, tokens: Tokens, *, n_words: int, n_topics: int, path: str = "auto") -> None:
        self.tokens = tokens
        self.n_words = n_words
        self.n_topics = n_topics
        self.path = path
        self.z: NDArray[np.unsignedinteger] | None = None

    def load(self, z: NDArray[np.unsignedinteger]) -> None:
        """Take over a copy of ``z``, recounting only if it is not what is held already."""
        if self.z is not None and np.array_equal(self.z, z):
            return
        if self.z is None:
            self.counts = empty_counts(
                n_words=self.n_words,
                n_documents=self.tokens.start.size - 1,
                n_topics=self.n_topics,
            )
        self.z = z.copy()
        count_tokens(self.tokens, self.z, self.counts)

    @property
    def document_topic(self) -> NDArray[np.integer]:
        """C_dk, (n_documents, n_topics)."""
        return self.counts.document_topic

    def sweep(
        self,
        rng: np.random.Generator,
        *,
        alpha: Floats,
        beta: float,
        eta: Floats,
        a: Floats,
        b: Floats,
    ) -> int:
        """Draw every topic once; return how many tokens changed theirs."""
        return sweep_plainly(rng, self.tokens, self.z, self.counts, alpha, beta, eta, a, b)

    def log_words(self, beta: float) -> float:
        """Return log p(W | Z)."""
        return log_words(self.counts.word_topic, self.counts.topic, beta)

    def log_assignments(self, alpha: Floats) -> float:
        """Return log p(Z)."""
        return log_assignments(self.counts.document_topic, alpha)
