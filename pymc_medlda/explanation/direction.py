"""What is explained: a class, a class against another one, a label, or a value."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pymc_medlda._arrays import Floats
from pymc_medlda.run.calibration import Calibration
from pymc_medlda.run.response_draws import ResponseDraws
from pymc_medlda.targets.decisions import decide
from pymc_medlda.targets.labels import listing

RUNNER_UP = "runner-up"


class Direction(NamedTuple):
    """A weighted sum of discriminants, and what it stands for.

    Attributes
    ----------
    weights : (n_tasks,) float array
        What is explained is the sum of these times the discriminants.
    target, against : class, label or task
        None where there is no name, or no class to compare with.
    decision : class, 0 or 1 for a label, or value
        What the model decides from the average over draws.
    probability : float or None
        The calibrated probability of the target; None if there is none.
    """

    weights: Floats
    target: Any
    against: Any
    decision: Any
    probability: float | None


def choose_direction(
    response: ResponseDraws,
    discriminant: Floats,
    calibration: Calibration | None,
    task: Any,
    against: Any,
) -> Direction:
    """Return what is explained of a document with discriminants (chain, draw, task)."""
    kind, by_chain = response.kind, discriminant.mean(axis=1, keepdims=True)
    mean = by_chain.mean(axis=0)
    compared = mean if calibration is None else calibration.compared(by_chain)
    chances = None
    if calibration is not None and kind != "real":
        chances = calibration.probabilities(by_chain)[0]
    if against is not None and kind != "multiclass":
        raise ValueError(f"against is for several classes, but {response.name!r} is {kind}")
    decided = decide(kind, compared, response.classes)[0]
    names = _names(response)
    target = _find(names, task, "task") if task is not None else _default(kind, compared[0])
    if kind == "binary":
        other = 1 - target
        weights = np.array([1.0 if target == 1 else -1.0])
        own = None if chances is None else float(chances[target])
        return Direction(weights, names[target], names[other], decided, own)
    weights = np.zeros(mean.shape[1])
    weights[target] = 1.0
    rival = _find_rival(names, mean[0], target, against)
    if rival is not None:
        weights[rival] -= 1.0
    own = None if chances is None else float(chances[target])
    return Direction(
        weights,
        names[target],
        None if rival is None else names[rival],
        decided if kind == "multiclass" else decided[target],
        own,
    )


def _names(response: ResponseDraws) -> list[Any]:
    """Return the two classes, the classes, the labels or the tasks."""
    known: NDArray[Any] = response.task_labels
    if response.kind == "binary" and response.classes is not None:
        known = response.classes
    return list(known.tolist())


def _default(kind: str, compared: Floats) -> int:
    """Return the position of what was decided, or of the first value."""
    if kind == "binary":
        return int(compared[0] > 0)
    return 0 if kind == "real" else int(np.argmax(compared))


def _find(names: list[Any], given: Any, argument: str) -> int:
    """Return the position of a name."""
    if hasattr(given, "item") and not getattr(given, "ndim", 0):
        given = given.item()
    places = [
        i
        for i, name in enumerate(names)
        if isinstance(given, str | int | float) and name == given and type(name) is type(given)
    ]
    if len(places) != 1:
        raise ValueError(f"{argument} must be one of {listing(names)}; got {given!r}")
    return places[0]


def _find_rival(names: list[Any], mean: Floats, target: int, against: Any) -> int | None:
    """Return the class to compare with: a named one, or the best one beside the target."""
    if against is None:
        return None
    if isinstance(against, str) and against == RUNNER_UP and RUNNER_UP not in names:
        return int(np.argmax(np.where(np.arange(mean.size) == target, -np.inf, mean)))
    rival = _find([*names], against, "against")
    if rival == target:
        raise ValueError(f"against must be another class than {names[target]!r}")
    return rival
