"""How a sweep is compiled: a loop, and the named pieces that are copied into it.

numba counts references to every array that a function takes from a tuple or passes on, and a call
with many arrays is slow. Pieces are therefore copied into their loop, and neither counts
references: the caller holds all arrays, and nothing here allocates or returns one. So pieces may
take their arrays in named tuples, and the loop runs as fast as if it were written in one piece.
"""

from __future__ import annotations

from pymc_medlda.kernels._jit import Function, kernel


def piece(function: Function) -> Function:
    """Compile a part of a sweep, to be copied into the loop that calls it."""
    return kernel(function, inline="always", _nrt=False)


def loop(function: Function) -> Function:
    """Compile a sweep whose pieces are copied into it."""
    return kernel(function, _nrt=False)
