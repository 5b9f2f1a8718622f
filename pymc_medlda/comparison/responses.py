"""Scores of predicted responses, document by document."""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr

from pymc_medlda._arrays import Floats
from pymc_medlda.comparison.scores import Score, accuracy, explained, micro_f1, ratio
from pymc_medlda.run.reading_predictions import read_decisions
from pymc_medlda.targets.coding import code_response
from pymc_medlda.targets.documents import align_to_documents

SMALLEST = 1e-300
"""A probability that rounding made zero would make the log score infinite."""


def score_predictions(predictions: xr.Dataset, y: Any) -> tuple[dict[str, Score], int]:
    """Return the scores of predictions, and the number of documents with a known response."""
    kind, decision, documents, classes = read_decisions(predictions)
    coded = code_response(
        align_to_documents(y, documents, "y"),
        n_documents=len(documents),
        takes_labels=kind != "real",
        single=True if kind == "binary" else None,
        classes=classes,
        partial=True,
    ).values
    truth = coded.reshape(len(documents), -1)
    rows = ~np.isnan(truth).all(axis=1)
    if not rows.any():
        raise ValueError("y has no response to compare with: all are missing")
    truth, known = truth[rows], (~np.isnan(truth[rows])).astype(np.float64)
    decided = np.asarray(decision.values)[rows]
    if kind == "real":
        r2, rmse = explained(decided.reshape(truth.shape), truth, known)
        return {"r2": r2, "rmse": rmse}, int(rows.sum())
    probability = np.asarray(predictions["probability"].values)[rows]
    is_calibrated = bool(predictions.attrs.get("calibrated"))
    if kind == "multilabel":
        scores = {"f1": micro_f1((decided > 0).astype(float), (truth > 0).astype(float), known)}
        chances = np.where(truth > 0, probability, 1.0 - probability)
        logs = np.where(known > 0, np.log(np.maximum(chances, SMALLEST)), 0.0)
        log_score = ratio(logs.sum(axis=1), known.sum(axis=1))
    else:
        assert classes is not None
        position = (truth[:, 0] > 0).astype(int) if kind == "binary" else truth.argmax(axis=1)
        right = np.asarray(classes)[position] == decided
        scores = {"accuracy": accuracy(right.astype(np.float64))}
        log_score = _log_score(probability, position)
    if is_calibrated:
        scores["log_score"] = log_score
    return scores, int(rows.sum())


def _log_score(probability: Floats, position: Any) -> Score:
    own = probability[np.arange(len(position)), position]
    return ratio(np.log(np.maximum(own, SMALLEST)), np.ones(len(position)))
