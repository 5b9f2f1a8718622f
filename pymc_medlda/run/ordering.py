"""Documents, topics and tokens of a stored run stand in the order in which they were stored.

Topics and words are stored by position, and so are the tokens of a document. Where a selection such
as ``idata.isel(topic=[2, 0, 1])`` changed the order of a dim, positions mean something else. Labels
that were replaced by others, such as names of topics, do not change the order.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pymc_medlda.run import record
from pymc_medlda.run.coordinates import labels_of
from pymc_medlda.run.record import TopicsRecord
from pymc_medlda.run.stored import Groups

CHECKED = ("constant_data", "observed_data", "posterior", "warmup_posterior")


def check_order(described: TopicsRecord, groups: Groups) -> None:
    """Raise if documents, topics or tokens are not in the order in which they were stored."""
    datasets = {name: groups(name) for name in CHECKED}
    stored = {name: dataset for name, dataset in datasets.items() if dataset is not None}
    for variable in (record.alpha_of(described.z), described.words):
        dim = _dim_of(stored, variable)
        for group, labels in _labels(stored, dim):
            if _is_renumbered(labels):
                raise ValueError(_message(dim, group, labels))
    dim = _dim_of(stored, record.length_of(described.z))
    known = described.documents
    for group, labels in _labels(stored, dim):
        order = record.order_of(labels.tolist())
        # Files of earlier releases do not tell the order: all groups must have the same.
        known = known or order
        if order != known and order.split()[0] == known.split()[0]:
            raise ValueError(_message(dim, group, labels))


def _dim_of(stored: dict[str, Any], variable: str) -> str:
    """Return the dim of a variable besides chains and draws; none if it is not stored."""
    for dataset in stored.values():
        if variable in dataset:
            dims = [str(dim) for dim in dataset[variable].dims if dim not in ("chain", "draw")]
            return dims[0] if len(dims) == 1 else ""
    return ""


def _labels(stored: dict[str, Any], dim: str) -> list[tuple[str, NDArray[Any]]]:
    """Return the labels of a dim in each group that has them."""
    return [(name, labels_of(data, dim)) for name, data in stored.items() if dim in data.coords]


def _is_renumbered(labels: NDArray[Any]) -> bool:
    """Return whether labels are the numbers 0, 1, ... in another order."""
    if labels.dtype.kind not in "iu":
        return False
    numbers = np.arange(labels.size)
    return not np.array_equal(labels, numbers) and np.array_equal(np.sort(labels), numbers)


def _message(dim: str, group: str, labels: NDArray[Any]) -> str:
    shown = ", ".join(map(repr, labels.tolist()[:6])) + (", ..." if labels.size > 6 else "")
    return (
        f"the coordinate {dim!r} of {group} is {shown}: its labels stand in another order than in "
        "the run that was sampled, but topics and tokens are stored by position. Select from "
        "results, or restore the order"
    )
