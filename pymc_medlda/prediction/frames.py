"""Predictions as a table: one row per document, or per document and task."""

from __future__ import annotations

import numpy as np
import pandas as pd
import xarray as xr

from pymc_medlda.prediction.results import plain
from pymc_medlda.run.record import UNKNOWN
from pymc_medlda.run.response_draws import ResponseDraws
from pymc_medlda.run.topic_draws import TopicDraws
from pymc_medlda.run.words import list_best_words
from pymc_medlda.targets.answer_columns import decision_columns, topic_columns


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
    decision, is_real = predictions["decision"], response.kind == "real"
    probability = None if is_real else predictions["probability"]
    classes = None
    if probability is not None and decision.ndim == 1:
        classes = plain(probability[probability.dims[1]].values).tolist()
    bounds = {name: predictions[name].values for name in ("lower", "upper") if name in predictions}
    return pd.DataFrame(
        decision_columns(
            decision.values,
            None if probability is None else probability.values,
            tasks=decision[decision.dims[-1]].values,
            classes=classes,
            bounds=bounds,
        )
    )


def _show_topics(theta: xr.DataArray, topics: TopicDraws) -> pd.DataFrame:
    """Return the largest topics of each document in the first chain, with shares and words."""
    words = np.array(list_best_words(topics, 0), object)
    mean = theta.isel(chain=0).mean("draw").values
    return pd.DataFrame(topic_columns(mean, np.asarray(topics.topic_labels), words))
