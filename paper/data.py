"""The corpora of the paper, and how predictions for them are scored."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import pymc_medlda as med
from paper.files import FILES, FOLDER, FULL_WIKI, has_full_wiki
from paper.lshtc import read_lshtc
from pymc_medlda._arrays import Floats
from pymc_medlda.corpus import Corpus
from pymc_medlda.prediction.evaluation import score_labels
from tests.benchmarks import data as stored

# What `draw` draws for each kind, and for how many tasks.
RESPONSES: dict[str, tuple[Any, int]] = {
    "two": ("binary", 1),
    "classes": ("multiclass", 3),
    "labels": ("multilabel", 3),
    "values": ("real", 1),
}
KINDS = {"religion": "two", "hotel": "values", "news": "classes", "wiki": "labels"}


@dataclass(frozen=True)
class Problem:
    """Training and test documents with responses that have one column per task.

    ``kind`` is "two" (classes), "classes", "labels" or "values". Labels are ±1.
    """

    kind: str
    train: Corpus
    y: Floats
    test: Corpus
    truth: Floats

    @property
    def n_tasks(self) -> int:
        """Number of discriminants."""
        return self.y.shape[1]

    def score(self, discriminants: Floats, truth: Floats | None = None) -> dict[str, float]:
        """Score discriminants, of the test part by default: accuracy, R², or precision and F1."""
        truth = self.truth if truth is None else truth
        if self.kind == "values":
            error = np.square(truth - discriminants).sum()
            return {"score": float(1.0 - error / np.square(truth - truth.mean()).sum())}
        if self.kind == "labels":
            scores = score_labels(discriminants > 0, truth)
            own = {name: float(scores[name]) for name in ("precision", "recall", "f1")}
            return {"score": own["f1"], **own}
        if self.kind == "two":
            return {"score": float(np.mean(np.sign(discriminants) == truth))}
        return {"score": float(np.mean(discriminants.argmax(axis=1) == truth.argmax(axis=1)))}

    def part(self, own: NDArray[np.bool_]) -> Problem:
        """Return the problem of training on some training documents, tested on the others."""
        train, y = self.train, self.y
        return Problem(self.kind, train[own], y[own], train[~own], y[~own])


@functools.cache
def load(name: str) -> Problem:
    """Load a corpus by its name here, or draw one where the name begins with "drawn"."""
    if name.startswith("drawn"):
        return draw(name)
    if name == "wiki" and has_full_wiki():
        return load_full_wiki()
    (train, y), (test, truth) = stored.load(FILES[name]), stored.load(FILES[name], "test")
    kind = KINDS[name]
    return Problem(kind, train, as_columns(y, kind), test, as_columns(truth, kind))


def as_columns(y: NDArray[Any], kind: str) -> Floats:
    """Return responses with one column per task, labels as ±1."""
    if kind == "values":
        return y.astype(float).reshape(-1, 1)
    if kind == "classes":
        return np.where(y[:, None] == np.arange(y.max() + 1), 1.0, -1.0)
    return np.where(y.reshape(len(y), -1) > 0, 1.0, -1.0)


def class_names() -> list[str]:
    """Return the names of the twenty newsgroups."""
    return (FOLDER / "20ng_bydate.labels.txt").read_text(encoding="utf-8").split()


def load_full_wiki(n_labels: int = 20) -> Problem:
    """Load the documents of the LSHTC challenge with at least one of its largest categories."""
    train, test = (read_lshtc(FOLDER / file) for file in FULL_WIKI)
    largest = train.largest(n_labels)
    (corpus, y), (held, truth) = (part.select(largest) for part in (train, test))
    n_words = max(corpus.n_words, held.n_words)
    grown = [Corpus(own.words, own.starts, n_words=n_words) for own in (corpus, held)]
    return Problem("labels", grown[0], y, grown[1], truth)


def draw(name: str) -> Problem:
    """Draw a small corpus with planted topics: "drawn-two", or another kind of response."""
    kind = name.split("-")[1]
    response, n_tasks = RESPONSES[kind]
    planted = med.datasets.make_planted(
        200, n_topics=5, n_words=200, response=response, n_tasks=n_tasks, seed=1
    )
    y = as_columns(np.asarray(planted.y), kind)
    return Problem(kind, planted.corpus[:140], y[:140], planted.corpus[140:], y[140:])
