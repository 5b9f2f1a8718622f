"""The single numba configuration: every kernel of the package is compiled by `kernel`."""

from __future__ import annotations

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
    compiled: Function = numba.njit(cache=True, nogil=True, error_model="numpy")(function)
    return compiled
