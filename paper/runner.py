"""The shared runner: jobs in, results out, every result kept on disk under its settings.

A run that was stopped goes on where it was, because finished jobs are found again. Jobs run in
processes of their own, each on one core. To measure again, remove the folder.
"""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import os
import threading
import time
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Any

from paper.files import digest

Result = dict[str, Any]
# Settings that change how long a job takes.
SIZES = ("chains", "n_topics", "sweeps", "draws", "rounds", "iterations", "only")
# Seconds between the lines that a run writes to a file or a pipe, where no bar can move.
BETWEEN_LINES = 60.0
# Libraries that would use all cores for small matrices, beside other jobs.
ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


@dataclass(frozen=True)
class Job:
    """A name in `kinds.KINDS`, and the arguments as JSON: equal settings are one job."""

    kind: str
    arguments: str

    @property
    def settings(self) -> dict[str, Any]:
        """The arguments."""
        return json.loads(self.arguments)

    @property
    def file_name(self) -> str:
        """A name that a person can read, with a digest of all settings and of the corpus."""
        corpus = self.settings.get("corpus")
        source = digest(corpus) if corpus else ""
        key = f"{self.kind} {self.arguments} {source}"
        words = [self.kind, *(str(self.settings.get(key, "")) for key in ("method", "corpus"))]
        readable = "-".join(word for word in words if word).replace(" ", "_")
        return f"{readable}-{hashlib.sha256(key.encode()).hexdigest()[:16]}.json"

    @property
    def family(self) -> str:
        """What jobs have in common that take about the same time."""
        own = self.settings
        sizes = [f"{name}={own[name]}" for name in SIZES if name in own]
        return " ".join([self.kind, str(own.get("method")), str(own.get("corpus")), *sizes])


def job(kind: str, **settings: Any) -> Job:
    """Return the job with these settings, in whatever order they are given.

    Examples
    --------
    >>> job("run", seed=1, method="ours") == job("run", method="ours", seed=1)
    True
    """
    return Job(kind, json.dumps(settings, sort_keys=True))


def fingerprint(*folders: Path) -> str:
    """Return a digest of the source files in some folders."""
    state = hashlib.sha256()
    for path in sorted(path for folder in folders for path in folder.rglob("*.py")):
        state.update(path.read_bytes())
    return state.hexdigest()[:12]


class Runner:
    """Runs jobs that have not been run before, and keeps their results in a folder."""

    def __init__(self, folder: Path, *, workers: int = 2, show: bool = True) -> None:
        self.folder = folder
        self.workers = workers
        self.show = show
        self.seconds: dict[str, list[float]] = {}  # of finished jobs, by family
        folder.mkdir(parents=True, exist_ok=True)

    def find(self, own: Job) -> Result | None:
        """Return the stored result of a job, or None if there is none that can be read."""
        try:
            stored = json.loads((self.folder / own.file_name).read_text(encoding="utf-8"))
            result, seconds = stored["result"], stored["seconds"]
        except (OSError, ValueError, KeyError):
            return None
        self.seconds.setdefault(own.family, []).append(seconds)
        return result

    def store(self, own: Job, result: Result, seconds: float) -> None:
        """Keep a result. The file appears at once and whole, whenever the run is stopped."""
        stored = {"kind": own.kind, "settings": own.settings, "seconds": seconds, "result": result}
        part = self.folder / f"{own.file_name}.part"
        part.write_text(json.dumps(stored, indent=1), encoding="utf-8")
        part.replace(self.folder / own.file_name)
        self.seconds.setdefault(own.family, []).append(seconds)

    def run(self, jobs: Iterable[Job]) -> dict[Job, Result]:
        """Return the results of all jobs; those without a stored result are run."""
        wanted = list(dict.fromkeys(jobs))
        found = {own: self.find(own) for own in wanted}
        results = {own: result for own, result in found.items() if result is not None}
        missing = [own for own in wanted if own not in results]
        if missing:
            results |= self._run_missing(missing)
        return results

    def _run_missing(self, missing: list[Job]) -> dict[Job, Result]:
        bar = Bar(self, missing)
        # The processes that are started read these when they import NumPy.
        os.environ.update(dict.fromkeys(ONE_THREAD, "1"))
        results = {}
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(self.workers, context, end_with_parent) as pool:
            waiting = {pool.submit(perform, own): own for own in missing}
            try:
                for done in as_completed(waiting):
                    own = waiting[done]
                    results[own], seconds = done.result()
                    self.store(own, results[own], seconds)
                    bar.advance(own)
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise
            finally:
                bar.close()
        return results


def end_with_parent() -> None:
    """Watch the process that started this one: whoever kills a run means its workers too."""

    def wait() -> None:
        parent = multiprocessing.parent_process()
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


def perform(own: Job) -> tuple[Result, float]:
    """Run a job in this process; return its result and how many seconds it took."""
    from paper.kinds import KINDS  # here: the parent needs none of it

    start = time.perf_counter()
    result = KINDS[own.kind](**own.settings)
    return result, time.perf_counter() - start


class Bar:
    """A progress bar over jobs, with an estimate of the time that is left.

    Where the output is no terminal, a line is written about once a minute instead.
    """

    def __init__(self, runner: Runner, missing: list[Job]) -> None:
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

        self.runner, self.missing = runner, list(missing)
        self.bar = Progress(
            TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(),
            TextColumn("{task.fields[left]}"), disable=not runner.show,
        )  # fmt: skip
        self.task = self.bar.add_task("The paper", total=len(missing), left=self.estimate())
        self.bar.start()
        self.writes_lines = runner.show and not self.bar.console.is_terminal
        self.last_line = time.monotonic()

    def estimate(self) -> str:
        """Say how long the missing jobs will take, from those of their families that are done.

        Jobs of families that nothing is known of are counted beside it: they may take long.
        """
        known = {family: mean(own) for family, own in self.runner.seconds.items()}
        total = sum(known.get(own.family, 0.0) for own in self.missing)
        unknown = sum(own.family not in known for own in self.missing)
        if self.missing and unknown == len(self.missing):
            return "no estimate yet"
        words = f"about {total / self.runner.workers / 60:.0f} minutes left"
        return f"{words}, and {unknown} jobs of unknown length" if unknown else words

    def advance(self, own: Job) -> None:
        """Count a job as done."""
        self.missing.remove(own)
        self.bar.update(self.task, advance=1, left=self.estimate())
        if self.writes_lines and time.monotonic() - self.last_line >= BETWEEN_LINES:
            (task,) = self.bar.tasks
            print(f"{task.completed:.0f} of {task.total:.0f} jobs, {self.estimate()}", flush=True)
            self.last_line = time.monotonic()

    def close(self) -> None:
        """Leave the bar as it is."""
        self.bar.stop()
