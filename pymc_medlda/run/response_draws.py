"""The draws of a response's weights, with its loss and its training values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from pymc_medlda._arrays import Floats
from pymc_medlda.kernels.counts import project
from pymc_medlda.losses import Loss, find_loss
from pymc_medlda.run.checking import check_positive
from pymc_medlda.run.feature_draws import FeatureDraws
from pymc_medlda.run.topic_draws import TopicDraws, is_constant, value_at


@dataclass(frozen=True, eq=False)
class ResponseDraws:
    """A response of a run: its loss, the draws of its weights, and its training values.

    Chains and draws are given by position in all methods.

    Attributes
    ----------
    name, kind : str
        Name of the observed variable; ``"binary"``, ``"multiclass"``, ``"multilabel"``, ``"real"``.
    loss_key : str
        The name under which the loss was stored. The loss itself is looked up only where it is
        needed, because a user's own loss may not be known where a file is read.
    eta : DataArray
        (chain, draw, topic) or (chain, draw, task, topic).
    y : (n_documents, n_tasks) float array
        As coded: ±1 or real, NaN where missing.
    classes : array or None
        Two classes (the second coded +1), classes, label names or task names.
    class_dim : str or None
        The dim of the classes, labels or tasks, as stored; None if there are none.
    task_dim : str or None
        None with one discriminant per document.
    topics : str
        Name of the topic assignments the response belongs to.
    has_offset : bool
    location : (n_tasks,) float array
        The mean of each task of a standardised response, a part of F; zeros for others.
    features : FeatureDraws or None
        None if the documents have no features.
    scale : float or None
        Standard deviation of the prior of the weights, if that is Normal with mean zero and this
        one fixed number; None if it is another one, or if an early release stored the run.
    """

    name: str
    kind: str
    loss_key: str
    eta: xr.DataArray
    y: Floats
    classes: NDArray[Any] | None
    class_dim: str | None
    task_dim: str | None
    topics: str
    has_offset: bool
    location: Floats
    scale: float | None
    _parameters: Mapping[str, xr.DataArray]
    _offset: xr.DataArray | None
    features: FeatureDraws | None = None

    @property
    def task_labels(self) -> NDArray[Any]:
        """The names of the tasks, or their positions; two classes are one task without a name."""
        if self.classes is None or self.kind == "binary":
            return np.arange(self.y.shape[1])
        return self.classes

    def weights(self, chain: int, draw: int) -> Floats:
        """Return eta of a draw as (n_tasks, n_topics)."""
        return np.ascontiguousarray(np.atleast_2d(value_at(self.eta, chain, draw)), np.float64)

    def split_tasks(self, eta: xr.DataArray) -> dict[str, Floats]:
        """Return weights (chain, draw, ..., topic) task by task, each with a label.

        The label is the name of the weights, with the task in brackets where there are several.
        """
        values, name = np.asarray(eta.values, np.float64), str(eta.name)
        if values.ndim == 3:
            return {name: values}
        return {f"{name}[{task}]": values[:, :, i] for i, task in enumerate(self.task_labels)}

    @cached_property
    def loss(self) -> type[Loss]:
        """The loss, after checking that it can take the stored parameters."""
        loss = find_loss(self.loss_key)
        if set(loss.parameter_names()) != set(self._parameters):
            raise ValueError(
                f"the loss {self.loss_key!r} was stored with the parameters "
                f"{list(self._parameters)}, but has {list(loss.parameter_names())} now"
            )
        for key, stored in self._parameters.items():
            if "chain" not in stored.dims:  # the model does not limit what is random
                check_positive(str(stored.name), stored.values, or_zero=key in loss.may_be_zero)
            if key in loss.whole and np.any(np.mod(stored.values, 1)):
                raise ValueError(
                    f"the stored {stored.name!r} must hold whole numbers, because {key} of the "
                    f"{loss.__name__} loss is one"
                )
        return loss

    def loss_at(self, chain: int, draw: int) -> Loss:
        """Return the loss with its parameters of a draw, shaped against (n_documents, n_tasks)."""
        values = [
            np.asarray(value_at(self._parameters[key], chain, draw), np.float64)
            for key in self.loss.parameter_names()
        ]
        return self.loss.from_values(values)

    @property
    def fixed_parameters(self) -> dict[str, Floats] | None:
        """The parameters of the loss; None if one of them is not the same in all draws."""
        if not all(map(is_constant, self._parameters.values())):
            return None
        return {
            key: np.asarray(value_at(stored, 0, 0), np.float64)
            for key, stored in self._parameters.items()
        }

    @property
    def fixed_offset(self) -> Floats | None:
        """The offset of the training documents, (n_documents, n_tasks).

        None if it is not the same in all draws.
        """
        if self._offset is not None and not is_constant(self._offset):
            return None
        return self.offset(0, 0)

    def offset(self, chain: int, draw: int) -> Floats:
        """Return what is added to eta · z̄ of the training documents, (n_documents, n_tasks)."""
        if self._offset is None:
            return np.broadcast_to(self.location, self.y.shape)
        own = np.asarray(value_at(self._offset, chain, draw), np.float64)
        return own.reshape(self.y.shape) + self.location


def discriminants(topics: TopicDraws, response: ResponseDraws, chain: int, draw: int) -> Floats:
    """Return F of the training documents in a draw, (n_documents, n_tasks)."""
    out = np.empty(response.y.shape)
    z = np.ascontiguousarray(topics.assignments(chain)[draw])
    project(topics.tokens, z, response.weights(chain, draw), out)
    if response.features is not None:
        features = response.features.of_training(topics.tokens)
        out += features.project(response.features.weights_at(chain, draw))
    return out + response.offset(chain, draw)
