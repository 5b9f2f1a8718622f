"""One chain on a Dask cluster of this machine: how much faster it is, and what the driver costs.

    python -m tests.benchmarks.cluster [--tokens 10000000] [--topics 40] [--workers 1 2] [--turns 3]

All clusters take turns. Every order of sweeps to the stations is timed: ``a sweep`` is the elapsed
time per sweep, for the best order and for the median one. ``workers`` is the processor time of each
worker per sweep; it shows the gain of two workers even if other programs use the same cores.
``driver`` is the processor time of this process, in which the scheduler and the nannies run too;
``idle`` is what this process uses in the same time if nothing is sampled.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

import numpy as np

import pymc_medlda as med
from pymc_medlda.distributed.crews import CrewOfWorkers
from tests.benchmarks.larger_than_memory import write_corpus


class Timed:
    """Record the time that every order to a crew takes."""

    def __init__(self):
        self.follow = CrewOfWorkers.follow
        self.rows = []  # seconds per sweep: elapsed, of the driver, and of each worker
        CrewOfWorkers.follow = lambda crew, order: self._follow(crew, order)

    def _follow(self, crew, order):
        before = self._clocks(crew)
        reports = self.follow(crew, order)
        used = (self._clocks(crew) - before) / (order.last - order.first + 1)
        if order.first > 1:  # the first order also counts the words
            self.rows.append(used)
        return reports

    def _clocks(self, crew):
        workers = crew.client.run(time.process_time)
        return np.array([time.perf_counter(), time.process_time(), *workers.values()])


def run(parts, client, n_topics, sweeps, timed):
    """Return the seconds per sweep of every order of a run, one row per order."""
    timed.rows.clear()
    med.distributed.sample(
        parts,
        n_topics=n_topics,
        loss=med.Hinge(margin=20.0),
        tune=sweeps,
        draws=1,
        chains=1,
        client=client,
        random_seed=1,
        progressbar=False,
    )
    return np.array(timed.rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tokens", type=int, default=10_000_000)
    parser.add_argument("--topics", type=int, default=40)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--threads", type=int, default=1, help="threads of each worker")
    parser.add_argument("--partitions", type=int, default=2)
    parser.add_argument("--sweeps", type=int, default=15)
    parser.add_argument("--turns", type=int, default=3)
    options = parser.parse_args()
    import distributed

    timed = Timed()
    with tempfile.TemporaryDirectory() as place, ExitStack() as stack:
        folder = Path(place) / "corpus"
        write_corpus(folder, options.tokens)
        corpus = med.Corpus.from_folder(folder)
        y = np.arange(corpus.n_documents) % 2
        parts = med.distributed.partition(corpus, y, n_partitions=options.partitions)
        clients = {}
        for workers in options.workers:
            cluster = distributed.LocalCluster(
                n_workers=workers, threads_per_worker=options.threads, dashboard_address=":0"
            )
            stack.enter_context(cluster)
            clients[workers] = stack.enter_context(distributed.Client(cluster))
            run(parts, clients[workers], options.topics, 2, timed)  # compiles
        wall, used = time.perf_counter(), time.process_time()
        time.sleep(5)
        idle = (time.process_time() - used) / (time.perf_counter() - wall)
        found = {workers: [] for workers in clients}
        for turn in range(options.turns):
            for workers, client in clients.items():
                rows = run(parts, client, options.topics, options.sweeps, timed)
                found[workers].append(rows)
                best, median = rows[:, 0].min(), np.median(rows[:, 0])
                cpu = np.median(rows[:, 2:], axis=0)
                print(
                    f"turn {turn}, {workers} workers: a sweep {best:.3f} s (median {median:.3f}), "
                    f"workers {' '.join(f'{own:.3f}' for own in cpu)} s, "
                    f"driver {1e3 * np.median(rows[:, 1]):.1f} ms (idle {1e3 * idle * median:.1f})",
                    flush=True,
                )
        best = {workers: np.concatenate(own)[:, 0].min() for workers, own in found.items()}
        cpu = {w: np.median(np.concatenate(own)[:, 2:].max(axis=1)) for w, own in found.items()}
        first = options.workers[0]
        for workers in options.workers[1:]:
            print(
                f"{workers} workers over {first}: {best[first] / best[workers]:.2f} by the best "
                f"order, {cpu[first] / cpu[workers]:.2f} by the busiest worker's processor time"
            )


if __name__ == "__main__":
    main()
