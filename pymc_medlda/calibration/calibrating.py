"""`calibrate`: probabilities and intervals for a run, from chains that sample without a fold."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pymc as pm
from numpy.typing import NDArray

from pymc_medlda._arguments import check_bool, check_seed, check_whole
from pymc_medlda._arrays import Floats
from pymc_medlda._compat.arviz import with_group
from pymc_medlda._progress import track
from pymc_medlda.calibration.fold_chains import predict_folds
from pymc_medlda.calibration.folds import FEWEST_WITNESSES, Folds, plan_folds
from pymc_medlda.calibration.rebuilding import (
    check_built,
    check_complete,
    corpus_of,
    find_doubtful,
    rebuild,
)
from pymc_medlda.prediction.new_documents import as_seed
from pymc_medlda.run import record
from pymc_medlda.run.calibration import GROUP, Calibration
from pymc_medlda.run.response_draws import ResponseDraws
from pymc_medlda.run.run import Run
from pymc_medlda.sampling.chains import sample_models, start_uniformly
from pymc_medlda.sampling.step import GibbsMedLDAStep

LARGE_GAIN = 1.3


def calibrate(
    idata: Any,
    *,
    response: str | None = None,
    build: Callable[..., pm.Model] | None = None,
    chains: int = 4,
    draws: int | None = None,
    tune: int | None = None,
    anneal: int = 0,
    sweeps_per_draw: int = 1,
    n_samples: int = 10,
    random_seed: Any = None,
    cores: int | None = None,
    progressbar: bool = True,
) -> Any:
    r"""Learn what the discriminants of a run mean: probabilities of classes, intervals of values.

    The posterior of a max-margin model is not a distribution of labels: the share of draws that
    decide for a class is not its probability. Here each of four new chains samples without one
    fold of the documents, without their words and labels, and then predicts this fold as `predict`
    does. From these out-of-fold discriminants follow

    - for two classes, and for each label, a sigmoid. Its slope is multiplied by
      :math:`S / (S - \frac{n - 1}{n} v)`, because the average of the n chains of the run varies
      less than the single chain that the sigmoid saw. S is the variance of F over documents and v
      that between chains, both of documents that none of the chains has seen. A document about
      which the chains disagree gets a probability closer to one half: the mean of the sigmoid over
      the uncertainty of their average;
    - for several classes a softmax with a temperature, and with a curvature if that helps;
    - for real values a line, with the same factor of its slope, and the quantiles of the residuals,
      separately for low, middle and high predictions. Values with an offset are not corrected by
      a line, which would multiply the offset too.

    The posterior of the run stays as it is. The cost is about that of the run itself. Draws and
    tune are those of the run. Give ``sweeps_per_draw`` and ``anneal`` as well if the run had them.
    If it was sampled with ``tune=0``, give ``tune`` or ``anneal``, because these chains start at
    random topics. A run holds the calibration of one response: that of another one takes its place.

    Parameters
    ----------
    idata : InferenceData, DataTree or path
        What ``pm.sample`` returned, or a file of it. A run of `distributed.sample` that holds only
        a sample of its documents is refused.
    response : str, optional
        Name of the response, where the model has several.
    build : callable, optional
        Builds the model of a part of the documents: it takes their positions, an array of int, and
        returns the model of these documents, in this order and with the same names. It is needed
        where the run does not tell the whole model: if its priors are random, for several
        responses, or if potentials were added to it, which no run records.
    chains : int, default 4
        Chains, each of which samples without one fold. There are at least four folds.
    draws, tune : int, optional
        Draws to keep, and draws before them; by default as many as the run has.
    anneal : int, default 0
        Sweeps in which every chain is annealed before the first draw, as by `annealed_starts`.
        Not for ``build``.
    sweeps_per_draw : int, default 1
        Sweeps over the corpus per draw.
    n_samples : int, default 10
        As for `predict`.
    random_seed : int, sequence of int or numpy.random.Generator, optional
        The same seed gives the same result, whatever the number of cores.
    cores : int, optional
        Threads; by default as many as the machine has cores. Models of ``build`` are sampled one
        after the other.
    progressbar : bool, default True
        Show a progress bar if the work takes more than two seconds.

    Returns
    -------
    InferenceData or DataTree
        A shallow copy of ``idata`` with the group ``calibration``. Files keep it, and `predict`
        reads it: ``probability`` is then calibrated, and ``interval`` can be asked for.

    Examples
    --------
    >>> import pymc_medlda as med
    >>> calibrated = med.calibrate(idata, random_seed=1, progressbar=False)
    >>> predicted = med.predict(calibrated, new_corpus, random_seed=1, progressbar=False)
    >>> predicted["predictions"].attrs["calibrated"]
    1
    """
    given = _check_settings(chains, draws, tune, sweeps_per_draw, n_samples, cores)
    check_whole("anneal", anneal, at_least=0)
    check_bool("progressbar", progressbar)
    check_seed("random_seed", random_seed)
    if build is not None and not callable(build):
        raise TypeError(f"build must be a function of positions of documents, got {build!r}")
    run = Run.of(idata)
    found = run.response(response)
    topics = run.topics(found.topics)
    check_complete(topics)
    corpus = corpus_of(topics)
    own = {"draws": topics.n_draws, "tune": _tuning(run, topics.n_draws)}
    settings: dict[str, Any] = own | given
    make = rebuild(run, found, corpus) if build is None else build
    offset = _known_offset(run, found, rebuilt=build is None)
    rng = np.random.default_rng(as_seed(random_seed))
    folds = plan_folds(found.kind, found.y, chains, rng, usable=_weighs(found))
    models = [make(folds.kept(chain)) for chain in range(chains)]
    if build is not None:
        for chain, model in enumerate(models):
            check_built(model, corpus, folds.kept(chain), found, topics)
    seeds, seeds_of_predictions = rng.integers(2**31 - 1, size=(2, chains)).tolist()
    if build is None:
        starts = [[start_uniformly(m, seed)] for m, seed in zip(models, seeds, strict=True)]
        workers = cores or os.cpu_count() or 1
        runs = sample_models(
            models, starts, workers=workers, anneal=anneal, progressbar=progressbar, **settings
        )
    else:
        runs = _sample_with_pymc(models, seeds, progressbar, settings)
    options: dict[str, Any] = {"n_samples": n_samples, "cores": cores}
    options |= {"offset": offset, "features": _given_features(found)}
    predicted = predict_folds(
        runs,
        folds,
        corpus,
        seeds_of_predictions,
        response=None if build is None else found.name,
        **options,
    )
    calibration = Calibration.fit(
        found.kind, folds.fold, found.y, *predicted, has_offset=found.has_offset
    )
    warn_if_unsettled(calibration, folds, topics.n_chains)
    return with_calibration(run, found, calibration, {"n_chains": chains, **settings})


def _check_settings(
    chains: Any, draws: Any, tune: Any, sweeps_per_draw: Any, n_samples: Any, cores: Any
) -> dict[str, int]:
    """Return those settings of the sampler that were given, after checking all."""
    for name, value in {"chains": chains, "n_samples": n_samples}.items():
        check_whole(name, value, at_least=1)
    if cores is not None:
        check_whole("cores", cores, at_least=1)
    given = {"draws": (draws, 1), "tune": (tune, 0), "sweeps_per_draw": (sweeps_per_draw, 1)}
    for name, (value, least) in given.items():
        if value is not None:
            check_whole(name, value, at_least=least)
    return {name: value for name, (value, _) in given.items() if value is not None}


def with_calibration(
    run: Run, response: ResponseDraws, calibration: Calibration, settings: dict[str, int]
) -> Any:
    """Return a run with the group ``calibration``; ``settings`` become its attributes."""
    dataset = calibration.to_dataset(run.topics(response.topics), response)
    dataset.attrs |= {"inference_library": "pymc_medlda", **settings}
    return with_group(run.idata, GROUP, dataset)


def warn_if_unsettled(calibration: Calibration, folds: Folds, n_chains: int) -> None:
    """Warn if chains differ so much about new documents that averages over them are uncertain.

    Few witnesses do not tell.
    """
    if folds.witness.sum() < FEWEST_WITNESSES or n_chains < 2:
        return
    gain = float(np.median(calibration.gain(n_chains)))
    if gain > LARGE_GAIN:
        warnings.warn(
            f"the chains differ much about documents that they have not seen: averaging them "
            f"multiplies the slope of the calibration by {gain:.2f}, and above {LARGE_GAIN} it is "
            "uncertain. Sample longer (tune), or start the chains annealed (anneal)",
            stacklevel=3,
        )


def _known_offset(run: Run, response: ResponseDraws, *, rebuilt: bool) -> Floats | None:
    """Return the offset of the training documents, None if there is none.

    The mean of standardised values is a part of it in models that are built again: in those of
    the user's own ``build`` the loss adds it.
    """
    if not response.has_offset and not (rebuilt and response.location.any()):
        return None
    if response.fixed_offset is None:
        raise ValueError(
            f"the offset of {response.name!r} is random, so it is not known for documents that a "
            "chain samples without: such a model cannot be calibrated"
        )
    doubtful = find_doubtful(run, [record.offset_of(response.name)])
    if doubtful is not None:
        raise ValueError(
            f"the offset of {response.name!r} may be random: it is the same in all draws, but so "
            f"is {doubtful!r}, from which it may be computed. If it is not, remove {doubtful!r} "
            "from the posterior; with a random offset a model cannot be calibrated"
        )
    return response.fixed_offset if rebuilt else response.fixed_offset - response.location


def _given_features(response: ResponseDraws) -> Any:
    """Return the features of the training documents by rows, None if none were given."""
    given = None if response.features is None else response.features.given
    return None if given is None else given.by_columns.tocsr()


def _weighs(response: ResponseDraws) -> NDArray[np.bool_] | None:
    """Return which documents weigh anything, None if all do."""
    c = (response.fixed_parameters or {}).get("c")
    if c is None or not c.ndim:
        return None
    return np.asarray(c.reshape(len(c), -1).any(axis=1))


def _tuning(run: Run, n_draws: int) -> int:
    """Return how many draws came before those that were kept, or as many as were kept."""
    stored = run.group("posterior").attrs.get("tuning_steps")
    return n_draws if stored is None else int(stored)


def _sample_with_pymc(
    models: Sequence[pm.Model], seeds: Sequence[int], progressbar: bool, settings: dict[str, int]
) -> list[Any]:
    """Sample models of any kind, one chain of each."""
    runs = []
    pairs = zip(models, seeds, strict=True)
    for model, seed in track(pairs, len(models), "Sampling without a fold", show=progressbar):
        with model:
            runs.append(
                pm.sample(
                    draws=settings["draws"],
                    tune=settings["tune"],
                    chains=1,
                    cores=1,
                    step=GibbsMedLDAStep(sweeps_per_draw=settings["sweeps_per_draw"]),
                    random_seed=seed,
                    progressbar=False,
                    quiet=True,
                    compute_convergence_checks=False,
                )
            )
    return runs
