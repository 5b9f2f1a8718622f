"""`predict`: new documents in partitions, predicted where they are loaded."""

from __future__ import annotations

import inspect
import os
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from pymc_medlda._arguments import check_whole
from pymc_medlda._compat.arviz import get_group, with_group
from pymc_medlda.distributed.executors import Executor, as_executor
from pymc_medlda.distributed.letters import Lost
from pymc_medlda.distributed.partitions import Partition, Partitions, is_in_memory, put_down
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
    folder: Any = None,
    random_seed: int | None = None,
    **options: Any,
) -> Any:
    """Predict the response of new documents in partitions, each where it is loaded.

    Parameters
    ----------
    idata : InferenceData, DataTree or path
        A run of `sample` or ``pm.sample``.
    partitions : Partitions
        The new documents. Their words are matched by position where they have no names.
    var_names : str or sequence of str, default ("decision",)
        What comes back, as for `pymc_medlda.predict`.
    client : dask.distributed.Client or InProcess, optional
        As for `sample`.
    folder : path, optional
        A folder that all workers reach, for what is in memory here: a run that is not the path of
        a file, and partitions whose documents or offset are in memory. These files are removed at
        the end. On one machine, a temporary folder by default. A cluster of several machines needs
        it, unless workers reach all of that already: the file of the run by its path, documents by
        `from_files` and the like, or in the folder of `Corpus.from_folder`.
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
    check_folder(folder)
    run = Run.of(idata)
    wanted = check_options(run, var_names, options)
    seed = np.random.SeedSequence(random_seed).entropy
    with ExitStack() as stack:
        executor = as_executor(client, stack, len(partitions))
        parts, source = partitions.parts, idata
        if not executor.shares_memory:
            parts, source = put_all_down(parts, idata, folder, executor, stack)
        tasks = [
            executor.submit(
                predict_partition, source, own, wanted, [seed, i], options, key=("predict", i)
            )
            for i, own in enumerate(parts)
        ]
        try:
            found = executor.gather(tasks)
        except Lost as error:
            raise RuntimeError(
                f"workers were lost again and again while they predicted: {error}. Give more "
                "partitions if they need too much memory, or look into the logs of the workers"
            ) from error
    return with_group(run.idata, "predictions", _join(found))


def check_folder(folder: Any) -> None:
    """Raise unless a folder for files can be made there."""
    if folder is not None and not isinstance(folder, (str, os.PathLike)):
        raise TypeError(f"folder must be a path or None, got {folder!r}")
    if folder is not None and Path(folder).is_file():
        raise ValueError(f"folder must be a folder, got the file {os.fspath(folder)!r}")


def put_all_down(
    parts: Sequence[Partition], idata: Any, folder: Any, executor: Executor, stack: ExitStack
) -> tuple[list[Partition], Any]:
    """Write what is in memory to files, if anything is; return partitions and run for workers.

    These files are removed with the stack.
    """
    source = os.path.abspath(idata) if is_path(idata) else None
    if source is not None and not any(is_in_memory(own) for own in parts):
        return list(parts), source
    if folder is not None:
        Path(folder).mkdir(parents=True, exist_ok=True)
    elif not executor.is_local:
        raise ValueError(
            "folder must be given for a cluster of several machines, because the run or some "
            "partitions are in memory: a folder that all of its workers reach"
        )
    own = tempfile.TemporaryDirectory(prefix="medlda-", dir=folder)
    place = Path(stack.enter_context(own)).resolve()
    if source is None:
        source = str(place / "run.nc")
        idata.to_netcdf(source)
    return [put_down(part, place / f"{i}.npz") for i, part in enumerate(parts)], source


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
    own = {}
    if offset is not None:
        # As in the sweeps: by position, and one column counts for all tasks.
        array = np.asarray(offset)
        own["offset"] = array[:, 0] if array.shape[1:] == (1,) else array
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
