"""w · x_d for every document and task, as a PyTensor operation.

The matrix of the features belongs to the operation. It is therefore held once per process, however
many graphs are made of a model, and it is pickled once with a model.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytensor.tensor as pt
from pytensor.graph.basic import Apply, Variable

from pymc_medlda._arrays import Floats
from pymc_medlda._compat.pytensor import run_in_python
from pymc_medlda.kernels.features import FeatureMatrix
from pymc_medlda.model.log_densities import RememberingOp


class ProjectFeatures(RememberingOp):
    """X wᵀ, linear in the weights w, (n_features,) or (n_tasks, n_features)."""

    __props__ = ("matrix",)

    def __init__(self, matrix: FeatureMatrix) -> None:
        super().__init__()
        self.matrix = matrix

    def make_node(self, weights: Any) -> Apply:
        """Take the weights; return one number per document, or per document and task."""
        weights = pt.as_tensor(weights)
        n_documents = self.matrix.shape[0]
        shape = (n_documents,) if weights.type.ndim == 1 else (n_documents, weights.type.shape[0])
        return Apply(self, [weights], [pt.tensor(dtype="float64", shape=shape)])

    def perform(self, node: Apply, inputs: Any, output_storage: Any) -> None:
        """Multiply, unless the weights are those of the last call."""
        # A copy, because PyTensor may work in place on what an operation returns.
        output_storage[0][0] = self._remembered.get(self._multiply, inputs[0]).copy()

    def _multiply(self, weights: Any) -> Floats:
        by_feature = np.ascontiguousarray(np.atleast_2d(weights).T, np.float64)
        return self.matrix.project(by_feature).reshape(self.matrix.shape[:1] + weights.shape[:-1])

    def pullback(self, inputs: Any, outputs: Any, cotangents: Any) -> list[Variable]:
        """Send the cotangents of documents back to their features."""
        back = ProjectFeaturesBack(self.matrix)(cotangents[0])
        return [pt.cast(back, inputs[0].type.dtype)]

    L_op = pullback


class ProjectFeaturesBack(RememberingOp):
    """The transpose of `ProjectFeatures`."""

    __props__ = ("matrix",)

    def __init__(self, matrix: FeatureMatrix) -> None:
        super().__init__()
        self.matrix = matrix

    def make_node(self, values: Any) -> Apply:
        """Take (n_documents,) or (n_documents, n_tasks); return what has the shape of weights."""
        values = pt.as_tensor(values)
        n_features = self.matrix.shape[1]
        shape = (n_features,) if values.type.ndim == 1 else (values.type.shape[1], n_features)
        return Apply(self, [values], [pt.tensor(dtype="float64", shape=shape)])

    def perform(self, node: Apply, inputs: Any, output_storage: Any) -> None:
        """Multiply by the transpose."""
        values = np.asarray(inputs[0], np.float64)
        back = self.matrix.project_back(values.reshape(values.shape[0], -1)).T
        shape = values.shape[1:] + self.matrix.shape[1:]
        output_storage[0][0] = np.ascontiguousarray(back).reshape(shape)

    def pullback(self, inputs: Any, outputs: Any, cotangents: Any) -> list[Variable]:
        """Return the projection of the cotangents: the transpose of the transpose."""
        return [pt.cast(ProjectFeatures(self.matrix)(cotangents[0]), inputs[0].type.dtype)]

    L_op = pullback


for _op_type in (ProjectFeatures, ProjectFeaturesBack):
    run_in_python(_op_type)
