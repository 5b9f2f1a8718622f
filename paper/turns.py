"""Training times of several methods, measured in turns.

Other work on the machine slows down whatever runs at that moment. So the methods take turns, round
after round, and each is judged by its best round: that ratio does not depend on what else ran.
"""

from __future__ import annotations

from typing import Any

from paper import data, methods


def in_turns(
    corpus: str, *, n_topics: int, seed: int, rounds: int, variants: dict[str, dict[str, Any]]
) -> dict[str, Any]:
    """Train every variant once per round; return the times of all rounds, by name of variant."""
    problem = data.load(corpus)
    for settings in variants.values():
        methods.warm_up(settings["method"], n_topics, problem.kind)
    found: dict[str, dict[str, list[float]]] = {
        time: {name: [] for name in variants} for time in ("train_cpu", "setup_cpu")
    }
    for _ in range(rounds):
        for name, settings in variants.items():
            result = methods.run_on(problem, n_topics=n_topics, seed=seed, **settings)
            for time, own in found.items():
                own[name].append(result[time])
    return found
