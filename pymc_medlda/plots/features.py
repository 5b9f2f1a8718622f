"""What single features contribute beside the topics."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pymc_medlda._arguments import check_whole
from pymc_medlda.plots.style import GREY, add_note, colour, font_size, make_axes, tidy
from pymc_medlda.plots.weights import MOST_PANELS, choose_tasks
from pymc_medlda.run.run import Run
from pymc_medlda.run.top_features import summarise_features


def plot_top_features(
    idata: Any,
    n: int = 15,
    *,
    response: str | None = None,
    task: Any = None,
    chain: int | None = None,
    ax: Any = None,
) -> NDArray[Any]:
    """Draw what the strongest features contribute, beside what the topics of the same words do.

    A bar is the contribution of a feature to the discriminant, averaged over the training documents
    that have it. If the features are words, a dot is what the topics of the same tokens contribute
    to the same documents. See `top_features` for the numbers.

    Parameters
    ----------
    idata : InferenceData, DataTree or path
        What ``pm.sample`` returned for a model with features, or a file of it.
    n : int, default 15
        How many features in each panel.
    response : str, optional
        Name of the response, where the model has several.
    task : task or list of tasks, optional
        Classes, labels or tasks to draw, one panel each; by default the first four.
    chain : int, optional
        Use this chain; by default all chains.
    ax : matplotlib axes or array of them, optional
        One for each panel.

    Returns
    -------
    array of Axes

    Examples
    --------
    >>> import matplotlib.pyplot as plt, pymc as pm, pymc_medlda as med
    >>> planted = med.datasets.make_planted(30, n_topics=2, n_words=40, seed=1)
    >>> with med.GibbsMedLDA(planted.corpus, planted.y, n_topics=2, features="words"):
    ...     run = pm.sample(5, tune=5, chains=1, progressbar=False, random_seed=1, quiet=True)
    >>> med.plot_top_features(run, 5)[0].get_xlabel()
    'contribution to F'
    >>> plt.close()
    """
    check_whole("n", n, at_least=1)
    run = Run.of(idata)
    found = run.response(response)
    topics = run.topics(found.topics)
    chosen, names, note = choose_tasks(found, task)
    summary = summarise_features(topics, found, topics.find_chains(chain))
    n_bars = min(n, summary.names.size)
    axes = make_axes(ax, len(chosen), columns=MOST_PANELS, width=4.2, height=1.2 + 0.22 * n_bars)
    size = font_size(n_bars)
    for panel, i, name in zip(axes, chosen, names, strict=True):
        order = summary.ranks(i)[:n][::-1]
        order = order[np.argsort(summary.contribution[order, i], kind="stable")]
        places = np.arange(order.size)
        panel.barh(places, summary.contribution[order, i], color=colour(0), label="feature")
        if summary.topics is not None:
            panel.plot(summary.topics[order, i], places, "o", color=GREY, label="its topics")
        panel.axvline(0.0, color=GREY, linewidth=0.8)
        panel.set_yticks(places, [str(label) for label in summary.names[order]], fontsize=size)
        tidy(panel, size=size, title=name, x="contribution to F")
    if summary.topics is not None:
        axes[0].legend(fontsize=max(size - 1.5, 6), frameon=False)
    add_note(ax, axes, note)
    return axes
