"""`sample`: chains whose documents are spread over the workers of a cluster."""

from __future__ import annotations

import os
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np

from pymc_medlda._arguments import (
    check_bool,
    check_positive,
    check_scalar,
    check_whole,
    is_symbolic,
)
from pymc_medlda.distributed.describing import Coding
from pymc_medlda.distributed.draws import warn_of_size
from pymc_medlda.distributed.executors import as_executor, find_folder
from pymc_medlda.distributed.measuring import measure_units
from pymc_medlda.distributed.partitions import Partitions
from pymc_medlda.distributed.progress import Progress
from pymc_medlda.distributed.running import Run, Schedule
from pymc_medlda.distributed.settings import ScalePrior, Settings
from pymc_medlda.distributed.storing import import_zarr
from pymc_medlda.kernels.sweeps.topic_sampler import quickest_path
from pymc_medlda.losses import Hinge, Loss, Standardised
from pymc_medlda.targets.defaults import TOPICS_OF_ONE, TOPICS_OF_SEVERAL


def sample(
    partitions: Partitions,
    *,
    n_topics: int | None = None,
    loss: Loss | Standardised | None = None,
    alpha: Any = 1.0,
    beta: float = 0.01,
    nu: float | ScalePrior = 1.0,
    tune: int = 100,
    draws: int = 100,
    sweeps_per_draw: int = 1,
    chains: int = 2,
    client: Any = None,
    random_seed: int | None = None,
    checkpoint: Any = None,
    checkpoint_every: int = 50,
    z_store: Any = None,
    progressbar: bool = True,
) -> Any:
    r"""Sample a max-margin topic model whose documents are spread over a cluster.

    The posterior is that of `GibbsMedLDA`, and the sampler is exact: words are in as many blocks as
    there are partitions, the masses of the blocks are drawn, and given these the cells that share
    neither documents nor words are independent (see ``GibbsMedLDAStep(blocks=...)``). The counts of
    the blocks go from partition to partition; documents stay where they are. The weights are drawn
    from sums over the partitions, so that no process holds more than its own documents, and this
    one holds none.

    Draws depend on the seed and the partitions, and never on the number of workers, on which of
    them does what, or on workers that are lost and replaced.

    Parameters
    ----------
    partitions : Partitions
        From `partition`, `from_loaders`, `from_files` or `from_bag`.
    n_topics : int, optional
        K; by default 20 with one discriminant or without y, and 40 with several tasks.
    loss : Loss, optional
        With numbers for parameters. By default the hinge loss, and `Standardised` for real values.
    alpha, beta : float or (n_topics,) array, and float
        As for `GibbsMedLDA`.
    nu : float or ScalePrior, default 1
        Prior scale of the weights, which are Normal with mean zero. With ``ScalePrior(a, b)`` it is
        random, with nu² ~ InverseGamma(a, b), and its draws are stored as ``nu``.
    tune, draws, chains : int
        As for ``pm.sample``.
    sweeps_per_draw : int, default 1
        Sweeps between two stored draws. ``tune`` counts draws too. The topic-word counts of all
        stored draws are held in memory here, up to eight bytes for each pair of a word and a topic
        that occurs: with a large vocabulary store few draws. A warning comes before the first
        sweep if they might take more memory than the machine has.
    client : dask.distributed.Client or InProcess, optional
        By default a ``LocalCluster`` with one process per core, at most one for each partition.
    random_seed : int, optional
        The same seed and partitions give the same draws.
    checkpoint : path, optional
        A folder that all workers reach, for what the run needs to go on. A run that finds its own
        checkpoint there continues it. By default a temporary folder, which serves workers that are
        lost on this machine, and is removed at the end.
    checkpoint_every : int, default 50
        Sweeps between two checkpoints. What was computed since the last one is computed again if a
        worker is lost.
    z_store : path, optional
        A new folder that all workers reach. They write the topics of all tokens to it, for every
        stored draw, as a Zarr store: an array ``z_0``, ``z_1``, ... for each partition, (chain,
        draw, token). By default these topics are not stored.
    progressbar : bool, default True
        Show sweeps, tokens per second and the loss if the work takes more than two seconds.

    Returns
    -------
    InferenceData or DataTree
        What ``pm.sample`` returns. Instead of the topics of all tokens, it holds the topic-word
        counts of every stored draw, in the group ``topic_counts``, and the topics of about a
        thousand documents, spread evenly. `predict`, `top_words`, `topic_words`, `align_topics`,
        `diagnose` and `perplexity` work with it; `doc_topics` covers only these documents. The
        words of a document are in another order than in the corpus; `z` has the order of `words`
        in the group `observed_data`.

    Examples
    --------
    >>> import pymc_medlda as med
    >>> planted = med.datasets.make_planted(60, n_topics=3, n_words=40, seed=1)
    >>> parts = med.distributed.partition(planted.corpus, planted.y, n_partitions=2)
    >>> here = med.distributed.InProcess()
    >>> run = med.distributed.sample(parts, n_topics=3, tune=5, draws=5, client=here, random_seed=1)
    >>> dict(run["posterior"]["eta"].sizes)
    {'chain': 2, 'draw': 5, 'topic': 3}
    """
    model = {"loss": loss, "alpha": alpha, "beta": beta, "nu": nu}
    _check_model(partitions, n_topics, **model)
    schedule = Schedule(tune, draws, sweeps_per_draw, chains, checkpoint_every).check()
    _check_checkpoint(checkpoint)
    check_bool("progressbar", progressbar)
    seed = _as_seed(random_seed, checkpoint)
    store = _as_store(z_store)
    begin = time.monotonic()
    with ExitStack() as stack:
        executor = as_executor(client, stack, len(partitions))
        folder = find_folder(checkpoint, client, executor, stack)
        run = Run(executor, schedule, folder, store)
        coding = run.insist(lambda: run.describe(partitions, loss))
        given = _make_settings(coding, len(partitions), n_topics, seed, **model)
        if coding is not None and isinstance(choose_loss(coding, loss), Standardised):
            units = run.insist(lambda: measure_units(executor, run.parts, coding))
            given = given._replace(units=units)
        warn_of_size(chains * draws, run.summaries[0].n_words, given.n_topics, run.n_tokens)
        with Progress(schedule.n_sweeps, run.n_tokens * chains, show=progressbar) as progress:
            drawn = run.sample(given, progress)
        # Imported here, as this is what needs PyMC, and workers do without it.
        from pymc_medlda.distributed.results import make_result

        attributes = {"sampling_time": time.monotonic() - begin, "tuning_steps": tune}
        return make_result(drawn, run.face(attributes), given)


def choose_loss(coding: Coding | None, loss: Any) -> Any:
    """Return the loss that is used: for real values a standardised one, if none is given."""
    if coding is None or loss is not None:
        return loss
    return Standardised() if coding.kind == "real" else Hinge()


def _make_settings(
    coding: Coding | None,
    n_partitions: int,
    n_topics: int | None,
    seed: int,
    *,
    loss: Loss | Standardised | None,
    alpha: Any,
    beta: float,
    nu: float | ScalePrior,
) -> Settings:
    """Return what all tasks are given, with defaults that follow from the response."""
    kind, n_tasks = ("", 1) if coding is None else (coding.kind, coding.n_tasks)
    if coding is None and loss is not None:
        raise ValueError("loss was given, but there is no y to use it for")
    if n_topics is None:
        n_topics = TOPICS_OF_ONE if n_tasks == 1 else TOPICS_OF_SEVERAL
    n_topics = int(n_topics)
    _check_alpha(alpha, n_topics)
    given = np.asarray(alpha, np.float64)
    of_topic = np.full(n_topics, float(given) / n_topics) if given.ndim == 0 else given.copy()
    scale = ScalePrior(*map(float, nu)) if isinstance(nu, ScalePrior) else float(nu)
    used = choose_loss(coding, loss)
    return Settings(
        n_topics=n_topics,
        alpha=of_topic,
        beta=float(beta),
        nu=scale,
        kind=kind,
        n_tasks=n_tasks,
        loss=used.loss if isinstance(used, Standardised) else used,
        n_partitions=n_partitions,
        path=quickest_path(n_topics),
        seed=seed,
    )


def _check_model(
    partitions: Any, n_topics: Any, *, loss: Any, alpha: Any, beta: Any, nu: Any
) -> None:
    """Raise unless the arguments describe a model."""
    if not isinstance(partitions, Partitions):
        raise TypeError(
            "partitions must come from distributed.partition, from_loaders, from_files or "
            f"from_bag; got {type(partitions).__name__}"
        )
    if n_topics is not None:
        check_whole("n_topics", n_topics, at_least=1)
    if loss is not None:
        own = loss.loss if isinstance(loss, Standardised) else loss
        if not isinstance(own, Loss):
            raise TypeError(f"loss must be a loss such as med.Hinge(), got {loss!r}")
        for name in own.parameter_names():
            value = getattr(own, name)
            _check_fixed(f"loss parameter {name}", value)
            check_positive(name, value, or_zero=name in own.may_be_zero)
            check_scalar(f"loss parameter {name}", value)
    scales = {"nu": nu}
    if isinstance(nu, ScalePrior):
        scales = {"nu.shape": nu.shape, "nu.rate": nu.rate}
    for name, value in {"alpha": alpha, "beta": beta, **scales}.items():
        _check_fixed(name, value)
    check_positive("alpha", alpha)
    if n_topics is not None:
        _check_alpha(alpha, n_topics)
    check_positive("beta", beta)
    check_scalar("beta", beta)
    for name, value in scales.items():
        check_positive(name, value)
        check_scalar(name, value)


def _check_fixed(name: str, value: Any) -> None:
    """Raise if a value is a random variable, or anything else that PyTensor computes."""
    if is_symbolic(value):
        instead = " or a distributed.ScalePrior" if name == "nu" else ""
        raise TypeError(
            f"{name} must be fixed, as a number{instead}; got a {type(value).__name__}. Random "
            "variables need pm.sample"
        )


def _check_alpha(alpha: Any, n_topics: int) -> None:
    """Raise unless alpha is a number, or one for each topic."""
    shape = np.shape(alpha)
    if shape not in ((), (n_topics,)):
        raise ValueError(
            f"alpha has shape {shape}; a number, or one for each of the {n_topics} topics"
        )


def _check_checkpoint(checkpoint: Any) -> None:
    """Raise if a file is in the way of the folder for checkpoints."""
    if isinstance(checkpoint, (str, os.PathLike)) and Path(checkpoint).is_file():
        raise ValueError(f"checkpoint must be a folder, got the file {os.fspath(checkpoint)!r}")


def _as_store(z_store: Any) -> Path | None:
    """Return the path of a store, if there is to be one."""
    if z_store is None:
        return None
    if not isinstance(z_store, (str, os.PathLike)):
        raise TypeError(f"z_store must be a path or None, got {z_store!r}")
    import_zarr()
    return Path(z_store)


def _as_seed(random_seed: Any, checkpoint: Any) -> int:
    """Return the seed as a number, drawn if there is none."""
    if random_seed is None:
        if checkpoint is not None:
            raise ValueError("random_seed must be given with checkpoint: a run goes on by its seed")
        return int(np.random.SeedSequence().entropy % 2**63)  # type: ignore[operator]
    check_whole("random_seed", random_seed, at_least=0)
    return int(random_seed)
