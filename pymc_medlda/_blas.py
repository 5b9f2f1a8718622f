"""Linear algebra on one core, so that draws and speed do not depend on how many there are.

BLAS libraries start a thread for every core, and these threads keep their cores busy for some
milliseconds after each call. They would take the cores from the threads of a sweep and from other
chains. A result also depends on the number of threads in its last digits, and a chain with it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import Any

from threadpoolctl import ThreadpoolController

_lock = Lock()
_within = 0  # how many threads of this process are within `on_one_core`
_limited: list[tuple[Any, int]] = []  # the libraries that were limited, and their threads before


@cache
def _libraries() -> ThreadpoolController:
    """Return the BLAS libraries of this process; looking for them takes some milliseconds."""
    return ThreadpoolController().select(user_api="blas")


@contextmanager
def on_one_core() -> Iterator[None]:
    """Keep BLAS to one thread until the last thread of this process has left the context."""
    global _within
    with _lock:
        if _within == 0:
            _take_away()
        _within += 1
    try:
        yield
    finally:
        with _lock:
            _within -= 1
            if _within == 0:
                _give_back()


def _forget() -> None:
    """Begin anew in a process that was forked: the threads of its parent are not there."""
    global _within, _lock
    _within, _lock = 0, Lock()


if hasattr(os, "register_at_fork"):  # there is no fork on Windows
    os.register_at_fork(after_in_child=_forget)


def _take_away() -> None:
    """Limit the libraries that have several threads; asking them takes a microsecond."""
    for library in _libraries().lib_controllers:
        n_threads = library.get_num_threads()
        if n_threads is not None and n_threads > 1:
            _limited.append((library, n_threads))
            library.set_num_threads(1)


def _give_back() -> None:
    """Let BLAS have its threads again, in whichever thread this is called."""
    for library, _ in _limited:
        # New versions of threadpoolctl ignore every thread but the one that has set a limit.
        if hasattr(library, "clear_controlling_thread"):
            library.clear_controlling_thread(force=True)
    while _limited:
        library, n_threads = _limited.pop()
        library.set_num_threads(n_threads)
        if hasattr(library, "clear_controlling_thread"):
            library.clear_controlling_thread()
