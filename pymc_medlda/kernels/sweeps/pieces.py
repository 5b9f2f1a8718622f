"""How a sweep is compiled: a loop, and the named pieces that are copied into it.

By default numba counts references to every array that a function takes from a tuple or passes on,
and a call with many arrays is slow. Pieces are therefore copied into the loop that calls them, and
neither pieces nor loops count references. This is safe because the caller holds all arrays, and
because no piece and no loop allocates or returns an array. So pieces may take their arrays in named
tuples, and the loop is as fast as if it were one long function.
"""

from __future__ import annotations

from typing import Any

from numba.core.options import DefaultOptions

from pymc_medlda.kernels._jit import Function, kernel

# The switch is private to numba. A version without it would compile slower, but equal, code.
_NO_REFERENCES: dict[str, Any] = {"_nrt": False} if hasattr(DefaultOptions, "_nrt") else {}


def piece(function: Function) -> Function:
    """Compile a part of a sweep, to be copied into the loop that calls it."""
    return kernel(function, inline="always", **_NO_REFERENCES)


def loop(function: Function) -> Function:
    """Compile a sweep whose pieces are copied into it."""
    return kernel(function, **_NO_REFERENCES)
