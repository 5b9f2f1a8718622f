"""A multiple of a row added to another row, in eight lanes.

As in `simd.lanes`, the definition is plain Python, and numba gets the same as operations on
vectors. A plain loop would not become vector code for rows this short: the compiler cannot know
that the rows do not overlap.
"""

from __future__ import annotations

from typing import Any

from numba.core import types

from pymc_medlda.kernels._jit import kernel
from pymc_medlda.kernels.simd.emitter import INDEX, Emitter, compiled_form_of
from pymc_medlda.kernels.simd.lanes import LANES


@kernel
def padded(n: int) -> int:
    """Return the next multiple of eight, the size of a row in lanes."""
    return -(-n // LANES) * LANES


def add_scaled(x: Any, at: Any, scale: Any, out: Any, and_at: Any, n: Any) -> Any:
    """Add scale * x[at + k] to out[and_at + k] for k < n; n is a multiple of eight."""
    for k in range(n):
        out[and_at + k] += scale * x[at + k]


@compiled_form_of(add_scaled, returns=types.none)
def _add_scaled(code: Emitter) -> Any:
    builder, arguments = code.builder, code.arguments
    row, target = code.data(0, arguments[1]), code.data(3, arguments[4])
    scale = code.spread(arguments[2])
    with code.loop(INDEX(0), arguments[5], LANES) as (k, _):
        product = builder.fmul(scale, code.load(row, k))
        code.store(builder.fadd(code.load(target, k), product), target, k)
    return code.context.get_dummy_value()


def add_product(x: Any, at: Any, y: Any, scale: Any, out: Any, and_at: Any, n: Any) -> Any:
    """Add x[at + k] * (scale * y[k]) to out[and_at + k] for k < n; n is a multiple of eight."""
    for k in range(n):
        out[and_at + k] += x[at + k] * (scale * y[k])


@compiled_form_of(add_product, returns=types.none)
def _add_product(code: Emitter) -> Any:
    builder, arguments = code.builder, code.arguments
    first, out = arguments[1], code.data(4, arguments[5])
    row, other, scale = code.data(0, first), code.data(2), code.spread(arguments[3])
    with code.loop(INDEX(0), arguments[6], LANES) as (k, _):
        scaled = builder.fmul(scale, code.load(other, k))
        own = builder.fmul(code.load(row, k), scaled)
        code.store(builder.fadd(code.load(out, k), own), out, k)
    return code.context.get_dummy_value()
