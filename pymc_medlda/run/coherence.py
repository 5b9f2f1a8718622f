"""Coherence of topics: whether their top words meet in documents."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from pymc_medlda._arguments import check_whole
from pymc_medlda.corpus import Corpus
from pymc_medlda.prediction.new_documents import match_words
from pymc_medlda.run.draws import chain_positions, mean_word_distributions
from pymc_medlda.run.reading import StoredTopics, read_topics
from pymc_medlda.run.topics import Criterion, rank_words, topic_labels, topic_shares


def coherence(
    idata: Any,
    n: int = 10,
    *,
    corpus: Corpus | None = None,
    by: Criterion = "probability",
    weight: float | None = None,
    chain: int | None = 0,
    thin: int = 1,
    topics: str | None = None,
) -> pd.Series:
    r"""Return how often the top words of a topic meet in documents: the mean NPMI of their pairs.

    .. math:: NPMI(a, b) = \log\frac{p(a, b)}{p(a)\,p(b)} \Big/ (-\log p(a, b))

    with p(a) and p(a, b) the share of documents that hold a, or both. It is 1 for words that come
    only together, 0 for independent ones and -1 for words that never meet.

    Parameters
    ----------
    idata : InferenceData or DataTree
        What ``pm.sample`` returned, or a file of it.
    n : int, default 10
        Top words a topic, two or more.
    corpus : Corpus, optional
        Documents to count in; those of the run by default. Words are matched by name. Pairs with
        a word that occurs nowhere in it are left out.
    by, weight, chain, thin, topics
        Which top words, as in `top_words`.

    Returns
    -------
    Series
        NPMI by topic; NaN where no pair is left.

    References
    ----------
    Lau, Newman and Baldwin (2014), Machine reading tea leaves.

    Examples
    --------
    >>> import pymc as pm, pymc_medlda as med
    >>> from pymc_medlda.run.coherence import coherence
    >>> planted = med.datasets.make_planted(20, n_topics=2, n_words=30, seed=1)
    >>> with med.GibbsMedLDA(planted.corpus, planted.y, n_topics=2):
    ...     idata = pm.sample(draws=5, tune=5, chains=1, progressbar=False, random_seed=1)
    >>> bool(coherence(idata, 3).between(-1, 1).all())
    True
    """
    check_whole("n", n, at_least=2)
    stored = read_topics(idata, topics)
    positions = chain_positions(stored, chain)
    phi = mean_word_distributions(stored, chains=positions, thin=thin).mean(axis=0)
    share = topic_shares(stored, positions, thin)
    best = rank_words(phi, share, by=by, weight=weight)[:, :n]
    presence = _presence(stored, corpus)
    scores = [_mean_npmi(presence[:, words]) for words in best]
    index = pd.Index(topic_labels(stored), name=stored.topic_dim)
    return pd.Series(scores, index=index, name="npmi")


def _presence(stored: StoredTopics, corpus: Corpus | None) -> sparse.csc_matrix:
    """Return which document holds which word of the run's vocabulary, as 0 and 1."""
    if corpus is None:
        corpus = Corpus(stored.tokens.word, stored.tokens.start, n_words=stored.n_words)
    else:
        corpus = match_words(stored, corpus)[0]
    counts = corpus.to_dtm()
    counts.data[:] = 1
    return counts.tocsc()


def _mean_npmi(presence: sparse.csc_matrix) -> float:
    """Return the mean NPMI of the pairs of words, given which document holds which."""
    n_documents = presence.shape[0]
    both = np.asarray((presence.T @ presence).todense(), np.float64) / max(n_documents, 1)
    single = np.diag(both)
    scores = []
    for i, j in zip(*np.triu_indices(single.size, 1), strict=True):
        if single[i] == 0 or single[j] == 0:
            continue
        if both[i, j] == 0:
            scores.append(-1.0)
        elif both[i, j] == 1:  # in every document: the limit of words that come only together
            scores.append(1.0)
        else:
            pmi = np.log(both[i, j] / (single[i] * single[j]))
            scores.append(float(-pmi / np.log(both[i, j])))
    return float(np.mean(scores)) if scores else float("nan")
