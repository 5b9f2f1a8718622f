"""The draws of a response's weights, with its loss and its training values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from pymc_medlda._arrays import Floats
from pymc_medlda.kernels.counts import project
from pymc_medlda.losses import Loss
from pymc_medlda.run.topic_draws import TopicDraws, value_at


@dataclass(frozen=True, eq=False)
class ResponseDraws:
    """A response of a run: its loss, the draws of its weights, and its training values.

    Chains and draws are given by position in all methods.

    Attributes
    ----------
    name, kind : str
        Name of the observed variable; ``"binary"``, ``"multiclass"``, ``"multilabel"``, ``"real"``.
    loss : type[Loss]
    eta : DataArray
        (chain, draw, topic) or (chain, draw, task, topic).
    y : (n_documents, n_tasks) float array
        As coded: ±1 or real, NaN where missing.
    classes : array or None
        Two classes (the second coded +1), classes, label names or task names.
    task_dim : str or None
        None with one discriminant per document.
    topics : str
        Name of the topic assignments the response belongs to.
    has_offset : bool
    """

    name: str
    kind: str
    loss: type[Loss]
    eta: xr.DataArray
    y: Floats
    classes: NDArray[Any] | None
    task_dim: str | None
    topics: str
    has_offset: bool
    _parameters: tuple[xr.DataArray | float, ...]
    _offset: xr.DataArray | None

    @property
    def task_labels(self) -> NDArray[Any]:
        """The names of the tasks, or their positions; two classes are one task without a name."""
        if self.classes is None or self.kind == "binary":
            return np.arange(self.y.shape[1])
        return self.classes

    def weights(self, chain: int, draw: int) -> Floats:
        """Return eta of a draw as (n_tasks, n_topics)."""
        return np.ascontiguousarray(np.atleast_2d(value_at(self.eta, chain, draw)), np.float64)

    def loss_at(self, chain: int, draw: int) -> Loss:
        """Return the loss with its parameters of a draw, shaped against (n_documents, n_tasks)."""
        values = [
            value_at(parameter, chain, draw) if isinstance(parameter, xr.DataArray) else parameter
            for parameter in self._parameters
        ]
        return self.loss.from_values([np.asarray(value, np.float64) for value in values])

    def offset(self, chain: int, draw: int) -> Floats:
        """Return the offset of the training documents in a draw, (n_documents, n_tasks)."""
        if self._offset is None:
            return np.zeros(self.y.shape)
        return np.asarray(value_at(self._offset, chain, draw), np.float64).reshape(self.y.shape)


def discriminants(topics: TopicDraws, response: ResponseDraws, chain: int, draw: int) -> Floats:
    """Return F = eta · z̄ + offset of the training documents in a draw, (n_documents, n_tasks)."""
    out = np.empty(response.y.shape)
    z = np.ascontiguousarray(topics.assignments(chain)[draw])
    project(topics.tokens, z, response.weights(chain, draw), out)
    return out + response.offset(chain, draw)
