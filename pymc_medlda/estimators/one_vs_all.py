"""`OneVsAll`: one independent binary model a class, sampled in parallel, predicting as one."""

from __future__ import annotations

import json
import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import arviz as az
import numpy as np
import pymc as pm
import xarray as xr
from numpy.typing import NDArray

from pymc_medlda._arguments import check_whole
from pymc_medlda._compat.arviz import get_group
from pymc_medlda._progress import track
from pymc_medlda.corpus import Corpus
from pymc_medlda.losses import Hinge, Loss
from pymc_medlda.model.building import GibbsMedLDA
from pymc_medlda.prediction.decisions import decide, share_of_draws
from pymc_medlda.prediction.predicting import predict
from pymc_medlda.prediction.results import plain
from pymc_medlda.sampling.step import GibbsMedLDAStep
from pymc_medlda.targets.coding import code_response


@dataclass(frozen=True, eq=False)
class OneVsAll:
    """Binary models, one a class, each with topics of its own.

    Attributes
    ----------
    classes : array
        The classes, in the order of the runs.
    runs : tuple
        What ``pm.sample`` returned for each class; class ``classes[i]`` is coded +1 in run i.

    Examples
    --------
    >>> import pymc_medlda as med
    >>> planted = med.datasets.make_planted(
    ...     60, n_topics=3, n_words=50, response="multiclass", n_tasks=3, seed=2
    ... )
    >>> models = med.OneVsAll.sample(
    ...     planted.corpus, planted.y, n_topics=3, draws=2, tune=15, cores=1, random_seed=1,
    ...     progressbar=False,
    ... )
    >>> predictions = models.predict(planted.corpus, random_seed=1, progressbar=False)
    >>> bool((predictions["decision"].values == planted.y).mean() > 0.7)
    True
    """

    classes: NDArray[Any]
    runs: tuple[Any, ...]

    @classmethod
    def sample(
        cls,
        corpus: Corpus,
        y: Any,
        *,
        n_topics: int = 20,
        loss: Loss | None = None,
        classes: Sequence[Any] | None = None,
        draws: int = 10,
        tune: int = 20,
        chains: int = 1,
        sweeps_per_draw: int = 1,
        cores: int | None = None,
        mp_ctx: str | None = None,
        random_seed: int | None = None,
        progressbar: bool = True,
        **model_arguments: Any,
    ) -> OneVsAll:
        """Sample one binary model a class, as many at a time as there are cores.

        Parameters
        ----------
        corpus : Corpus
            The documents.
        y : array-like
            A class a document; NaN or None where it is missing.
        n_topics : int, default 20
            Topics of each model.
        loss : Loss, optional
            A loss of labels; ``Hinge()`` by default.
        classes : sequence, optional
            The classes, in order; by default those that occur, sorted.
        draws, tune, chains, sweeps_per_draw : int
            For each model, as for ``pm.sample`` and `GibbsMedLDAStep`.
        cores : int, optional
            Processes; by default all cores of the machine.
        mp_ctx : {"fork", "forkserver", "spawn"}, optional
            How processes start; Python's default.
        random_seed : int, optional
            The same seed gives the same draws, whatever the number of cores.
        progressbar : bool, default True
            Show progress over the classes.
        **model_arguments
            ``alpha``, ``beta`` and ``nu`` of `GibbsMedLDA`.

        Returns
        -------
        OneVsAll
        """
        check_whole("draws", draws, at_least=1)
        check_whole("tune", tune, at_least=0)
        if cores is not None:
            check_whole("cores", cores, at_least=1)
        loss = loss or Hinge()
        if not loss.takes_labels:
            raise ValueError(
                f"loss must be one of labels, such as Hinge; got {type(loss).__name__}"
            )
        response = code_response(
            y, n_documents=corpus.n_documents, takes_labels=True, single=False, classes=classes
        )
        if response.kind != "multiclass" or response.classes is None:
            raise ValueError("y must give one class a document; for labels use GibbsMedLDA itself")
        seeds = np.random.SeedSequence(random_seed).generate_state(response.n_tasks)
        settings = {
            "model": {"n_topics": n_topics, "loss": loss, **model_arguments},
            "step": {"sweeps_per_draw": sweeps_per_draw},
            "sample": {"draws": draws, "tune": tune, "chains": chains},
        }
        tasks = [
            (corpus, response.values[:, i], int(seed), settings) for i, seed in enumerate(seeds)
        ]
        workers = min(cores or os.cpu_count() or 1, len(tasks))
        finished = _run(_sample_one, tasks, workers, mp_ctx)
        runs = track(finished, len(tasks), "Sampling classes", show=progressbar)
        return cls(np.asarray(plain(response.classes)), tuple(runs))

    def predict(self, corpus: Corpus, *, random_seed: Any = None, **arguments: Any) -> xr.Dataset:
        """Predict the classes of new documents: the class with the largest discriminant.

        Parameters
        ----------
        corpus : Corpus
            The new documents.
        random_seed : int, optional
            The same seed gives the same answer.
        **arguments
            As for `predict`.

        Returns
        -------
        xarray.Dataset
            ``discriminant`` (chain, draw, document, task), ``y`` (chain, draw, document),
            ``decision`` (document) and ``probability`` (document, task), as `predict` gives them.
        """
        seeds = np.random.SeedSequence(random_seed).generate_state(len(self.runs))
        parts = []
        for run, seed in zip(self.runs, seeds, strict=True):
            predicted = predict(
                run, corpus, var_names=["discriminant"], random_seed=int(seed), **arguments
            )
            parts.append(get_group(predicted, "predictions")["discriminant"])
        joined = xr.concat(parts, dim="task").transpose("chain", "draw", ..., "task")
        values = joined.values
        document = str(joined.dims[2])
        mean = values.mean(axis=(0, 1))
        return xr.Dataset(
            {
                "discriminant": joined,
                "y": (joined.dims[:3], decide("multiclass", values, self.classes)),
                "decision": ((document,), decide("multiclass", mean, self.classes)),
                "probability": ((document, "task"), share_of_draws("multiclass", values)),
            },
            coords={"task": self.classes},
        )

    def to_netcdf(self, directory: str | os.PathLike[str]) -> None:
        """Write a folder with one NetCDF file a class."""
        folder = Path(directory)
        folder.mkdir(parents=True, exist_ok=True)
        for i, run in enumerate(self.runs):
            run.to_netcdf(folder / f"class{i:04d}.nc")
        (folder / "classes.json").write_text(json.dumps(self.classes.tolist()), encoding="utf-8")

    @classmethod
    def from_netcdf(cls, directory: str | os.PathLike[str]) -> OneVsAll:
        """Read back a folder that `to_netcdf` wrote."""
        folder = Path(directory)
        listing = folder / "classes.json"
        if not listing.exists():
            raise FileNotFoundError(f"{folder} has no classes.json: to_netcdf did not write it")
        classes = np.asarray(json.loads(listing.read_text(encoding="utf-8")))
        files = [folder / f"class{i:04d}.nc" for i in range(classes.size)]
        return cls(classes, tuple(az.from_netcdf(file) for file in files))


def _sample_one(task: tuple[Corpus, NDArray[np.float64], int, dict[str, Any]]) -> Any:
    """Sample the model of one class in a process of its own."""
    corpus, y, seed, settings = task
    with GibbsMedLDA(corpus, y, **settings["model"]):
        return pm.sample(
            cores=1,
            step=GibbsMedLDAStep(**settings["step"]),
            random_seed=seed,
            progressbar=False,
            compute_convergence_checks=False,
            quiet=True,
            **settings["sample"],
        )


def _run(
    function: Callable[[Any], Any], tasks: list[Any], workers: int, mp_ctx: str | None
) -> Iterator[Any]:
    """Yield results in the order of the tasks, worked on by so many processes."""
    if workers == 1:
        yield from map(function, tasks)
        return
    context = multiprocessing.get_context(mp_ctx)
    with ProcessPoolExecutor(workers, mp_context=context) as pool:
        yield from pool.map(function, tasks)
