"""Sensitivity to the number of samples of z per test document, with two classes."""

from __future__ import annotations

from matplotlib.figure import Figure

from paper.figures.tables import Grid, Results, curves, flat
from paper.runner import Job, job
from paper.settings import Scale
from paper.style import draw_curves, panels


def table(scale: Scale) -> Grid:
    """Return the jobs of each number of topics and of samples."""
    return {
        (f"K = {k}", n): [
            job("run", method="ours", corpus="religion", n_topics=k, seed=s, n_samples=n)
            for s in scale.seeds
        ]
        for k in scale.sensitivity_topics
        for n in scale.samples
    }


def jobs(scale: Scale) -> list[Job]:
    """Return all jobs."""
    return flat(table(scale))


def draw(results: Results, scale: Scale) -> Figure:
    """Draw accuracy and testing time."""
    figure, (left, right) = panels(2)
    n = "samples of z"
    draw_curves(left, curves(results, table(scale), "score"), x=n, y="test accuracy")
    draw_curves(
        right, curves(results, table(scale), "test_cpu"), x=n, y="testing time (s)", times=True
    )
    return figure
