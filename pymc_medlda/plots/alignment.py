"""How similar the topics of two chains are, before and after alignment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle
from numpy.typing import NDArray

from pymc_medlda._arrays import Floats
from pymc_medlda.plots.style import (
    add_note,
    colour,
    draw_heat_map,
    make_axes,
    note_empty,
    tidy,
)
from pymc_medlda.plots.topic_labels import name_topics
from pymc_medlda.run.coordinates import find_label
from pymc_medlda.run.counts import holds_tokens
from pymc_medlda.run.matching import SAME_TOPIC, cosine
from pymc_medlda.run.run import Run

# Up to so many topics there is room for the cosines in the cells.
MOST_WITH_VALUES = 16
# Smaller cosines are not written into the cells: they would hide the others.
SMALLEST_WRITTEN = 0.2
N_WORDS = 2


def plot_alignment(
    idata: Any,
    *,
    chains: tuple[int, int] = (0, 1),
    topics: str | None = None,
    ax: Any = None,
) -> NDArray[Any]:
    """Draw the cosines between the topics of two chains, before and after `align_topics`.

    Chains that found the same topics show a dark diagonal on the right. A pale cell on the diagonal
    is a topic that the other chain does not have. A frame marks a topic that every chain of the run
    has found, those that are not drawn included: its cosine is at least 0.9 between every two of
    them. Rows are named with the number and the words of the topic in the first of the two chains.
    The numbers on the right are the cosines on the diagonal. Topics with next to no tokens are left
    out.

    Parameters
    ----------
    idata : InferenceData, DataTree or path
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
    >>> import matplotlib.pyplot as plt, pymc_medlda as med
    >>> [panel.get_title(loc="left") for panel in med.plot_alignment(idata)]
    ['as stored', 'aligned']
    >>> plt.close()
    """
    run = Run.of(idata)
    drawn = run.topics(topics)
    pair = _check_chains(chains, drawn.chain_labels.tolist())
    matching = run.matching(drawn)
    # Topics without tokens are left out: their word distributions all equal the prior.
    rows, columns = (np.flatnonzero(holds_tokens(drawn.shares([chain]))) for chain in pair)
    kept = np.flatnonzero(matching.filled)
    cell = 0.27 if kept.size <= MOST_WITH_VALUES else 0.135
    side = float(np.clip(cell * kept.size, 2.2, 8.5))
    axes = make_axes(ax, 2, columns=2, width=side + 1.4, height=side + 1.0)
    numbers = drawn.topic_labels.astype(str)
    names = np.array(name_topics(drawn, pair[:1], N_WORDS))
    first, second = drawn.mean_phi(pair)
    as_stored = cosine(first[rows], second[columns])
    _draw(axes[0], as_stored, (names[rows], numbers[columns]))
    # Aligned topics have the numbers of the first chain of the run, and the words of these chains.
    first, second = matching.phi[pair][:, kept]
    aligned = cosine(first, second)
    # Leave room for the numbers between the cells and the colour bar.
    bar = {"label": "cosine of word distributions", "pad": 0.35 / side}
    _draw(axes[1], aligned, (numbers[kept], numbers[kept]), bar)
    _write_diagonal(axes[1], aligned)
    x, y = (f"topic of chain {c}" for c in reversed(chains))
    for panel, title in zip(axes, ("as stored", "aligned"), strict=True):
        tidy(panel, size=_font_size(kept.size), title=title, x=x, y=y)
    found = np.flatnonzero(matching.found[kept])
    _frame(axes[1], found)
    notes = [_note_found(found.size, drawn.n_chains), note_empty(drawn.n_topics - kept.size)]
    add_note(ax, axes, "; ".join(filter(None, notes)))
    return axes


def _check_chains(chains: Any, known: list[Any]) -> list[int]:
    """Return the positions of the two chains to compare."""
    is_list = isinstance(chains, Sequence) and not isinstance(chains, str)
    positions = [find_label(known, chain) for chain in chains] if is_list else []
    found = [position for position in positions if position is not None]
    if len(found) != 2 or len(positions) != 2:
        raise ValueError(f"chains must be two chains among {known}, got {chains!r}")
    return found


def _frame(ax: Axes, positions: NDArray[np.intp]) -> None:
    """Draw a frame around cells of the diagonal."""
    for k in positions:
        cell = Rectangle((k - 0.47, k - 0.47), 0.94, 0.94, fill=False, lw=1.6, edgecolor=colour(1))
        ax.add_patch(cell)


def _note_found(n: int, n_chains: int) -> str:
    """Say what the frames mean, if there are any."""
    if not n:
        return ""
    chains = "both chains" if n_chains == 2 else f"all {n_chains} chains"
    return f"framed: found by {chains} (cosine at least {SAME_TOPIC})"


def _font_size(n: int) -> float:
    """Return a font size that fits the cells of n topics."""
    return 8.0 if n <= MOST_WITH_VALUES else 6.5


def _draw(
    ax: Axes,
    values: Floats,
    labels: tuple[NDArray[Any], NDArray[Any]],
    bar: Mapping[str, Any] | None = None,
) -> None:
    """Draw cosines as a heat map, with their values if there is room."""
    draw_heat_map(ax, values, top=1.0, **(bar or {}))
    for axis, names in zip((ax.yaxis, ax.xaxis), labels, strict=True):
        axis.set_ticks(range(names.size), names.tolist())
    ax.tick_params(axis="x", labelrotation=90 if max(values.shape) > MOST_WITH_VALUES else 0)
    if max(values.shape) > MOST_WITH_VALUES:
        return
    for (row, column), value in np.ndenumerate(values):
        if value >= SMALLEST_WRITTEN:
            options: dict[str, Any] = {
                "ha": "center",
                "va": "center",
                "fontsize": 6.5,
                "color": "white" if value > 0.6 else "black",
            }
            ax.text(column, row, f"{value:.2f}".removeprefix("0"), **options)


def _write_diagonal(ax: Axes, values: Floats) -> None:
    """Write the cosines of the diagonal to the right of their rows."""
    right = ax.secondary_yaxis("right")
    right.set_yticks(range(len(values)), [f"{value:.2f}" for value in np.diag(values)])
    right.tick_params(labelsize=_font_size(len(values)) - 1, length=0)
    right.spines["right"].set_visible(False)
