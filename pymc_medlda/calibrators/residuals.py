"""Intervals of real values from out-of-fold residuals, which may differ with the prediction."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pymc_medlda._arrays import Floats

GROUPS = 3


class Intervals(NamedTuple):
    """Residual bounds for predictions below, between and above ``cuts``."""

    cuts: Floats  # (n_groups - 1,)
    low: Floats  # (n_groups,)
    high: Floats  # (n_groups,)

    def around(self, prediction: Floats) -> tuple[Floats, Floats]:
        """Return the lower and the upper bounds of predictions."""
        group = np.searchsorted(self.cuts, prediction)
        return prediction + self.low[group], prediction + self.high[group]


def fit_intervals(prediction: Floats, y: Floats, coverage: float) -> Intervals:
    """Return bounds that a new value lies between with the probability ``coverage``.

    The residuals y - prediction of the documents are put into thirds by their prediction, and
    equal shares of the residuals of a third lie below and above its bounds. The bounds are signed,
    so an interval need not be symmetric: a rating near the end of its scale cannot miss by much on
    that side. They are the order statistics ⌊(n + 1) a⌋ and ⌈(n + 1)(1 - a)⌉ with
    a = (1 - coverage)/2, as in split conformal prediction. A third with too few documents for these
    takes the residuals of all documents, and if these are too few as well, the bounds are the
    smallest and the largest residual.

    Parameters
    ----------
    prediction, y : (n_documents,) float array
        Out-of-fold predictions, and the true values; at least one document.
    coverage : float
        Between 0 and 1.

    Examples
    --------
    >>> import numpy as np
    >>> fitted = fit_intervals(np.zeros(99), np.arange(99.0), 0.9)
    >>> fitted.low.tolist(), fitted.high.tolist()
    ([4.0, 4.0, 4.0], [94.0, 94.0, 94.0])
    """
    residual = y - prediction
    cuts = np.quantile(prediction, np.arange(1, GROUPS) / GROUPS)
    group = np.searchsorted(cuts, prediction)
    tail = (1.0 - coverage) / 2.0
    bounds = []
    for k in range(GROUPS):
        own = residual[group == k]
        enough = _rank_below(own.size, tail) >= 1
        bounds.append(_order_statistics(own if enough else residual, tail))
    low, high = np.array(bounds).T
    return Intervals(cuts, low, high)


def _rank_below(n: int, tail: float) -> int:
    """Return ⌊(n + 1) tail⌋; rounding must not make 5 of 99.999... out of 0.05 * 100."""
    return int(np.floor((n + 1) * tail + 1e-9))


def _order_statistics(residual: Floats, tail: float) -> tuple[float, float]:
    """Return the residuals of the ranks ⌊(n + 1) tail⌋ and n + 1 minus that."""
    ordered = np.sort(residual)
    rank = max(_rank_below(ordered.size, tail), 1)
    return float(ordered[rank - 1]), float(ordered[ordered.size - rank])
