"""Contributions become tables with means and intervals, in the direction that is explained."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from pymc_medlda._arrays import Floats
from pymc_medlda.explanation.coloured import find_spans
from pymc_medlda.explanation.contributions import Contributions, Parts
from pymc_medlda.explanation.direction import Direction
from pymc_medlda.explanation.documents import Subject
from pymc_medlda.explanation.explanation import Explanation
from pymc_medlda.run.topic_draws import TopicDraws

N_WORDS = 5
"""Words that name a topic."""


def tabulate(
    topics: TopicDraws,
    subject: Subject,
    contributions: Contributions,
    parts: Parts,
    direction: Direction,
    thin: int,
    interval: float,
) -> Explanation:
    """Return the explanation of a document in one direction."""
    draws = _towards(topics, subject, contributions, parts, direction, thin)
    summary = _Summary(interval)
    features = parts.response.features
    return Explanation(
        document=subject.label,
        is_new=subject.position is None,
        response=parts.response.name,
        kind=parts.response.kind,
        target=direction.target,
        against=direction.against,
        decision=direction.decision,
        probability=direction.probability,
        interval=interval,
        n_unknown=subject.n_unknown,
        text=subject.text,
        parts=_tabulate_parts(draws, summary),
        topics=_tabulate_topics(topics, contributions, parts, draws, summary),
        words=_tabulate_words(topics, subject, contributions, parts, draws, summary),
        features=None if features is None else _tabulate_features(parts, draws, summary),
        draws=draws,
        spans_of=find_spans(topics.recipe),
    )


def _towards(
    topics: TopicDraws,
    subject: Subject,
    contributions: Contributions,
    parts: Parts,
    direction: Direction,
    thin: int,
) -> xr.Dataset:
    """Return the draws of the contributions to the weighted sum of discriminants."""
    u = direction.weights
    by_draw = ("chain", "draw")
    features = parts.response.features
    names: Any = [] if features is None else features.names[parts.present]
    variables: dict[str, Any] = {
        "topics": ((*by_draw, "topic"), contributions.topics @ u),
        "words": ((*by_draw, "word"), contributions.words @ u),
        "features": ((*by_draw, "feature"), contributions.features @ u),
        "mean": (by_draw, contributions.mean @ u),
        "offset": (by_draw, contributions.offset @ u),
        "discriminant": (by_draw, contributions.discriminant @ u),
    }
    coords = {
        "chain": topics.chain_labels,
        "draw": topics.draw_labels[::thin],
        "topic": topics.topic_labels,
        "word": topics.word_labels[np.unique(subject.corpus.words)],
        "feature": names,
    }
    return xr.Dataset(variables, coords)


class _Summary:
    """Means and quantiles over chains and draws."""

    def __init__(self, interval: float) -> None:
        self.tails = [(1.0 - interval) / 2, (1.0 + interval) / 2]

    def columns(self, values: Floats) -> dict[str, Any]:
        """Return mean, lower and upper of (chain, draw, ...)."""
        each = values.reshape(values.shape[0] * values.shape[1], *values.shape[2:])
        lower, upper = np.quantile(each, self.tails, axis=0)
        return {"mean": each.mean(axis=0), "lower": lower, "upper": upper}


def _tabulate_parts(draws: xr.Dataset, summary: _Summary) -> pd.DataFrame:
    """Return what topics, features, the mean and the offset add; only parts that there are."""
    rows = {
        "topics": draws["topics"].values.sum(axis=2),
        "features": draws["features"].values.sum(axis=2),
        "mean": draws["mean"].values,
        "offset": draws["offset"].values,
    }
    kept = {name: values for name, values in rows.items() if name == "topics" or values.any()}
    kept["total"] = draws["discriminant"].values
    table = {name: summary.columns(values) for name, values in kept.items()}
    return pd.DataFrame.from_dict(table, orient="index").rename_axis("part")


def _tabulate_topics(
    topics: TopicDraws,
    contributions: Contributions,
    parts: Parts,
    draws: xr.Dataset,
    summary: _Summary,
) -> pd.DataFrame:
    # The words of the first chain, whose numbers the topics keep, as in pictures and `top_words`.
    best = find_largest(parts.matching.phi[0], N_WORDS)
    table = pd.DataFrame(
        {
            "words": [", ".join(row) for row in topics.word_labels[best]],
            "share": contributions.share,
            **summary.columns(draws["topics"].values),
        },
        index=pd.Index(topics.topic_labels, name="topic"),
    )
    return _largest_first(table)


def find_largest(values: Floats, n: int) -> NDArray[np.intp]:
    """Return the positions of the n largest values of each row, the largest first."""
    n = min(n, values.shape[1])
    some = np.argpartition(-values, n - 1, axis=1)[:, :n]
    order = np.argsort(-np.take_along_axis(values, some, axis=1), axis=1, kind="stable")
    return np.take_along_axis(some, order, axis=1)


def _tabulate_words(
    topics: TopicDraws,
    subject: Subject,
    contributions: Contributions,
    parts: Parts,
    draws: xr.Dataset,
    summary: _Summary,
) -> pd.DataFrame:
    ids, count = np.unique(subject.corpus.words, return_counts=True)
    by_topics, features = draws["words"].values, parts.response.features
    columns: dict[str, Any] = {
        "count": count,
        "topic": topics.topic_labels[contributions.word_share.argmax(axis=1)],
    }
    if features is not None and features.idf is not None:
        by_feature = draws["features"].values
        columns |= summary.columns(by_topics + by_feature)
        columns["by_topics"] = by_topics.mean(axis=(0, 1))
        columns["by_feature"] = by_feature.mean(axis=(0, 1))
    else:
        columns |= summary.columns(by_topics)
    table = pd.DataFrame(columns, index=pd.Index(topics.word_labels[ids], name="word"))
    return _largest_first(table)


def _tabulate_features(parts: Parts, draws: xr.Dataset, summary: _Summary) -> pd.DataFrame:
    table = pd.DataFrame(
        {"value": parts.values, **summary.columns(draws["features"].values)},
        index=pd.Index(draws["feature"].values, name="feature"),
    )
    return _largest_first(table)


def _largest_first(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows with the largest contributions first, whatever their sign."""
    return table.iloc[np.argsort(-np.abs(table["mean"].to_numpy()), kind="stable")]
