"""Predictions as a table: one row per document, or per document and task."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from pymc_medlda.prediction.results import plain
from pymc_medlda.run.record import UNKNOWN
from pymc_medlda.run.response_draws import ResponseDraws
from pymc_medlda.run.topic_draws import TopicDraws
from pymc_medlda.run.words import list_best_words

MOST_TOPICS = 3
"""The topics of a document that the table shows."""


def make_frame(
    predictions: xr.Dataset, topics: TopicDraws, response: ResponseDraws | None
) -> pd.DataFrame:
    """Return the predictions as a table; `predict` describes its columns."""
    document = topics.document_dim
    table = pd.DataFrame({"document": predictions[document].values})
    shown = _show_topics(predictions["theta"], topics)
    shown[UNKNOWN] = predictions[UNKNOWN].values
    if response is None:
        return pd.concat([table, shown], axis=1)
    decided = _show_decisions(predictions, response)
    n_rows = len(decided) // max(len(table), 1)
    parts = [
        part.loc[part.index.repeat(max(n_rows, 1))].reset_index(drop=True)
        for part in (table, shown)
    ]
    return pd.concat([parts[0], decided, parts[1]], axis=1)


def _show_decisions(predictions: xr.Dataset, response: ResponseDraws) -> pd.DataFrame:
    """Return decisions and probabilities, or values and bounds, one row per document and task."""
    decision = predictions["decision"]
    columns: dict[str, Any] = {}
    if decision.ndim == 2:
        columns["task"] = np.tile(decision[decision.dims[1]].values, decision.shape[0])
    if response.kind == "real":
        columns["value"] = decision.values.ravel()
        for bound in ("lower", "upper"):
            if bound in predictions:
                columns[bound] = predictions[bound].values.ravel()
        return pd.DataFrame(columns)
    columns["decision"] = decision.values.ravel()
    probability = predictions["probability"]
    if response.kind == "multilabel":
        columns["probability"] = probability.values.ravel()
    else:
        classes = plain(probability[probability.dims[1]].values).tolist()
        chosen = [classes.index(own) for own in decision.values.tolist()]
        columns["probability"] = probability.values[np.arange(len(chosen)), chosen]
    return pd.DataFrame(columns)


def _show_topics(theta: xr.DataArray, topics: TopicDraws) -> pd.DataFrame:
    """Return the largest topics of each document in the first chain, with shares and words."""
    mean = theta.isel(chain=0).mean("draw").values
    best = np.argsort(-mean, axis=1, kind="stable")[:, :MOST_TOPICS]
    words = np.array(list_best_words(topics, 0), object)
    columns: dict[str, Any] = {}
    for rank, chosen in enumerate(best.T, 1):
        columns[f"topic {rank}"] = np.asarray(topics.topic_labels)[chosen]
        columns[f"share {rank}"] = mean[np.arange(len(chosen)), chosen]
        columns[f"words {rank}"] = words[chosen]
    return pd.DataFrame(columns)
