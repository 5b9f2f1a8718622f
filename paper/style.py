"""One look for all figures: a journal's column, error bars, labels beside the curves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, NullLocator

from pymc_medlda.plots.style import COLOURS, GREY, tidy

PANEL = (2.6, 2.2)  # inches
# A method has the same colour in all figures.
COLOUR_OF = {
    "GibbsMedLDA": COLOURS[0],
    "multi-task": COLOURS[0],
    "one-vs-all": COLOURS[5],
    "one-vs-all, 20 cores": GREY,
    "gMedLDA": COLOURS[2],
    "vMedLDA": COLOURS[1],
    "vMedLDA, c = 1": COLOURS[4],
    "GibbsLDA + SVM": COLOURS[3],
    "sLDA": COLOURS[3],
    "SVM on words": GREY,
    "tomotopy sLDA": COLOURS[5],
    "tf-idf + linear": GREY,
    # And a number of topics has the same colour in all figures.
    "K = 5": COLOURS[0],
    "K = 10": COLOURS[1],
    "K = 20": COLOURS[2],
    "K = 40": COLOURS[3],
    "K = 60": COLOURS[4],
    "K = 80": COLOURS[5],
}
# Curves that end further left, as a part of the axis, have their names beside their last points.
SHORT = 0.75
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
    figure.get_layout_engine().set(w_pad=0.08)  # the labels of a panel end before the next
    axes = figure.subplots(1, n, squeeze=False)[0]
    return figure, list(axes)


def draw_curves(
    ax: Axes, curves: dict[str, Curve], *, x: str, y: str, log: str = "", times: bool = False
) -> None:
    """Draw the mean of each curve with bars of one standard deviation, and its name beside it.

    A curve is (positions, for each position the values of the seeds). ``log`` names the
    logarithmic axes, "x", "y" or "xy". Of ``times`` medians are drawn, and bars from the shortest
    to the longest: one seed that was disturbed by other work says nothing.
    """
    everything = sorted({own for positions, _ in curves.values() for own in positions})
    for i, (name, (positions, values)) in enumerate(curves.items()):
        means = [_middle(own, times=times) for own in values]
        spread = [_bar(own, times=times) for own in values]
        colour = _colour(name, list(curves))
        # Curves stand slightly beside each other, so that their error bars do not hide.
        aside = 0.0 if "x" in log else (i - (len(curves) - 1) / 2) * 0.008 * np.ptp(everything)
        ax.errorbar(
            np.asarray(positions) + aside, means, yerr=np.transpose(spread), color=colour, lw=1.2,
            marker="o", ms=2.8, capsize=1.5, elinewidth=0.7,
        )  # fmt: skip
    longest = max((positions for positions, _ in curves.values()), key=len)
    if "x" in log:
        _scale_positions(ax, everything)
    elif len(longest) <= 6:
        ax.set_xticks(thin_out(longest))
    if "y" in log:
        _scale_values(ax)
    tidy(ax, size=8, x=x, y=y)
    ends = {name: (own[0][-1], _middle(own[1][-1], times=times)) for name, own in curves.items()}
    reach = ax.transData + ax.transAxes.inverted()
    inside = {name for name, end in ends.items() if reach.transform(end)[0] < SHORT}
    for name in inside:
        label_at_end(ax, name, ends[name], _colour(name, list(ends)))
    label_directly(ax, {name: end[1] for name, end in ends.items() if name not in inside}, ends)


def _middle(own: Sequence[float], *, times: bool) -> float:
    return float(np.median(own) if times else np.mean(own))


def _bar(own: Sequence[float], *, times: bool) -> tuple[float, float]:
    """Return how far the bar of a point reaches down and up."""
    if times:
        return float(np.median(own) - min(own)), float(max(own) - np.median(own))
    deviation = float(np.std(own, ddof=1)) if len(own) > 1 else 0.0
    return deviation, deviation


def thin_out(positions: Sequence[float], apart: float = 0.06) -> list[float]:
    """Leave out positions whose numbers would touch those before them, as parts of the range.

    Examples
    --------
    >>> thin_out([0, 1, 5, 10, 20, 40])
    [0, 5, 10, 20, 40]
    """
    kept = [positions[0]]
    for position in positions[1:]:
        if position - kept[-1] >= apart * (positions[-1] - positions[0]):
            kept.append(position)
    return kept


def _colour(name: str, names: Sequence[str]) -> str:
    """Return the colour of a curve: its own, or that of its place."""
    return COLOUR_OF.get(name, COLOURS[names.index(name) % len(COLOURS)])


def _scale_positions(ax: Axes, positions: list[float]) -> None:
    """Make the horizontal axis logarithmic, from one on if there is a zero; label it in numbers."""
    if positions[0] <= 0:
        ax.set_xscale("symlog", linthresh=1, linscale=0.5)
        ax.set_xticks([own for own in (0, 1, 2, 5, 10, 20, 50) if own <= positions[-1]])
    else:
        ax.set_xscale("log")
        if len(positions) <= 6 and positions[-1] < 100 * positions[0]:
            ax.set_xticks(positions)
            ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    ax.xaxis.set_minor_formatter(NullFormatter())


def _scale_values(ax: Axes) -> None:
    """Make the vertical axis logarithmic, with more labels where it spans little."""
    ax.set_yscale("log")
    low, high = ax.get_ylim()
    ax.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if high < 50 * low else (1.0,)))
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    ax.yaxis.set_minor_formatter(NullFormatter())


def label_at_end(ax: Axes, name: str, end: tuple[float, float], colour: str) -> None:
    """Write the name of a curve that ends far from the right side beside its last point."""
    ax.annotate(
        name, end, xytext=(4, 4), textcoords="offset points", color=colour, fontsize=7, va="bottom"
    )


def label_directly(
    ax: Axes, ends: dict[str, float], names: Iterable[str], apart: float = 0.085
) -> None:
    """Write the names of curves to the right of their ends, moved apart where they would touch.

    ``names`` are those of all curves, which their colours follow.
    """
    order = list(names)
    transform = ax.transData + ax.transAxes.inverted()
    right = ax.get_xlim()[1]
    heights = {name: transform.transform((right, value))[1] for name, value in ends.items()}
    upwards = sorted(heights, key=lambda own: heights[own])
    places = move_apart([heights[own] for own in upwards], apart)
    for name, height in zip(upwards, places, strict=True):
        ax.annotate(
            name, (1.03, height), xycoords="axes fraction", color=_colour(name, order),
            fontsize=7, va="center",
        )  # fmt: skip


def move_apart(heights: Sequence[float], apart: float) -> list[float]:
    """Return sorted heights, moved as little as needed so that they lie apart and below one.

    Examples
    --------
    >>> [round(own, 2) for own in move_apart([0.2, 0.5, 0.5], 0.1)]
    [0.2, 0.45, 0.55]
    """
    groups: list[list[float]] = []
    for height in heights:
        groups.append([height])
        # A group that touches the one below becomes one with it, around their common mean.
        while len(groups) > 1 and _bottom(groups[-1], apart) - _top(groups[-2], apart) < apart:
            groups[-2:] = [groups[-2] + groups[-1]]
    return [_bottom(own, apart) + i * apart for own in groups for i in range(len(own))]


def _bottom(group: list[float], apart: float) -> float:
    height = (len(group) - 1) * apart
    return float(min(np.mean(group) - height / 2, 1.0 - height))


def _top(group: list[float], apart: float) -> float:
    return _bottom(group, apart) + (len(group) - 1) * apart


def save(figure: Figure, folder: Path, name: str) -> None:
    """Write a figure as PDF and PNG."""
    folder.mkdir(parents=True, exist_ok=True)
    for ending in ("pdf", "png"):
        metadata: dict[str, Any] = {"CreationDate": None} if ending == "pdf" else {}
        figure.savefig(folder / f"{name}.{ending}", metadata=metadata)
