"""Burn-in with all classes in one model: test accuracy, training accuracy and training time."""

from __future__ import annotations

from matplotlib.figure import Figure

from paper.figures.tables import Results, burn_in_jobs, draw_burn_in, flat
from paper.runner import Job
from paper.settings import Scale


def table(scale: Scale) -> dict[int, list[Job]]:
    """Return the jobs of each number of topics."""
    return burn_in_jobs("news", scale.news_topics[:3], scale.news_seeds[:3], scale.news_sweeps)


def jobs(scale: Scale) -> list[Job]:
    """Return all jobs."""
    return flat(table(scale))


def draw(results: Results, scale: Scale) -> Figure:
    """Draw the three panels over the number of sweeps."""
    return draw_burn_in(results, table(scale))
