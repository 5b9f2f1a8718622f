"""The weights of the topics, with their uncertainty."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from pymc_medlda._arguments import check_whole
from pymc_medlda.plots.style import (
    GREY,
    add_note,
    colour,
    font_size,
    leave_out_empty,
    make_axes,
    tidy,
    topic_names,
)
from pymc_medlda.run.alignment import align_topics
from pymc_medlda.run.draws import chain_positions, mean_word_distributions, word_labels
from pymc_medlda.run.reading import StoredResponse, read_response, read_topics
from pymc_medlda.run.topics import rank_words, topic_labels, topic_shares

MOST_PANELS = 4


def plot_eta_forest(
    idata: Any,
    *,
    response: str | None = None,
    task: Any = None,
    chain: int | None = None,
    interval: float = 0.9,
    n_words: int = 4,
    ax: Any = None,
) -> NDArray[Any]:
    """Draw the weight of each topic, labelled with its top words, with an interval for each chain.

    Topics are sorted by their mean weight in the first panel; those with next to no tokens, whose
    weights are draws from the prior, are left out. With several chains their topics are
    matched by `align_topics` first; bars that lie apart are chains that disagree.

    Parameters
    ----------
    idata : InferenceData or DataTree
        What ``pm.sample`` returned, or a file of it.
    response : str, optional
        Name of the response, where the model has several.
    task : task or list of tasks, optional
        Classes, labels or tasks to draw, a panel each; by default the first four.
    chain : int, optional
        Draw one chain, as it is; by default all, aligned.
    interval : float, default 0.9
        Posterior probability of the bars; as much is left below as above.
    n_words : int, default 4
        Words a label.
    ax : matplotlib axes or array of them, optional
        One for each panel.

    Returns
    -------
    array of Axes

    Examples
    --------
    >>> import matplotlib.pyplot as plt, pymc as pm, pymc_medlda as med
    >>> from pymc_medlda.plots import plot_eta_forest
    >>> planted = med.datasets.make_planted(20, n_topics=2, n_words=30, seed=1)
    >>> with med.GibbsMedLDA(planted.corpus, planted.y, n_topics=2):
    ...     idata = pm.sample(draws=5, tune=5, chains=1, progressbar=False, random_seed=1)
    >>> plot_eta_forest(idata)[0].get_xlabel()
    'eta, 90% interval'
    >>> plt.close()
    """
    check_whole("n_words", n_words, at_least=0)
    if not (isinstance(interval, (int, float)) and 0.0 < interval < 1.0):
        raise ValueError(f"interval must be a probability between 0 and 1, got {interval!r}")
    found = read_response(idata, response)
    positions = chain_positions(read_topics(idata, found.topics), chain)
    if len(positions) > 1:
        idata, _ = align_topics(idata, topics=found.topics)
        found = read_response(idata, response)
    stored = read_topics(idata, found.topics)
    chosen, names, note = _choose_tasks(found, task)
    eta = found.eta.values[positions].reshape(len(positions), -1, found.y.shape[1], stored.n_topics)
    phi = mean_word_distributions(stored, chains=positions).mean(axis=0)
    share = topic_shares(stored, positions)
    best = rank_words(phi, share)[:, : max(n_words, 1)]
    labels = topic_names(word_labels(stored)[best], topic_labels(stored).tolist(), n_words)
    kept, left_out = leave_out_empty(share)
    order = kept[np.argsort(eta[:, :, chosen[0], kept].mean(axis=(0, 1)))]
    size = font_size(order.size)
    height = 1.2 + order.size * (0.17 + 0.02 * len(positions))
    width = 5.6 if len(chosen) == 1 else 2.4 + 2.2 / len(chosen)
    axes = make_axes(ax, len(chosen), columns=MOST_PANELS, width=width, height=height)
    for panel, i, name in zip(axes, chosen, names, strict=True):
        _draw_bars(panel, eta[:, :, i][:, :, order], interval)
        tidy(panel, size=size, title=name, x=f"{found.eta.name}, {interval:.0%} interval")
        panel.set_yticks(range(order.size), ["" for _ in order])
    axes[0].set_yticklabels([labels[k] for k in order], fontsize=size)
    axes[0].set_ylabel("topic", fontsize=size)
    add_note(ax, axes, "; ".join(filter(None, [note, left_out])))
    if len(positions) > 1:
        handles = axes[-1].get_legend_handles_labels()[0]
        chains = stored.z["chain"].values[positions].tolist()
        axes[-1].legend(
            handles,
            [f"chain {c}" for c in chains],
            fontsize=max(size - 1.5, 6),
            frameon=False,
            loc="lower left",
            bbox_to_anchor=(1.0, 0.0),
        )
    return axes


def _choose_tasks(found: StoredResponse, task: Any) -> tuple[list[int], list[str], str]:
    """Return the positions and names of the tasks to draw, and a note if some are left out."""
    n_tasks = found.y.shape[1]
    if found.kind == "binary" and found.classes is not None:
        known = [f"{found.classes[1]} (positive) against {found.classes[0]}"]
    else:
        classes = range(n_tasks) if found.classes is None else found.classes
        known = [str(c) for c in classes] if n_tasks > 1 else [found.name]
    if task is None:
        left_out = n_tasks - MOST_PANELS
        note = f"tasks 1 to {MOST_PANELS} of {n_tasks}, others with task=" if left_out > 0 else ""
        return list(range(min(n_tasks, MOST_PANELS))), known[:MOST_PANELS], note
    wanted = [str(t) for t in (task if isinstance(task, (list, tuple, np.ndarray)) else [task])]
    unknown = [t for t in wanted if t not in known]
    if unknown or not wanted:
        raise ValueError(f"task must be among {known}, got {task!r}")
    return [known.index(t) for t in wanted], wanted, ""


def _draw_bars(ax: Axes, eta: NDArray[np.float64], interval: float) -> None:
    """Draw (chain, draw, topic) as a dot and a bar for each chain and topic."""
    n_chains, _, n_topics = eta.shape
    tails = [(1 - interval) / 2, (1 + interval) / 2]
    for c in range(n_chains):
        rows = np.arange(n_topics) + 0.6 * (0.5 - (c + 0.5) / n_chains)
        low, high = np.quantile(eta[c], tails, axis=0)
        ax.hlines(rows, low, high, color=colour(c), linewidth=1.4, label=f"chain {c}")
        ax.plot(eta[c].mean(axis=0), rows, "o", color=colour(c), markersize=2.6)
    ax.axvline(0.0, color=GREY, linewidth=0.6)
    ax.grid(axis="y", color="0.93", linewidth=0.5)
    ax.set_axisbelow(True)
    ax.set_ylim(-0.7, n_topics - 0.3)
