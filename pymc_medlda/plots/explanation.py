"""What topics and words contribute to the decision on one document."""

from __future__ import annotations

import textwrap
from typing import Any, Protocol, runtime_checkable

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from numpy.typing import NDArray

from pymc_medlda._arguments import check_whole
from pymc_medlda.plots.style import COLOURS, GREY, add_note, make_axes, tidy

# Blue for, orange against: colour-blind readers can tell these apart.
FOR, AGAINST = COLOURS[0], COLOURS[1]
LEAST_SHARE = 0.01
"""Topics with a smaller share of the document are not drawn."""


@runtime_checkable
class Explained(Protocol):
    """What the picture needs of an explanation."""

    document: Any
    kind: str
    target: Any
    against: Any
    interval: float
    topics: pd.DataFrame
    words: pd.DataFrame
    parts: pd.DataFrame


def plot_explanation(
    explanation: Any, *, n_topics: int = 8, n_words: int = 15, ax: Any = None
) -> NDArray[Any]:
    """Draw what the topics and the words of a document contribute to its decision.

    Bars to the right speak for what is explained, bars to the left against it; for real values
    they raise or lower the prediction. Thin lines are intervals over draws and chains. If the words
    are features too, a dot is what a word says through its topics alone.

    Parameters
    ----------
    explanation : Explanation
        What `explain` returned.
    n_topics, n_words : int, default 8 and 15
        How many bars at the most.
    ax : array of two matplotlib axes, optional
        For the topics and for the words.

    Returns
    -------
    array of Axes

    Examples
    --------
    >>> import matplotlib.pyplot as plt, pymc_medlda as med
    >>> topics, words = med.plot_explanation(med.explain(idata, 3))
    >>> words.get_xlabel()
    'contribution to F'
    >>> plt.close()
    """
    check_whole("n_topics", n_topics, at_least=1)
    check_whole("n_words", n_words, at_least=1)
    if not isinstance(explanation, Explained):
        raise TypeError(
            f"explanation must be what explain returned, got {type(explanation).__name__}"
        )
    topics = explanation.topics
    topics = topics[topics["share"] >= LEAST_SHARE].head(n_topics)
    words = explanation.words.head(n_words)
    height = 1.3 + 0.27 * max(len(topics) * 1.4, len(words), 3)
    axes = make_axes(ax, 2, columns=2, width=4.8, height=height)
    names = [
        textwrap.fill(f"{label}  {row['words']}", 30, max_lines=2, placeholder=" …")
        for label, row in topics.iterrows()
    ]
    _draw_bars(axes[0], topics, names)
    counted = [
        f"{word} ×{n}" if n > 1 else str(word)
        for word, n in zip(words.index, words["count"], strict=True)
    ]
    _draw_bars(axes[1], words, counted)
    if "by_topics" in words:
        places = np.arange(len(words))
        axes[1].plot(words["by_topics"], places, "o", color="black", markersize=3.5)
    for panel, title in zip(axes, ("topics", "words"), strict=True):
        tidy(panel, size=8.5, title=title, x="contribution to F")
    add_note(ax, axes, _note(explanation, "by_topics" in words))
    return axes


def _draw_bars(ax: Axes, table: pd.DataFrame, names: list[str]) -> None:
    """Draw diverging bars with intervals, the first row at the top."""
    mean = table["mean"].to_numpy()
    places = np.arange(len(table))
    ax.barh(places, mean, color=np.where(mean > 0, FOR, AGAINST), height=0.7, alpha=0.85)
    ax.hlines(places, table["lower"], table["upper"], color="0.25", linewidth=1.0)
    ax.axvline(0.0, color=GREY, linewidth=0.8)
    ax.set_yticks(places, names)
    ax.set_ylim(max(len(table), 6) - 0.4, -0.6)  # few bars are not drawn fat


def _note(why: Explained, has_dots: bool) -> str:
    """Return the caption: what is explained, what colours and lines mean."""
    total = why.parts.loc["total", "mean"]
    name = "New document" if why.document is None else f"Document {why.document}"
    if why.kind == "real":
        what = f"{name}: prediction {total:.3g}. Blue raises it, orange lowers it."
    else:
        rival = "" if why.against is None else f" against {why.against}"
        what = f"{name}: {why.target}{rival}, F = {total:.3g}."
        what += " Blue speaks for it, orange against it."
    dots = " Dots: what a word says through its topics." if has_dots else ""
    return f"{what} Lines: {why.interval:.0%} intervals.{dots}"
