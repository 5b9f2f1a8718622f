"""20 Newsgroups, one model per class: accuracy, and training time on one core and on twenty."""

from __future__ import annotations

from matplotlib.figure import Figure

from paper.figures.tables import Grid, Results, curves, flat
from paper.runner import Job, job
from paper.settings import NEWS, Scale, grid
from paper.style import Curve, draw_curves, panels

SWEEPS = 20  # the paper's M


def one_vs_all(scale: Scale) -> dict[int, list[Job]]:
    """Return the jobs of one-vs-all by number of topics; Figure 7 looks at the same jobs."""
    checkpoints = list(scale.one_vs_all_sweeps)
    return {
        n_topics: [
            job("one_vs_all", corpus="news", n_topics=n_topics, seed=s, checkpoints=checkpoints)
            for s in scale.one_vs_all_seeds
        ]
        for n_topics in scale.one_vs_all_topics
    }


def rivals(scale: Scale) -> Grid:
    """Return the jobs of gMedLDA and vMedLDA."""
    found: Grid = {}
    for name, seeds in scale.news_rival_seeds.items():
        found |= grid("news", {name: NEWS[name]}, scale.news_topics, range(seeds))
    return found


def jobs(scale: Scale) -> list[Job]:
    """Return all jobs."""
    return [*flat(one_vs_all(scale)), *flat(rivals(scale))]


def at_sweeps(results: Results, scale: Scale, name: str) -> Curve:
    """Return a value of one-vs-all after `SWEEPS` sweeps, over the number of topics."""
    own = one_vs_all(scale)
    seeds = [
        [results[one][name][results[one]["checkpoints"].index(SWEEPS)] for one in group]
        for group in own.values()
    ]
    return list(own), seeds


def draw(results: Results, scale: Scale) -> Figure:
    """Draw accuracy and training time."""
    figure, (left, right) = panels(2, width=3.2)
    accuracy = {"one-vs-all": at_sweeps(results, scale, "test_score")}
    accuracy |= curves(results, rivals(scale), "score")
    times = {
        "one-vs-all": at_sweeps(results, scale, "train_cpu_at"),
        "one-vs-all, 20 cores": at_sweeps(results, scale, "train_longest_at"),
        **curves(results, rivals(scale), "train_cpu"),
    }
    k = "number of topics (of each model)"
    draw_curves(left, accuracy, x=k, y="test accuracy")
    draw_curves(right, times, x=k, y="training time (s)", times=True, log="y")
    return figure
