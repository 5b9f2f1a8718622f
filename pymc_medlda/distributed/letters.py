"""Letters between stations: what one of them has computed, and another one waits for.

A letter has a name, such as the chain, the sweep, the round and the block that it holds. It waits
in the box of its station until it is taken.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol
from weakref import WeakValueDictionary

Name = tuple[Any, ...]
Address = tuple[str, int]  # of a box: the name of its crew, and the number of its station

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
