"""The progress bar of a run: sweeps, tokens per second, and the loss of the last draw."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from pymc_medlda._progress import PATIENCE


class Progress:
    """Shows how far a run is, if it takes longer than a moment.

    Parameters
    ----------
    n_sweeps : int
        Of each chain.
    n_tokens : int
        That all chains draw in a sweep.
    show : bool
    """

    def __init__(self, n_sweeps: int, n_tokens: int, *, show: bool) -> None:
        self.n_sweeps, self.n_tokens, self.show = n_sweeps, n_tokens, show
        self.begin = time.monotonic()
        self.first = 0  # after which sweep this process has begun
        self.bar: Any = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.bar is not None:
            self.bar.stop()

    def update(self, sweep: int, statistics: Sequence[dict[str, float]]) -> None:
        """Say that a sweep is done, with the statistics of each chain."""
        passed = time.monotonic() - self.begin
        if not self.show or sweep < 1 or passed < PATIENCE:
            return
        if self.bar is None:
            self.bar = self._start()
        rate = (sweep - self.first) * self.n_tokens / passed
        loss = float(np.mean([own["loss"] for own in statistics]))
        text = f"{rate / 1e6:.2f} million tokens/s, loss {loss:.4g}"
        self.bar.update(self.bar.task_ids[0], completed=sweep, text=text)

    def _start(self) -> Any:
        # PyMC depends on rich for its own progress bars, so rich is installed.
        import rich.progress as parts

        bar = parts.Progress(
            "Sampling",
            parts.BarColumn(),
            parts.MofNCompleteColumn(),
            parts.TimeRemainingColumn(),
            "{task.fields[text]}",
        )
        bar.add_task("Sampling", total=self.n_sweeps, text="")
        bar.start()
        return bar
