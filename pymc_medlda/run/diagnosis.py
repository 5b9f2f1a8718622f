"""`diagnose`: whether a run can be trusted, judged first by what needs no topic labels."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pymc_medlda._arrays import Floats
from pymc_medlda._compat.arviz import convergence
from pymc_medlda.run.alignment import Alignment
from pymc_medlda.run.burn_in import burn_in_table, recommend
from pymc_medlda.run.record import STATISTICS
from pymc_medlda.run.relabelling import relabel_weights
from pymc_medlda.run.response_draws import ResponseDraws, discriminants
from pymc_medlda.run.run import Run
from pymc_medlda.run.statistics import check_same_draws
from pymc_medlda.run.topic_draws import TopicDraws
from pymc_medlda.run.verdict import judge

# Entries of a vector that are checked one by one, spread evenly: each costs about 3 milliseconds.
MOST = 200
FREE_OF_LABELS = ("loss", "log_likelihood", "log_joint", "moved")


@dataclass(frozen=True, eq=False)
class Diagnosis:
    """Convergence of a run; see `diagnose`.

    Attributes
    ----------
    table : DataFrame
        One row per quantity: ``r_hat``, ``ess_bulk``, ``ess_tail``, ``ess_per_second`` (bulk). For
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
    """Check the chains of a run: one table, a verdict in words, and the burn-in it needs.

    First come quantities that no relabelling of topics changes: training loss, log p(W | Z) per
    token, log joint density, share of tokens that moved, discriminants of the training documents.
    Then come the weights eta, with topics matched as `align_topics` does. R-hat is rank-normalised
    and split; with one chain its two halves are compared. At most 200 entries of a vector are
    checked, spread evenly.

    Parameters
    ----------
    idata : InferenceData, DataTree or path
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
    >>> import pymc_medlda as med
    >>> med.diagnose(idata).table.index.tolist()
    ['loss', 'log_likelihood', 'log_joint', 'moved', 'discriminant', 'eta (aligned)']
    """
    run = Run.of(idata)
    drawn = run.topics(topics)
    statistics = run.statistics
    statistics.check(*STATISTICS)
    responses = _choose_responses(run.responses_of(drawn), response)
    matching = run.matching(drawn)
    after = statistics.after_warm_up
    if not after.sizes["draw"]:
        raise ValueError("sample_stats holds no draws; those of the posterior are needed")
    check_same_draws(run.group("sample_stats"), run.group("posterior"), "sample_stats")
    rows: dict[str, Floats] = {
        name: after[name].values[..., None]
        for name in FREE_OF_LABELS
        if name != "loss" or responses
    }
    for found, values in zip(responses, _discriminants(drawn, responses), strict=True):
        rows["discriminant" + (f" of {found.name}" if len(responses) > 1 else "")] = values
    for found in responses:
        eta = relabel_weights(found.eta, matching.permutation)
        rows[f"{eta.name} (aligned)"] = eta.values.reshape(*eta.shape[:2], -1)
    seconds = _sampling_time(run)
    table = pd.DataFrame.from_dict(
        {name: _summarise(values, seconds) for name, values in rows.items()}, orient="index"
    )
    settled = burn_in_table(run)
    recommended = recommend(settled)
    alignment = Alignment.of(drawn, matching)
    shape = rows["log_joint"].shape[:2]
    verdict = judge(table, recommended, alignment, shape, statistics.n_warm_up)
    return Diagnosis(table, verdict, recommended, settled, alignment)


def _sampling_time(run: Run) -> float:
    """Return how many seconds the sampling took, NaN if that was not stored."""
    seconds = run.group("posterior").attrs.get("sampling_time")
    known = isinstance(seconds, numbers.Real) and float(seconds) > 0
    return float(seconds) if known else np.nan


def _choose_responses(found: list[ResponseDraws], name: str | None) -> list[ResponseDraws]:
    """Return all responses, or the one with this name."""
    if name is None:
        return found
    names = [response.name for response in found]
    if name not in names:
        listed = ", ".join(map(repr, names)) if names else "none"
        raise ValueError(f"response must be one of the responses ({listed}), got {name!r}")
    return [found[names.index(name)]]


def _discriminants(topics: TopicDraws, responses: Sequence[ResponseDraws]) -> list[Floats]:
    """Return for each response F of documents and tasks spread evenly, (chain, draw, entry)."""
    entries = [_spread(response.y.size) for response in responses]
    values = [np.empty((topics.n_chains, topics.n_draws, chosen.size)) for chosen in entries]
    for chain in range(topics.n_chains):
        for draw in range(topics.n_draws):
            for response, chosen, out in zip(responses, entries, values, strict=True):
                out[chain, draw] = discriminants(topics, response, chain, draw).ravel()[chosen]
    return values


def _spread(size: int) -> NDArray[np.intp]:
    """Return at most `MOST` positions of a vector, spread evenly."""
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
