"""Scores with intervals from the bootstrap over documents.

Every score is a function of sums over documents, so a resample of the documents is a vector of
weights, and all resamples are one product of matrices.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pymc_medlda._arrays import Floats

N_RESAMPLES = 1000
TAILS = (0.025, 0.975)


class Score(NamedTuple):
    """A score with its 95 % interval."""

    value: float
    lower: float
    upper: float


class Measure(NamedTuple):
    """A score: statistics of every document, and what is computed from their sums."""

    name: str
    statistics: Floats  # (n_documents, n_statistics)
    combine: Callable[[Floats], Floats]  # from (..., n_statistics)


def resample(measure: Measure, rng: np.random.Generator) -> Score:
    """Return the score of all documents, with the quantiles of scores of resampled documents."""
    n = len(measure.statistics)
    weights = rng.multinomial(n, np.full(n, 1.0 / n), size=N_RESAMPLES)
    with np.errstate(invalid="ignore", divide="ignore"):
        value = float(measure.combine(measure.statistics.sum(axis=0)))
        each = measure.combine(weights @ measure.statistics)
    each = each[np.isfinite(each)]
    lower, upper = np.quantile(each, TAILS) if each.size else (np.nan, np.nan)
    return Score(value, float(lower), float(upper))


def measure(
    kind: str, decided: NDArray[Any], truth: Floats, known: NDArray[np.bool_]
) -> list[Measure]:
    """Return the measures of decisions: accuracy, F1 and exact matches, or R² and RMSE.

    ``decided`` is as in `Judged`, ``truth`` as coded and ``known`` says where both are known.
    """
    rows = known.any(axis=1)
    decided, truth, known = decided[rows], truth[rows], known[rows]
    if kind == "real":
        return _measure_values(decided, truth, known)
    if kind == "multilabel":
        return _measure_labels(decided, truth, known)
    right = decided == truth.argmax(axis=1) if kind == "multiclass" else decided == (truth > 0)
    ones = np.ones(len(truth))
    return [Measure("accuracy", np.c_[right.reshape(len(truth)), ones], _ratio)]


def measure_chances(
    kind: str, chances: Floats, truth: Floats, known: NDArray[np.bool_]
) -> list[Measure]:
    """Return the log score of probabilities: the mean log probability of what is true."""
    rows = known.any(axis=1)
    chances, truth, known = np.clip(chances[rows], 1e-12, 1.0), truth[rows], known[rows]
    if kind == "multilabel":
        of_truth = np.where(truth > 0, chances, np.clip(1.0 - chances, 1e-12, 1.0))
        sums = np.c_[
            np.where(known, np.log(of_truth), 0.0).sum(axis=1), known.sum(axis=1, dtype=float)
        ]
        return [Measure("log score per label", sums, _ratio)]
    true = truth.argmax(axis=1) if kind == "multiclass" else (truth[:, 0] > 0).astype(int)
    own = np.log(chances[np.arange(len(true)), true])
    return [Measure("log score", np.c_[own, np.ones(len(own))], _ratio)]


def _measure_labels(
    decided: NDArray[np.bool_], truth: Floats, known: NDArray[np.bool_]
) -> list[Measure]:
    true = truth > 0
    hit = (decided & true & known).sum(axis=1)
    either = (decided & known).sum(axis=1) + (true & known).sum(axis=1)
    exact = ((decided == true) | ~known).all(axis=1)
    return [
        Measure("micro F1", np.c_[2.0 * hit, either], _ratio),
        Measure("all labels right", np.c_[exact, np.ones(len(exact))], _ratio),
    ]


def _measure_values(decided: Floats, truth: Floats, known: NDArray[np.bool_]) -> list[Measure]:
    centred = truth - np.nanmean(np.where(known, truth, np.nan), axis=0)
    error = np.where(known, (truth - decided) ** 2, 0.0).sum(axis=1)
    value, square = (np.where(known, centred**p, 0.0).sum(axis=1) for p in (1, 2))
    count = known.sum(axis=1, dtype=float)
    sums = np.c_[error, value, square, count]
    if known.shape[1] > 1:
        sums[:, 1] = 0.0  # the means of several tasks are kept as they are
    return [Measure("R²", sums, _r_squared), Measure("root mean square error", sums, _root)]


def _ratio(sums: Floats) -> Floats:
    return np.asarray(sums[..., 0] / sums[..., 1])


def _r_squared(sums: Floats) -> Floats:
    error, value, square, count = np.moveaxis(sums, -1, 0)
    spread = square - value**2 / count
    return np.asarray(1.0 - error / np.where(spread > 0, spread, np.nan))


def _root(sums: Floats) -> Floats:
    return np.asarray(np.sqrt(sums[..., 0] / sums[..., 3]))
