"""One look for all figures: a journal's column, error bars, labels beside the curves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from pymc_medlda.plots.style import COLOURS, GREY, tidy

PANEL = (2.6, 2.2)  # inches
# A method has the same colour in all figures.
COLOUR_OF = {
    "GibbsMedLDA": COLOURS[0],
    "multi-task": COLOURS[0],
    "one-vs-all": COLOURS[5],
    "gMedLDA": COLOURS[2],
    "vMedLDA": COLOURS[1],
    "vMedLDA, c = 1": COLOURS[4],
    "GibbsLDA + SVM": COLOURS[3],
    "sLDA": COLOURS[3],
    "SVM on words": GREY,
    "tomotopy sLDA": COLOURS[5],
    "tf-idf + linear": GREY,
}
Curve = tuple[Sequence[float], Sequence[Sequence[float]]]
SETTINGS = {
    "font.size": 8,
    "font.family": "sans-serif",
    "pdf.fonttype": 42,  # fonts that journals accept
    "savefig.dpi": 150,
    "axes.linewidth": 0.6,
}


@contextmanager
def journal() -> Iterator[None]:
    """Draw with the fonts and sizes of the figures."""
    with mpl.rc_context(SETTINGS):
        yield


def panels(n: int, width: float = PANEL[0], height: float = PANEL[1]) -> tuple[Figure, list[Axes]]:
    """Return a figure with n panels in a row."""
    figure = Figure(figsize=(n * width, height), layout="constrained")
    axes = figure.subplots(1, n, squeeze=False)[0]
    return figure, list(axes)


def draw_curves(ax: Axes, curves: dict[str, Curve], *, x: str, y: str, log: str = "") -> None:
    """Draw the mean of each curve with bars of one standard deviation, and its name beside it.

    A curve is (positions, for each position the values of the seeds). ``log`` names the
    logarithmic axes, "x", "y" or "xy".
    """
    for i, (name, (positions, values)) in enumerate(curves.items()):
        means = [np.mean(own) for own in values]
        spread = [np.std(own, ddof=1) if len(own) > 1 else 0.0 for own in values]
        colour = COLOUR_OF.get(name, COLOURS[i % len(COLOURS)])
        ax.errorbar(
            positions, means, yerr=spread, color=colour, lw=1.2, marker="o", ms=3, capsize=1.5,
            elinewidth=0.7,
        )  # fmt: skip
    if "x" in log:
        ax.set_xscale("symlog" if _has_zero(curves) else "log")
        _label_positions(ax, sorted({x for positions, _ in curves.values() for x in positions}))
    if "y" in log:
        ax.set_yscale("log")
    tidy(ax, size=8, x=x, y=y)
    label_directly(ax, {name: float(np.mean(values[-1])) for name, (_, values) in curves.items()})


def _has_zero(curves: dict[str, Curve]) -> bool:
    return any(min(positions) <= 0 for positions, _ in curves.values())


def _label_positions(ax: Axes, positions: list[float]) -> None:
    """Label the positions themselves if they are few and close: powers of ten would not fit."""
    if len(positions) <= 6 and 0 < positions[-1] < 100 * positions[0]:
        ax.set_xticks(positions, [f"{x:g}" for x in positions])
        ax.xaxis.set_minor_formatter(NullFormatter())


def label_directly(ax: Axes, ends: dict[str, float]) -> None:
    """Write the names of curves to the right of their ends, moved apart where they would touch."""
    transform = ax.transData + ax.transAxes.inverted()
    right = ax.get_xlim()[1]
    heights = {name: transform.transform((right, value))[1] for name, value in ends.items()}
    lowest = -np.inf
    for name in sorted(heights, key=lambda own: heights[own]):
        lowest = max(heights[name], lowest + 0.085)
        colour = COLOUR_OF.get(name, COLOURS[list(ends).index(name) % len(COLOURS)])
        ax.annotate(
            name, (1.02, lowest), xycoords="axes fraction", color=colour, fontsize=7, va="center"
        )


def save(figure: Figure, folder: Path, name: str) -> None:
    """Write a figure as PDF and PNG."""
    folder.mkdir(parents=True, exist_ok=True)
    for ending in ("pdf", "png"):
        metadata: dict[str, Any] = {"CreationDate": None} if ending == "pdf" else {}
        figure.savefig(folder / f"{name}.{ending}", metadata=metadata)
