"""Two religion groups: accuracy, training time and testing time over the number of topics."""

from __future__ import annotations

from typing import Any

from matplotlib.figure import Figure

from paper.figures.tables import Grid, Results, as_table, curves, flat
from paper.runner import Job, job
from paper.settings import BINARY, SHORT, Scale, grid
from paper.style import draw_curves, panels


def table(scale: Scale) -> Grid:
    """Return the jobs of each method and number of topics."""
    return grid("religion", BINARY, scale.binary_topics, scale.seeds)


def turns(scale: Scale) -> list[Job]:
    """Return the jobs, one per seed, that measure training times with 20 topics in turns."""
    variants = {name: BINARY[name] for name in ("GibbsMedLDA", "gMedLDA", "vMedLDA")} | SHORT
    own: dict[str, Any] = {"corpus": "religion", "n_topics": 20, "variants": variants}
    return [job("in_turns", seed=s, rounds=scale.rounds, **own) for s in scale.turn_seeds]


def jobs(scale: Scale) -> list[Job]:
    """Return all jobs."""
    return [*flat(table(scale)), *turns(scale)]


def draw(results: Results, scale: Scale) -> Figure:
    """Draw accuracy and processor times."""
    figure, (left, middle, right) = panels(3)
    own, k = table(scale), "number of topics"
    draw_curves(left, curves(results, own, "score"), x=k, y="test accuracy")
    draw_curves(
        middle, curves(results, own, "train_cpu"), x=k, y="training time (s)", times=True, log="y"
    )
    draw_curves(right, curves(results, own, "test_cpu"), x=k, y="testing time (s)", times=True)
    return figure


def describe(results: Results, scale: Scale) -> dict[str, str]:
    """Return scores over the number of topics, and times, as Markdown."""
    return {"fig01": as_table(results, table(scale))}
