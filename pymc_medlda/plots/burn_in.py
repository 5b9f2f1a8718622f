"""The traces that show when a run has settled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from pymc_medlda._arrays import Floats
from pymc_medlda.plots.style import GREY, add_note, colour, make_axes, name_chains, tidy
from pymc_medlda.run.burn_in import burn_in_table, recommend
from pymc_medlda.run.run import Run

LABELS = {
    "loss": "training loss (sum)",
    "score": "training accuracy",
    "log_likelihood": "log p(W | Z) per token (nats)",
    "moved": "tokens that moved (share)",
    "log_joint": "log joint density (nats)",
}


def plot_burn_in(
    idata: Any,
    *,
    statistics: Sequence[str] = ("loss", "score", "log_likelihood", "moved"),
    ax: Any = None,
) -> NDArray[Any]:
    """Draw the statistics of every draw, one line per chain, with the warm-up shaded if kept.

    The dotted line marks the burn-in that `diagnose` recommends. The vertical axes are scaled to
    the draws after the first tenth, because the first draws differ from all others by so much that
    nothing else could be seen. A curve may therefore begin outside its panel.

    Parameters
    ----------
    idata : InferenceData, DataTree or path
        What ``pm.sample`` returned; with ``discard_tuned_samples=False`` the warm-up is in it.
    statistics : sequence of str
        Which to draw: ``"loss"``, ``"score"``, ``"log_likelihood"``, ``"moved"``, ``"log_joint"``.
        Loss and score of a plain LDA are left out.
    ax : array of matplotlib axes, optional
        One for each statistic drawn.

    Returns
    -------
    array of Axes

    Examples
    --------
    >>> import matplotlib.pyplot as plt, pymc_medlda as med
    >>> len(med.plot_burn_in(idata))
    4
    >>> plt.close()
    """
    is_list = isinstance(statistics, Sequence) and not isinstance(statistics, str)
    if not is_list or not statistics or any(name not in list(LABELS) for name in statistics):
        raise ValueError(f"statistics must be a list of some of {list(LABELS)}, got {statistics!r}")
    run = Run.of(idata)
    found, n_warm_up = run.statistics
    values = {name: run.statistics.take(name) for name in statistics}
    # Without a response the score is NaN and the loss zero.
    drawn = [n for n in statistics if np.isfinite(values[n]).all() and values[n].any()]
    if not drawn:
        raise ValueError(
            f"statistics must hold one that this run has: {', '.join(statistics)} are zero or "
            "missing in all draws, as without a response"
        )
    axes = make_axes(ax, len(drawn), columns=2, width=4.6, height=2.5, share_x=True)
    recommended = recommend(burn_in_table(run))
    kinds = [described.kind for described in run.response_records]
    for i, (panel, name) in enumerate(zip(axes, drawn, strict=True)):
        _draw_traces(panel, values[name], n_warm_up, recommended)
        real = name == "score" and all(k == "real" for k in kinds)
        is_last = ax is not None or i + 2 >= len(drawn)
        tidy(
            panel, size=8.5, x="draw" if is_last else "", y="training R²" if real else LABELS[name]
        )
        _scale(panel, values[name])
    if found.sizes["chain"] > 1:
        name_chains(ax, axes, found["chain"].values.tolist())
    n_first = _count_first(values[drawn[0]])
    notes = [
        "shaded: warm-up" if n_warm_up else "",
        f"dotted: recommended burn-in of {recommended} draws" if recommended else "",
        f"vertical axes scaled to the draws after the first {n_first}",
    ]
    add_note(ax, axes, "; ".join(filter(None, notes)))
    return axes


def _draw_traces(ax: Axes, values: Floats, n_warm_up: int, recommended: int | None) -> None:
    """Draw (chain, draw) as lines, with the warm-up and the recommended burn-in."""
    draws = np.arange(values.shape[1])
    for i, series in enumerate(values):
        ax.plot(draws, series, color=colour(i), linewidth=0.9, alpha=0.85)
    if n_warm_up:
        ax.axvspan(-0.5, n_warm_up - 0.5, color="0.92", zorder=0)
        # Above the axes, where no curve can be.
        above: dict[str, Any] = {"ha": "left", "va": "bottom", "fontsize": 7, "color": GREY}
        ax.text(0, 1.01, "warm-up", transform=ax.get_xaxis_transform(), **above)
    if recommended:
        ax.axvline(recommended, color=GREY, linewidth=0.9, linestyle=":")
    ax.margins(x=0.01)


def _count_first(values: Floats) -> int:
    """Return how many of the first draws, (chain, draw), do not count for the scale."""
    return values.shape[1] // 10


def _scale(ax: Axes, values: Floats) -> None:
    """Scale the vertical axis to what all chains do after the first draws."""
    later = values[:, _count_first(values) :]
    low, high = float(later.min()), float(later.max())
    if high > low:
        margin = 0.08 * (high - low)
        ax.set_ylim(low - margin, high + margin)
