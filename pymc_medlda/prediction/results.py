"""The results of `predict`: arrays filled draw by draw, then one dataset with dims and names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from pymc_medlda._arrays import Floats
from pymc_medlda.kernels.features import FeatureMatrix
from pymc_medlda.run.calibration import Calibration
from pymc_medlda.run.record import PARTS
from pymc_medlda.run.response_draws import ResponseDraws
from pymc_medlda.run.topic_draws import TopicDraws
from pymc_medlda.targets.decisions import decide, share_of_draws


@dataclass
class Predictions:
    """Arrays of the predictions, filled draw by draw.

    Attributes
    ----------
    topics : TopicDraws
    response : ResponseDraws or None
        None for plain LDA.
    calibration : Calibration or None
        What turns discriminants into probabilities and intervals, if the run has it.
    discriminant : (n_chains, n_draws, n_documents, n_tasks) float array
    theta : (n_chains, n_draws, n_documents, n_topics) float array, or None if it is not wanted
    parts : dict of str to float array
        Those parts of the discriminant that are wanted, in its shape.
    features : FeatureMatrix or None
        The features of the documents; None if the model has none.
    """

    topics: TopicDraws
    response: ResponseDraws | None
    calibration: Calibration | None
    discriminant: Floats
    theta: Floats | None
    parts: dict[str, Floats]
    features: FeatureMatrix | None

    @classmethod
    def empty(
        cls,
        shape: tuple[int, int, int],
        topics: TopicDraws,
        response: ResponseDraws | None,
        calibration: Calibration | None,
        wanted: Sequence[str],
        features: FeatureMatrix | None = None,
    ) -> Predictions:
        """Allocate for (n_chains, n_draws, n_documents)."""
        n_tasks = response.y.shape[1] if response else 0
        theta = np.empty((*shape, topics.n_topics)) if "theta" in wanted else None
        parts = {part: np.empty((*shape, n_tasks)) for part in PARTS if part in wanted}
        discriminant = np.empty((*shape, n_tasks))
        return cls(topics, response, calibration, discriminant, theta, parts, features)

    def fill(
        self,
        cell: tuple[int, ...],
        position: tuple[int, int],
        frequency: Floats,
        lengths: NDArray[np.int64],
        offset: Floats,
    ) -> None:
        """Compute the predictions of a draw from its topic frequencies z̄ and the features.

        ``cell`` is where they go in these arrays, ``position`` the chain and draw of the run.
        """
        if self.theta is not None:
            alpha = self.topics.alpha(*position)
            length = lengths[:, None]
            self.theta[cell] = (frequency * length + alpha) / (length + alpha.sum())
        if self.response is not None:
            weights = self.response.weights(*position)
            shift = self.response.location + offset[position]
            of_topics = frequency @ weights.T
            self.discriminant[cell] = of_topics + shift
            if self.response.features is not None and self.features is not None:
                of_features = self.features.project(self.response.features.weights_at(*position))
                self.discriminant[cell] += of_features
                for name, part in zip(PARTS, (of_topics, of_features), strict=True):
                    if name in self.parts:
                        self.parts[name][cell] = part

    def to_dataset(
        self,
        wanted: Sequence[str],
        names: NDArray[Any],
        chains: range,
        draws: range,
        interval: float | None = None,
    ) -> xr.Dataset:
        """Return the variables wanted, with the decisions that follow from the discriminants.

        ``interval`` is the coverage of the intervals of real values.
        """
        document = self.topics.document_dim
        coords: dict[str, Any] = {
            "chain": self.topics.chain_labels[chains],
            "draw": self.topics.draw_labels[draws],
            document: names,
        }
        variables: dict[str, tuple[tuple[str, ...], Any]] = {}
        if self.theta is not None:
            coords[self.topics.topic_dim] = np.arange(self.topics.n_topics)
            variables["theta"] = (("chain", "draw", document, self.topics.topic_dim), self.theta)
        if self.response is not None:
            variables.update(self._decided(document, coords, interval))
        return xr.Dataset({name: variables[name] for name in wanted if name in variables}, coords)

    def _decided(
        self, document: str, coords: dict[str, Any], interval: float | None
    ) -> dict[str, tuple[tuple[str, ...], Any]]:
        """Return discriminants, decisions, probabilities and intervals; add their coords."""
        assert self.response is not None
        kind, task = self.response.kind, self.response.task_dim
        classes = None if self.response.classes is None else plain(self.response.classes)
        by_chain = self.discriminant.mean(axis=1)
        compared = by_chain.mean(axis=0)
        if self.calibration is not None:  # so a decision never contradicts the probability
            compared = self.calibration.compared(by_chain)
        each = decide(kind, self.discriminant, classes)
        point = decide(kind, compared, classes)
        class_dim = self.response.class_dim
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
        for name, part in self.parts.items():
            found[name] = ((*by_draw, *tasks), part if task is not None else part[..., 0])
        share = share_of_draws(kind, self.discriminant)
        if share is not None and class_dim is not None:
            chances = share
            if self.calibration is not None:
                chances = self.calibration.probabilities(by_chain)
            found["probability"] = ((document, class_dim), chances)
            found["agreement"] = ((document, class_dim), share)
        if interval is not None and self.calibration is not None:
            for name, bound in zip(
                ("lower", "upper"), self.calibration.interval(compared, interval), strict=True
            ):
                found[name] = ((document, *tasks), bound if tasks else bound[:, 0])
        return found


def plain(values: NDArray[Any]) -> NDArray[Any]:
    """Return an array of objects, as files give strings back, in a dtype that files can hold."""
    if values.dtype.kind not in "OT":
        return values
    simple = np.asarray(values.tolist())
    return simple if simple.dtype.kind != "O" else np.asarray([str(value) for value in values])
