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
_limit: Any = None


@cache
def _libraries() -> ThreadpoolController:
    """Return the BLAS libraries of this process; looking for them takes some milliseconds."""
    return ThreadpoolController().select(user_api="blas")


@contextmanager
def on_one_core() -> Iterator[None]:
    """Keep BLAS to one thread until the last thread of this process has left the context."""
    global _within, _limit
    with _lock:
        if _within == 0:
            _limit = _libraries().limit(limits=1)
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


def _give_back() -> None:
    """Let BLAS have its threads again, in whichever thread this is called."""
    for library in _libraries().lib_controllers:
        # New versions of threadpoolctl ignore every thread but the one that has set a limit.
        if hasattr(library, "clear_controlling_thread"):
            library.clear_controlling_thread(force=True)
    _limit.restore_original_limits()
    for library in _libraries().lib_controllers:
        if hasattr(library, "clear_controlling_thread"):
            library.clear_controlling_thread()
