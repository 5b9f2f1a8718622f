"""Accuracy against cost, averaging, agreement of chains, and the printed formulas with c ≠ 1.

The cost of a run is the processor time of training and of predicting the test part.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib.util import find_spec
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from paper.figures import fig01, fig02, fig04
from paper.figures.tables import Grid, Results, flat, spread, values
from paper.runner import Job, job
from paper.settings import AVERAGED, BINARY, CHAINS, TESTED_CHAINS, TUNED, Scale, grid
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
        # Rivals have one seed: their longest runs take long.
        (name, i): [
            _cost(name, settings, seed)
            for seed in (scale.seeds if name == "GibbsMedLDA" else scale.seeds[:1])
        ]
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


def binary_averaged(scale: Scale) -> list[Job]:
    """Return the jobs of averaged draws of two classes, with 20 topics."""
    return averaged("religion", scale.seeds, n_topics=20)


def hotel_averaged(scale: Scale) -> list[Job]:
    """Return the jobs of averaged draws of ratings."""
    return averaged("hotel", scale.seeds[:3])


def news_averaged(scale: Scale) -> list[Job]:
    """Return the jobs of averaged draws of the 20 newsgroups, with 40 topics."""
    return averaged("news", scale.seeds[:3], n_topics=40)


def news_with_words(scale: Scale) -> list[Job]:
    """Return the jobs of topics and words in one model, with the settings of averages."""
    own = AVERAGED["news"] | CHAINS["news"] | {"chains": 4}
    return [
        job("run", method="ours with words", corpus="news", n_topics=40, seed=seed, **own)
        for seed in scale.seeds[:3]
    ]


def linear_on_words(corpus: str) -> Job:
    """Return the job of a linear model of tf-idf, which has no topics and nothing random."""
    return job("run", method="tf-idf + linear", corpus=corpus, n_topics=0, seed=0)


def averaged(corpus: str, seeds: Iterable[int], **settings: Any) -> list[Job]:
    """Return jobs of several chains with the settings that cross-validation chose for them."""
    own = {**settings, **TESTED_CHAINS[corpus], **AVERAGED[corpus]}
    return [job("run", corpus=corpus, method="ours", seed=seed, **own) for seed in seeds]


def singles(scale: Scale) -> dict[str, list[Job]]:
    """Return the jobs of single draws that averages are compared with: those of the figures."""
    return {
        "religion": fig01.table(scale)["GibbsMedLDA", 20],
        "hotel": fig02.table(scale)["GibbsMedLDA", 20 if 20 in scale.hotel_topics else 10],
        "news": fig04.table(scale)["multi-task", 40],
    }


def averaged_against_rival(scale: Scale) -> Grid:
    """Return averaged draws of two classes beside vMedLDA, whose c cross-validation chose."""
    rival = fig01.table(scale)["vMedLDA", 20]
    return {("averaged", 20): binary_averaged(scale), ("vMedLDA", 20): rival}


def tuned(scale: Scale) -> Grid:
    """Return single draws of two classes, their averages and vMedLDA, all tuned alike."""
    variants = {name: {"method": name, **own} for name, own in TUNED.items()}
    averages = {("averaged", 20): binary_averaged(scale)}
    return averages | grid("religion", variants, [20], scale.seeds)


def printed() -> dict[str, Job]:
    """Return the jobs that run the printed formulas of both models on a toy corpus."""
    cs = [0.25, 0.5, 1.0, 2.0, 4.0]
    return {
        name: job("printed", response=name, cs=cs, n_sweeps=400_000, seed=1)
        for name in ("classification", "regression")
    }


def jobs(scale: Scale) -> list[Job]:
    """Return all jobs."""
    groups = [*costs(scale).values(), *chains(scale).values(), *singles(scale).values()]
    return [
        *(own for group in groups for own in group),
        *flat(tuned(scale)),
        *hotel_averaged(scale),
        *news_averaged(scale),
        *news_with_words(scale),
        *map(linear_on_words, ("religion", "hotel", "news")),
        *printed().values(),
    ]


def seconds_of(results: Results, jobs: list[Job]) -> float:
    """Return the median time of training and prediction."""
    return float(np.median([results[own]["train_cpu"] + results[own]["test_cpu"] for own in jobs]))


def draw(results: Results, scale: Scale) -> Figure:
    """Draw accuracy over processor time, and the error of the printed formulas."""
    figure, (left, right) = panels(2, width=3.6)
    found: dict[str, Any] = {}
    for (name, _), own in costs(scale).items():
        seconds, scores = found.setdefault(name, ([], []))
        seconds.append(seconds_of(results, own))
        scores.append(values(results, own, "score"))
    draw_curves(left, found, x="training and testing time (s)", y="test accuracy", log="x")
    lines: dict[str, Any] = {}
    for kind, own in printed().items():
        toy = results[own]
        for key, name in (("printed", "as printed"), ("corrected", "corrected")):
            lines[f"{kind}, {name}"] = (toy["cs"], [[error] for error in toy[key]])
    draw_curves(right, lines, x="c", y="distance from the posterior", log="x")
    return figure


def after(results: Results, scale: Scale, name: str, seconds: float) -> str:
    """Return the mean accuracy of the longest run of a method within a budget."""
    best = None
    for (variant, _), own in costs(scale).items():
        if variant == name and seconds_of(results, own) <= seconds:
            best = np.mean(values(results, own, "score"))
    return "–" if best is None else f"{best:.3f}"


def describe(results: Results, scale: Scale) -> dict[str, str]:
    """Return the tables of the page "What the paper could not know", as Markdown."""
    lines = ["| method | 1 s | 2 s | 5 s | 10 s |", "|---|---|---|---|---|"]
    for name in dict.fromkeys(name for name, _ in costs(scale)):
        cells = " | ".join(after(results, scale, name, budget) for budget in BUDGETS)
        lines.append(f"| {name} | {cells} |")
    absent = [name for name in LENGTHS if (name, 0) not in costs(scale)]
    lines += [f"| {name} | not installed" + " | –" * (len(BUDGETS) - 1) + " |" for name in absent]
    return {
        "beyond_cost": "\n".join(lines),
        "beyond_averaging": describe_averaging(results, scale),
        "beyond_printed": describe_printed(results),
    }


def describe_printed(results: Results) -> str:
    """Return the errors of both formulas over c, for classification and regression."""
    cs = next(iter(printed().values())).settings["cs"]
    lines = ["| c | " + " | ".join(f"{c:g}" for c in cs) + " |", "|---" * (len(cs) + 1) + "|"]
    for kind, own in printed().items():
        for key, name in (("corrected", "corrected formula"), ("printed", "formula as printed")):
            cells = " | ".join(f"{error:.3f}" for error in results[own][key])
            lines.append(f"| {kind}, {name} | {cells} |")
    return "\n".join(lines)


def describe_averaging(results: Results, scale: Scale) -> str:
    """Return what averaging gains on each corpus: single draws, one chain, several chains.

    The last columns say whether chains agree on the discriminants of test documents.
    """
    heads = ["corpus and measure", "one draw", "one chain", "several chains", "tf-idf + linear"]
    heads += ["median R-hat", "documents with R-hat below 1.05"]
    lines = ["| " + " | ".join(heads) + " |", "|---" * len(heads) + "|"]

    def cell(jobs: list[Job], key: str = "score") -> str:
        k = jobs[0].settings["n_topics"]
        return f"{spread(values(results, jobs, key))} (K = {k}, {len(jobs)} seeds)"

    def add(name: str, corpus: str, *cells: str) -> None:
        linear = f"{results[linear_on_words(corpus)]['score']:.3f}"
        own = [*cells[:3], linear, *(cells[3:] or ("–", "–"))]
        lines.append(f"| {name} | " + " | ".join(own) + " |")

    own, two = chains(scale)["religion"], "two religion groups, accuracy"
    r_hat = f"{np.mean(values(results, own, 'r_hat')):.2f}"
    below = f"{np.mean(values(results, own, 'below_1.05')):.0%}"
    scores = [cell(own, key) for key in ("one_draw", "one_chain", "all_chains")]
    add(f"{two}, settings of the paper", "religion", *scores, r_hat, below)
    single, news = singles(scale), "20 newsgroups, accuracy"
    add(two, "religion", cell(single["religion"]), "–", cell(binary_averaged(scale)))
    add("hotel reviews, R²", "hotel", cell(single["hotel"]), "–", cell(hotel_averaged(scale)))
    add(news, "news", cell(single["news"]), "–", cell(news_averaged(scale)))
    add(f"{news}, words as features", "news", "–", "–", cell(news_with_words(scale)))
    return "\n".join(lines)
