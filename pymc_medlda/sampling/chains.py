"""Run chains of Gibbs steps without ``pm.sample``, into the same kind of result.

``pm.sample`` compiles the log joint, a start function and a trace function. For a fit of a few
hundred sweeps this takes a noticeable time, and a grid search repeats it for every fit. A model
whose free variables are z and weights alone, all drawn by the step, needs none of these functions.
Groups, dims, dtypes and attributes are PyMC's own, since its converter makes them.
"""

from __future__ import annotations

import logging
import time
import warnings
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any, NamedTuple

import numpy as np
import pymc as pm
from pymc.backends.base import MultiTrace
from pymc.backends.ndarray import NDArray
from pymc.initial_point import make_initial_point_fns_per_chain
from pymc.util import get_random_generator

from pymc_medlda._arguments import check_whole
from pymc_medlda._progress import track
from pymc_medlda.kernels.sweeps.team import available_cores
from pymc_medlda.model.gibbs_medlda import GibbsMedLDA
from pymc_medlda.sampling.annealing import AnnealedChain, run_annealing, schedule
from pymc_medlda.sampling.assigning import assign_variables
from pymc_medlda.sampling.step import GibbsMedLDAStep

# A child of PyMC's logger, so that its messages appear where PyMC's do.
_log = logging.getLogger("pymc.medlda")


class Start(NamedTuple):
    """Where a chain starts: its point, and the generator of all its draws."""

    point: dict[str, Any]
    rng: np.random.Generator


def start_uniformly(model: GibbsMedLDA, seed: int) -> Start:
    """Start a chain at uniform topics and the prior mean of the weights, without compiling."""
    rng = np.random.default_rng(seed)
    z = model["z"]
    point = {z.name: rng.integers(z.owner.op.n_topics, size=z.type.shape[0], dtype=z.dtype)}
    for weights in (rv for rv in model.free_RVs if rv is not z):
        dims = model.named_vars_to_dims[weights.name]
        point[weights.name] = np.zeros([len(model.coords[dim]) for dim in dims])
    return Start(point, rng)


def start_as_pymc(model: GibbsMedLDA, seed: int, chains: int) -> list[Start]:
    """Start chains where ``pm.sample(random_seed=seed)`` starts them, with its generators."""
    rngs = get_random_generator(seed).spawn(chains)
    seeds = [rng.integers(2**30) for rng in rngs]
    functions = make_initial_point_fns_per_chain(
        model=model, overrides=None, jitter_rvs=set(), chains=chains
    )
    return [
        Start(function(own), rng) for function, own, rng in zip(functions, seeds, rngs, strict=True)
    ]


class Chain:
    """One chain of one model: where it is, how it moves on, and what it has drawn."""

    def __init__(self, model: GibbsMedLDA, number: int, start: Start, **settings: Any) -> None:
        self.number = number
        self.step = GibbsMedLDAStep(model=model, rng=start.rng, **settings)
        self.point = start.point
        self.stats: list[dict[str, Any]] = []
        self.trace = NDArray(
            model=model,
            vars=[model[name] for name in self.point],
            fn=lambda *values: values,
            var_shapes={name: value.shape for name, value in self.point.items()},
            var_dtypes={name: value.dtype for name, value in self.point.items()},
        )

    def prepare(self, draws: int) -> None:
        """Make room for the draws."""
        statistics = {name: dtype for name, (dtype, _) in self.step.stats_dtypes_shapes.items()}
        self.trace.setup(draws, self.number, [statistics])

    def advance(self) -> None:
        """Move on by one draw."""
        self.point, self.stats = self.step.step(self.point)

    def record(self) -> None:
        """Keep where the chain is."""
        self.trace.record(self.point, self.stats, in_warmup=False)


def sample_models(
    models: Sequence[GibbsMedLDA],
    starts: Sequence[Sequence[Start]],
    *,
    draws: int,
    tune: int,
    workers: int,
    progressbar: bool | str,
    anneal: int = 0,
    **settings: int,
) -> list[Any]:
    """Sample models side by side; return for each what ``pm.sample`` would return.

    All chains of all models take a draw, then all take the next. So a keyboard interrupt leaves
    them equally long: the draws so far are returned with a warning, if there is at least one. The
    kernels run without the interpreter lock, so threads are enough.

    Parameters
    ----------
    models : sequence of GibbsMedLDA
        With a response, and numbers for priors.
    starts : sequence of sequences of Start
        For each model one start per chain. The same starts give the same draws, whatever
        ``workers``.
    draws, tune : int
        As for ``pm.sample``.
    workers : int
        Threads.
    progressbar : bool or str
        Show a progress bar if the work takes more than two seconds, with the loss and the score of
        the last draws. A text is what it says instead of "Sampling".
    anneal : int
        Sweeps in which every chain is annealed before its first draw, as by `annealed_starts`.
        They are made in one block.
    **settings
        ``sweeps_per_draw`` and ``blocks`` of `GibbsMedLDAStep`. Workers that are left when each
        chain has one are threads of the chains, if there are several blocks.
    """
    check_whole("draws", draws, at_least=1)
    check_whole("tune", tune, at_least=0)
    begin = time.monotonic()
    if anneal:
        starts = _anneal(models, starts, anneal, workers, bool(progressbar))
    settings.setdefault("blocks", 1)  # whatever the number of workers
    threads = share_workers(workers, sum(map(len, starts)), settings["blocks"])
    of_model = [
        [Chain(model, i, start, threads=threads, **settings) for i, start in enumerate(own)]
        for model, own in zip(models, starts, strict=True)
    ]
    running = [chain for group in of_model for chain in group]
    for chain in running:
        chain.prepare(draws)
    drawn = 0
    try:
        with ExitStack() as stack:
            run = _mapper(stack, min(workers, len(running)))
            for i in track(
                range(tune + draws),
                tune + draws,
                progressbar if isinstance(progressbar, str) else "Sampling",
                show=bool(progressbar),
                state=lambda: _summarise(running),
            ):
                for _ in run(Chain.advance, running):
                    pass
                if i >= tune:
                    for chain in running:
                        chain.record()
                    drawn += 1
    except KeyboardInterrupt:
        if not drawn:
            raise
        warnings.warn(
            f"interrupted: the fit keeps the {drawn} of {draws} draws it had taken", stacklevel=4
        )
    attributes = {"sampling_time": time.monotonic() - begin, "tuning_steps": tune}
    return [
        convert(model, [chain.trace for chain in group], drawn, attributes)
        for model, group in zip(models, of_model, strict=True)
    ]


def _summarise(chains: Sequence[Chain]) -> str:
    """Return the loss and the score of the last draw, averaged over chains, for a progress bar."""
    means = {
        name: np.mean([stats[name] for chain in chains for stats in chain.stats])
        for name in ("loss", "score")
    }
    return ", ".join(f"{name} {mean:.3f}" for name, mean in means.items() if np.isfinite(mean))


def share_workers(workers: int, n_chains: int, blocks: int) -> int:
    """Return how many threads each chain gets.

    All of them together are at most ``workers``, and no more than the process has cores.
    """
    return max(1, min(min(workers, available_cores()) // n_chains, blocks))


def say_threads(workers: int, n_chains: int, blocks: int) -> None:
    """Log how many threads each chain will have, if it will have more than one."""
    threads = share_workers(workers, n_chains, blocks)
    if threads > 1:
        _log.info("%d threads for each of %d chains", threads, n_chains)


def _anneal(
    models: Sequence[GibbsMedLDA],
    starts: Sequence[Sequence[Start]],
    n_sweeps: int,
    workers: int,
    progressbar: bool,
) -> list[list[Start]]:
    """Anneal all chains of all models; return where they end, with their generators."""
    running = [
        AnnealedChain(model, assign_variables(model), start.point, start.rng)
        for model, own in zip(models, starts, strict=True)
        for start in own
    ]
    points = iter(run_annealing(running, schedule(n_sweeps), workers, progressbar))
    return [[Start({**start.point, **next(points)}, start.rng) for start in own] for own in starts]


def _mapper(stack: ExitStack, workers: int) -> Callable[..., Iterable[Any]]:
    """Return ``map``, or that of a pool of threads which ends with the stack."""
    if workers <= 1:
        return map
    return stack.enter_context(ThreadPoolExecutor(workers)).map


def convert(
    model: GibbsMedLDA, traces: Sequence[NDArray], drawn: int, attributes: dict[str, Any]
) -> Any:
    """Return the draws of a model as PyMC returns them."""
    trace = MultiTrace(list(traces))[:drawn]
    with warnings.catch_warnings():
        # ArviZ suspects exchanged dims where there are more chains than draws.
        for message in ("More chains", "Found chain dimension to be longer"):  # of ArviZ 0 and 1
            warnings.filterwarnings("ignore", message, UserWarning)
        idata = pm.to_inference_data(trace, model=model, save_warmup=False)
    for group in ("posterior", "sample_stats"):
        idata[group].attrs.update(attributes)
    return idata
