"""Hotel reviews: predictive R², training time and testing time over the number of topics."""

from __future__ import annotations

from matplotlib.figure import Figure

from paper.figures.tables import Grid, Results, as_table, curves, flat
from paper.runner import Job
from paper.settings import HOTEL, Scale, grid
from paper.style import draw_curves, panels


def table(scale: Scale) -> Grid:
    """Return the jobs of each method and number of topics."""
    found: Grid = {}
    for name, settings in HOTEL.items():
        seeds = range(scale.hotel_seeds[name])
        found |= grid("hotel", {name: settings}, scale.hotel_topics, seeds)
    return found


def jobs(scale: Scale) -> list[Job]:
    """Return all jobs."""
    return flat(table(scale))


def draw(results: Results, scale: Scale) -> Figure:
    """Draw R² and processor times."""
    figure, (left, middle, right) = panels(3)
    own, k = table(scale), "number of topics"
    draw_curves(left, curves(results, own, "score"), x=k, y="predictive R²")
    draw_curves(
        middle, curves(results, own, "train_cpu"), x=k, y="training time (s)", times=True, log="y"
    )
    draw_curves(right, curves(results, own, "test_cpu"), x=k, y="testing time (s)", times=True)
    return figure


def describe(results: Results, scale: Scale) -> dict[str, str]:
    """Return scores over the number of topics, and times, as Markdown."""
    return {"fig02": as_table(results, table(scale))}
