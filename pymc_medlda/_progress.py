"""A progress bar that appears only if the work takes long."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

Item = TypeVar("Item")
# Seconds to wait before showing a bar: short work needs none.
PATIENCE = 2.0


def track(
    items: Iterable[Item],
    total: int,
    description: str,
    *,
    show: bool = True,
    state: Callable[[], str] = str,
) -> Iterator[Item]:
    """Yield the items; after `PATIENCE` seconds show how many of ``total`` are done.

    Nothing is shown if ``show`` is False. ``state`` returns what is written behind the bar; by
    default nothing is.

    Examples
    --------
    >>> list(track(range(3), 3, "Counting"))
    [0, 1, 2]
    """
    start = time.monotonic()
    bar: Any = None
    try:
        for done, item in enumerate(items, start=1):
            yield item
            if bar is None and show and done < total and time.monotonic() - start > PATIENCE:
                bar = _start(total, description)
            if bar is not None:
                bar.update(bar.task_ids[0], completed=done, state=state())
    finally:
        if bar is not None:
            bar.stop()


def _start(total: int, description: str) -> Any:
    # PyMC depends on rich for its own progress bars, so rich is installed.
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    bar = Progress(
        "{task.description}",
        BarColumn(bar_width=16),  # so that everything fits into 80 columns
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        "{task.fields[state]}",
    )
    bar.add_task(description, total=total, state="")
    bar.start()
    return bar
