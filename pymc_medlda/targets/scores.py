"""The score of the discriminants on the documents a model is fitted to."""

from __future__ import annotations

from typing import Any

import numpy as np

from pymc_medlda._arrays import Floats
from pymc_medlda.targets.decisions import choose


def score_response(kind: str, y: Floats, discriminant: Floats, given: Any) -> float:
    """Return the accuracy of the decisions, or R² for real values; NaN if it is undefined.

    ``y`` and ``discriminant`` are (n_documents, n_tasks) arrays; ``given`` is a mask of the
    entries of y that are not missing, or True if none are missing.
    """
    if y.size == 0 or (given is not True and not given.any()):
        return float("nan")
    if kind == "real":
        residual = float(np.square(y - discriminant).sum(where=given))
        spread = float(np.square(y - np.mean(y, axis=0, where=given)).sum(where=given))
        return 1.0 - residual / spread if spread > 0 else float("nan")
    if kind == "multiclass":
        hit = choose(kind, discriminant) == choose(kind, y)
        return float(hit.mean() if given is True else hit[given.all(axis=1)].mean())
    # A discriminant of exactly zero, as that of an empty document, counts as wrong.
    n_right = int(np.count_nonzero(y * discriminant > 0))
    return n_right / (y.size if given is True else int(np.count_nonzero(given)))
