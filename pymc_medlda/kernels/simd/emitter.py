"""The tools that `llvm` is written with: numba's registration and the emission of vector code."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic, overload

from pymc_medlda.kernels.simd.exponential import LOWEST, reduce_and_exceed, reduce_and_sum
from pymc_medlda.kernels.simd.lanes import HALF, LANES, cumulate

DOUBLES = ir.VectorType(ir.DoubleType(), LANES)
INTEGERS = ir.VectorType(ir.IntType(64), LANES)
COUNTS = ir.VectorType(ir.IntType(32), LANES)
SINGLES = ir.VectorType(ir.FloatType(), LANES)
INDEX = ir.IntType(64)
PLACE = ir.IntType(32)


def compiled_form_of(
    definition: Callable[..., Any], *, returns: types.Type
) -> Callable[[Callable[[Emitter], Any]], None]:
    """Let numba compile calls of ``definition`` to what the decorated function emits."""

    def register(emit: Callable[[Emitter], Any]) -> None:
        def typing(*kinds: types.Type) -> Any:
            return returns(*map(_as_passed, kinds)), lambda *call: emit(Emitter(*call))

        # numba requires the same argument names as those of the definition.
        names = ", ".join(inspect.signature(definition).parameters)
        scope: dict[str, Any] = {"typing": typing}
        exec(f"def emitted(context, {names}): return typing({names})", scope)
        scope["emitted"] = intrinsic(scope["emitted"])
        exec(f"def choose({names}): return lambda {names}: emitted({names})", scope)
        overload(definition)(scope["choose"])

    return register


def _as_passed(kind: types.Type) -> types.Type:
    """Return the type in which an argument is passed: one for all integers, one for all floats."""
    if isinstance(kind, types.Integer):
        return types.intp
    return types.float64 if isinstance(kind, types.Float) else kind


class Emitter:
    """Emits vector code for one call of an intrinsic."""

    def __init__(self, context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> None:
        self.context, self.builder = context, builder
        self.kinds, self.arguments = signature.args, arguments

    def array(self, position: int) -> Any:
        """Return an array argument in the form of numba's own array structure."""
        make = self.context.make_array(self.kinds[position])
        return make(self.context, self.builder, self.arguments[position])

    def data(self, position: int, at: ir.Value | None = None) -> ir.Value:
        """Return the address of an array argument, or of its element ``at``."""
        pointer = self.array(position).data
        return pointer if at is None else self.builder.gep(pointer, [at])

    def load(self, pointer: ir.Value, k: ir.Value, kind: ir.Type = DOUBLES) -> ir.Value:
        """Load a vector that begins k elements after ``pointer``."""
        address = self.builder.bitcast(self.builder.gep(pointer, [k]), kind.as_pointer())
        return self.builder.load(address, align=4 if kind in (COUNTS, SINGLES) else 8)

    def store(self, value: ir.Value, pointer: ir.Value, k: ir.Value) -> None:
        """Store a vector, beginning k elements after ``pointer``."""
        address = self.builder.bitcast(self.builder.gep(pointer, [k]), value.type.as_pointer())
        self.builder.store(value, address, align=4 if value.type == COUNTS else 8)

    def spread(self, value: ir.Value, kind: ir.Type = DOUBLES) -> ir.Value:
        """Put one number in every lane."""
        nothing = ir.Constant(kind, ir.Undefined)
        first = self.builder.insert_element(nothing, value, PLACE(0))
        zeros = ir.Constant(ir.VectorType(PLACE, LANES), [0] * LANES)
        return self.builder.shuffle_vector(first, nothing, zeros)

    def fold(self, vector: ir.Value, combine: Callable[[Any, Any], Any]) -> ir.Value:
        """Combine the first half of the lanes with the second until one is left."""
        n = LANES
        while n > 1:
            n //= 2
            halves = [
                self.builder.shuffle_vector(
                    vector, vector, ir.Constant(ir.VectorType(PLACE, n), list(lanes))
                )
                for lanes in (range(n), range(n, 2 * n))
            ]
            vector = combine(*halves)
        return self.builder.extract_element(vector, PLACE(0))

    def hide(self, pointer: ir.Value) -> ir.Value:
        """Return an address of which LLVM does not know that it is the same."""
        kind = ir.FunctionType(pointer.type, [pointer.type])
        return self.builder.asm(kind, "", "=r,0", [pointer], False)

    def look_up(self, table: ir.Value, places: ir.Value) -> ir.Value:
        """Emit a vector of the numbers in a vector, each from the place in three bits of a lane.

        The higher bits of the places are not read. Where the processor has no instruction for it,
        one bit after the other halves the candidates.
        """
        if self._has("avx512f"):
            kind = ir.FunctionType(DOUBLES, [DOUBLES, INTEGERS])
            name = "llvm.x86.avx512.permvar.df.512"
            function = cgutils.get_or_insert_function(self.builder.module, kind, name)
            return self.builder.call(function, [table, places])
        builder, nothing = self.builder, ir.Constant(INTEGERS, [0] * LANES)
        chosen = [self.spread(builder.extract_element(table, PLACE(lane))) for lane in range(LANES)]
        for bit in (1, 2, 4):
            one = builder.and_(places, ir.Constant(INTEGERS, [bit] * LANES))
            is_set = builder.icmp_signed("!=", one, nothing)
            pairs = zip(chosen[::2], chosen[1::2], strict=True)
            chosen = [builder.select(is_set, high, low) for low, high in pairs]
        return chosen[0]

    def _has(self, feature: str) -> bool:
        """Say whether the processor that numba compiles for has a feature."""
        _, _, features = self.context.codegen().magic_tuple()
        return f"+{feature}" in features.split(",")

    def bits(self, flags: ir.Value) -> ir.Value:
        """Emit a number with one bit for each lane of a comparison."""
        return self.builder.zext(self.builder.bitcast(flags, ir.IntType(LANES)), INDEX)

    def sums_before(self, ends: ir.Value) -> tuple[ir.Value, ir.Value, ir.Value]:
        """Emit what is added to the sums of each lane, so that they are cumulated over all lanes.

        The order is the first lane, the one four further on, the second, and so on. Returns the
        sums of earlier pairs of lanes, the sum of all, and what the upper lanes add of the lower.
        """
        builder = self.builder
        lower, upper = (
            builder.shuffle_vector(
                ends, ends, ir.Constant(ir.VectorType(PLACE, HALF), list(places))
            )
            for places in (range(HALF), range(HALF, LANES))
        )
        both = builder.fadd(lower, upper)
        parts = [builder.extract_element(both, PLACE(lane)) for lane in range(HALF)]
        *earlier, whole = cumulate(parts, builder.fadd)
        bases = constant(0.0)
        for lane, base in enumerate(earlier, 1):
            for place in (lane, lane + HALF):
                bases = builder.insert_element(bases, base, PLACE(place))
        shuffle = ir.Constant(ir.VectorType(PLACE, LANES), [LANES] * HALF + list(range(HALF)))
        return bases, whole, builder.shuffle_vector(ends, constant(0.0), shuffle)

    def variable(self, start: ir.Value) -> ir.Value:
        """Return the address of a new variable that holds ``start``."""
        return cgutils.alloca_once_value(self.builder, start)

    def add_to(self, variable: ir.Value, value: ir.Value) -> None:
        """Add to a variable."""
        self.builder.store(self.builder.fadd(self.builder.load(variable), value), variable)

    def loop(self, start: ir.Value, stop: ir.Value, step: int) -> Any:
        """Open a loop over an index, as a context."""
        return cgutils.for_range_slice(self.builder, start, stop, INDEX(step))

    def table(self, numbers: list[int]) -> ir.Value:
        """Return the address of a constant array of whole numbers."""
        module = self.builder.module
        values = ir.Constant(ir.ArrayType(INDEX, len(numbers)), numbers)
        array = ir.GlobalVariable(module, values.type, module.get_unique_name("table"))
        array.initializer, array.global_constant, array.linkage = values, True, "private"
        return array

    def prefetch(self, pointer: ir.Value) -> None:
        """Request what is at an address into the processor's cache, without waiting."""
        byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        function = cgutils.get_or_insert_function(self.builder.module, kind, "llvm.prefetch.p0")
        address = self.builder.bitcast(pointer, byte)
        self.builder.call(function, [address, number(0), number(3), number(1)])

    def exponential(self, x: ir.Value) -> ir.Value:
        """Emit `exponential` for every lane."""
        scaled = self._scale(*reduce_and_sum.py_func(Vector(self.builder, x)))  # type: ignore[attr-defined]
        reached = self.builder.fcmp_ordered(">", x, constant(LOWEST))
        return self.builder.select(reached, scaled, constant(0.0))

    def above(self, x: ir.Value) -> ir.Value:
        """Emit `above` for every lane."""
        return self._scale(*reduce_and_exceed.py_func(Vector(self.builder, x)))  # type: ignore[attr-defined]

    def _scale(self, shifted: Vector, value: Vector) -> ir.Value:
        """Emit ``value`` times two to the power that is in the lowest bits of ``shifted``."""
        bits = ir.Constant(INTEGERS, [52] * LANES)
        exponent = self.builder.shl(self.builder.bitcast(shifted.value, INTEGERS), bits)
        whole = self.builder.add(exponent, self.builder.bitcast(value.value, INTEGERS))
        return self.builder.bitcast(whole, DOUBLES)


class Vector:
    """A vector that emits its own sums and products, so that a formula is written once."""

    def __init__(self, builder: ir.IRBuilder, value: ir.Value) -> None:
        self.builder, self.value = builder, value

    def _operate(self, name: str, left: Any, right: Any) -> Vector:
        operands = [x.value if isinstance(x, Vector) else constant(x) for x in (left, right)]
        return Vector(self.builder, getattr(self.builder, name)(*operands))

    def __add__(self, other: Any) -> Vector:
        return self._operate("fadd", self, other)

    def __radd__(self, other: float) -> Vector:
        return self._operate("fadd", other, self)

    def __sub__(self, other: Any) -> Vector:
        return self._operate("fsub", self, other)

    def __mul__(self, other: Any) -> Vector:
        return self._operate("fmul", self, other)


def constant(value: float) -> ir.Constant:
    """Return a vector with one number in every lane."""
    return ir.Constant(DOUBLES, [value] * LANES)
