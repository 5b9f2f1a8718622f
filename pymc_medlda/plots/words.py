"""The words of the topics, as bars."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pymc_medlda._arguments import check_whole
from pymc_medlda.plots.style import (
    COLOURS,
    add_note,
    font_size,
    make_axes,
    note_empty,
    shorten,
    tidy,
)
from pymc_medlda.plots.topic_labels import LONGEST_WORD, describe_weights
from pymc_medlda.run.coordinates import find_label
from pymc_medlda.run.counts import holds_tokens
from pymc_medlda.run.run import Run
from pymc_medlda.run.words import Criterion, check_criterion, rank_words

# The class in a title is shortened so that the line has at most so many characters.
LONGEST_TITLE = 29
# Width of a character in inches, on average and for each point of the font size.
CHARACTER = 0.008


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
    """Draw the top words of each topic, one panel per topic, with their probabilities as bars.

    The pale bar behind is the probability of the word in the whole corpus. The title has the share
    of the tokens and, if there is a response, the class that the topic speaks for and its mean
    weight. Of several classes or tasks this is the one for which the weight is largest.

    Parameters
    ----------
    idata : InferenceData, DataTree or path
        What ``pm.sample`` returned, or a file of it.
    n : int, default 8
        Words per topic.
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
    >>> import matplotlib.pyplot as plt, pymc_medlda as med
    >>> len(med.plot_topic_words(idata, 5))
    2
    >>> plt.close()
    """
    check_whole("n", n, at_least=1)
    check_criterion(by, weight)
    run = Run.of(idata)
    drawn = run.topics(topics)
    chains = drawn.find_chains(chain)
    known = drawn.topic_labels.tolist()
    wanted = None if which is None else _check_topics(which, known)
    phi = drawn.mean_phi(chains).mean(axis=0)
    share = drawn.shares(chains)
    kept = np.flatnonzero(holds_tokens(share))
    note = note_empty(share.size - kept.size)
    chosen = kept.tolist() if wanted is None else wanted
    best = rank_words(phi, share, by=by, weight=weight)[:, :n]
    words = [[shorten(word, LONGEST_WORD) for word in row] for row in drawn.word_labels[best]]
    weights = describe_weights(run, drawn, chains, LONGEST_TITLE)
    titles = [
        f"topic {label} ({part:.1%} of tokens)" for label, part in zip(known, share, strict=True)
    ]
    titles = ["\n".join(filter(None, lines)) for lines in zip(titles, weights, strict=True)]
    size = font_size(len(chosen))
    columns = 3 if len(chosen) <= 6 else 4 if len(chosen) <= 24 else 6
    width = _width([words[k] for k in chosen], [titles[k] for k in chosen], size)
    height = 0.75 + n * size / 72 * 1.35
    axes = make_axes(ax, len(chosen), columns=columns, width=width, height=height)
    for panel, k in zip(axes, chosen, strict=True):
        rows = np.arange(best.shape[1])
        panel.barh(rows, (share @ phi)[best[k]], color="0.85", height=0.9)
        panel.barh(rows, phi[k, best[k]], color=COLOURS[0], height=0.5)
        panel.set_yticks(rows, words[k])
        panel.invert_yaxis()
        tidy(panel, size=size - 0.5)
        panel.set_title(titles[k], fontsize=max(size - 1, 7), loc="left")
        panel.locator_params(axis="x", nbins=3)
        panel.tick_params(axis="y", length=0)
    meaning = "probability in the topic (blue) and in the corpus (grey)"
    add_note(ax, axes, f"{meaning}; {note}" if note and which is None else meaning)
    return axes


def _width(words: list[list[str]], titles: list[str], size: float) -> float:
    """Return the width of a panel, in inches, that holds the words and beside them the title."""
    longest_word = max(len(word) for row in words for word in row)
    longest_line = max(len(line) for title in titles for line in title.split("\n"))
    characters = longest_word * (size - 0.5) + longest_line * max(size - 1, 7)
    return 0.25 + CHARACTER * characters


def _check_topics(which: Any, known: list[Any]) -> list[int]:
    """Return the positions of the topics to draw."""
    message = f"which must list topics among {known}, got {which!r}"
    if isinstance(which, str) or not isinstance(which, Iterable):
        raise TypeError(message)
    positions = [find_label(known, topic) for topic in which]
    found = [position for position in positions if position is not None]
    if not found or len(found) < len(positions):
        raise ValueError(message)
    return found
