"""The compiled form of `lanes`: the same operations, emitted as LLVM's operations on vectors.

Imported with the package `simd`, so that numba knows it wherever a kernel calls a function of
`lanes`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types

from pymc_medlda.kernels.simd import lanes
from pymc_medlda.kernels.simd.emitter import (
    COUNTS,
    DOUBLES,
    INDEX,
    INTEGERS,
    PLACE,
    Emitter,
    Vector,
    compiled_form_of,
    constant,
)
from pymc_medlda.kernels.simd.lanes import LANES, N_SINGLE, OWN, SHARED, UNROLLED, fold

_LISTED = types.Tuple((types.float64, types.int64))


@compiled_form_of(lanes.dot, returns=types.float64)
def _dot(code: Emitter) -> Any:
    builder, arguments = code.builder, code.arguments
    left, right = code.data(0, arguments[1]), code.data(2, arguments[3])
    sums = [code.variable(constant(0.0)) for _ in range(UNROLLED)]
    unrolled = builder.and_(arguments[4], INDEX(-UNROLLED * LANES))
    with code.loop(INDEX(0), unrolled, UNROLLED * LANES) as (k, _):
        for v, one in enumerate(sums):
            place = builder.add(k, INDEX(v * LANES))
            code.add_to(one, builder.fmul(code.load(left, place), code.load(right, place)))
    with code.loop(unrolled, arguments[4], LANES) as (k, _):
        code.add_to(sums[0], builder.fmul(code.load(left, k), code.load(right, k)))
    return code.fold(fold([builder.load(one) for one in sums], builder.fadd), builder.fadd)


@compiled_form_of(lanes.combine, returns=types.none)
def _combine(code: Emitter) -> Any:
    builder, arguments = code.builder, code.arguments
    factors, matrix, target = code.data(0), code.data(1), code.data(2, arguments[3])
    n, n_rows = arguments[4], code.array(0).nitems
    with code.loop(INDEX(0), n, LANES) as (k, _):
        total = code.variable(constant(0.0))
        builder.store(constant(0.0), total)
        with code.loop(INDEX(0), n_rows, 1) as (i, _):
            factor = code.spread(builder.load(builder.gep(factors, [i])))
            place = builder.add(builder.mul(i, n), k)
            code.add_to(total, builder.fmul(factor, code.load(matrix, place)))
        code.store(builder.load(total), target, k)
    return code.context.get_dummy_value()


@compiled_form_of(lanes.weigh, returns=types.none)
def _weigh(code: Emitter) -> Any:
    builder, arguments = code.builder, code.arguments
    exponents, priors, target = code.data(0), code.data(1), code.data(2, arguments[3])
    highest = _highest(code, lambda k: code.load(exponents, k), arguments[4])
    with code.loop(INDEX(0), arguments[4], LANES) as (k, _):
        below = builder.fsub(code.load(exponents, k), highest)
        weight = builder.fmul(code.exponential(below), code.load(priors, k))
        code.store(weight, target, k)
    return code.context.get_dummy_value()


@compiled_form_of(lanes.weigh_anew, returns=types.none)
def _weigh_anew(code: Emitter) -> Any:
    builder, (at, n) = code.builder, code.arguments[5:7]
    exponents, lesser, priors = (code.data(position) for position in range(3))
    factors, weights = code.data(3, at), code.data(4, at)

    def exponent(k: ir.Value) -> ir.Value:
        return builder.fsub(code.load(exponents, k), code.load(lesser, k))

    highest = _highest(code, exponent, n)
    with code.loop(INDEX(0), n, LANES) as (k, _):
        factor = code.exponential(builder.fsub(exponent(k), highest))
        code.store(factor, factors, k)
        code.store(builder.fmul(factor, code.load(priors, k)), weights, k)
    return code.context.get_dummy_value()


def _highest(code: Emitter, vector_at: Callable[[Any], Any], n: ir.Value) -> ir.Value:
    """Emit the largest number of all vectors, in every lane."""
    builder = code.builder

    def keep(left: ir.Value, right: ir.Value) -> ir.Value:
        return builder.select(builder.fcmp_ordered(">", left, right), left, right)

    most = code.variable(constant(-np.inf))
    with code.loop(INDEX(0), n, LANES) as (k, _):
        builder.store(keep(builder.load(most), vector_at(k)), most)
    return code.spread(code.fold(builder.load(most), keep))


@compiled_form_of(lanes.exponentials, returns=types.none)
def _exponentials(code: Emitter) -> Any:
    arguments = code.arguments
    source, target = code.data(0, arguments[1]), code.data(2, arguments[3])
    with code.loop(INDEX(0), arguments[4], LANES) as (k, _):
        code.store(code.exponential(code.load(source, k)), target, k)
    return code.context.get_dummy_value()


@compiled_form_of(lanes.supervise, returns=types.none)
def _supervise(code: Emitter) -> Any:
    builder, arguments = code.builder, code.arguments
    linear, quadratic, top = (Vector(builder, code.spread(x)) for x in arguments[1:4])
    etas, priors, factors, weights = (code.data(position) for position in (0, 4, 5, 6))
    with code.loop(INDEX(0), arguments[7], LANES) as (k, _):
        eta = Vector(builder, code.load(etas, k))
        exponent = eta * (linear - quadratic * eta) - top
        factor = code.exponential(exponent.value)
        code.store(factor, factors, k)
        code.store(builder.fmul(factor, code.load(priors, k)), weights, k)
    return code.context.get_dummy_value()


@compiled_form_of(lanes.bound_groups, returns=types.float64)
def _bound_groups(code: Emitter) -> Any:
    builder, arguments = code.builder, code.arguments
    reached = code.load(code.data(1, arguments[2]), INDEX(0))
    reached = builder.insert_element(reached, arguments[3], PLACE(OWN))
    bounds = code.exponential(builder.fmul(code.spread(arguments[0]), reached))
    code.store(bounds, code.data(5, arguments[6]), INDEX(0))
    masses = code.load(code.data(4), INDEX(0))
    return code.fold(builder.fmul(bounds, masses), builder.fadd)


def _emit_list(
    code: Emitter,
    weights: ir.Value,
    shares: ir.Value,
    bound_of: Callable[[Any], Any] | None = None,
) -> ir.Value:
    """Emit the loop over a word's list; both sums over a list have the same first arguments."""
    builder, (begin, end, j) = code.builder, code.arguments[1:4]
    entries = code.data(0, begin)
    n = builder.sub(end, begin)
    stop, own_topic = code.spread(n, INTEGERS), code.spread(j, INTEGERS)
    steps = ir.Constant(INTEGERS, list(range(LANES)))
    mask = ir.Constant(INTEGERS, [65535] * LANES)
    none = ir.Constant(INTEGERS, [0] * LANES)
    total, own = code.variable(constant(0.0)), code.variable(INDEX(0))
    with code.loop(INDEX(0), n, LANES) as (e, _):
        places = builder.add(code.spread(e, INTEGERS), steps)
        inside = builder.icmp_signed("<", places, stop)
        listed = builder.select(inside, code.load(entries, e, INTEGERS), none)
        vector = builder.and_(listed, mask)
        # The topics are read again one by one, as the lowest two bytes of each entry: this is
        # faster than taking the vector apart. Past the end of the list there are other
        # topics; their count was set to zero.
        first = builder.bitcast(builder.gep(entries, [e]), ir.IntType(16).as_pointer())
        topics = [
            builder.zext(builder.load(builder.gep(first, [INDEX(4 * lane)])), INDEX)
            for lane in range(LANES)
        ]
        share = builder.fmul(_gather(builder, weights, topics), _count(builder, listed))
        if bound_of is not None:
            share = builder.fmul(share, bound_of(vector))
        is_own = builder.and_(inside, builder.icmp_signed("==", vector, own_topic))
        share = builder.select(is_own, constant(0.0), share)
        code.store(share, shares, e)
        code.add_to(total, share)
        found = builder.zext(builder.bitcast(is_own, ir.IntType(LANES)), INDEX)
        place = builder.add(e, builder.cttz(found, ir.IntType(1)(0)))
        is_here = builder.icmp_signed("!=", found, INDEX(0))
        builder.store(builder.select(is_here, place, builder.load(own)), own)
    results = [code.fold(builder.load(total), builder.fadd), builder.load(own)]
    return code.context.make_tuple(builder, _LISTED, results)


def _count(builder: ir.IRBuilder, entries: ir.Value) -> ir.Value:
    """Emit the counts of entries as floats: put into the low bits of 2⁵², which is subtracted.

    Most processors have no vector instruction that converts integers of 64 bits to floats, or that
    shifts them and keeps their sign.
    """
    count = builder.lshr(entries, ir.Constant(INTEGERS, [16] * LANES))
    raised = builder.or_(count, ir.Constant(INTEGERS, [0x433 << 52] * LANES))
    return builder.fsub(builder.bitcast(raised, DOUBLES), constant(2.0**52))


def _gather(builder: ir.IRBuilder, data: ir.Value, places: list[ir.Value]) -> ir.Value:
    """Emit loads of one number per lane, each from its own place."""
    vector = ir.Constant(DOUBLES, ir.Undefined)
    for lane, place in enumerate(places):
        number = builder.load(builder.gep(data, [place]))
        vector = builder.insert_element(vector, number, PLACE(lane))
    return vector


@compiled_form_of(lanes.sum_grouped, returns=_LISTED)
def _sum_grouped(code: Emitter) -> Any:
    builder, arguments = code.builder, code.arguments
    names, numbers = code.data(5), code.data(6, arguments[7])

    def element(pointer: ir.Value, lane: int) -> ir.Value:
        return builder.load(builder.gep(pointer, [INDEX(lane)]))

    owners = [code.spread(element(names, lane), INTEGERS) for lane in range(N_SINGLE)]
    bounds = [code.spread(element(numbers, lane)) for lane in range(N_SINGLE + 1)]

    def bound_of(vector: ir.Value) -> ir.Value:
        chosen = bounds[SHARED]
        for owner, one in zip(owners, bounds[:N_SINGLE], strict=True):
            chosen = builder.select(builder.icmp_signed("==", vector, owner), one, chosen)
        return chosen

    return _emit_list(code, code.data(4), code.data(8), bound_of)


@compiled_form_of(lanes.sum_listed, returns=_LISTED)
def _sum_listed(code: Emitter) -> Any:
    return _emit_list(code, code.data(4, code.arguments[5]), code.data(6))


@compiled_form_of(lanes.multiply, returns=types.float64)
def _multiply(code: Emitter) -> Any:
    builder, arguments = code.builder, code.arguments
    left, right = code.data(0), code.data(1, arguments[2])
    target, own = code.data(3, arguments[4]), code.spread(arguments[5], INTEGERS)
    steps = ir.Constant(INTEGERS, list(range(LANES)))
    total = code.variable(constant(0.0))
    with code.loop(INDEX(0), arguments[6], LANES) as (k, _):
        product = builder.fmul(code.load(left, k), code.load(right, k))
        topic = builder.add(code.spread(k, INTEGERS), steps)
        is_own = builder.icmp_signed("==", topic, own)
        product = builder.select(is_own, constant(0.0), product)
        code.store(product, target, k)
        code.add_to(total, product)
    return code.fold(builder.load(total), builder.fadd)


@compiled_form_of(lanes.occupied, returns=types.int64)
def _occupied(code: Emitter) -> Any:
    builder, arguments = code.builder, code.arguments
    _, width = cgutils.unpack_tuple(builder, code.array(0).shape)
    place = builder.add(builder.mul(arguments[1], width), arguments[2])
    counts = code.load(code.data(0), place, COUNTS)
    positive = builder.icmp_signed(">", counts, ir.Constant(COUNTS, [0] * LANES))
    return builder.zext(builder.bitcast(positive, ir.IntType(LANES)), INDEX)


@compiled_form_of(lanes.fetch, returns=types.none)
def _fetch(code: Emitter) -> Any:
    code.prefetch(code.data(0, code.arguments[1]))
    return code.context.get_dummy_value()
