"""The answers of a served model as a table, with the columns of ``predict(..., as_frame=True)``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

if TYPE_CHECKING:
    from pymc_medlda.serving.served_model import Answers

MOST_TOPICS = 3
"""The topics of a document that the table shows."""
N_WORDS = 5
"""How many words stand for a topic in a cell."""


def make_frame(answers: Answers) -> pd.DataFrame:
    """Return the answers as a table; `Answers.to_frame` describes its columns."""
    decided = _show_decisions(answers)
    times = answers.decision.shape[1] if answers.decision.ndim == 2 else 1
    return pd.DataFrame(
        {
            "document": np.repeat(answers.documents, times),
            **decided,
            **{name: np.repeat(column, times) for name, column in _show_topics(answers).items()},
            "no_known_words": np.repeat(answers.n_known == 0, times),
        }
    )


def _show_decisions(answers: Answers) -> dict[str, Any]:
    """Return decisions and probabilities, or values and bounds, one per document and task."""
    columns: dict[str, Any] = {}
    decision, classes = answers.decision, answers.model.classes
    if decision.ndim == 2:
        tasks = np.arange(decision.shape[1]) if classes is None else classes
        columns["task"] = np.tile(tasks, len(decision))
    if answers.probability is None:
        columns["value"] = decision.ravel()
        for name, bound in (("lower", answers.lower), ("upper", answers.upper)):
            if bound is not None:
                columns[name] = bound.ravel()
        return columns
    columns["decision"] = decision.ravel()
    if decision.ndim == 2:
        return {**columns, "probability": answers.probability.ravel()}
    assert classes is not None
    position = {name: i for i, name in enumerate(classes.tolist())}
    chosen = [position[name] for name in decision.tolist()]
    return {**columns, "probability": answers.probability[np.arange(len(chosen)), chosen]}


def _show_topics(answers: Answers) -> dict[str, Any]:
    """Return the largest topics of each document, with their shares and words."""
    best = np.argsort(-answers.theta, axis=1, kind="stable")[:, :MOST_TOPICS]
    words = np.array([", ".join(row) for row in answers.model.best_words(N_WORDS)], object)
    columns: dict[str, Any] = {}
    for rank, chosen in enumerate(best.T, 1):
        columns[f"topic {rank}"] = chosen
        columns[f"share {rank}"] = answers.theta[np.arange(len(chosen)), chosen]
        columns[f"words {rank}"] = words[chosen]
    return columns
