"""How claims are measured: comparisons of methods, and shapes of curves.

A measure takes the results and the scale, and returns what was found in words, and whether the
claim holds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from paper.figures.tables import Grid, Results, values
from paper.runner import Job
from paper.settings import Scale
from paper.style import Curve

Table = Callable[[Scale], Grid]
Curves = Callable[[Results, Scale], dict[str, Curve]]


class Found(NamedTuple):
    """What was measured, in words, and whether the claim holds; None where that is undecided."""

    words: str
    holds: bool | None


Measure = Callable[[Results, Scale], Found]


def difference(
    results: Results, grid: Grid, one: str, other: str, name: str, only: int | None = None
) -> tuple[Any, Any]:
    """Return the mean difference over numbers of topics, or at one, and its standard error."""
    gaps, variances = [], []
    topics = sorted({k for variant, k in grid if variant == one})
    for k in topics if only is None else [only]:
        pair = [np.array(values(results, grid[variant, k], name)) for variant in (one, other)]
        gaps.append(pair[0].mean() - pair[1].mean())
        variances.append(sum(own.var(ddof=1) / own.size for own in pair if own.size > 1))
    return np.mean(gaps), np.sqrt(np.sum(variances)) / len(gaps)


def gap(one: Sequence[float], other: Sequence[float]) -> tuple[float, float]:
    """Return the difference of two means, and its standard error.

    A single value has no spread of its own, and none counts for it.
    """
    pair = [np.array(one), np.array(other)]
    error = np.sqrt(sum(own.var(ddof=1) / own.size for own in pair if own.size > 1))
    return float(pair[0].mean() - pair[1].mean()), float(error)


def higher(
    table: Table, one: str, other: str, name: str = "score", only: int | None = None
) -> Measure:
    """Ask whether a mean over K, or at one K, is higher by more than two standard errors."""

    def measure(results: Results, scale: Scale) -> Found:
        more, error = difference(results, table(scale), one, other, name, only)
        around = f" ± {error:.3f}" if error > 0.0 else ""
        return Found(f"{more:+.3f}{around} over {other}", bool(more > 2 * error))

    return measure


def over_best(jobs: Callable[[Scale], list[Job]], table: Table, other: str) -> Measure:
    """Ask whether some runs score higher than another method with its best K, by two errors."""

    def measure(results: Results, scale: Scale) -> Found:
        rivals = [
            values(results, own, "score")
            for (name, _), own in table(scale).items()
            if name == other
        ]
        pair = [values(results, jobs(scale), "score"), max(rivals, key=lambda own: np.mean(own))]
        more, error = gap(*pair)
        words = f"{np.mean(pair[0]):.3f} against {np.mean(pair[1]):.3f}: {more:+.3f} ± {error:.3f}"
        return Found(words, more > 2 * error)

    return measure


def comparable(
    table: Table, one: str, other: str, name: str = "score", within: float = 0.02
) -> Measure:
    """Ask whether a mean is not lower than another by more than a bound, averaged over K."""

    def measure(results: Results, scale: Scale) -> Found:
        more, error = difference(results, table(scale), one, other, name)
        return Found(f"{more:+.3f} ± {error:.3f} against {other}", bool(more > -within))

    return measure


def faster(
    table: Table, one: str, other: str, times: float, name: str = "train_cpu", k: int = 20
) -> Measure:
    """Ask whether a method is at least ``times`` as fast as another, at K or the K next to it."""

    def measure(results: Results, scale: Scale) -> Found:
        grid = table(scale)
        nearest = min((own for variant, own in grid if variant == one), key=lambda n: abs(n - k))
        pair = [np.median(values(results, grid[own, nearest], name)) for own in (one, other)]
        ratio = pair[1] / pair[0]
        words = f"{pair[0]:.3g} s against {pair[1]:.3g} s: {ratio:.1f} times (K = {nearest})"
        setup = np.median([results[own].get("setup_cpu", 0.0) for own in grid[one, nearest]])
        if name == "train_cpu" and setup > 0.1 * pair[0]:
            # PyTensor compiles for each model, which no warming up can take out of the clock.
            words += f"; {pair[1] / (pair[0] - setup):.0f} without {setup:.2g} s of compiling"
        return Found(words, bool(ratio >= times))

    return measure


def faster_with_topics(
    table: Table, one: str, others: Sequence[str], times: float, name: str = "test_cpu"
) -> Measure:
    """Ask whether a method is faster than others at every K, and most so at the largest.

    There it must be at least ``times`` as fast as each of the others.
    """

    def measure(results: Results, scale: Scale) -> Found:
        grid = table(scale)
        topics = sorted({k for variant, k in grid if variant == one})
        words, holds = [], True
        for other in others:
            ratios = [
                np.median(values(results, grid[other, k], name))
                / np.median(values(results, grid[one, k], name))
                for k in topics
            ]
            words.append(f"{', '.join(f'{own:.1f}' for own in ratios)} times as fast as {other}")
            holds &= min(ratios) > 1.0 and ratios[-1] >= times and ratios[-1] > ratios[0]
        return Found(f"{'; '.join(words)} with K = {', '.join(map(str, topics))}", bool(holds))

    return measure


def untested(reason: str) -> Measure:
    """Say why a claim is not tested."""

    def measure(results: Results, scale: Scale) -> Found:
        del results, scale
        return Found(reason, None)

    return measure


def ratio_of(
    numerator: Callable[[Results, Scale], float],
    denominator: Callable[[Results, Scale], float],
    low: float,
    high: float,
) -> Measure:
    """Ask whether the ratio of two times lies between bounds."""

    def measure(results: Results, scale: Scale) -> Found:
        above, below = numerator(results, scale), denominator(results, scale)
        words = f"{above:.3g} s against {below:.3g} s: {above / below:.1f} times"
        return Found(words, low <= above / below <= high)

    return measure


def stable(curves: Curves, low: float, high: float, within: float) -> Measure:
    """Ask whether the mean of every curve varies by less than a bound between two positions."""

    def measure(results: Results, scale: Scale) -> Found:
        ranges = {}
        for name, (positions, seeds) in curves(results, scale).items():
            inside = [
                np.mean(own) for x, own in zip(positions, seeds, strict=True) if low <= x <= high
            ]
            ranges[name] = max(inside) - min(inside)
        words = "range of means: " + ", ".join(f"{own:.3f} ({k})" for k, own in ranges.items())
        return Found(words, max(ranges.values()) < within)

    return measure


def linear(curves: Curves) -> Measure:
    """Ask whether times grow along a straight line: R² of at least 0.95."""

    def measure(results: Results, scale: Scale) -> Found:
        squares = {}
        for name, (positions, seeds) in curves(results, scale).items():
            means = [np.median(own) for own in seeds]
            squares[name] = np.corrcoef(positions, means)[0, 1] ** 2
        words = "R² of a line: " + ", ".join(f"{own:.3f} ({k})" for k, own in squares.items())
        return Found(words, min(squares.values()) >= 0.95)

    return measure


def settles(curves: Curves, after: float, within: float) -> Measure:
    """Ask whether means after some position stay within a bound of the last one."""

    def measure(results: Results, scale: Scale) -> Found:
        last, farthest = {}, {}
        for name, (positions, seeds) in curves(results, scale).items():
            means = [np.mean(own) for own in seeds]
            later = [own for x, own in zip(positions, means, strict=True) if x >= after]
            last[name] = means[-1]
            farthest[name] = max(abs(own - means[-1]) for own in later)
        words = ", ".join(f"within {farthest[k]:.3f} of {last[k]:.3f} ({k})" for k in last)
        return Found(words, max(farthest.values()) < within)

    return measure


def rises(curves: Curves, first: float, second: float) -> Measure:
    """Ask whether each curve gains most of its rise between two positions."""

    def measure(results: Results, scale: Scale) -> Found:
        shares = {}
        for name, (positions, seeds) in curves(results, scale).items():
            at = {x: np.mean(own) for x, own in zip(positions, seeds, strict=True)}
            end = max(max(at.values()) - at[first], 1e-9)
            shares[name] = (at[second] - at[first]) / end
        words = ", ".join(f"{own:.0%} of the rise ({k})" for k, own in shares.items())
        return Found(words, min(shares.values()) > 0.8)

    return measure


def grows_with_topics(curves: Curves) -> Measure:
    """Ask whether the last value of each curve grows from one number of topics to the next."""

    def measure(results: Results, scale: Scale) -> Found:
        ends = {name: np.median(seeds[-1]) for name, (_, seeds) in curves(results, scale).items()}
        words = ", ".join(f"{own:.2g} s ({k})" for k, own in ends.items())
        return Found(words, all(b > a for a, b in pairwise(ends.values())))

    return measure


def linear_in_topics(curves: Curves) -> Measure:
    """Ask whether the last values of the curves lie on a rising line over the numbers of topics."""

    def measure(results: Results, scale: Scale) -> Found:
        ends = {name: np.median(seeds[-1]) for name, (_, seeds) in curves(results, scale).items()}
        topics = [int(name.split()[-1]) for name in ends]
        correlation = np.corrcoef(topics, list(ends.values()))[0, 1]
        words = ", ".join(f"{own:.2g} s ({k})" for k, own in ends.items())
        return Found(
            f"R² of a line: {correlation**2:.3f}; {words}",
            bool(correlation > 0 and correlation**2 >= 0.95),
        )

    return measure


def steadier_with_topics(curves: Curves, after: float) -> Measure:
    """Ask whether means move less after some position with most topics than with fewest.

    "Less" is by a third at least.
    """

    def measure(results: Results, scale: Scale) -> Found:
        ranges = {}
        for name, (positions, seeds) in curves(results, scale).items():
            later = [np.mean(own) for x, own in zip(positions, seeds, strict=True) if x >= after]
            ranges[name] = float(max(later) - min(later))
        ordered = list(ranges.values())
        words = "range of means: " + ", ".join(f"{own:.4f} ({k})" for k, own in ranges.items())
        return Found(words, ordered[-1] <= 2 / 3 * ordered[0])

    return measure
