"""`Calibration`: out-of-fold discriminants of the training documents, and what was fitted to them.

It lies in a group of its own, ``calibration``, so files keep it with the run. The group holds, for
one response:

- ``fold`` (document): the chain that sampled without the document; -1 if no chain did;
- ``discriminant`` (document[, task]): F of the document from that chain, NaN if there is none;
- for two classes and for labels ``slope`` and ``intercept`` ([task]) of the sigmoid, and for real
  values those of the line; ``variance`` over documents and ``between_chains`` ([task]), from which
  the gain of averaging follows;
- for several classes the ``temperature`` and the ``curvature`` of the softmax.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray
from scipy.special import expit

from pymc_medlda._arrays import Floats
from pymc_medlda.calibrators.averaging import average_line, gain_of_averaging
from pymc_medlda.calibrators.line import FEWEST, fit_line
from pymc_medlda.calibrators.residuals import fit_intervals
from pymc_medlda.calibrators.sigmoid import fit_sigmoid
from pymc_medlda.calibrators.temperature import Softmax, fit_softmax
from pymc_medlda.run.checking import check_finite, check_positive, check_shape
from pymc_medlda.run.response_draws import ResponseDraws
from pymc_medlda.run.topic_draws import TopicDraws

GROUP = "calibration"
OF_CLASSES = ("temperature", "curvature")
OF_LINES = ("slope", "intercept", "variance", "between_chains")


@dataclass(frozen=True, eq=False)
class Calibration:
    """Out-of-fold discriminants of a response, and the map from discriminants to probabilities.

    Attributes
    ----------
    kind : str
        The kind of the response.
    fold : (n_documents,) int array
        The chain that sampled without each document, -1 if no chain did.
    discriminant, y : (n_documents, n_tasks) float array
        F, NaN for documents without fold, and the response as coded.
    parameters : dict of array
        ``slope``, ``intercept``, ``variance`` and ``between_chains`` (n_tasks,), or
        ``temperature`` and ``curvature`` () for several classes.
    """

    kind: str
    fold: NDArray[np.int64]
    discriminant: Floats
    y: Floats
    parameters: Mapping[str, Floats]

    @classmethod
    def fit(
        cls,
        kind: str,
        fold: NDArray[np.int64],
        y: Floats,
        discriminant: Floats,
        witnessed: Floats,
        *,
        has_offset: bool = False,
    ) -> Calibration:
        """Fit the map that fits the kind of the response.

        ``witnessed`` (n_chains, n_witnesses, n_tasks) holds F of documents that no chain has seen,
        for the variance between chains. Real values with an offset are not corrected: a line would
        multiply the offset too, whose effect is known.
        """
        known = ~np.isnan(y) & ~np.isnan(discriminant)
        parameters: dict[str, Floats] = {}
        if kind == "multiclass":
            rows = known.all(axis=1)
            fitted = fit_softmax(discriminant[rows], np.argmax(y[rows], axis=1))
            parameters = {name: np.asarray(value) for name, value in fitted._asdict().items()}
        elif kind == "real" and has_offset:
            none = np.zeros(y.shape[1])
            parameters = dict(zip(OF_LINES, (none + 1.0, none, none, none), strict=True))
        else:
            columns = [(discriminant[own, i], y[own, i]) for i, own in enumerate(known.T)]
            fits = [
                fit_line(F, values) if kind == "real" else fit_sigmoid(F, values > 0)
                for F, values in columns
            ]
            slope, intercept = np.array(fits).T
            variance, between = np.zeros((2, y.shape[1]))
            if len(witnessed) > 1 and witnessed.shape[1] > 1:
                variance = witnessed.var(axis=1, ddof=1).mean(axis=0)
                # A shift of all documents by the same amount is no noise of a document.
                centred = witnessed - witnessed.mean(axis=1, keepdims=True)
                between = centred.var(axis=0, ddof=1).mean(axis=0)
                if kind == "real":
                    between = np.where(known.sum(axis=0) < FEWEST, 0.0, between)
            parameters = dict(zip(OF_LINES, (slope, intercept, variance, between), strict=True))
        return cls(kind, fold, discriminant, y, parameters)

    def gain(self, n_chains: int) -> Floats:
        """Return the factors of the slopes for an average over chains, (n_tasks,)."""
        pairs = zip(self.parameters["variance"], self.parameters["between_chains"], strict=True)
        return np.array([gain_of_averaging(s, v, n_chains) for s, v in pairs])

    @property
    def centre(self) -> Floats:
        """The mean of the out-of-fold discriminants of each task; 0 where there are none."""
        known = ~np.isnan(self.discriminant)
        total = np.sum(self.discriminant, axis=0, where=known)
        return np.asarray(total / np.maximum(known.sum(axis=0), 1))

    def compared(self, discriminant: Floats) -> Floats:
        """Return what decides, (n_documents, n_tasks): what `decide` compares.

        Log odds of labels, or of the second of two classes; discriminants of several classes, of
        which the largest is also the largest probability; or real values. ``discriminant``
        (n_chains, n_documents, n_tasks) is F averaged over the draws of each chain.
        """
        if self.kind == "multiclass":
            return np.asarray(discriminant.mean(axis=0))
        return average_line(self.kind, *self.line(len(discriminant)), discriminant)

    @property
    def out_of_fold(self) -> Floats:
        """What decides for the training documents out of fold; NaN for documents without fold."""
        return self.compared(self.discriminant[None])

    def line(self, n_chains: int) -> tuple[Floats, Floats]:
        """Return slopes and intercepts, each (n_tasks,), of log odds or values of several chains.

        The gain turns the line around the mean of the discriminants, because averages vary less
        around this mean. With a rare label it is far from zero.
        """
        slope, gain = self.parameters["slope"], self.gain(n_chains)
        return slope * gain, self.parameters["intercept"] + slope * (1.0 - gain) * self.centre

    def probabilities(self, discriminant: Floats) -> Floats:
        """Return the probability of each class or label, (n_documents, n_classes).

        ``discriminant`` (n_chains, n_documents, n_tasks) is F averaged over the draws of each
        chain. Of two classes both probabilities are returned.
        """
        if self.kind == "multiclass":
            return Softmax(*(float(self.parameters[name]) for name in OF_CLASSES)).probabilities(
                discriminant.mean(axis=0)
            )
        log_odds = self.compared(discriminant)
        if self.kind == "binary":
            return np.concatenate([expit(-log_odds), expit(log_odds)], axis=-1)
        return np.asarray(expit(log_odds))

    def interval(self, values: Floats, coverage: float) -> tuple[Floats, Floats]:
        """Return the bounds of real values around predicted ones, each (n_documents, n_tasks)."""
        bounds = []
        for column, own, truth in zip(values.T, self.out_of_fold.T, self.y.T, strict=True):
            known = ~np.isnan(own) & ~np.isnan(truth)
            if not known.any():
                raise ValueError("idata has no out-of-fold document with a value: no interval")
            bounds.append(fit_intervals(own[known], truth[known], coverage).around(column))
        low, high = zip(*bounds, strict=True)
        return np.stack(low, axis=-1), np.stack(high, axis=-1)

    def to_dataset(self, topics: TopicDraws, response: ResponseDraws) -> xr.Dataset:
        """Return the group, with the dims of the run."""
        tasks = () if response.task_dim is None else (response.task_dim,)
        coords: dict[str, Any] = {topics.document_dim: topics.documents}
        if tasks:
            coords[tasks[0]] = response.task_labels
        first = ... if tasks else 0
        columns = self.discriminant if tasks else self.discriminant[:, 0]
        variables: dict[str, Any] = {
            "fold": ((topics.document_dim,), self.fold),
            "discriminant": ((topics.document_dim, *tasks), columns),
        }
        for name, values in self.parameters.items():
            variables[name] = (tasks, values[first]) if values.ndim else ((), values)
        attributes = {"response": response.name, "kind": self.kind}
        return xr.Dataset(variables, coords, attributes)


def join_classes(each: Sequence[Calibration]) -> Calibration:
    """Return the calibration of several classes from those of one binary model per class."""
    y, discriminant = (
        np.concatenate([getattr(own, name) for own in each], axis=1)
        for name in ("y", "discriminant")
    )
    unseen = np.empty((0, 0, len(each)))
    return Calibration.fit("multiclass", each[0].fold, y, discriminant, unseen)


def read_calibration(dataset: xr.Dataset | None, response: ResponseDraws) -> Calibration | None:
    """Return the calibration of a response from its group, None if there is none for it."""
    if dataset is None or dataset.attrs.get("response") != response.name:
        return None
    if dataset.attrs.get("kind") != response.kind:
        raise ValueError(
            f"the group calibration is of a {dataset.attrs.get('kind')!r} response, but "
            f"{response.name!r} is {response.kind}: calibrate again"
        )
    wanted = {"multiclass": OF_CLASSES}.get(response.kind, OF_LINES)
    lost = [name for name in ("fold", "discriminant", *wanted) if name not in dataset]
    if lost:
        raise ValueError(f"the group calibration has lost {', '.join(map(repr, lost))}")
    n_documents, n_tasks = response.y.shape
    fold = _read(dataset, "fold", (n_documents,))
    if fold.dtype.kind not in "iu" or (fold < -1).any():
        raise ValueError("the stored 'fold' must hold the numbers of chains, and -1 for none")
    tasks = () if response.task_dim is None else (n_tasks,)
    discriminant = _read(dataset, "discriminant", (n_documents, *tasks))
    check_finite("discriminant", discriminant, or_missing=True)
    parameters = {}
    for name in wanted:
        values = _read(dataset, name, () if name in OF_CLASSES else tasks)
        if name == "temperature":
            parameters[name] = _check_temperature(values)
            continue
        check_finite(name, values)
        if name != "intercept":
            check_positive(name, values, or_zero=True)
        numbers = np.asarray(values, np.float64)
        parameters[name] = numbers if name in OF_CLASSES else numbers.reshape(n_tasks)
    return Calibration(
        response.kind,
        fold.astype(np.int64),
        np.asarray(discriminant, np.float64).reshape(n_documents, n_tasks),
        response.y,
        parameters,
    )


def _read(dataset: xr.Dataset, name: str, shape: tuple[int, ...]) -> NDArray[Any]:
    values: NDArray[Any] = dataset[name].values
    check_shape(name, values.shape, [shape], "as the response of this run has")
    return values


def _check_temperature(values: NDArray[Any]) -> Floats:
    """Return a temperature, which may be infinite, after checking it."""
    temperature = np.asarray(values, np.float64)
    if not temperature > 0.0:
        raise ValueError(f"the stored 'temperature' is {temperature}; a positive number is allowed")
    return temperature
