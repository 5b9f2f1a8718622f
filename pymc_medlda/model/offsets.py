"""The offset of a response, as users give it, as a tensor shaped as the response."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytensor.tensor as pt
import xarray as xr
from pytensor.compile.sharedvalue import SharedVariable
from pytensor.graph.basic import Variable

from pymc_medlda._arguments import LARGEST, as_numbers, is_symbolic
from pymc_medlda._arrays import Floats
from pymc_medlda.targets.documents import align_to_tasks
from pymc_medlda.targets.response import Response


def as_offset(offset: Any, coded: Response) -> Variable:
    """Return the offset shaped as the response; its rows are those of the documents already.

    A variable broadcasts by the rules of PyTensor. Numbers in one dimension are one per document
    or, if there are several tasks and they fit these alone, one per task.
    """
    shape = coded.values.shape
    if offset is None:
        return pt.constant(np.zeros(shape))
    if not is_symbolic(offset):
        if len(shape) == 2:
            offset = _with_columns(offset, coded)
        offset = as_numbers("offset", offset)
    tensor = pt.as_tensor(offset)
    static = tensor.type.shape
    if isinstance(tensor, SharedVariable):
        # The lengths of data may change, so their type does not know them. Those of one broadcast.
        static = tensor.get_value(borrow=True).shape
        ones = [axis for axis, length in enumerate(static) if length == 1]
        tensor = pt.specify_broadcastable(tensor, *ones) if ones else tensor
    if len(shape) == 2 and len(static) == 1 and static != (1,):
        _check_unambiguous(shape)
    fits = len(static) <= len(shape) and all(
        s in (None, 1, n) for s, n in zip(reversed(static), reversed(shape), strict=False)
    )
    if not fits:
        raise ValueError(
            f"offset has shape {static}; it must be broadcastable to {shape}, one value per "
            "document" + (" and task" if len(shape) == 2 else "")
        )
    if hasattr(tensor, "data"):
        if not np.isfinite(tensor.data).all() or np.abs(tensor.data).max(initial=0) > LARGEST:
            raise ValueError(
                "offset holds NaN or infinite values, or some beyond "
                f"{LARGEST:g}; finite numbers are allowed"
            )
        return pt.constant(np.broadcast_to(tensor.data, shape).copy())
    return pt.broadcast_to(tensor, shape)


def _with_columns(offset: Any, coded: Response) -> Any:
    """Return numbers as one column per task, matched by name, or as one column for all tasks."""
    if not hasattr(offset, "shape"):
        offset = as_numbers("offset", offset)
    if len(offset.shape) != 1:
        return align_to_tasks(offset, coded.classes, "offset")
    n_documents, n_tasks = coded.values.shape
    (n_values,) = offset.shape
    if n_values == n_documents:
        _check_unambiguous((n_documents, n_tasks))
        column: Floats = as_numbers("offset", offset)[:, None]
        return column
    if isinstance(offset, xr.DataArray):
        offset = offset.to_pandas()
    row = offset.to_frame().T if isinstance(offset, pd.Series) else offset
    return align_to_tasks(row, coded.classes, "offset")


def _check_unambiguous(shape: tuple[int, ...]) -> None:
    """Raise if one dimension may be that of the documents and that of the tasks."""
    n_documents, n_tasks = shape
    if n_documents == n_tasks > 1:
        raise ValueError(
            f"offset has one dimension, and there are {n_documents} documents and {n_tasks} tasks: "
            f"give the shape ({n_documents}, 1) for one value per document, or (1, {n_tasks}) for "
            "one value per task"
        )
