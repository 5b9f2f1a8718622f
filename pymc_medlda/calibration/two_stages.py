"""Chains that first sample without their fold, and then with all documents.

The first stage gives the out-of-fold discriminants, and is most of the burn-in of the second. When
its fold has been predicted, a chain takes the removed documents in, with topics drawn by the kernel
of `predict`, and goes on. So all draws that are kept have the posterior of all documents: nothing
is lost by calibration, chains can be compared, and the stored run is like any other. Chains that
kept doing without their folds would cost as much, predict worse, have a posterior each, and leave
no topics for the removed documents.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from pymc_medlda._compat.arviz import get_group
from pymc_medlda.calibration.calibrating import warn_if_unsettled, with_calibration
from pymc_medlda.calibration.fold_chains import complete_topics, predict_folds
from pymc_medlda.calibration.folds import Folds
from pymc_medlda.calibration.rebuilding import Build
from pymc_medlda.corpus import Corpus
from pymc_medlda.run.calibration import Calibration
from pymc_medlda.run.run import Run
from pymc_medlda.sampling.chains import Start, sample_models, start_uniformly

SHARE_OF_DRAWS = 3
"""The first stage keeps one in so many of the draws: an average over draws needs no more."""
SHARE_OF_TUNING = 5
"""The second stage begins with one in so many of the draws of the burn-in."""


def sample_in_two_stages(
    builds: Sequence[Build],
    corpus: Corpus,
    folds: Folds,
    seeds: Sequence[int],
    *,
    draws: int,
    tune: int,
    prediction: Mapping[str, Any] | None = None,
    **options: Any,
) -> list[Any]:
    """Sample models of the same documents; return calibrated runs.

    Parameters
    ----------
    builds : sequence of callables
        For each model, what builds the `GibbsMedLDA` of the documents at some positions. Their
        topic assignments are called z.
    corpus : Corpus
        All documents.
    folds : Folds
        What each chain does without.
    seeds : sequence of int
        One per model and chain.
    draws, tune : int
        As for `sample_models`, of the whole.
    prediction : mapping, optional
        ``n_samples`` of `predict`, and the ``offset`` and ``features`` of all documents as
        `predict_folds` takes them.
    **options
        ``sweeps_per_draw``, ``workers``, ``progressbar`` and ``anneal`` of `sample_models`.
    """
    kept = [folds.kept(chain) for chain in range(folds.n_chains)]
    parts = [build(rows) for build in builds for rows in kept]
    starts = [[start_uniformly(part, seed)] for part, seed in zip(parts, seeds, strict=True)]
    n_first, n_settling = -(-draws // SHARE_OF_DRAWS), max(-(-tune // SHARE_OF_TUNING), 2)
    show = options.pop("progressbar")
    part_1, part_2 = (show and f"Sampling, part {i} of 2" for i in (1, 2))
    first = _sample_whole(parts, starts, draws=n_first, tune=tune, progressbar=part_1, **options)
    options.pop("anneal", None)  # only a start is annealed
    of_model = [slice(i * folds.n_chains, (i + 1) * folds.n_chains) for i in range(len(builds))]
    predicted = [
        predict_folds(
            first[own],
            folds,
            corpus,
            seeds[own],
            cores=options["workers"],
            **(prediction or {}),
        )
        for own in of_model
    ]
    models = [build(np.arange(corpus.n_documents)) for build in builds]
    second = sample_models(
        models,
        [_continue(first[own], starts[own], folds, corpus, seeds[own]) for own in of_model],
        draws=draws,
        tune=n_settling,
        progressbar=part_2,
        **options,
    )
    settings = {"n_chains": folds.n_chains, "draws": n_first, "tune": tune}
    return [
        _finish(run, first[own], folds, values, settings | {"settling": n_settling})
        for run, own, values in zip(second, of_model, predicted, strict=True)
    ]


def _sample_whole(models: Sequence[Any], starts: Any, *, draws: int, **options: Any) -> list[Any]:
    """Sample, but raise an interrupt that leaves fewer draws: the second stage is still to come."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "interrupted: the fit keeps")
        runs = sample_models(models, starts, draws=draws, **options)
    if get_group(runs[0], "posterior").sizes["draw"] < draws:
        raise KeyboardInterrupt
    return runs


def _continue(
    first: Sequence[Any],
    starts: Sequence[Sequence[Start]],
    folds: Folds,
    corpus: Corpus,
    seeds: Sequence[int],
) -> list[Start]:
    """Return where the chains of a model continue with all documents, with their generators."""
    points = []
    for chain, (run, (start,), seed) in enumerate(zip(first, starts, seeds, strict=True)):
        z = complete_topics(run, folds.kept(chain), folds.held(chain), corpus, seed)
        posterior = get_group(run, "posterior")
        names = [name for name in start.point if name != "z"]  # the weights
        weights = {name: np.array(posterior[name].values[0, -1]) for name in names}
        points.append(Start({"z": z, **weights}, start.rng))
    return points


def _finish(
    idata: Any, first: Sequence[Any], folds: Folds, predicted: Any, settings: dict[str, int]
) -> Any:
    """Return the run with its calibration; its attributes count both stages."""
    n_tuning = settings["tune"] + settings["draws"] + settings["settling"]
    seconds = get_group(first[0], "posterior").attrs["sampling_time"]
    for group in ("posterior", "sample_stats"):
        attributes = idata[group].attrs
        attributes["tuning_steps"] = n_tuning
        attributes["sampling_time"] += seconds
    run = Run(idata)
    response = run.response()
    calibration = Calibration.fit(
        response.kind, folds.fold, response.y, *predicted, has_offset=response.has_offset
    )
    warn_if_unsettled(calibration, folds, folds.n_chains)
    return with_calibration(run, response, calibration, settings)
