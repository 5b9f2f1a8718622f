"""What the classifier adds to the sweeps: ``python -m tests.benchmarks.estimator_overhead``.

A fit on the training part of ``20ng_religion``, from the sparse matrix to the fitted attributes, is
compared with a bare loop over ``step.step`` of as many sweeps on a model that is built already.
Both run in turns; the least processor time of each counts.
"""

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import pymc_medlda as med
from pymc_medlda.estimators import GibbsMedLDAClassifier
from tests.benchmarks.data import MISSING, available, load


def seconds(work: Callable[[], Any]) -> float:
    """Return the processor seconds of ``work``, which vary less than elapsed time."""
    start = time.process_time()
    work()
    return time.process_time() - start


def measure(n_topics: int, tune: int, draws: int, turns: int) -> None:
    corpus, y = load("20ng_religion")
    X = corpus.to_dtm()
    model = med.GibbsMedLDA(corpus, y, n_topics=n_topics, loss=med.Hinge(margin=164.0))
    start = model.initial_point(random_seed=1)

    def loop() -> None:
        step = med.GibbsMedLDAStep(model=model, rng=np.random.default_rng(1))
        point = start
        for _ in range(tune + draws):
            point, _ = step.step(point)

    def fit() -> None:
        settings = {"tune": tune, "draws": draws, "sweeps_per_draw": 1, "chains": 1}
        GibbsMedLDAClassifier(n_topics, margin=164.0, random_state=1, **settings).fit(X, y)

    GibbsMedLDAClassifier(2, tune=1, draws=1, chains=1).fit(X[::50], y[::50])  # compiles
    bare, fitted = np.inf, np.inf
    for _ in range(turns):
        bare = min(bare, seconds(loop))
        fitted = min(fitted, seconds(fit))
    print(f"{corpus.n_tokens} tokens, {n_topics} topics, {tune} + {draws} sweeps")
    print(f"bare step {bare:.2f} s, fit {fitted:.2f} s, ratio {fitted / bare:.2f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n-topics", type=int, default=20)
    parser.add_argument("--tune", type=int, default=40)
    parser.add_argument("--draws", type=int, default=20)
    parser.add_argument("--turns", type=int, default=6)
    arguments = parser.parse_args()
    if available():
        measure(**vars(arguments))
    else:
        print(MISSING)
