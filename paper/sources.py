"""What single claims look at: times, best scores and topics, taken from the figures' results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import numpy as np

from paper import measures as m
from paper.figures import fig01, fig03, fig04, fig05, fig06, fig08, fig09, in_words
from paper.figures.tables import Results, curves, curves_over_sweeps, spread, values
from paper.measures import Curves, Found, Measure
from paper.runner import Job
from paper.settings import Scale
from paper.style import Curve

Time = Callable[[Results, Scale], float]


def news_accuracy(results: Results, scale: Scale) -> dict[str, Curve]:
    """Return accuracy over K of all methods on 20 Newsgroups."""
    return {
        **curves(results, fig04.table(scale), "score"),
        **curves(results, fig03.rivals(scale), "score"),
        "one-vs-all": fig03.at_sweeps(results, scale, "test_score"),
    }


def best_of(one: str, other: str, by: float = 0.0) -> Measure:
    """Ask whether the best mean over K of a method is above that of another by more than ``by``.

    A lead that two standard errors could bring to the other side decides nothing.
    """

    def measure(results: Results, scale: Scale) -> Found:
        found = news_accuracy(results, scale)
        best = [max(found[name][1], key=lambda own: np.mean(own)) for name in (one, other)]
        more, error = m.gap(*best)
        words = f"{np.mean(best[0]):.3f} against {np.mean(best[1]):.3f}"
        words += f": {m.as_words(more, error)}; {len(best[0])} seeds and {len(best[1])}"
        return Found(words, m.beyond(more, error, by))

    return measure


def tasks_against_all(results: Results, scale: Scale) -> Found:
    """Ask whether one model for all classes is within 0.03 of models with as many topics each."""
    jobs = fig04.table(scale)["multi-task", in_words.TOPICS]
    pair = [values(results, own, "score") for own in (jobs, in_words.all_with_many_topics(scale))]
    more, error = m.gap(*pair)
    words = f"{np.mean(pair[0]):.3f} against {np.mean(pair[1]):.3f}: {m.as_words(more, error)}"
    return Found(words, m.beyond(more, error, -0.03))


def tuned_c(results: Results, scale: Scale) -> Found:
    """Ask whether the c that cross-validation chooses predicts better than c = 1."""
    folds = in_words.folds(scale)
    chosen = max(folds, key=lambda c: np.mean(values(results, folds[c], "score")))
    tests = {c: values(results, own, "score") for (_, c), own in in_words.over_c(scale).items()}
    more, error = m.gap(tests[chosen], tests[1.0])
    return Found(f"c = {chosen:g}: {more:+.3f} ± {error:.3f}", more > 2 * error)


def faster_in_turns(one: str, other: str, times: float) -> Measure:
    """Ask whether a method trains at least ``times`` as fast as another, measured in turns.

    Each is judged by its best round of each seed, and by the median of these over seeds.
    """

    def measure(results: Results, scale: Scale) -> Found:
        own = [results[job] for job in fig01.turns(scale)]
        best, middle = (
            [np.median([of_rounds(job["train_cpu"][name]) for job in own]) for name in (one, other)]
            for of_rounds in (min, np.median)
        )
        setup = np.median([min(job["setup_cpu"][one]) for job in own])
        ratio = best[1] / best[0]
        words = (
            f"{best[0]:.3g} s against {best[1]:.3g} s: {ratio:.1f} times; "
            f"{middle[1] / middle[0]:.1f} by medians of rounds; "
            # PyTensor compiles for each model, which no warming up can take out of the clock.
            f"{best[1] / (best[0] - setup):.0f} without {setup:.2g} s of compiling"
        )
        return Found(words, bool(ratio >= times))

    return measure


def _all_at_largest(results: Results, scale: Scale, name: str) -> float:
    return float(np.median(fig03.at_sweeps(results, scale, name)[1][-1]))


def all_train(results: Results, scale: Scale) -> float:
    """Return the training time of one-vs-all on one core, at its largest K."""
    return _all_at_largest(results, scale, "train_cpu_at")


def all_longest(results: Results, scale: Scale) -> float:
    """Return the training time of one-vs-all on as many cores as classes, at its largest K."""
    return _all_at_largest(results, scale, "train_longest_at")


def all_test(results: Results, scale: Scale) -> float:
    """Return the testing time of one-vs-all on one core, at its largest K."""
    return _all_at_largest(results, scale, "test_cpu_at")


def all_test_longest(results: Results, scale: Scale) -> float:
    """Return the testing time of one-vs-all on as many cores as classes, at its largest K."""
    return _all_at_largest(results, scale, "test_longest_at")


def all_train_long(results: Results, scale: Scale) -> float:
    """Return the training time of one-vs-all on one core after 60 sweeps, at its largest K."""
    return float(results[in_words.all_with_many_sweeps(scale)]["train_cpu_at"][-1])


def rival_train(name: str) -> Time:
    """Return the training time of a rival on 20 Newsgroups with its largest K."""

    def time(results: Results, scale: Scale) -> float:
        jobs = fig03.rivals(scale)[name, scale.news_topics[-1]]
        return float(np.median(values(results, jobs, "train_cpu")))

    return time


def all_train_is_less(results: Results, scale: Scale) -> Found:
    """Ask whether one-vs-all trains in less time than each rival, all with their largest K."""
    own = all_train(results, scale)
    times = {name: rival_train(name)(results, scale) for name in scale.news_rival_seeds}
    words = " and ".join(f"{time:.3g} s ({name})" for name, time in times.items())
    return Found(f"{own:.3g} s against {words}", own <= min(times.values()))


def _of_news(variant: str, name: str) -> Time:
    """Return a time on 20 Newsgroups, with 40 topics."""

    def time(results: Results, scale: Scale) -> float:
        return float(np.median(values(results, fig04.table(scale)[variant, 40], name)))

    return time


tasks_train = _of_news("multi-task", "train_cpu")
tasks_test = _of_news("multi-task", "test_cpu")


def wiki_over_words(method: str) -> Measure:
    """Ask whether the best F1 over K is above that of a machine on words, by two errors."""

    def measure(results: Results, scale: Scale) -> Found:
        _, seeds = curves(results, fig05.table(scale), "f1")[method]
        best = max(seeds, key=lambda own: np.mean(own))
        words = results[fig05.words()]["f1"]
        error = np.std(best, ddof=1) / np.sqrt(len(best))  # nothing is random in the other
        more = np.mean(best) - words
        found = f"F1 {np.mean(best):.3f} against {words:.3f}: {m.as_words(more, error)}"
        return Found(found, bool(more > 2 * error))

    return measure


def sweeps_of(figure: int, name: str) -> Curves:
    """Return the curves of a figure over burn-in sweeps."""
    table: dict[int, Any] = {6: fig06.table, 7: fig03.one_vs_all, 8: fig08.table}

    def found(results: Results, scale: Scale) -> dict[str, Curve]:
        return curves_over_sweeps(results, table[figure](scale), name)

    return found


def wiki_scores(results: Results, scale: Scale) -> dict[str, Curve]:
    """Return F1 on Wikipedia over burn-in sweeps."""
    return curves_over_sweeps(results, in_words.wiki_burn_in(scale), "test_score")


def random_at_first(part: str) -> Measure:
    """Ask whether the accuracy of a part without burn-in is near that of guessing."""

    def measure(results: Results, scale: Scale) -> Found:
        found = sweeps_of(6, f"{part}_score")(results, scale)
        at_zero = {name: np.mean(seeds[0]) for name, (_, seeds) in found.items()}
        words = ", ".join(f"{own:.3f} ({name})" for name, own in at_zero.items())
        return Found(words, all(0.4 < own < 0.6 for own in at_zero.values()))

    return measure


def few_topics_at_small_alpha(results: Results, scale: Scale) -> Found:
    """Ask whether, at the smallest α, fewest topics predict better than most topics."""
    found = curves(results, fig09.table(scale), "score")
    first = {name: seeds[0] for name, (_, seeds) in found.items()}
    words = ", ".join(f"{np.mean(own):.3f} ({name})" for name, own in first.items())
    ordered = list(first.values())
    more, error = m.gap(ordered[0], ordered[-1])
    words += f": {m.as_words(more, error)}"
    return Found(f"α = {scale.alphas[0]:g}: {words}", m.beyond(more, error))


def best_alpha_grows(results: Results, scale: Scale) -> Found:
    """Ask whether the α with the best mean grows from fewest topics to most.

    Every α whose mean is within two standard errors of the best may be the best. It is undecided
    where some choices among these grow and others do not.
    """
    found = curves(results, fig09.table(scale), "score")
    best = {name: as_good_as_best(*own) for name, own in found.items()}
    words = "; ".join(
        f"α = {own[0]:g}{''.join(f', {other:g}' for other in own[1:])} ({name})"
        for name, own in best.items()
    )
    grows = {list(own) == sorted(own) and own[-1] > own[0] for own in product(*best.values())}
    return Found(f"best, and as good: {words}", None if len(grows) > 1 else grows.pop())


def as_good_as_best(positions: Sequence[Any], seeds: Sequence[Sequence[float]]) -> list[float]:
    """Return the position of the best mean, and those that may be as good as it."""
    order = sorted(range(len(positions)), key=lambda i: -np.mean(seeds[i]))
    best = seeds[order[0]]
    found = [positions[order[0]]]
    for i in order[1:]:
        more, error = m.gap(best, seeds[i])
        if more <= 2 * error:
            found.append(positions[i])
    return found


def at_least(own: Callable[[Scale], list[Job]], bound: float) -> Measure:
    """Ask whether the mean score of some jobs reaches a bound."""

    def measure(results: Results, scale: Scale) -> Found:
        scores = values(results, own(scale), "score")
        return Found(f"{spread(scores)}, {len(scores)} seeds", bool(np.mean(scores) >= bound))

    return measure
