"""`top_features`: which features count most, and what the topics of a word say beside it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pymc_medlda._arguments import check_whole
from pymc_medlda._arrays import Floats
from pymc_medlda.run.response_draws import ResponseDraws
from pymc_medlda.run.run import Run
from pymc_medlda.run.topic_draws import TopicDraws


def top_features(
    idata: Any,
    n: int = 10,
    *,
    response: str | None = None,
    chain: Any = None,
) -> pd.DataFrame:
    r"""Rank the features of a response by the size of what they contribute to the discriminant.

    Parameters
    ----------
    idata : InferenceData, DataTree or path
        What ``pm.sample`` returned for a model with features, or a file of it.
    n : int, default 10
        How many features of each task.
    response : str, optional
        Name of the response, where the model has several.
    chain : optional
        Use this chain; by default all chains.

    Returns
    -------
    DataFrame
        One row per task and rank, the largest contribution first. ``task`` is there if there are
        several. ``feature`` is the name, ``weight`` and ``sd`` are the mean and the standard
        deviation of its weight over the draws. ``contribution`` is the mean of
        :math:`w_j x_{dj}` over the training documents that have the feature. If the features are
        words, ``topics`` is what the topics of the same tokens contribute to the same documents,
        the mean of :math:`\sum_n \eta_{z_{dn}} / N_d` over the tokens of the word. A word whose
        contribution is much larger says more than its topics do.

    Examples
    --------
    >>> import pymc as pm, pymc_medlda as med
    >>> planted = med.datasets.make_planted(30, n_topics=2, n_words=40, seed=1)
    >>> with med.GibbsMedLDA(planted.corpus, planted.y, n_topics=2, features="words"):
    ...     run = pm.sample(5, tune=5, chains=1, progressbar=False, random_seed=1, quiet=True)
    >>> med.top_features(run, 3).columns.tolist()
    ['feature', 'weight', 'sd', 'contribution', 'topics']
    """
    check_whole("n", n, at_least=1)
    run = Run.of(idata)
    found = run.response(response)
    topics = run.topics(found.topics)
    summary = summarise_features(topics, found, topics.find_chains(chain))
    tables = []
    for i, task in enumerate(found.task_labels.tolist()):
        order = summary.ranks(i)[:n]
        columns: dict[str, Any] = {"task": task} if found.task_dim is not None else {}
        columns |= {
            "feature": summary.names[order],
            "weight": summary.weight[order, i],
            "sd": summary.deviation[order, i],
            "contribution": summary.contribution[order, i],
        }
        if summary.topics is not None:
            columns["topics"] = summary.topics[order, i]
        tables.append(pd.DataFrame(columns))
    return pd.concat(tables, ignore_index=True)


class FeatureSummary(NamedTuple):
    """What features contribute, (n_features, n_tasks); see `top_features`."""

    names: NDArray[Any]
    weight: Floats
    deviation: Floats
    contribution: Floats
    topics: Floats | None

    def ranks(self, task: int) -> NDArray[np.intp]:
        """Return the features, that with the largest contribution to a task first."""
        return np.argsort(-np.abs(self.contribution[:, task]), kind="stable")


def summarise_features(
    topics: TopicDraws, response: ResponseDraws, chains: list[int]
) -> FeatureSummary:
    """Average over the draws of some chains; raise if the response has no features."""
    features = response.features
    if features is None:
        raise ValueError(f"the model of {response.name!r} was sampled without features")
    matrix = features.of_training(topics.tokens)
    shape = (matrix.shape[1], response.y.shape[1])
    total, squares, of_topics = np.zeros((3, *shape))
    for chain in chains:
        for draw in range(topics.n_draws):
            weights = features.weights_at(chain, draw)
            total += weights
            squares += weights**2
            if features.idf is not None:
                of_topics += _contributions_of_topics(topics, response, chain, draw)
    n_draws = max(len(chains) * topics.n_draws, 1)
    mean = total / n_draws
    deviation = np.sqrt(np.maximum(squares / n_draws - mean**2, 0.0))
    count = np.maximum(np.diff(matrix.start), 1)[:, None]
    size = np.asarray(matrix.by_columns.sum(axis=0)).reshape(-1, 1) / count
    beside = of_topics / (n_draws * count) if features.idf is not None else None
    return FeatureSummary(features.names, mean, deviation, mean * size, beside)


def _contributions_of_topics(
    topics: TopicDraws, response: ResponseDraws, chain: int, draw: int
) -> Floats:
    """Return what the topics of the tokens of each word add to F, summed over documents."""
    z, tokens = topics.assignments(chain)[draw], topics.tokens
    lengths = np.diff(tokens.start)
    share = np.repeat(1.0 / np.maximum(lengths, 1), lengths)
    eta = response.weights(chain, draw)
    return np.stack(
        [np.bincount(tokens.word, weights=own[z] * share, minlength=topics.n_words) for own in eta],
        axis=1,
    )
