"""The units of a standardised response: its mean and standard deviation over all partitions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pymc_medlda._arrays import Floats
from pymc_medlda.distributed.describing import Coding, spread_offset
from pymc_medlda.distributed.executors import Executor
from pymc_medlda.distributed.partitions import Partition
from pymc_medlda.distributed.weights import add_up
from pymc_medlda.losses.standardised import Units


def measure_units(executor: Executor, parts: Sequence[Partition], coding: Coding) -> Units:
    """Return the mean and the standard deviation of each task, as `Standardised.measure` does."""

    def total(name: str, location: Floats | None) -> tuple[NDArray[np.int64], Floats]:
        tasks = [
            executor.submit(sum_values, own, coding, location, key=(name, i))
            for i, own in enumerate(parts)
        ]
        counts, sums = zip(*executor.gather(tasks), strict=True)
        return np.maximum(np.sum(counts, axis=0), 1), add_up(list(sums))

    count, values = total("sum", None)
    location = values / count
    scale = np.sqrt(total("squares", location)[1] / count)
    differ = scale > 1e-12 * np.abs(location)  # less is rounding
    return Units(location, np.where(differ, scale, 1.0))


def sum_values(
    part: Partition, coding: Coding, location: Floats | None
) -> tuple[NDArray[np.int64], Floats]:
    """Return how many y each task has, and their sum; with a location, that of squared distances.

    What an offset explains is subtracted, as in `measure_units` of models.
    """
    corpus, y, offset = part.load()
    values = coding.code(y, corpus.n_documents).reshape(corpus.n_documents, coding.n_tasks)
    values = values - spread_offset(offset, *values.shape)
    if location is not None:
        values = (values - location) ** 2
    given = ~np.isnan(values)
    return given.sum(axis=0), values.sum(axis=0, where=given)
