"""Runs on a cluster of processes: the draws of one process, whoever is killed and whenever."""

import gc
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager, suppress

import numpy as np
import pytest
import xarray as xr

import pymc_medlda as med
from pymc_medlda.distributed import letters, stations
from pymc_medlda.distributed.crews import CrewOfWorkers
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
def security(tmp_path_factory):
    """Certificates of our own, without which nobody takes part; None if they cannot be made."""
    if shutil.which("openssl") is None:
        return None
    place = tmp_path_factory.mktemp("tls")
    key, certificate = str(place / "key.pem"), str(place / "certificate.pem")
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=medlda"]
    command += ["-days", "2", "-keyout", key, "-out", certificate]
    subprocess.run(command, check=True, capture_output=True)
    roles = {
        f"tls_{role}_{kind}": path
        for role in ("client", "scheduler", "worker")
        for kind, path in (("key", key), ("cert", certificate))
    }
    return distributed.Security(tls_ca_file=certificate, require_encryption=True, **roles)


@pytest.fixture(scope="module")
def cluster(security):
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=":0", security=security
    ) as workers:
        yield workers


@pytest.fixture
def client(cluster, security):
    with distributed.Client(cluster.scheduler_address, security=security) as found:
        yield found


@contextmanager
def threads(n_workers, n_threads=1, **options):
    """Workers that are threads of this process: they start at once, and can be looked into."""
    settings = {"threads_per_worker": n_threads, "processes": False, "dashboard_address": ":0"}
    with (
        distributed.LocalCluster(n_workers=n_workers, **settings) as cluster,
        distributed.Client(cluster, **options) as client,
    ):
        yield cluster, client


@pytest.fixture
def crews(monkeypatch):
    """The workers of the stations of every crew that is opened."""
    found = []

    def note(crew, cluster, opening):
        crew_init(crew, cluster, opening)
        found.append(crew.places)

    crew_init = CrewOfWorkers.__init__
    monkeypatch.setattr(CrewOfWorkers, "__init__", note)
    return found


def test_a_cluster_gives_the_draws_of_one_process(client, security):
    parts = parts_of(3)
    found = sample(parts, client=client, checkpoint_every=4)
    addresses = [client.scheduler.address, *client.scheduler_info(n_workers=-1)["workers"]]
    assert security is None or all(own.startswith("tls://") for own in addresses)
    assert same_draws(sample(parts), found)
    new = med.distributed.partition(planted().corpus[:20], n_partitions=2)
    options = {"random_seed": 1, "var_names": ["decision", "discriminant"]}
    predicted = med.distributed.predict(found, new, client=client, **options)["predictions"]
    here = med.distributed.predict(found, new, client=med.distributed.InProcess(), **options)
    np.testing.assert_array_equal(
        predicted["discriminant"].values, here["predictions"]["discriminant"].values
    )


@pytest.mark.parametrize(("n_workers", "n_threads", "P"), [(1, 2, 3), (3, 1, 3), (2, 2, 2)])
def test_draws_do_not_depend_on_workers_and_threads(n_workers, n_threads, P, crews):
    parts = parts_of(P)
    with threads(n_workers, n_threads) as (_, client):
        found = sample(parts, client=client, checkpoint_every=4)
    assert [len(places) for places in crews] == [min(n_workers * n_threads, P)]
    assert same_draws(sample(parts), found)


def test_stations_of_one_worker_are_neighbours(crews):
    with threads(2, 2) as (_, client):
        sample(parts_of(4), client=client, tune=1, draws=1, chains=1)
    assert crews[0] == sorted(crews[0])
    assert len(set(crews[0])) == 2


def test_a_worker_that_is_added_takes_part(crews, monkeypatch):
    parts, options = parts_of(3), {"tune": 50, "draws": 5}
    with threads(1) as (cluster, client):

        def update(progress, sweep, statistics):
            if sweep >= 10 and len(cluster.workers) == 1:
                cluster.scale(2)
                client.wait_for_workers(2)

        monkeypatch.setattr(Progress, "update", update)
        found = sample(parts, client=client, checkpoint_every=5, **options)
    assert [len(places) for places in crews] == [1, 2]
    assert same_draws(sample(parts, **options), found)


def test_a_worker_that_retires_is_done_without(crews, monkeypatch):
    """As in clusters that adapt: it takes no new task, but stays until its data are elsewhere."""
    parts, options, retiring = parts_of(2), {"tune": 50, "draws": 5}, []
    expected, draw_cell = sample(parts, **options), stations.draw_cell

    def slowly(*arguments):  # so that the run does not end before anybody looks at the workers
        time.sleep(0.01 if retiring else 0.0)
        draw_cell(*arguments)

    monkeypatch.setattr(stations, "draw_cell", slowly)
    with threads(2) as (cluster, client):

        def update(progress, sweep, statistics):
            if sweep >= 10 and not retiring:
                state = cluster.scheduler.workers[crews[0][0]]
                retiring.append(state.address)
                state.status = distributed.Status.closing_gracefully

        monkeypatch.setattr(Progress, "update", update)
        monkeypatch.setattr("pymc_medlda.distributed.crews.WATCH", 0.1)
        found = sample(parts, client=client, checkpoint_every=5, **options)
    assert len(crews) == 2
    assert crews[1] == [own for own in crews[0] if own not in retiring]
    assert same_draws(expected, found)


def test_a_slow_worker_slows_and_nothing_else(monkeypatch):
    parts, draw_cell = parts_of(2), stations.draw_cell

    def slowly(*arguments):
        i = arguments[-2][2]
        time.sleep(0.06 if i == 0 else 0.0)
        draw_cell(*arguments)

    expected = sample(parts)
    monkeypatch.setattr(stations, "draw_cell", slowly)
    monkeypatch.setattr("pymc_medlda.distributed.letters.PATIENCE", 0.01)
    monkeypatch.setattr("pymc_medlda.distributed.letters.YIELD", 0.02)
    with threads(2) as (_, client):
        assert same_draws(expected, sample(parts, client=client))


def test_two_runs_on_one_cluster_do_not_wait_for_each_other(monkeypatch):
    """Each worker has begun with another run, and works at one of its stations at a time."""

    def in_order(places):
        return sorted(places, reverse=threading.current_thread().name == "reversed")

    def slowly(crew, verb, numbers, number, *arguments):
        time.sleep(0.2 if (verb, number) == ("sweeps", 1) else 0.0)
        return submit(crew, verb, numbers, number, *arguments)

    submit = CrewOfWorkers._submit
    monkeypatch.setattr(CrewOfWorkers, "_submit", slowly)
    monkeypatch.setattr("pymc_medlda.distributed.crews.sorted", in_order, raising=False)
    monkeypatch.setattr("pymc_medlda.distributed.letters.YIELD", 0.5)
    parts, found = parts_of(2), {}
    with threads(2) as (_, client):

        def run(seed):
            found[seed] = sample(parts, client=client, random_seed=seed)

        runs = [
            threading.Thread(target=run, args=(seed,), name=name, daemon=True)
            for seed, name in ((1, "sorted"), (2, "reversed"))
        ]
        for own in runs:
            own.start()
        for own in runs:
            own.join(60)
        assert not any(own.is_alive() for own in runs)
    for seed, own in found.items():
        assert same_draws(sample(parts, random_seed=seed), own)


def test_an_error_in_a_partition_is_raised(monkeypatch):
    """The other stations, which wait for the one that failed, are sent home."""

    def fail(*arguments):
        if arguments[-2][2] == 1:
            raise ZeroDivisionError("in partition 1")
        draw_cell(*arguments)

    draw_cell = stations.draw_cell
    with threads(3) as (_, client):
        with monkeypatch.context() as context:
            context.setattr(stations, "draw_cell", fail)
            with pytest.raises(ZeroDivisionError, match="in partition 1"):
                sample(parts_of(3), client=client)
        assert same_draws(sample(), sample(client=client))
        deadline = time.monotonic() + 30
        while letters.BOXES and time.monotonic() < deadline:  # Dask forgets stations, in its time
            gc.collect()
            time.sleep(0.1)
        assert not letters.BOXES


def test_a_client_need_not_be_the_default_one():
    parts = parts_of(2)
    with threads(2, set_as_default=False) as (_, client):
        with pytest.raises(ValueError, match="No clients found"):
            distributed.default_client()
        assert same_draws(sample(parts), sample(parts, client=client))


def names_of_tasks(cluster):
    """Return what the dashboard calls the tasks that a cluster has run."""
    return set(cluster.scheduler.task_prefixes)


def test_the_words_of_a_bag_are_counted_where_the_client_says():
    bag = dask_bag.from_sequence([("red fish", "a"), ("blue boats", "b")] * 4, npartitions=2)
    here = med.distributed.from_bag(bag, client=med.distributed.InProcess())
    with threads(1, set_as_default=False) as (cluster, client):
        assert not names_of_tasks(cluster)
        found = med.distributed.from_bag(bag, client=client)
        assert any("count" in own for own in names_of_tasks(cluster))
    for one, other in zip(here.parts, found.parts, strict=True):
        assert one.load().corpus == other.load().corpus


def test_the_dashboard_shows_named_tasks():
    with threads(2) as (cluster, client):
        sample(client=client, tune=1, draws=2)
        assert names_of_tasks(cluster) >= {"describe", "summary", "plan", "open", "face", "sweeps"}


def test_without_a_client_a_cluster_is_started():
    parts, options = parts_of(1), {"tune": 1, "draws": 2, "chains": 1}
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
    """Workers are killed when they have joined: Dask gives up those that die while they start."""
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
            joined = cluster.scheduler.workers
            pids = [own.pid for own in cluster.workers.values() if own.worker_address in joined]
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
