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
    topics = sorted({k for variant, k in grid if variant == one})
    gaps = [
        gap(*(values(results, grid[variant, k], name) for variant in (one, other)))
        for k in (topics if only is None else [only])
    ]
    more, errors = np.array(gaps).T
    return more.mean(), np.sqrt(np.square(errors).sum()) / len(gaps)


def gap(one: Sequence[float], other: Sequence[float]) -> tuple[float, float]:
    """Return the difference of two means, and its standard error.

    A single value has no spread of its own: that of the other method counts for it. Where neither
    has any, the error is unknown, which is NaN.
    """
    pair = [np.array(one), np.array(other)]
    spreads = [own.var(ddof=1) if own.size > 1 else np.nan for own in pair]
    known = [own for own in spreads if not np.isnan(own)]
    error = np.nan
    if known:
        parts = zip(pair, spreads, strict=True)
        error = np.sqrt(sum((known[0] if np.isnan(v) else v) / own.size for own, v in parts))
    return float(pair[0].mean() - pair[1].mean()), float(error)


def beyond(more: float, error: float, bound: float = 0.0) -> bool | None:
    """Say whether a difference is above a bound; None where two standard errors could decide.

    An error that is unknown decides nothing.
    """
    return bool(more > bound) if abs(more - bound) > 2 * error else None


def as_words(more: float, error: float, form: str = "+.3f") -> str:
    """Return a difference with its standard error, where that is known."""
    return f"{more:{form}}" + ("" if np.isnan(error) else f" ± {error:{form.strip('+')}}")


def higher(
    table: Table, one: str, other: str, name: str = "score", only: int | None = None
) -> Measure:
    """Ask whether a mean over K, or at one K, is higher by more than two standard errors."""

    def measure(results: Results, scale: Scale) -> Found:
        more, error = difference(results, table(scale), one, other, name, only)
        holds = None if np.isnan(error) else bool(more > 2 * error)
        return Found(f"{as_words(more, error)} over {other}", holds)

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
        words = f"{np.mean(pair[0]):.3f} against {np.mean(pair[1]):.3f}: {as_words(more, error)}"
        return Found(words, None if np.isnan(error) else more > 2 * error)

    return measure


def comparable(
    table: Table, one: str, other: str, name: str = "score", within: float = 0.02
) -> Measure:
    """Ask whether a mean is not lower than another by more than a bound, averaged over K."""

    def measure(results: Results, scale: Scale) -> Found:
        more, error = difference(results, table(scale), one, other, name)
        words = f"{as_words(more, error)} against {other}"
        return Found(words, beyond(more, error, -within))

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
    """Ask whether the mean of every curve varies by less than a bound between two positions.

    It is undecided where the spread over seeds could take a range beyond the bound, or below it.
    """

    def measure(results: Results, scale: Scale) -> Found:
        ranges = {}
        for name, (positions, seeds) in curves(results, scale).items():
            inside = [own for x, own in zip(positions, seeds, strict=True) if low <= x <= high]
            ranges[name] = range_of_means(inside)
        words = ", ".join(f"{as_words(*own, '.3f')} ({k})" for k, own in ranges.items())
        wider = [beyond(*own, within) for own in ranges.values()]
        holds = False if True in wider else None if None in wider else True
        return Found(f"range of means: {words}", holds)

    return measure


def range_of_means(seeds: Sequence[Sequence[float]]) -> tuple[float, float]:
    """Return how far apart the means of several settings lie, and the error of that distance."""
    ordered = sorted(seeds, key=lambda own: np.mean(own))
    return gap(ordered[-1], ordered[0])


def linear(curves: Curves) -> Measure:
    """Ask whether times grow along a straight line: R² of at least 0.95, and it rises."""

    def measure(results: Results, scale: Scale) -> Found:
        found = {}
        for name, (positions, seeds) in curves(results, scale).items():
            middles = [np.median(own) for own in seeds]
            found[name] = np.corrcoef(positions, middles)[0, 1]
        words = "R² of a line: " + ", ".join(f"{own**2:.3f} ({k})" for k, own in found.items())
        return Found(words, all(own > 0 and own**2 >= 0.95 for own in found.values()))

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

    "Less" is by a third at least. It is undecided where the spread over seeds could explain it.
    """

    def measure(results: Results, scale: Scale) -> Found:
        ranges = {}
        for name, (positions, seeds) in curves(results, scale).items():
            later = [own for x, own in zip(positions, seeds, strict=True) if x >= after]
            ranges[name] = range_of_means(later)
        words = ", ".join(f"{as_words(*own, '.4f')} ({k})" for k, own in ranges.items())
        ordered = list(ranges.values())
        (first, error_of_first), (last, error_of_last) = ordered[0], ordered[-1]
        error = np.hypot(2 / 3 * error_of_first, error_of_last)
        return Found(f"range of means: {words}", beyond(2 / 3 * first - last, error))

    return measure
