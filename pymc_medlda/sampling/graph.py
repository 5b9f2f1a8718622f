"""What a PyMC model asks of the Gibbs step, read from the model's graph.

A block is one set of topic assignments with all that depends on them: the words and any number of
responses. The step may draw z only if nothing else depends on it, and the weights of a response
only if their prior is Normal and nothing but the response depends on them.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pymc as pm
from pymc.pytensorf import extract_obs_data
from pymc.util import get_value_vars_from_user_vars
from pytensor.graph.basic import Variable
from pytensor.graph.traversal import ancestors
from pytensor.tensor.random.basic import NormalRV

from pymc_medlda._arrays import Floats
from pymc_medlda.kernels.counts import Tokens
from pymc_medlda.losses import Loss
from pymc_medlda.model.random_variables import ResponseRV, TopicAssignmentsRV, WordsRV

_log = logging.getLogger("pymc.medlda")


@dataclass(frozen=True)
class ResponseBlock:
    """A response: its values, its loss, and the variables its factor is a function of."""

    name: str
    kind: str
    y: Floats  # (n_documents, n_tasks)
    loss: type[Loss]
    eta: Variable
    offset: Variable
    parameters: tuple[Variable, ...]
    refusal: str
    """Why the Gibbs step cannot draw eta; empty if it can."""

    @property
    def prior(self) -> tuple[Variable, Variable]:
        """The mean and the scale of the Normal prior of eta."""
        mean, scale = self.eta.owner.inputs[-2:]
        return mean, scale


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


@dataclass(frozen=True)
class Assignment:
    """What one step is to draw: a block, and those of its variables that are drawn."""

    block: TopicBlock
    drawn: tuple[Variable, ...]


def assign_variables(model: pm.Model, vars: Any = None) -> list[Assignment]:
    """Return what each step draws, one for each set of topic assignments concerned.

    By default a step draws z and all weights that it can; others are left to PyMC, which is said
    in one log line each. ``vars`` names the variables to draw instead, or raises if that is
    impossible. The graph is read once.
    """
    blocks = [_read_block(model, z) for z in _find_assignments(model)]
    if not blocks:
        raise ValueError(
            "the model has no topic assignments: add med.TopicAssignments (or use med.GibbsMedLDA) "
            "before building GibbsMedLDAStep"
        )
    if vars is None:
        return [Assignment(block, _default_variables(block)) for block in blocks]
    listed = list(vars) if isinstance(vars, (list, tuple)) else [vars]
    if not listed:
        raise ValueError(
            "vars is empty: name topic assignments, weights of their responses or both; without "
            "vars the step draws all that it can"
        )
    chosen = [model.values_to_rvs[v] for v in get_value_vars_from_user_vars(listed, model)]
    assigned = [Assignment(block, _choose_variables(block, chosen)) for block in blocks]
    claimed = [rv for assignment in assigned for rv in assignment.drawn]
    for rv in chosen:
        if rv not in claimed:
            raise ValueError(
                "GibbsMedLDAStep draws topic assignments and the weights of their responses; "
                f"{rv.name} is neither"
            )
    return [assignment for assignment in assigned if assignment.drawn]


def _default_variables(block: TopicBlock) -> tuple[Variable, ...]:
    """Return z and the weights that can be drawn with it."""
    drawn = [block.z]
    for response in block.responses:
        if not response.refusal:
            drawn.append(response.eta)
        else:
            _log.info("the weights of %s are left to PyMC: %s", response.name, response.refusal)
    return tuple(drawn)


def _choose_variables(block: TopicBlock, chosen: list[Variable]) -> tuple[Variable, ...]:
    """Return those of the chosen variables that belong to a block, or raise."""
    weights = [response for response in block.responses if response.eta in chosen]
    for response in weights:
        if response.refusal:
            raise ValueError(
                f"GibbsMedLDAStep cannot draw {response.eta.name}: {response.refusal}. Leave "
                f"it to NUTS: give the step vars=[{block.z.name}] only"
            )
    return tuple(rv for rv in [block.z, *(r.eta for r in weights)] if rv in chosen)


def _find_assignments(model: pm.Model) -> list[Variable]:
    """Return the topic assignments among the free variables of a model."""
    return [rv for rv in model.free_RVs if isinstance(rv.owner.op, TopicAssignmentsRV)]


def _read_block(model: pm.Model, z: Variable) -> TopicBlock:
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
