"""Arrays of a Zarr store, which are refused where a block of them is missing.

Zarr fills in for a missing block, and where an array has no value for that, it takes whatever the
memory holds.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray


def check_blocks(group: Any) -> None:
    """Raise if a block of an array in a group is missing."""
    for _, array in group.arrays():
        _check_array(array)


def _check_array(array: Any) -> None:
    for place in np.ndindex(*array.cdata_shape):
        if array._chunk_key(place) not in array.chunk_store:
            raise ValueError(f"the block {place} of {array.path!r} is missing")


def read_whole(array: Any) -> NDArray[Any]:
    """Return an array of which all blocks are there."""
    _check_array(array)
    return np.asarray(array[...])


def draw_arrays(root: Any, group: str) -> dict[str, Any]:
    """Return the arrays of a group that have chains and draws, except those of Python objects."""
    if group not in root:
        return {}
    return {
        name: array
        for name, array in root[group].arrays()
        if list(array.attrs.get("_ARRAY_DIMENSIONS", []))[:2] == ["chain", "draw"]
        and array.dtype != object
    }


def read_arrays(group: Any) -> dict[str, Any]:
    """Return the arrays of a group, without its coordinates, with their dims."""
    return {
        name: (array.attrs["_ARRAY_DIMENSIONS"], read_whole(array))
        for name, array in group.arrays()
        if array.dtype != object and array.attrs["_ARRAY_DIMENSIONS"] != [name]
    }


def as_dataset(group: Any, variables: dict[str, Any]) -> xr.Dataset:
    """Return variables with the coordinates of their group, except those of chains and draws."""
    dims = {dim for own, _ in variables.values() for dim in own} - {"chain", "draw"}
    coords = {dim: read_whole(group[dim]) for dim in dims if dim in group}
    return xr.Dataset(variables, coords)
