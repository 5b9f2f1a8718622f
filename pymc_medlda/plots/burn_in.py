"""The traces that show when a run has settled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from pymc_medlda._arrays import Floats
from pymc_medlda.plots.style import GREY, colour, make_axes, tidy
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

    The dotted line marks the burn-in that `diagnose` recommends. A loss that falls over more than
    two orders of magnitude is drawn on a logarithmic scale.

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
    for panel, name in zip(axes, drawn, strict=True):
        _draw_traces(panel, values[name], n_warm_up, recommended)
        real = name == "score" and all(k == "real" for k in kinds)
        tidy(panel, size=8.5, x="draw", y="training R²" if real else LABELS[name])
        if name == "loss" and _spans_decades(values[name]):
            panel.set_yscale("log")
    if found.sizes["chain"] > 1:
        axes[0].legend(
            [f"chain {c}" for c in found["chain"].values.tolist()],
            fontsize=7,
            frameon=False,
            ncols=2,
        )
    return axes


def _draw_traces(ax: Axes, values: Floats, n_warm_up: int, recommended: int | None) -> None:
    """Draw (chain, draw) as lines, with the warm-up and the recommended burn-in."""
    draws = np.arange(values.shape[1])
    for i, series in enumerate(values):
        ax.plot(draws, series, color=colour(i), linewidth=0.9, alpha=0.85)
    if n_warm_up:
        ax.axvspan(-0.5, n_warm_up - 0.5, color="0.92", zorder=0)
        middle: dict[str, Any] = {"ha": "center", "va": "top", "fontsize": 7, "color": GREY}
        ax.text(n_warm_up / 2, 0.98, "warm-up", transform=ax.get_xaxis_transform(), **middle)
    if recommended:
        ax.axvline(recommended, color=GREY, linewidth=0.9, linestyle=":")
    ax.margins(x=0.01)


def _spans_decades(values: Floats) -> bool:
    """Tell whether a series falls so far that a linear scale would hide its end."""
    return bool(values.min() > 0 and values.max() > 100 * np.median(values))
