"""Reductions in eight lanes: vector instructions, and the same bits on every processor.

A compiler may not reorder a sum of floats, so a plain loop adds one number at a time. Here the
order is part of the definition (lane l takes the numbers l, l + 8, ...; then the lanes fold in
halves), written out for the compiler as operations on vectors of eight, whatever the width of
the registers. Each function is its own definition in plain Python; numba takes the other form.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic, overload

LANES = 8
_VECTOR = ir.VectorType(ir.DoubleType(), LANES)
_INDEX = ir.IntType(64)
SHORT = 4  # lanes for lists that are often shorter than eight
_SHORT_VECTOR = ir.VectorType(ir.DoubleType(), SHORT)
_SHORT_INDICES = ir.VectorType(_INDEX, SHORT)
_PLACE = ir.IntType(32)


def dot(x: Any, at: Any, y: Any, and_at: Any, n: Any) -> Any:
    """Return the sum of x[at + k] * y[and_at + k] over k < n, a multiple of eight."""
    lanes = [0.0] * LANES
    for k in range(n):
        lanes[k % LANES] += x[at + k] * y[and_at + k]
    return _fold(lanes, lambda left, right: left + right)


def largest(x: Any) -> Any:
    """Return the largest number of an array whose size is a multiple of eight."""
    return max(x)


def least(x: Any) -> Any:
    """Return the least number of an array whose size is a multiple of eight."""
    return min(x)


def sum_listed(
    entry: Any, begin: Any, end: Any, j: Any, weight: Any, bound: Any, offset: Any, last: Any
) -> Any:
    """Return the sum of weight[k] * count * bound[offset + min(k, last)] over a word's list.

    Entries are ``count << 16 | k``; that of k = j is left out of the sum and returned beside it.
    Four lanes, as most lists are short. Reads up to three entries past the end, to no effect.
    """
    lanes, own = [0.0] * SHORT, 0
    for e in range(begin, end):
        k, count = int(entry[e]) & 65535, int(entry[e]) >> 16
        if k == j:
            own = int(entry[e])
        else:
            lanes[(e - begin) % SHORT] += weight[k] * count * bound[offset + min(k, last)]
    return _fold(lanes, lambda left, right: left + right), own


def fetch(x: Any, at: Any) -> Any:
    """Ask for x[at] to be brought into the cache, without waiting; ``at`` may be past the end."""


def _fold(values: list[Any], combine: Callable[[Any, Any], Any]) -> Any:
    """Combine the first half with the second until one value is left."""
    while len(values) > 1:
        half = len(values) // 2
        values = [combine(values[i], values[i + half]) for i in range(half)]
    return values[0]


def _reduce(
    builder: ir.IRBuilder,
    n: ir.Value,
    start: float,
    load: Callable[[ir.Value], ir.Value],
    combine: Callable[[ir.Value, ir.Value], ir.Value],
) -> ir.Value:
    """Emit the loop over vectors, then the folding of the lanes."""
    lanes = cgutils.alloca_once_value(builder, ir.Constant(_VECTOR, [start] * LANES))
    bounds = _INDEX(0), n, _INDEX(LANES)
    with cgutils.for_range_slice(builder, *bounds) as (k, _):
        builder.store(combine(builder.load(lanes), load(k)), lanes)
    vector = builder.load(lanes)
    parts = [builder.extract_element(vector, ir.IntType(32)(i)) for i in range(LANES)]
    return _fold(parts, combine)


def _loader(context: Any, builder: ir.IRBuilder, kind: Any, array: Any, at: Any) -> Callable:
    """Return what emits the load of eight numbers of an array, ``at + k`` being the first."""
    data = builder.gep(context.make_array(kind)(context, builder, array).data, [at])

    def load(k: ir.Value) -> ir.Value:
        address = builder.bitcast(builder.gep(data, [k]), _VECTOR.as_pointer())
        return builder.load(address, align=8)

    return load


@intrinsic
def _dot(typing_context: Any, x: Any, at: Any, y: Any, and_at: Any, n: Any) -> Any:
    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        left = _loader(context, builder, signature.args[0], arguments[0], arguments[1])
        right = _loader(context, builder, signature.args[2], arguments[2], arguments[3])
        return _reduce(
            builder,
            arguments[4],
            0.0,
            lambda k: builder.fmul(left(k), right(k)),
            builder.fadd,
        )

    return types.float64(x, types.intp, y, types.intp, types.intp), emit


def _spread(builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
    """Emit a vector with one integer in every lane."""
    nothing = ir.Constant(_SHORT_INDICES, ir.Undefined)
    first = builder.insert_element(nothing, value, _PLACE(0))
    zeros = ir.Constant(ir.VectorType(_PLACE, SHORT), [0] * SHORT)
    return builder.shuffle_vector(first, nothing, zeros)


def _gather(builder: ir.IRBuilder, data: ir.Value, places: ir.Value) -> ir.Value:
    """Emit the load of a number for every lane, each from its own place."""
    vector = ir.Constant(_SHORT_VECTOR, ir.Undefined)
    for lane in range(SHORT):
        place = builder.extract_element(places, _PLACE(lane))
        number = builder.load(builder.gep(data, [place]))
        vector = builder.insert_element(vector, number, _PLACE(lane))
    return vector


@intrinsic
def _sum_listed(
    typing_context: Any,
    entry: Any,
    begin: Any,
    end: Any,
    j: Any,
    weight: Any,
    bound: Any,
    offset: Any,
    last: Any,
) -> Any:
    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        def data(position: int) -> ir.Value:
            kind = signature.args[position]
            return context.make_array(kind)(context, builder, arguments[position]).data

        entries, weights = data(0), data(4)
        bounds = builder.gep(data(5), [arguments[6]])
        stop, own_topic, cap = (_spread(builder, arguments[i]) for i in (2, 3, 7))
        none = ir.Constant(_SHORT_INDICES, [0] * SHORT)
        mask = ir.Constant(_SHORT_INDICES, [65535] * SHORT)
        bits = ir.Constant(_SHORT_INDICES, [16] * SHORT)
        steps = ir.Constant(_SHORT_INDICES, list(range(SHORT)))
        zeros = ir.Constant(_SHORT_VECTOR, [0.0] * SHORT)
        total = cgutils.alloca_once_value(builder, zeros)
        own = cgutils.alloca_once_value(builder, none)
        loop = arguments[1], arguments[2], _INDEX(SHORT)
        with cgutils.for_range_slice(builder, *loop) as (e, _):
            address = builder.bitcast(builder.gep(entries, [e]), _SHORT_INDICES.as_pointer())
            inside = builder.icmp_signed("<", builder.add(_spread(builder, e), steps), stop)
            listed = builder.select(inside, builder.load(address, align=8), none)
            topic = builder.and_(listed, mask)
            count = builder.sitofp(builder.ashr(listed, bits), _SHORT_VECTOR)
            share = builder.fmul(_gather(builder, weights, topic), count)
            low = builder.select(builder.icmp_signed("<", topic, cap), topic, cap)
            share = builder.fmul(share, _gather(builder, bounds, low))
            is_own = builder.icmp_signed("==", topic, own_topic)
            share = builder.select(is_own, zeros, share)
            builder.store(builder.fadd(builder.load(total), share), total)
            found = builder.select(is_own, listed, none)
            builder.store(builder.or_(builder.load(own), found), own)
        results = []
        for lanes, combine in ((total, builder.fadd), (own, builder.or_)):
            vector = builder.load(lanes)
            parts = [builder.extract_element(vector, _PLACE(lane)) for lane in range(SHORT)]
            results.append(_fold(parts, combine))
        return context.make_tuple(builder, signature.return_type, results)

    counted = types.Tuple((types.float64, types.int64))
    index = types.intp
    return counted(entry, index, index, index, weight, bound, index, index), emit


@intrinsic
def _fetch(typing_context: Any, x: Any, at: Any) -> Any:
    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        address = builder.bitcast(builder.gep(array.data, [arguments[1]]), byte)
        builder.call(function, [address, number(0), number(3), number(1)])
        return context.get_dummy_value()

    return types.none(x, types.intp), emit


def _extreme(comparison: str, start: float) -> Any:
    """Make the intrinsic that keeps the number for which the comparison holds."""

    @intrinsic
    def extreme(typing_context: Any, x: Any, n: Any) -> Any:
        def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            def combine(left: ir.Value, right: ir.Value) -> ir.Value:
                keep = builder.fcmp_ordered(comparison, left, right)
                return builder.select(keep, left, right)

            load = _loader(context, builder, signature.args[0], arguments[0], _INDEX(0))
            return _reduce(builder, arguments[1], start, load, combine)

        return types.float64(x, types.intp), emit

    return extreme


_largest = _extreme(">", -np.inf)
_least = _extreme("<", np.inf)


# numba wants an overload's function to have the signature of what it stands for.
@overload(dot)
def _compile_dot(x: Any, at: Any, y: Any, and_at: Any, n: Any) -> Any:
    def compiled(x: Any, at: Any, y: Any, and_at: Any, n: Any) -> Any:
        return _dot(x, at, y, and_at, n)

    return compiled


@overload(sum_listed)
def _compile_sum_listed(
    entry: Any, begin: Any, end: Any, j: Any, weight: Any, bound: Any, offset: Any, last: Any
) -> Any:
    def compiled(
        entry: Any, begin: Any, end: Any, j: Any, weight: Any, bound: Any, offset: Any, last: Any
    ) -> Any:
        return _sum_listed(entry, begin, end, j, weight, bound, offset, last)

    return compiled


@overload(fetch)
def _compile_fetch(x: Any, at: Any) -> Any:
    def compiled(x: Any, at: Any) -> Any:
        return _fetch(x, at)

    return compiled


@overload(largest)
def _compile_largest(x: Any) -> Any:
    def compiled(x: Any) -> Any:
        return _largest(x, x.size)

    return compiled


@overload(least)
def _compile_least(x: Any) -> Any:
    def compiled(x: Any) -> Any:
        return _least(x, x.size)

    return compiled
