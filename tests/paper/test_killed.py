"""A run of the command that is really killed: the same command goes on where it was."""

import os
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from paper import data

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def start(tmp_path):
    """A function that starts the command with four short jobs; corpora are there, but empty."""
    for name in data.FILES.values():
        (tmp_path / f"{name}.npz").touch()
    classes = tmp_path / "20ng_bydate.labels.txt"
    classes.write_text("alt.atheism comp.graphics sci.space", encoding="utf-8")
    folders = ["--cache", tmp_path / "cache", "--output", tmp_path / "output"]
    arguments = [tmp_path / "log", "--only", "fig01", "--jobs", "1", *folders]
    environment = {**os.environ, "MEDLDA_DATA": str(tmp_path), "PYTHONPATH": str(ROOT)}

    started = []

    def run():
        with (tmp_path / "said").open("w", encoding="utf-8") as said:
            command = [sys.executable, "-m", "tests.paper.tiny_paper", *map(str, arguments)]
            started.append(
                subprocess.Popen(command, cwd=ROOT, env=environment, stdout=said, stderr=said)
            )
        return started[-1]

    yield run
    for process in started:
        process.kill()
        process.wait()


def stored(folder):
    """Return what is on disk of each finished job, and when it was written."""
    return {path.name: (path.stat().st_mtime_ns, path.read_text("utf-8")) for path in folder}


def wait_for(condition, seconds=30.0):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.mark.slow
def test_a_killed_run_goes_on_and_repeats_nothing_that_was_finished(tmp_path, start):
    cache, log = tmp_path / "cache" / "full", tmp_path / "log"
    first = start()
    wait_for(lambda: len(list(cache.glob("*.json"))) >= 1)
    workers = psutil.Process(first.pid).children(recursive=True)
    first.kill()
    assert first.wait() != 0
    assert workers
    left = psutil.wait_procs(workers, timeout=10)[1]
    for worker in left:
        worker.kill()
    assert not left  # workers end with the process that started them
    finished = stored(cache.glob("*.json"))
    assert 1 <= len(finished) < 4
    begun = len(log.read_text("utf-8").split())

    assert start().wait(timeout=60) == 0, (tmp_path / "said").read_text("utf-8")
    after = stored(cache.glob("*.json"))
    assert len(after) == 4
    assert {name: after[name] for name in finished} == finished
    assert len(log.read_text("utf-8").split()) == begun + 4 - len(finished)
    assert (tmp_path / "output" / "full" / "fig01.png").is_file()
