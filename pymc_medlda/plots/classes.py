"""The topics of the documents of each class."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from pymc_medlda._arguments import check_choice, check_whole
from pymc_medlda._arrays import Floats
from pymc_medlda.plots.style import (
    add_note,
    colour,
    draw_heat_map,
    font_size,
    make_axes,
    note_empty,
    tidy,
)
from pymc_medlda.plots.topic_labels import name_topics
from pymc_medlda.run.counts import holds_tokens
from pymc_medlda.run.response_draws import ResponseDraws
from pymc_medlda.run.run import Run
from pymc_medlda.run.topics import mean_proportions


def plot_class_profile(
    idata: Any,
    *,
    response: str | None = None,
    chain: int | None = 0,
    kind: Literal["auto", "bars", "heatmap"] = "auto",
    n_words: int = 2,
    ax: Any = None,
) -> NDArray[Any]:
    r"""Draw the average topic proportions of the training documents of each class.

    .. math:: \frac{1}{|D_y|} \sum_{d \in D_y} E(\theta_d)

    Topics are ordered by the class in which they are strongest, so that a model that separates the
    classes shows a staircase. Topics with next to no tokens are left out.

    Parameters
    ----------
    idata : InferenceData, DataTree or path
        What ``pm.sample`` returned, or a file of it.
    response : str, optional
        Name of the response, where the model has several; it must have classes or labels.
    chain : int or None, default 0
        The chain to show; None averages over the chains of an aligned object.
    kind : {"auto", "bars", "heatmap"}
        Bars, one panel per class; or one heat map, by default for seven classes or more.
    n_words : int, default 2
        Words in the label of a topic.
    ax : matplotlib axes or array of them, optional
        One for the heat map, one per class for bars.

    Returns
    -------
    array of Axes

    Examples
    --------
    >>> import matplotlib.pyplot as plt, pymc_medlda as med
    >>> len(med.plot_class_profile(idata))
    2
    >>> plt.close()
    """
    check_choice("kind", kind, ("auto", "bars", "heatmap"))
    check_whole("n_words", n_words, at_least=0)
    run = Run.of(idata)
    found = run.response(response)
    members, names = _members(found)
    topics = run.topics(found.topics)
    chains = topics.find_chains(chain)
    share = topics.shares(chains)
    theta = mean_proportions(topics, chains).mean(axis=0)
    profile = members @ theta / np.maximum(members.sum(axis=1, keepdims=True), 1)
    kept = np.flatnonzero(holds_tokens(share))
    strongest = profile.argmax(axis=0)
    order = kept[np.lexsort((-profile.max(axis=0)[kept], strongest[kept]))]
    labels = name_topics(topics, chains, n_words)
    ordered = [labels[k] for k in order]
    if kind == "heatmap" or (kind == "auto" and len(names) > 6):
        axes = _draw_map(ax, profile[:, order], names, ordered)
    else:
        titles = [
            f"{name} ({int(size)} documents)"
            for name, size in zip(names, members.sum(axis=1), strict=True)
        ]
        axes = _draw_bars(ax, profile[:, order], profile.max(), titles, ordered)
    add_note(ax, axes, note_empty(share.size - kept.size))
    return axes


def _draw_map(ax: Any, profile: Floats, names: list[str], topics: list[str]) -> NDArray[Any]:
    """Draw the profiles (class, topic) as one heat map."""
    width, height = _width(len(topics)), 1.6 + 0.24 * len(names)
    (panel,) = axes = make_axes(ax, 1, columns=1, width=width, height=height)
    draw_heat_map(panel, profile, label="mean share of a document")
    size = font_size(max(len(names), len(topics)))
    panel.set_yticks(range(len(names)), names)
    tidy(panel, size=size, title="average topic proportions by class")
    _label_topics(panel, topics, size)
    return axes


def _draw_bars(
    ax: Any, profile: Floats, largest: float, titles: list[str], topics: list[str]
) -> NDArray[Any]:
    """Draw the profiles (class, topic) as bars, one panel per class."""
    n_topics, width = len(topics), _width(len(topics))
    axes = make_axes(ax, len(titles), columns=1, width=width, height=1.15, share_x=True)
    for i, panel in enumerate(axes):
        panel.bar(np.arange(n_topics), profile[i], color=colour(i), width=0.75)
        panel.set_ylim(0, 1.08 * largest)
        panel.set_xlim(-0.7, n_topics - 0.3)
        tidy(panel, size=8, title=titles[i])
        panel.tick_params(axis="x", labelbottom=False)
    axes[-1].tick_params(axis="x", labelbottom=True)
    _label_topics(axes[-1], topics, font_size(n_topics))
    if ax is None:
        figure = axes[-1].figure
        figure.set_figheight(1.15 * len(titles) + 1.4)  # room for the labels below
        figure.supylabel("mean share of a document", fontsize=8)
    return axes


def _width(n_topics: int) -> float:
    """Return the width of a panel with so many topics side by side, in inches."""
    return 2.0 + max(3.0, 0.2 * n_topics)


def _members(found: ResponseDraws) -> tuple[Floats, list[str]]:
    """Return which document belongs to which class, (n_classes, n_documents) of 0 and 1."""
    if found.kind == "real" or found.classes is None:
        raise ValueError(
            f"response must have classes or labels to draw a profile of each, but {found.name!r} "
            "holds real values"
        )
    names = [str(c) for c in found.classes]
    if found.kind == "binary":
        return np.stack([found.y[:, 0] < 0, found.y[:, 0] > 0]).astype(np.float64), names
    return (found.y > 0).T.astype(np.float64), names


def _label_topics(ax: Axes, labels: list[str], size: float) -> None:
    """Write the names of the topics below an axes, upright."""
    ax.set_xticks(range(len(labels)), labels)
    ax.tick_params(axis="x", labelrotation=90, labelsize=size)
