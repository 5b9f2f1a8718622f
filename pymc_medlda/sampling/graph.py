"""What a PyMC model asks of the Gibbs step, read from the model's graph.

A block is one set of topic assignments with all that depends on them: the words and any number of
responses. The step may draw z only if nothing else depends on it, and the weights of a response
only if their prior is Normal and nothing but the response depends on them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pymc as pm
from numpy.typing import NDArray
from pymc.pytensorf import extract_obs_data
from pytensor.compile.sharedvalue import SharedVariable
from pytensor.graph.basic import Constant, Variable
from pytensor.graph.traversal import ancestors
from pytensor.tensor.random.basic import NormalRV

from pymc_medlda.kernels.counts import Tokens
from pymc_medlda.losses import Loss
from pymc_medlda.model.random_variables import ResponseRV, TopicAssignmentsRV, WordsRV


@dataclass(frozen=True)
class ResponseBlock:
    """A response: its values, its loss, and the variables its factor is a function of."""

    name: str
    kind: str
    y: NDArray[np.float64]  # (n_documents, n_tasks)
    loss: type[Loss]
    eta: Variable
    offset: Variable
    parameters: tuple[Variable, ...]
    refusal: str
    """Why the Gibbs step cannot draw eta; empty if it can."""


@dataclass(frozen=True)
class TopicBlock:
    """Topic assignments, their words and their responses."""

    z: Variable
    tokens: Tokens
    n_words: int
    n_topics: int
    alpha: Variable
    beta: Variable
    responses: tuple[ResponseBlock, ...]


def find_assignments(model: pm.Model) -> list[Variable]:
    """Return the topic assignments among the free variables of a model."""
    return [rv for rv in model.free_RVs if isinstance(rv.owner.op, TopicAssignmentsRV)]


def read_block(model: pm.Model, z: Variable) -> TopicBlock:
    """Read from the graph all that the step needs to draw ``z``, or raise."""
    words = [rv for rv in model.observed_RVs if _is_child(rv, WordsRV, z)]
    responses = [rv for rv in model.observed_RVs if _is_child(rv, ResponseRV, z)]
    if len(words) != 1:
        raise ValueError(f"{z.name} has {len(words)} observed variables of words, expected one")
    known = {*words, *responses}
    others = [f for f in _factors(model) if f not in known and f is not z]
    intruders = [f.name for f in others if z in ancestors([f])]
    intruders += [f.name for f in responses if z in ancestors(f.owner.inputs[4:])]
    if intruders:
        raise ValueError(
            f"the Gibbs step cannot draw {z.name}: {', '.join(intruders)} depends on it outside "
            "TopicAssignments and MaxMargin"
        )
    alpha, start = z.owner.inputs[2:]
    beta = words[0].owner.inputs[3]
    tokens = Tokens(
        np.ascontiguousarray(extract_obs_data(model.rvs_to_values[words[0]]), np.int32),
        np.ascontiguousarray(start.data, np.int64),
    )
    return TopicBlock(
        z=z,
        tokens=tokens,
        n_words=words[0].owner.op.n_words,
        n_topics=z.owner.op.n_topics,
        alpha=alpha,
        beta=beta,
        responses=tuple(_read_response(model, rv) for rv in responses),
    )


def _read_response(model: pm.Model, rv: Variable) -> ResponseBlock:
    _, _, _, _, eta, offset, *parameters = rv.owner.inputs
    y = np.asarray(extract_obs_data(model.rvs_to_values[rv]), np.float64)
    return ResponseBlock(
        name=str(rv.name),
        kind=rv.owner.op.kind,
        y=y.reshape(y.shape[0], -1),
        loss=rv.owner.op.loss,
        eta=eta,
        offset=offset,
        parameters=tuple(parameters),
        refusal=_why_not_gibbs(model, rv, eta),
    )


def _why_not_gibbs(model: pm.Model, response: Variable, eta: Variable) -> str:
    """Say why eta's conditional is not the Gaussian the step draws; empty if it is."""
    if eta not in model.free_RVs:
        return "the weights are not a free variable of the model but an expression of others"
    if not isinstance(eta.owner.op, NormalRV):
        prior = getattr(eta.owner.op, "name", type(eta.owner.op).__name__)
        return f"the prior of {eta.name} is {prior}, not Normal"
    if model.rvs_to_transforms.get(eta) is not None:
        return f"{eta.name} is transformed"
    if eta in ancestors(response.owner.inputs[5:]):
        return f"the offset or a loss parameter of {response.name} depends on {eta.name}"
    elsewhere = [
        f.name
        for f in _factors(model)
        if f is not response and f is not eta and eta in ancestors([f])
    ]
    if elsewhere:
        return f"{', '.join(elsewhere)} depends on {eta.name} too"
    return ""


def _factors(model: pm.Model) -> Iterable[Variable]:
    return [*model.basic_RVs, *model.potentials]


def _is_child(rv: Variable, op_type: type, z: Variable) -> bool:
    return isinstance(rv.owner.op, op_type) and rv.owner.inputs[2] is z


class PointReader:
    """Values of model expressions at a point: fixed ones are evaluated once, the rest compiled.

    An expression that is a free variable without transform is read from the point itself; only
    genuine expressions of random variables (a hierarchical scale, an offset) cost a function.
    """

    def __init__(self, model: pm.Model, expressions: Sequence[Variable]) -> None:
        self.values: list[Any] = [None] * len(expressions)
        self.names: dict[int, str] = {}
        compiled: list[int] = []
        free = set(model.free_RVs)
        for i, expression in enumerate(expressions):
            if expression in free and model.rvs_to_transforms.get(expression) is None:
                self.names[i] = str(model.rvs_to_values[expression].name)
            elif free.intersection(ancestors([expression])):
                compiled.append(i)
            else:
                self.values[i] = _evaluate(expression)
        self.compiled = tuple(compiled)
        self.input_names: tuple[str, ...] = ()
        if compiled:
            outputs = model.replace_rvs_by_values([expressions[i] for i in compiled])
            needed = set(ancestors(outputs))
            inputs = [value for value in model.value_vars if value in needed]
            self.input_names = tuple(str(value.name) for value in inputs)
            self.function = model.compile_fn(outputs, inputs=inputs, point_fn=False)

    def __call__(self, point: dict[str, Any]) -> list[Any]:
        """Return the values of the expressions at ``point``."""
        values = list(self.values)
        for i, name in self.names.items():
            values[i] = point[name]
        if self.compiled:
            results = self.function(*(point[name] for name in self.input_names))
            for i, value in zip(self.compiled, results, strict=True):
                values[i] = value
        return values


def _evaluate(expression: Variable) -> Any:
    if isinstance(expression, Constant):
        return np.asarray(expression.data)
    if isinstance(expression, SharedVariable):
        return np.asarray(expression.get_value())
    return np.asarray(expression.eval())
