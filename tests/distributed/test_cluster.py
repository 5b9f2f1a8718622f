"""Runs on a cluster of processes: the draws of one process, whoever is killed and whenever."""

import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress

import numpy as np
import pytest
import xarray as xr

import pymc_medlda as med
from pymc_medlda.distributed.letters import Lost
from pymc_medlda.distributed.progress import Progress
from pymc_medlda.distributed.running import Run
from tests.distributed import driver
from tests.distributed.small import GROUPS, parts_of, planted, same_draws, sample

distributed = pytest.importorskip("distributed", reason="needs the extra dask")
dask_bag = pytest.importorskip("dask.bag", reason="needs the extra dask")
# Dask reports lost workers, and tornado closes loops, in ways that differ between their versions.
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]


def get_groups(path):
    """Return the draws of a run in a file."""
    return {name: xr.load_dataset(path, group=name) for name in GROUPS}


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


class Killer:
    """Kills workers a moment after a run has come to certain sweeps.

    Parameters
    ----------
    client : Client
    sweeps : dict
        How many workers to kill, after which sweep.
    """

    def __init__(self, client, sweeps):
        self.client, self.sweeps, self.killed = client, dict(sweeps), []
        self.rng = np.random.default_rng(1)

    def update(self, sweep):
        for due in [due for due in self.sweeps if due <= sweep]:
            pids = list(self.client.run(os.getpid, on_error="ignore").values())
            chosen = pids[: self.sweeps.pop(due)]
            self.killed.append(len(chosen))
            # In the middle of the next sweeps: between two orders no station is at work.
            threading.Timer(self.rng.uniform(0.0, 0.1), kill, [chosen]).start()


def kill(pids):
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def test_workers_that_are_killed_change_nothing(client, monkeypatch):
    """One of two; then all at once, when Dask has nobody left to give their tasks to."""
    parts, options = parts_of(3), {"tune": 60, "draws": 5}
    killer = Killer(client, {10: 1, 30: 2})
    monkeypatch.setattr(Progress, "update", lambda _, sweep, __: killer.update(sweep))
    found = sample(parts, client=client, checkpoint_every=5, **options)
    assert killer.killed[0] == 1
    assert killer.killed[1] >= 1
    monkeypatch.undo()
    assert same_draws(sample(parts, **options), found)


def test_workers_that_are_lost_again_and_again_are_an_error(client, monkeypatch):
    """The kernel may end a worker that needs too much memory, and will do so again."""

    def lose(*_):
        raise Lost("a worker")

    monkeypatch.setattr(Run, "_collect", lose)
    monkeypatch.setattr("pymc_medlda.distributed.running.MOST_LOSSES", 2)
    with pytest.raises(RuntimeError, match="lost 3 times"):
        sample(client=client)


def start_driver(folder, cluster):
    command = [sys.executable, "-m", "tests.distributed.driver", str(folder / "checkpoint")]
    command += [cluster.scheduler_address, str(folder / "result.nc")]
    return subprocess.Popen(command, start_new_session=True)


@pytest.mark.skipif("MEDLDA_KILLS" not in os.environ, reason="MEDLDA_KILLS=10 kills ten processes")
def test_workers_and_drivers_that_are_killed_at_random_change_nothing(tmp_path):
    """Some die while they start; Dask gives up a worker that does so several times in a row."""
    n_kills = int(os.environ.get("MEDLDA_KILLS", 0))
    rng = np.random.default_rng(int(os.environ.get("MEDLDA_SEED", 1)))
    n = 0
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=":0"
    ) as cluster:
        process = start_driver(tmp_path, cluster)
        while process.poll() is None or process.returncode != 0:
            if process.poll() is not None:
                assert process.returncode == -signal.SIGKILL
                process = start_driver(tmp_path, cluster)
            with suppress(subprocess.TimeoutExpired):
                process.wait(rng.uniform(0.0, 8.0) if n < n_kills else 300)
            if n == n_kills or process.poll() is not None:
                assert process.poll() is not None, "it takes too long"
                continue
            pids = [own.pid for own in cluster.workers.values() if own.pid is not None]
            is_driver = rng.random() < 0.5 or not pids
            kill([process.pid if is_driver else pids[rng.integers(len(pids))]])
            n += 1
            process.poll()
            time.sleep(0.1)
    assert n == n_kills
    found = get_groups(tmp_path / "result.nc")
    expected = driver.run(None)
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
