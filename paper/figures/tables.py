"""From results of jobs to curves: a value of each seed, by variant and position."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from paper.runner import Job, Result
from paper.style import Curve

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


def flat(grid: Mapping[Any, list[Job]]) -> list[Job]:
    """Return all jobs of a grid."""
    return [own for jobs in grid.values() for own in jobs]
