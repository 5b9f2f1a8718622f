"""`read_run`: a run from a NetCDF file or a Zarr store, finished or not."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import xarray as xr

from pymc_medlda._compat.arviz import from_groups, group_names, read_netcdf
from pymc_medlda._optional import import_optional
from pymc_medlda.run.stored_chains import StoredChains, is_from_trace, with_own_names
from pymc_medlda.run.trace_store import STATE, TraceStore
from pymc_medlda.run.zarr_arrays import check_blocks

HDF5 = b"\x89HDF\r\n\x1a\n"
HOLDING = ("posterior", "predictions")
"""A run has one of these groups."""
ALLOWED = (
    "expected a NetCDF file (idata.to_netcdf), a Zarr store (idata.to_zarr), or the store of a "
    "ZarrTrace that pm.sample has written to"
)


def read_run(path: Any, *, chains: Sequence[Any] | None = None) -> Any:
    """Read a run from a NetCDF file or a Zarr store, also one that was killed before its end.

    With ``pm.sample(trace=ZarrTrace(store=path))`` PyMC writes every draw to ``path`` as soon as
    it is made. Whatever stops the run, be it ``kill -9``, a full disk or an interrupt, the draws
    written so far can be read, also while the run continues. A draw counts if all its variables
    and statistics are there.

    The object equals what ``pm.sample(discard_tuned_samples=False)`` would have returned: integers
    stay integers, statistics have their own names, and the warm-up is in groups of its own.

    Chains that were stopped may have different lengths. All are cut to the draws that every chain
    has, and chains without draws after the warm-up are left out. A warning tells how many draws
    lie beyond the cut. They stay in the store: ``chains`` reads single chains in full,
    `last_points` continues every chain from its own last draw, and `join_runs` keeps them all. If
    no chain has left the warm-up, the posterior has no draws.

    Parameters
    ----------
    path : str or path
        A NetCDF file, a Zarr store (a folder, or a zip file of it), or the store of a
        ``ZarrTrace``. Needs the extra ``files``.
    chains : list, optional
        The chains to read, by default all.

    Returns
    -------
    InferenceData or DataTree
        What ``pm.sample`` returns in the installed generation of PyMC, in memory.

    Examples
    --------
    >>> import tempfile, pymc_medlda as med
    >>> path = tempfile.mkdtemp() + "/run.nc"
    >>> _ = idata.to_netcdf(path)
    >>> dict(med.read_run(path, chains=[1])["posterior"]["eta"].sizes)
    {'chain': 1, 'draw': 20, 'topic': 2}
    """
    if chains is not None and (isinstance(chains, str) or not isinstance(chains, Iterable)):
        raise TypeError(f"chains must be a list of chains or None for all of them, got {chains!r}")
    trace = open_trace(path)
    if trace is not None:
        return from_groups(read_trace(path, trace).cut(f"the run {path}", chains))
    idata = _read_finished(path)
    if not set(HOLDING) & set(group_names(idata)):
        raise ValueError(f"{path} holds no posterior: {ALLOWED}")
    if chains is not None:
        return from_groups(StoredChains.of(idata).cut(f"the run {path}", chains))
    return complete(idata, f"the run {path}")


def is_path(source: Any) -> bool:
    """Tell whether a run was given by its path."""
    return isinstance(source, (str, os.PathLike))


def complete(source: Any, name: str = "idata") -> Any:
    """Return a run given as an object or a path as an object, with only the draws that were made.

    The object that ``pm.sample`` returns for a ``ZarrTrace`` gets the names that all others have.
    """
    if is_path(source):
        return read_run(source)
    if not is_from_trace(source):
        return source
    return from_groups(StoredChains.of(source).cut(name))


def open_trace(path: Any) -> TraceStore | None:
    """Return the store of a ``ZarrTrace``; None for another file or store."""
    root = _open_zarr(path)
    if root is None:
        return None
    if STATE in root:
        return _guard(path, TraceStore, root)
    # PyMC creates this group last, before the first draw.
    arrays = [array for name in HOLDING for array in _draws_of(root, name)]
    if not any(array.nchunks_initialized for array in arrays):
        raise ValueError(
            f"{path} holds no draws: sampling stopped before the first one, or {ALLOWED}"
        )
    return None


def _draws_of(root: Any, name: str) -> list[Any]:
    return [a for _, a in root[name].arrays() if a.ndim > 1] if name in root else []


def read_trace(path: Any, trace: TraceStore) -> StoredChains:
    """Read all complete draws of every chain."""
    return with_own_names(_guard(path, trace.read_chains))


def _open_zarr(path: Any) -> Any:
    """Return the root of a Zarr store; None for a file that is none."""
    if not is_path(path):
        raise TypeError(f"path must be a str or a path, got {path!r} ({type(path).__name__})")
    if not os.fspath(path):
        raise ValueError(f"path is empty: {ALLOWED}")
    if not Path(path).exists():
        raise FileNotFoundError(f"there is no file or folder {path}: {ALLOWED}")
    if not Path(path).is_dir() and not zipfile.is_zipfile(path):
        return None
    zarr = import_optional("zarr", needed_by="reading a Zarr store", package="zarr", extra="files")
    name = os.fspath(Path(path))
    store = zarr.ZipStore(name, mode="r") if Path(path).is_file() else name
    try:
        root = zarr.open_group(store, mode="r")
    except Exception as error:
        raise ValueError(f"{path} is not a Zarr store: {ALLOWED}") from error
    if not set(HOLDING) & set(root) and (Path(path).parent / ".zgroup").exists():
        raise ValueError(
            f"{path} is a group of a Zarr store: give the store itself, {Path(path).parent}"
        )
    return root


def _read_finished(path: Any) -> Any:
    """Read what ArviZ or xarray wrote."""
    root = _open_zarr(path)
    if root is not None:
        return from_groups(
            {name: _guard(path, _read_group, root, name) for name in root.group_keys()}
        )
    with Path(path).open("rb") as file:
        if file.read(len(HDF5)) != HDF5:
            raise ValueError(f"{path} is not a NetCDF file: {ALLOWED}")
    import_optional(
        "h5netcdf", needed_by="reading a NetCDF file", package="h5netcdf", extra="files"
    )
    return _guard(path, read_netcdf, os.fspath(Path(path)))


def _read_group(root: Any, name: str) -> xr.Dataset:
    """Read a group of a Zarr store; xarray would turn integers with a fill value into floats."""
    check_blocks(root[name])
    dataset: xr.Dataset = xr.open_dataset(
        root.store, engine="zarr", group=name, consolidated=False, mask_and_scale=False
    ).load()
    for variable in dataset.variables.values():
        variable.attrs.pop("_FillValue", None)
    return dataset


def _guard(path: Any, read: Any, *arguments: Any) -> Any:
    """Read, and name the file in the error if it is damaged."""
    try:
        return read(*arguments)
    except Exception as error:  # the libraries below raise errors of many kinds
        raise ValueError(f"{path} is damaged and cannot be read: {error!r}") from error
