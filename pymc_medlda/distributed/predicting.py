"""`predict`: new documents in partitions, predicted where they are loaded."""

from __future__ import annotations

import inspect
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from pymc_medlda._arguments import check_whole
from pymc_medlda._compat.arviz import get_group, with_group
from pymc_medlda.distributed.executors import as_executor
from pymc_medlda.distributed.partitions import Partition, Partitions, put_down
from pymc_medlda.prediction import predicting
from pymc_medlda.prediction.checks import (
    check_interval,
    check_names,
    check_running,
    check_schedule,
)
from pymc_medlda.run.calibration import GROUP, read_calibration
from pymc_medlda.run.files import is_path
from pymc_medlda.run.run import Run


def predict(
    idata: Any,
    partitions: Partitions,
    *,
    var_names: str | Sequence[str] = ("decision",),
    client: Any = None,
    random_seed: int | None = None,
    **options: Any,
) -> Any:
    """Predict the response of new documents in partitions, each where it is loaded.

    Parameters
    ----------
    idata : InferenceData, DataTree or path
        A run of `sample` or ``pm.sample``. On several machines it must be a path that all workers
        reach.
    partitions : Partitions
        The new documents. Their words are matched by position where they have no names.
    var_names : str or sequence of str, default ("decision",)
        What comes back, as for `pymc_medlda.predict`.
    client : dask.distributed.Client or InProcess, optional
        As for `sample`.
    random_seed : int, optional
        The same seed and partitions give the same answer.
    **options
        Of `pymc_medlda.predict`: ``response``, ``thin``, ``single_draw``, ``interval``,
        ``n_samples``, ``max_burn_in``, ``tolerance``, and ``cores`` (1 by default) of each task.

    Returns
    -------
    InferenceData or DataTree
        A shallow copy of ``idata`` with the group ``predictions``, for the documents of all
        partitions one after the other.

    Examples
    --------
    >>> import pymc_medlda as med
    >>> parts = med.distributed.partition(new_corpus, n_partitions=2)
    >>> here = med.distributed.InProcess()
    >>> found = med.distributed.predict(idata, parts, client=here, random_seed=1)
    >>> bool((found["predictions"]["decision"].values == new_y).mean() > 0.7)
    True
    """
    if not isinstance(partitions, Partitions):
        raise TypeError(f"partitions must come from partition; got {type(partitions).__name__}")
    if random_seed is not None:
        check_whole("random_seed", random_seed, at_least=0)
    run = Run.of(idata)
    wanted = check_options(run, var_names, options)
    seed = np.random.SeedSequence(random_seed).entropy
    with ExitStack() as stack:
        executor = as_executor(client, stack, len(partitions))
        parts, source = partitions.parts, idata
        if not executor.shares_memory:
            place = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="medlda-")))
            parts = [put_down(own, place / f"{i}.npz") for i, own in enumerate(parts)]
            if not is_path(idata):
                source = str(place / "run.nc")
                idata.to_netcdf(source)
        found = executor.gather(
            [
                executor.submit(
                    predict_partition,
                    source,
                    own,
                    wanted,
                    [seed, i],
                    options,
                    key=("predict", i),
                )
                for i, own in enumerate(parts)
            ]
        )
    return with_group(run.idata, "predictions", _join(found))


def check_options(run: Run, var_names: Any, options: dict[str, Any]) -> list[str]:
    """Return the names of the variables wanted, after checking all options here, not on workers."""
    instead = {
        "offset": "it is a part of the partitions: partition(corpus, y, offset=...)",
        "features": "partitions take none",
        "as_frame": "use pymc_medlda.predict for a table",
    }
    for name in options:
        if name not in OPTIONS:
            advice = instead.get(name, f"it takes {', '.join(OPTIONS)}")
            raise TypeError(f"distributed.predict has no argument {name!r}: {advice}")
    given = {**OPTIONS, **options}
    check_schedule(*(given[name] for name in SCHEDULE))
    check_running(given["single_draw"], given["progressbar"], False, given["cores"])
    supervised = bool(run.response_names) or given["response"] is not None
    chosen = run.response(given["response"]) if supervised else None
    calibration = None if chosen is None else read_calibration(run.group(GROUP), chosen)
    interval = check_interval(given["interval"], chosen, calibration, as_frame=False)
    return check_names(var_names, chosen, interval, as_frame=False)


SCHEDULE = ("thin", "n_samples", "max_burn_in", "tolerance")
OPTIONS = {
    name: inspect.signature(predicting.predict).parameters[name].default
    for name in ("response", "single_draw", "interval", *SCHEDULE, "cores", "progressbar")
}
"""The options of `pymc_medlda.predict` that every partition is given, with their defaults."""


def predict_partition(
    idata: Any, part: Partition, var_names: list[str], seed: list[Any], options: dict[str, Any]
) -> xr.Dataset:
    """Return the predictions of a partition."""
    corpus, _, offset = part.load()
    own = {} if offset is None else {"offset": offset}
    settings = {"cores": 1, **own, **options, "var_names": var_names, "progressbar": False}
    predicted = predicting.predict(idata, corpus, random_seed=seed, **settings)
    return get_group(predicted, "predictions").load()


def _join(found: Sequence[xr.Dataset]) -> xr.Dataset:
    """Return the predictions of all partitions, their documents numbered from zero."""
    dim = "document"
    joined = xr.concat(found, dim, data_vars="minimal", coords="minimal", join="override")
    dropped = sum(int(own.attrs["n_dropped_tokens"]) for own in found)
    longest = max(int(own.attrs["longest_burn_in"]) for own in found)
    joined.attrs = {**found[0].attrs, "n_dropped_tokens": dropped, "longest_burn_in": longest}
    return joined.assign_coords({dim: np.arange(joined.sizes[dim])})
