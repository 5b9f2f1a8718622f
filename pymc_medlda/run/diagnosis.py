"""`diagnose`: whether a run can be trusted, read first on what does not depend on topic labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pymc_medlda._arrays import Floats
from pymc_medlda._compat.arviz import convergence, get_group
from pymc_medlda.run.alignment import ALIKE, Alignment, align_topics
from pymc_medlda.run.burn_in import burn_in_table, read_statistics, recommend
from pymc_medlda.run.draws import discriminants
from pymc_medlda.run.reading import read_response, read_topics, response_names

# Entries of a vector checked one by one, spread evenly: each costs about three milliseconds.
MOST = 200
# The thresholds of Vehtari, Gelman, Simpson, Carpenter and Bürkner (2021), and a laxer one that is
# enough for averages of predictions.
GOOD_RHAT, FAIR_RHAT, ESS_PER_CHAIN = 1.01, 1.05, 100
FREE_OF_LABELS = ("loss", "log_likelihood", "log_joint", "moved")


@dataclass(frozen=True, eq=False)
class Diagnosis:
    """Convergence of a run; see `diagnose`.

    Attributes
    ----------
    table : DataFrame
        A row a quantity: ``r_hat``, ``ess_bulk``, ``ess_tail``, ``ess_per_second`` (bulk). Of
        vectors (discriminants, weights) the worst entry, with the median R-hat beside it.
    verdict : str
        What the table means and what to do, in words.
    recommended_burn_in : int or None
        Draws to discard, ``tune`` of the next run; None if the chains were not seen to settle.
    burn_in : DataFrame
        After how many draws each statistic of each chain settled.
    alignment : Alignment
        How well the topics of the chains match.

    Examples
    --------
    >>> import pandas as pd
    >>> from pymc_medlda.run.diagnosis import Diagnosis
    >>> print(Diagnosis(pd.DataFrame({"r_hat": [1.0]}, ["loss"]), "Fine.", 20, None, None))
          r_hat
    loss    1.0
    <BLANKLINE>
    Fine.
    """

    table: pd.DataFrame
    verdict: str
    recommended_burn_in: int | None
    burn_in: pd.DataFrame
    alignment: Alignment

    def __repr__(self) -> str:
        return f"{self._rounded().to_string(na_rep='-')}\n\n{self.verdict}"

    def _repr_html_(self) -> str:
        paragraphs = "".join(f"<p>{line}</p>" for line in self.verdict.splitlines())
        return self._rounded().to_html(na_rep="-") + paragraphs

    def _rounded(self) -> pd.DataFrame:
        digits = {"r_hat": 3, "r_hat_median": 3, "ess_bulk": 0, "ess_tail": 0, "ess_per_second": 1}
        table = self.table.round(digits)
        whole = [c for c in ("ess_bulk", "ess_tail") if c in table]
        return table.astype(dict.fromkeys(whole, "Int64"))


def diagnose(idata: Any, *, response: str | None = None, topics: str | None = None) -> Diagnosis:
    """Check the chains of a run: one table, a verdict in words, and the burn-in it asks for.

    First come quantities that no relabelling of topics changes: training loss, log p(W | Z) a
    token, log joint density, share of tokens that moved, discriminants of the training documents.
    Then the weights eta, after `align_topics`. R-hat is rank-normalised and split; of one chain
    its two halves are compared. Of a vector at most 200 entries are checked, spread evenly.

    Parameters
    ----------
    idata : InferenceData or DataTree
        What ``pm.sample`` returned, or a file of it. With ``discard_tuned_samples=False`` the
        recommended burn-in is read from the warm-up too, otherwise from the draws alone.
    response : str, optional
        The response whose discriminants and weights to check; all by default.
    topics : str, optional
        Name of the topic assignments, where the model has several.

    Returns
    -------
    Diagnosis

    Notes
    -----
    Recommended burn-in: for loss, log-likelihood and log joint of each chain, the first draw from
    which the mean over a window (a twentieth of the series) stays for good within three robust
    standard deviations of the median of the last half; the largest of these, rounded up to a
    multiple of ten. None if a chain enters that band only in its last half, or still drifts there.
    It counts draws of the step, with ``sweeps_per_draw`` sweeps each.

    References
    ----------
    Vehtari, Gelman, Simpson, Carpenter and Bürkner (2021), Rank-normalization, folding, and
    localization: an improved R-hat.

    Examples
    --------
    >>> import pymc as pm, pymc_medlda as med
    >>> from pymc_medlda.run.diagnosis import diagnose
    >>> planted = med.datasets.make_planted(20, n_topics=2, n_words=30, seed=1)
    >>> with med.GibbsMedLDA(planted.corpus, planted.y, n_topics=2):
    ...     idata = pm.sample(20, tune=20, chains=2, cores=1, progressbar=False, random_seed=1)
    >>> diagnose(idata).table.index.tolist()
    ['loss', 'log_likelihood', 'log_joint', 'moved', 'discriminant', 'eta (aligned)']
    """
    stored = read_topics(idata, topics)
    statistics, n_warm_up = read_statistics(idata)
    names = [n for n in response_names(idata) if read_response(idata, n).topics == stored.name]
    if response is not None:
        if response not in names:
            listed = ", ".join(map(repr, names)) if names else "none"
            raise ValueError(f"response must be one of the responses ({listed}), got {response!r}")
        names = [response]
    after = statistics.isel(draw=slice(n_warm_up, None))
    rows: dict[str, Floats] = {
        name: after[name].values[..., None] for name in FREE_OF_LABELS if name != "loss" or names
    }
    aligned, alignment = align_topics(idata, topics=stored.name)
    for name in names:
        suffix = f" of {name}" if len(names) > 1 else ""
        rows[f"discriminant{suffix}"] = _discriminants(idata, stored.name, name)
    for name in names:
        eta = read_response(aligned, name).eta
        rows[f"{eta.name} (aligned)"] = eta.values.reshape(*eta.shape[:2], -1)
    seconds = get_group(idata, "posterior").attrs.get("sampling_time", np.nan)
    table = pd.DataFrame.from_dict(
        {name: _summarise(values, float(seconds)) for name, values in rows.items()}, orient="index"
    )
    settled = burn_in_table(idata)
    recommended = recommend(settled)
    verdict = _judge(table, recommended, alignment, rows["log_joint"].shape[:2], n_warm_up)
    return Diagnosis(table, verdict, recommended, settled, alignment)


def _discriminants(idata: Any, topics: str, response: str) -> Floats:
    """Return F of documents and tasks spread evenly, (chain, draw, entry)."""
    stored, found = read_topics(idata, topics), read_response(idata, response)
    entries = _spread(found.y.size)
    n_chains, n_draws = stored.z.sizes["chain"], stored.z.sizes["draw"]
    values = np.empty((n_chains, n_draws, entries.size))
    for chain in range(n_chains):
        for draw in range(n_draws):
            values[chain, draw] = discriminants(stored, found, chain, draw).ravel()[entries]
    return values


def _spread(size: int) -> NDArray[np.intp]:
    return np.unique(np.linspace(0, size - 1, min(size, MOST)).astype(np.intp))


def _summarise(values: Floats, seconds: float) -> dict[str, float]:
    """Return the worst R-hat and ESS of the entries of (chain, draw, entry)."""
    chosen = values[..., _spread(values.shape[-1])]
    # An entry that never changes (a loss of zero) says nothing about convergence.
    chosen = chosen[..., np.ptp(chosen, axis=(0, 1)) > 0]
    r_hat, bulk, tail = convergence(chosen)
    several = values.shape[-1] > 1
    return {
        "r_hat": _extreme(r_hat, np.max),
        "r_hat_median": _extreme(r_hat, np.median) if several else np.nan,
        "ess_bulk": _extreme(bulk, np.min),
        "ess_tail": _extreme(tail, np.min),
        "ess_per_second": _extreme(bulk, np.min) / seconds,
    }


def _extreme(values: Floats, pick: Any) -> float:
    finite = values[np.isfinite(values)]
    return float(pick(finite)) if finite.size else float("nan")


def _judge(
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
    """Judge the quantities that do not depend on labels."""
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
            "chain by chain, and take intervals for too narrow."
        )
    needed = ESS_PER_CHAIN * max(n_chains, 2)
    slowest = free["ess_bulk"].idxmin()
    if r_hat > GOOD_RHAT or ess < needed:
        more = int(np.ceil(n_draws * max(needed / ess, 2.0) / 100.0) * 100)
        return (
            f"Usable for averages of predictions: R-hat is at most {r_hat:.3f} ({worst}), the "
            f"effective sample size at least {ess:.0f} ({slowest}). For intervals and tails take "
            f"about {more} draws a chain."
        )
    return (
        f"Converged: R-hat is at most {r_hat:.3f} and the effective sample size at least {ess:.0f}."
    )
