"""The words of the topics, as bars."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pymc_medlda._arguments import check_whole
from pymc_medlda.plots.style import COLOURS, add_note, font_size, leave_out_empty, make_axes, tidy
from pymc_medlda.run.draws import chain_positions, mean_word_distributions, word_labels
from pymc_medlda.run.reading import read_topics
from pymc_medlda.run.topics import Criterion, rank_words, topic_labels, topic_shares


def plot_topic_words(
    idata: Any,
    n: int = 8,
    *,
    which: Sequence[Any] | None = None,
    by: Criterion = "probability",
    weight: float | None = None,
    chain: int | None = 0,
    topics: str | None = None,
    ax: Any = None,
) -> NDArray[Any]:
    """Draw the top words of each topic, a panel a topic, with their probabilities as bars.

    The pale bar behind is the probability of the word in the whole corpus.

    Parameters
    ----------
    idata : InferenceData or DataTree
        What ``pm.sample`` returned, or a file of it.
    n : int, default 8
        Words a topic.
    which : sequence of topics, optional
        Topics to draw; by default all that hold tokens.
    by, weight, chain, topics
        Which top words, as in `top_words`.
    ax : array of matplotlib axes, optional
        One for each topic drawn.

    Returns
    -------
    array of Axes

    Examples
    --------
    >>> import matplotlib.pyplot as plt, pymc as pm, pymc_medlda as med
    >>> from pymc_medlda.plots import plot_topic_words
    >>> planted = med.datasets.make_planted(20, n_topics=2, n_words=30, seed=1)
    >>> with med.GibbsMedLDA(planted.corpus, planted.y, n_topics=2):
    ...     idata = pm.sample(draws=5, tune=5, chains=1, progressbar=False, random_seed=1)
    >>> len(plot_topic_words(idata, 5))
    2
    >>> plt.close()
    """
    check_whole("n", n, at_least=1)
    stored = read_topics(idata, topics)
    positions = chain_positions(stored, chain)
    known = topic_labels(stored).tolist()
    share = topic_shares(stored, positions)
    kept, note = leave_out_empty(share)
    chosen = [known[k] for k in kept] if which is None else list(which)
    unknown = [topic for topic in chosen if topic not in known]
    if unknown or not chosen:
        raise ValueError(f"which must list topics among {known}, got {which!r}")
    phi = mean_word_distributions(stored, chains=positions).mean(axis=0)
    best = rank_words(phi, share, by=by, weight=weight)[:, :n]
    words = word_labels(stored)
    size = font_size(len(chosen))
    columns = 3 if len(chosen) <= 6 else 5 if len(chosen) <= 30 else 6
    axes = make_axes(
        ax, len(chosen), columns=columns, width=2.4, height=0.55 + n * size / 72 * 1.35
    )
    for panel, topic in zip(axes, chosen, strict=True):
        k = known.index(topic)
        rows = np.arange(best.shape[1])
        panel.barh(rows, (share @ phi)[best[k]], color="0.85", height=0.9)
        panel.barh(rows, phi[k, best[k]], color=COLOURS[0], height=0.5)
        panel.set_yticks(rows, words[best[k]])
        panel.invert_yaxis()
        tidy(panel, size=size - 0.5, title=f"topic {topic} ({share[k]:.1%} of tokens)")
        panel.locator_params(axis="x", nbins=3)
        panel.tick_params(axis="y", length=0)
    meaning = "probability in the topic (blue) and in the corpus (grey)"
    add_note(ax, axes, f"{meaning}; {note}" if note and which is None else meaning)
    return axes
