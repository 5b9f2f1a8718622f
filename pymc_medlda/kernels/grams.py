"""Sums of products of topic shares over documents, for few topics and one task, in eight lanes.

Where there are few topics, a loop over those that occur in a document costs most where it ends: the
processor cannot predict it. Here all topics are added, four rows of the sum at a time, which stay
in registers while documents pass. Sums are made in the order of the documents, and zeros change
nothing, so the result is that of a loop over the topics that occur, bit for bit.

As in `simd.lanes`, definitions are plain Python, and numba gets the same as operations on vectors.
Symbols: a, b the augmented loss (log factor b F - a F²/2), z̄_d = C_d / N_d.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types

from pymc_medlda.kernels._jit import kernel
from pymc_medlda.kernels.adding import add_scaled, padded
from pymc_medlda.kernels.simd.emitter import (
    COUNTS,
    DOUBLES,
    INDEX,
    PLACE,
    Emitter,
    compiled_form_of,
)
from pymc_medlda.kernels.simd.lanes import LANES

ROWS = 4  # of the sum, in registers at a time
AT_ONCE = 256  # documents whose shares are in the processor's cache at a time


def sum_counts(counts: Any, d: Any, n: Any) -> Any:
    """Return the sum of counts[d, k] over k < n, for n of eight or more."""
    return sum(int(counts[d, k]) for k in range(n))


@compiled_form_of(sum_counts, returns=types.int64)
def _sum_counts(code: Emitter) -> Any:
    builder, n = code.builder, code.arguments[2]
    nothing = ir.Constant(COUNTS, [0] * LANES)
    total = code.variable(nothing)
    builder.store(nothing, total)
    with code.loop(INDEX(0), builder.and_(n, INDEX(-LANES)), LANES) as (k, _):
        row = code.load(_row_of(code), k, COUNTS)
        builder.store(builder.add(builder.load(total), row), total)
    # The last eight, without those that the loop has added.
    last = code.load(_row_of(code), builder.sub(n, INDEX(LANES)), COUNTS)
    n_new = builder.trunc(builder.and_(n, INDEX(LANES - 1)), PLACE)
    from_the_end = ir.Constant(COUNTS, list(range(LANES, 0, -1)))
    is_new = builder.icmp_signed("<=", from_the_end, code.spread(n_new, COUNTS))
    whole = builder.add(builder.load(total), builder.select(is_new, last, nothing))
    return builder.sext(code.fold(whole, builder.add), INDEX)


def scale_counts(
    counts: Any, d: Any, share: Any, a: Any, shares: Any, scaled: Any, at: Any, n: Any
) -> Any:
    """Write counts[d, k] * share to shares[at + k], and a times it to ``scaled``, for k < n.

    There are eight topics or more.
    """
    for k in range(n):
        shares[at + k] = counts[d, k] * share
        scaled[at + k] = a * shares[at + k]


@compiled_form_of(scale_counts, returns=types.none)
def _scale_counts(code: Emitter) -> Any:
    builder, arguments = code.builder, code.arguments
    share, factor = code.spread(arguments[2]), code.spread(arguments[3])
    shares, scaled = code.data(4, arguments[6]), code.data(5, arguments[6])

    def write(k: ir.Value) -> None:
        counts = builder.sitofp(code.load(_row_of(code), k, COUNTS), DOUBLES)
        own = builder.fmul(counts, share)
        code.store(own, shares, k)
        code.store(builder.fmul(factor, own), scaled, k)

    last = builder.sub(arguments[7], INDEX(LANES))
    with code.loop(INDEX(0), last, LANES) as (k, _):
        write(k)
    write(last)  # may write some of them twice
    return code.context.get_dummy_value()


def _row_of(code: Emitter) -> Any:
    """Return the address of row ``arguments[1]`` of the table that is the first argument."""
    _, width = cgutils.unpack_tuple(code.builder, code.array(0).shape)
    return code.data(0, code.builder.mul(code.arguments[1], width))


def add_products(scaled: Any, shares: Any, n: Any, width: Any, k: Any, first: Any, out: Any) -> Any:
    """Add products of topics k to k + 3 with eight topics from ``first`` on, over n documents."""
    for i in range(ROWS):
        for lane in range(LANES):
            for d in range(n):
                product = scaled[d * width + k + i] * shares[d * width + first + lane]
                out[(k + i) * width + first + lane] += product


@compiled_form_of(add_products, returns=types.none)
def _add_products(code: Emitter) -> Any:
    builder = code.builder
    n, width, k, first = code.arguments[2:6]
    left, right, out = code.data(0, k), code.data(1, first), code.data(6, first)
    places = [builder.mul(builder.add(k, INDEX(i)), width) for i in range(ROWS)]
    totals = [code.variable(ir.Constant(DOUBLES, ir.Undefined)) for _ in range(ROWS)]
    for total, place in zip(totals, places, strict=True):
        builder.store(code.load(out, place), total)
    with code.loop(INDEX(0), n, 1) as (d, _):
        at = builder.mul(d, width)
        row = code.load(right, at)
        for i, total in enumerate(totals):
            factor = builder.load(builder.gep(left, [builder.add(at, INDEX(i))]))
            code.add_to(total, builder.fmul(code.spread(factor), row))
    for total, place in zip(totals, places, strict=True):
        code.store(builder.load(total), out, place)
    return code.context.get_dummy_value()


@kernel
def accumulate_densely(
    document_topic: np.ndarray, a: np.ndarray, b: np.ndarray, gram: np.ndarray, linear: np.ndarray
) -> None:
    """Add sum_d a_d z̄_d z̄_dᵀ and sum_d b_d z̄_d of one task, to one triangle.

    There are eight topics or more. ``gram`` is square; it and ``linear`` have as many columns as
    `padded` gives for the topics.
    """
    n_documents, n_topics = document_topic.shape
    width = padded(n_topics)
    shares, scaled = np.zeros(AT_ONCE * width), np.zeros(AT_ONCE * width)
    flat, flat_linear = gram.reshape(-1), linear.reshape(-1)
    for begin in range(0, n_documents, AT_ONCE):
        n = min(AT_ONCE, n_documents - begin)
        for d in range(begin, begin + n):
            share = 1.0 / max(sum_counts(document_topic, d, n_topics), 1)
            at = (d - begin) * width
            scale_counts(document_topic, d, share, a[d, 0], shares, scaled, at, n_topics)
        for d in range(n):
            add_scaled(shares, d * width, b[begin + d, 0], flat_linear, 0, width)
        for k in range(0, n_topics, ROWS):
            for first in range(0, k + 1, LANES):
                add_products(scaled, shares, n, width, k, first, flat)
