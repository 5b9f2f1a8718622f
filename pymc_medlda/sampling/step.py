"""`GibbsMedLDAStep`: a point goes in, the kernels draw, a point and its statistics come out.

All of PyMC's step contract is here. A step is a function of (point, generator): what it keeps from
call to call is a cache, used only where a comparison proves that it belongs to the point.
"""

from __future__ import annotations

import logging
import operator
from collections.abc import Iterator, Sequence
from dataclasses import field
from itertools import islice
from typing import Any, ClassVar

import numpy as np
import pymc as pm
from pymc.model import modelcontext
from pymc.step_methods import STEP_METHODS
from pymc.step_methods.compound import BlockedStep, Competence, CompoundStep, StepMethodState
from pymc.step_methods.state import dataclass_state
from pymc.util import get_random_generator, get_value_vars_from_user_vars
from pytensor.graph.basic import Variable
from pytensor.tensor.random.basic import NormalRV

from pymc_medlda._arguments import check_whole
from pymc_medlda._arrays import Floats
from pymc_medlda.kernels.sweeps.topic_sampler import TopicSampler
from pymc_medlda.kernels.weights import draw_weights
from pymc_medlda.model.random_variables import TopicAssignmentsRV
from pymc_medlda.sampling.compiling import compile_kernels
from pymc_medlda.sampling.graph import PointReader, ResponseBlock, find_assignments, read_block
from pymc_medlda.targets.coding import score_response

_log = logging.getLogger("pymc.medlda")

Point = dict[str, Any]


@dataclass_state
class GibbsMedLDAState(StepMethodState):
    """What a step needs beside the point to go on: its generator. The rest is fixed."""

    sweeps_per_draw: int = field(metadata={"frozen": True})
    path: str = field(metadata={"frozen": True})


class GibbsMedLDAStep(BlockedStep):
    """Draw topic assignments and, where their prior is Normal, the weights of the responses.

    One draw is ``sweeps_per_draw`` sweeps of: the auxiliary variables given (z, eta), the weights
    given the auxiliary variables and z, then every topic assignment given the rest. Each is an
    exact conditional of the joint density, so the chain leaves the posterior invariant.

    Parameters
    ----------
    vars : list of variables, optional
        z, eta or both. By default the topic assignments of the model with the weights the step
        can draw; weights with a prior that is not Normal are left to NUTS.
    sweeps_per_draw : int, default 1
        Sweeps between two stored draws: thinning without the memory.
    path : {"auto", "plain", "dense", "sparse"}, default "auto"
        How topics are drawn. All paths draw from the same law; ``"auto"`` picks the fastest.
    model : pymc.Model, optional
        The model in context by default.
    rng : numpy.random.Generator or int, optional
        PyMC sets it for each chain.

    Notes
    -----
    ``sample_stats`` of a draw: ``loss``, the training loss summed over documents and tasks;
    ``score``, the training accuracy (R² of real responses, averaged over responses);
    ``log_likelihood``, log p(W | Z) a token; ``log_joint``, the log density of words,
    assignments, responses and the weights it draws; ``moved``, the share of tokens that changed
    topic in the last sweep.

    Examples
    --------
    >>> import pymc as pm, pymc_medlda as med
    >>> planted = med.datasets.make_planted(30, n_topics=3, n_words=40, seed=1)
    >>> with med.GibbsMedLDA(planted.corpus, planted.y, n_topics=3):
    ...     step = med.GibbsMedLDAStep()
    >>> [v.name for v in step.vars]
    ['z', 'eta']
    """

    name = "gibbs_medlda"
    default_tune_steps = 100
    _state_class = GibbsMedLDAState
    stats_dtypes_shapes: ClassVar[dict[str, tuple[type, list[int]]]] = {
        "loss": (np.float64, []),
        "score": (np.float64, []),
        "log_likelihood": (np.float64, []),
        "log_joint": (np.float64, []),
        "moved": (np.float64, []),
    }

    def __new__(
        cls, vars: Any = None, *, model: pm.Model | None = None, **kwargs: Any
    ) -> GibbsMedLDAStep | CompoundStep:
        """Return one step for each set of topic assignments, in a compound if there are several."""
        model = _model_in_context(model)
        groups = [drawn for _, drawn in _group_by_assignments(model, vars)]
        if len(groups) > 1:
            return CompoundStep([cls(vars=group, model=model, **kwargs) for group in groups])
        values = [model.rvs_to_values[rv] for rv in groups[0]]
        return super().__new__(cls, vars=values, model=model, **kwargs)

    def __init__(
        self,
        vars: Any = None,
        *,
        sweeps_per_draw: int = 1,
        path: str = "auto",
        model: pm.Model | None = None,
        rng: Any = None,
        initial_point: Any = None,
        compile_kwargs: Any = None,
        blocked: bool = True,
    ) -> None:
        check_whole("sweeps_per_draw", sweeps_per_draw, at_least=1)
        model = _model_in_context(model)
        ((z, drawn),) = _group_by_assignments(model, vars)
        self.vars = [model.rvs_to_values[rv] for rv in drawn]
        self.sweeps_per_draw = sweeps_per_draw
        self.path = path
        self.rng = get_random_generator(rng)

        block = read_block(model, z)
        self.z_name = str(model.rvs_to_values[z].name)
        self.draws_topics = z in drawn
        self.responses = [_Supervised(r, drawn=r.eta in drawn) for r in block.responses]
        expressions = [block.alpha, block.beta]
        for response in self.responses:
            expressions += response.expressions(model)
        self.reader = PointReader(model, expressions)
        for response in self.responses:
            del response.block_variables
        self.sampler = TopicSampler(
            block.tokens, n_words=block.n_words, n_topics=block.n_topics, path=path
        )
        # Here, in the parent process: chains that start together need not compile each.
        compile_kernels(self.sampler, sum(r.y.shape[1] for r in self.responses) or 1)

    @staticmethod
    def competence(var: Variable, has_grad: bool = False) -> Competence:
        """Claim topic assignments, and Normal weights that `MaxMargin` uses."""
        op = var.owner.op if var.owner is not None else None
        weights = isinstance(op, NormalRV) and getattr(var.tag, "medlda_weights", False)
        if isinstance(op, TopicAssignmentsRV) or weights:
            return Competence.IDEAL
        return Competence.INCOMPATIBLE

    def step(self, point: Point) -> tuple[Point, list[dict[str, Any]]]:
        """Draw from the conditionals in turn, starting at ``point``, which is left as it is."""
        values = iter(self.reader(point))
        alpha, beta = np.asarray(next(values), np.float64), float(next(values))
        same_topics = self.sampler.load(point[self.z_name])
        for response in self.responses:
            response.read(values, same_topics=same_topics)
        moved = 0
        for _ in range(self.sweeps_per_draw):
            moved = self._sweep(alpha, beta)
        assert self.sampler.z is not None
        drawn = {r.eta_name: r.eta_as_stored() for r in self.responses if r.drawn}
        new = {**point, self.z_name: self.sampler.z.copy(), **drawn}
        return new, [self._statistics(alpha, beta, moved)]

    def _sweep(self, alpha: Floats, beta: float) -> int:
        """Draw auxiliary variables, weights and topics once each; return how many tokens moved."""
        document_topic = self.sampler.document_topic
        for response in self.responses:
            response.augment(self.rng, self.sampler)
            if response.drawn:
                response.draw_weights(self.rng, self.sampler)
        moved = 0
        if self.draws_topics:
            eta, a, b = _stack(self.responses, document_topic.shape)
            moved = self.sampler.sweep(self.rng, alpha=alpha, beta=beta, eta=eta, a=a, b=b)
            for response in self.responses:
                response.forget_projection()
        return moved

    def _statistics(self, alpha: Floats, beta: float, moved: int) -> dict[str, float]:
        n_tokens = self.sampler.tokens.word.size
        log_words = self.sampler.log_words(beta)
        log_joint = log_words + self.sampler.log_assignments(alpha)
        losses, scores = [], []
        for response in self.responses:
            loss, score, log_density = response.summarise(self.sampler)
            losses.append(loss)
            scores.append(score)
            log_joint += log_density
        return {
            "loss": float(sum(losses)),
            "score": sum(scores) / len(scores) if scores else float("nan"),
            "log_likelihood": log_words / n_tokens,
            "log_joint": log_joint,
            "moved": moved / n_tokens,
        }


class _Supervised:
    """A response as the step sees it: arrays, numbers and names, read from the point each draw."""

    def __init__(self, block: ResponseBlock, *, drawn: bool) -> None:
        self.loss = block.loss
        self.kind = block.kind
        self.y = block.y
        given = ~np.isnan(block.y)
        self.given: Any = True if given.all() else given  # a sum over all need not look
        self.drawn = drawn
        self.n_parameters = len(block.parameters)
        self.block_variables = block
        self.eta = np.empty((0, 0))
        self.projection: Floats | None = None
        self.fixed: list[Any] = []

    def expressions(self, model: pm.Model) -> list[Variable]:
        """Return the variables whose values `read` takes, in its order."""
        block = self.block_variables
        prior = []
        self.eta_name = ""
        if self.drawn:
            self.eta_name = str(model.rvs_to_values[block.eta].name)
            prior = list(block.eta.owner.inputs[-2:])
        return [block.eta, block.offset, *block.parameters, *prior]

    def read(self, values: Iterator[Any], *, same_topics: bool) -> None:
        """Take the values of this draw; the projection stays if neither z nor eta changed."""
        eta = np.asarray(next(values), np.float64)
        self.eta_shape = eta.shape
        weights = np.ascontiguousarray(eta.reshape(-1, eta.shape[-1]))
        same_weights = np.array_equal(weights, self.eta)
        if not (same_topics and same_weights):
            self.forget_projection()
        if not same_weights:
            self.eta = weights.copy()  # whoever owns the point may change it
        rest = list(islice(values, 1 + self.n_parameters + 2 * self.drawn))
        # What does not depend on random variables comes as the same objects every time.
        if len(rest) == len(self.fixed) and all(map(operator.is_, rest, self.fixed)):
            return
        self.fixed = rest
        offset = np.asarray(rest[0], np.float64).reshape(self.y.shape)
        self.offset = offset if offset.any() else None
        self.parameters = [_column(value) for value in rest[1 : 1 + self.n_parameters]]
        if self.drawn:
            mean, scale = (
                # PyTensor keeps constants in float32 where that holds them; squares need more.
                np.broadcast_to(np.asarray(value, np.float64), eta.shape).reshape(weights.shape)
                for value in rest[-2:]
            )
            self.mean, self.precision = mean, scale**-2.0
            self.log_normaliser = 0.5 * float(np.log(self.precision / (2.0 * np.pi)).sum())

    def forget_projection(self) -> None:
        """Say that z or eta changed."""
        self.projection = None

    def eta_as_stored(self) -> Floats:
        """Return a copy of the weights, in the shape the point holds them."""
        return self.eta.reshape(self.eta_shape).copy()

    def discriminant(self, sampler: TopicSampler) -> Floats:
        """Return F = eta · z̄ + offset, (n_documents, n_tasks)."""
        if self.projection is None:
            self.projection = sampler.project(self.eta)
        return self.projection if self.offset is None else self.projection + self.offset

    def augment(self, rng: np.random.Generator, sampler: TopicSampler) -> None:
        """Draw the auxiliary variables; keep (a, b), with the offset taken into b."""
        discriminant = self.discriminant(sampler)
        self.a, self.b = self.loss.augment(
            rng, self.y, discriminant, *self.parameters, given=self.given
        )
        if self.offset is not None:
            self.b = self.b - self.a * self.offset

    def draw_weights(self, rng: np.random.Generator, sampler: TopicSampler) -> None:
        """Draw eta from its Gaussian conditional."""
        self.eta = draw_weights(
            rng,
            sampler.document_topic,
            sampler.present,
            self.a,
            self.b,
            mean=self.mean,
            precision=self.precision,
        )
        self.forget_projection()

    def summarise(self, sampler: TopicSampler) -> tuple[float, float, float]:
        """Return the loss, the score, and the log density of the response and the weights drawn."""
        discriminant = self.discriminant(sampler)
        losses = self.loss.value(self.y, discriminant, *self.parameters)
        factors = self.loss.log_factor_of(losses, *self.parameters)
        log_density = float(factors.sum(where=self.given))
        if self.drawn:
            error = self.eta - self.mean
            log_density += self.log_normaliser - 0.5 * float((self.precision * error**2).sum())
        score = score_response(self.kind, self.y, discriminant, self.given)
        return float(losses.sum(where=self.given)), score, log_density


def _stack(
    responses: Sequence[_Supervised], shape: tuple[int, ...]
) -> tuple[Floats, Floats, Floats]:
    """Put the tasks of all responses side by side; with none, one task that weighs nothing."""
    if not responses:
        n_documents, n_topics = shape
        nothing = np.zeros((n_documents, 1))
        return np.zeros((1, n_topics)), nothing, nothing
    if len(responses) == 1:
        only = responses[0]
        return only.eta, np.ascontiguousarray(only.a), np.ascontiguousarray(only.b)
    return (
        np.concatenate([r.eta for r in responses], axis=0),
        np.concatenate([r.a for r in responses], axis=1),
        np.concatenate([r.b for r in responses], axis=1),
    )


def _column(parameter: Any) -> Floats:
    """Shape a parameter (scalar, over documents, over documents and tasks) against (D, L)."""
    array = np.asarray(parameter, np.float64)
    return array[:, None] if array.ndim == 1 else array


def _model_in_context(model: pm.Model | None) -> pm.Model:
    try:
        return modelcontext(model)
    except TypeError:
        raise TypeError(
            "GibbsMedLDAStep was built outside a model: build it in a `with model:` block, or "
            "pass model="
        ) from None


def _group_by_assignments(model: pm.Model, vars: Any) -> list[tuple[Variable, list[Variable]]]:
    """Return, for each topic assignments z concerned, z and the variables to draw: z, weights."""
    assignments = find_assignments(model)
    if not assignments:
        raise ValueError(
            "the model has no topic assignments: add med.TopicAssignments (or use med.GibbsMedLDA) "
            "before building GibbsMedLDAStep"
        )
    if vars is None:
        return [(z, _default_group(model, z)) for z in assignments]
    listed = list(vars) if isinstance(vars, (list, tuple)) else [vars]
    chosen = [model.values_to_rvs[v] for v in get_value_vars_from_user_vars(listed, model)]
    groups = []
    for z in assignments:
        weights = [r for r in read_block(model, z).responses if r.eta in chosen]
        for response in weights:
            if response.refusal:
                raise ValueError(
                    f"GibbsMedLDAStep cannot draw {response.eta.name}: {response.refusal}. Leave "
                    f"it to NUTS: give the step vars=[{z.name}] only"
                )
        drawn = [rv for rv in [z, *(r.eta for r in weights)] if rv in chosen]
        if drawn:
            groups.append((z, drawn))
    claimed = [rv for _, drawn in groups for rv in drawn]
    for rv in chosen:
        if rv not in claimed:
            raise ValueError(
                "GibbsMedLDAStep draws topic assignments and the weights of their responses; "
                f"{rv.name} is neither"
            )
    return groups


def _default_group(model: pm.Model, z: Variable) -> list[Variable]:
    """Return z and the weights that can be drawn with it."""
    group = [z]
    for response in read_block(model, z).responses:
        if not response.refusal:
            group.append(response.eta)
        else:
            _log.info("the weights of %s are left to PyMC: %s", response.name, response.refusal)
    return group


if GibbsMedLDAStep not in STEP_METHODS:  # so that plain pm.sample() finds it
    STEP_METHODS.append(GibbsMedLDAStep)
