"""What is run for the figures: the settings of the paper, in full and in a quick form.

`CHOSEN` holds the c in use, `AVERAGED` what averaged predictions use, and `TUNED` what two methods
use where they are compared on equal terms. Cross-validation on the training parts chose them;
`paper.figures.choices` repeats it and says where another is better.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from paper.runner import Job, job

MARGIN = 164.0  # of two classes
MARGIN_OF_TASKS = 64.0

CHOSEN: dict[str, dict[str, float]] = {
    "religion": {"gMedLDA": 1.0, "vMedLDA": 4.0, "GibbsLDA + SVM": 5.0},
    "hotel": {"ours": 128.0, "vMedLDA regression": 8.0, "vMedLDA regression, words": 64.0},
    "news": {"gMedLDA": 16.0, "vMedLDA": 64.0},
    "wiki": {"GibbsLDA + SVM": 1600.0},
}
CANDIDATES: dict[str, dict[str, tuple[float, ...]]] = {
    "religion": {
        "gMedLDA": (0.25, 1.0, 4.0, 16.0),
        "vMedLDA": (1.0, 4.0, 16.0, 64.0),
        "GibbsLDA + SVM": (1.0, 5.0, 25.0),
    },
    "hotel": {
        "ours": (4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0),
        "vMedLDA regression": (1.0, 2.0, 4.0, 8.0, 16.0),
        "vMedLDA regression, words": (1.0, 4.0, 16.0, 64.0, 256.0, 1024.0),
    },
    "news": {"gMedLDA": (1.0, 4.0, 16.0, 64.0), "vMedLDA": (1.0, 4.0, 16.0, 64.0, 256.0)},
    "wiki": {"GibbsLDA + SVM": (1.0, 5.0, 25.0, 100.0, 400.0, 1600.0)},
}
# Of predictions that are averaged over draws and chains.
AVERAGED: dict[str, dict[str, float]] = {
    "religion": {"c": 1.0, "margin": MARGIN, "alpha": 5.0},
    "hotel": {"n_topics": 40, "c": 16.0, "alpha": 5.0},
    "news": {"c": 1.0, "margin": 20.0, "alpha": 1.0},
}
# Their chains where settings are chosen.
CHAINS: dict[str, dict[str, int]] = {
    "religion": {"chains": 10, "sweeps": 50, "draws": 50},
    "hotel": {"chains": 8, "sweeps": 100, "draws": 50},
    "news": {"chains": 10, "sweeps": 40, "draws": 20},
}
# Their chains where these settings are tested: the same, except on 20 newsgroups, where accuracy
# rises with the number of chains, but every candidate would take several minutes.
TESTED_CHAINS = CHAINS | {"news": {"chains": 80, "sweeps": 40, "draws": 10}}
# Of single runs with two classes where ours and vMedLDA are tuned in the same three settings.
TUNED: dict[str, dict[str, float]] = {
    "ours": {"c": 1.0, "margin": 400.0, "alpha": 20.0},
    "vMedLDA": {"c": 16.0, "margin": 400.0, "alpha": 1.0},
}


@dataclass(frozen=True)
class Scale:
    """How much is run: seeds, numbers of topics, sweeps and values of parameters."""

    seeds: tuple[int, ...]
    turn_seeds: tuple[int, ...]  # of training times in turns, and their rounds
    rounds: int
    binary_topics: tuple[int, ...]
    hotel_topics: tuple[int, ...]
    hotel_seeds: dict[str, int]  # of each method, because the rivals take minutes
    news_topics: tuple[int, ...]
    news_seeds: tuple[int, ...]
    news_rival_seeds: dict[str, int]
    one_vs_all_topics: tuple[int, ...]
    one_vs_all_seeds: tuple[int, ...]
    one_vs_all_sweeps: tuple[int, ...]
    news_sweeps: tuple[int, ...]
    wiki_topics: tuple[int, ...]
    binary_sweeps: tuple[int, ...]
    sensitivity_topics: tuple[int, ...]
    alphas: tuple[float, ...]
    margins: tuple[float, ...]
    samples: tuple[int, ...]


FULL = Scale(
    seeds=(0, 1, 2, 3, 4),
    turn_seeds=(0, 1, 2, 3, 4),
    rounds=3,
    binary_topics=(5, 10, 15, 20, 25, 30),
    hotel_topics=(5, 10, 20, 30),
    hotel_seeds={"GibbsMedLDA": 5, "vMedLDA": 3, "sLDA": 3},
    news_topics=(20, 40, 60, 80),
    news_seeds=(0, 1, 2, 3, 4),
    news_rival_seeds={"gMedLDA": 3, "vMedLDA": 3},
    one_vs_all_topics=(5, 10, 20),
    one_vs_all_seeds=(0, 1, 2),
    one_vs_all_sweeps=(0, 1, 5, 10, 20, 40),
    news_sweeps=(0, 1, 2, 5, 10, 20, 30, 40, 60),
    wiki_topics=(20, 40, 60),
    binary_sweeps=(0, 1, 2, 3, 5, 10, 20, 50),
    sensitivity_topics=(5, 10, 20),
    alphas=(0.01, 0.1, 0.5, 1.0, 5.0, 10.0, 100.0),
    margins=(1.0, 9.0, 25.0, 64.0, 164.0, 400.0, 625.0, 2500.0),
    samples=(1, 3, 5, 7, 9, 11, 13, 15, 17, 19),
)
QUICK = Scale(
    seeds=(0, 1, 2),
    turn_seeds=(0,),
    rounds=2,
    binary_topics=(10, 20),
    hotel_topics=(10,),
    hotel_seeds={"GibbsMedLDA": 3, "vMedLDA": 1, "sLDA": 1},
    news_topics=(40,),
    news_seeds=(0, 1),
    news_rival_seeds={"gMedLDA": 1},  # one run of vMedLDA takes as long as all others together
    one_vs_all_topics=(5,),
    one_vs_all_seeds=(0,),
    one_vs_all_sweeps=(0, 20, 30),
    news_sweeps=(0, 5, 10, 20, 30, 40),
    wiki_topics=(40,),
    binary_sweeps=(0, 1, 5, 10, 20),
    sensitivity_topics=(5, 20),
    alphas=(0.01, 0.1, 1.0, 10.0),
    margins=(25.0, 164.0, 625.0),
    samples=(1, 9, 19),
)

Variants = dict[str, dict[str, Any]]

BINARY: Variants = {
    "GibbsMedLDA": {"method": "ours"},
    "gMedLDA": {"method": "gMedLDA", "margin": MARGIN, "c": CHOSEN["religion"]["gMedLDA"]},
    "vMedLDA": {"method": "vMedLDA", "margin": MARGIN, "c": CHOSEN["religion"]["vMedLDA"]},
    "vMedLDA, c = 1": {"method": "vMedLDA", "margin": MARGIN, "c": 1.0},
    "GibbsLDA + SVM": {"method": "GibbsLDA + SVM", "c": CHOSEN["religion"]["GibbsLDA + SVM"]},
}
# Two rivals with fewer steps than their usual stopping rules take: vMedLDA with as many iterations
# as the settings file allows that is published with its authors' code, and gMedLDA with a quarter
# of its rounds.
SHORT: Variants = {
    "vMedLDA, 10 iterations": {**BINARY["vMedLDA"], "iterations": 10},
    "gMedLDA, 5 rounds": {**BINARY["gMedLDA"], "rounds": 5},
}
# vMedLDA whose rounds over a document go on until its topics have settled.
SETTLED: Variants = {
    f"{name}, settled topics": {**BINARY[name], "stop": "settled"}
    for name in ("vMedLDA", "vMedLDA, c = 1")
}
HOTEL: Variants = {
    "GibbsMedLDA": {"method": "ours", "c": CHOSEN["hotel"]["ours"]},
    "vMedLDA": {"method": "vMedLDA regression", "c": CHOSEN["hotel"]["vMedLDA regression"]},
    "sLDA": {"method": "sLDA"},
}
NEWS: Variants = {
    "multi-task": {"method": "ours", "sweeps": 40},
    "gMedLDA": {
        "method": "gMedLDA",
        "margin": MARGIN_OF_TASKS,
        "c": CHOSEN["news"]["gMedLDA"],
        "rounds": 10,
    },
    "vMedLDA": {
        "method": "vMedLDA",
        "margin": MARGIN_OF_TASKS,
        "c": CHOSEN["news"]["vMedLDA"],
        "iterations": 25,
        "unsupervised": 10,
    },
}
WIKI: Variants = {
    "GibbsMedLDA": {"method": "ours", "sweeps": 40},
    "GibbsLDA + SVM": {"method": "GibbsLDA + SVM", "c": CHOSEN["wiki"]["GibbsLDA + SVM"]},
}


def grid(
    corpus: str, variants: Variants, topics: Iterable[int], seeds: Iterable[int]
) -> dict[tuple[str, int], list[Job]]:
    """Return the jobs of each variant and number of topics, one per seed."""
    seeds = tuple(seeds)
    return {
        (name, n_topics): [
            job("run", corpus=corpus, n_topics=n_topics, seed=seed, **settings) for seed in seeds
        ]
        for name, settings in variants.items()
        for n_topics in topics
    }
