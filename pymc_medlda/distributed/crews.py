"""Crews: the stations that work at one run, and how they are opened.

Where tasks run in this process, a crew is one station. On a Dask cluster there is one station for
each thread of the workers, up to one for each partition. A station is the result of a task, so that
Dask forgets it when nobody needs it any more; it stays on its worker, and letters go from worker to
worker over Dask's own connections. If a worker is lost, so is the crew: the run then opens another
one, with the workers that there are, from the last checkpoint.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol
from uuid import uuid4

from pymc_medlda.distributed.checkpoints import load_topics, path_of_topics
from pymc_medlda.distributed.describing import Coding
from pymc_medlda.distributed.documents import Kept, load_plan, prepare_documents, start_topics
from pymc_medlda.distributed.letters import BOXES, LETTER, BetweenWorkers, Lost, Name, receive
from pymc_medlda.distributed.partitions import Partition
from pymc_medlda.distributed.settings import Settings
from pymc_medlda.distributed.stations import (
    Here,
    Layout,
    Order,
    Part,
    Report,
    Station,
    lay_out,
    leave,
)
from pymc_medlda.distributed.weights import Weights

SPAN = 2.0  # seconds that an order should take: the driver is asked that often
WATCH = 1.0  # seconds after which the driver looks whether all workers are there


class Opening(NamedTuple):
    """What stations are opened with."""

    parts: dict[int, Partition]
    coding: Coding | None
    plan: Any  # Dealt, or the path of a file that holds it
    given: Settings
    sweep: int  # after which the chains are
    weights: list[Weights]  # of each chain, of that sweep
    folder: str  # where the topics after that sweep are, if it is not zero
    keeps_order: bool = False  # whether topics will be written in the order of the documents


class Crew(Protocol):
    """Stations that work together."""

    pace: int
    """How many sweeps to order at once."""

    def describe_kept(self) -> dict[int, Kept]:
        """Return the documents whose topics the result holds, of each partition."""

    def follow(self, order: Order) -> Sequence[Report]:
        """Run sweeps, and return what the stations tell of them."""

    def is_outgrown(self) -> bool:
        """Tell whether a new crew would have more stations."""

    def close(self) -> None:
        """Send all stations home."""


def open_station(number: int, layout: Layout, opening: Opening, hold: Any = None) -> Station:
    """Load the documents of a station, and start its chains or read where they were."""
    given, sweep = opening.given, opening.sweep
    plan = load_plan(opening.plan) if isinstance(opening.plan, str) else opening.plan
    keep = hold if hold is not None else leave
    options = {"keeps_order": opening.keeps_order}
    documents = {
        i: keep(prepare_documents(opening.parts[i], opening.coding, plan, given, **options))
        for i in layout.partitions_of(number)
    }
    parts = []
    for c, weights in enumerate(opening.weights):
        topics = {}
        for i, own in documents.items():
            path = path_of_topics(opening.folder, sweep, c, i)
            found = load_topics(own, path, given) if sweep else start_topics(own, given, c, i)
            found.z, found.document_topic = keep(found.z), keep(found.document_topic)
            topics[i] = found
        own_weights = weights._replace(eta=weights.eta.copy(), log_mass=weights.log_mass.copy())
        parts.append(Part(topics, own_weights))
    return Station(number, layout, given, plan, documents, parts, sweep, hold)


class CrewOfOne:
    """One station in this process."""

    pace = 1

    def __init__(self, opening: Opening, hold: Any = None) -> None:
        self.station = open_station(0, lay_out(len(opening.parts), 1), opening, hold)
        self.post = Here(self.station.box)

    def describe_kept(self) -> dict[int, Kept]:
        """Return the documents whose topics the result holds, of each partition."""
        return self.station.describe_kept()

    def follow(self, order: Order) -> Sequence[Report]:
        """Run sweeps."""
        return [self.station.follow(order, self.post)]

    def is_outgrown(self) -> bool:
        """Say no."""
        return False

    def close(self) -> None:
        """Do nothing."""


class CrewOfWorkers:
    """Stations on the workers of a Dask cluster.

    Parameters
    ----------
    cluster : OnCluster
    opening : Opening
    """

    def __init__(self, cluster: Any, opening: Opening) -> None:
        self.cluster, self.client = cluster, cluster.client
        self.n_partitions = len(opening.parts)
        self.name = uuid4().hex[:12]  # names tasks and boxes, and has no influence on draws
        threads = cluster.list_threads()
        if not threads:
            raise Lost("there is no worker")
        # Stations of one worker are neighbours: blocks stay there most of the time.
        self.places = sorted(threads[: self.n_partitions])
        layout = lay_out(self.n_partitions, len(self.places))
        self.pace = 1
        self.futures: list[Any] = []
        self.stations: list[Any] = []
        for number in range(layout.n_stations):
            own = {i: opening.parts[i] for i in layout.partitions_of(number)}
            arguments = (number, layout, opening._replace(parts=own), self.name)
            self.stations.append(self._submit("open", (), number, open_on_worker, *arguments))
        self._wait(self.stations)

    def _submit(self, verb: str, numbers: Name, number: int, task: Any, *arguments: Any) -> Any:
        future = self.client.submit(
            task,
            *arguments,
            key=(f"{verb}-{self.name}", *numbers, number),
            workers=[self.places[number]],
            allow_other_workers=False,
            pure=False,
        )
        self.futures.append(future)
        return future

    def describe_kept(self) -> dict[int, Kept]:
        """Return the documents whose topics the result holds, of each partition."""
        tasks = [
            self._submit("face", (), n, Station.describe_kept, own)
            for n, own in enumerate(self.stations)
        ]
        return {i: kept for own in self._collect(tasks) for i, kept in own.items()}

    def follow(self, order: Order) -> Sequence[Report]:
        """Run sweeps on all stations at the same time."""
        begin = time.monotonic()
        tasks = [
            self._submit(
                "sweeps", order[:2], n, follow_on_worker, own, order, self.name, self.places
            )
            for n, own in enumerate(self.stations)
        ]
        reports: list[Report] = self._collect(tasks)
        passed = max(time.monotonic() - begin, 1e-6) / (order.last - order.first + 1)
        self.pace = max(int(SPAN / passed), 1)
        return reports

    def _collect(self, futures: list[Any]) -> list[Any]:
        """Wait for tasks, and return their results."""
        self._wait(futures)
        found = []
        for future in futures:
            patience = WATCH
            while True:
                try:
                    found.append(future.result(timeout=patience))
                    break
                except TimeoutError:  # a large result, or its worker is lost by now
                    self._watch()
                    patience *= 2
                except BaseException as error:
                    raise as_lost(error) from error
        done = {future.key for future in futures}
        self.futures = [own for own in self.futures if own.key not in done]
        return found

    def _wait(self, futures: list[Any]) -> None:
        """Wait until tasks are done; raise as soon as one of them cannot be."""
        # Not by ``distributed.wait``, which asks the default client: ours need not be that one.
        changed = threading.Event()
        for future in futures:
            future.add_done_callback(lambda _: changed.set())
        while True:
            changed.clear()
            for future in futures:
                if future.status == "error":
                    raised = future.exception()
                    raise as_lost(raised) from raised
                if future.status not in ("pending", "finished"):
                    raise Lost(f"a task was {future.status}")
            if all(future.status == "finished" for future in futures):
                return
            if not changed.wait(WATCH):
                self._watch()

    def _watch(self) -> None:
        """Raise unless all workers of the crew are there."""
        # A task may only run on the worker that holds its station. If that is gone, it would wait
        # for ever.
        missing = set(self.places) - set(self.cluster.list_threads())
        if missing:
            raise Lost(f"{len(missing)} workers are gone")

    def is_outgrown(self) -> bool:
        """Tell whether a new crew would have more stations."""
        if len(self.places) == self.n_partitions:
            return False
        return min(len(self.cluster.list_threads()), self.n_partitions) > len(self.places)

    def close(self) -> None:
        """Cancel what is left, and forget the stations."""
        self.client.cancel(self.futures, force=True)
        self.futures, self.stations = [], []


def as_lost(error: BaseException) -> BaseException:
    """Return `Lost` for errors that say that a worker is gone, and other errors as they are."""
    import distributed

    lost = (Lost, distributed.KilledWorker, asyncio.CancelledError)
    return Lost(str(error)) if isinstance(error, lost) else error


def open_on_worker(number: int, layout: Layout, opening: Opening, name: str) -> Station:
    """Open a station on this worker, which accepts letters from now on."""
    import distributed

    distributed.get_worker().handlers[LETTER] = receive
    station = open_station(number, layout, opening)
    BOXES[name, number] = station.box
    return station


def follow_on_worker(station: Station, order: Order, name: str, places: list[str]) -> Report:
    """Run sweeps on this worker."""
    return station.follow(order, BetweenWorkers(station.box, name, places))
