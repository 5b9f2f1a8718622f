"""Accuracy against cost, averaging, agreement of chains, and the printed formulas with c ≠ 1."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from paper.figures.tables import Grid, Results, values
from paper.runner import Job, job
from paper.settings import BINARY, CHOSEN, Scale
from paper.style import draw_curves, panels

BUDGETS = (1.0, 2.0, 5.0, 10.0)  # seconds of processor time
OURS = [
    {"chains": 1, "sweeps": 10, "draws": 1},
    {"chains": 1, "sweeps": 30, "draws": 30},
    {"chains": 4, "sweeps": 15, "draws": 15},
    {"chains": 4, "sweeps": 40, "draws": 40},
    {"chains": 10, "sweeps": 40, "draws": 40},
    {"chains": 20, "sweeps": 40, "draws": 40},
]
LENGTHS: dict[str, tuple[str, tuple[int, ...]]] = {
    "gMedLDA": ("rounds", (2, 5, 10, 20, 50, 120)),
    "vMedLDA": ("iterations", (2, 5, 10, 25, 60, 120)),
    "GibbsLDA + SVM": ("sweeps", (50, 100, 250, 600, 1200)),
    "tomotopy sLDA": ("sweeps", (20, 50, 100, 250, 500)),
}


def costs(scale: Scale) -> Grid:
    """Return the jobs of every method, from short to long runs; the second key counts them."""
    lengths = {
        name: [{name_of: length, "tolerance": 0.0} if name == "vMedLDA" else {name_of: length}
               for length in own]
        for name, (name_of, own) in LENGTHS.items()
        if name != "tomotopy sLDA" or find_spec("tomotopy")
    }  # fmt: skip
    lengths |= {"GibbsMedLDA": OURS, "tf-idf + linear": [{}]}
    return {
        (name, i): [_cost(name, settings, seed) for seed in scale.seeds]
        for name, runs in lengths.items()
        for i, settings in enumerate(runs)
    }


def _cost(name: str, settings: dict[str, Any], seed: int) -> Job:
    own = BINARY.get(name, {"method": name})
    return job("run", corpus="religion", n_topics=20, seed=seed, **{**own, **settings})


def chains(scale: Scale) -> dict[str, list[Job]]:
    """Return the jobs that compare one draw, one chain and several chains."""
    return {
        "religion": [job("agreement", corpus="religion", n_topics=20, seed=s) for s in scale.seeds]
    }


def hotel_averaged() -> Job:
    """Return the job of averaged draws of ratings."""
    c = CHOSEN["hotel"]["ours"]
    return job(
        "run",
        corpus="hotel",
        method="ours",
        n_topics=20,
        seed=0,
        sweeps=50,
        draws=30,
        chains=8,
        c=c,
    )


def news_averaged() -> Job:
    """Return the job of averaged draws of the 20 newsgroups, with 40 topics."""
    return job(
        "run", corpus="news", method="ours", n_topics=40, seed=0, sweeps=40, draws=20, chains=10
    )


def printed() -> Job:
    """Return the job that runs the printed formulas on a toy corpus."""
    cs = [0.25, 0.5, 1.0, 2.0, 4.0]
    return job("printed", cs=cs, n_sweeps=400_000, seed=1)


def jobs(scale: Scale) -> list[Job]:
    """Return all jobs."""
    groups = [*costs(scale).values(), *chains(scale).values()]
    return [
        *(own for group in groups for own in group),
        hotel_averaged(),
        news_averaged(),
        printed(),
    ]


def draw(results: Results, scale: Scale) -> Figure:
    """Draw accuracy over processor time, and the error of the printed formulas."""
    figure, (left, right) = panels(2, width=3.6)
    found: dict[str, Any] = {}
    for (name, _), own in costs(scale).items():
        seconds, scores = found.setdefault(name, ([], []))
        seconds.append(float(np.median(values(results, own, "train_cpu"))))
        scores.append(values(results, own, "score"))
    draw_curves(left, found, x="training time (s)", y="test accuracy", log="x")
    toy = results[printed()]
    lines = {
        name: (toy["cs"], [[own] for own in toy[key]])
        for name, key in (("as printed", "printed"), ("corrected", "corrected"))
    }
    draw_curves(right, lines, x="c", y="distance from the posterior", log="x")
    return figure


def after(results: Results, scale: Scale, name: str, seconds: float) -> str:
    """Return the mean accuracy of the longest run of a method within a budget."""
    best = None
    for (variant, _), own in costs(scale).items():
        if variant == name and np.median(values(results, own, "train_cpu")) <= seconds:
            best = np.mean(values(results, own, "score"))
    return "–" if best is None else f"{best:.3f}"


def describe(results: Results) -> str:
    """Return the tables of the page "What the paper could not know", as Markdown."""
    from paper.settings import FULL

    names = dict.fromkeys(name for name, _ in costs(FULL))
    lines = ["| method | 1 s | 2 s | 5 s | 10 s |", "|---|---|---|---|---|"]
    for name in names:
        cells = " | ".join(after(results, FULL, name, budget) for budget in BUDGETS)
        lines.append(f"| {name} | {cells} |")
    lines += ["", "| corpus | one draw | one chain | four chains | R-hat | below 1.05 |"]
    lines += ["|---|---|---|---|---|---|"]
    for corpus, own in chains(FULL).items():
        keys = ("one_draw", "one_chain", "all_chains", "r_hat", "below_1.05")
        means = " | ".join(f"{np.mean(values(results, own, key)):.3f}" for key in keys)
        lines.append(f"| {corpus} | {means} |")
    toy = results[printed()]
    lines += ["", "| c | " + " | ".join(f"{c:g}" for c in toy["cs"]) + " |"]
    lines += ["|---" * (len(toy["cs"]) + 1) + "|"]
    for key in ("corrected", "printed"):
        lines.append(f"| {key} | " + " | ".join(f"{own:.3f}" for own in toy[key]) + " |")
    lines += [
        "",
        f"Hotel reviews, eight chains averaged: R² {results[hotel_averaged()]['score']:.3f}",
    ]
    return "\n".join(lines)
