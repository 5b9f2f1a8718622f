"""The topics of the words of one document, draw by draw.

Both functions yield pairs of z̄, (n_topics,), and what the tokens of each distinct word add to z̄
times the length of the document, (n_distinct, n_topics). For a training document these are counts
of the stored topics. For a new document they are averages of the sampler that `predict` uses.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from pymc_medlda._arrays import Floats
from pymc_medlda.corpus import Corpus
from pymc_medlda.kernels.new_documents import Schedule
from pymc_medlda.prediction.new_documents import NewDocuments, iterate_token_topics
from pymc_medlda.run.topic_draws import TopicDraws

Positions = Sequence[tuple[int, int]]


def iterate_stored_topics(
    topics: TopicDraws, document: int, row: NDArray[np.intp], positions: Positions
) -> Iterator[tuple[Floats, Floats]]:
    """Yield the topics of a training document; ``row`` numbers the distinct words of its tokens."""
    begin, end = topics.tokens.start[document : document + 2]
    n_rows, n_topics = int(row.max(initial=-1)) + 1, topics.n_topics
    for chain, draw in positions:
        z = topics.assignments(chain)[draw, begin:end].astype(np.intp)
        cells = np.bincount(row * n_topics + z, minlength=n_rows * n_topics)
        of_word = cells.reshape(n_rows, n_topics).astype(np.float64)
        yield of_word.sum(axis=0) / max(end - begin, 1), of_word


def iterate_new_topics(
    topics: TopicDraws,
    corpus: Corpus,
    row: NDArray[np.intp],
    positions: Positions,
    schedule: Schedule,
    seed: np.random.SeedSequence,
) -> Iterator[tuple[Floats, Floats]]:
    """Yield the topics of the only document of a corpus that has the words of the model."""
    new = NewDocuments.from_corpus(corpus)
    drawn = iterate_token_topics(topics, new, positions, schedule=schedule, seed=seed)
    for frequency, of_token in drawn:
        of_word = np.zeros((int(row.max(initial=-1)) + 1, topics.n_topics))
        np.add.at(of_word, row, of_token)
        yield frequency[0], of_word
