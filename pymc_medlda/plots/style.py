"""One look for all pictures: colours that colour-blind readers can tell apart, thin spines."""

from __future__ import annotations

import textwrap
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from numpy.typing import NDArray

# The palette of Okabe and Ito, without its yellow, which is faint on white.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
GREY = "#666666"
# Sequential, of even lightness, from white: small shares vanish and large ones stand out.
COLOUR_MAP = "Blues"


def colour(i: int) -> str:
    """Return the colour of the i-th chain or class."""
    return COLOURS[i % len(COLOURS)]


def make_axes(
    ax: Any, n: int, *, columns: int, width: float, height: float, share_x: bool = False
) -> NDArray[Any]:
    """Return n axes: those given, or new ones on a grid of panels of ``width`` x ``height`` inches.

    Panels of the grid that are not needed are removed.
    """
    if ax is not None:
        given = np.atleast_1d(np.asarray(ax, dtype=object)).ravel()
        if given.size != n or not all(isinstance(a, Axes) for a in given):
            raise ValueError(
                f"ax must hold {n} matplotlib axes, one per panel, got "
                f"{given.size if all(isinstance(a, Axes) for a in given) else repr(ax)}"
            )
        return given
    columns = min(columns, n)
    rows = -(-n // columns)
    _, axes = plt.subplots(
        rows,
        columns,
        figsize=(columns * width, rows * height),
        squeeze=False,
        sharex=share_x,
        layout="constrained",
    )
    for extra in axes.ravel()[n:]:
        extra.remove()
    panels: NDArray[Any] = axes.ravel()[:n]
    return panels


def tidy(ax: Axes, *, size: float = 9.0, title: str = "", x: str = "", y: str = "") -> None:
    """Thin the spines, set the font size, title and labels of an axes."""
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        ax.spines[side].set_linewidth(0.6)
    ax.tick_params(labelsize=size, width=0.6, length=3)
    if title:
        ax.set_title(title, fontsize=size + 1, loc="left")
    ax.set_xlabel(x, fontsize=size)
    ax.set_ylabel(y, fontsize=size)


def font_size(n: int) -> float:
    """Return a font size for n labels in a row: smaller for many labels, but never too small."""
    return float(np.clip(11.0 - n / 12.0, 6.5, 9.5))


def shorten(text: Any, n: int) -> str:
    """Return a text of at most n characters, with an ellipsis where something was cut off.

    Examples
    --------
    >>> shorten("talk.religion.misc", 12)
    'talk.religi…'
    """
    text = str(text)
    return text if len(text) <= n else text[: n - 1].rstrip(" .,-") + "…"


def note_empty(n: int) -> str:
    """Return a note on n empty topics that are left out, or an empty text for none."""
    return f"{n} topic{'s' * (n > 1)} with next to no tokens left out" if n else ""


def add_note(ax: Any, axes: NDArray[Any], note: str) -> None:
    """Write a note below a figure, as wide as that, unless the user gave the axes."""
    if note and ax is None:
        figure = axes[0].figure
        # A character of this font is at most about 0.055 inches wide on average.
        lines = textwrap.wrap(note, max(20, int(figure.get_figwidth() / 0.055)))
        figure.supxlabel("\n".join(lines), fontsize=7.5, color=GREY, x=0.01, ha="left")


def draw_heat_map(
    ax: Axes,
    values: NDArray[np.float64],
    *,
    label: str = "",
    top: float | None = None,
    pad: float = 0.01,
) -> None:
    """Draw a matrix as cells, with a thin colour bar if that has a label.

    ``pad`` is the space before the colour bar, as a share of the width of the axes.
    """
    image = ax.imshow(values, aspect="auto", cmap=COLOUR_MAP, vmin=0.0, vmax=top)
    if not label:
        return
    bar = ax.figure.colorbar(image, ax=ax, fraction=0.03, pad=pad)
    bar.ax.tick_params(labelsize=7, width=0.5, length=2)
    bar.outline.set_linewidth(0.5)
    bar.set_label(label, fontsize=8)


def name_chains(ax: Any, axes: NDArray[Any], chains: list[Any]) -> None:
    """Name the chains above the panels of a new figure, or inside the last of the axes given.

    The lines of the legend have the colours of the chains.
    """
    lines = [Line2D([], [], color=colour(i), linewidth=1.2) for i in range(len(chains))]
    names = [f"chain {c}" for c in chains]
    options: dict[str, Any] = {"fontsize": 7.5, "frameon": False}
    if ax is None:
        axes[-1].figure.legend(lines, names, ncols=8, loc="outside upper right", **options)
    else:
        axes[-1].legend(lines, names, **options)
