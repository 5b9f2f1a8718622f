"""`annealed_starts`: starting points that do not depend on where the search for them began."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
import pymc as pm
from pymc.initial_point import make_initial_point_fns_per_chain

from pymc_medlda._arguments import check_bool, check_power, check_seed, check_whole
from pymc_medlda._progress import track
from pymc_medlda.kernels.sweeps.topic_sampler import quickest_tempered_path
from pymc_medlda.sampling.assigning import Assignment, assign_variables, model_in_context
from pymc_medlda.sampling.compiling import compile_kernels
from pymc_medlda.sampling.conditionals import Conditionals, Point

FIRST_POWER = 0.5  # chains mix at this power within hundreds of sweeps
FIRST_SWEEPS = 30  # at the first power, before it rises
# The power rises in steps of a few sweeps, because the tables of powers are computed anew for each
# step. There are about a hundred steps at least, unless there are fewer sweeps.
MOST_SWEEPS_PER_STEP = 10
FEWEST_STEPS = 100


def annealed_starts(
    n_sweeps: int = 4000,
    *,
    chains: int = 4,
    candidates: int = 1,
    start: float = FIRST_POWER,
    random_seed: Any = None,
    model: pm.Model | None = None,
    progressbar: bool = True,
    cores: int | None = None,
) -> list[Point]:
    r"""Anneal independent chains, and return where they end as starting points for ``pm.sample``.

    Chains that start at random topics often settle in different modes, and stay there for longer
    than most runs last. Annealing helps them to agree. Every chain first draws from a tempered
    target,

    .. math:: p(\eta) \; \big[ p(W \mid Z) \, p(Z) \, p(y \mid \eta, Z) \big]^\tau

    at a power :math:`\tau` at which it moves freely, so that it forgets where it started. Then the
    power rises to 1, slowly, in ``n_sweeps`` sweeps. How well the chains agree then depends on the
    corpus and the model: `diagnose` tells.

    While the power rises the modes part, and a chain may follow one that holds next to nothing of
    the posterior. With several ``candidates`` each start is one of so many annealed chains, drawn
    with their importance weights when half of the sweeps are made. The weights estimate how much of
    the posterior is where a candidate went.

    Only the starts change. Every draw of ``pm.sample`` comes from the ordinary step, and the starts
    are independent of each other, so R-hat and other diagnostics keep their meaning.

    Parameters
    ----------
    n_sweeps : int, default 4000
        Sweeps in which the power rises; 30 sweeps at the first power come before them. Near the end
        one of them takes about as long as a sweep of ``pm.sample``, and up to about twice as long
        at the beginning, when most tokens move.
    chains : int, default 4
        How many points to return. Give ``pm.sample`` as many chains.
    candidates : int, default 1
        Annealed chains for each start, of which one goes on after half of the sweeps. The time is
        (``candidates`` + 1) / 2 times that of one candidate, and each of them holds the tables of a
        chain in memory.
    start : float, default 0.5
        The first power, above 0 and at most 1.
    random_seed : int or sequence of int or numpy.random.Generator, optional
        The same seed gives the same points, whatever the number of cores.
    model : pymc.Model, optional
        The model in context by default.
    progressbar : bool, default True
        Show a progress bar if the work takes more than two seconds.
    cores : int, optional
        Threads; by default as many as the machine has cores.

    Returns
    -------
    list of dict
        One per chain, from the name of a variable to its value: the topic assignments, and the
        weights that the Gibbs step draws.

    Notes
    -----
    All other variables of the model, such as weights that are left to NUTS or a random alpha, stay
    at their initial values during the annealing. They are not part of the points, so that PyMC
    starts them as usual. Beside NUTS use ``init="adapt_diag"``: PyMC's default moves every starting
    point, z included, by a random jitter.

    The loss of a response is tempered with the words and topics: its c is multiplied by the power,
    and sigma of a `Gaussian` is divided by the root of it. `Logistic` stays as it is, because its c
    must be whole, and so does a loss of your own unless it defines ``tempered``.

    The weight of a candidate is that of annealed importance sampling (Neal 2001): the product, over
    all changes of the power, of the target at the new power over that at the old one, both at the
    point where the chain then is. The logarithms of the weights of two modes often differ by
    hundreds, and those of two chains in one mode by tens. So modes that hold next to nothing are
    left out reliably, but the shares of modes of similar weight are not exact.

    References
    ----------
    Neal (2001), Annealed importance sampling.

    Examples
    --------
    >>> import pymc_medlda as med
    >>> planted = med.datasets.make_planted(30, n_topics=3, n_words=40, seed=1)
    >>> with med.GibbsMedLDA(planted.corpus, planted.y, n_topics=3):
    ...     points = med.annealed_starts(200, chains=2, random_seed=1)
    >>> len(points), sorted(points[0])
    (2, ['eta', 'z'])

    In the context of the model, ``pm.sample(initvals=points, chains=2)`` starts there.
    """
    check_whole("n_sweeps", n_sweeps, at_least=1)
    check_whole("chains", chains, at_least=1)
    check_whole("candidates", candidates, at_least=1)
    check_power("start", start)
    check_seed("random_seed", random_seed)
    check_bool("progressbar", progressbar)
    if cores is not None:
        check_whole("cores", cores, at_least=1)
    outside = "annealed_starts was called outside a model: call it"
    model = model_in_context(model, outside).root
    assigned = [a for a in assign_variables(model) if a.block.z in a.drawn]
    if not assigned:
        raise ValueError(
            "the model has no topic assignments that are drawn: they are observed or given as "
            "data, so annealed_starts has nothing to anneal"
        )
    running = _start_chains(model, assigned, random_seed, chains, candidates)
    steps = schedule(n_sweeps, float(start))
    return run_annealing(running, steps, cores or os.cpu_count() or 1, progressbar, candidates)


class Step(NamedTuple):
    """A part of the schedule: so many sweeps at one power."""

    power: float
    n_sweeps: int


def schedule(n_sweeps: int, first: float = FIRST_POWER) -> list[Step]:
    """Return the steps in which the power rises linearly from ``first`` to one.

    Examples
    --------
    >>> schedule(4, 0.6)
    [Step(power=0.6, n_sweeps=30), Step(power=0.7, n_sweeps=1), Step(power=0.8, n_sweeps=1),
     Step(power=0.9, n_sweeps=1), Step(power=1.0, n_sweeps=1)]
    """
    length = max(1, min(MOST_SWEEPS_PER_STEP, n_sweeps // FEWEST_STEPS))
    ends = [*range(length, n_sweeps, length), n_sweeps]
    lengths = np.diff([0, *ends]).tolist()
    steps = [
        Step(1.0 - (1.0 - first) * (1.0 - end / n_sweeps), n)
        for end, n in zip(ends, lengths, strict=True)
    ]
    return [Step(first, FIRST_SWEEPS), *steps]


class AnnealedChain:
    """One chain: where it is, and how it moves on at a given power.

    What a step draws concerns no other factor of the joint density, so nothing that a set of topic
    assignments is given depends on what is drawn for another: the point is read once.

    Parameters
    ----------
    model : pymc.Model
    assigned : sequence of Assignment
        What is drawn; all that is not drawn stays as it is in the point.
    point : dict
        The start.
    rng : numpy.random.Generator
    """

    def __init__(
        self,
        model: pm.Model,
        assigned: Sequence[Assignment],
        point: Point,
        rng: np.random.Generator,
    ) -> None:
        self.rng = rng
        self.is_stopped = False
        self.power: float | None = None  # None before the first step
        self.log_weight = 0.0
        self.blocks = []
        for block, drawn in ((a.block, a.drawn) for a in assigned):
            path = quickest_tempered_path(block.n_topics)
            self.blocks.append(Conditionals(model, block, drawn, path))
            self.blocks[-1].load(point)

    def compile(self, power: float) -> None:
        """Compile what a chain at this power calls, before threads begin."""
        for block in self.blocks:
            n_tasks = sum(response.y.shape[1] for response in block.responses) or 1
            compile_kernels(block.sampler, n_tasks, power)

    def weigh(self, power: float) -> None:
        """Multiply the weight by the target at a new power over that at the present one."""
        if self.power is not None and power != self.power:
            self.log_weight += sum(b.log_ratio(self.power, power) for b in self.blocks)

    def advance(self, step: Step, weighed: bool = False) -> None:
        """Make the sweeps of a step, unless the chain is stopped meanwhile."""
        if weighed:
            self.weigh(step.power)
        self.power = step.power
        for _ in range(step.n_sweeps):
            if self.is_stopped:
                return
            for block in self.blocks:
                block.sweep(self.rng, step.power)

    def drawn_values(self) -> Point:
        """Return what was drawn, by the names of the variables."""
        return {name: value for b in self.blocks for name, value in b.drawn_values().items()}


def _start_chains(
    model: pm.Model,
    assigned: Sequence[Assignment],
    random_seed: Any,
    chains: int,
    candidates: int = 1,
) -> list[AnnealedChain]:
    """Start chains at the initial points of the model, each with a generator of its own.

    The candidates of a chain come one after the other. The first is the same however many there
    are.
    """
    functions = make_initial_point_fns_per_chain(
        model=model, overrides=None, jitter_rvs=set(), chains=chains
    )
    running = []
    for function, rng in zip(
        functions, np.random.default_rng(random_seed).spawn(chains), strict=True
    ):
        for own in [rng, *rng.spawn(candidates - 1)]:
            point = function(int(own.integers(2**30)))
            running.append(AnnealedChain(model, assigned, point, own))
    return running


def run_annealing(
    running: Sequence[AnnealedChain],
    steps: Sequence[Step],
    workers: int,
    progressbar: bool,
    candidates: int = 1,
) -> list[Point]:
    """Take all chains through all steps; return where they end.

    The chains may be those of several models with equal numbers of topics and tasks. They run in
    threads, because kernels run without the interpreter lock. Of every group of ``candidates``
    chains one is left after half of the steps.
    """
    running[0].compile(0.5)
    half = (len(steps) + 1) // 2
    with ThreadPoolExecutor(min(workers, len(running))) as pool:
        try:
            for i, step in enumerate(track(steps, len(steps), "Annealing", show=progressbar)):
                if candidates > 1 and i == half:
                    running = choose_candidates(running, candidates)
                n, weighed = len(running), candidates > 1 and i < half
                for _ in pool.map(AnnealedChain.advance, running, [step] * n, [weighed] * n):
                    pass
        except BaseException:  # an interrupt arrives here, while the threads still work
            for chain in running:
                chain.is_stopped = True
            raise
    return [chain.drawn_values() for chain in running]


def choose_candidates(running: Sequence[AnnealedChain], candidates: int) -> list[AnnealedChain]:
    """Draw one chain of every group with probabilities in proportion to the weights."""
    chosen = []
    for first in range(0, len(running), candidates):
        group = running[first : first + candidates]
        # The largest of the log weights plus Gumbel noise has just these probabilities.
        noisy = [chain.log_weight + chain.rng.gumbel() for chain in group]
        chosen.append(group[int(np.argmax(noisy))])
    return chosen
