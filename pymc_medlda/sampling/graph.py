"""What a PyMC model asks of the Gibbs step, read from the model's graph.

A block is one set of topic assignments with all that depends on them: the words and any number of
responses. The step may draw z only if nothing else depends on it, and the weights of a response,
those of topics and those of features, only if their prior is Normal and nothing but the response
depends on them. Assignments that are
observed or were replaced by data (``pm.observe``, ``pm.do``) stay as they are: then the step draws
weights alone.

A factor of the joint density is a random variable or a potential. It depends on a variable if that
variable is among its inputs, however transformed, but not through another random variable: that
one stands for its value, which it has in every factor.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pymc as pm
from pymc.pytensorf import extract_obs_data
from pytensor.graph.basic import Variable
from pytensor.graph.traversal import ancestors
from pytensor.tensor.random.basic import NormalRV

from pymc_medlda._arrays import Floats
from pymc_medlda.kernels.counts import Tokens
from pymc_medlda.kernels.features import FeatureMatrix
from pymc_medlda.losses import Loss
from pymc_medlda.model.random_variables import ResponseRV, TopicAssignmentsRV, WordsRV


@dataclass(frozen=True)
class FeatureBlock:
    """The features of a response, and their weights."""

    matrix: FeatureMatrix
    weights: Variable
    added: Variable
    """What they add to the discriminant, X w."""
    refusal: str
    """Why the Gibbs step cannot draw the weights; empty if it can."""

    @property
    def prior(self) -> tuple[Variable, Variable]:
        """The mean and the scale of the Normal prior of the weights."""
        mean, scale = self.weights.owner.inputs[-2:]
        return mean, scale


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
    features: FeatureBlock | None

    @property
    def prior(self) -> tuple[Variable, Variable]:
        """The mean and the scale of the Normal prior of eta."""
        mean, scale = self.eta.owner.inputs[-2:]
        return mean, scale

    @property
    def refusals(self) -> dict[Variable, str]:
        """The weights of topics and of features, each with the reason why it cannot be drawn."""
        own = {self.eta: self.refusal}
        if self.features is not None:
            own[self.features.weights] = self.features.refusal
        return own


@dataclass(frozen=True)
class TopicBlock:
    """Topic assignments, their words and their responses."""

    name: str
    z: Variable
    is_free: bool
    """Whether z is a free variable of the model, not observed or given as data."""
    refusal: str
    """Why the Gibbs step cannot draw z; empty if it can."""
    tokens: Tokens
    n_words: int
    n_topics: int
    alpha: Variable | None
    """None where z is not a random variable: then it has no density."""
    beta: Variable
    responses: tuple[ResponseBlock, ...]


def read_blocks(model: pm.Model) -> list[TopicBlock]:
    """Return a block for each set of topic assignments: drawn, observed, or given as data.

    Of a nested model these are its own, but what depends on them may be in the models around it.
    """
    found = [rv for rv in model.basic_RVs if isinstance(rv.owner.op, TopicAssignmentsRV)]
    for rv in model.observed_RVs:
        if isinstance(rv.owner.op, ResponseRV) and rv.owner.inputs[2] not in found:
            found.append(rv.owner.inputs[2])
    return [_read_block(model.root, z) for z in found]


def _read_block(model: pm.Model, z: Variable) -> TopicBlock:
    """Read from the graph all that the step needs to draw ``z`` and the weights, or raise."""
    # Data that replaced z has a name, but may be wrapped in an expression without one.
    name = next((str(v.name) for v in ancestors([z]) if v in model.named_vars.values()), str(z))
    words = [rv for rv in model.observed_RVs if _is_child(rv, WordsRV, z)]
    responses = [rv for rv in model.observed_RVs if _is_child(rv, ResponseRV, z)]
    if len(words) != 1:
        raise ValueError(f"{name} has {len(words)} observed variables of words, expected one")
    is_random = z in model.basic_RVs
    if z in model.free_RVs:
        refusal = _why_not_topics(model, z, [*words, *responses])
    else:
        refusal = f"{name} is {'observed' if is_random else 'given as data'}"
    alpha, start = z.owner.inputs[2:] if is_random else (None, responses[0].owner.inputs[3])
    word = np.ascontiguousarray(extract_obs_data(model.rvs_to_values[words[0]]), np.int32)
    return TopicBlock(
        name=name,
        z=z,
        is_free=z in model.free_RVs,
        refusal=refusal,
        tokens=Tokens(word, np.ascontiguousarray(start.data, np.int64)),
        n_words=words[0].owner.op.n_words,
        n_topics=words[0].owner.op.n_topics,
        alpha=alpha,
        beta=words[0].owner.inputs[3],
        responses=tuple(_read_response(model, rv) for rv in responses),
    )


def _why_not_topics(model: pm.Model, z: Variable, known: list[Variable]) -> str:
    """Say what depends on z besides the words and the responses; empty if nothing does."""
    others = [f for f in _factors(model) if f not in known and f is not z]
    names = [str(f.name) for f in others if _depends(model, f, z)]
    # A response depends on z through its topics, but must not through its weights, offset or loss.
    names += [
        str(rv.name)
        for rv in known
        if z in ancestors(rv.owner.inputs[3:], blockers=model.basic_RVs)
    ]
    if names:
        return f"{', '.join(names)} depends on it outside TopicAssignments and MaxMargin"
    return ""


def _read_response(model: pm.Model, rv: Variable) -> ResponseBlock:
    _, _, _, _, eta, *others = rv.owner.inputs
    (offset, *added), parameters = rv.owner.op.split(others)
    y = np.asarray(extract_obs_data(model.rvs_to_values[rv]), np.float64)
    return ResponseBlock(
        name=str(rv.name),
        kind=rv.owner.op.kind,
        y=y.reshape(y.shape[0], -1),
        loss=rv.owner.op.loss,
        eta=eta,
        offset=offset,
        parameters=tuple(parameters),
        refusal=_why_not_gibbs(model, rv, eta, eta),
        features=_read_features(model, rv, added[0]) if added else None,
    )


def _read_features(model: pm.Model, rv: Variable, added: Variable) -> FeatureBlock:
    (weights,) = added.owner.inputs
    refusal = _why_not_gibbs(model, rv, added, weights)
    return FeatureBlock(added.owner.op.matrix, weights, added, refusal)


def _why_not_gibbs(model: pm.Model, response: Variable, own: Variable, eta: Variable) -> str:
    """Say why the conditional of weights is not the Gaussian the step draws; empty if it is.

    ``own`` is the input of the response through which it depends on the weights ``eta``.
    """
    if eta in model.observed_RVs:
        return f"{eta.name} is observed"
    if eta not in model.free_RVs:
        return "the weights are not a free variable of the model but data or an expression"
    if not isinstance(eta.owner.op, NormalRV):
        prior = getattr(eta.owner.op, "name", type(eta.owner.op).__name__)
        return f"the prior of {eta.name} is {prior}, not Normal"
    if model.rvs_to_transforms.get(eta) is not None:
        return f"{eta.name} is transformed"
    others = [variable for variable in response.owner.inputs[4:] if variable is not own]
    if eta in ancestors(others, blockers=model.basic_RVs):
        return f"the offset or a loss parameter of {response.name} depends on {eta.name}"
    elsewhere = [
        str(f.name)
        for f in _factors(model)
        if f is not response and f is not eta and _depends(model, f, eta)
    ]
    if elsewhere:
        return f"{', '.join(elsewhere)} depends on {eta.name} too"
    return ""


def _factors(model: pm.Model) -> Sequence[Variable]:
    return [*model.basic_RVs, *model.potentials]


def _depends(model: pm.Model, factor: Variable, rv: Variable) -> bool:
    """Tell whether a factor depends on a random variable, not through another one."""
    inputs = factor.owner.inputs if factor in model.basic_RVs else [factor]
    return rv in ancestors(inputs, blockers=model.basic_RVs)


def _is_child(rv: Variable, op_type: type, z: Variable) -> bool:
    return isinstance(rv.owner.op, op_type) and rv.owner.inputs[2] is z
