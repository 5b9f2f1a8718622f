"""The columns of a table of predictions: those of `predict`, and those of exported models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pymc_medlda._arrays import Floats

MOST_TOPICS = 3
"""The topics of a document that the table shows."""


def decision_columns(
    decision: NDArray[Any],
    probability: Floats | None,
    *,
    tasks: Any,
    classes: list[Any] | None,
    bounds: Mapping[str, Floats],
) -> dict[str, Any]:
    """Return decisions and probabilities, or values and bounds, one per document and task.

    ``decision`` is (n_documents,) or (n_documents, n_tasks), and ``probability`` has the same shape
    for labels, one column per class for classes, and is None for real values.
    """
    columns: dict[str, Any] = {}
    if decision.ndim == 2:
        columns["task"] = np.tile(tasks, len(decision))
    if probability is None:
        columns["value"] = decision.ravel()
        return {**columns, **{name: bound.ravel() for name, bound in bounds.items()}}
    columns["decision"] = decision.ravel()
    if decision.ndim == 2:
        return {**columns, "probability": probability.ravel()}
    assert classes is not None
    position = {name: i for i, name in enumerate(classes)}
    chosen = [position[name] for name in decision.tolist()]
    return {**columns, "probability": probability[np.arange(len(chosen)), chosen]}


def topic_columns(theta: Floats, labels: NDArray[Any], words: NDArray[Any]) -> dict[str, Any]:
    """Return the largest topics of each document, with their shares and words."""
    best = np.argsort(-theta, axis=1, kind="stable")[:, :MOST_TOPICS]
    columns: dict[str, Any] = {}
    for rank, chosen in enumerate(best.T, 1):
        columns[f"topic {rank}"] = labels[chosen]
        columns[f"share {rank}"] = theta[np.arange(len(chosen)), chosen]
        columns[f"words {rank}"] = words[chosen]
    return columns
