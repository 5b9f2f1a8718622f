"""How well the chains agree on the discriminants of documents, in numbers that mean something.

R-hat says whether chains differ. These numbers say how much that matters: for the intervals of
one chain, and for the decisions about documents.
"""

from __future__ import annotations

from itertools import combinations, permutations
from typing import NamedTuple

import numpy as np

from pymc_medlda._arrays import Floats
from pymc_medlda.run.coordinates import spread
from pymc_medlda.run.r_hat import FEWEST_DRAWS, r_hat
from pymc_medlda.targets.decisions import choose

# The threshold up to which chains agree well enough for averages of predictions.
FAIR_RHAT = 1.05
# Of many documents a few exceed any threshold by chance, so not all have to stay below it.
MOST_DOCUMENTS = 0.9
INTERVAL = 0.9
MOST_WITHIN = 200  # entries whose R-hat within each chain is computed; only its median is used


class Agreement(NamedTuple):
    """How well chains agree on discriminants F; every entry is a document and a task.

    Attributes
    ----------
    r_hat_median : float
        The median R-hat over entries.
    below_1_05 : float
        Share of the entries whose R-hat is below 1.05.
    within_chains : float
        R-hat of single chains, each cut into four quarters that are compared: the median over
        entries and chains. It is close to 1 where each chain by itself is steady.
    between_to_within : float
        The standard deviation of the chains' means, divided by the mean standard deviation within
        chains; the median over entries. Chains that sample the same distribution with n effective
        draws each have about one divided by the root of n.
    too_narrow : float
        By what factor intervals from one chain are too narrow: the root of (W + B) / W, with B the
        variance of the chains' means and W the mean variance within chains; the median over
        entries. W + B is the variance of draws from all chains together.
    coverage : float
        How often the central 90 % interval of the draws of one chain holds the mean of another
        chain: a share of entries and ordered pairs of chains. It is close to 1 for chains that
        agree, because a mean varies less than a draw.
    decided_differently : float
        How often two chains decide differently by their mean discriminants: a share of documents
        (of documents and labels for a multilabel response) and pairs of chains. NaN for a real
        response, for which nothing is decided.

    With one chain, all that compares chains is NaN.
    """

    r_hat_median: float
    below_1_05: float
    within_chains: float
    between_to_within: float
    too_narrow: float
    coverage: float
    decided_differently: float


def compare_chains(values: Floats, kind: str, of_entries: Floats | None = None) -> Agreement:
    """Compare the discriminants of chains, (chain, draw, document, task).

    R-hat of the entries is computed unless it is known already.

    Examples
    --------
    >>> import numpy as np
    >>> F = np.random.default_rng(1).standard_normal((2, 400, 50, 1))
    >>> F[1] += 2.0  # the second chain is two standard deviations away
    >>> found = compare_chains(F, "binary")
    >>> round(found.too_narrow, 1), round(found.between_to_within, 1), found.coverage < 0.1
    (1.7, 1.4, True)
    """
    if values.shape[1] < FEWEST_DRAWS:
        return Agreement(*[np.nan] * len(Agreement._fields))
    entries = values.reshape(*values.shape[:2], -1)
    known = r_hat(entries) if of_entries is None else of_entries
    # An entry that never changes, such as F of an empty document, has no R-hat and says nothing.
    entries, known = entries[..., ~np.isnan(known)], known[~np.isnan(known)]
    if len(entries) == 1:
        return Agreement(_median(known), _share_below(known), _median(known), *[np.nan] * 4)
    few = entries[..., spread(known.size, MOST_WITHIN)]
    within_chains = np.concatenate([r_hat(chain[None]) for chain in few])
    mean, variance = entries.mean(axis=1), entries.var(axis=1, ddof=1)
    between, within = mean.var(axis=0, ddof=1), variance.mean(axis=0)
    with np.errstate(divide="ignore"):  # chains that stand still at different places
        between_to_within = np.sqrt(between) / np.sqrt(variance).mean(axis=0)
        too_narrow = np.sqrt(1.0 + between / within)
    return Agreement(
        r_hat_median=_median(known),
        below_1_05=_share_below(known),
        within_chains=_median(within_chains),
        between_to_within=_median(between_to_within),
        too_narrow=_median(too_narrow),
        coverage=_coverage(entries, mean),
        decided_differently=_differences(values.mean(axis=1), kind),
    )


def _coverage(entries: Floats, mean: Floats) -> float:
    """Return how often the interval of a chain holds the mean of another."""
    if not entries.shape[-1]:
        return np.nan
    tails = [(1.0 - INTERVAL) / 2, (1.0 + INTERVAL) / 2]
    lower, upper = np.quantile(entries, tails, axis=1)
    pairs = permutations(range(len(entries)), 2)
    return float(np.mean([(lower[a] <= mean[b]) & (mean[b] <= upper[a]) for a, b in pairs]))


def _differences(mean: Floats, kind: str) -> float:
    """Return how often two chains decide differently, from (chain, document, task)."""
    if kind == "real":
        return np.nan
    decisions = choose(kind, mean)
    return float(np.mean([a != b for a, b in combinations(decisions, 2)]))


def _median(values: Floats) -> float:
    known = values[~np.isnan(values)]
    return float(np.median(known)) if known.size else np.nan


def _share_below(known: Floats) -> float:
    return float(np.mean(known < FAIR_RHAT)) if known.size else np.nan
