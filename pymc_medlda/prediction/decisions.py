"""From discriminants to decisions: classes, sets of labels or values, and shares of draws."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from pymc_medlda._arrays import Floats
from pymc_medlda.run import record
from pymc_medlda.run.reading import StoredResponse, StoredTopics
from pymc_medlda.targets.response import KINDS


def decide(kind: str, discriminant: Floats, classes: NDArray[Any] | None = None) -> NDArray[Any]:
    """Return the decision that discriminants stand for.

    Parameters
    ----------
    kind : {"binary", "multiclass", "multilabel", "real"}
        Kind of the response.
    discriminant : (..., n_tasks) float array
        One value a task; one task for two classes or one real value.
    classes : array, optional
        The two classes (the second where the discriminant is positive), or the classes.

    Returns
    -------
    array
        (...) of classes; (..., n_tasks) of 0 and 1 for labels; the discriminants themselves for
        real responses.

    Examples
    --------
    >>> import numpy as np
    >>> decide("binary", np.array([[0.3], [-2.0]]), np.array(["ham", "spam"])).tolist()
    ['spam', 'ham']
    >>> decide("multilabel", np.array([[0.3, -1.0]])).tolist()
    [[1, 0]]
    """
    if kind not in KINDS:
        raise ValueError(f"kind must be one of {', '.join(KINDS)}; got {kind!r}")
    if kind == "real":
        return discriminant
    if kind == "multilabel":
        return (discriminant > 0).astype(np.int8)
    assert classes is not None
    if kind == "binary":
        return classes[(discriminant[..., 0] > 0).astype(np.intp)]
    chosen: NDArray[Any] = classes[np.argmax(discriminant, axis=-1)]
    return chosen


def share_of_draws(kind: str, discriminant: Floats) -> Floats | None:
    """Return the share of draws that decide for each class or set each label.

    Parameters
    ----------
    kind : {"binary", "multiclass", "multilabel", "real"}
    discriminant : (n_chains, n_draws, n_documents, n_tasks) float array

    Returns
    -------
    (n_documents, n_classes) or (n_documents, n_tasks) float array
        None for real responses.

    Examples
    --------
    >>> import numpy as np
    >>> share_of_draws("binary", np.array([1.0, -1.0, -2.0, -1.0]).reshape(1, 4, 1, 1)).tolist()
    [[0.75, 0.25]]
    """
    if kind == "real":
        return None
    if kind == "multiclass":
        chosen = np.argmax(discriminant, axis=-1)
        n_classes = discriminant.shape[-1]
        return np.stack([(chosen == k).mean(axis=(0, 1)) for k in range(n_classes)], axis=-1)
    positive: Floats = (discriminant > 0).mean(axis=(0, 1))
    if kind == "binary":
        return np.concatenate([1.0 - positive, positive], axis=-1)
    return positive


@dataclass
class Predicted:
    """Arrays of the predictions, filled draw by draw."""

    topics: StoredTopics
    response: StoredResponse | None
    discriminant: Floats  # (n_chains, n_draws, n_documents, n_tasks)
    theta: Floats | None

    @classmethod
    def empty(
        cls,
        shape: tuple[int, int, int],
        topics: StoredTopics,
        response: StoredResponse | None,
        *,
        with_theta: bool,
    ) -> Predicted:
        """Allocate for (n_chains, n_draws, n_documents)."""
        n_tasks = response.y.shape[1] if response else 0
        theta = np.empty((*shape, topics.n_topics)) if with_theta else None
        return cls(topics, response, np.empty((*shape, n_tasks)), theta)

    def fill(
        self,
        cell: tuple[int, ...],
        position: tuple[int, int],
        frequency: Floats,
        lengths: NDArray[np.int64],
        offset: Floats,
    ) -> None:
        """Take the topic frequencies of a draw."""
        if self.theta is not None:
            alpha = self.topics.alpha(*position)
            length = lengths[:, None]
            self.theta[cell] = (frequency * length + alpha) / (length + alpha.sum())
        if self.response is not None:
            weights = self.response.weights(*position)
            self.discriminant[cell] = frequency @ weights.T + offset[position]

    def to_dataset(
        self, wanted: Sequence[str], names: NDArray[Any], chains: range, draws: range
    ) -> xr.Dataset:
        """Return the variables wanted, with decisions made of the discriminants."""
        z, document = self.topics.z, self.topics.document_dim
        coords: dict[str, Any] = {
            "chain": z["chain"].values[chains],
            "draw": z["draw"].values[draws],
            document: names,
        }
        variables: dict[str, tuple[tuple[str, ...], Any]] = {}
        if self.theta is not None:
            coords[self.topics.topic_dim] = np.arange(self.topics.n_topics)
            variables["theta"] = (("chain", "draw", document, self.topics.topic_dim), self.theta)
        if self.response is not None:
            variables.update(self._decided(document, coords))
        return xr.Dataset({name: variables[name] for name in wanted if name in variables}, coords)

    def _decided(
        self, document: str, coords: dict[str, Any]
    ) -> dict[str, tuple[tuple[str, ...], Any]]:
        assert self.response is not None
        kind, task = self.response.kind, self.response.task_dim
        classes = plain(self.response.classes)
        mean = self.discriminant.mean(axis=(0, 1))
        each, point = decide(kind, self.discriminant, classes), decide(kind, mean, classes)
        share = share_of_draws(kind, self.discriminant)
        class_dim = task
        if kind == "binary":
            class_dim = record.class_dim(self.response.name)
        if class_dim is not None:
            n_tasks = self.discriminant.shape[-1]
            coords[class_dim] = np.arange(n_tasks) if classes is None else classes
        by_draw: tuple[str, ...] = ("chain", "draw", document)
        tasks = () if task is None else (task,)
        # One task has no dim of its own.
        values = self.discriminant if task is not None else self.discriminant[..., 0]
        if kind == "real" and task is None:
            each, point = each[..., 0], point[..., 0]
        of_tasks = () if kind in ("binary", "multiclass") else tasks
        found: dict[str, tuple[tuple[str, ...], Any]] = {
            "discriminant": ((*by_draw, *tasks), values),
            "y": ((*by_draw, *of_tasks), each),
            "decision": ((document, *of_tasks), point),
        }
        if share is not None and class_dim is not None:
            found["probability"] = ((document, class_dim), share)
        return found


def plain(values: NDArray[Any] | None) -> NDArray[Any] | None:
    """Return objects (files hand strings back as such) as an array of a dtype that files hold."""
    if values is None or values.dtype.kind not in "OT":
        return values
    simple = np.asarray(values.tolist())
    return simple if simple.dtype.kind != "O" else np.asarray([str(value) for value in values])
