"""Burn-in with one model per class: test accuracy, training time, and that of 20 cores."""

from __future__ import annotations

from matplotlib.figure import Figure

from paper.figures import fig03
from paper.figures.tables import Results, curves_over_sweeps, flat
from paper.runner import Job
from paper.settings import Scale
from paper.style import draw_curves, panels


def jobs(scale: Scale) -> list[Job]:
    """Return all jobs: those of Figure 3."""
    return flat(fig03.one_vs_all(scale))


def draw(results: Results, scale: Scale) -> Figure:
    """Draw the three panels over the number of sweeps."""
    figure, (left, middle, right) = panels(3)
    own, m = fig03.one_vs_all(scale), "burn-in sweeps"
    found = {
        name: curves_over_sweeps(results, own, name)
        for name in ("test_score", "train_cpu_at", "train_longest_at")
    }
    draw_curves(left, found["test_score"], x=m, y="test accuracy", log="x")
    draw_curves(middle, found["train_cpu_at"], x=m, y="training time (s)", times=True)
    draw_curves(right, found["train_longest_at"], x=m, y="training time, 20 cores (s)")
    return figure
