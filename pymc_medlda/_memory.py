"""Whether arrays fit into memory, asked before any of them is allocated."""

from __future__ import annotations

import functools
import os
from collections.abc import Mapping
from pathlib import Path

_LIMIT_OF_GROUP = Path("/sys/fs/cgroup/memory.max")  # where a container may use less than there is


@functools.cache
def physical_memory() -> int | None:
    """Return how many bytes of memory this process can have at most, None if that is unknown."""
    try:
        found = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):  # not every system tells
        return None
    try:
        limit = _LIMIT_OF_GROUP.read_text().strip()
    except (OSError, ValueError):
        return found
    return min(found, int(limit)) if limit.isdigit() else found


def check_fits(argument: str, value: object, needed: Mapping[str, int]) -> None:
    """Raise unless all arrays together fit into memory.

    Parameters
    ----------
    argument, value : str and object
        The argument that makes the arrays so large, for the error.
    needed : mapping of str to int
        What each array is, and how many bytes it takes.

    Raises
    ------
    MemoryError
        It names the argument, the largest array and how much memory there is.
    """
    memory = physical_memory()
    total = sum(needed.values())
    if memory is None or total <= memory:
        return
    largest = max(needed, key=lambda name: needed[name])
    raise MemoryError(
        f"{argument} = {value} needs {_readable(total)} of memory, and there are "
        f"{_readable(memory)}: {largest} alone would take {_readable(needed[largest])}"
    )


def _readable(size: int) -> str:
    """Return a number of bytes as people write it."""
    for unit, factor in (("TB", 10**12), ("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if size >= factor:
            return f"{size / factor:,.1f} {unit}"
    return f"{size} bytes"
