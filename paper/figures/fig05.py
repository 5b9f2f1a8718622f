"""Wikipedia, 20 labels: precision, recall and F1 over the number of topics."""

from __future__ import annotations

from matplotlib.figure import Figure

from paper.figures.tables import Grid, Results, curves, flat, spread, values
from paper.runner import Job, job
from paper.settings import WIKI, Scale, grid
from paper.style import draw_curves, panels

MEASURES = ("precision", "recall", "f1")


def table(scale: Scale) -> Grid:
    """Return the jobs of the topic models."""
    return grid("wiki", WIKI, scale.wiki_topics, scale.seeds)


def words() -> Job:
    """Return the job of a linear machine on the words themselves."""
    return job("run", corpus="wiki", method="SVM on words", n_topics=0, seed=0)


def jobs(scale: Scale) -> list[Job]:
    """Return all jobs."""
    return [*flat(table(scale)), words()]


def draw(results: Results, scale: Scale) -> Figure:
    """Draw the three measures."""
    figure, axes = panels(3)
    for ax, measure in zip(axes, MEASURES, strict=True):
        found = curves(results, table(scale), measure)
        raw = values(results, [words()], measure)
        found["SVM on words"] = (scale.wiki_topics, [raw] * len(scale.wiki_topics))
        draw_curves(ax, found, x="number of topics", y=measure.replace("f1", "F1"))
    return figure


def describe(results: Results, scale: Scale) -> dict[str, str]:
    """Return the three measures of each method and number of topics, as Markdown."""
    lines = ["| method | K | seeds | precision | recall | F1 |", "|---|---|---|---|---|---|"]
    rows = {**table(scale), ("SVM on words", "–"): [words()]}
    for (name, k), own in rows.items():
        cells = " | ".join(spread(values(results, own, measure)) for measure in MEASURES)
        lines.append(f"| {name} | {k} | {len(own)} | {cells} |")
    return {"fig05": "\n".join(lines)}
