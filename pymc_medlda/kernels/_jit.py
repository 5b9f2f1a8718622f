"""The single numba configuration: every kernel of the package is compiled by `kernel`."""

from __future__ import annotations

import functools
import hashlib
import os
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import filelock
import numba
import numpy as np

# A topic or an offset: an element of an integer array counts as well as a plain integer.
Index = int | np.signedinteger[Any]

Function = TypeVar("Function", bound=Callable[..., Any])


def kernel(function: Function, **more: Any) -> Function:
    """Compile a function with numba, cached on disk, without the interpreter lock.

    No ``fastmath``: a jitted kernel gives bit for bit what ``kernel.py_func`` gives.
    ``error_model="numpy"`` lets divisions vectorise (no Python exception on zero).
    """
    options = {"nogil": True, "error_model": "numpy", **more}
    try:
        compiled: Function = numba.njit(cache=True, **options)(function)
    except RuntimeError as error:  # numba finds no directory it may write to
        if "cannot cache function" not in str(error):
            raise
        _warn_of_no_cache()
        return numba.njit(**options)(function)
    cache: Any = getattr(compiled, "_cache", None)  # None where NUMBA_DISABLE_JIT is set
    if cache is not None:
        # numba asks whether a kernel's own file changed, not the files of what it calls.
        file = cache._cache_file
        file._source_stamp = file._source_stamp, _state_of_sources()
    return compiled


@functools.cache
def _state_of_sources() -> str:
    """Return a fingerprint of all kernels."""
    state = hashlib.sha256()
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        state.update(path.read_bytes())
    return state.hexdigest()


@contextmanager
def alone_beside_the_cache(compiled: Any) -> Iterator[None]:
    """Let one process at a time in: the others wait, and then find what it compiled.

    The lock is a file beside the cache of a kernel, and goes with the process that holds it. Where
    there is no cache to share, or nobody may write to it, there is nothing to wait for.
    """
    lock = None
    folder = getattr(getattr(compiled, "_cache", None), "cache_path", None)
    if folder is not None:
        try:
            os.makedirs(folder, exist_ok=True)
            lock = filelock.FileLock(os.path.join(folder, "compiling.lock"))
            lock.acquire()
        except OSError:
            lock = None
    try:
        yield
    finally:
        if lock is not None:
            lock.release()


@functools.cache
def _warn_of_no_cache() -> None:
    """Say once that kernels are compiled anew in every process, and what to do about it."""
    warnings.warn(
        "no directory to cache compiled kernels in can be written: they are compiled anew in "
        "every process; set NUMBA_CACHE_DIR to one that can",
        RuntimeWarning,
        stacklevel=4,
    )
