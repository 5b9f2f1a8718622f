"""What a served model keeps of a calibration: a map from discriminants to probabilities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pymc_medlda._arrays import Floats
from pymc_medlda.calibrators.averaging import average_line
from pymc_medlda.calibrators.residuals import fit_intervals

if TYPE_CHECKING:
    from pymc_medlda.calibrators.temperature import Softmax


@dataclass(frozen=True, eq=False)
class ServedCalibration:
    """Turns discriminants, averaged over the draws of each chain, into probabilities or intervals.

    Attributes
    ----------
    kind : str
        The kind of the response.
    line : pair of (n_tasks,) float array, or None
        For labels, two classes and real values: the log odds of a label, or of the second class,
        or the values are slope * F + intercept for each chain.
    softmax : Softmax or None
        For several classes.
    out_of_fold : pair of (n_documents, n_tasks) float array, or None
        For real values: predictions and the true values, NaN where there is none.
    """

    kind: str
    line: tuple[Floats, Floats] | None = None
    softmax: Softmax | None = None
    out_of_fold: tuple[Floats, Floats] | None = None

    def compared(self, by_chain: Floats) -> Floats:
        """Return what decides: log odds, discriminants of several classes, or values.

        ``by_chain`` (n_chains, n_documents, n_tasks) is F averaged over the draws of each chain.
        """
        if self.line is None:
            return np.asarray(by_chain.mean(axis=0))
        return average_line(self.kind, *self.line, by_chain)

    def probabilities(self, by_chain: Floats) -> Floats:
        """Return the probabilities of classes or labels, (n_documents, n_classes)."""
        if self.softmax is not None:
            return self.softmax.probabilities(by_chain.mean(axis=0))
        log_odds = self.compared(by_chain)
        if self.kind == "binary":
            return np.concatenate([_sigmoid(-log_odds), _sigmoid(log_odds)], axis=-1)
        return _sigmoid(log_odds)

    def interval(self, values: Floats, coverage: float) -> tuple[Floats, Floats]:
        """Return the bounds of real values, each (n_documents, n_tasks)."""
        assert self.out_of_fold is not None
        prediction, value = self.out_of_fold
        bounds = []
        for column, own, truth in zip(values.T, prediction.T, value.T, strict=True):
            known = ~np.isnan(own) & ~np.isnan(truth)
            bounds.append(fit_intervals(own[known], truth[known], coverage).around(column))
        low, high = zip(*bounds, strict=True)
        return np.stack(low, axis=-1), np.stack(high, axis=-1)


def _sigmoid(log_odds: Floats) -> Floats:
    """Return 1 / (1 + exp(-x)) without overflow. Importing SciPy's takes half as long as NumPy."""
    return np.exp(-np.logaddexp(0.0, -log_odds))
