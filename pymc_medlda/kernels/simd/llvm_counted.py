"""The compiled form of `counted`, registered with numba like that of `lanes` in `llvm`."""

from __future__ import annotations

import functools
from typing import Any

from llvmlite import ir
from numba.core import types

from pymc_medlda.kernels.simd import counted
from pymc_medlda.kernels.simd.emitter import (
    COUNTS,
    DOUBLES,
    INDEX,
    INTEGERS,
    SINGLES,
    Emitter,
    compiled_form_of,
    constant,
)
from pymc_medlda.kernels.simd.lanes import LANES, LARGEST, cumulate


@compiled_form_of(counted.draw_counted, returns=types.int64)
def _draw_counted(code: Emitter) -> Any:
    builder, n = code.builder, len(code.kinds[0])
    begin, j, beta, first, at, stay, u = (code.arguments[i] for i in (2, 3, 4, 6, 8, 9, 10))
    row, weights, lifts = code.data(1, begin), code.data(5, first), code.data(7, at)
    own, betas = code.spread(j, INTEGERS), code.spread(beta)
    is_real = code.kinds[1].dtype == types.float32
    parts: list[Any] = []
    for v in range(n):
        k = INDEX(v * LANES)
        weight = builder.fmul(code.load(weights, k), code.load(lifts, k))
        if is_real:
            count = builder.fpext(code.load(row, k, SINGLES), DOUBLES)
        else:
            count = builder.sitofp(code.load(row, k, COUNTS), DOUBLES)
        part = builder.fmul(weight, builder.fadd(count, betas))
        is_own = builder.icmp_signed("==", _topics(v), own)
        parts.append(builder.select(is_own, constant(0.0), part))
    sums = cumulate(parts, builder.fadd)
    bases, others, carried = code.sums_before(sums[-1])
    kept = builder.fsub(stay, builder.fmul(u, stay))
    reached = builder.fmul(u, others)
    drawn = code.variable(j)
    builder.store(j, drawn)
    zero = ir.Constant(ir.DoubleType(), 0.0)
    with builder.if_then(builder.not_(builder.fcmp_ordered("<", reached, kept))):
        whole = builder.fadd(stay, others)
        border = code.spread(builder.fsub(reached, kept))
        passed = []
        for one in sums:
            cumulated = builder.fadd(bases, builder.fadd(carried, one))
            is_passed = builder.fcmp_ordered("<=", cumulated, border)
            passed.append(builder.ctpop(code.bits(is_passed)))
        place = functools.reduce(builder.add, passed)
        inside = builder.icmp_signed("<", place, INDEX(n * LANES))
        # Read from a table: divisions by n would take longer.
        order = code.table([counted.topic_at(p, n) for p in range(n * LANES)] + [0])
        topic = builder.select(inside, builder.load(builder.gep(order, [INDEX(0), place])), j)
        # A comparison with infinity would become a dozen operations on the bits of the number.
        is_finite = builder.fcmp_ordered("<", whole, ir.Constant(ir.DoubleType(), LARGEST))
        is_finite = builder.and_(is_finite, builder.fcmp_ordered(">", whole, zero))
        builder.store(builder.select(is_finite, topic, INDEX(-1)), drawn)
    return builder.load(drawn)


def _topics(v: int, kind: ir.Type = INTEGERS) -> ir.Constant:
    """Return the topics of a vector."""
    return ir.Constant(kind, list(range(v * LANES, (v + 1) * LANES)))


@compiled_form_of(counted.move_counted, returns=types.none)
def _move_counted(code: Emitter) -> Any:
    builder, n = code.builder, len(code.kinds[0])
    begin, j, new, of_j, of_new, at, and_at = (code.arguments[i] for i in (2, 3, 4, 7, 8, 12, 14))
    row, own, everywhere, factors, weights = (
        code.data(1, begin),
        *(code.data(i) for i in (5, 6, 9, 10)),
    )
    lifts, lowers = code.data(11, at), code.data(13, and_at)
    old_names, new_names = code.spread(j, INTEGERS), code.spread(new, INTEGERS)
    old_prior, new_prior = code.spread(of_j), code.spread(of_new)
    for v in range(n):
        k = INDEX(v * LANES)
        is_old = builder.icmp_signed("==", _topics(v), old_names)
        is_new = builder.icmp_signed("==", _topics(v), new_names)
        change = builder.fmul(code.load(lifts, k), code.load(lowers, k))
        factor = builder.fmul(code.load(factors, k), change)
        code.store(factor, factors, k)
        weight = builder.fmul(code.load(weights, k), change)
        prior = builder.select(is_old, old_prior, new_prior)
        moved = builder.or_(is_old, is_new)
        code.store(builder.select(moved, builder.fmul(prior, factor), weight), weights, k)
        more = builder.sub(builder.sext(is_old, COUNTS), builder.sext(is_new, COUNTS))
        code.store(builder.add(code.load(row, k, COUNTS), more), row, k)
    for topic, change in ((j, -1), (new, 1)):
        for counts, add in ((own, builder.add), (everywhere, builder.fadd)):
            place = builder.gep(counts, [topic])
            count = builder.load(place)
            builder.store(add(count, count.type(change)), place)
    return code.context.get_dummy_value()


@compiled_form_of(counted.fetch_row, returns=types.none)
def _fetch_row(code: Emitter) -> Any:
    row, size = code.data(1, code.arguments[2]), len(code.kinds[0]) * LANES
    for k in counted.lines_of_row(size, code.kinds[1].dtype.bitwidth // 8):
        code.prefetch(code.builder.gep(row, [INDEX(k)]))
    return code.context.get_dummy_value()


@compiled_form_of(counted.item, returns=types.int64)
def _item(code: Emitter) -> Any:
    number = code.builder.load(code.data(0, code.arguments[1]))
    widen = code.builder.sext if code.kinds[0].dtype.signed else code.builder.zext
    return number if number.type.width == INDEX.width else widen(number, INDEX)


@compiled_form_of(counted.fill_prior, returns=types.none)
def _fill_prior(code: Emitter) -> Any:
    builder, (beta_total, change, _, n) = code.builder, code.arguments[3:7]
    counts, alphas, totals, priors = (code.data(i) for i in (0, 1, 2, 5))
    beta_totals, none = code.spread(beta_total), constant(0.0)
    more = code.spread(builder.sitofp(change, ir.DoubleType()))
    with code.loop(INDEX(0), n, LANES) as (k, _):
        count = builder.fadd(builder.sitofp(code.load(counts, k, COUNTS), DOUBLES), more)
        total = builder.fadd(code.load(totals, k), more)
        total = builder.select(builder.fcmp_ordered(">", total, none), total, none)
        above = builder.fadd(count, code.load(alphas, k))
        code.store(builder.fdiv(above, builder.fadd(total, beta_totals)), priors, k)
    return code.context.get_dummy_value()


@compiled_form_of(counted.count_weights, returns=types.float64)
def _count_weights(code: Emitter) -> Any:
    builder, (at, n) = code.builder, code.arguments[2:4]
    counts, weights = code.data(0), code.data(1, at)
    total = code.variable(constant(0.0))
    builder.store(constant(0.0), total)
    with code.loop(INDEX(0), n, LANES) as (k, _):
        count = builder.sitofp(code.load(counts, k, COUNTS), DOUBLES)
        code.add_to(total, builder.fmul(count, code.load(weights, k)))
    return code.fold(builder.load(total), builder.fadd)
