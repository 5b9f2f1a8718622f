"""Coherence of topics: whether their top words occur in the same documents."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from pymc_medlda._arguments import check_whole
from pymc_medlda.corpus import Corpus
from pymc_medlda.run.run import Run
from pymc_medlda.run.topic_draws import TopicDraws
from pymc_medlda.run.words import Criterion, check_criterion, match_words, rank_words


def coherence(
    idata: Any,
    n: int = 10,
    *,
    corpus: Corpus | Iterable[str] | None = None,
    by: Criterion = "probability",
    weight: float | None = None,
    chain: int | None = 0,
    thin: int = 1,
    topics: str | None = None,
) -> pd.Series:
    r"""Return how often the top words of a topic occur together: the mean NPMI of their pairs.

    .. math:: NPMI(a, b) = \log\frac{p(a, b)}{p(a)\,p(b)} \Big/ (-\log p(a, b))

    with p(a) and p(a, b) the share of documents that hold a, or both. It is 1 for words that occur
    only together, 0 for independent words and -1 for words that never occur together.

    Parameters
    ----------
    idata : InferenceData, DataTree or path
        What ``pm.sample`` returned, or a file of it.
    n : int, default 10
        Top words per topic, two or more.
    corpus : Corpus or list of texts, optional
        The documents in which words are counted; those of the run by default. Words are matched
        by name. Pairs with a word that occurs nowhere in the corpus are left out.
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
    >>> import pymc_medlda as med
    >>> bool(med.coherence(idata, 3).between(-1, 1).all())
    True
    """
    check_whole("n", n, at_least=2)
    check_whole("thin", thin, at_least=1)
    check_criterion(by, weight)
    drawn = Run.of(idata).topics(topics)
    chains = drawn.find_chains(chain)
    presence = _presence(drawn, corpus)
    phi = drawn.mean_phi(chains, thin=thin).mean(axis=0)
    share = drawn.shares(chains, thin=thin)
    best = rank_words(phi, share, by=by, weight=weight)[:, :n]
    scores = [_mean_npmi(presence[:, words]) for words in best]
    index = pd.Index(drawn.topic_labels, name=drawn.topic_dim)
    return pd.Series(scores, index=index, name="npmi")


def _presence(topics: TopicDraws, corpus: Any) -> sparse.csc_matrix:
    """Return which document holds which word of the run's vocabulary, as 0 and 1."""
    if corpus is None:
        corpus = Corpus(topics.tokens.word, topics.tokens.start, n_words=topics.n_words)
    else:
        corpus = match_words(topics, corpus)[0]
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
        elif both[i, j] == 1:  # both in every document: the limit of words that occur only together
            scores.append(1.0)
        else:
            pmi = np.log(both[i, j] / (single[i] * single[j]))
            scores.append(float(-pmi / np.log(both[i, j])))
    return float(np.mean(scores)) if scores else float("nan")
