"""From results of jobs to curves: a value of each seed, by variant and position."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from paper.runner import Job, Result, job
from paper.style import Curve, draw_curves, panels

Results = Mapping[Job, Result]
Grid = dict[tuple[str, Any], list[Job]]


def values(results: Results, jobs: list[Job], name: str) -> list[float]:
    """Return one number of each job."""
    return [results[own][name] for own in jobs]


def curves(results: Results, grid: Grid, name: str) -> dict[str, Curve]:
    """Return a curve for each variant of a grid, over its second key."""
    found: dict[str, tuple[list[Any], list[list[float]]]] = {}
    for (variant, position), jobs in grid.items():
        positions, seeds = found.setdefault(variant, ([], []))
        positions.append(position)
        seeds.append(values(results, jobs, name))
    return dict(found)


def curves_over_sweeps(results: Results, grid: dict[int, list[Job]], name: str) -> dict[str, Curve]:
    """Return a curve over burn-in sweeps for each number of topics."""
    return {
        f"K = {n_topics}": (
            results[jobs[0]]["checkpoints"],
            [list(own) for own in zip(*(results[one][name] for one in jobs), strict=True)],
        )
        for n_topics, jobs in grid.items()
    }


def burn_in_jobs(
    corpus: str, topics: Sequence[int], seeds: Sequence[int], sweeps: Sequence[int]
) -> dict[int, list[Job]]:
    """Return the jobs of each number of topics that follow chains up to the last of ``sweeps``."""
    checkpoints = list(sweeps)
    return {
        k: [
            job("burn_in", corpus=corpus, n_topics=k, seed=s, checkpoints=checkpoints)
            for s in seeds
        ]
        for k in topics
    }


def draw_burn_in(results: Results, grid: dict[int, list[Job]]) -> Figure:
    """Draw test accuracy, training accuracy and training time over the number of sweeps."""
    figure, (left, middle, right) = panels(3)
    m = "burn-in sweeps"
    found = {
        name: curves_over_sweeps(results, grid, name)
        for name in ("test_score", "train_score", "train_cpu_at")
    }
    draw_curves(left, found["test_score"], x=m, y="test accuracy", log="x")
    draw_curves(middle, found["train_score"], x=m, y="training accuracy", log="x")
    draw_curves(right, found["train_cpu_at"], x=m, y="training time (s)", times=True)
    return figure


def spread(own: Sequence[float], digits: int = 3) -> str:
    """Return mean ± standard deviation, or the only value."""
    deviation = f" ± {np.std(own, ddof=1):.{digits}f}" if len(own) > 1 else ""
    return f"{np.mean(own):.{digits}f}{deviation}"


def as_table(results: Results, grid: Grid, name: str = "score", *, at: int = 20) -> str:
    """Return a value of each method over K, and its times at one K, as a Markdown table.

    Each method has as many seeds as its row says; ± is one standard deviation over them.
    """
    topics = sorted({k for _, k in grid})
    at = at if at in topics else topics[-1]
    heads = ["method", "seeds", *(f"K = {k}" for k in topics)]
    heads += [f"training (s), K = {at}", f"testing (s), K = {at}"]
    lines = ["| " + " | ".join(heads) + " |", "|---" * len(heads) + "|"]
    for method in dict.fromkeys(variant for variant, _ in grid):
        cells = [spread(values(results, grid[method, k], name)) for k in topics]
        for time in ("train_cpu", "test_cpu"):
            cells.append(f"{np.median(values(results, grid[method, at], time)):.2g}")
        lines.append(f"| {method} | {len(grid[method, at])} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def flat(grid: Mapping[Any, list[Job]]) -> list[Job]:
    """Return all jobs of a grid."""
    return [own for jobs in grid.values() for own in jobs]
