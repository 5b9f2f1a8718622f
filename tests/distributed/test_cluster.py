"""Runs on a cluster of processes: the draws of one process, whoever is killed and whenever."""

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import pymc_medlda as med
from tests.distributed import driver
from tests.distributed.small import parts_of, planted, same_draws, sample

distributed = pytest.importorskip("distributed", reason="needs the extra dask")
dask_bag = pytest.importorskip("dask.bag", reason="needs the extra dask")
# Dask reports lost workers, and tornado closes loops, in ways that differ between their versions.
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]


@pytest.fixture(scope="module")
def cluster():
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=":0"
    ) as workers:
        yield workers


@pytest.fixture
def client(cluster):
    with distributed.Client(cluster) as found:
        yield found


def test_a_cluster_gives_the_draws_of_one_process(client):
    parts = parts_of(3)
    found = sample(parts, client=client, checkpoint_every=4)
    assert same_draws(sample(parts), found)
    new = med.distributed.partition(planted().corpus[:20], n_partitions=2)
    options = {"random_seed": 1, "var_names": ["decision", "discriminant"]}
    predicted = med.distributed.predict(found, new, client=client, **options)["predictions"]
    here = med.distributed.predict(found, new, client=med.distributed.InProcess(), **options)
    np.testing.assert_array_equal(
        predicted["discriminant"].values, here["predictions"]["discriminant"].values
    )


def test_without_a_client_a_cluster_is_started():
    parts, options = parts_of(2), {"tune": 1, "draws": 2, "chains": 1}
    assert same_draws(sample(parts, **options), sample(parts, client=None, **options))


def kill_some(cluster, times, rng, stop, killed):
    """Kill one worker after the other, each once the last one was replaced; note whom."""
    for _ in range(times):
        time.sleep(rng.uniform(0.5, 2.0))
        while not stop.is_set():
            workers = [own for own in cluster.workers.values() if own.pid is not None]
            if len(workers) == 2 and all(own.status.name == "running" for own in workers):
                break
            time.sleep(0.1)
        if stop.is_set():
            return
        killed.append(workers[rng.integers(2)].pid)
        os.kill(killed[-1], signal.SIGKILL)


@pytest.mark.skipif(
    "MEDLDA_KILLS" not in os.environ,
    reason="MEDLDA_KILLS=1 runs it: how long a cluster takes to recover is not in our hands",
)
@pytest.mark.parametrize("seed", [1, 2])
def test_workers_that_are_killed_change_nothing(cluster, client, seed):
    parts, options = parts_of(2), {"tune": 100, "draws": 10}
    expected = sample(parts, **options)
    stop, killed = threading.Event(), []
    arguments = (cluster, 2, np.random.default_rng(seed), stop, killed)
    killer = threading.Thread(target=kill_some, args=arguments)
    killer.start()
    try:
        found = sample(parts, client=client, checkpoint_every=5, **options)
    finally:
        stop.set()
        killer.join()
    assert killed
    assert same_draws(expected, found)


def test_a_driver_that_is_killed_goes_on(tmp_path):
    command = [sys.executable, "-m", "tests.distributed.driver", str(tmp_path)]
    process = subprocess.Popen(command, start_new_session=True)
    try:
        deadline = time.monotonic() + 300
        while not (tmp_path / "checkpoint.json").exists():
            assert process.poll() is None, "it ended before its first checkpoint"
            assert time.monotonic() < deadline
            time.sleep(0.05)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    assert same_draws(driver.run(None), driver.run(tmp_path))


def test_a_bag_of_texts(client):
    texts = [("red fish swim", "a"), ("blue boats sail", "b")] * 10
    parts = med.distributed.from_bag(dask_bag.from_sequence(texts, npartitions=2), min_df=2)
    found = sample(parts, client=client, tune=1, draws=2)
    corpus = med.Corpus.from_texts([text for text, _ in texts])
    labels = [label for _, label in texts]
    whole = med.distributed.partition(corpus, labels, n_partitions=2)
    assert same_draws(sample(whole, tune=1, draws=2), found)
