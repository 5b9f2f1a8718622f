"""The topics of all tokens, which stations write to a Zarr store draw by draw if that is asked for.

The store has an array ``z_0``, ``z_1``, ... for each partition, (chain, draw, token), with the
tokens in the order of its documents. A draw of a partition is one chunk, so that no two stations
write to the same file; one that is written again after a worker was lost gets the same topics.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from pymc_medlda._optional import import_optional
from pymc_medlda.distributed.documents import Documents, Topics

SETTINGS = "pymc_medlda_settings"


def import_zarr() -> Any:
    """Return zarr, or say how to install it."""
    return import_optional("zarr", needed_by="z_store", package="zarr", extra="files")


def make_store(
    path: Path, digest: str, n_tokens: list[int], shape: tuple[int, int], dtype: Any
) -> None:
    """Make a store for chains and draws of this shape, unless it is there already.

    ``digest`` says which run it belongs to.
    """
    zarr = import_zarr()
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        # Any other folder or file would be an error of zarr, which does not name the argument.
        is_group = any((path / name).is_file() for name in ("zarr.json", ".zgroup"))
        found = zarr.open_group(str(path), mode="r").attrs.get(SETTINGS) if is_group else None
        if found != digest:
            raise ValueError(f"z_store holds something else: {path}. Give the path of a new folder")
        return
    group = zarr.open_group(str(path), mode="w-")
    for i, n in enumerate(n_tokens):
        array = group.create_dataset(
            f"z_{i}", shape=(*shape, n), chunks=(1, 1, max(n, 1)), dtype=dtype, fill_value=None
        )
        array.attrs["_ARRAY_DIMENSIONS"] = ["chain", "draw", f"token_{i}"]  # for xarray
    # Last: without it the store is not complete.
    group.attrs[SETTINGS] = digest


def write_topics(path: str, place: tuple[int, int], i: int, own: Documents, topics: Topics) -> None:
    """Write the topics of a partition; ``place`` is the chain and the draw."""
    assert own.order is not None
    z = np.empty(sum(part.size for part in topics.z), topics.z[0].dtype)
    for order, part in zip(own.order, topics.z, strict=True):
        z[order] = part
    if z.size:
        with one_thread():
            import_zarr().open_array(path, mode="r+", path=f"z_{i}")[place] = z


@contextmanager
def one_thread() -> Iterator[None]:
    """Let Blosc compress in this thread: its own threads take memory, which may be limited."""
    from numcodecs import blosc

    before, blosc.use_threads = blosc.use_threads, False
    try:
        yield
    finally:
        blosc.use_threads = before
