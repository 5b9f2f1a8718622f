"""`GibbsMedLDAStep`: a point goes in, the kernels draw, a point and its statistics come out.

All of PyMC's step contract is here, and no mathematics: see `conditionals` for what is drawn. A
step is a function of (point, generator).
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from dataclasses import field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pymc as pm
from pymc.step_methods import STEP_METHODS
from pymc.step_methods.compound import BlockedStep, Competence, CompoundStep, StepMethodState
from pymc.step_methods.state import dataclass_state
from pymc.util import get_random_generator
from pytensor.graph.basic import Variable

from pymc_medlda._arguments import check_whole
from pymc_medlda._compat.pymc import assign_steps_in_context, extend_checks, progress_columns
from pymc_medlda.kernels.sweeps.blocked import default_blocks
from pymc_medlda.kernels.sweeps.team import available_cores
from pymc_medlda.model.random_variables import TopicAssignmentsRV, not_to_check
from pymc_medlda.run.generator_states import digest_point
from pymc_medlda.run.record import STATISTICS
from pymc_medlda.sampling.assigning import Assignment, assign_variables, can_draw, model_in_context
from pymc_medlda.sampling.conditionals import Conditionals

if TYPE_CHECKING:
    from pymc_medlda.sampling.resuming import Resumption

_log = logging.getLogger("pymc.medlda")

Point = dict[str, Any]
OUTSIDE = "GibbsMedLDAStep was built outside a model: build it"
# The columns of the progress bar: the header and the format of a statistic.
SHOWN = {"loss": ("Loss", ",.1f"), "score": ("Score", ".3f")}
SHOWN_OF_LDA = {"log_likelihood": ("Log p(word)", ".3f")}


@dataclass_state
class GibbsMedLDAState(StepMethodState):
    """The state of a step besides the point: its generator. The settings are fixed."""

    sweeps_per_draw: int = field(metadata={"frozen": True})
    weight_rounds: int = field(metadata={"frozen": True})
    path: str = field(metadata={"frozen": True})
    blocks: int = field(metadata={"frozen": True})
    point_digest: str = ""  # of the last draw: says to which point the generator belongs


class GibbsMedLDAStep(BlockedStep):
    """Draw topic assignments and, where their prior is Normal, the weights of the responses.

    One draw is ``sweeps_per_draw`` sweeps of: the auxiliary variables given (z, eta), the weights
    given the auxiliary variables and z, both of them ``weight_rounds`` times, then every topic
    assignment given the rest. If documents have features, their weights w are drawn after eta. Each
    is an exact conditional of the joint density, so the chain leaves the posterior invariant.

    Parameters
    ----------
    vars : list of variables, optional
        Some of z, eta and w. By default the topic assignments of the model with the weights that
        the step can draw; weights with a prior that is not Normal are left to NUTS.
    sweeps_per_draw : int, default 1
        Sweeps between two stored draws. This thins a chain without storing what is left out.
    weight_rounds : int, default 1
        How often the auxiliary variables and the weights are drawn in a sweep. They depend strongly
        on each other and cost little beside the topics, so that several rounds bring more effective
        draws of the weights in the same time.
    path : {"auto", "plain", "dense", "sparse"}, default "auto"
        How topics are drawn. All paths draw from the same law; ``"auto"`` picks the fastest.
    threads : int, default 1
        How many cores draw the topics of one chain. More than the machine has are of no use, and
        are not started. With several chains at once, choose ``cores`` of ``pm.sample`` so that
        cores times threads is not more than the machine has; ``pm.sample`` says which number suits.
    blocks : int, optional
        Into how many blocks words and documents are divided, so that several threads can draw side
        by side. The law of the draws is the same for any number; the draws themselves depend on the
        seed and on ``blocks``, but never on ``threads``. By default one block for one thread, and
        otherwise as many blocks as threads. At most as many threads as blocks are at work.
    model : pymc.Model, optional
        The model in context by default.
    rng : numpy.random.Generator or int, optional
        PyMC sets it for each chain.
    resume : str or path, optional
        The store of a ``ZarrTrace`` run that was stopped. Together with
        ``initvals=last_points(resume)`` and as many chains, the chains continue with the random
        numbers of that run, so their draws are those it would have made. Chains that it had not
        begun get new generators. It is an error if the store has no state that belongs to the last
        draw of a chain, or if the settings of the step were others. Give every chain a point of its
        own: two chains that begin at the same stored point would be identical.

    Notes
    -----
    ``sample_stats`` of a draw: ``loss``, the training loss summed over documents and tasks;
    ``score``, the training accuracy (R² of real responses, averaged over responses);
    ``log_likelihood``, log p(W | Z) per token; ``log_joint``, the log density of words,
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

    _assignment: Assignment
    name = "gibbs_medlda"
    default_tune_steps = 100
    _state_class = GibbsMedLDAState
    stats_dtypes_shapes: ClassVar[dict[str, tuple[type, list[int]]]] = {
        name: (np.float64, []) for name in STATISTICS
    }

    def __new__(
        cls, vars: Any = None, *, model: pm.Model | None = None, **kwargs: Any
    ) -> GibbsMedLDAStep | CompoundStep:
        """Return one step for each set of topic assignments, in a compound if there are several."""
        model = model_in_context(model, OUTSIDE)
        steps = []
        for assignment in assign_variables(model, vars):
            values = [model.root.rvs_to_values[rv] for rv in assignment.drawn]
            step = super().__new__(cls, vars=values, model=model, **kwargs)
            step._assignment = assignment  # for __init__, so that the graph is read once
            steps.append(step)
        if len(steps) == 1:
            return steps[0]
        for step in steps:  # Python calls __init__ only for what is of this class
            step.__init__(model=model, **kwargs)
        return CompoundStep(steps)

    def __init__(
        self,
        vars: Any = None,
        *,
        sweeps_per_draw: int = 1,
        weight_rounds: int = 1,
        path: str = "auto",
        threads: int = 1,
        blocks: int | None = None,
        model: pm.Model | None = None,
        rng: Any = None,
        initial_point: Any = None,
        compile_kwargs: Any = None,
        blocked: bool = True,
        resume: Any = None,
    ) -> None:
        check_whole("sweeps_per_draw", sweeps_per_draw, at_least=1)
        check_whole("weight_rounds", weight_rounds, at_least=1)
        check_whole("threads", threads, at_least=1)
        if blocks is not None:
            check_whole("blocks", blocks, at_least=1)
        model = model_in_context(
            model, OUTSIDE
        ).root  # what is around a nested model counts as well
        block, drawn = self._assignment.block, self._assignment.drawn
        del self._assignment  # a step holds arrays, numbers and names, and travels to processes
        self.vars = [model.rvs_to_values[rv] for rv in drawn]
        self.sweeps_per_draw = sweeps_per_draw
        self.weight_rounds = weight_rounds
        self.path = path
        self.blocks = default_blocks(threads, block.n_words) if blocks is None else blocks
        self.threads = threads
        self.rng = _generator(rng)
        self.resumption: Resumption | None = None
        if resume is not None:
            from pymc_medlda.sampling.resuming import Resumption  # most runs read no stored one

            names = [str(value.name) for value in self.vars]
            settings = {
                "sweeps_per_draw": sweeps_per_draw,
                "weight_rounds": weight_rounds,
                "path": path,
                "blocks": self.blocks,
            }
            self.resumption = Resumption(resume, names, settings)
        self.last_drawn: Point = {}
        self.conditionals = Conditionals(
            model, block, drawn, path, weight_rounds, self.blocks, threads
        )

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the step itself, neither the model nor the arguments it was built from."""
        state = {name: value for name, value in vars(self).items() if "newargs" not in name}
        return _restore, (type(self), state)

    @staticmethod
    def competence(var: Variable, has_grad: bool = False) -> Competence:
        """Claim the topic assignments of the model in context, and the weights it can draw."""
        # Topics are claimed even where they cannot be drawn: the step says why when it is built.
        if isinstance(getattr(var.owner, "op", None), TopicAssignmentsRV):
            return Competence.IDEAL
        model = pm.Model.get_context(error_if_none=False)
        if model is not None and can_draw(model, var):
            return Competence.IDEAL
        return Competence.INCOMPATIBLE

    def step(self, point: Point) -> tuple[Point, list[dict[str, Any]]]:
        """Draw from the conditionals in turn, starting at ``point``, which is left as it is.

        If it is interrupted, the generator is set back, so that it still belongs to ``point``.
        """
        if self.resumption is not None:
            self.rng = self.resumption.pick_generator(self.rng, point)
        before = self.rng.bit_generator.state
        try:
            return self._draw(point)
        except BaseException:
            self.rng.bit_generator.state = before
            raise

    def _draw(self, point: Point) -> tuple[Point, list[dict[str, Any]]]:
        self.conditionals.load(point)
        for _ in range(self.sweeps_per_draw):
            self.conditionals.sweep(self.rng)
        new = {**point, **self.conditionals.drawn_values()}
        statistics = self.conditionals.statistics()
        self.last_drawn = new
        return new, [statistics]

    def _shown(self) -> dict[str, tuple[str, str]]:
        """Return what the progress bar shows; a model without response has no loss."""
        return SHOWN if self.conditionals.responses else SHOWN_OF_LDA

    def _progressbar_config(self, n_chains: int = 1) -> tuple[list[Any], dict[str, list[float]]]:
        """Tell PyMC which columns its progress bar has beside the draws."""
        return progress_columns(self._shown(), n_chains)

    def _make_progressbar_update_functions(self) -> tuple[Callable[[Any], dict[str, Any]]]:
        """Return the function that picks the values of these columns from our statistics."""
        names = list(self._shown())
        return (lambda statistics: {name: statistics[name] for name in names},)

    @property
    def point_digest(self) -> str:
        """A digest of the last draw, computed only when PyMC stores the state of the step."""
        names = [str(value.name) for value in self.vars]
        return digest_point(self.last_drawn, names) if self.last_drawn else ""

    @point_digest.setter
    def point_digest(self, value: str) -> None:
        """Do nothing: PyMC sets every field of a state, but this one follows from the draws."""


def _generator(rng: Any) -> np.random.Generator:
    if isinstance(rng, (bool, np.bool_)):
        raise TypeError(f"rng must be a generator, a seed or None, got {rng!r}")
    try:
        return get_random_generator(rng)
    except (TypeError, ValueError) as error:
        raise type(error)(f"rng must be a generator, a seed or None, got {rng!r}") from None


def _restore(cls: type[GibbsMedLDAStep], state: dict[str, Any]) -> GibbsMedLDAStep:
    """Build a pickled step again."""
    step: GibbsMedLDAStep = object.__new__(cls)
    step.__dict__.update(state)
    return step


def _say_of_cores(steps: Iterable[Any]) -> None:
    """Log how many cores suit the threads of steps, which do not know how many chains there are."""
    for step in steps:
        for own in getattr(step, "methods", [step]):
            if isinstance(own, GibbsMedLDAStep) and own.threads > 1:
                found = available_cores()
                _log.info(
                    "%d threads per chain: cores=%d keeps all chains within the %d cores of this "
                    "machine",
                    own.threads,
                    max(1, found // own.threads),
                    found,
                )


def _say_of_run(idata: Any) -> list[str]:
    """Return what should be said of a run that has just been sampled."""
    from pymc_medlda.run.notices import look_at  # only a run that has ended needs it

    return [notice.text for notice in look_at(idata)]


if GibbsMedLDAStep not in STEP_METHODS:  # so that plain pm.sample() finds it
    STEP_METHODS.append(GibbsMedLDAStep)
    assign_steps_in_context(_say_of_cores)
    extend_checks(not_to_check, _say_of_run)
