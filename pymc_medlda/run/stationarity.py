"""Whether series of draws drift, and whether chains sit at different places.

Both are answered with means of segments of the chains, whose scatter contains the Monte Carlo error
of a mean, autocorrelation included, if a segment is longer than the memory of the chain.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.stats import f as f_distribution

from pymc_medlda._arrays import Floats

# Eight segments allow 28 comparisons of an earlier with a later one, so that even one chain can
# show a trend. Four are enough to estimate the error of a mean and may be twice as long.
SEGMENTS_OF_TREND, SEGMENTS_OF_MEAN = 8, 4
# A chance of one in a thousand, for chains in equilibrium: `diagnose` asks about several series.
CHANCE = 0.001
SIGNIFICANT = 3.29  # the two-sided normal quantile of `CHANCE`
# A smaller shift than one standard deviation, from the first to the last quarter, would not be
# noticed in R-hat either, and does not matter.
SMALLEST_SHIFT = 1.0


class Trend(NamedTuple):
    """Whether a statistic drifts in the same direction in most chains.

    Attributes
    ----------
    shift : float
        The mean of the last quarter minus that of the first, in standard deviations within the
        chain; the mean over chains.
    score : float
        How monotone the chains are: the sum of Kendall's S over chains, divided by its standard
        deviation. It is about standard normal in equilibrium.
    n_chains : int
        The number of chains that moved in the direction of the shift.
    """

    shift: float
    score: float
    n_chains: int

    @property
    def is_drift(self) -> bool:
        """Whether the trend is larger than chance explains, and large enough to matter."""
        return abs(self.score) > SIGNIFICANT and abs(self.shift) >= SMALLEST_SHIFT


def find_trend(series: Floats) -> Trend:
    """Return the trend of a statistic, (chain, draw).

    Each chain is cut into eight segments. Kendall's S counts the pairs of segments of which the
    later has the larger mean, minus those of which it has the smaller one. S depends on order
    alone, so neither a burn-in that levels off nor an outlier hides a trend. Chains that move in
    opposite directions cancel: they wander, but there is no place towards which all of them move.

    Examples
    --------
    >>> import numpy as np
    >>> noise = np.random.default_rng(1).standard_normal((2, 200))
    >>> find_trend(noise).is_drift, find_trend(noise + np.linspace(0, 5, 200)).is_drift
    (False, True)
    """
    n_chains, n_draws = series.shape
    if n_draws < 2 * SEGMENTS_OF_TREND:
        return Trend(0.0, 0.0, 0)
    means = segment_means(series[..., None], SEGMENTS_OF_TREND)[..., 0]
    signs = np.sign(means[:, None, :] - means[:, :, None])  # [chain, earlier, later]
    concordance = np.triu(signs).sum(axis=(1, 2))
    b = SEGMENTS_OF_TREND
    score = concordance.sum() / np.sqrt(n_chains * b * (b - 1) * (2 * b + 5) / 18)
    quarter = n_draws // 4
    change = series[:, -quarter:].mean(axis=1) - series[:, :quarter].mean(axis=1)
    spread = series.std(axis=1)
    shifts = np.divide(change, spread, out=np.zeros(n_chains), where=spread > 0)
    shift = float(shifts.mean())
    return Trend(shift, float(score), int(np.sum(np.sign(shifts) == np.sign(shift))))


def separation(values: Floats) -> Floats:
    """Return how much further apart chains are than their Monte Carlo error, (entry,).

    The variance of the chains' means over what is expected of it: a quarter of the variance of the
    means of four quarters within a chain. This is the F statistic of an analysis of variance of
    the quarters. It is about 1 for chains of one distribution, however slowly they mix, as long as
    a quarter of a chain is longer than its memory; `critical_separation` bounds it.

    Parameters
    ----------
    values : (chain, draw, entry) float array

    Examples
    --------
    >>> import numpy as np
    >>> draws = np.random.default_rng(1).standard_normal((4, 500, 3))
    >>> draws[0, :, 2] += 2.0  # a mode of its own
    >>> (separation(draws) > critical_separation(4)).tolist()
    [False, False, True]
    """
    if values.shape[0] < 2 or values.shape[1] < 2 * SEGMENTS_OF_MEAN:
        return np.full(values.shape[2], np.nan)
    quarters = segment_means(values, SEGMENTS_OF_MEAN)
    between = SEGMENTS_OF_MEAN * quarters.mean(axis=1).var(axis=0, ddof=1)
    within = quarters.var(axis=1, ddof=1).mean(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio: Floats = between / within
    return ratio


def critical_separation(n_chains: int) -> float:
    """Return the separation that chains in equilibrium exceed once in a thousand runs."""
    n = max(n_chains, 2)
    return float(f_distribution.isf(CHANCE, n - 1, n * (SEGMENTS_OF_MEAN - 1)))


def segment_means(values: Floats, n_segments: int) -> Floats:
    """Return the means of segments of equal length, (chain, segment, entry); the rest is left out.

    What is left out comes from the beginning, where a chain is furthest from equilibrium.
    """
    n_chains, n_draws, n_entries = values.shape
    length = n_draws // n_segments
    kept = values[:, n_draws - n_segments * length :]
    means: Floats = kept.reshape(n_chains, n_segments, length, n_entries).mean(axis=2)
    return means
