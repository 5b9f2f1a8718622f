"""The topics of the documents of each class."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from pymc_medlda._arrays import Floats
from pymc_medlda.plots.style import (
    add_note,
    colour,
    draw_heat_map,
    font_size,
    leave_out_empty,
    make_axes,
    tidy,
    topic_names,
)
from pymc_medlda.run.draws import chain_positions, mean_word_distributions, word_labels
from pymc_medlda.run.reading import StoredResponse, read_response, read_topics
from pymc_medlda.run.topics import doc_topics, rank_words, topic_labels, topic_shares


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

    Topics stand in the order of the class in which they are strongest, so that a model that
    separates the classes shows a staircase. Topics with next to no tokens are left out.

    Parameters
    ----------
    idata : InferenceData or DataTree
        What ``pm.sample`` returned, or a file of it.
    response : str, optional
        Name of the response, where the model has several; it must have classes or labels.
    chain : int or None, default 0
        The chain to show; None averages over the chains of an aligned object.
    kind : {"auto", "bars", "heatmap"}
        Bars, a panel a class; or one heat map, by default from seven classes on.
    n_words : int, default 2
        Words in the label of a topic.
    ax : matplotlib axes or array of them, optional
        One for the heat map, one a class for bars.

    Returns
    -------
    array of Axes

    Examples
    --------
    >>> import matplotlib.pyplot as plt, pymc as pm, pymc_medlda as med
    >>> from pymc_medlda.plots import plot_class_profile
    >>> planted = med.datasets.make_planted(20, n_topics=2, n_words=30, seed=1)
    >>> with med.GibbsMedLDA(planted.corpus, planted.y, n_topics=2):
    ...     idata = pm.sample(draws=5, tune=5, chains=1, progressbar=False, random_seed=1)
    >>> len(plot_class_profile(idata))
    2
    >>> plt.close()
    """
    if kind not in ("auto", "bars", "heatmap"):
        raise ValueError(f"kind must be 'auto', 'bars' or 'heatmap', got {kind!r}")
    found = read_response(idata, response)
    members, names = _members(found)
    stored = read_topics(idata, found.topics)
    positions = chain_positions(stored, chain)
    theta = doc_topics(idata, topics=stored.name)["mean"].values[positions].mean(axis=0)
    profile = members @ theta / np.maximum(members.sum(axis=1, keepdims=True), 1)
    share = topic_shares(stored, positions)
    kept, note = leave_out_empty(share)
    strongest = profile.argmax(axis=0)
    order = kept[np.lexsort((-profile.max(axis=0)[kept], strongest[kept]))]
    phi = mean_word_distributions(stored, chains=positions).mean(axis=0)
    best = rank_words(phi, share)[:, : max(n_words, 1)]
    labels = topic_names(word_labels(stored)[best], topic_labels(stored).tolist(), n_words)
    ordered = [labels[k] for k in order]
    width = 2.0 + max(3.0, 0.2 * order.size)
    if kind == "heatmap" or (kind == "auto" and len(names) > 6):
        height = 1.6 + 0.24 * len(names)
        (panel,) = axes = make_axes(ax, 1, columns=1, width=width, height=height)
        draw_heat_map(panel, profile[:, order], label="mean share of a document")
        size = font_size(max(len(names), order.size))
        panel.set_yticks(range(len(names)), names)
        tidy(panel, size=size, title="average topic proportions by class")
        _label_topics(panel, ordered, size)
        add_note(ax, axes, note)
        return axes
    axes = make_axes(ax, len(names), columns=1, width=width, height=1.15, share_x=True)
    for i, panel in enumerate(axes):
        panel.bar(np.arange(order.size), profile[i, order], color=colour(i), width=0.75)
        panel.set_ylim(0, 1.08 * profile.max())
        panel.set_xlim(-0.7, order.size - 0.3)
        documents = int(members[i].sum())
        tidy(panel, size=8, title=f"{names[i]} ({documents} documents)")
        panel.tick_params(axis="x", labelbottom=False)
    axes[-1].tick_params(axis="x", labelbottom=True)
    _label_topics(axes[-1], ordered, font_size(order.size))
    if ax is None:
        panel.figure.set_figheight(1.15 * len(names) + 1.4)  # room for the labels below
        panel.figure.supylabel("mean share of a document", fontsize=8)
    add_note(ax, axes, note)
    return axes


def _members(found: StoredResponse) -> tuple[Floats, list[str]]:
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
    ax.set_xticks(range(len(labels)), labels)
    ax.tick_params(axis="x", labelrotation=90, labelsize=size)
