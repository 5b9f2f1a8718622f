"""Convergence in numbers: the tables of `diagnose`, one row per quantity."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from pymc_medlda._arrays import Floats
from pymc_medlda._compat.arviz import effective_sizes
from pymc_medlda.run.agreement import FAIR_RHAT, MOST_DOCUMENTS, Agreement, compare_chains
from pymc_medlda.run.coordinates import spread
from pymc_medlda.run.quantities import Quantity
from pymc_medlda.run.r_hat import r_hat
from pymc_medlda.run.stationarity import separation

# Entries of a vector whose effective sample size is computed: each takes about 3 milliseconds.
MOST_SIZES = 100


def make_tables(
    quantities: Sequence[Quantity], seconds: float
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return convergence and sizes of all quantities, and the agreement on discriminants."""
    rows, agreement = {}, {}
    for quantity in quantities:
        of_entries = r_hat(quantity.entries)
        rows[quantity.name] = _summarise(quantity.entries, of_entries, seconds)
        if quantity.kind:
            found = compare_chains(quantity.draws, quantity.kind, of_entries)
            agreement[quantity.name] = found._asdict()
    fields = list(Agreement._fields)
    return (
        pd.DataFrame.from_dict(rows, orient="index"),
        pd.DataFrame.from_dict(agreement, orient="index", columns=fields),
    )


def _summarise(values: Floats, of_entries: Floats, seconds: float) -> dict[str, float]:
    """Return R-hat of the entries of (chain, draw, entry), and their worst ESS."""
    # An entry that never changes (a loss of zero) says nothing about convergence.
    changing = values[..., np.ptp(values, axis=(0, 1)) > 0]
    bulk, tail = effective_sizes(changing[..., spread(changing.shape[-1], MOST_SIZES)])
    several = values.shape[-1] > 1
    below = of_entries[~np.isnan(of_entries)] < FAIR_RHAT
    return {
        "r_hat": _extreme(of_entries, np.max),
        "r_hat_median": _extreme(of_entries, np.median) if several else np.nan,
        "below_1_05": float(below.mean()) if several and below.size else np.nan,
        "separation": _extreme(separation(changing), _upper),
        "ess_bulk": _extreme(bulk, np.min),
        "ess_tail": _extreme(tail, np.min),
        "ess_per_second": _extreme(bulk, np.min) / seconds,
    }


def _upper(values: Floats) -> float:
    """Return the 90 % quantile: that of the entry that a tenth of them exceed."""
    return float(np.quantile(values, MOST_DOCUMENTS, method="lower"))


def _extreme(values: Floats, pick: Any) -> float:
    known = values[~np.isnan(values)]
    return float(pick(known)) if known.size else float("nan")
