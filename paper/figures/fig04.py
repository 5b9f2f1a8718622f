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
    draw_curves(middle, times, x=k, y="training time (s)", log="y")
    tests = curves(results, own, "test_cpu")
    groups = fig03.one_vs_all(scale)
    tests["one-vs-all"] = (
        list(groups),
        [[results[one]["test_cpu"] for one in group] for group in groups.values()],
    )
    draw_curves(right, tests, x=k, y="testing time (s)", log="y")
    return figure


def describe(results: Results, scale: Scale) -> dict[str, str]:
    """Return accuracy and times of all methods of Figures 3 and 4, as Markdown."""
    heads = ["method", "K", "seeds", "accuracy", "training (s)", "on 20 cores (s)", "testing (s)"]
    lines = ["| " + " | ".join(heads) + " |", "|---" * len(heads) + "|"]

    def add(*cells: object) -> None:
        lines.append("| " + " | ".join(map(str, cells)) + " |")

    for (name, k), own in {**table(scale), **fig03.rivals(scale)}.items():
        times = [f"{np.median(values(results, own, t)):.2g}" for t in ("train_cpu", "test_cpu")]
        add(name, k, len(own), spread(values(results, own, "score")), times[0], "–", times[1])
    scores, times, longest = (
        fig03.at_sweeps(results, scale, name)[1]
        for name in ("test_score", "train_cpu_at", "train_longest_at")
    )
    for i, (k, own) in enumerate(fig03.one_vs_all(scale).items()):
        medians = [f"{np.median(found[i]):.2g}" for found in (times, longest)]
        test = f"{np.median(values(results, own, 'test_cpu')):.2g}"
        add("one-vs-all", f"{k} each", len(own), spread(scores[i]), *medians, test)
    return {"fig04": "\n".join(lines)}
