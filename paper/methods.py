"""All methods by name: one run of one method on one corpus, timed.

A run fits, predicts the test part and scores it. Compilation is no part of its times: every method
is run once on a tiny corpus before the clock starts.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from paper import data, ours, with_words
from paper.data import Problem
from paper.rivals import gmedlda, lda_svm, outsiders, slda, vmedlda

Fit = Callable[..., Any]

FITS: dict[str, Fit] = {
    "ours": ours.fit,
    "ours with words": with_words.fit,
    "gMedLDA": gmedlda.fit,
    "vMedLDA": vmedlda.fit,
    "vMedLDA regression": vmedlda.fit_values,
    "vMedLDA regression, words": vmedlda.fit_values_by_words,
    "sLDA": slda.fit,
    "GibbsLDA + SVM": lda_svm.fit,
    "tomotopy sLDA": outsiders.fit_tomotopy,
    "tf-idf + linear": outsiders.fit_tfidf,
    "SVM on words": outsiders.fit_raw_words,
}
# Methods that would take many iterations on a tiny corpus too.
SLOW_TO_STOP = ("vMedLDA regression", "vMedLDA regression, words", "sLDA")
# Settings of `discriminants`; all others are those of `fit`.
OF_PREDICTION = ("n_samples", "max_burn_in")


class Clock:
    """Processor and wall time since it was made, in seconds."""

    def __init__(self) -> None:
        self._cpu, self._wall = time.process_time(), time.perf_counter()

    def read(self, name: str) -> dict[str, float]:
        """Return both times under names that begin with ``name``."""
        cpu, wall = time.process_time() - self._cpu, time.perf_counter() - self._wall
        return {f"{name}_cpu": cpu, f"{name}_wall": wall}


def run(method: str, corpus: str, *, n_topics: int, seed: int, **settings: Any) -> dict[str, Any]:
    """Fit a method to a corpus, predict, and return scores and times."""
    problem = data.load(corpus)
    warm_up(method, n_topics, problem.kind)
    return run_on(problem, method, n_topics=n_topics, seed=seed, **settings)


def run_on(problem: Problem, method: str, *, n_topics: int, seed: int, **settings: Any) -> Any:
    """Do what `run` does, on a problem."""
    of_prediction = {name: settings.pop(name) for name in OF_PREDICTION if name in settings}
    clock = Clock()
    model = FITS[method](problem.train, problem.y, n_topics=n_topics, seed=seed, **settings)
    # A part of the training time, which only models in PyMC have.
    times = clock.read("train") | {"setup_cpu": getattr(model, "setup_cpu", 0.0)}
    clock = Clock()
    discriminants = model.discriminants(problem.test, seed=seed, **of_prediction)
    times |= clock.read("test")
    return {**problem.score(discriminants), **times}


@functools.cache
def warm_up(method: str, n_topics: int, kind: str) -> None:
    """Compile what a method needs, by one run on a tiny corpus with the same kind of response.

    The kernels of the package are compiled for each number of vectors of eight topics, and some
    rivals have other kernels for several classes.
    """
    settings = {"iterations": 2} if method in SLOW_TO_STOP else {}
    run_on(data.load(f"drawn-{kind}"), method, n_topics=n_topics, seed=0, **settings)


def cross_validate(
    method: str,
    corpus: str,
    *,
    n_topics: int,
    seed: int,
    folds: int = 5,
    only: int | None = None,
    **settings: Any,
) -> dict[str, Any]:
    """Return the mean score over folds of the training part, or over the first few of them."""
    problem = data.load(corpus)
    fold = np.random.default_rng(0).permutation(problem.train.n_documents) % folds
    parts = [problem.part(fold != own) for own in range(folds if only is None else only)]
    scores = [
        run_on(part, method, n_topics=n_topics, seed=seed, **settings)["score"] for part in parts
    ]
    return {"score": float(np.mean(scores))}


def one_vs_all(
    corpus: str, *, n_topics: int, seed: int, checkpoints: list[int], margin: float = 64.0
) -> dict[str, Any]:
    """Fit one binary model per class; after each number of sweeps predict by the largest value.

    The times are summed over classes, and ``train_longest`` is that of the class which took
    longest: the time that as many cores as classes would need.
    """
    warm_up("ours", n_topics, "two")
    problem = data.load(corpus)
    shape = len(checkpoints), problem.test.n_documents, problem.n_tasks
    held, times, tests = np.empty(shape), np.zeros(shape[::2]), np.zeros(shape[::2])
    for i in range(problem.n_tasks):
        own = Problem("two", problem.train, problem.y[:, [i]], problem.test, problem.truth[:, [i]])
        for j, (model, cpu) in enumerate(
            iterate_models(own, checkpoints, n_topics=n_topics, seed=seed + 100 * i, margin=margin)
        ):
            clock = Clock()
            held[j, :, i] = model.discriminants(problem.test, seed)[:, 0]
            times[j, i], tests[j, i] = cpu, clock.read("test")["test_cpu"]
    scores = [problem.score(own)["score"] for own in held]
    return {
        "checkpoints": checkpoints,
        "test_score": scores,
        "score": scores[-1],
        "train_cpu_at": times.sum(axis=1).tolist(),
        "train_longest_at": times.max(axis=1).tolist(),
        "test_cpu_at": tests.sum(axis=1).tolist(),
        "test_longest_at": tests.max(axis=1).tolist(),
    }


def burn_in(
    corpus: str, *, n_topics: int, seed: int, checkpoints: list[int], train: bool = True
) -> dict[str, Any]:
    """Run one chain, and score a draw of the classifier after each number of sweeps."""
    problem = data.load(corpus)
    warm_up("ours", n_topics, problem.kind)
    tests, trains, times = [], [], []
    for model, cpu in iterate_models(problem, checkpoints, n_topics=n_topics, seed=seed):
        times.append(cpu)
        tests.append(problem.score(model.discriminants(problem.test, seed))["score"])
        if train:
            draw = model.draws[0][0]
            z_bar = frequencies(draw.z, problem.train, n_topics)
            trains.append(problem.score(z_bar @ draw.eta.T, problem.y)["score"])
    return {
        "checkpoints": checkpoints,
        "test_score": tests,
        "train_score": trains,
        "train_cpu_at": times,
    }


def iterate_models(
    problem: Problem, checkpoints: list[int], *, n_topics: int, seed: int, **settings: Any
) -> Any:
    """Yield a model of one draw after each number of sweeps, and the processor time so far."""
    loss = ours.choose_loss(problem.y, **settings)
    clock = Clock()
    draws = ours.iterate_draws(problem.train, problem.y, n_topics=n_topics, loss=loss, seed=seed)
    alpha = np.full(n_topics, 1.0 / n_topics)
    spent = 0.0
    for i in range(checkpoints[-1] + 1):
        draw = next(draws)
        if i in checkpoints:
            spent += clock.read("train")["train_cpu"]
            yield ours.GibbsMedLDA(problem.train, alpha, [[draw]]), spent
            clock = Clock()


def frequencies(z: np.ndarray, corpus: Any, n_topics: int) -> Any:
    """Return z̄ of the training documents."""
    document = np.repeat(np.arange(corpus.n_documents), corpus.lengths)
    table = np.bincount(document * n_topics + z, minlength=corpus.n_documents * n_topics)
    table = table.reshape(corpus.n_documents, n_topics)
    return table / np.maximum(corpus.lengths, 1)[:, None]


def topic_profiles(corpus: str, *, n_topics: int, seed: int, sweeps: int) -> dict[str, Any]:
    """Return the mean topic frequencies of each class, the best words of topics, and weights.

    ``typical`` has, for each class and topic, those of the best words that are at least three times
    as frequent in the class as in all others.
    """
    problem = data.load(corpus)
    model = ours.fit(problem.train, problem.y, n_topics=n_topics, seed=seed, sweeps=sweeps)
    draw = model.draws[0][0]
    z_bar = frequencies(draw.z, problem.train, n_topics)
    profile = np.array([z_bar[own > 0].mean(axis=0) for own in problem.y.T])
    counts = np.zeros((n_topics, problem.train.n_words))
    np.add.at(counts, (draw.z, problem.train.words), 1.0)
    best = np.argsort(-counts, axis=1)[:, :10]
    names = vocabulary_of(problem.train)
    ratios = class_ratios(problem)
    return {
        "profile": profile.tolist(),
        "words": [[names[t] for t in row] for row in best],
        "typical": [[[names[t] for t in row if own[t] >= 3.0] for row in best] for own in ratios],
        "weights": draw.eta.tolist(),
    }


def vocabulary_of(corpus: Any) -> list[str]:
    """Return the words of a corpus, or numbers where it has none."""
    given = corpus.vocabulary
    return [str(own) for own in (range(corpus.n_words) if given is None else given)]


def class_ratios(problem: Problem) -> Any:
    """Return how often each word occurs in a class, relative to all others, (n_classes, n_words).

    One occurrence of each word is added to the others, which may have none.
    """
    train = problem.train
    document = np.repeat(np.arange(train.n_documents), train.lengths)
    inside = np.array(
        [
            np.bincount(train.words[own[document] > 0], minlength=train.n_words)
            for own in problem.y.T
        ]
    )
    outside = inside.sum(axis=0) - inside + 1.0
    return (inside / inside.sum(axis=1, keepdims=True)) / (
        outside / outside.sum(axis=1, keepdims=True)
    )
