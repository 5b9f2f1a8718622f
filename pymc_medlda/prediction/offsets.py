"""The offset of new documents, as users give it."""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr

from pymc_medlda._arguments import as_numbers
from pymc_medlda._arrays import Floats
from pymc_medlda.corpus import Corpus
from pymc_medlda.run.response_draws import ResponseDraws
from pymc_medlda.targets.documents import align_to_documents, align_to_tasks


def check_offset(
    offset: Any, response: ResponseDraws | None, sizes: tuple[int, ...], corpus: Corpus
) -> Floats:
    """Return the offset as (n_chains, n_draws, n_documents, n_tasks), without copies."""
    n_documents = corpus.n_documents
    offset = align_to_documents(offset, corpus.document_labels.tolist(), "offset")
    if response is None:
        if offset is not None:
            raise ValueError("offset was given, but the model has no response to add it to")
        return np.broadcast_to(0.0, (*sizes, n_documents, 0))
    n_tasks = response.y.shape[1]
    full = (*sizes, n_documents, n_tasks)
    if offset is None:
        if response.has_offset:
            raise ValueError(
                f"the model of {response.name!r} has an offset: give offset for the new documents, "
                f"of shape ({n_documents},)" + (f" or {full[2:]}" if response.task_dim else "")
            )
        return np.broadcast_to(0.0, full)
    if isinstance(offset, xr.DataArray):
        offset = offset.transpose("chain", "draw", ..., missing_dims="ignore")
    if response.task_dim is not None:
        offset = align_to_tasks(offset, response.classes, "offset")
    array = as_numbers("offset", offset)
    by_document = [(n_documents,), (*sizes, n_documents)]
    columns = dict.fromkeys((n_tasks, 1)) if response.task_dim is not None else ()
    by_task = [(*shape, n) for n in columns for shape in by_document]
    if array.shape in by_document:
        array = array[..., None]
    elif array.shape not in by_task:
        *others, last = map(str, (*by_document, *by_task))
        raise ValueError(
            f"offset has shape {array.shape}; {', '.join(others)} or {last} is allowed"
        )
    if not np.isfinite(array).all():
        raise ValueError("offset holds NaN or infinite values; finite numbers are allowed")
    return np.broadcast_to(array, full)
