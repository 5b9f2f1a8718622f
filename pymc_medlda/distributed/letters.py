"""Letters between stations: what one of them has computed, and another one waits for.

A letter has a name, such as the chain, the sweep, the round and the block that it holds. It waits
in the box of its station until it is taken.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol
from weakref import WeakValueDictionary

Name = tuple[Any, ...]
Address = tuple[str, int]  # of a box: the name of its crew, and the number of its station

YIELD = 2.0  # seconds after which a station that waits lets its worker run other tasks
LETTER = "pymc_medlda_letter"  # what workers call the receipt of a letter
PATIENCE = 0.25  # seconds after which whoever waits asks whether that is still wanted


class Lost(Exception):
    """A worker is gone, or what it held: the run has to go back to its last checkpoint."""


class Box:
    """Holds the letters of a station until they are taken."""

    def __init__(self) -> None:
        self._letters: dict[Name, Any] = {}
        self._error: BaseException | None = None
        self._changed = threading.Condition()

    def put(self, name: Name, letter: Any) -> None:
        """Put a letter into the box, and wake up whoever waits for it."""
        with self._changed:
            self._letters[name] = letter
            self._changed.notify_all()

    def fail(self, error: BaseException) -> None:
        """Let whoever waits, now or later, raise an error."""
        with self._changed:
            self._error = error
            self._changed.notify_all()

    def look(self, name: Name) -> Any:
        """Return a letter that is there, and leave it there."""
        return self._letters[name]

    def find(self, names: Sequence[Name]) -> int:
        """Return the position of the first of these letters that is there; -1 if none is."""
        with self._changed:
            if self._error is not None:
                raise self._error
            return next((n for n, name in enumerate(names) if name in self._letters), -1)

    def wait(self, names: Sequence[Name], check: Callable[[float], None]) -> int:
        """Wait until one of these letters is there, and return its position.

        ``check`` is called every now and then with the seconds that have passed; it may raise.
        """
        passed = 0.0
        while (found := self.find(names)) < 0:
            with self._changed:
                there = self._changed.wait_for(
                    lambda: self._error is not None or any(n in self._letters for n in names),
                    PATIENCE,
                )
            if not there:
                passed += PATIENCE
                check(passed)
        return found

    def take(self, name: Name) -> Any:
        """Return a letter that is there, and forget it."""
        with self._changed:
            return self._letters.pop(name)


class Post(Protocol):
    """Brings letters to the other stations of a crew."""

    def send(self, station: int, name: Name, letter: Any) -> None:
        """Bring a letter to a station; it must not be changed any more here."""

    def check(self, passed: float) -> None:
        """Raise `Lost` if nobody wants the work of this station any more.

        ``passed`` is for how many seconds it has waited for a letter.
        """


# The boxes of this process. They belong to their stations, and go with them.
BOXES: WeakValueDictionary[Address, Box] = WeakValueDictionary()


class Received(NamedTuple):
    """A letter from another process, whose arrays may be read-only."""

    letter: Any


def deliver(address: Address, name: Name, letter: Any) -> None:
    """Put a letter into a box of this process."""
    box = BOXES.get(address)
    if box is None:
        raise Lost(f"there is no station {address[1]} here")
    box.put(name, letter)


async def receive(address: Sequence[Any], content: tuple[Name, Any]) -> str:
    """Put a letter that came over the network into its box; return what is wrong, if anything."""
    name, letter = content
    try:
        deliver((address[0], address[1]), tuple(name), Received(letter))
    except Lost as error:
        # The last letters of a run may come after its end. Dask would log an exception as an error.
        return str(error)
    return ""


class BetweenWorkers:
    """Brings letters to the stations of this worker and of others.

    Parameters
    ----------
    box : Box
        Of the station.
    name : str
        Of the crew.
    places : list of str
        The addresses of the workers of all stations.
    """

    def __init__(self, box: Box, name: str, places: list[str]) -> None:
        import distributed

        self.box, self.name, self.places = box, name, places
        self.worker = distributed.get_worker()
        self.key = self.worker.get_current_task()
        self.loop = self.worker.loop.asyncio_loop  # type: ignore[attr-defined]
        self.has_yielded = False

    def send(self, station: int, name: Name, letter: Any) -> None:
        """Bring a letter to a station, while this one goes on with its work."""
        address = (self.name, station)
        if address in BOXES or self.places[station] == self.worker.address:
            deliver(address, name, letter)
            return
        bringing = asyncio.run_coroutine_threadsafe(self._bring(address, name, letter), self.loop)
        bringing.add_done_callback(self._note)

    async def _bring(self, address: Address, name: Name, letter: Any) -> None:
        from distributed.protocol import to_serialize

        other = self.worker.rpc(self.places[address[1]])
        content = to_serialize((name, letter))
        if wrong := await getattr(other, LETTER)(address=address, content=content):
            raise Lost(wrong)

    def _note(self, bringing: Any) -> None:
        """Let the station know if a letter could not be brought."""
        error = "cancelled" if bringing.cancelled() else bringing.exception()
        if error is not None:
            self.box.fail(Lost(f"a letter could not be brought: {error!r}"))

    def check(self, passed: float) -> None:
        """Raise `Lost` if the driver is gone or has given this crew up."""
        import distributed

        task = self.worker.state.tasks.get(self.key)
        if task is None or task.state not in ("executing", "long-running"):
            raise Lost("nobody waits for this station")
        # The stations of two runs on one cluster might wait for each other.
        if passed >= YIELD and not self.has_yielded:
            self.has_yielded = True
            distributed.secede()
