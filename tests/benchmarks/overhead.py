"""What PyMC adds to the sweeps, and how long the first draw takes.

python -m tests.benchmarks.overhead sample        # whole pm.sample over one chain's sweeps
python -m tests.benchmarks.overhead first_draw    # import, model, first draw in a new process
python -m tests.benchmarks.overhead step          # whole step over its sweep alone
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time

import numpy as np

from tests.benchmarks import data


def build(n_topics=20):
    import pymc_medlda as med

    corpus, y = data.load("20ng_religion")
    return med.GibbsMedLDA(corpus, y, n_topics=n_topics, loss=med.Hinge(c=1.0, margin=164.0))


def warm_steps(step, point, n):
    for _ in range(n):
        point, _ = step.step(point)
    return point


def sample(options):
    """pm.sample(draws=1000, tune=50, chains=2, cores=2), checks on, over one chain's sweeps."""
    import pymc as pm

    import pymc_medlda as med

    n = options.draws
    with build() as model:
        step = med.GibbsMedLDAStep(rng=1)
        warm_steps(step, model.initial_point(1), 5)
        start = time.perf_counter()
        warm_steps(step, model.initial_point(1), n + 50)
        alone = time.perf_counter() - start
        start = time.perf_counter()
        idata = pm.sample(draws=n, tune=50, chains=2, cores=2, random_seed=1, progressbar=False)
        whole = time.perf_counter() - start
    z = idata["posterior"]["z"]
    print(f"one chain's {n + 50} steps {alone:.1f} s, whole pm.sample {whole:.1f} s")
    print(f"ratio {whole / alone:.2f}; {z.nbytes / z.size:.2f} bytes per token and draw")


def first_draw(options):
    """Seconds from the start of a process to the first draw, numba's cache cold, then warm."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {
            **os.environ,
            "NUMBA_CACHE_DIR": f"{folder}/numba",
            "PYTENSOR_FLAGS": f"base_compiledir={folder}/pytensor",
        }
        for state in ("cold", "warm", "warm"):
            start = time.perf_counter()
            subprocess.run(
                [sys.executable, "-W", "ignore", "-m", "tests.benchmarks.overhead", "one_draw"],
                check=True,
                env=environment,
            )
            print(f"{state}: {time.perf_counter() - start:.1f} s", flush=True)


def one_draw(options):
    """What `first_draw` times: one draw by pm.sample, nothing else."""
    import pymc as pm

    import pymc_medlda as med

    with build():
        pm.sample(
            draws=1,
            tune=0,
            chains=1,
            step=med.GibbsMedLDAStep(),
            progressbar=False,
            compute_convergence_checks=False,
            random_seed=1,
            quiet=True,
        )


def step(options):
    """Whole step over its sweep: the same chain, sweeps timed inside it."""
    import pymc_medlda as med

    with build(options.topics) as model:
        step = med.GibbsMedLDAStep(rng=1)
        point = warm_steps(step, model.initial_point(1), 50)
    inside = []
    original = step.conditionals.sampler.sweep

    def timed(*arguments, **keywords):
        start = time.perf_counter()
        moved = original(*arguments, **keywords)
        inside.append(time.perf_counter() - start)
        return moved

    step.conditionals.sampler.sweep = timed
    whole = []
    for _ in range(200):
        start = time.perf_counter()
        point, _ = step.step(point)
        whole.append(time.perf_counter() - start)
    n_tokens = point["z"].size
    print(
        f"K={options.topics}: step {1e3 * np.median(whole):.2f} ms, sweep "
        f"{1e3 * np.median(inside):.2f} ms, ratio {np.median(whole) / np.median(inside):.3f}, "
        f"{n_tokens / np.median(whole) / 1e6:.1f} million tokens per second"
    )


def tasks(options):
    """20ng_bydate_nostop, K = 40: steps of 20 classes as tasks, and of one class against all."""
    import pymc_medlda as med

    corpus, y = data.load("20ng_bydate_nostop")
    chains = {}
    for n_tasks, response in ((20, y), (1, y == 0)):
        model = med.GibbsMedLDA(corpus, response, n_topics=40, loss=med.Hinge(margin=64.0))
        step = med.GibbsMedLDAStep(rng=1, model=model)
        chains[n_tasks] = step, warm_steps(step, model.initial_point(1), 40)
    seconds = {1: [], 20: []}
    for _ in range(6):  # in turns, so that what else the machine does falls on both
        for n_tasks, (step, point) in chains.items():
            start = time.perf_counter()
            point, _ = step.step(point)
            seconds[n_tasks].append(time.perf_counter() - start)
            chains[n_tasks] = step, point
    one, twenty = min(seconds[1]), min(seconds[20])
    print(f"whole step, 1 task {one:.3f} s, 20 tasks {twenty:.3f} s, ratio {twenty / one:.2f}")


FIGURES = {f.__name__: f for f in (sample, first_draw, one_draw, step, tasks)}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("figure", choices=FIGURES)
    parser.add_argument("--draws", type=int, default=1000)
    parser.add_argument("--topics", type=int, default=20)
    options = parser.parse_args()
    if not data.available("20ng_religion"):
        raise SystemExit(data.MISSING)
    FIGURES[options.figure](options)


if __name__ == "__main__":
    main()
