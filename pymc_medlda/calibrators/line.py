"""A line for real values: what a new document's value is, given its discriminant."""

from __future__ import annotations

import math
from typing import NamedTuple

from pymc_medlda._arrays import Floats

PRIOR_SPREAD = 0.25
"""Slopes that few documents suggest are drawn towards 1 by a Normal prior with this deviation."""
FEWEST = 20
"""Fewer documents say too little: values stay as they are."""


class Line(NamedTuple):
    """The expected value of a document is ``slope`` * F + ``intercept``."""

    slope: float
    intercept: float


def fit_line(discriminant: Floats, y: Floats) -> Line:
    r"""Fit a line to out-of-fold discriminants by least squares, with a prior around slope 1.

    The topics of a training document are drawn with its value, those of a new one without it. So
    the discriminants of new documents may vary too much or too little for their values. With the
    slope b of least squares and its standard error s, the slope is

    .. math:: \frac{b / s^2 + 1 / \sigma^2}{1 / s^2 + 1 / \sigma^2}

    with σ the `PRIOR_SPREAD`, and not below zero. The line goes through the means. Below `FEWEST`
    documents it is the identity.

    Parameters
    ----------
    discriminant, y : (n_documents,) float array
        Out-of-fold discriminants, and the true values.

    Examples
    --------
    >>> import numpy as np
    >>> F = np.linspace(0, 1, 100)
    >>> slope, intercept = fit_line(F, 3 + 1.5 * F)
    >>> round(slope, 3), round(intercept, 3)
    (1.5, 3.0)
    """
    if y.size < FEWEST:
        return Line(1.0, 0.0)
    centre, level = float(discriminant.mean()), float(y.mean())
    x = discriminant - centre
    squares = float(x @ x)
    slope = 1.0
    if squares > 0.0:
        least = float(x @ (y - level)) / squares
        rest = y - level - least * x
        error = float(rest @ rest) / (y.size - 2) / squares
        slope = max((least * PRIOR_SPREAD**2 + error) / (PRIOR_SPREAD**2 + error), 0.0)
    if not math.isfinite(slope):
        slope = 1.0
    return Line(slope, level - slope * centre)
