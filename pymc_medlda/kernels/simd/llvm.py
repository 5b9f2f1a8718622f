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
    INDEX,
    INTEGERS,
    Emitter,
    Vector,
    compiled_form_of,
    constant,
)
from pymc_medlda.kernels.simd.exponential import of_both_signs
from pymc_medlda.kernels.simd.lanes import LANES, UNROLLED, fold


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


@compiled_form_of(lanes.exponentials_of_both_signs, returns=types.none)
def _exponentials_of_both_signs(code: Emitter) -> Any:
    source, (at, n) = code.data(0), code.arguments[3:5]
    targets = [code.data(position, at) for position in (1, 2)]
    with code.loop(INDEX(0), n, LANES) as (k, _):
        numbers = Vector(code.builder, code.load(source, k))
        for value, target in zip(of_both_signs.py_func(numbers), targets, strict=True):  # type: ignore[attr-defined]
            code.store(value.value, target, k)
    return code.context.get_dummy_value()


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
