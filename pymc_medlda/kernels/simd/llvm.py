"""The compiled form of `lanes`: the same operations, emitted as LLVM's operations on vectors.

Imported with the package, so that numba knows it wherever a kernel calls a function of `lanes`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic, overload

from pymc_medlda.kernels.simd import lanes
from pymc_medlda.kernels.simd.exponential import LOWEST, reduce_and_sum
from pymc_medlda.kernels.simd.lanes import LANES, N_SINGLE, OWN, SHARED, UNROLLED, fold

_DOUBLES = ir.VectorType(ir.DoubleType(), LANES)
_INTEGERS = ir.VectorType(ir.IntType(64), LANES)
_COUNTS = ir.VectorType(ir.IntType(32), LANES)
_INDEX = ir.IntType(64)
_PLACE = ir.IntType(32)
_LISTED = types.Tuple((types.float64, types.int64))


def compiled_form_of(
    definition: Callable[..., Any], *, returns: types.Type
) -> Callable[[Callable[[_Emitter], Any]], None]:
    """Let numba compile calls of ``definition`` to what the decorated function emits."""

    def register(emit: Callable[[_Emitter], Any]) -> None:
        def typing(*kinds: types.Type) -> Any:
            return returns(*map(_as_passed, kinds)), lambda *call: emit(_Emitter(*call))

        # numba wants the signature of what a function stands for, name by name.
        names = ", ".join(inspect.signature(definition).parameters)
        scope: dict[str, Any] = {"typing": typing}
        exec(f"def emitted(context, {names}): return typing({names})", scope)
        scope["emitted"] = intrinsic(scope["emitted"])
        exec(f"def choose({names}): return lambda {names}: emitted({names})", scope)
        overload(definition)(scope["choose"])

    return register


def _as_passed(kind: types.Type) -> types.Type:
    """Return the one type in which integers, and floats, are handed over."""
    if isinstance(kind, types.Integer):
        return types.intp
    return types.float64 if isinstance(kind, types.Float) else kind


class _Emitter:
    """Emits vector code for one call of an intrinsic."""

    def __init__(self, context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> None:
        self.context, self.builder = context, builder
        self.kinds, self.arguments = signature.args, arguments

    def array(self, position: int) -> Any:
        """Return an array argument as numba sees it."""
        make = self.context.make_array(self.kinds[position])
        return make(self.context, self.builder, self.arguments[position])

    def data(self, position: int, at: ir.Value | None = None) -> ir.Value:
        """Return the address of an array argument, ``at`` its offset."""
        pointer = self.array(position).data
        return pointer if at is None else self.builder.gep(pointer, [at])

    def load(self, pointer: ir.Value, k: ir.Value, kind: ir.Type = _DOUBLES) -> ir.Value:
        address = self.builder.bitcast(self.builder.gep(pointer, [k]), kind.as_pointer())
        return self.builder.load(address, align=4 if kind is _COUNTS else 8)

    def store(self, value: ir.Value, pointer: ir.Value, k: ir.Value) -> None:
        address = self.builder.bitcast(self.builder.gep(pointer, [k]), value.type.as_pointer())
        self.builder.store(value, address, align=8)

    def spread(self, value: ir.Value, kind: ir.Type = _DOUBLES) -> ir.Value:
        """Put one number in every lane."""
        nothing = ir.Constant(kind, ir.Undefined)
        first = self.builder.insert_element(nothing, value, _PLACE(0))
        zeros = ir.Constant(ir.VectorType(_PLACE, LANES), [0] * LANES)
        return self.builder.shuffle_vector(first, nothing, zeros)

    def fold(self, vector: ir.Value, combine: Callable[[Any, Any], Any]) -> ir.Value:
        """Combine the first half of the lanes with the second until one is left."""
        n = LANES
        while n > 1:
            n //= 2
            halves = [
                self.builder.shuffle_vector(
                    vector, vector, ir.Constant(ir.VectorType(_PLACE, n), list(lanes))
                )
                for lanes in (range(n), range(n, 2 * n))
            ]
            vector = combine(*halves)
        return self.builder.extract_element(vector, _PLACE(0))

    def variable(self, start: ir.Value) -> ir.Value:
        return cgutils.alloca_once_value(self.builder, start)

    def add_to(self, variable: ir.Value, value: ir.Value) -> None:
        self.builder.store(self.builder.fadd(self.builder.load(variable), value), variable)

    def loop(self, start: ir.Value, stop: ir.Value, step: int) -> Any:
        return cgutils.for_range_slice(self.builder, start, stop, _INDEX(step))

    def exponential(self, x: ir.Value) -> ir.Value:
        """Emit `exponential` for every lane."""
        shifted, value = reduce_and_sum.py_func(_Vector(self.builder, x))  # type: ignore[attr-defined]
        bits = ir.Constant(_INTEGERS, [52] * LANES)
        exponent = self.builder.shl(self.builder.bitcast(shifted.value, _INTEGERS), bits)
        whole = self.builder.add(exponent, self.builder.bitcast(value.value, _INTEGERS))
        reached = self.builder.fcmp_ordered(">", x, _constant(LOWEST))
        return self.builder.select(reached, self.builder.bitcast(whole, _DOUBLES), _constant(0.0))


class _Vector:
    """A vector that emits its own sums and products, so that a formula is written once."""

    def __init__(self, builder: ir.IRBuilder, value: ir.Value) -> None:
        self.builder, self.value = builder, value

    def _operate(self, name: str, left: Any, right: Any) -> _Vector:
        operands = [x.value if isinstance(x, _Vector) else _constant(x) for x in (left, right)]
        return _Vector(self.builder, getattr(self.builder, name)(*operands))

    def __add__(self, other: Any) -> _Vector:
        return self._operate("fadd", self, other)

    def __radd__(self, other: float) -> _Vector:
        return self._operate("fadd", other, self)

    def __sub__(self, other: Any) -> _Vector:
        return self._operate("fsub", self, other)

    def __mul__(self, other: Any) -> _Vector:
        return self._operate("fmul", self, other)


def _constant(value: float) -> ir.Constant:
    return ir.Constant(_DOUBLES, [value] * LANES)


@compiled_form_of(lanes.dot, returns=types.float64)
def _dot(code: _Emitter) -> Any:
    builder, arguments = code.builder, code.arguments
    left, right = code.data(0, arguments[1]), code.data(2, arguments[3])
    sums = [code.variable(_constant(0.0)) for _ in range(UNROLLED)]
    unrolled = builder.and_(arguments[4], _INDEX(-UNROLLED * LANES))
    with code.loop(_INDEX(0), unrolled, UNROLLED * LANES) as (k, _):
        for v, one in enumerate(sums):
            place = builder.add(k, _INDEX(v * LANES))
            code.add_to(one, builder.fmul(code.load(left, place), code.load(right, place)))
    with code.loop(unrolled, arguments[4], LANES) as (k, _):
        code.add_to(sums[0], builder.fmul(code.load(left, k), code.load(right, k)))
    return code.fold(fold([builder.load(one) for one in sums], builder.fadd), builder.fadd)


@compiled_form_of(lanes.combine, returns=types.none)
def _combine(code: _Emitter) -> Any:
    builder, arguments = code.builder, code.arguments
    factors, matrix, target = code.data(0), code.data(1), code.data(2, arguments[3])
    n, n_rows = arguments[4], code.array(0).nitems
    with code.loop(_INDEX(0), n, LANES) as (k, _):
        total = code.variable(_constant(0.0))
        builder.store(_constant(0.0), total)
        with code.loop(_INDEX(0), n_rows, 1) as (i, _):
            factor = code.spread(builder.load(builder.gep(factors, [i])))
            place = builder.add(builder.mul(i, n), k)
            code.add_to(total, builder.fmul(factor, code.load(matrix, place)))
        code.store(builder.load(total), target, k)
    return code.context.get_dummy_value()


@compiled_form_of(lanes.weigh, returns=types.none)
def _weigh(code: _Emitter) -> Any:
    builder, arguments = code.builder, code.arguments
    exponents, priors, target = code.data(0), code.data(1), code.data(2, arguments[3])

    def keep(left: ir.Value, right: ir.Value) -> ir.Value:
        return builder.select(builder.fcmp_ordered(">", left, right), left, right)

    most = code.variable(_constant(-np.inf))
    with code.loop(_INDEX(0), arguments[4], LANES) as (k, _):
        builder.store(keep(builder.load(most), code.load(exponents, k)), most)
    highest = code.spread(code.fold(builder.load(most), keep))
    with code.loop(_INDEX(0), arguments[4], LANES) as (k, _):
        below = builder.fsub(code.load(exponents, k), highest)
        weight = builder.fmul(code.exponential(below), code.load(priors, k))
        code.store(weight, target, k)
    return code.context.get_dummy_value()


@compiled_form_of(lanes.exponentials, returns=types.none)
def _exponentials(code: _Emitter) -> Any:
    arguments = code.arguments
    source, target = code.data(0, arguments[1]), code.data(2, arguments[3])
    with code.loop(_INDEX(0), arguments[4], LANES) as (k, _):
        code.store(code.exponential(code.load(source, k)), target, k)
    return code.context.get_dummy_value()


@compiled_form_of(lanes.supervise, returns=types.none)
def _supervise(code: _Emitter) -> Any:
    builder, arguments = code.builder, code.arguments
    linear, quadratic, top = (_Vector(builder, code.spread(x)) for x in arguments[1:4])
    etas, priors, factors, weights = (code.data(position) for position in (0, 4, 5, 6))
    with code.loop(_INDEX(0), arguments[7], LANES) as (k, _):
        eta = _Vector(builder, code.load(etas, k))
        exponent = eta * (linear - quadratic * eta) - top
        factor = code.exponential(exponent.value)
        code.store(factor, factors, k)
        code.store(builder.fmul(factor, code.load(priors, k)), weights, k)
    return code.context.get_dummy_value()


@compiled_form_of(lanes.bound_groups, returns=types.float64)
def _bound_groups(code: _Emitter) -> Any:
    builder, arguments = code.builder, code.arguments
    reached = code.load(code.data(1, arguments[2]), _INDEX(0))
    reached = builder.insert_element(reached, arguments[3], _PLACE(OWN))
    bounds = code.exponential(builder.fmul(code.spread(arguments[0]), reached))
    code.store(bounds, code.data(5, arguments[6]), _INDEX(0))
    masses = code.load(code.data(4), _INDEX(0))
    return code.fold(builder.fmul(bounds, masses), builder.fadd)


def _emit_list(
    code: _Emitter,
    weights: ir.Value,
    shares: ir.Value,
    bound_of: Callable[[Any], Any] | None = None,
) -> ir.Value:
    """Emit the loop over a list, whose first four arguments both sums share."""
    builder, (begin, end, j) = code.builder, code.arguments[1:4]
    entries = code.data(0, begin)
    n = builder.sub(end, begin)
    stop, own_topic = code.spread(n, _INTEGERS), code.spread(j, _INTEGERS)
    steps = ir.Constant(_INTEGERS, list(range(LANES)))
    mask = ir.Constant(_INTEGERS, [65535] * LANES)
    none = ir.Constant(_INTEGERS, [0] * LANES)
    total, own = code.variable(_constant(0.0)), code.variable(_INDEX(0))
    with code.loop(_INDEX(0), n, LANES) as (e, _):
        places = builder.add(code.spread(e, _INTEGERS), steps)
        inside = builder.icmp_signed("<", places, stop)
        listed = builder.select(inside, code.load(entries, e, _INTEGERS), none)
        vector = builder.and_(listed, mask)
        # The lowest two bytes of an entry, read again one by one: quicker than to take the
        # vector apart. Past the end are topics too, whose count is made zero.
        first = builder.bitcast(builder.gep(entries, [e]), ir.IntType(16).as_pointer())
        topics = [
            builder.zext(builder.load(builder.gep(first, [_INDEX(4 * lane)])), _INDEX)
            for lane in range(LANES)
        ]
        share = builder.fmul(_gather(builder, weights, topics), _count(builder, listed))
        if bound_of is not None:
            share = builder.fmul(share, bound_of(vector))
        is_own = builder.and_(inside, builder.icmp_signed("==", vector, own_topic))
        share = builder.select(is_own, _constant(0.0), share)
        code.store(share, shares, e)
        code.add_to(total, share)
        found = builder.zext(builder.bitcast(is_own, ir.IntType(LANES)), _INDEX)
        place = builder.add(e, builder.cttz(found, ir.IntType(1)(0)))
        is_here = builder.icmp_signed("!=", found, _INDEX(0))
        builder.store(builder.select(is_here, place, builder.load(own)), own)
    results = [code.fold(builder.load(total), builder.fadd), builder.load(own)]
    return code.context.make_tuple(builder, _LISTED, results)


def _count(builder: ir.IRBuilder, entries: ir.Value) -> ir.Value:
    """Emit the counts of entries as floats: as the low bits of 2⁵², which is then taken away.

    Most processors convert no vectors of integers of 64 bits, nor shift them with their sign.
    """
    count = builder.lshr(entries, ir.Constant(_INTEGERS, [16] * LANES))
    raised = builder.or_(count, ir.Constant(_INTEGERS, [0x433 << 52] * LANES))
    return builder.fsub(builder.bitcast(raised, _DOUBLES), _constant(2.0**52))


def _gather(builder: ir.IRBuilder, data: ir.Value, places: list[ir.Value]) -> ir.Value:
    """Emit the load of a number for every lane, each from its own place."""
    vector = ir.Constant(_DOUBLES, ir.Undefined)
    for lane, place in enumerate(places):
        number = builder.load(builder.gep(data, [place]))
        vector = builder.insert_element(vector, number, _PLACE(lane))
    return vector


@compiled_form_of(lanes.sum_grouped, returns=_LISTED)
def _sum_grouped(code: _Emitter) -> Any:
    builder, arguments = code.builder, code.arguments
    names, numbers = code.data(5), code.data(6, arguments[7])

    def element(pointer: ir.Value, lane: int) -> ir.Value:
        return builder.load(builder.gep(pointer, [_INDEX(lane)]))

    owners = [code.spread(element(names, lane), _INTEGERS) for lane in range(N_SINGLE)]
    bounds = [code.spread(element(numbers, lane)) for lane in range(N_SINGLE + 1)]

    def bound_of(vector: ir.Value) -> ir.Value:
        chosen = bounds[SHARED]
        for owner, one in zip(owners, bounds[:N_SINGLE], strict=True):
            chosen = builder.select(builder.icmp_signed("==", vector, owner), one, chosen)
        return chosen

    return _emit_list(code, code.data(4), code.data(8), bound_of)


@compiled_form_of(lanes.sum_listed, returns=_LISTED)
def _sum_listed(code: _Emitter) -> Any:
    return _emit_list(code, code.data(4, code.arguments[5]), code.data(6))


@compiled_form_of(lanes.sum_counted, returns=types.float64)
def _sum_counted(code: _Emitter) -> Any:
    builder, arguments = code.builder, code.arguments
    weights, numbers = code.data(0, arguments[1]), code.data(2, arguments[3])
    total = code.variable(_constant(0.0))
    # One sum only, though each waits for the last: rows are short.
    with code.loop(_INDEX(0), arguments[4], LANES) as (k, _):
        count = builder.sitofp(code.load(numbers, k, _COUNTS), _DOUBLES)
        code.add_to(total, builder.fmul(code.load(weights, k), count))
    return code.fold(builder.load(total), builder.fadd)


@compiled_form_of(lanes.multiply, returns=types.float64)
def _multiply(code: _Emitter) -> Any:
    builder, arguments = code.builder, code.arguments
    left, right = code.data(0), code.data(1, arguments[2])
    target, own = code.data(3, arguments[4]), code.spread(arguments[5], _INTEGERS)
    steps = ir.Constant(_INTEGERS, list(range(LANES)))
    total = code.variable(_constant(0.0))
    with code.loop(_INDEX(0), arguments[6], LANES) as (k, _):
        product = builder.fmul(code.load(left, k), code.load(right, k))
        topic = builder.add(code.spread(k, _INTEGERS), steps)
        is_own = builder.icmp_signed("==", topic, own)
        product = builder.select(is_own, _constant(0.0), product)
        code.store(product, target, k)
        code.add_to(total, product)
    return code.fold(builder.load(total), builder.fadd)


@compiled_form_of(lanes.occupied, returns=types.int64)
def _occupied(code: _Emitter) -> Any:
    builder, arguments = code.builder, code.arguments
    _, width = cgutils.unpack_tuple(builder, code.array(0).shape)
    place = builder.add(builder.mul(arguments[1], width), arguments[2])
    counts = code.load(code.data(0), place, _COUNTS)
    positive = builder.icmp_signed(">", counts, ir.Constant(_COUNTS, [0] * LANES))
    return builder.zext(builder.bitcast(positive, ir.IntType(LANES)), _INDEX)


@compiled_form_of(lanes.fetch, returns=types.none)
def _fetch(code: _Emitter) -> Any:
    builder, arguments = code.builder, code.arguments
    byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
    kind = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
    function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
    address = builder.bitcast(code.data(0, arguments[1]), byte)
    builder.call(function, [address, number(0), number(3), number(1)])
    return code.context.get_dummy_value()
