"""Effective samples per second of the fast path and of the plain one, on ``20ng_religion``.

    python -m tests.benchmarks.efficiency [--topics 20 200]

For each path, four chains are run. Printed are `az.ess` of the training loss and of log p(W | Z),
over the processor time of the draws, and also the sum of the `az.ess` of single chains. Chains of
real text seldom agree, and then `az.ess` over all chains is little more than their number. Both
paths draw from the same law, so their effective samples differ by chance only.
"""

from __future__ import annotations

import argparse
import time

import arviz as az
import numpy as np

from tests.benchmarks import data
from tests.benchmarks.sweeps import Chain

NAMES = ("loss", "log_likelihood")
FIGURES = (*NAMES, *(f"{name} within chains" for name in NAMES))


def sample(corpus, label, n_topics, path, options):
    """Return the effective sample sizes over chains, and the processor time of all draws."""
    traces, seconds = [], 0.0
    for seed in range(options.chains):
        chain = Chain(corpus, label, n_topics, path, seed=seed)
        chain.run(options.tune)
        begin = time.process_time()
        draws = []
        for _ in range(options.draws):
            chain.run(1)
            draws.append([chain.stats[name] for name in NAMES])
        seconds += time.process_time() - begin
        traces.append(draws)
    array = np.array(traces)
    together = [float(az.ess(array[:, :, i])) for i in range(len(NAMES))]
    alone = [sum(float(az.ess(one[None, :, i])) for one in array) for i in range(len(NAMES))]
    return [*together, *alone], seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--topics", type=int, nargs="+", default=[20, 200])
    parser.add_argument("--tune", type=int, default=100)
    parser.add_argument("--draws", type=int, default=300)
    parser.add_argument("--chains", type=int, default=4)
    options = parser.parse_args()
    if not data.available("20ng_religion"):
        raise SystemExit(data.MISSING)
    corpus, y = data.load("20ng_religion")
    label = np.where(y == y.min(), 1, -1)
    for n_topics in options.topics:
        rates = {}
        for path in ("plain", "auto"):
            sizes, seconds = sample(corpus, label, n_topics, path, options)
            rates[path] = np.array(sizes) / seconds
            listed = ", ".join(f"{n} {s:.0f}" for n, s in zip(FIGURES, sizes, strict=True))
            print(f"K = {n_topics}, {path}: effective samples {listed} in {seconds:.1f} s")
        ratio = rates["auto"] / rates["plain"]
        for name, value in zip(FIGURES, ratio, strict=True):
            print(f"K = {n_topics}, {name}: {value:.1f} times as many per second", flush=True)


if __name__ == "__main__":
    main()
