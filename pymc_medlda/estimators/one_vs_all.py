"""`OneVsAll`: one independent binary model per class, sampled side by side, predicting as one."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import arviz as az
import numpy as np
import xarray as xr
from numpy.typing import NDArray

from pymc_medlda._arguments import check_bool, check_seed, check_whole
from pymc_medlda._compat.arviz import get_group
from pymc_medlda.calibration.folds import plan_folds
from pymc_medlda.calibration.two_stages import sample_in_two_stages
from pymc_medlda.corpus import Corpus
from pymc_medlda.corpus.formats import check_path
from pymc_medlda.estimators.class_models import (
    ClassModels,
    check_scalars,
    code_classes,
    weigh_documents,
)
from pymc_medlda.losses import Hinge, Loss
from pymc_medlda.model.gibbs_medlda import GibbsMedLDA
from pymc_medlda.model.max_margin import check_loss
from pymc_medlda.prediction.new_documents import as_seed
from pymc_medlda.prediction.predicting import predict
from pymc_medlda.prediction.results import plain
from pymc_medlda.run.calibration import GROUP, Calibration, join_classes, read_calibration
from pymc_medlda.run.notices import log_notices
from pymc_medlda.run.record import UNKNOWN
from pymc_medlda.run.run import Run
from pymc_medlda.run.words import find_unknown, match_words
from pymc_medlda.sampling.chains import sample_models, say_threads, start_as_pymc
from pymc_medlda.targets.decisions import decide, share_of_draws
from pymc_medlda.targets.labels import as_classes

OF_PREDICT = (
    *("offset", "features", "thin", "single_draw", "n_samples", "max_burn_in", "tolerance"),
    *("cores", "progressbar"),
)
"""The arguments of `predict` that `OneVsAll.predict` hands on to it."""


@dataclass(frozen=True, eq=False)
class OneVsAll:
    """Binary models, one per class, each with topics of its own.

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

    def __post_init__(self) -> None:
        if len(self.runs) != len(as_classes(self.classes)):
            raise ValueError(
                f"runs must hold one run per class, {len(self.classes)}; got {len(self.runs)}"
            )

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
        anneal: int = 0,
        chains: int = 1,
        calibrate: bool = False,
        sweeps_per_draw: int = 1,
        blocks: int = 1,
        cores: int | None = None,
        mp_ctx: str | None = None,
        random_seed: int | None = None,
        progressbar: bool = True,
        **model_arguments: Any,
    ) -> OneVsAll:
        """Sample one binary model per class, as many at a time as there are cores.

        Parameters
        ----------
        corpus : Corpus
            The documents.
        y : array-like
            One class per document; NaN or None where it is missing. A pandas object is matched
            with the documents as in `MaxMargin`.
        n_topics : int, default 20
            Topics of each model.
        loss : Loss, optional
            A loss of labels; ``Hinge()`` by default. If its ``c`` is a mapping from class to
            weight, the weight of a class applies to its documents in the models of all classes.
        classes : sequence, optional
            The classes, in order; by default those that occur, sorted.
        draws, tune, chains, sweeps_per_draw : int
            For each model, as for ``pm.sample`` and `GibbsMedLDAStep`.
        blocks : int, default 1
            As for `GibbsMedLDAStep`: cores that are left when each chain has one share the work of
            a chain.
        anneal : int, default 0
            Sweeps in which every chain is annealed before the first draw, as by `annealed_starts`.
        calibrate : bool, default False
            Whether each chain first samples without a fold of the documents, predicts it, and
            then goes on with all documents, so that ``probability`` is calibrated. There must be
            at least 20 documents to predict; of a single chain this is a quarter of them.
        cores : int, optional
            Threads; by default as many as the machine has cores.
        mp_ctx : optional
            Not used any more: chains run in threads, which have no start method.
        random_seed : int, optional
            The same seed gives the same draws, whatever the number of cores.
        progressbar : bool, default True
            Show a progress bar if the work takes more than two seconds.
        **model_arguments
            ``alpha``, ``beta``, ``nu``, ``offset``, ``features`` and ``tau`` of `GibbsMedLDA`.
            All models have the same offset.

        Returns
        -------
        OneVsAll
        """
        if not isinstance(corpus, Corpus):
            raise TypeError(f"corpus must be a pymc_medlda.Corpus, got {type(corpus).__name__}")
        check_seed("random_seed", random_seed)
        check_bool("progressbar", progressbar)
        check_bool("calibrate", calibrate)
        _check_counts(sweeps_per_draw, draws, chains, blocks, tune, anneal, cores)
        loss = _check_labels(loss)
        response = code_classes(corpus, y, classes)
        if calibrate:
            check_scalars(loss)
        settings: dict[str, Any] = {
            "draws": draws,
            "tune": tune,
            "anneal": anneal,
            "sweeps_per_draw": sweeps_per_draw,
            "blocks": blocks,
            "workers": cores or os.cpu_count() or 1,
            "progressbar": progressbar,
        }
        arguments = {"n_topics": n_topics, **model_arguments}
        models = ClassModels(corpus, response, weigh_documents(loss, response), arguments)
        builds = [partial(models.build, position) for position in range(response.n_tasks)]
        say_threads(settings["workers"], len(builds) * chains, blocks)
        seed = as_seed(random_seed)
        if calibrate:
            rng = np.random.default_rng(seed)
            folds = plan_folds("multiclass", response.values, chains, rng, usable=models.weighs)
            seeds = seed.generate_state(chains * len(builds)).tolist()
            settings["prediction"] = models.given
            runs = sample_in_two_stages(builds, corpus, folds, seeds, **settings)
        else:
            runs = _sample_plainly([own() for own in builds], seed, chains, settings)
        log_notices(runs)
        assert response.classes is not None
        return cls(plain(response.classes), tuple(runs))

    def predict(
        self, corpus: Corpus | Iterable[str], *, random_seed: Any = None, **arguments: Any
    ) -> xr.Dataset:
        """Predict the classes of new documents: the class with the largest discriminant.

        Parameters
        ----------
        corpus : Corpus or list of texts
            The new documents.
        random_seed : int, optional
            The same seed gives the same answer.
        **arguments
            ``offset``, ``features``, ``thin``, ``single_draw``, ``n_samples``, ``max_burn_in``,
            ``tolerance``, ``cores`` and ``progressbar``, as for `predict`. Others are refused.

        Returns
        -------
        xarray.Dataset
            ``discriminant`` (chain, draw, document, task), ``y`` (chain, draw, document),
            ``decision`` and ``no_known_words`` (document), ``probability`` and ``agreement``
            (document, task), as `predict` gives them. This is no run, so `evaluate` does not take
            it: compare ``decision`` with the true classes.
        """
        refused = [name for name in arguments if name not in OF_PREDICT]
        if refused:
            raise TypeError(
                f"predict of OneVsAll does not take {', '.join(refused)}; besides corpus and "
                f"random_seed, {', '.join(OF_PREDICT)} are allowed"
            )
        seeds = as_seed(random_seed).generate_state(len(self.runs))
        known, _ = match_words(Run.of(self.runs[0]).topics(), corpus)
        parts = []
        for run, seed in zip(self.runs, seeds, strict=True):
            predicted = predict(
                run, known, var_names=["discriminant"], random_seed=int(seed), **arguments
            )
            parts.append(get_group(predicted, "predictions")["discriminant"])
        joined = xr.concat(parts, dim="task").transpose("chain", "draw", ..., "task")
        values = joined.values
        document = str(joined.dims[2])
        share = share_of_draws("multiclass", values)
        calibration = self._calibration()
        by_chain = values.mean(axis=1)
        chances = share if calibration is None else calibration.probabilities(by_chain)
        return xr.Dataset(
            {
                "discriminant": joined,
                "y": (joined.dims[:3], decide("multiclass", values, self.classes)),
                "decision": (
                    (document,),
                    decide("multiclass", by_chain.mean(axis=0), self.classes),
                ),
                "probability": ((document, "task"), chances),
                "agreement": ((document, "task"), share),
                UNKNOWN: ((document,), find_unknown(known)),
            },
            coords={"task": self.classes},
            attrs={"calibrated": int(calibration is not None)},
        )

    def _calibration(self) -> Calibration | None:
        """Return the calibration of all classes together, None if a run has none."""
        opened = [Run(run) for run in self.runs]
        each = [read_calibration(run.group(GROUP), run.response()) for run in opened]
        known = [own for own in each if own is not None]
        return join_classes(known) if len(known) == len(each) else None

    def to_netcdf(self, directory: str | os.PathLike[str]) -> None:
        """Write a folder with one NetCDF file per class."""
        check_path(directory, "directory")
        folder = Path(directory)
        folder.mkdir(parents=True, exist_ok=True)
        for i, run in enumerate(self.runs):
            run.to_netcdf(folder / f"class{i:04d}.nc")
        (folder / "classes.json").write_text(json.dumps(self.classes.tolist()), encoding="utf-8")

    @classmethod
    def from_netcdf(cls, directory: str | os.PathLike[str]) -> OneVsAll:
        """Read back a folder that `to_netcdf` wrote."""
        check_path(directory, "directory")
        folder = Path(directory)
        listing = folder / "classes.json"
        if not listing.exists():
            raise FileNotFoundError(f"{folder} has no classes.json: to_netcdf did not write it")
        classes = np.asarray(json.loads(listing.read_text(encoding="utf-8")))
        files = [folder / f"class{i:04d}.nc" for i in range(classes.size)]
        return cls(classes, tuple(az.from_netcdf(file) for file in files))


def _check_labels(loss: Any) -> Loss:
    """Return the loss, the hinge loss by default; raise unless it is one of labels."""
    check_loss(loss)
    loss = loss or Hinge()
    if not loss.takes_labels:
        raise ValueError(f"loss must be one of labels, such as Hinge; got {type(loss).__name__}")
    return loss


def _check_counts(
    sweeps_per_draw: Any, draws: Any, chains: Any, blocks: Any, tune: Any, anneal: Any, cores: Any
) -> None:
    """Raise unless all settings of the sampler are whole numbers."""
    at_least_one = {"sweeps_per_draw": sweeps_per_draw, "draws": draws, "chains": chains}
    for name, value in {**at_least_one, "blocks": blocks}.items():
        check_whole(name, value, at_least=1)
    for name, value in {"tune": tune, "anneal": anneal}.items():
        check_whole(name, value, at_least=0)
    if cores is not None:
        check_whole("cores", cores, at_least=1)


def _sample_plainly(
    models: Sequence[GibbsMedLDA],
    seed: np.random.SeedSequence,
    chains: int,
    settings: dict[str, Any],
) -> list[Any]:
    """Sample models with all documents from the beginning, from where PyMC would start."""
    pairs = zip(models, seed.generate_state(len(models)), strict=True)
    starts = [start_as_pymc(model, int(own), chains) for model, own in pairs]
    return sample_models(models, starts, **settings)
