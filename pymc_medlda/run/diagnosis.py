"""`diagnose`: whether a run can be trusted, judged first by what needs no topic labels."""

from __future__ import annotations

import numbers
from dataclasses import dataclass, field
from html import escape
from typing import Any

import numpy as np
import pandas as pd

from pymc_medlda.run.alignment import Alignment
from pymc_medlda.run.burn_in import WATCHED, burn_in_table, recommend
from pymc_medlda.run.convergence import make_tables
from pymc_medlda.run.evidence import Evidence
from pymc_medlda.run.notices import look_at
from pymc_medlda.run.quantities import collect
from pymc_medlda.run.record import STATISTICS
from pymc_medlda.run.response_draws import ResponseDraws
from pymc_medlda.run.run import Run
from pymc_medlda.run.stationarity import find_trend
from pymc_medlda.run.statistics import check_same_draws
from pymc_medlda.run.topic_table import make_topic_table
from pymc_medlda.run.verdict import judge


@dataclass(frozen=True, eq=False)
class Diagnosis:
    """Convergence of a run; see `diagnose`.

    Attributes
    ----------
    table : DataFrame
        One row per quantity: ``r_hat``, ``ess_bulk``, ``ess_tail``, ``ess_per_second`` (bulk). For
        vectors (discriminants, weights) the worst entry, with the median R-hat and the share of
        entries whose R-hat is below 1.05 beside it. ``separation`` is how far the chains' means
        lie apart: their variance over what Monte Carlo error explains, about 1 for chains that
        sample the same distribution. Of vectors it is the 90 % quantile over entries.
    verdict : str
        What the numbers mean and what to do, in words.
    recommended_burn_in : int or None
        Draws to discard, ``tune`` of the next run; None if the chains were not seen to settle.
    burn_in : DataFrame
        After how many draws each statistic of each chain settled.
    alignment : Alignment
        How well the topics of the chains match.
    state : str
        The verdict in short: ``"drifting"``, ``"modes"`` (steady chains in different modes),
        ``"predictions agree"`` (but topics do not), ``"few draws"``, ``"converged"``,
        ``"one chain"`` (steady, but there is nothing to compare it with), or ``"unknown"`` below
        four draws.
    agreement : DataFrame
        What a disagreement of chains means for documents, with one row per set of discriminants:

        - ``r_hat_median``, ``below_1_05``: median R-hat, and the share of documents below 1.05;
        - ``within_chains``: median R-hat of single chains, whose four quarters are compared;
        - ``between_to_within``: standard deviation of the chains' means over the mean standard
          deviation within chains, median over documents;
        - ``too_narrow``: by what factor intervals from one chain are too narrow, the root of
          (W + B) / W with W the mean variance within chains and B the variance of their means,
          median over documents;
        - ``coverage``: how often the 90 % interval of one chain holds the mean of another;
        - ``decided_differently``: how often two chains decide differently about a document.
    topics : DataFrame
        One row per topic, matched over chains: its first ``words``; whether it is
        ``found_by_all`` chains, which is the case if its ``agreement``, the smallest cosine of
        its word distribution between two chains, is at least 0.9; its smallest and largest
        ``share`` of the tokens in a chain; and for each weight its mean and 90 % interval over all
        chains and its ``sign``, 1 or -1 if the interval of every chain lies on that side of zero
        and 0 otherwise. With one chain there are no ``found_by_all`` and ``agreement``.

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
    state: str = "unknown"
    agreement: pd.DataFrame = field(default_factory=pd.DataFrame)
    topics: pd.DataFrame = field(default_factory=pd.DataFrame)

    def __repr__(self) -> str:
        tables = [table.to_string(na_rep="-") for table in self._tables()]
        return "\n\n".join([*tables, self.verdict])

    def _repr_html_(self) -> str:
        tables = [table.to_html(na_rep="-") for table in self._tables()]
        return "".join([*tables, *[f"<p>{escape(line)}</p>" for line in self.verdict.splitlines()]])

    def _tables(self) -> list[pd.DataFrame]:
        """Return the tables to show; that of agreement only if there are chains to compare."""
        compared = self.agreement.dropna(how="all")
        several = "coverage" in compared and compared["coverage"].notna().any()
        return [self._rounded(), *([compared.round(2)] if several else [])]

    def _rounded(self) -> pd.DataFrame:
        digits = {
            "r_hat": 3,
            "r_hat_median": 3,
            "below_1_05": 2,
            "separation": 1,
            "ess_bulk": 0,
            "ess_tail": 0,
            "ess_per_second": 1,
        }
        table = self.table.round(digits)
        whole = [c for c in ("ess_bulk", "ess_tail") if c in table]
        return table.astype(dict.fromkeys(whole, "Int64"))


def diagnose(idata: Any, *, response: str | None = None, topics: str | None = None) -> Diagnosis:
    """Check the chains of a run: what state they are in, what to do, and what can be trusted.

    First come quantities that no relabelling of topics changes: training loss, log p(W | Z) per
    token, log joint density, share of tokens that moved, discriminants of the training documents,
    and those of new documents if `predict` has added them. Then come the weights eta, with topics
    matched as `align_topics` does. R-hat is rank-normalised and split; with one chain its two
    halves are compared.

    The verdict tells apart chains that still drift, steady chains in different modes, chains that
    agree on predictions but not on topics, and chains with too few draws. Each of them needs
    another remedy; see the notes.

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
    The state is decided in this order:

    1. Drifting: loss, log-likelihood or log joint moves in the same direction in most chains. Each
       chain is cut into eight segments; the trend, measured by Kendall's S of their means over all
       chains, must be one that chance gives once in a thousand runs, and the first and last quarter
       must differ by one standard deviation. Remedy: more ``tune``, or annealed starts.
    2. Chains agree on a statistic if its R-hat is at most 1.05, and on discriminants if their
       median R-hat is and at least 90 % of documents are below 1.05. If they do not, and the means
       of chains are further apart than the means of quarters of a chain explain (the F statistic
       ``separation`` exceeds its 0.999 quantile, for discriminants in a tenth of the documents),
       they are in different modes. Remedy: annealed starts (`annealed_starts`) with several
       candidates, and fewer topics; averages over chains meanwhile. If only topics or log
       densities differ, and not loss and discriminants, predictions can be used as they are.
    3. Otherwise there are too few draws if R-hat exceeds 1.05, or exceeds 1.01, or if the effective
       sample size is below 100 per chain. Remedy: the number of draws that the verdict names.

    A chain whose memory is much longer than the chain looks as if it were in a mode of its own. The
    remedy is the same.

    At most 1000 discriminants are checked, of documents spread evenly, and 100 entries of a vector
    for the effective sample size.

    Recommended burn-in: for loss, log-likelihood and log joint of each chain, the first draw from
    which the mean over a window (a twentieth of the series) stays to the end within three robust
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
    >>> med.diagnose(idata).topics.columns.tolist()
    ['words', 'found_by_all', 'agreement', 'share_min', 'share_max',
     'eta', 'eta 5%', 'eta 95%', 'eta sign']
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
    quantities = collect(run, drawn, responses, matching)
    settled = burn_in_table(run)
    table, agreement = make_tables(quantities, _sampling_time(run))
    found = Evidence(
        table=table,
        agreement=agreement,
        trends={q.name: find_trend(q.entries[..., 0]) for q in quantities if q.name in WATCHED},
        n_chains=drawn.n_chains,
        n_draws=drawn.n_draws,
        n_tune=_count_tuning(run),
        topics=make_topic_table(drawn, matching, responses),
        recommended=recommend(settled),
        n_warm_up=statistics.n_warm_up,
    )
    state, text = judge(found)
    # That chains are short is a part of the verdict.
    noticed = [n.text for n in look_at(run) if n.kind != "chains too short"]
    text = "\n".join([text, *noticed])
    alignment = Alignment.of(drawn, matching)
    return Diagnosis(
        found.table,
        text,
        found.recommended,
        settled,
        alignment,
        state,
        found.agreement,
        found.topics,
    )


def _sampling_time(run: Run) -> float:
    """Return how many seconds the sampling took, NaN if that was not stored."""
    seconds = run.group("posterior").attrs.get("sampling_time")
    known = isinstance(seconds, numbers.Real) and float(seconds) > 0
    return float(seconds) if known else np.nan


def _count_tuning(run: Run) -> int:
    """Return how many draws came before those that were kept, as far as the run tells."""
    stored = run.group("posterior").attrs.get("tuning_steps")
    known = isinstance(stored, numbers.Integral) and int(stored) >= 0
    return int(stored) if known else run.statistics.n_warm_up


def _choose_responses(found: list[ResponseDraws], name: str | None) -> list[ResponseDraws]:
    """Return all responses, or the one with this name."""
    if name is None:
        return found
    names = [response.name for response in found]
    if name not in names:
        listed = ", ".join(map(repr, names)) if names else "none"
        raise ValueError(f"response must be one of the responses ({listed}), got {name!r}")
    return [found[names.index(name)]]
