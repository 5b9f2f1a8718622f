"""Settings chosen by five-fold cross-validation on the training parts: the test parts have no say.

The margin is that of the paper, and c is chosen, except where a row says otherwise. On 20
Newsgroups one of the five folds is held out, because its runs are long.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from paper.figures.tables import Results, values
from paper.runner import Job, job
from paper.settings import AVERAGED, CANDIDATES, CHOSEN, MARGIN, MARGIN_OF_TASKS, Scale

TOPICS = {"religion": 20, "hotel": 10, "news": 40}
# Several short chains: enough to rank candidates for longer ones.
SHORT = {"chains": 4, "sweeps": 40, "draws": 10}
# What the runs of the figures have too; variational runs are shorter here.
FIXED: dict[tuple[str, str], dict[str, Any]] = {
    ("religion", "gMedLDA"): {"margin": MARGIN},
    ("religion", "vMedLDA"): {"margin": MARGIN, "iterations": 30},
    ("hotel", "vMedLDA regression"): {"iterations": 30},
    ("news", "gMedLDA"): {"margin": MARGIN_OF_TASKS, "rounds": 10, "only": 1},
    ("news", "vMedLDA"): {
        "margin": MARGIN_OF_TASKS, "iterations": 25, "unsupervised": 10, "only": 1,
    },
}  # fmt: skip


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
    """Return all choices: c of single runs, then what is varied for averaged predictions."""
    single = [
        Choice(
            corpus, method, method, FIXED.get((corpus, method), {}), [{"c": c} for c in candidates],
            {"c": CHOSEN[corpus][method]}, 3 if method == "ours" else 1,
        )
        for corpus, methods in CANDIDATES.items()
        for method, candidates in methods.items()
    ]  # fmt: skip
    hotel = [{"n_topics": 20, "c": c} for c in (4.0, 16.0, 64.0, 256.0)]
    hotel += [{"n_topics": 40, "c": c} for c in (4.0, 16.0, 64.0)]
    binary = [{"c": 1.0, "margin": margin} for margin in (9.0, 25.0, 64.0, MARGIN, 400.0)]
    binary += [{"c": c, "margin": MARGIN} for c in (0.25, 4.0)]
    return [
        *single,
        Choice("hotel", "ours", "ours, averaged", SHORT, hotel, AVERAGED["hotel"], 1),
        Choice("religion", "ours", "ours, averaged", SHORT, binary, AVERAGED["religion"], 1),
    ]


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
    symbols = {"n_topics": "K", "margin": "ℓ"}
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
