"""`predict`: new documents in partitions, predicted where they are loaded."""

from __future__ import annotations

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
from pymc_medlda.run.files import is_path
from pymc_medlda.run.run import Run


def predict(
    idata: Any,
    partitions: Partitions,
    *,
    var_names: Sequence[str] = ("decision",),
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
    var_names : sequence of str, default ("decision",)
        What comes back, as for `pymc_medlda.predict`.
    client : dask.distributed.Client or InProcess, optional
        As for `sample`.
    random_seed : int, optional
        The same seed and partitions give the same answer.
    **options
        Of `pymc_medlda.predict`: ``thin``, ``single_draw``, ``n_samples``, ...

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
                    list(var_names),
                    [seed, i],
                    options,
                    key=("predict", i),
                )
                for i, own in enumerate(parts)
            ]
        )
    run = Run.of(idata)
    return with_group(run.idata, "predictions", _join(found))


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
