"""Threads that share the work of one sweep; kernels run without the interpreter lock."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from threading import Event
from typing import Any

Work = Callable[[int], Any]


def available_cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Team:
    """The calling thread and ``threads - 1`` others, which are started when they are needed.

    Parameters
    ----------
    threads : int
    """

    def __init__(self, threads: int) -> None:
        self.threads = threads
        self._pool: ThreadPoolExecutor | None = None
        self._process = 0
        self._helping: list[Future[None]] = []

    def run(self, work: Work, n: int, after: Sequence[Sequence[int]] | None = None) -> list[Any]:
        """Return ``[work(0), ..., work(n - 1)]``, computed side by side.

        ``work(m)`` begins once all of ``work(before)`` are finished, for ``before`` in
        ``after[m]``, which are smaller than m. If one of them raises, those that have not begun are
        left out, and the exception is raised again when no thread is at work any more.
        """
        n_threads = min(self.threads, n)
        if n_threads <= 1:
            return [work(m) for m in range(n)]
        shared = _Shared(work, n, after)
        pool = self._find_pool()
        self._helping = [pool.submit(shared.take_part) for _ in range(n_threads - 1)]
        try:
            shared.take_part()
        finally:
            wait(self._helping)
        if shared.errors:
            raise shared.errors[0]
        return shared.results

    def _find_pool(self) -> ThreadPoolExecutor:
        """Return the threads of this process: a forked one has none of its parent's threads."""
        if self._pool is None or self._process != os.getpid():
            self._pool = ThreadPoolExecutor(self.threads - 1, "pymc-medlda")
            self._process = os.getpid()
        else:
            wait(self._helping)  # a second interrupt may have left some at work
        return self._pool


class _Shared:
    """The work that the threads of a team take from each other, and what came of it."""

    def __init__(self, work: Work, n: int, after: Sequence[Sequence[int]] | None) -> None:
        self.work, self.n = work, n
        self.after = [()] * n if after is None else after
        self.next = itertools.count()  # taking a number from it is atomic
        self.is_finished = [Event() for _ in range(n)]
        self.results: list[Any] = [None] * n
        self.errors: list[BaseException] = []

    def take_part(self) -> None:
        """Take the first piece of work that is still free, until none is left.

        What it waits for has been taken before, so that threads never wait for each other.
        """
        while (m := next(self.next)) < self.n:
            try:
                for before in self.after[m]:
                    self.is_finished[before].wait()
                if not self.errors:
                    self.results[m] = self.work(m)
            except BaseException as error:
                self.errors.append(error)
            finally:
                self.is_finished[m].set()
