"""Where tasks run: on the workers of a Dask cluster, or one after the other in this process."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any, Protocol
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from pymc_medlda._optional import import_optional
from pymc_medlda.distributed.crews import Crew, CrewOfOne, CrewOfWorkers, Opening, as_lost
from pymc_medlda.kernels.sweeps.team import available_cores

Task = Callable[..., Any]
STAYING = ("running", "paused")
LONGEST_WAIT = 600  # seconds that a run waits for workers when all of them are lost


class Executor(Protocol):
    """Runs tasks, which are functions of values and of the results of other tasks."""

    shares_memory: bool
    """Whether tasks run in this process."""

    @property
    def is_local(self) -> bool:
        """Whether all tasks run on this machine."""

    def submit(self, task: Task, *arguments: Any, key: tuple[Any, ...]) -> Any:
        """Run a task some time."""

    def gather(self, results: Any) -> Any:
        """Wait for results, in lists or not, and return their values."""

    def open(self, opening: Opening) -> Crew:
        """Open the stations that work at the chains."""

    def recover(self) -> None:
        """Wait until there are workers, after some were lost, and forget what they had done."""


class InProcess:
    """Runs tasks one after the other in this process: for tests, and for one machine without Dask.

    Parameters
    ----------
    folder : path, optional
        A folder for large arrays. With it, topics and tokens lie in files that are mapped, so that
        memory has to hold what one task works at, and the counts of words, but not the corpus.
        Files are removed as soon as nothing needs them.

    Examples
    --------
    >>> import tempfile
    >>> import pymc_medlda as med
    >>> on_disk = med.distributed.InProcess(tempfile.mkdtemp())
    """

    shares_memory = True
    is_local = True

    def __init__(self, folder: str | os.PathLike[str] | None = None) -> None:
        if folder is not None and not isinstance(folder, (str, os.PathLike)):
            raise TypeError(f"folder must be a path or None, got {folder!r}")
        self.folder = None if folder is None else Path(folder)
        if self.folder is not None:
            if self.folder.exists() and not self.folder.is_dir():
                raise ValueError(f"folder must be a folder, and {self.folder} is a file")
            self.folder.mkdir(parents=True, exist_ok=True)

    def submit(self, task: Task, *arguments: Any, key: tuple[Any, ...]) -> Any:
        """Run a task now, and return its result."""
        result = task(*arguments)
        return result if self.folder is None else map_arrays(result, self.folder)

    def gather(self, results: Any) -> Any:
        """Return the results as they are."""
        return results

    def open(self, opening: Opening) -> Crew:
        """Open a station in this process."""
        if self.folder is None:
            return CrewOfOne(opening)
        return CrewOfOne(opening, partial(map_arrays, folder=self.folder))

    def recover(self) -> None:
        """Do nothing."""


LARGE = 1 << 14  # bytes: smaller arrays stay in memory


def map_arrays(value: Any, folder: Path) -> Any:
    """Return a result whose large arrays lie in files; the counts of blocks stay in memory."""
    if isinstance(value, np.ndarray) and type(value) is np.ndarray:
        return map_array(value, folder) if value.nbytes >= LARGE and _owns(value) else value
    if isinstance(value, list):
        return [map_arrays(entry, folder) for entry in value]
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(map_arrays(entry, folder) for entry in value))
    return value


def _owns(array: NDArray[Any]) -> bool:
    """Tell whether the numbers are in memory, and not in a file already."""
    base: Any = array
    while base is not None:
        if isinstance(base, np.memmap):
            return False
        base = getattr(base, "base", None)
    return True


def map_array(array: NDArray[Any], folder: Path) -> NDArray[Any]:
    """Write an array to a file without a name, and map it, so that it can be written to."""
    # The file has no name any more once it is mapped: it goes when the array goes.
    with tempfile.TemporaryFile(dir=folder) as file:
        np.ascontiguousarray(array).tofile(file)
        file.flush()
        return np.asarray(np.memmap(file, array.dtype, "r+", shape=array.shape))


class OnCluster:
    """Runs tasks on the workers of a Dask cluster."""

    shares_memory = False

    def __init__(self, client: Any) -> None:
        self.client = client
        self.token = uuid4().hex[:12]  # names tasks, and has no influence on draws

    def submit(self, task: Task, *arguments: Any, key: tuple[Any, ...]) -> Any:
        """Hand a task over to the scheduler."""
        # Without ``workers``: if the preferred worker of a task is lost while there is no other,
        # Dask never runs the task, also with ``allow_other_workers``.
        name, *numbers = key
        full = (f"{name}-{self.token}", *numbers)
        return self.client.submit(task, *arguments, key=full, pure=False)

    def gather(self, results: Any) -> Any:
        """Wait for results."""
        try:
            return self.client.gather(results)
        except BaseException as error:
            raise as_lost(error) from error

    @property
    def is_local(self) -> bool:
        """Whether all workers are on this machine."""
        threads = self.list_threads()
        hosts = {address.split("://")[-1].rsplit(":", 1)[0] for address in threads}
        inside = any(address.startswith("inproc") for address in threads)
        return inside or hosts <= {"127.0.0.1", "[::1]", "localhost"}

    def list_threads(self) -> list[str]:
        """Return the threads of the workers there are, one of each worker first, then the next."""
        workers = self.client.scheduler_info(n_workers=-1)["workers"]
        # One that is about to leave takes no tasks any more.
        staying = [own for own in sorted(workers) if workers[own]["status"] in STAYING]
        counts = {address: workers[address]["nthreads"] for address in staying}
        rounds = range(max(counts.values(), default=0))
        return [a for n in rounds for a, count in counts.items() if n < count]

    def open(self, opening: Opening) -> Crew:
        """Open stations on the workers."""
        return CrewOfWorkers(self, opening)

    def recover(self) -> None:
        """Wait for workers, and give tasks other names than those that failed."""
        deadline = time.monotonic() + LONGEST_WAIT
        while not self.list_threads():
            if time.monotonic() > deadline:
                raise TimeoutError(f"the cluster has had no worker for {LONGEST_WAIT} seconds")
            time.sleep(0.1)
        self.token = uuid4().hex[:12]


def as_executor(client: Any, stack: ExitStack, n_partitions: int) -> Executor:
    """Return where tasks run; a cluster that is started here ends with the stack."""
    if isinstance(client, InProcess):
        return client
    check_client(client)
    distributed = import_optional(
        "distributed", needed_by="distributed.sample", package="dask and distributed", extra="dask"
    )
    if client is None:
        cluster = distributed.LocalCluster(
            n_workers=min(n_partitions, available_cores()),
            threads_per_worker=1,
            dashboard_address=":0",
        )
        client = stack.enter_context(distributed.Client(stack.enter_context(cluster)))
    return OnCluster(client)


def check_client(client: Any) -> None:
    """Raise unless tasks can be run by this: a client of Dask, `InProcess`, or None."""
    if client is None or isinstance(client, InProcess):
        return
    distributed = sys.modules.get("distributed")  # without it there are no clients
    if distributed is None or not isinstance(client, distributed.Client):
        raise TypeError(
            "client must be a dask.distributed.Client, distributed.InProcess or None, got "
            f"{type(client).__name__}"
        )
    if client.asynchronous or client.status != "running":
        kind = "an asynchronous one" if client.asynchronous else f"one that is {client.status}"
        raise ValueError(f"client must be a synchronous Client that is running, got {kind}")


def find_folder(checkpoint: Any, client: Any, executor: Executor, stack: ExitStack) -> Path | None:
    """Return the folder of checkpoints: the one that was given, or a temporary one for Dask."""
    if checkpoint is not None:
        if not isinstance(checkpoint, (str, os.PathLike)):
            raise TypeError(f"checkpoint must be a path or None, got {checkpoint!r}")
        return Path(checkpoint)
    if executor.shares_memory:
        return None
    if client is not None and not executor.is_local:
        raise ValueError(
            "checkpoint must be given for a cluster of several machines: a folder that all of its "
            "workers reach"
        )
    return Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="medlda-")))
