"""The verdict of `diagnose`: the state of a run, the evidence for it and what to do, in words."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
import pandas as pd

from pymc_medlda.run.agreement import FAIR_RHAT
from pymc_medlda.run.evidence import Evidence, is_predictive, typical
from pymc_medlda.run.matching import SAME_TOPIC

# The thresholds of Vehtari, Gelman, Simpson, Carpenter and Bürkner (2021) for intervals and tails.
# FAIR_RHAT is less strict, and enough for averages of predictions.
GOOD_RHAT, ESS_PER_CHAIN = 1.01, 100
ENOUGH_CHAINS = 4  # fewer chains often agree by chance and disagree once more are run
MANY_TOPICS = 12  # more topics than that are counted, and not listed

State = Literal[
    "unknown", "drifting", "modes", "predictions agree", "few draws", "one chain", "converged"
]


class Verdict(NamedTuple):
    """The state of a run, and the sentences that explain it."""

    state: State
    text: str


def judge(found: Evidence) -> Verdict:
    """Say in words what the numbers mean and what to do."""
    state = find_state(found)
    lines = [_HEADLINES[state](found)]
    if state in ("drifting", "modes"):
        lines += _describe_disagreement(found)
    lines += _describe_topics(found, state)
    if found.n_chains == 1:
        lines.append(
            "One chain cannot show whether others end elsewhere, by how much its intervals are too "
            f"narrow, or which topics other chains would find: run at least {ENOUGH_CHAINS}."
        )
    elif state in ("converged", "predictions agree") and found.n_chains < ENOUGH_CHAINS:
        lines.append(
            f"{found.n_chains} chains may agree by chance: {ENOUGH_CHAINS} or more show better "
            "whether there are other modes."
        )
    if state not in ("drifting", "unknown"):
        lines.append(_describe_burn_in(found))
    return Verdict(state, "\n".join(lines))


def find_state(found: Evidence) -> State:
    """Return the state of a run.

    The questions are asked in this order. Do the chains drift? Then nothing else can be judged. Do
    they disagree on predictions? Then they sit in different modes if they are further apart than
    their Monte Carlo error explains, and have too few draws otherwise. Do they disagree only on
    topics? Are there enough draws?
    """
    free = found.free
    if free.empty:
        return "unknown"
    if found.drifting:
        return "drifting"
    wrong = found.disagreeing
    if len(wrong) and not found.apart:
        return "few draws"
    predictive = is_predictive(free)
    if len(wrong) and (is_predictive(wrong).any() or not predictive.any()):
        return "modes"
    if len(wrong) or (predictive.any() and not found.held["found_by_all"].all()):
        return "predictions agree"
    if typical(free).max() > GOOD_RHAT or free["ess_bulk"].min() < _needed(found):
        return "few draws"
    return "one chain" if found.n_chains == 1 else "converged"


def _say_unknown(found: Evidence) -> str:
    return "Too few draws to judge: R-hat and ESS need at least four in each chain."


def _say_drifting(found: Evidence) -> str:
    name, trend = next(iter(found.drifting.items()))
    tune = _round_up(4 * (found.n_tune + found.n_draws))
    chains = "the chain" if found.n_chains == 1 else f"{trend.n_chains} of {found.n_chains} chains"
    said = (
        f"Still drifting: {name} {'rises' if trend.shift > 0 else 'falls'} in {chains}, by "
        f"{abs(trend.shift):.1f} standard deviations from the first to the last quarter of the "
        "draws, so the burn-in is not over."
    )
    if not found.apart:
        return f"{said}\nUse tune={tune} or more, or start the chains with {_annealed(found)}."
    return (
        f"{said} The chains are also apart: {_describe_r_hat(found.farthest)}.\n"
        f"Start the chains with {_annealed(found)}, which helps with both. A longer burn-in, "
        f"tune={tune} or more, helps against the drift alone."
    )


def _say_modes(found: Evidence) -> str:
    wrong, apart = found.disagreeing, found.farthest
    headline = "Nearly converged" if typical(wrong).max() <= FAIR_RHAT else "Not converged"
    rows = found.discriminants
    steady = "" if rows is None else f" (R-hat within chains {rows['within_chains']:.2f})"
    many = not np.isnan(apart["r_hat_median"])
    where = "in a tenth of the documents their means lie at least" if many else "their means lie"
    return (
        f"{headline}: {_describe_r_hat(apart)}. The chains sit in different modes: they do not "
        f"drift{steady}, but {where} {_times(np.sqrt(apart['separation']))} as far apart as their "
        "Monte Carlo error explains, so more draws will not help.\n"
        f"Start the chains with {_annealed(found)}. If that is not enough, add candidates=4 to "
        "annealed_starts, which leaves modes that hold little of the posterior, and try fewer "
        "topics, which have fewer modes. If only predictions matter, a larger alpha helps too."
    )


def _say_predictions_agree(found: Evidence) -> str:
    free, wrong, held = found.free, found.disagreeing, found.held
    predictive = free[is_predictive(free)]
    best = _describe_r_hat(predictive.loc[typical(predictive).idxmax()])
    against = [_describe_r_hat(wrong.iloc[0])] if len(wrong) else []
    n_found = int(held["found_by_all"].sum())
    if n_found < len(held):
        against.append(f"only {n_found} of {len(held)} topics are found by every chain")
    return (
        f"The chains agree on predictions ({best}) but not on topics: {', and '.join(against)}.\n"
        "Predictions can be used as they are. More draws will not bring the topics closer; "
        f"{_annealed(found)}, or more sweeps than you used, may."
    )


def _say_few_draws(found: Evidence) -> str:
    free, wrong = found.free, found.disagreeing
    slowest, ess = free["ess_bulk"].idxmin(), free["ess_bulk"].min()
    more = _round_up(found.n_draws * max(_needed(found) / ess, 2.0)) if ess > 0 else "many more"
    size = f"the effective sample size is at least {ess:.0f} ({slowest})"
    if len(wrong):
        reason = (
            "the chain is short"
            if found.n_chains == 1
            else "the chains differ no more than their Monte Carlo error explains"
        )
        return (
            f"Too few draws: {_describe_r_hat(wrong.iloc[0])}, but {reason}; {size}.\n"
            f"Take about {more} draws per chain."
        )
    worst = free.loc[typical(free).idxmax()]
    return (
        f"Usable for averages: {_describe_r_hat(worst)}, and {size}.\n"
        f"For intervals and tails take about {more} draws per chain."
    )


def _say_one_chain(found: Evidence) -> str:
    return f"This chain is steady: {_summary(found)}. Its four quarters agree."


def _say_converged(found: Evidence) -> str:
    return f"Converged: {_summary(found)}."


_HEADLINES = {
    "unknown": _say_unknown,
    "drifting": _say_drifting,
    "modes": _say_modes,
    "predictions agree": _say_predictions_agree,
    "few draws": _say_few_draws,
    "one chain": _say_one_chain,
    "converged": _say_converged,
}


def _describe_disagreement(found: Evidence) -> list[str]:
    """Say what the disagreement of chains means for predictions and their intervals."""
    rows = found.discriminants
    if rows is None or found.n_chains == 1:
        return []
    coverage = _percent(rows["coverage"])
    known = (
        f"The intervals of one chain are {_times(rows['too_narrow'])} too narrow, and its 90 % "
        f"interval holds the mean of another chain for {coverage} of the documents"
    )
    if np.isnan(rows["decided_differently"]):
        return [f"Average predictions over all chains. {known}."]
    differ = f"two chains decide differently about {_percent(rows['decided_differently'])} of them"
    return [f"Average predictions over all chains. {known}; {differ}."]


def _describe_topics(found: Evidence, state: State) -> list[str]:
    """Say which topics can be trusted, and whether their weights agree."""
    held = found.held
    if held.empty or state == "unknown":
        return []
    labels = [str(label) for label in held.index[held["found_by_all"].astype(bool)]]
    rule = f"(cosine at least {SAME_TOPIC} between every two chains)"
    if not labels:
        return [f"No topic is found by every chain {rule}: read topics chain by chain."]
    if len(labels) < len(held):
        few = len(labels) == 1
        listed = f": {', '.join(labels)}" if len(labels) <= MANY_TOPICS else ""
        return [
            f"{len(labels)} of {len(held)} topics {'is' if few else 'are'} found by every chain "
            f"{rule}{listed}. Read the others chain by chain."
        ]
    lines = [f"All {len(held)} topics are found by every chain {rule}."]
    r_hat = typical(found.weights).max()
    if r_hat > FAIR_RHAT:
        lines.append(f"Their weights do not agree (R-hat {r_hat:.2f}).")
    return lines


def _describe_burn_in(found: Evidence) -> str:
    """Say how many draws to discard."""
    if found.recommended is None:
        seen = found.n_draws + found.n_warm_up
        return f"Burn-in: not every chain was seen to settle within {seen} draws."
    if found.n_warm_up or found.recommended:
        source = "warm-up and draws" if found.n_warm_up else "draws after the discarded warm-up"
        return f"Burn-in: {found.recommended} draws are enough, seen in {source}."
    return "Burn-in: over before the first draw that was kept."


def _describe_r_hat(row: pd.Series) -> str:
    """Describe R-hat of a quantity: of its entries, or of the only one."""
    if np.isnan(row["r_hat_median"]):
        return f"R-hat of {row.name} is {row['r_hat']:.3g}"
    return (
        f"R-hat of {row.name} has the median {row['r_hat_median']:.3f}, with "
        f"{_percent(row['below_1_05'])} of the values below {FAIR_RHAT}"
    )


def _summary(found: Evidence) -> str:
    """Return the largest R-hat and the smallest effective sample size, in words."""
    free = found.free
    return (
        f"R-hat is at most {typical(free).max():.3f} (the median over entries for discriminants) "
        f"and the effective sample size at least {free['ess_bulk'].min():.0f}"
    )


def _annealed(found: Evidence) -> str:
    starts = f"initvals=med.annealed_starts(4000, chains={found.n_chains})"
    return f"{starts} (anneal=4000 in fit and in the estimators)"


def _needed(found: Evidence) -> int:
    """Return the effective sample size that intervals and tails need."""
    return ESS_PER_CHAIN * max(found.n_chains, 2)


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _times(factor: float) -> str:
    return f"{factor:.1f} times" if factor < 1000 else "infinitely"


def _round_up(n: float) -> int:
    return int(np.ceil(n / 100.0) * 100)
