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


def find_label(known: list[Any], label: Any) -> int | None:
    """Return the position of a label among those known, None if it is not one of them.

    A boolean is not a number here, although True equals 1 in Python.
    """
    n_dims = getattr(label, "ndim", 0)
    if n_dims:
        return None  # an array, which a comparison would compare entry by entry
    if hasattr(label, "ndim"):
        label = label.item()  # from a loop over coordinates
    is_bool = isinstance(label, bool)
    places = [
        i for i, other in enumerate(known) if other == label and isinstance(other, bool) == is_bool
    ]
    if len(places) > 1:
        raise ValueError(
            f"chain {label!r} is the label of {len(places)} chains: give the chains distinct "
            "labels first (assign_coords)"
        )
    return places[0] if places else None


def find_chains(labels: NDArray[Any], chain: Any) -> list[int]:
    """Return the position of a chain given by its label, or of all chains for None."""
    known = labels.tolist()
    if chain is None:
        return list(range(len(known)))
    position = find_label(known, chain)
    if position is None:
        raise ValueError(f"chain must be one of {known} or None for all of them, got {chain!r}")
    return [position]


def spread(size: int, most: int) -> NDArray[np.intp]:
    """Return at most so many positions of a vector, spread evenly."""
    return np.unique(np.linspace(0, size - 1, min(size, most)).astype(np.intp))


def check_order(own: xr.DataArray, other: xr.DataArray, dim: str) -> None:
    """Raise if the same labels of a dim stand in another order in another variable."""
    if dim not in own.coords or dim not in other.coords:
        return
    labels, theirs = (labels_of(array, dim).tolist() for array in (own, other))
    if labels != theirs and sorted(map(str, labels)) == sorted(map(str, theirs)):
        raise ValueError(
            f"the coordinate {dim!r} of {own.name!r} is {labels}, but that of {other.name!r} is "
            f"{theirs}: the same order is needed"
        )
