"""What `diagnose` measured, in the form in which the verdict asks for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd

from pymc_medlda.run.agreement import FAIR_RHAT, MOST_DOCUMENTS
from pymc_medlda.run.stationarity import Trend, critical_separation


class Evidence(NamedTuple):
    """All numbers that the verdict depends on.

    Attributes
    ----------
    table : DataFrame
        One row per quantity, as in `Diagnosis.table`.
    agreement : DataFrame
        One row per set of discriminants, as in `Diagnosis.agreement`.
    trends : dict from the name of a statistic to its `Trend`
    n_chains, n_draws : int
    n_tune : int
        Draws before those that were kept, as far as the run tells.
    topics : DataFrame
        One row per topic, as in `Diagnosis.topics`.
    recommended : int or None
        The recommended burn-in.
    n_warm_up : int
        The number of stored draws of the warm-up, from which the burn-in was read too.
    """

    table: pd.DataFrame
    agreement: pd.DataFrame
    trends: Mapping[str, Trend]
    n_chains: int
    n_draws: int
    n_tune: int
    topics: pd.DataFrame
    recommended: int | None
    n_warm_up: int

    @property
    def free(self) -> pd.DataFrame:
        """The quantities that do not depend on the labels of topics and whose R-hat is known."""
        labelled = self.table.index.str.endswith("(aligned)")
        return self.table[~labelled & self.table["r_hat"].notna()]

    @property
    def weights(self) -> pd.DataFrame:
        """The aligned weights."""
        return self.table[self.table.index.str.endswith("(aligned)")]

    @property
    def disagreeing(self) -> pd.DataFrame:
        """The quantities, free of labels, on which chains do not agree, the worst first.

        A statistic agrees if its R-hat is at most 1.05, and discriminants agree if their median
        R-hat is, and R-hat is below 1.05 for at least nine documents in ten.
        """
        free = self.free
        wrong = (typical(free) > FAIR_RHAT) | (free["below_1_05"] < MOST_DOCUMENTS)
        return free[wrong].loc[typical(free)[wrong].sort_values(ascending=False).index]

    @property
    def drifting(self) -> dict[str, Trend]:
        """The statistics that drift, with the clearest trend first."""
        found = [(name, trend) for name, trend in self.trends.items() if trend.is_drift]
        return dict(sorted(found, key=lambda item: -abs(item[1].shift)))

    @property
    def separated(self) -> pd.DataFrame:
        """Of what disagrees, what is further apart than Monte Carlo error explains."""
        wrong = self.disagreeing
        return wrong[wrong["separation"] > critical_separation(self.n_chains)]

    @property
    def apart(self) -> bool:
        """Whether chains are further apart than their Monte Carlo error explains."""
        return not self.separated.empty

    @property
    def farthest(self) -> pd.Series:
        """The quantity that shows best how far chains are apart: predictions before others."""
        separated = self.separated
        predictive = separated[separated.index.str.startswith("discriminant")]
        return (predictive if len(predictive) else separated).iloc[0]

    @property
    def discriminants(self) -> pd.Series | None:
        """The agreement on those discriminants on which chains agree least, None if unknown."""
        known = self.agreement[self.agreement["r_hat_median"].notna()]
        return None if known.empty else known.loc[known["r_hat_median"].idxmax()]

    @property
    def held(self) -> pd.DataFrame:
        """The topics that hold tokens; with one chain there is nothing to say of them."""
        if "agreement" not in self.topics:
            return self.topics[:0].assign(found_by_all=False)
        return self.topics[self.topics["agreement"].notna()]


def typical(rows: pd.DataFrame) -> pd.Series:
    """Return the R-hat by which quantities are judged: the median over entries if there are many.

    The worst of many documents is large by chance alone.
    """
    median: pd.Series = rows["r_hat_median"].where(rows["r_hat_median"].notna(), rows["r_hat"])
    return median


def is_predictive(rows: pd.DataFrame) -> np.ndarray:
    """Tell which quantities concern predictions: the loss and the discriminants."""
    return np.asarray(rows.index.str.startswith(("loss", "discriminant")), bool)
