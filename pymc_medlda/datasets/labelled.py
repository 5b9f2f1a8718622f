"""A corpus with a class for each document, and its division into training and test parts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pymc_medlda._arguments import check_probability, check_seed
from pymc_medlda.corpus import Corpus


@dataclass(frozen=True, eq=False)
class LabelledCorpus:
    """Documents, each with a class.

    Attributes
    ----------
    corpus : Corpus
    y : (n_documents,) str array
        The class of each document.
    names : tuple of str
        The distinct classes.

    Examples
    --------
    >>> import numpy as np
    >>> import pymc_medlda as med
    >>> corpus = med.Corpus.from_tokens([["goal"], ["vote"]])
    >>> y = np.array(["sport", "politics"])
    >>> med.datasets.LabelledCorpus(corpus, y, ("politics", "sport")).corpus
    Corpus(2 documents, 2 tokens, 2 words)
    """

    corpus: Corpus
    y: NDArray[np.str_]
    names: tuple[str, ...]

    def __post_init__(self) -> None:
        if not isinstance(self.corpus, Corpus):
            raise TypeError(f"corpus must be a Corpus, got {type(self.corpus).__name__}")
        if np.shape(self.y) != (self.corpus.n_documents,):
            raise ValueError(
                f"y must hold one class per document, {self.corpus.n_documents}; "
                f"got the shape {np.shape(self.y)}"
            )


def train_test_split(
    labelled: LabelledCorpus, *, test_fraction: float = 0.25, seed: int = 0
) -> tuple[LabelledCorpus, LabelledCorpus]:
    """Divide documents at random into a training and a test part, class by class.

    The share of each class is the same in both parts, up to rounding.

    Parameters
    ----------
    labelled : LabelledCorpus
        The documents and their classes.
    test_fraction : float
        Share of the documents in the test part, between 0 and 1.
    seed : int
        Seed of the random choice.

    Returns
    -------
    train, test : LabelledCorpus
        The documents in their original order, with the same vocabulary.

    Examples
    --------
    >>> import pymc_medlda as med
    >>> documents = med.datasets.load_docstrings(["numpy"], n_documents_per_package=60)
    >>> train, test = med.datasets.train_test_split(documents)
    >>> len(train.corpus), len(test.corpus)
    (45, 15)
    """
    if not isinstance(labelled, LabelledCorpus):
        raise TypeError(f"labelled must be a LabelledCorpus, got {type(labelled).__name__}")
    check_probability("test_fraction", test_fraction)
    check_seed("seed", seed)
    rng = np.random.default_rng(seed)
    is_test = np.zeros(len(labelled.corpus), bool)
    for name in labelled.names:
        rows = rng.permutation(np.flatnonzero(labelled.y == name))
        is_test[rows[: round(test_fraction * rows.size)]] = True
    train, test = (
        LabelledCorpus(labelled.corpus[rows], labelled.y[rows], labelled.names)
        for rows in (~is_test, is_test)
    )
    return train, test
