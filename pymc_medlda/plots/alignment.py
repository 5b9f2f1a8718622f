"""How alike the topics of two chains are, before and after alignment."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from pymc_medlda.plots.style import (
    add_note,
    draw_heat_map,
    font_size,
    leave_out_empty,
    make_axes,
    tidy,
)
from pymc_medlda.run.alignment import align_topics, cosine
from pymc_medlda.run.draws import chain_positions, mean_word_distributions
from pymc_medlda.run.reading import read_topics
from pymc_medlda.run.topics import topic_labels, topic_shares


def plot_alignment(
    idata: Any,
    *,
    chains: tuple[int, int] = (0, 1),
    topics: str | None = None,
    ax: Any = None,
) -> NDArray[Any]:
    """Draw the cosines between the topics of two chains, as stored and after `align_topics`.

    Chains that found the same topics show a dark diagonal on the right; a pale cell on it is a
    topic that the other chain does not have. Topics with next to no tokens are left out.

    Parameters
    ----------
    idata : InferenceData or DataTree
        What ``pm.sample`` returned, or a file of it.
    chains : (int, int), default (0, 1)
        The chains to compare.
    topics : str, optional
        Name of the topic assignments, where the model has several.
    ax : array of two matplotlib axes, optional

    Returns
    -------
    array of Axes

    Examples
    --------
    >>> import matplotlib.pyplot as plt, pymc as pm, pymc_medlda as med
    >>> from pymc_medlda.plots import plot_alignment
    >>> planted = med.datasets.make_planted(20, n_topics=2, n_words=30, seed=1)
    >>> with med.GibbsMedLDA(planted.corpus, planted.y, n_topics=2):
    ...     idata = pm.sample(draws=5, tune=5, chains=2, cores=1, progressbar=False, random_seed=1)
    >>> [panel.get_title(loc="left") for panel in plot_alignment(idata)]
    ['as stored', 'aligned']
    >>> plt.close()
    """
    stored = read_topics(idata, topics)
    if len(chains) != 2 or None in chains:
        raise ValueError(f"chains must be two chains, got {chains!r}")
    pair = [chain_positions(stored, c)[0] for c in chains]
    _, report = align_topics(idata, topics=topics)
    # Two topics without tokens are alike, as both are the prior: they would drown the rest.
    rows, columns = (leave_out_empty(topic_shares(stored, [p]))[0] for p in pair)
    kept = np.flatnonzero(report.filled)
    n = kept.size
    side = float(np.clip(1.5 + 0.13 * n, 3.4, 8.5))
    axes = make_axes(ax, 2, columns=2, width=side + 0.5, height=side)
    first, second = mean_word_distributions(stored, chains=pair)
    row, column = report.permutation.values[pair][:, kept]
    labels = topic_labels(stored)
    _draw(
        axes[0],
        cosine(first[rows], second[columns]),
        "as stored",
        chains,
        (labels[rows], labels[columns]),
    )
    aligned = cosine(first[row], second[column])
    _draw(axes[1], aligned, "aligned", chains, (labels[kept],) * 2)
    empty = stored.n_topics - n
    add_note(ax, axes, f"{empty} topics with next to no tokens left out" if empty else "")
    return axes


def _draw(
    ax: Axes,
    values: NDArray[np.float64],
    title: str,
    chains: tuple[int, int],
    labels: tuple[NDArray[Any], NDArray[Any]],
) -> None:
    draw_heat_map(ax, values, label="cosine of word distributions", top=1.0)
    n = max(values.shape)
    size = font_size(n)
    step = 1 if n <= 30 else 3
    for axis, names in zip((ax.yaxis, ax.xaxis), labels, strict=True):
        axis.set_ticks(range(0, names.size, step), names[::step].tolist())
    x, y = (f"topic of chain {c}" for c in reversed(chains))
    tidy(ax, size=size, title=title, x=x, y=y)
    if n > 12:
        return
    for (row, column), value in np.ndenumerate(values):
        shade = "white" if value > 0.6 else "black"
        options: dict[str, Any] = {
            "ha": "center",
            "va": "center",
            "fontsize": size - 1.5,
            "color": shade,
        }
        ax.text(column, row, f"{value:.2f}", **options)
