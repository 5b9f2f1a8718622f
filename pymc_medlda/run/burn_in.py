"""How many draws a chain needs before it settles: one rule, for tables and pictures."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from pymc_medlda._arrays import Floats
from pymc_medlda.run.coordinates import labels_of
from pymc_medlda.run.run import Run

# Half-width of the stationary band in robust standard deviations: wide enough that one chain in
# equilibrium rarely leaves it with the mean of a window, narrow against the climb of burn-in.
WIDTH = 3.0
# Medians of two quarters that lie further apart than this, in standard deviations, are a drift.
DRIFT = 2.0
WATCHED = ("loss", "log_likelihood", "log_joint")


def settle(series: Floats) -> int | None:
    """Return after how many draws a series stays in the band of its last half, None if it does not.

    The band is the median of the last half, plus and minus three robust standard deviations (1.4826
    times the median absolute deviation, and never less than rounding errors). The series, smoothed
    by the mean over a window of a twentieth of its length, must stay in it to the end. A series
    that enters the band only in its last half has not been seen to settle. Neither has one whose
    third and last quarters differ in their median by more than two standard deviations within a
    quarter: it still drifts.
    """
    n = series.size
    if n < 8 or not np.isfinite(series).all():
        return None
    centre, spread = _locate(series[n // 2 :])
    (third, before), (fourth, after) = map(_locate, np.array_split(series[n // 2 :], 2))
    if abs(third - fourth) > DRIFT * (before + after) / 2:
        return None
    band = WIDTH * spread
    window = max(1, n // 20)
    smooth = np.convolve(series, np.ones(window) / window, mode="valid")
    outside = np.flatnonzero(np.abs(smooth - centre) > band)
    entered = 0 if outside.size == 0 else int(outside[-1]) + 1
    return entered if entered <= n // 2 else None


def _locate(series: Floats) -> tuple[float, float]:
    """Return the median of a series and its robust standard deviation, never zero."""
    centre = float(np.median(series))
    spread = 1.4826 * float(np.median(np.abs(series - centre)))
    return centre, max(spread, 1e-9 * max(abs(centre), 1.0))


def burn_in_table(idata: Any) -> pd.DataFrame:
    """Return after how many draws each statistic of each chain settles; NaN if it does not."""
    statistics = Run.of(idata).statistics
    rows = {}
    for name in WATCHED:
        values = statistics.take(name)
        if name == "loss" and not values.any():
            continue  # plain LDA
        rows[name] = [np.nan if s is None else float(s) for s in map(settle, values)]
    columns = [f"chain {c}" for c in labels_of(statistics.values, "chain")]
    return pd.DataFrame.from_dict(rows, orient="index", columns=columns)


def recommend(table: pd.DataFrame) -> int | None:
    """Return the draws to discard: those of the slowest series, rounded up to a multiple of ten."""
    if table.isna().any(axis=None) or table.empty:
        return None
    return int(np.ceil(table.to_numpy().max() / 10.0) * 10)
