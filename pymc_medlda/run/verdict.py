"""The verdict of `diagnose`: what the table of convergence means and what to do, in words."""

from __future__ import annotations

import numpy as np
import pandas as pd

from pymc_medlda.run.alignment import ALIKE, Alignment

# The thresholds of Vehtari, Gelman, Simpson, Carpenter and Bürkner (2021), and a less strict one
# that is enough for averages of predictions.
GOOD_RHAT, FAIR_RHAT, ESS_PER_CHAIN = 1.01, 1.05, 100


def judge(
    table: pd.DataFrame,
    recommended: int | None,
    alignment: Alignment,
    shape: tuple[int, ...],
    n_warm_up: int,
) -> str:
    """Say in words what the table means and what to do."""
    n_chains, n_draws = shape
    free = table[~table.index.str.endswith("(aligned)")]
    aligned = table[table.index.str.endswith("(aligned)")]
    lines = [_judge_mixing(free, n_chains, n_draws)]
    if n_chains == 1:
        lines.append("One chain cannot show whether others end elsewhere: run at least two.")
    r_hat = aligned["r_hat"].max()
    if n_chains > 1 and r_hat > FAIR_RHAT:
        where = (
            "the chains hold different topics, so read weights and topics chain by chain"
            if alignment.cosine.values[:, alignment.filled].min() < ALIKE
            else "the topics match, so longer chains will help"
        )
        lines.append(f"The aligned weights do not agree (R-hat {r_hat:.2f}): {where}.")
    if recommended is None:
        seen = n_draws + n_warm_up
        lines.append(f"Burn-in: not over within {seen} draws; use tune={2 * seen} or more.")
    elif n_warm_up or recommended:
        source = "warm-up and draws" if n_warm_up else "draws after the discarded warm-up"
        lines.append(f"Burn-in: {recommended} draws are enough, seen in {source}.")
    else:
        lines.append("Burn-in: over before the first draw that was kept.")
    return "\n".join(lines)


def _judge_mixing(free: pd.DataFrame, n_chains: int, n_draws: int) -> str:
    """Say how far to trust the quantities that do not depend on labels."""
    r_hat, ess = free["r_hat"].max(), free["ess_bulk"].min()
    if not np.isfinite(r_hat):
        return "Too few draws to judge: R-hat and ESS need at least four in each chain."
    worst = free["r_hat"].idxmax()
    predictive = free[free.index.str.startswith(("loss", "discriminant"))]["r_hat"]
    if r_hat > FAIR_RHAT and predictive.size and predictive.max() <= FAIR_RHAT:
        return (
            f"The chains agree on predictions (R-hat at most {predictive.max():.3f}) but not on "
            f"topics: R-hat of {worst} is {r_hat:.2f}, above {FAIR_RHAT}. Average predictions; run "
            "longer before reading topics."
        )
    if r_hat > FAIR_RHAT:
        return (
            f"Not converged: R-hat of {worst} is {r_hat:.2f}, above {FAIR_RHAT}. The chains sit in "
            "different modes, as chains of topic models often do, or are too short. No chain "
            "stands for the posterior: average predictions over several of them, read topics "
            "chain by chain, and expect intervals to be too narrow."
        )
    needed = ESS_PER_CHAIN * max(n_chains, 2)
    slowest = free["ess_bulk"].idxmin()
    if r_hat > GOOD_RHAT or ess < needed:
        more = int(np.ceil(n_draws * max(needed / ess, 2.0) / 100.0) * 100)
        return (
            f"Usable for averages of predictions: R-hat is at most {r_hat:.3f} ({worst}), the "
            f"effective sample size at least {ess:.0f} ({slowest}). For intervals and tails take "
            f"about {more} draws per chain."
        )
    return (
        f"Converged: R-hat is at most {r_hat:.3f} and the effective sample size at least {ess:.0f}."
    )
