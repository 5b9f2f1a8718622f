"""Loops in eight lanes: vector instructions, and the same bits on every processor.

A compiler may not reorder a sum of floats, so a plain loop adds one number at a time. Here the
order is part of the definition (a lane takes every eighth number; then the lanes fold in halves),
written out for the compiler as operations on vectors of eight, whatever the width of the
registers. Each function is its own definition in plain Python; numba takes the other form.

Sizes of rows are multiples of eight. Offsets instead of slices: those would count references.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic, overload

from pymc_medlda.kernels.exponential import LOWEST, exponential, reduce_and_sum

LANES = 8
UNROLLED = 4  # vectors whose sums do not wait for each other
N_SINGLE = 6  # topics with a bound of their own in `bound_groups`
SHARED, OWN = N_SINGLE, N_SINGLE + 1  # lanes of the bound of all others, and of the token's topic


def dot(x: Any, at: Any, y: Any, and_at: Any, n: Any) -> Any:
    """Return the sum of x[at + k] * y[and_at + k] over k < n."""
    lanes = [[0.0] * LANES for _ in range(UNROLLED)]
    unrolled = n - n % (UNROLLED * LANES)
    for k in range(n):
        vector = k // LANES % UNROLLED if k < unrolled else 0
        lanes[vector][k % LANES] += x[at + k] * y[and_at + k]
    add = lambda left, right: left + right  # noqa: E731
    return _fold([_fold([lanes[v][i] for v in range(UNROLLED)], add) for i in range(LANES)], add)


def combine(x: Any, rows: Any, out: Any, at: Any, n: Any) -> Any:
    """Write the sum of x[i] * rows[i * n + k] over i < x.size to out[at + k], k < n."""
    for k in range(n):
        total = 0.0
        for i in range(x.size):
            total += x[i] * rows[i * n + k]
        out[at + k] = total


def weigh(exponent: Any, prior: Any, out: Any, at: Any, n: Any) -> Any:
    """Write prior[k] * exp(exponent[k] - the largest of them) to out[at + k], k < n."""
    highest = max(exponent[:n])
    for k in range(n):
        out[at + k] = exponential(exponent[k] - highest) * prior[k]


def exponentials(x: Any, at: Any, out: Any, and_at: Any, n: Any) -> Any:
    """Write exp(x[at + k]) to out[and_at + k] for k < n; see `exponential`."""
    for k in range(n):
        out[and_at + k] = exponential(x[at + k])


def supervise(
    eta: Any, linear: Any, quadratic: Any, top: Any, prior: Any, factor: Any, weight: Any, n: Any
) -> Any:
    """Write exp(eta (linear - quadratic eta) - top), and its product with ``prior``, for k < n."""
    for k in range(n):
        factor[k] = exponential(eta[k] * (linear - quadratic * eta[k]) - top)
        weight[k] = factor[k] * prior[k]


def bound_groups(
    slope: Any, ends: Any, at: Any, own: Any, mass: Any, bound: Any, and_at: Any
) -> Any:
    """Write exp(slope * ends[at + l]) to bound[and_at + l], l < 8, with ``own`` in the last place.

    Returns the sum of the bounds times ``mass``.
    """
    shares = []
    for lane in range(LANES):
        end = own if lane == OWN else ends[at + lane]
        bound[and_at + lane] = exponential(slope * end)
        shares.append(bound[and_at + lane] * mass[lane])
    return _fold(shares, lambda left, right: left + right)


def sum_grouped(
    entry: Any,
    begin: Any,
    end: Any,
    j: Any,
    weight: Any,
    single: Any,
    bound: Any,
    at: Any,
    share: Any,
) -> Any:
    """Return the sum of weight[k] * count * bound over a word's list, and the place of topic j.

    Entries are ``count << 16 | k``. The bound is bound[at + l] of topic single[l], for the others
    bound[at + SHARED]. Topic j is left out. The terms are left in ``share``; up to seven entries
    past the end are read and as many shares past it written, to no effect.
    """
    bounds = {int(single[lane]): bound[at + lane] for lane in range(N_SINGLE)}
    shared = bound[at + SHARED]
    term = lambda k, count: weight[k] * count * bounds.get(k, shared)  # noqa: E731
    return _sum_list(entry, begin, end, j, term, share)


def sum_listed(entry: Any, begin: Any, end: Any, j: Any, weight: Any, at: Any, share: Any) -> Any:
    """Return what `sum_grouped` returns, with the weights weight[at + k] and no bounds."""
    return _sum_list(entry, begin, end, j, lambda k, count: weight[at + k] * count, share)


def sum_counted(weight: Any, at: Any, counts: Any, and_at: Any, n: Any) -> Any:
    """Return the sum of weight[at + k] * counts[and_at + k] over k < n, the counts of 32 bits."""
    lanes = [0.0] * LANES
    for k in range(n):
        lanes[k % LANES] += weight[at + k] * counts[and_at + k]
    return _fold(lanes, lambda left, right: left + right)


def multiply(x: Any, y: Any, at: Any, out: Any, and_at: Any, j: Any, n: Any) -> Any:
    """Write x[k] * y[at + k] to out[and_at + k] for k < n, zero for k = j; return their sum."""
    lanes = [0.0] * LANES
    for k in range(n):
        out[and_at + k] = 0.0 if k == j else x[k] * y[at + k]
        lanes[k % LANES] += out[and_at + k]
    return _fold(lanes, lambda left, right: left + right)


def occupied(counts: Any, d: Any, first: Any) -> Any:
    """Return bits that say which of the eight counts from counts[d, first] are positive."""
    return sum(1 << lane for lane in range(LANES) if counts[d, first + lane] > 0)


def fetch(x: Any, at: Any) -> Any:
    """Ask for x[at] to be brought into the cache, without waiting; ``at`` may be past the end."""


def _sum_list(entry: Any, begin: Any, end: Any, j: Any, term: Any, share: Any) -> Any:
    lanes, own = [0.0] * LANES, 0
    for e in range(end - begin):
        k, count = int(entry[begin + e]) & 65535, int(entry[begin + e]) >> 16
        share[e] = 0.0
        if k == j:
            own = e
        else:
            share[e] = term(k, count)
        lanes[e % LANES] += share[e]
    return _fold(lanes, lambda left, right: left + right), own


def _fold(values: Any, combine: Callable[[Any, Any], Any]) -> Any:
    """Combine the first half with the second until one value is left."""
    while len(values) > 1:
        half = len(values) // 2
        values = [combine(values[i], values[i + half]) for i in range(half)]
    return values[0]


# What follows emits the same operations for numba, on vectors.
_DOUBLES = ir.VectorType(ir.DoubleType(), LANES)
_INTEGERS = ir.VectorType(ir.IntType(64), LANES)
_COUNTS = ir.VectorType(ir.IntType(32), LANES)
_INDEX = ir.IntType(64)
_PLACE = ir.IntType(32)


class _Emitter:
    """Emits vector code for one call of an intrinsic."""

    def __init__(self, context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> None:
        self.context, self.builder = context, builder
        self.kinds, self.arguments = signature.args, arguments

    def data(self, position: int, at: ir.Value | None = None) -> ir.Value:
        """Return the address of an array argument, ``at`` its offset."""
        make = self.context.make_array(self.kinds[position])
        pointer = make(self.context, self.builder, self.arguments[position]).data
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


@intrinsic
def _dot(typing_context: Any, x: Any, at: Any, y: Any, and_at: Any, n: Any) -> Any:
    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        code = _Emitter(context, builder, signature, arguments)
        left, right = code.data(0, arguments[1]), code.data(2, arguments[3])
        sums = [code.variable(_constant(0.0)) for _ in range(UNROLLED)]
        unrolled = builder.and_(arguments[4], _INDEX(-UNROLLED * LANES))
        with code.loop(_INDEX(0), unrolled, UNROLLED * LANES) as (k, _):
            for v, one in enumerate(sums):
                place = builder.add(k, _INDEX(v * LANES))
                code.add_to(one, builder.fmul(code.load(left, place), code.load(right, place)))
        with code.loop(unrolled, arguments[4], LANES) as (k, _):
            code.add_to(sums[0], builder.fmul(code.load(left, k), code.load(right, k)))
        return code.fold(_fold([builder.load(one) for one in sums], builder.fadd), builder.fadd)

    return types.float64(x, types.intp, y, types.intp, types.intp), emit


@intrinsic
def _combine(typing_context: Any, x: Any, rows: Any, out: Any, at: Any, n: Any, n_rows: Any) -> Any:
    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        code = _Emitter(context, builder, signature, arguments)
        factors, matrix, target = code.data(0), code.data(1), code.data(2, arguments[3])
        n, n_rows = arguments[4:]
        with code.loop(_INDEX(0), n, LANES) as (k, _):
            total = code.variable(_constant(0.0))
            builder.store(_constant(0.0), total)
            with code.loop(_INDEX(0), n_rows, 1) as (i, _):
                factor = code.spread(builder.load(builder.gep(factors, [i])))
                place = builder.add(builder.mul(i, n), k)
                code.add_to(total, builder.fmul(factor, code.load(matrix, place)))
            code.store(builder.load(total), target, k)
        return context.get_dummy_value()

    index = types.intp
    return types.none(x, rows, out, index, index, index), emit


@intrinsic
def _weigh(typing_context: Any, exponent: Any, prior: Any, out: Any, at: Any, n: Any) -> Any:
    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        code = _Emitter(context, builder, signature, arguments)
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
        return context.get_dummy_value()

    index = types.intp
    return types.none(exponent, prior, out, index, index), emit


@intrinsic
def _exponentials(typing_context: Any, x: Any, at: Any, out: Any, and_at: Any, n: Any) -> Any:
    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        code = _Emitter(context, builder, signature, arguments)
        source, target = code.data(0, arguments[1]), code.data(2, arguments[3])
        with code.loop(_INDEX(0), arguments[4], LANES) as (k, _):
            code.store(code.exponential(code.load(source, k)), target, k)
        return context.get_dummy_value()

    return types.none(x, types.intp, out, types.intp, types.intp), emit


@intrinsic
def _supervise(
    typing_context: Any,
    eta: Any,
    linear: Any,
    quadratic: Any,
    top: Any,
    prior: Any,
    factor: Any,
    weight: Any,
    n: Any,
) -> Any:
    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        code = _Emitter(context, builder, signature, arguments)
        linear, quadratic, top = (_Vector(builder, code.spread(x)) for x in arguments[1:4])
        etas, priors, factors, weights = (code.data(position) for position in (0, 4, 5, 6))
        with code.loop(_INDEX(0), arguments[7], LANES) as (k, _):
            eta = _Vector(builder, code.load(etas, k))
            exponent = eta * (linear - quadratic * eta) - top
            factor = code.exponential(exponent.value)
            code.store(factor, factors, k)
            code.store(builder.fmul(factor, code.load(priors, k)), weights, k)
        return context.get_dummy_value()

    number = types.float64
    return types.none(eta, number, number, number, prior, factor, weight, types.intp), emit


@intrinsic
def _bound_groups(
    typing_context: Any,
    slope: Any,
    ends: Any,
    at: Any,
    own: Any,
    mass: Any,
    bound: Any,
    and_at: Any,
) -> Any:
    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        code = _Emitter(context, builder, signature, arguments)
        reached = code.load(code.data(1, arguments[2]), _INDEX(0))
        reached = builder.insert_element(reached, arguments[3], _PLACE(OWN))
        bounds = code.exponential(builder.fmul(code.spread(arguments[0]), reached))
        code.store(bounds, code.data(5, arguments[6]), _INDEX(0))
        masses = code.load(code.data(4), _INDEX(0))
        return code.fold(builder.fmul(bounds, masses), builder.fadd)

    number, index = types.float64, types.intp
    return number(number, ends, index, number, mass, bound, index), emit


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
    bits = ir.Constant(_INTEGERS, [16] * LANES)
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
        share = builder.sitofp(builder.ashr(listed, bits), _DOUBLES)
        share = builder.fmul(_gather(builder, weights, topics), share)
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


_LISTED = types.Tuple((types.float64, types.int64))


def _gather(builder: ir.IRBuilder, data: ir.Value, places: list[ir.Value]) -> ir.Value:
    """Emit the load of a number for every lane, each from its own place."""
    vector = ir.Constant(_DOUBLES, ir.Undefined)
    for lane, place in enumerate(places):
        number = builder.load(builder.gep(data, [place]))
        vector = builder.insert_element(vector, number, _PLACE(lane))
    return vector


@intrinsic
def _sum_grouped(
    typing_context: Any,
    entry: Any,
    begin: Any,
    end: Any,
    j: Any,
    weight: Any,
    single: Any,
    bound: Any,
    at: Any,
    share: Any,
) -> Any:
    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        code = _Emitter(context, builder, signature, arguments)
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

    index = types.intp
    return _LISTED(entry, index, index, index, weight, single, bound, index, share), emit


@intrinsic
def _sum_listed(
    typing_context: Any, entry: Any, begin: Any, end: Any, j: Any, weight: Any, at: Any, share: Any
) -> Any:
    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        code = _Emitter(context, builder, signature, arguments)
        return _emit_list(code, code.data(4, arguments[5]), code.data(6))

    index = types.intp
    return _LISTED(entry, index, index, index, weight, index, share), emit


@intrinsic
def _sum_counted(
    typing_context: Any, weight: Any, at: Any, counts: Any, and_at: Any, n: Any
) -> Any:
    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        code = _Emitter(context, builder, signature, arguments)
        weights, numbers = code.data(0, arguments[1]), code.data(2, arguments[3])
        total = code.variable(_constant(0.0))
        # One sum only, though each waits for the last: rows are short.
        with code.loop(_INDEX(0), arguments[4], LANES) as (k, _):
            count = builder.sitofp(code.load(numbers, k, _COUNTS), _DOUBLES)
            code.add_to(total, builder.fmul(code.load(weights, k), count))
        return code.fold(builder.load(total), builder.fadd)

    index = types.intp
    return types.float64(weight, index, counts, index, index), emit


@intrinsic
def _multiply(
    typing_context: Any, x: Any, y: Any, at: Any, out: Any, and_at: Any, j: Any, n: Any
) -> Any:
    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        code = _Emitter(context, builder, signature, arguments)
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

    index = types.intp
    return types.float64(x, y, index, out, index, index, index), emit


@intrinsic
def _occupied(typing_context: Any, counts: Any, at: Any) -> Any:
    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        code = _Emitter(context, builder, signature, arguments)
        counts = code.load(code.data(0), arguments[1], _COUNTS)
        positive = builder.icmp_signed(">", counts, ir.Constant(_COUNTS, [0] * LANES))
        return builder.zext(builder.bitcast(positive, ir.IntType(LANES)), _INDEX)

    return types.int64(counts, types.intp), emit


@intrinsic
def _fetch(typing_context: Any, x: Any, at: Any) -> Any:
    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        code = _Emitter(context, builder, signature, arguments)
        byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        address = builder.bitcast(code.data(0, arguments[1]), byte)
        builder.call(function, [address, number(0), number(3), number(1)])
        return context.get_dummy_value()

    return types.none(x, types.intp), emit


# numba wants an overload's function to have the signature of what it stands for.
@overload(dot)
def _compile_dot(x: Any, at: Any, y: Any, and_at: Any, n: Any) -> Any:
    def compiled(x: Any, at: Any, y: Any, and_at: Any, n: Any) -> Any:
        return _dot(x, at, y, and_at, n)

    return compiled


@overload(combine)
def _compile_combine(x: Any, rows: Any, out: Any, at: Any, n: Any) -> Any:
    def compiled(x: Any, rows: Any, out: Any, at: Any, n: Any) -> Any:
        return _combine(x, rows, out, at, n, x.size)

    return compiled


@overload(weigh)
def _compile_weigh(exponent: Any, prior: Any, out: Any, at: Any, n: Any) -> Any:
    def compiled(exponent: Any, prior: Any, out: Any, at: Any, n: Any) -> Any:
        return _weigh(exponent, prior, out, at, n)

    return compiled


@overload(exponentials)
def _compile_exponentials(x: Any, at: Any, out: Any, and_at: Any, n: Any) -> Any:
    def compiled(x: Any, at: Any, out: Any, and_at: Any, n: Any) -> Any:
        return _exponentials(x, at, out, and_at, n)

    return compiled


@overload(supervise)
def _compile_supervise(
    eta: Any, linear: Any, quadratic: Any, top: Any, prior: Any, factor: Any, weight: Any, n: Any
) -> Any:
    def compiled(
        eta: Any,
        linear: Any,
        quadratic: Any,
        top: Any,
        prior: Any,
        factor: Any,
        weight: Any,
        n: Any,
    ) -> Any:
        return _supervise(eta, linear, quadratic, top, prior, factor, weight, n)

    return compiled


@overload(bound_groups)
def _compile_bound_groups(
    slope: Any, ends: Any, at: Any, own: Any, mass: Any, bound: Any, and_at: Any
) -> Any:
    def compiled(
        slope: Any, ends: Any, at: Any, own: Any, mass: Any, bound: Any, and_at: Any
    ) -> Any:
        return _bound_groups(slope, ends, at, own, mass, bound, and_at)

    return compiled


@overload(sum_grouped)
def _compile_sum_grouped(
    entry: Any,
    begin: Any,
    end: Any,
    j: Any,
    weight: Any,
    single: Any,
    bound: Any,
    at: Any,
    share: Any,
) -> Any:
    def compiled(
        entry: Any,
        begin: Any,
        end: Any,
        j: Any,
        weight: Any,
        single: Any,
        bound: Any,
        at: Any,
        share: Any,
    ) -> Any:
        return _sum_grouped(entry, begin, end, j, weight, single, bound, at, share)

    return compiled


@overload(sum_listed)
def _compile_sum_listed(
    entry: Any, begin: Any, end: Any, j: Any, weight: Any, at: Any, share: Any
) -> Any:
    def compiled(entry: Any, begin: Any, end: Any, j: Any, weight: Any, at: Any, share: Any) -> Any:
        return _sum_listed(entry, begin, end, j, weight, at, share)

    return compiled


@overload(sum_counted)
def _compile_sum_counted(weight: Any, at: Any, counts: Any, and_at: Any, n: Any) -> Any:
    def compiled(weight: Any, at: Any, counts: Any, and_at: Any, n: Any) -> Any:
        return _sum_counted(weight, at, counts, and_at, n)

    return compiled


@overload(multiply)
def _compile_multiply(x: Any, y: Any, at: Any, out: Any, and_at: Any, j: Any, n: Any) -> Any:
    def compiled(x: Any, y: Any, at: Any, out: Any, and_at: Any, j: Any, n: Any) -> Any:
        return _multiply(x, y, at, out, and_at, j, n)

    return compiled


@overload(occupied)
def _compile_occupied(counts: Any, d: Any, first: Any) -> Any:
    def compiled(counts: Any, d: Any, first: Any) -> Any:
        return _occupied(counts, d * counts.shape[1] + first)

    return compiled


@overload(fetch)
def _compile_fetch(x: Any, at: Any) -> Any:
    def compiled(x: Any, at: Any) -> Any:
        return _fetch(x, at)

    return compiled
