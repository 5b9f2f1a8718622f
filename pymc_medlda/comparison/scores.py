"""Scores with standard errors over documents, and paired differences between them.

Every score is a ratio Σ a_d / Σ b_d over documents, or a smooth function of one. Its linear
approximation has one term per document, its influence, whose spread gives the standard error. The
difference of the influences of two runs gives that of their difference, which is small if both runs
fail on the same documents.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pymc_medlda._arrays import Floats


class Score(NamedTuple):
    """A score of a run.

    ``influence`` (n_documents,) holds by how much a document moves the score, times the number of
    documents; its mean is zero.
    """

    value: float
    influence: Floats

    @property
    def standard_error(self) -> float:
        """The standard error over documents, NaN for a single one."""
        n = self.influence.size
        return float(self.influence.std(ddof=1) / np.sqrt(n)) if n > 1 else float("nan")

    def minus(self, other: Score) -> Score:
        """Return the paired difference to another score of the same documents."""
        return Score(self.value - other.value, self.influence - other.influence)


def ratio(numerator: Floats, denominator: Floats) -> Score:
    """Return Σ a_d / Σ b_d, with the influence (a_d - ratio b_d) / mean(b) of each document.

    Examples
    --------
    >>> import numpy as np
    >>> accuracy = ratio(np.array([1.0, 0.0, 1.0, 1.0]), np.ones(4))
    >>> accuracy.value, round(accuracy.standard_error, 3)
    (0.75, 0.25)
    """
    total = denominator.sum()
    if not total > 0:
        return Score(float("nan"), np.full(numerator.size, np.nan))
    value = numerator.sum() / total
    influence = (numerator - value * denominator) * (numerator.size / total)
    return Score(float(value), influence)


def transform(score: Score, value: float, slope: float) -> Score:
    """Return a smooth function of a score, given its value and its derivative there."""
    return Score(value, score.influence * slope)


def accuracy(right: Floats) -> Score:
    """Return the share of right decisions."""
    return ratio(right, np.ones(right.size))


def micro_f1(decided: Floats, true: Floats, known: Floats) -> Score:
    """Return the micro-averaged F1 of labels, each (n_documents, n_labels) of 0 and 1."""
    hit = (decided * true * known).sum(axis=1)
    return ratio(2.0 * hit, ((decided + true) * known).sum(axis=1))


def explained(prediction: Floats, y: Floats, known: Floats) -> tuple[Score, Score]:
    """Return R² and the root mean squared error of real values, (n_documents, n_tasks)."""
    y = np.where(known > 0, y, 0.0)
    mean = (y * known).sum(axis=0) / np.maximum(known.sum(axis=0), 1.0)
    error = (np.square(y - prediction) * known).sum(axis=1)
    unexplained = ratio(error, (np.square(y - mean) * known).sum(axis=1))
    mse = ratio(error, known.sum(axis=1))
    root = float(np.sqrt(mse.value))
    return (
        transform(unexplained, 1.0 - unexplained.value, -1.0),
        transform(mse, root, 0.5 / root if root > 0 else np.nan),
    )


def perplexity_score(log_likelihood: Floats, n_scored: Floats) -> Score:
    """Return exp of minus the mean log probability of a token."""
    per_token = ratio(-log_likelihood, n_scored)
    value = float(np.exp(per_token.value))
    return transform(per_token, value, value)
