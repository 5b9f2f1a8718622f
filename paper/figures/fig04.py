"""20 Newsgroups, all classes in one model: accuracy, training time and testing time."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from paper.figures import fig03
from paper.figures.tables import Grid, Results, curves, flat, spread, values
from paper.runner import Job
from paper.settings import NEWS, Scale, grid
from paper.style import draw_curves, panels


def table(scale: Scale) -> Grid:
    """Return the jobs of the multi-task model and of gMedLDA."""
    ours = grid("news", {"multi-task": NEWS["multi-task"]}, scale.news_topics, scale.news_seeds)
    rival = {key: own for key, own in fig03.rivals(scale).items() if key[0] == "gMedLDA"}
    return {**ours, **rival}


def jobs(scale: Scale) -> list[Job]:
    """Return all jobs."""
    return [*flat(table(scale)), *fig03.jobs(scale)]


def draw(results: Results, scale: Scale) -> Figure:
    """Draw accuracy and processor times."""
    figure, (left, middle, right) = panels(3)
    own, k = table(scale), "number of topics (of each model)"
    accuracy = curves(results, own, "score")
    accuracy["one-vs-all"] = fig03.at_sweeps(results, scale, "test_score")
    draw_curves(left, accuracy, x=k, y="test accuracy")
    times = curves(results, own, "train_cpu")
    times["one-vs-all"] = fig03.at_sweeps(results, scale, "train_cpu_at")
    draw_curves(middle, times, x=k, y="training time (s)", times=True, log="y")
    tests = curves(results, own, "test_cpu")
    tests["one-vs-all"] = fig03.at_sweeps(results, scale, "test_cpu_at")
    draw_curves(right, tests, x=k, y="testing time (s)", times=True, log="y")
    return figure


def describe(results: Results, scale: Scale) -> dict[str, str]:
    """Return accuracy and times of all methods of Figures 3 and 4, as Markdown."""
    heads = ["method", "K", "seeds", "accuracy"]
    heads += ["training (s)", "on 20 cores (s)", "testing (s)", "on 20 cores (s)"]
    lines = ["| " + " | ".join(heads) + " |", "|---" * len(heads) + "|"]

    def add(*cells: object) -> None:
        lines.append("| " + " | ".join(map(str, cells)) + " |")

    for (name, k), own in {**table(scale), **fig03.rivals(scale)}.items():
        times = [f"{np.median(values(results, own, t)):.2g}" for t in ("train_cpu", "test_cpu")]
        score = spread(values(results, own, "score"))
        add(name, k, len(own), score, times[0], "–", times[1], "–")
    scores = fig03.at_sweeps(results, scale, "test_score")[1]
    found = [
        fig03.at_sweeps(results, scale, name)[1]
        for name in ("train_cpu_at", "train_longest_at", "test_cpu_at", "test_longest_at")
    ]
    for i, (k, own) in enumerate(fig03.one_vs_all(scale).items()):
        medians = [f"{np.median(time[i]):.2g}" for time in found]
        add("one-vs-all", f"{k} each", len(own), spread(scores[i]), *medians)
    return {"fig04": "\n".join(lines)}
