"""Which documents of a corpus a selection means: a slice, positions or a boolean mask."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pymc_medlda._arguments import check_unmasked
from pymc_medlda._names import as_names, positions_of
from pymc_medlda.corpus.frames import library_of


def as_positions(selection: Any, n_documents: int) -> NDArray[np.intp]:
    """Return the positions of the documents that a slice, positions or a boolean mask selects."""
    if isinstance(selection, slice):
        return np.arange(n_documents)[selection]
    check_unmasked("the selection of documents", selection)
    try:
        rows = np.asarray(selection)
    except ValueError:
        rows = np.empty((0, 0))  # lists of unequal length, which the next check refuses
    if rows.ndim == 1 and rows.size == 0 and not isinstance(selection, np.ndarray):
        rows = rows.astype(np.intp)
    if rows.ndim != 1 or rows.dtype.kind not in "iub":
        raise TypeError(
            "a corpus is indexed by a slice, integer positions or a boolean mask; "
            f"got {selection!r} (write corpus[[3]] for one document)"
        )
    if rows.dtype.kind == "b":
        if rows.size != n_documents:
            raise IndexError(f"a mask must have {n_documents} entries; got {rows.size}")
        return np.flatnonzero(rows)
    if rows.size and (int(rows.min()) < -n_documents or int(rows.max()) >= n_documents):
        raise IndexError(
            f"positions must lie between {-n_documents} and {n_documents - 1}; "
            f"got {next(row for row in rows.tolist() if not -n_documents <= row < n_documents)}"
        )
    rows = rows.astype(np.intp)
    return np.where(rows < 0, rows + n_documents, rows)


def check_index(mask: Any, documents: NDArray[Any] | None) -> None:
    """Raise if the index of a boolean mask may mean other documents than those at its positions.

    ``documents`` are the names of the documents, None if they have no names. The default numbering
    says nothing, and neither does another index if the documents have no names; but an index that
    is the numbering of the documents in another order may mean either.
    """
    index = mask.index if isinstance(mask, pd.Series) else None
    if library_of(mask) == "xarray" and getattr(mask, "ndim", 0) == 1:
        index = mask.indexes.get(mask.dims[0])
    if index is None or np.asarray(mask).dtype.kind != "b":
        return
    given = as_names(index, "the index of a mask").tolist()
    numbers = list(range(len(given)))
    wanted = numbers if documents is None else documents.tolist()
    if given == wanted:
        return
    places, known = positions_of(given), positions_of(wanted)
    says_nothing = places == numbers and known in (None, numbers)
    if says_nothing or (documents is None and places is None):
        return
    raise ValueError(
        f"the mask has the index {given[:6]}, which is not that of the documents in their order: "
        "give mask.to_numpy() if its entries are in the order of the documents, or "
        "mask.loc[corpus.document_names]"
    )
