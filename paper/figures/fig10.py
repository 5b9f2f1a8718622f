"""Sensitivity to the margin, with two classes."""

from __future__ import annotations

from matplotlib.figure import Figure

from paper.figures.tables import Grid, Results, curves, flat
from paper.runner import Job, job
from paper.settings import Scale
from paper.style import draw_curves, panels


def table(scale: Scale) -> Grid:
    """Return the jobs of each number of topics and value."""
    return {
        (f"K = {k}", value): [
            job("run", method="ours", corpus="religion", n_topics=k, seed=s, margin=value)
            for s in scale.seeds
        ]
        for k in scale.sensitivity_topics
        for value in scale.margins
    }


def jobs(scale: Scale) -> list[Job]:
    """Return all jobs."""
    return flat(table(scale))


def draw(results: Results, scale: Scale) -> Figure:
    """Draw accuracy over the value."""
    figure, (ax,) = panels(1, width=3.4)
    found = curves(results, table(scale), "score")
    draw_curves(ax, found, x="margin ℓ", y="test accuracy", log="x")
    return figure
