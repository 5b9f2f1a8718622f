"""What a user should hear of a finished run at once: one sentence each, with its remedy.

The limits were set by the experiment that `tests/benchmarks/defaults.py` repeats.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from pymc_medlda._arrays import Floats
from pymc_medlda.run.response_draws import ResponseDraws, discriminants
from pymc_medlda.run.run import Run
from pymc_medlda.run.stationarity import find_trend
from pymc_medlda.run.topic_draws import TopicDraws

_log = logging.getLogger("pymc.medlda")

# A topic with less than this share of the tokens says little. With many topics even an average one
# has less than a hundredth, so the limit is also a part of the even share.
SMALL_SHARE, SMALL_PART = 0.01, 0.4
MOST_SMALL = 0.25  # of the topics
# The labels outweigh the words if few topics hold most tokens, and if moving a token changes the
# log factor of the labels by this much on average. Words make a difference of 1 to 2 in it.
FEW_TOPICS, STRONG_PULL = 0.5, 0.5
# Real values do not fit the loss and the prior if the mean of the fitted values misses theirs by
# this many standard deviations, or if the fitted values differ by next to nothing.
FAR, FLAT = 0.25, 0.05
MOST_DOCUMENTS = 2000  # are enough for an average over documents


class Notice(NamedTuple):
    """A kind of finding, and the sentence that says it."""

    kind: str
    text: str


def log_notices(runs: Sequence[Any]) -> None:
    """Log what should be said of runs that belong together, each kind of finding once."""
    said: dict[str, list[str]] = {}
    for run in runs:
        for notice in look_at(run):
            said.setdefault(notice.kind, []).append(notice.text)
    for texts in said.values():
        more = f" (One of {len(texts)} models of which this holds.)" if len(texts) > 1 else ""
        _log.warning("%s%s", texts[0], more)


def look_at(idata: Any) -> list[Notice]:
    """Return what should be said of a run that has just been sampled.

    A run that cannot be read, for example one that was sampled without z, has no notices: they must
    never be the reason that draws are lost.
    """
    try:
        return find_notices(Run.of(idata))
    except Exception:  # whatever it is, the functions that need a readable run will say it
        _log.debug("the run could not be looked at", exc_info=True)
        return []


def find_notices(run: Run) -> list[Notice]:
    """Return what should be said of a run at once; an empty list if nothing needs to be said.

    Looked for are topics that hold next to no tokens, labels that outweigh the words, real values
    whose scale does not fit the loss, and chains that end while the training loss still falls.
    """
    found: list[Notice | None] = []
    for name in run.assignment_names:
        topics = run.topics(name)
        shares = _last_shares(topics)
        responses = run.responses_of(topics)
        outweighed = [_labels_outweigh(topics, response, shares) for response in responses]
        found += [_not_scaled(topics, response) for response in responses]
        found += outweighed
        if not any(outweighed):  # they make topics empty, and their remedy fills them
            found.append(_small_topics(topics, shares))
    found.append(_too_short(run))
    return [notice for notice in found if notice is not None]


def _small_topics(topics: TopicDraws, shares: list[Floats]) -> Notice | None:
    """Notice topics that hold next to no tokens, in the last draw."""
    limit = min(SMALL_SHARE, SMALL_PART / topics.n_topics)
    n_small = np.mean([(share < limit).sum() for share in shares])
    if n_small <= MOST_SMALL * topics.n_topics:
        return None
    hold, each = ("holds", "") if round(n_small) == 1 else ("hold", " each")
    return Notice(
        "small topics",
        f"{n_small:.0f} of the {topics.n_topics} topics {hold} less than {limit:.1%} of the "
        f"tokens{each}: the corpus supports about {topics.n_topics - n_small:.0f}, so use fewer "
        "topics (n_topics), or read only the large ones.",
    )


def _labels_outweigh(
    topics: TopicDraws, response: ResponseDraws, shares: list[Floats]
) -> Notice | None:
    """Notice that topics follow the labels and not the words."""
    # Asked first, because it needs no discriminants, and is the answer for most runs.
    if np.mean([_effective_number(share) for share in shares]) > FEW_TOPICS * topics.n_topics:
        return None
    draw = topics.n_draws - 1
    pull = [_mean_pull(topics, response, i, draw, share) for i, share in enumerate(shares)]
    if np.mean(pull) < STRONG_PULL:
        return None
    what, setting = ("labels", "margin") if response.loss.takes_labels else ("values", "c")
    largest = np.mean([np.sort(share)[::-1][:3].sum() for share in shares])
    return Notice(
        "labels outweigh words",
        f"The {what} of {response.name!r} outweigh the words: three of the {topics.n_topics} "
        f"topics hold {largest:.0%} of the tokens. Use a smaller {setting} of the loss for topics "
        "that describe the texts; predictions are usually as good.",
    )


def _mean_pull(
    topics: TopicDraws, response: ResponseDraws, chain: int, draw: int, share: Floats
) -> float:
    """Return by how much labels favour one topic of a token over another, in the log density.

    It is the root mean square difference of two topics, drawn with their shares of the tokens, in
    the gradient of a document's log factor, and the mean over documents of that.
    """
    own = discriminants(topics, response, chain, draw)
    loss, given = response.loss_at(chain, draw), ~np.isnan(response.y)
    y = np.where(given, response.y, 0.0)
    step = 1e-4 * (np.abs(own) + 1.0)
    above, below = (loss.log_factor_of(loss.value(y, own + sign * step)) for sign in (1, -1))
    slope = np.where(given, (above - below) / (2.0 * step), 0.0)
    lengths = np.diff(topics.tokens.start)
    kept = np.flatnonzero(lengths > 0)
    kept = kept[:: max(1, kept.size // MOST_DOCUMENTS)]
    if not kept.size:
        return 0.0
    value = slope[kept] @ response.weights(chain, draw)  # of each topic, in each document
    spread = np.sqrt(np.square(value - (value @ share)[:, None]) @ share)
    return float(np.mean(np.sqrt(2.0) * spread / lengths[kept]))


def _not_scaled(topics: TopicDraws, response: ResponseDraws) -> Notice | None:
    """Notice real values that the weights do not reach."""
    if response.kind != "real":
        return None
    given = ~np.isnan(response.y)
    if not given.any(axis=0).all():
        return None
    draw = topics.n_draws - 1
    fitted = np.mean(
        [discriminants(topics, response, chain, draw) for chain in range(topics.n_chains)], axis=0
    )
    mean, spread = np.mean(response.y, 0, where=given), np.std(response.y, 0, where=given)
    miss = np.abs(np.mean(fitted - response.y, axis=0, where=given))
    learned = np.std(fitted, 0, where=given)
    far = ((miss > FAR * spread) | (learned < FLAT * spread)) & (spread > 0)
    if not far.any():
        return None
    task = int(np.argmax(far))
    return Notice(
        "y not scaled",
        f"The values of {response.name!r} have mean {mean[task]:.4g} and standard deviation "
        f"{spread[task]:.4g}, which the loss or the prior of the weights does not fit. Use "
        "loss=med.Standardised(...), and weights whose prior scale is of the size of the standard "
        "deviation, as GibbsMedLDA has them by default.",
    )


def _too_short(run: Run) -> Notice | None:
    """Notice that the training loss still falls."""
    statistics = run.group("sample_stats")
    if statistics is None or "loss" not in statistics:
        return None
    series = np.asarray(statistics["loss"].transpose("chain", "draw", ...).values, np.float64)
    trend = find_trend(series.reshape(*series.shape[:2], -1).sum(axis=2))
    if not (trend.is_drift and trend.shift < 0):
        return None
    return Notice(
        "chains too short",
        f"The training loss still falls, by {-trend.shift:.1f} standard deviations from the first "
        "to the last quarter of the draws: use a larger tune. med.diagnose says more.",
    )


def _last_shares(topics: TopicDraws) -> list[Floats]:
    """Return the share of the tokens that each topic has in the last draw of every chain."""
    shares = []
    for chain in range(topics.n_chains):
        z = topics.assignments_at(chain, topics.n_draws - 1)
        shares.append(np.bincount(z, minlength=topics.n_topics) / max(z.size, 1))
    return shares


def _effective_number(share: Floats) -> float:
    """Return the exponential of the entropy of the topics' shares."""
    held = share[share > 0]
    return float(np.exp(-np.sum(held * np.log(held))))
