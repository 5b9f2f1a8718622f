"""The answers of a served model as a table, with the columns of ``predict(..., as_frame=True)``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pymc_medlda.targets.answer_columns import decision_columns, topic_columns

if TYPE_CHECKING:
    from pymc_medlda.serving.served_model import Answers

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
    decision, classes = answers.decision, answers.model.classes
    bounds = {"lower": answers.lower, "upper": answers.upper}
    return decision_columns(
        decision,
        answers.probability,
        tasks=np.arange(decision.shape[-1]) if classes is None else classes,
        classes=None if classes is None else classes.tolist(),
        bounds={name: bound for name, bound in bounds.items() if bound is not None},
    )


def _show_topics(answers: Answers) -> dict[str, Any]:
    words = np.array([", ".join(row) for row in answers.model.best_words(N_WORDS)], object)
    return topic_columns(answers.theta, np.arange(answers.theta.shape[1]), words)
