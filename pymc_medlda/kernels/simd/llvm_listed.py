"""The compiled form of `listed`, registered with numba like that of `lanes` in `llvm`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.core import types

from pymc_medlda.kernels.simd import listed
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
from pymc_medlda.kernels.simd.exponential import LOWEST
from pymc_medlda.kernels.simd.lanes import HALF, LANES, UNROLLED, fold
from pymc_medlda.kernels.simd.listed import OWN, TAG

_LISTED = types.Tuple((types.float64, types.int64))
_STEPS = ir.Constant(INTEGERS, list(range(LANES)))


@compiled_form_of(listed.supervise, returns=types.none)
def _supervise(code: Emitter) -> Any:
    builder, arguments = code.builder, code.arguments
    linear, quadratic, top = (Vector(builder, code.spread(x)) for x in arguments[1:4])
    etas, priors, groups, factors, weights = (code.data(position) for position in (0, 4, 5, 6, 7))
    with code.loop(INDEX(0), arguments[8], LANES) as (k, _):
        eta = Vector(builder, code.load(etas, k))
        exponent = (eta * (linear - quadratic * eta) - top).value
        is_reached = builder.fcmp_ordered(">", exponent, constant(LOWEST))
        factor = builder.select(is_reached, code.above(exponent), constant(0.0))
        code.store(factor, factors, k)
        weight = builder.fmul(factor, code.load(priors, k))
        bits = builder.and_(
            builder.bitcast(weight, INTEGERS), ir.Constant(INTEGERS, [~TAG] * LANES)
        )
        tagged = builder.bitcast(builder.or_(bits, code.load(groups, k, INTEGERS)), DOUBLES)
        is_positive = builder.fcmp_ordered(">", weight, constant(0.0))
        code.store(builder.select(is_positive, tagged, constant(0.0)), weights, k)
    return code.context.get_dummy_value()


@compiled_form_of(listed.bound_groups, returns=types.none)
def _bound_groups(code: Emitter) -> Any:
    builder, (slope, _, own, _) = code.builder, code.arguments
    low, high = (
        builder.fmul(
            code.spread(slope),
            builder.insert_element(code.load(code.data(1), INDEX(first)), own, PLACE(OWN)),
        )
        for first in (0, LANES)
    )
    level = builder.select(builder.fcmp_ordered(">", low, high), low, high)
    code.store(code.above(level), code.data(3), INDEX(0))
    return code.context.get_dummy_value()


def _emit_list(
    code: Emitter,
    weights: ir.Value,
    shares: ir.Value,
    bound_of: Callable[[Any], Any] | None = None,
    gains: ir.Value | None = None,
) -> ir.Value:
    """Emit the loop over a word's list; all sums over a list have the same first arguments.

    ``gains`` is the address of what stands for the count of the first entry of all lists.
    """
    builder, (begin, end, j) = code.builder, code.arguments[1:4]
    kind, entries = _entries(code, begin)
    again = code.hide(entries)
    n = builder.sub(end, begin)
    total, own = code.variable(constant(0.0)), code.variable(INDEX(0))
    with code.loop(INDEX(0), n, LANES) as (e, _):
        inside = _is_inside(code, kind, e, n)
        listed_here = builder.select(inside, code.load(entries, e, kind), _spread_constant(kind, 0))
        # The topics are read again one by one, as the lowest two bytes of each entry: this is
        # faster than taking the vector apart, which LLVM would do if it knew the address.
        # Past the end of the list there are other topics; their count was set to zero.
        width = kind.element.width // 16
        first = builder.bitcast(builder.gep(again, [e]), ir.IntType(16).as_pointer())
        topics = [
            builder.zext(builder.load(place, align=2), INDEX)
            for place in (builder.gep(first, [INDEX(width * lane)]) for lane in range(LANES))
        ]
        weight = _gather(builder, weights, topics)
        if gains is None:
            count = _count(builder, kind, listed_here)
        else:
            gain = code.load(builder.gep(gains, [begin]), e)
            count = builder.select(inside, gain, constant(0.0))
        share = builder.fmul(weight, count)
        if bound_of is not None:
            share = builder.fmul(share, bound_of(weight))
        is_own = builder.and_(inside, _has_topic(code, kind, listed_here, j))
        code.add_to(total, builder.select(is_own, constant(0.0), share))
        code.store(builder.load(total), shares, e)
        found = code.bits(is_own)
        place = builder.add(e, builder.cttz(found, ir.IntType(1)(0)))
        is_here = builder.icmp_signed("!=", found, INDEX(0))
        builder.store(builder.select(is_here, place, builder.load(own)), own)
    results = [code.fold(builder.load(total), builder.fadd), builder.load(own)]
    return code.context.make_tuple(builder, _LISTED, results)


def _entries(code: Emitter, begin: ir.Value) -> tuple[ir.Type, ir.Value]:
    """Return the type of eight entries, the first argument, and the address of one of them."""
    kind = COUNTS if code.kinds[0].dtype.bitwidth == 32 else INTEGERS
    return kind, code.data(0, begin)


def _spread_constant(kind: ir.Type, number: int) -> ir.Value:
    return ir.Constant(kind, [number] * LANES)


def _spread_index(code: Emitter, kind: ir.Type, index: ir.Value) -> ir.Value:
    """Emit an index in every lane; no list is so long that its places need more than 32 bits."""
    own = index if kind == INTEGERS else code.builder.trunc(index, kind.element)
    return code.spread(own, kind)


def _is_inside(code: Emitter, kind: ir.Type, e: ir.Value, n: ir.Value) -> ir.Value:
    """Emit which of eight places from ``e`` on are below ``n``."""
    steps = ir.Constant(kind, list(range(LANES)))
    left = _spread_index(code, kind, code.builder.sub(n, e))
    return code.builder.icmp_signed("<", steps, left)


def _has_topic(code: Emitter, kind: ir.Type, entries: ir.Value, j: ir.Value) -> ir.Value:
    """Emit which entries are of topic j."""
    topics = code.builder.and_(entries, _spread_constant(kind, 65535))
    return code.builder.icmp_signed("==", topics, _spread_index(code, kind, j))


def _count(builder: ir.IRBuilder, kind: ir.Type, entries: ir.Value) -> ir.Value:
    """Emit the counts of entries as floats.

    Most processors have no vector instruction that converts integers of 64 bits to floats, or that
    shifts them and keeps their sign. Such counts are put into the low bits of 2⁵², which is then
    subtracted.
    """
    count = builder.lshr(entries, _spread_constant(kind, 16))
    if kind == COUNTS:
        return builder.sitofp(count, DOUBLES)
    raised = builder.or_(count, ir.Constant(INTEGERS, [0x433 << 52] * LANES))
    return builder.fsub(builder.bitcast(raised, DOUBLES), constant(2.0**52))


def _gather(builder: ir.IRBuilder, data: ir.Value, places: list[ir.Value]) -> ir.Value:
    """Emit loads of one number per lane, each from its own place."""
    vector = ir.Constant(DOUBLES, ir.Undefined)
    for lane, place in enumerate(places):
        number = builder.load(builder.gep(data, [place]))
        vector = builder.insert_element(vector, number, PLACE(lane))
    return vector


def _choose_bounds(code: Emitter) -> Callable[[ir.Value], ir.Value]:
    """Emit the load of the bounds; return what emits the choice of one for each tagged weight."""
    bounds = code.load(code.data(5), code.arguments[6])
    return lambda weight: code.look_up(bounds, code.builder.bitcast(weight, INTEGERS))


@compiled_form_of(listed.sum_grouped, returns=_LISTED)
def _sum_grouped(code: Emitter) -> Any:
    return _emit_list(code, code.data(4), code.data(7), _choose_bounds(code))


@compiled_form_of(listed.sum_grouped_gains, returns=_LISTED)
def _sum_grouped_gains(code: Emitter) -> Any:
    return _emit_list(code, code.data(4), code.data(7), _choose_bounds(code), code.data(8))


@compiled_form_of(listed.sum_listed, returns=_LISTED)
def _sum_listed(code: Emitter) -> Any:
    return _emit_list(code, code.data(4, code.arguments[5]), code.data(6))


@compiled_form_of(listed.sum_listed_gains, returns=_LISTED)
def _sum_listed_gains(code: Emitter) -> Any:
    weights = code.data(4, code.arguments[5])
    return _emit_list(code, weights, code.data(6), gains=code.data(7))


@compiled_form_of(listed.choose_listed, returns=types.int64)
def _choose_listed(code: Emitter) -> Any:
    builder, (x, _, n) = code.builder, code.arguments
    shares, border = code.data(1), code.spread(x)
    last = builder.and_(builder.sub(n, INDEX(1)), INDEX(-LANES))
    ends = code.load(shares, last)
    bases, _, carried = code.sums_before(ends)

    def passed(sums: ir.Value) -> ir.Value:
        cumulated = builder.fadd(bases, builder.fadd(carried, sums))
        return builder.ctpop(code.bits(builder.fcmp_ordered("<=", cumulated, border)))

    lanes_passed = passed(ends)
    count = code.variable(INDEX(0))
    with code.loop(INDEX(0), n, LANES) as (e, _):
        here = passed(code.load(shares, e))
        builder.store(builder.add(builder.load(count), here), count)
    n_vectors = builder.lshr(builder.add(last, INDEX(LANES)), INDEX(3))
    vector = builder.sub(builder.load(count), builder.mul(lanes_passed, n_vectors))
    half = builder.mul(builder.and_(lanes_passed, INDEX(1)), INDEX(HALF))
    lane = builder.add(builder.lshr(lanes_passed, INDEX(1)), half)
    place = builder.add(builder.mul(vector, INDEX(LANES)), lane)
    is_inside = builder.icmp_signed("<", lanes_passed, INDEX(LANES))
    return builder.select(is_inside, place, INDEX(-1))


@compiled_form_of(listed.find_listed, returns=types.int64)
def _find_listed(code: Emitter) -> Any:
    builder, (_, begin, end, k) = code.builder, code.arguments
    kind, entries = _entries(code, begin)
    n = builder.sub(end, begin)
    place = code.variable(INDEX(-1))
    with code.loop(INDEX(0), n, LANES) as (e, _):
        is_topic = _has_topic(code, kind, code.load(entries, e, kind), k)
        found = code.bits(builder.and_(_is_inside(code, kind, e, n), is_topic))
        here = builder.add(e, builder.cttz(found, ir.IntType(1)(0)))
        is_here = builder.icmp_signed("!=", found, INDEX(0))
        builder.store(builder.select(is_here, here, builder.load(place)), place)
    return builder.load(place)


@compiled_form_of(listed.add_up, returns=types.float64)
def _add_up(code: Emitter) -> Any:
    builder, (_, at, n) = code.builder, code.arguments
    numbers = code.data(0, at)
    sums = [code.variable(constant(0.0)) for _ in range(UNROLLED)]
    unrolled = builder.and_(n, INDEX(-UNROLLED * LANES))
    with code.loop(INDEX(0), unrolled, UNROLLED * LANES) as (k, _):
        for v, one in enumerate(sums):
            code.add_to(one, code.load(numbers, builder.add(k, INDEX(v * LANES))))
    with code.loop(unrolled, n, LANES) as (k, _):
        code.add_to(sums[0], code.load(numbers, k))
    return code.fold(fold([builder.load(one) for one in sums], builder.fadd), builder.fadd)


@compiled_form_of(listed.shift_mass, returns=types.boolean)
def _shift_mass(code: Emitter) -> Any:
    builder, (j, by, new, and_by) = code.builder, code.arguments[2:]
    masses, errors, first = code.data(0), code.data(1), INDEX(0)
    changes = []
    for group, change in ((j, by), (new, and_by)):
        is_group = builder.icmp_signed("==", _STEPS, code.spread(group, INTEGERS))
        changes.append(builder.select(is_group, code.spread(change), constant(0.0)))
    before = code.load(masses, first)
    after = builder.fadd(before, builder.fadd(*changes))
    rounded = builder.fmul(constant(listed.ROUNDED), builder.fadd(before, after))
    error = builder.fadd(code.load(errors, first), rounded)
    code.store(after, masses, first)
    code.store(error, errors, first)
    limit = builder.fmul(constant(listed.MOST_ROUNDED), after)
    is_far = code.bits(builder.fcmp_ordered(">", error, limit))
    return builder.icmp_signed("!=", is_far, INDEX(0))
