"""The loss weight c by five-fold cross-validation on the training parts."""

from __future__ import annotations

from paper.figures.tables import Results
from paper.runner import Job, job
from paper.settings import CANDIDATES, CHOSEN, MARGIN, Scale

TOPICS = {"religion": 20, "hotel": 10}


def trial(corpus: str, method: str, c: float) -> Job:
    """Return the job that scores one value of c."""
    margin = {"margin": MARGIN} if method in ("gMedLDA", "vMedLDA") else {}
    shorter = {"iterations": 30} if method.startswith("vMedLDA") else {}
    topics = TOPICS[corpus]
    return job(
        "cross_validate", method=method, corpus=corpus, n_topics=topics, seed=0, c=c,
        **margin, **shorter,
    )  # fmt: skip


def jobs(scale: Scale) -> list[Job]:
    """Return the jobs of all candidates."""
    del scale
    return [
        trial(corpus, method, c)
        for corpus, methods in CANDIDATES.items()
        for method, candidates in methods.items()
        for c in candidates
    ]


def describe(results: Results) -> str:
    """Return a Markdown table: the score of each candidate, and what is used."""
    lines = ["| corpus | method | cross-validated scores | used |", "|---|---|---|---|"]
    for corpus, methods in CANDIDATES.items():
        for method, candidates in methods.items():
            scores = {c: results[trial(corpus, method, c)]["score"] for c in candidates}
            listed = ", ".join(f"c = {c:g}: {score:.3f}" for c, score in scores.items())
            used = CHOSEN[corpus][method]
            best = max(scores, key=lambda c: scores[c])
            note = "" if best == used else f" (the best is {best:g})"
            lines.append(f"| {corpus} | {method} | {listed} | c = {used:g}{note} |")
    return "\n".join(lines)
