"""How many draws a chain needs to reach where it stays: one rule, for tables and pictures."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from pymc_medlda._arrays import Floats
from pymc_medlda._compat.arviz import get_group

# Half-width of the stationary band in robust standard deviations: wide enough that one chain in
# equilibrium rarely leaves it with the mean of a window, narrow against the climb of burn-in.
WIDTH = 3.0
DRIFT = 2.0
WATCHED = ("loss", "log_likelihood", "log_joint")


def read_statistics(idata: Any) -> tuple[xr.Dataset, int]:
    """Return the statistics of the step, warm-up first where it was kept, and its length."""
    draws = get_group(idata, "sample_stats")
    if draws is None or "log_likelihood" not in draws:
        raise ValueError(
            "idata has no sample_stats of GibbsMedLDAStep (loss, score, log_likelihood, log_joint, "
            "moved): expected what pm.sample returned"
        )
    names = [name for name in ("loss", "score", *WATCHED[1:], "moved") if name in draws]
    draws = _one_a_draw(draws[names])
    warm_up = get_group(idata, "warmup_sample_stats")
    if warm_up is None or any(name not in warm_up for name in names):
        return draws, 0
    n_warm_up = warm_up.sizes["draw"]
    joined = {
        name: (("chain", "draw"), np.concatenate([earlier.values, draws[name].values], axis=1))
        for name, earlier in _one_a_draw(warm_up[names]).data_vars.items()
    }
    return xr.Dataset(joined, {"chain": draws["chain"].values}), n_warm_up


def _one_a_draw(statistics: xr.Dataset) -> xr.Dataset:
    """Add up (losses, log joint) or average what the steps of several topic assignments report."""
    whole = {}
    for name, variable in statistics.data_vars.items():
        extra = [dim for dim in variable.dims if dim not in ("chain", "draw")]
        added = name in ("loss", "log_joint")
        whole[name] = variable.sum(extra) if added else variable.mean(extra)
    return xr.Dataset(whole).transpose("chain", "draw")


def settle(series: Floats) -> int | None:
    """Return after how many draws a series stays in the band of its last half, None if it does not.

    The band is the median of the last half, plus and minus three robust standard deviations (1.4826
    times the median absolute deviation, and at least what rounding leaves). The series, smoothed
    by the mean of a window of a twentieth of its length, must stay in it to the end. A series that
    enters only in its last half has not been seen to settle, and neither has one whose third and
    last quarters lie two standard deviations within a quarter apart: it still drifts.
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
    statistics, _ = read_statistics(idata)
    rows = {}
    for name in WATCHED:
        values = statistics[name].values
        if name == "loss" and not values.any():
            continue  # plain LDA
        rows[name] = [np.nan if s is None else float(s) for s in map(settle, values)]
    chains = statistics["chain"].values if "chain" in statistics.coords else range(len(values))
    return pd.DataFrame.from_dict(rows, orient="index", columns=[f"chain {c}" for c in chains])


def recommend(table: pd.DataFrame) -> int | None:
    """Return the draws to discard: the slowest settling, rounded up to a multiple of ten."""
    if table.isna().any(axis=None) or table.empty:
        return None
    return int(np.ceil(table.to_numpy().max() / 10.0) * 10)
