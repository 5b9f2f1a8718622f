"""Labels of chains, draws and topics: their coordinates, or their positions if they have none."""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray


def labels_of(array: xr.DataArray | xr.Dataset, dim: str) -> NDArray[Any]:
    """Return the coordinates of a dim, or its positions if it has none."""
    if dim not in array.coords:
        return np.arange(array.sizes[dim])
    try:
        labels = np.asarray(array[dim].values)
        if labels.dtype.kind in "OSTU":
            labels.tolist()  # decodes the text, which NumPy and Arrow do only when it is needed
    except Exception:  # each of the libraries that hold text has an error of its own
        raise ValueError(
            f"the coordinate {dim!r} holds text that cannot be decoded: the file is damaged"
        ) from None
    return labels


def find_chains(labels: NDArray[Any], chain: Any) -> list[int]:
    """Return the position of a chain given by its label, or of all chains for None."""
    known = labels.tolist()
    if chain is None:
        return list(range(len(known)))
    if chain not in known:
        raise ValueError(f"chain must be one of {known} or None for all of them, got {chain!r}")
    if known.count(chain) > 1:
        raise ValueError(
            f"chain {chain!r} is the label of {known.count(chain)} chains: give the chains "
            "distinct labels first (assign_coords)"
        )
    return [known.index(chain)]
