"""What an average over chains says: sigmoids and lines are fitted to single chains."""

from __future__ import annotations

import numpy as np

from pymc_medlda._arrays import Floats

LARGEST_GAIN = 2.0
"""If chains differ more than documents do, their variances say little. The gain is limited."""


def gain_of_averaging(variance: float, between: float, n_chains: int) -> float:
    r"""Return the factor of the slope for discriminants that are averaged over chains.

    The sigmoid of labels, or the line of values, is fitted to single chains, whose discriminants
    have the variance S over documents. An average of n chains has the variance
    :math:`S - \frac{n - 1}{n} v` with v the variance between chains for the same document, and
    covaries with the labels as much, so its slope is larger by

    .. math:: \frac{S}{S - \frac{n - 1}{n} v}

    Parameters
    ----------
    variance, between : float
        S and v.
    n_chains : int

    Examples
    --------
    >>> round(gain_of_averaging(4.0, 1.0, 4), 3), gain_of_averaging(4.0, 1.0, 1)
    (1.231, 1.0)
    """
    removed = (n_chains - 1) / n_chains * between
    if removed <= 0.0:
        return 1.0
    # At most the share of the variance that makes the gain LARGEST_GAIN.
    kept = max(variance - removed, variance / LARGEST_GAIN)
    return float(variance / kept) if kept > 0.0 else 1.0


def average_log_odds(each: Floats) -> Floats:
    r"""Return the log odds of a label from those of every chain, which may disagree.

    With few chains the log odds x of a document are uncertain. They are taken as Normal with the
    mean m of the n chains and the variance :math:`s^2 = v_d / n`, with :math:`v_d` the variance
    between the chains for this document. The probability is the mean of the sigmoid of x, whose log
    odds are, to a good approximation (MacKay 1992),

    .. math:: \frac{m}{\sqrt{1 + \pi s^2 / 8}}

    So a document about which the chains disagree has a probability closer to one half. The sign is
    that of m: no decision changes. The slope of the sigmoid holds for the mean uncertainty already,
    so probabilities are a little cautious rather than too certain.

    Parameters
    ----------
    each : (n_chains, ...) float array
        Of a single chain the log odds are returned as they are.

    Examples
    --------
    >>> import numpy as np
    >>> average_log_odds(np.array([[2.0, 0.0], [2.0, 4.0]])).round(2)
    array([2.  , 1.25])
    """
    mean: Floats = each.mean(axis=0)
    if len(each) == 1:
        return mean
    uncertainty = each.var(axis=0, ddof=1) / len(each)
    return mean / np.sqrt(1.0 + np.pi / 8.0 * uncertainty)


def average_line(kind: str, slope: Floats, intercept: Floats, by_chain: Floats) -> Floats:
    """Return log odds of labels, or real values, from discriminants that are averaged by chain.

    ``by_chain`` is (n_chains, n_documents, n_tasks), and the result (n_documents, n_tasks).
    """
    each = slope * by_chain + intercept
    return np.asarray(each.mean(axis=0)) if kind == "real" else average_log_odds(each)
