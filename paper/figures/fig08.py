"""Burn-in with all classes in one model: test accuracy, training accuracy and training time."""

from __future__ import annotations

from matplotlib.figure import Figure

from paper.figures.tables import Results, curves_over_sweeps, flat
from paper.runner import Job, job
from paper.settings import Scale
from paper.style import draw_curves, panels


def table(scale: Scale) -> dict[int, list[Job]]:
    """Return the jobs of each number of topics."""
    checkpoints = list(scale.news_sweeps)
    return {
        k: [
            job("burn_in", corpus="news", n_topics=k, seed=s, checkpoints=checkpoints)
            for s in scale.news_seeds[:3]
        ]
        for k in scale.news_topics[:3]
    }


def jobs(scale: Scale) -> list[Job]:
    """Return all jobs."""
    return flat(table(scale))


def draw(results: Results, scale: Scale) -> Figure:
    """Draw the three panels over the number of sweeps."""
    figure, (left, middle, right) = panels(3)
    own, m = table(scale), "burn-in sweeps"
    found = {
        name: curves_over_sweeps(results, own, name)
        for name in ("test_score", "train_score", "train_cpu_at")
    }
    draw_curves(left, found["test_score"], x=m, y="test accuracy", log="x")
    draw_curves(middle, found["train_score"], x=m, y="training accuracy", log="x")
    draw_curves(right, found["train_cpu_at"], x=m, y="training time (s)")
    return figure
