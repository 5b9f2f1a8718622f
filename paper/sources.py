"""What single claims look at: times, best scores and topics, taken from the figures' results."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from paper import data
from paper.figures import fig03, fig04, fig05, fig06, fig08, fig09, fig12
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
    """Ask whether the best mean over K of a method is above that of another by more than ``by``."""

    def measure(results: Results, scale: Scale) -> Found:
        found = news_accuracy(results, scale)
        best = [max(np.mean(own) for own in found[name][1]) for name in (one, other)]
        return Found(f"{best[0]:.3f} against {best[1]:.3f}", bool(best[0] - best[1] > by))

    return measure


def _all_at_largest(results: Results, scale: Scale, name: str) -> float:
    return float(np.median(fig03.at_sweeps(results, scale, name)[1][-1]))


def all_train(results: Results, scale: Scale) -> float:
    """Training time of one-vs-all on one core, at its largest K."""
    return _all_at_largest(results, scale, "train_cpu_at")


def all_longest(results: Results, scale: Scale) -> float:
    """Training time of one-vs-all on as many cores as classes, at its largest K."""
    return _all_at_largest(results, scale, "train_longest_at")


def _of_all(name: str) -> Time:
    def time(results: Results, scale: Scale) -> float:
        jobs = fig03.one_vs_all(scale)[scale.one_vs_all_topics[-1]]
        return float(np.median(values(results, jobs, name)))

    return time


all_test = _of_all("test_cpu")
all_test_longest = _of_all("test_longest")


def _of_news(variant: str, name: str) -> Time:
    """Return a time on 20 Newsgroups, with 40 topics."""

    def time(results: Results, scale: Scale) -> float:
        return float(np.median(values(results, fig04.table(scale)[variant, 40], name)))

    return time


tasks_train = _of_news("multi-task", "train_cpu")
tasks_test = _of_news("multi-task", "test_cpu")
gmedlda_train = _of_news("gMedLDA", "train_cpu")


def wiki_over_words(method: str) -> Measure:
    """Ask whether the best F1 over K is above that of a machine on words."""

    def measure(results: Results, scale: Scale) -> Found:
        found = curves(results, fig05.table(scale), "f1")[method]
        best = max(np.mean(own) for own in found[1])
        words = results[fig05.words()]["f1"]
        return Found(f"F1 {best:.3f} against {words:.3f}", bool(best > words))

    return measure


def sweeps_of(figure: int, name: str) -> Curves:
    """Return the curves of a figure over burn-in sweeps."""
    table: dict[int, Any] = {6: fig06.table, 7: fig03.one_vs_all, 8: fig08.table}

    def found(results: Results, scale: Scale) -> dict[str, Curve]:
        return curves_over_sweeps(results, table[figure](scale), name)

    return found


def random_at_first(results: Results, scale: Scale) -> Found:
    """Ask whether the test accuracy without burn-in is near that of guessing."""
    found = sweeps_of(6, "test_score")(results, scale)
    at_zero = {name: np.mean(seeds[0]) for name, (_, seeds) in found.items()}
    words = ", ".join(f"{own:.3f} ({name})" for name, own in at_zero.items())
    return Found(words, max(at_zero.values()) < 0.6)


def few_topics_at_small_alpha(results: Results, scale: Scale) -> Found:
    """Ask whether, at the smallest α, fewest topics predict better than most topics."""
    found = curves(results, fig09.table(scale), "score")
    first = {name: np.mean(seeds[0]) for name, (_, seeds) in found.items()}
    words = ", ".join(f"{own:.3f} ({name})" for name, own in first.items())
    ordered = list(first.values())
    return Found(f"α = {scale.alphas[0]:g}: {words}", bool(ordered[0] > ordered[-1]))


def profiles_differ(results: Results, scale: Scale) -> Found:
    """Ask whether the mean topic frequencies of two classes have a small cosine."""
    del scale
    profile = np.array(results[fig12.profile()]["profile"])
    profile /= np.linalg.norm(profile, axis=1, keepdims=True)
    cosines = (profile @ profile.T)[np.triu_indices(len(profile), 1)]
    median = float(np.median(cosines))
    return Found(f"median cosine {median:.2f}, largest {cosines.max():.2f}", median < 0.5)


def few_salient_topics(results: Results, scale: Scale) -> Found:
    """Ask how many topics hold half of the tokens of a class."""
    del scale
    ordered = -np.sort(-np.array(results[fig12.profile()]["profile"]), axis=1)
    needed = (ordered.cumsum(axis=1) < 0.5).sum(axis=1) + 1
    return Found(
        f"median {np.median(needed):g} topics, most {needed.max()}", np.median(needed) <= 3
    )


def graphics_words(results: Results, scale: Scale) -> Found:
    """Ask whether the topic of comp.graphics has the words that the paper names."""
    del scale
    result = results[fig12.profile()]
    own = data.class_names().index("comp.graphics")
    words = result["words"][int(np.argmax(result["profile"][own]))]
    known = {"image", "graphics", "file", "jpeg", "files", "images"} & set(words)
    return Found(", ".join(words), len(known) >= 2)


def at_least(own: Callable[[Scale], list[Job]], bound: float) -> Measure:
    """Ask whether the mean score of some jobs reaches a bound."""

    def measure(results: Results, scale: Scale) -> Found:
        scores = values(results, own(scale), "score")
        return Found(f"{spread(scores)}, {len(scores)} seeds", bool(np.mean(scores) >= bound))

    return measure
