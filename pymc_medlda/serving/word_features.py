"""Single words as features of documents: their tf-idf and their weights."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pymc_medlda._arrays import Floats
from pymc_medlda.serving.documents import Documents


class WordFeatures(NamedTuple):
    """The recipe of the tf-idf, and the mean weights of the words in each chain.

    A word that occurs n times has the value (1 + log n) · idf, and the values of a document are
    divided by their Euclidean norm, as in `targets.word_features`.
    """

    idf: Floats  # (n_words,)
    weights: Floats  # (n_chains, n_tasks, n_words)

    def project(self, documents: Documents) -> Floats:
        """Return w · x of documents, (n_chains, n_documents, n_tasks)."""
        n_chains, n_tasks, _ = self.weights.shape
        found = np.zeros((n_chains, len(documents), n_tasks))
        for d, (words, times) in enumerate(documents):
            if words.size:
                values = (1.0 + np.log(times)) * self.idf[words]
                found[:, d] = self.weights[..., words] @ (values / np.linalg.norm(values))
        return found
