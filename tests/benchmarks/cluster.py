"""One chain on a Dask cluster of this machine: how much quicker, and what the driver costs.

    python -m tests.benchmarks.cluster [--tokens 10000000] [--topics 40] [--workers 1 2]

A sweep is timed as the difference between a long and a short run with the same number of workers,
by the clock on the wall. ``driver`` is the processor time of this process in a sweep: submitting
tasks, the scheduler, and collecting what is drawn.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np

import pymc_medlda as med
from tests.benchmarks.larger_than_memory import write_corpus


def run(parts, client, n_topics, sweeps):
    """Return the seconds of a run on the clock, and of this process."""
    begin, used = time.perf_counter(), time.process_time()
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
    return np.array([time.perf_counter() - begin, time.process_time() - used])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tokens", type=int, default=10_000_000)
    parser.add_argument("--topics", type=int, default=40)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--partitions", type=int, default=2)
    parser.add_argument("--sweeps", type=int, default=10)
    options = parser.parse_args()
    import distributed

    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "corpus"
        write_corpus(folder, options.tokens)
        corpus = med.Corpus.from_folder(folder)
        y = np.arange(corpus.n_documents) % 2
        parts = med.distributed.partition(corpus, y, n_partitions=options.partitions)
        for workers in options.workers:
            with (
                distributed.LocalCluster(
                    n_workers=workers, threads_per_worker=1, dashboard_address=":0"
                ) as cluster,
                distributed.Client(cluster) as client,
            ):
                run(parts, client, options.topics, 1)  # compiles
                short = run(parts, client, options.topics, 1)
                long = run(parts, client, options.topics, 1 + options.sweeps)
                wall, driver = (long - short) / options.sweeps
                print(
                    f"{workers} workers: a sweep {wall:.3f} s, driver {1e3 * driver:.0f} ms",
                    flush=True,
                )


if __name__ == "__main__":
    main()
