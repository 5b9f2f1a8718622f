"""Settings chosen by five-fold cross-validation on the training parts: the test parts have no say.

The margin and α are those of the paper, and c is chosen, except where a row says otherwise. On 20
Newsgroups and for averages on hotel reviews, where runs are long, only one fold is held out.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from paper.figures.tables import Results, values
from paper.runner import Job, job
from paper.settings import (
    AVERAGED,
    CANDIDATES,
    CHAINS,
    CHOSEN,
    MARGIN,
    MARGIN_OF_TASKS,
    TUNED,
    Scale,
)

TOPICS = {"religion": 20, "hotel": 10, "news": 40, "wiki": 40}
# What the runs of the figures have too; variational runs are shorter here.
FIXED: dict[tuple[str, str], dict[str, Any]] = {
    ("religion", "gMedLDA"): {"margin": MARGIN},
    ("religion", "vMedLDA"): {"margin": MARGIN, "iterations": 30},
    ("hotel", "vMedLDA regression"): {"iterations": 30},
    ("hotel", "vMedLDA regression, words"): {"iterations": 30},
    ("news", "gMedLDA"): {"margin": MARGIN_OF_TASKS, "rounds": 10, "only": 1},
    ("news", "vMedLDA"): {
        "margin": MARGIN_OF_TASKS, "iterations": 25, "unsupervised": 10, "only": 1,
    },
}  # fmt: skip


ALPHAS = (1.0, 5.0, 20.0)


def vary(c: float, *others: float) -> list[dict[str, float]]:
    """Return settings of two classes: every α with each margin at one c, and with other c."""
    pairs = [(c, MARGIN), (c, 64.0), (c, 400.0), *((other, MARGIN) for other in others)]
    return [{"c": own, "margin": margin, "alpha": a} for own, margin in pairs for a in ALPHAS]


FOR_AVERAGES: dict[str, list[dict[str, float]]] = {
    "religion": vary(1.0, 4.0),
    "hotel": [
        *({"n_topics": k, "c": c, "alpha": 1.0} for k in (10, 20) for c in (4.0, 16.0, 64.0)),
        *({"n_topics": 40, "c": 16.0, "alpha": a} for a in (1.0, 5.0)),
        *({"n_topics": 20, "c": c, "alpha": a} for c in (16.0, 64.0) for a in (5.0, 20.0)),
    ],
    "news": [
        *({"c": 1.0, "margin": m, "alpha": a} for m in (20.0, MARGIN_OF_TASKS) for a in ALPHAS),
        *({"c": 1.0, "margin": m, "alpha": 1.0} for m in (9.0, 40.0, 164.0)),
        {"c": 4.0, "margin": 20.0, "alpha": 1.0},
    ],
}


class Choice(NamedTuple):
    """Candidates of one method on one corpus, and the one that the figures use."""

    corpus: str
    method: str
    label: str
    fixed: dict[str, Any]
    candidates: list[dict[str, Any]]
    used: dict[str, Any]
    seeds: int

    def jobs(self, candidate: dict[str, Any]) -> list[Job]:
        """Return the jobs that score one candidate, one per seed."""
        own = {"n_topics": TOPICS[self.corpus], **self.fixed, **candidate}
        return [
            job("cross_validate", method=self.method, corpus=self.corpus, seed=seed, **own)
            for seed in range(self.seeds)
        ]


def choices() -> list[Choice]:
    """Return all choices: c of single runs, settings of averages, and those of equal terms."""
    single = [
        Choice(
            corpus, method, method, FIXED.get((corpus, method), {}), [{"c": c} for c in candidates],
            {"c": CHOSEN[corpus][method]}, 3 if method == "ours" else 1,
        )
        for corpus, methods in CANDIDATES.items()
        for method, candidates in methods.items()
    ]  # fmt: skip
    averaged = [
        Choice(
            corpus, "ours", "ours, averaged", {**CHAINS[corpus], "only": folds},
            FOR_AVERAGES[corpus], AVERAGED[corpus], 1,
        )
        for corpus, folds in (("religion", 5), ("hotel", 1), ("news", 1))
    ]  # fmt: skip
    tuned = [
        Choice("religion", "ours", "ours, one draw", {}, vary(1.0, 4.0), TUNED["ours"], 5),
        Choice(
            "religion", "vMedLDA", "vMedLDA, all settings", {"iterations": 30},
            vary(16.0, 4.0, 64.0), TUNED["vMedLDA"], 3,
        ),
    ]  # fmt: skip
    return [*single, *averaged, *tuned]


def jobs(scale: Scale) -> list[Job]:
    """Return the jobs of all candidates."""
    del scale
    return [
        own
        for choice in choices()
        for candidate in choice.candidates
        for own in choice.jobs(candidate)
    ]


def name_of(candidate: dict[str, Any]) -> str:
    """Return the settings of a candidate in the symbols of the page."""
    symbols = {"n_topics": "K", "margin": "ℓ", "alpha": "α"}
    return ", ".join(f"{symbols.get(name, name)} = {own:g}" for name, own in candidate.items())


def describe(results: Results, scale: Scale) -> dict[str, str]:
    """Return a Markdown table: the score of each candidate, and what is used."""
    del scale
    lines = ["| corpus | method | cross-validated scores | used |", "|---|---|---|---|"]
    for own in choices():
        scores = {
            name_of(candidate): float(np.mean(values(results, own.jobs(candidate), "score")))
            for candidate in own.candidates
        }
        listed = "; ".join(f"{name}: {score:.3f}" for name, score in scores.items())
        used, best = name_of(own.used), max(scores, key=lambda name: scores[name])
        note = "" if best == used else f" (the best is {best})"
        lines.append(f"| {own.corpus} | {own.label} | {listed} | {used}{note} |")
    return {"choices": "\n".join(lines)}
