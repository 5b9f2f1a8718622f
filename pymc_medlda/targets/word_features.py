"""tf-idf: the words of a document as features, by a recipe that also fits new documents.

A word that occurs n times in a document has the value (1 + log n) · idf, and the values of a
document are divided by their Euclidean norm. The idf of a word that occurs in m of D documents is
1 + log((1 + D) / (1 + m)). scikit-learn's ``TfidfTransformer(sublinear_tf=True)`` does the same.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from pymc_medlda._arrays import Floats


def count_words(
    words: NDArray[np.integer], starts: NDArray[np.integer], n_words: int
) -> sparse.csr_array:
    """Return how often each word occurs in each document, (n_documents, n_words)."""
    # Copies, because duplicates are summed in place.
    ones, columns, first = np.ones(words.size), words.astype(np.int32), starts.astype(np.int64)
    counts = sparse.csr_array((ones, columns, first), shape=(starts.size - 1, n_words))
    counts.sum_duplicates()
    return counts


def rarity_of_words(counts: sparse.csr_array) -> Floats:
    """Return the idf of every word, (n_words,)."""
    n_documents, n_words = counts.shape
    containing = np.bincount(counts.indices, minlength=n_words)
    return np.asarray(1.0 + np.log((1.0 + n_documents) / (1.0 + containing)))


def weigh_words(counts: sparse.csr_array, idf: Floats) -> sparse.csr_array:
    """Return the tf-idf of documents, (n_documents, n_words).

    Examples
    --------
    >>> counts = count_words(np.array([0, 1, 1, 1]), np.array([0, 1, 4, 4]), n_words=2)
    >>> weigh_words(counts, rarity_of_words(counts)).toarray().tolist()
    [[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]]
    """
    values = (1.0 + np.log(counts.data)) * idf[counts.indices]
    weighed = sparse.csr_array((values, counts.indices, counts.indptr), shape=counts.shape)
    norms = np.sqrt(np.asarray(weighed.multiply(weighed).sum(axis=1)).ravel())
    norms[norms == 0.0] = 1.0  # of a document without words
    weighed.data /= np.repeat(norms, np.diff(weighed.indptr))
    return weighed
