"""The weights of the topics, with their uncertainty."""

from __future__ import annotations

import textwrap
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from pymc_medlda._arguments import check_probability, check_whole
from pymc_medlda._arrays import Floats
from pymc_medlda.plots.style import (
    GREY,
    add_note,
    colour,
    font_size,
    make_axes,
    name_chains,
    note_empty,
    shorten,
    tidy,
)
from pymc_medlda.plots.topic_labels import name_topics
from pymc_medlda.run.counts import holds_tokens
from pymc_medlda.run.relabelling import relabel_weights
from pymc_medlda.run.response_draws import ResponseDraws
from pymc_medlda.run.run import Run
from pymc_medlda.run.topic_draws import TopicDraws

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

    Topics are sorted by their mean weight in the first panel. Those with next to no tokens, whose
    weights are draws from the prior, are left out. The topics of several chains are matched first,
    as `align_topics` does; bars that lie apart are chains that disagree. The words and the number
    of a topic are those of the first chain that is drawn, as in `top_words`.

    Parameters
    ----------
    idata : InferenceData, DataTree or path
        What ``pm.sample`` returned, or a file of it.
    response : str, optional
        Name of the response, where the model has several.
    task : task or list of tasks, optional
        Classes, labels or tasks to draw, one panel each; by default the first four.
    chain : int, optional
        Draw this chain, as it is; by default all chains, aligned.
    interval : float, default 0.9
        Posterior probability of the bars; equal shares lie below and above them.
    n_words : int, default 4
        Words per label.
    ax : matplotlib axes or array of them, optional
        One for each panel.

    Returns
    -------
    array of Axes

    Examples
    --------
    >>> import matplotlib.pyplot as plt, pymc_medlda as med
    >>> med.plot_eta_forest(idata)[0].get_xlabel()
    'eta, 90% interval'
    >>> plt.close()
    """
    check_whole("n_words", n_words, at_least=0)
    check_probability("interval", interval)
    run = Run.of(idata)
    found = run.response(response)
    topics = run.topics(found.topics)
    chains = topics.find_chains(chain)
    chosen, names, note = choose_tasks(found, task)
    weights, share = _read_chains(run, topics, found, chains)
    eta = weights.reshape(len(chains), -1, found.y.shape[1], topics.n_topics)
    labels = name_topics(topics, chains[:1], n_words)
    kept = np.flatnonzero(holds_tokens(share))
    order = kept[np.argsort(eta[:, :, chosen[0], kept].mean(axis=(0, 1)))]
    size = font_size(order.size)
    height = 1.2 + order.size * (0.17 + 0.02 * len(chains))
    width = 6.4 if len(chosen) == 1 else 2.4 + 2.2 / len(chosen)
    axes = make_axes(ax, len(chosen), columns=MOST_PANELS, width=width, height=height)
    for panel, i, name in zip(axes, chosen, names, strict=True):
        _draw_bars(panel, eta[:, :, i][:, :, order], interval)
        title = textwrap.fill(name, 40) if len(chosen) == 1 else shorten(name, 24)
        tidy(panel, size=size, title=title, x=f"{found.eta.name}, {interval:.0%} interval")
        panel.set_yticks(range(order.size), ["" for _ in order])
    axes[0].set_yticklabels([labels[k] for k in order], fontsize=size)
    axes[0].set_ylabel("topic", fontsize=size)
    left_out = note_empty(share.size - kept.size)
    add_note(ax, axes, "; ".join(filter(None, [note, left_out])))
    if len(chains) > 1:
        name_chains(ax, axes, topics.chain_labels[chains].tolist())
    return axes


def _read_chains(
    run: Run, topics: TopicDraws, response: ResponseDraws, chains: list[int]
) -> tuple[Floats, Floats]:
    """Return eta of each chain, and the token shares of all of them.

    The topics of several chains are matched; one chain is read as it is.
    """
    if len(chains) == 1:
        return response.eta.values[chains], topics.shares(chains)
    matching = run.matching(topics)
    eta = relabel_weights(response.eta, matching.of_chain).values
    # All chains have the same number of tokens and draws, so the overall share is the mean.
    return eta, matching.share.mean(axis=0)


def choose_tasks(found: ResponseDraws, task: Any) -> tuple[list[int], list[str], str]:
    """Return the positions and names of the tasks to draw, and a note if some are left out."""
    n_tasks = found.y.shape[1]
    if found.kind == "binary" and found.classes is not None:
        known = [f"{found.classes[1]} (positive) against {found.classes[0]}"]
    else:
        known = [str(task) for task in found.task_labels] if n_tasks > 1 else [found.name]
    if task is None:
        left_out = n_tasks - MOST_PANELS
        note = _note_tasks(n_tasks) if left_out > 0 else ""
        return list(range(min(n_tasks, MOST_PANELS))), known[:MOST_PANELS], note
    wanted = [str(t) for t in (task if isinstance(task, (list, tuple, np.ndarray)) else [task])]
    unknown = [t for t in wanted if t not in known]
    if unknown or not wanted:
        raise ValueError(f"task must be among {known}, got {task!r}")
    return [known.index(t) for t in wanted], wanted, ""


def _note_tasks(n_tasks: int) -> str:
    """Say that only the first tasks are drawn, and how to draw others."""
    return f"the first {MOST_PANELS} of {n_tasks} tasks are drawn; choose others with task=[...]"


def _draw_bars(ax: Axes, eta: Floats, interval: float) -> None:
    """Draw (chain, draw, topic) as a dot and a bar for each chain and topic."""
    n_chains, _, n_topics = eta.shape
    tails = [(1 - interval) / 2, (1 + interval) / 2]
    for c in range(n_chains):
        rows = np.arange(n_topics) + 0.6 * (0.5 - (c + 0.5) / n_chains)
        low, high = np.quantile(eta[c], tails, axis=0)
        ax.hlines(rows, low, high, color=colour(c), linewidth=1.4)
        ax.plot(eta[c].mean(axis=0), rows, "o", color=colour(c), markersize=2.6)
    ax.axvline(0.0, color=GREY, linewidth=0.6)
    ax.grid(axis="y", color="0.93", linewidth=0.5)
    ax.set_axisbelow(True)
    ax.set_ylim(-0.7, n_topics - 0.3)
