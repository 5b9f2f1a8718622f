"""Methods from outside the paper: tf-idf with a linear model, and the sLDA of tomotopy."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.linear_model import Ridge
from sklearn.svm import LinearSVC

from pymc_medlda._arrays import Floats
from pymc_medlda.corpus import Corpus


@dataclass(frozen=True)
class Tfidf:
    """A linear model of the words themselves, per task."""

    transformer: TfidfTransformer
    models: list[Any]

    def discriminants(self, corpus: Corpus, seed: int = 0) -> Floats:
        """Return the decision values or predictions, (n_documents, n_tasks)."""
        features = self.transformer.transform(corpus.to_dtm())
        values = [getattr(model, "decision_function", model.predict) for model in self.models]
        return np.stack([value(features) for value in values], axis=1)


def fit_tfidf(corpus: Corpus, y: Floats, *, n_topics: int = 0, seed: int = 0) -> Tfidf:
    """Fit LinearSVC to labels, or Ridge to real values, with their default settings."""
    transformer = TfidfTransformer(sublinear_tf=True)
    features = transformer.fit_transform(corpus.to_dtm())
    labels = np.isin(y, (-1.0, 1.0)).all()
    models = [(_machine(seed) if labels else Ridge()).fit(features, own) for own in y.T]
    return Tfidf(transformer, models)


@dataclass(frozen=True)
class RawWords:
    """A linear machine on raw counts of words, per task."""

    models: list[Any]

    def discriminants(self, corpus: Corpus, seed: int = 0) -> Floats:
        """Return the decision values, (n_documents, n_tasks)."""
        counts = corpus.to_dtm().astype(float)
        return np.stack([model.decision_function(counts) for model in self.models], axis=1)


def fit_raw_words(corpus: Corpus, y: Floats, *, n_topics: int = 0, seed: int = 0) -> RawWords:
    """Fit LinearSVC to raw counts, as the paper does for Wikipedia."""
    counts = corpus.to_dtm().astype(float)
    return RawWords([_machine(seed).fit(counts, own) for own in y.T])


def _machine(seed: int) -> LinearSVC:
    return LinearSVC(random_state=seed, max_iter=10_000)


@dataclass(frozen=True)
class Tomotopy:
    """A trained SLDA model of tomotopy."""

    model: Any
    kind: str

    def discriminants(self, corpus: Corpus, seed: int = 0) -> Floats:
        """Return what the model estimates: values, or probabilities minus one half."""
        documents = [self.model.make_doc(words) for words in _as_words(corpus)]
        self.model.infer(documents, workers=1)
        values = np.array([self.model.estimate(document) for document in documents])
        return values - 0.5 if self.kind == "b" else values


def fit_tomotopy(
    corpus: Corpus, y: Floats, *, n_topics: int, seed: int, sweeps: int = 100
) -> Tomotopy:
    """Fit tomotopy's supervised LDA: binary responses for labels, else Gaussian ones."""
    import tomotopy  # optional: only those who compare with it need it

    kind = "b" if np.isin(y, (-1.0, 1.0)).all() else "l"
    model = tomotopy.SLDAModel(
        k=n_topics, vars=kind * y.shape[1], alpha=1.0 / n_topics, eta=0.01, seed=seed + 1
    )
    responses = (y + 1.0) / 2.0 if kind == "b" else y
    for words, own in zip(_as_words(corpus), responses, strict=True):
        model.add_doc(words, y=own.tolist())
    model.train(sweeps, workers=1)
    return Tomotopy(model, kind)


def _as_words(corpus: Corpus) -> list[list[str]]:
    """Return each document as words: tomotopy takes no numbers, and ends on an empty document."""
    words = np.char.add("w", corpus.words.astype(str)).tolist()
    return [words[first:last] or ["_"] for first, last in pairwise(corpus.starts)]
