"""Read the files of the large-scale hierarchical text classification challenge (LSHTC).

A line is ``label[, label ...] word:count word:count ...``, where labels and words are numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pymc_medlda._arrays import Floats
from pymc_medlda.corpus import Corpus


@dataclass(frozen=True)
class LabelledDocuments:
    """Documents with lists of labels."""

    labels: list[list[int]]
    words: list[NDArray[np.int32]]

    def largest(self, n: int) -> NDArray[np.int64]:
        """Return the n labels with the most documents, the largest first."""
        found, counts = np.unique(np.concatenate(self.labels), return_counts=True)
        return found[np.argsort(-counts, kind="stable")[:n]]

    def select(self, labels: NDArray[np.int64]) -> tuple[Corpus, Floats]:
        """Return the documents that have at least one of the labels, and their labels as ±1."""
        table = np.array([np.isin(labels, own) for own in self.labels])
        kept = np.flatnonzero(table.any(axis=1))
        words = [self.words[d] for d in kept]
        starts = np.concatenate([[0], np.cumsum([len(own) for own in words])])
        return Corpus(np.concatenate(words), starts), np.where(table[kept], 1.0, -1.0)


def read_lshtc(path: Path) -> LabelledDocuments:
    """Read a file of the challenge, line by line."""
    labels, words = [], []
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            parts = line.replace(",", " ").split()
            own = [int(part) for part in parts if ":" not in part]
            if not own or ":" not in line:  # the header, or a line without words
                continue
            pairs = [part.split(":") for part in parts if ":" in part]
            counts = [int(float(count)) for _, count in pairs]
            labels.append(own)
            words.append(np.repeat(np.array([int(word) for word, _ in pairs], np.int32), counts))
    return LabelledDocuments(labels, words)
