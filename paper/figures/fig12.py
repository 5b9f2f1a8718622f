"""Topic profiles of the 20 newsgroups with 40 topics, and the best words of topics (Table 1)."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from paper import data
from paper.figures.tables import Results
from paper.runner import Job, job
from paper.settings import Scale
from pymc_medlda.plots.style import COLOURS, tidy

RARE = 0.005  # a fifth of an even share of 40 topics


def profile() -> Job:
    """Return the only job."""
    return job("topic_profiles", corpus="news", n_topics=40, seed=0, sweeps=40)


def jobs(scale: Scale) -> list[Job]:
    """Return all jobs."""
    del scale
    return [profile()]


def draw(results: Results, scale: Scale) -> Figure:
    """Draw the mean topic frequencies of each class as bars."""
    del scale
    found = np.array(results[profile()]["profile"])
    figure = Figure(figsize=(8.0, 6.0), layout="constrained")
    axes = figure.subplots(4, 5, sharex=True, sharey=True).ravel()
    for ax, row, name in zip(axes, found, data.class_names(), strict=True):
        ax.bar(np.arange(1, row.size + 1), row, color=COLOURS[0], width=0.9)
        tidy(ax, size=6.5, title=name)
    figure.supxlabel("topic", fontsize=8)
    figure.supylabel("mean topic frequency", fontsize=8)
    return figure


def describe(results: Results, scale: Scale, n_words: int = 10) -> dict[str, str]:
    """Return Table 1 as Markdown: the most frequent topic of each class, and its words.

    Typical words are at least three times as frequent in the class as in all others.
    """
    del scale
    result = results[profile()]
    heads = ["class", "most frequent topic", "its share", "its words", "typical ones"]
    lines = ["| " + " | ".join(heads) + " |", "|---" * len(heads) + "|"]
    table = np.array(result["profile"])
    for name, row, typical in zip(data.class_names(), table, result["typical"], strict=True):
        best = int(row.argmax())
        words = ", ".join(result["words"][best][:n_words])
        cells = name, best + 1, f"{row[best]:.2f}", words, len(typical[best])
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    rare = int((table.mean(axis=0) < RARE).sum())
    cells = f"topics with a mean share below {RARE:g}", f"{rare} of {table.shape[1]}"
    lines.append("| " + " | ".join([*cells, "", "", ""]) + " |")
    return {"fig12": "\n".join(lines)}
