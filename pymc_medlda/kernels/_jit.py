"""The single numba configuration: every kernel of the package is compiled by `kernel`."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any, TypeVar

import numba
import numpy as np

# A topic or an offset: an element of an integer array counts as well as a plain integer.
Index = int | np.signedinteger[Any]

Function = TypeVar("Function", bound=Callable[..., Any])


def kernel(function: Function) -> Function:
    """Compile a function with numba, cached on disk, without the interpreter lock.

    No ``fastmath``: a jitted kernel gives bit for bit what ``kernel.py_func`` gives.
    ``error_model="numpy"`` lets divisions vectorise (no Python exception on zero).
    """
    options = {"nogil": True, "error_model": "numpy"}
    try:
        compiled: Function = numba.njit(cache=True, **options)(function)
    except RuntimeError as error:  # numba finds no directory it may write to
        if "cannot cache function" not in str(error):
            raise
        _warn_of_no_cache()
        compiled = numba.njit(**options)(function)
    return compiled


@functools.cache
def _warn_of_no_cache() -> None:
    """Say once that kernels are compiled anew in every process, and what to do about it."""
    warnings.warn(
        "no directory to cache compiled kernels in can be written: they are compiled anew in "
        "every process; set NUMBA_CACHE_DIR to one that can",
        RuntimeWarning,
        stacklevel=4,
    )
