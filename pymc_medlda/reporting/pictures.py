"""Figures of matplotlib as images inside the page."""

from __future__ import annotations

import base64
import io
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib import rc_context
from matplotlib.figure import Figure

from pymc_medlda.reporting.markup import Html, element

MOST_POINTS = 6000
"""A picture with more points is drawn as pixels: they take less space than lines."""


def make_panels(n: int, *, width: float = 4.4, height: float = 2.5) -> list[Figure]:
    """Return so many figures with one axes each, so that the page can arrange them."""
    figures = []
    for _ in range(n):
        figure = Figure(figsize=(width, height), layout="constrained")
        figure.add_subplot()
        figures.append(figure)
    return figures


def axes_of(figures: list[Figure]) -> Any:
    """Return the axes of figures as an array."""
    return np.array([figure.axes[0] for figure in figures], dtype=object)


def show(figure: Figure, alt: str, n_points: int = 0) -> Html:
    """Return a figure as an image that is a part of the page."""
    as_pixels = n_points > MOST_POINTS
    buffer = io.BytesIO()
    # Text stays text: the outlines of letters would take most of the space.
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "medlda"}):
        if as_pixels:
            figure.savefig(buffer, format="png", dpi=130)
        else:
            figure.savefig(buffer, format="svg", metadata={"Date": None})
    plt.close(figure)
    kind = "png" if as_pixels else "svg+xml"
    data = base64.b64encode(buffer.getvalue()).decode("ascii")
    image = element("img", src=f"data:image/{kind};base64,{data}", alt=alt)
    return element("figure", image, class_="picture")
