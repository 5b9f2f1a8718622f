"""Effective draws per second by the rounds of auxiliary variables and weights in a sweep.

    python -m tests.benchmarks.weight_rounds [case ...] [--rounds 1 2 3 5 8] [--draws 3000]

Chains start from annealed points, so that they are near the posterior and the effective sample
sizes are not those of a drift. All settings take their draws in turns, a hundred at a time. Printed
is the sum over chains of the effective sample size (the median over topics or documents), over the
processor time of the draws.
"""

from __future__ import annotations

import argparse
import time

import arviz as az
import numpy as np

import pymc_medlda as med
from tests.benchmarks import data

QUANTITIES = ("eta", "discriminant", "loss", "log_likelihood")
MOST = 50  # entries of a vector whose effective sample size is computed
TURN = 100


def demo():
    """Return the model of ``examples/demo.py``, on all of its documents."""
    documents = med.datasets.load_docstrings(
        ("numpy", "pandas"), n_documents_per_package=700, seed=1
    )
    loss = med.Hinge(margin=10.0)
    return med.GibbsMedLDA(documents.corpus, documents.y, n_topics=10, alpha=5.0, loss=loss)


def religion(margin):
    """Return a model of ``20ng_religion`` with a margin."""
    corpus, y = data.load("20ng_religion")
    loss = med.Hinge(margin=margin)
    return med.GibbsMedLDA(corpus, np.where(y == y.min(), 1, -1), n_topics=10, loss=loss)


def hotel():
    """Return a model of the ratings in ``hotel_reviews``."""
    corpus, y = data.load("hotel_reviews")
    loss = med.EpsilonInsensitive(c=8.0)
    return med.GibbsMedLDA(corpus, (y - y.mean()) / y.std(), n_topics=10, loss=loss)


CASES = {
    "demo": demo,
    "religion10": lambda: religion(10.0),
    "religion164": lambda: religion(164.0),
    "hotel": hotel,
}


class Chain:
    """A chain with its own setting: its draws, and the processor time that they took."""

    def __init__(self, model, point, rounds, seed):
        self.step = med.GibbsMedLDAStep(model=model, weight_rounds=rounds, rng=seed)
        self.point = point
        self.drawn = {name: [] for name in QUANTITIES}
        self.seconds = 0.0

    def advance(self, n):
        """Take n draws."""
        for _ in range(n):
            begin = time.process_time()
            self.point, (statistics,) = self.step.step(self.point)
            self.seconds += time.process_time() - begin
            conditionals = self.step.conditionals
            (response,) = conditionals.responses
            discriminant = response.discriminant(conditionals.sampler).ravel()
            spread = np.linspace(0, discriminant.size - 1, MOST).astype(int)
            self.drawn["eta"].append(self.point["eta"].ravel().copy())
            self.drawn["discriminant"].append(discriminant[spread])
            for name in ("loss", "log_likelihood"):
                self.drawn[name].append([statistics[name]])

    def effective(self, name):
        """Return the effective sample size, the median over the entries of a vector."""
        series = np.array(self.drawn[name])
        return np.median([float(az.ess(column[None])) for column in series.T])


def measure(case, options):
    """Print one line for each number of rounds."""
    model = CASES[case]()
    points = med.annealed_starts(
        options.anneal, chains=options.chains, random_seed=1, model=model, progressbar=False
    )
    running = {
        rounds: [Chain(model, point, rounds, seed) for seed, point in enumerate(points)]
        for rounds in options.rounds
    }
    for _ in range(options.draws // TURN):
        for chains in running.values():
            for chain in chains:
                chain.advance(TURN)
    print(f"{case}: effective draws per second, with {options.chains} chains")
    print("rounds  ms per draw  " + "  ".join(f"{name:>14}" for name in QUANTITIES))
    for rounds, chains in running.items():
        seconds = sum(chain.seconds for chain in chains)
        rates = [sum(chain.effective(name) for chain in chains) / seconds for name in QUANTITIES]
        per_draw = 1000.0 * seconds / (len(chains) * options.draws)
        print(f"{rounds:6d}  {per_draw:11.2f}  " + "  ".join(f"{rate:14.2f}" for rate in rates))
    print(flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cases", nargs="*", default=list(CASES), choices=[*CASES, []])
    parser.add_argument("--rounds", type=int, nargs="+", default=[1, 2, 3, 5, 8])
    parser.add_argument("--anneal", type=int, default=4000)
    parser.add_argument("--draws", type=int, default=3000)
    parser.add_argument("--chains", type=int, default=4)
    options = parser.parse_args()
    for case in options.cases:
        if case != "demo" and not data.available("20ng_religion"):
            raise SystemExit(data.MISSING)
        measure(case, options)


if __name__ == "__main__":
    main()
