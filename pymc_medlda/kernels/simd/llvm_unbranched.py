"""The compiled form of `unbranched`, registered with numba like that of `lanes` in `llvm`."""

from __future__ import annotations

import functools
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types

from pymc_medlda.kernels.simd import counted, unbranched
from pymc_medlda.kernels.simd.emitter import (
    COUNTS,
    DOUBLES,
    INDEX,
    INTEGERS,
    Emitter,
    compiled_form_of,
    constant,
)
from pymc_medlda.kernels.simd.lanes import LANES, LARGEST, cumulate
from pymc_medlda.kernels.simd.uniform import FIRST, SECOND, STRIDE, UNIT

AHEAD = 8  # how many tokens ahead the counts of a word are requested from memory
PLACE = ir.IntType(32)
FLAGS = ir.VectorType(ir.IntType(1), LANES)
ONES = ir.Constant(COUNTS, [1] * LANES)


@compiled_form_of(unbranched.visit_unbranched, returns=types.int64)
def _visit_unbranched(code: Emitter) -> Any:
    return _Visits(code).emit()


class _Visits:
    """Emits the loop over the tokens.

    The loop holds what is known of a token that is taken out: its place, the factors, the counts of
    all vectors, and the weights to draw from. One turn draws the topic of this token, and prepares
    the token after it.
    """

    def __init__(self, code: Emitter) -> None:
        self.code, self.builder = code, code.builder
        self.n = len(code.kinds[0])
        self.vectors = range(self.n)
        (_, _, _, self.first, self.last, self.counter, _, beta, total, *_) = code.arguments
        self.word, self.z, self.table = code.data(1), code.data(2), code.data(6)
        self.betas, self.beta_totals = code.spread(beta), code.spread(total)
        names = ("alpha", "factor", "in_document", "in_corpus", "lift", "lower", "left", "entered")
        for position, name in enumerate(names, 9):
            setattr(self, name, code.data(position))
        places = range(self.n * LANES)
        self.order = code.table([unbranched.topic_at(p, self.n) for p in places] + [0])
        self.inverse = code.table([unbranched.place_of(k, self.n) for k in places])
        self.final = self.builder.sub(code.array(1).nitems, INDEX(1))

    alpha: ir.Value
    factor: ir.Value
    in_document: ir.Value
    in_corpus: ir.Value
    lift: ir.Value
    lower: ir.Value
    left: ir.Value
    entered: ir.Value

    def emit(self) -> ir.Value:
        """Emit everything; return the number of tokens that moved, or -1."""
        builder = self.builder
        held = self.hold()
        moved, token = (cgutils.alloca_once(builder, INDEX) for _ in range(2))
        counter = cgutils.alloca_once(builder, INDEX)
        builder.store(INDEX(0), moved)
        builder.store(self.first, token)
        builder.store(self.counter, counter)
        turn, draw, end = (builder.append_basic_block(name) for name in ("turn", "draw", "end"))
        builder.branch(turn)
        builder.position_at_end(turn)
        builder.store(builder.add(builder.load(counter), INDEX(_signed(STRIDE))), counter)
        place, whole = self.choose(held, self.uniform(builder.load(counter)))
        # A comparison with infinity would become a dozen operations on the bits of the number.
        fine = builder.and_(
            builder.fcmp_ordered(">", whole, ir.Constant(whole.type, 0.0)),
            builder.fcmp_ordered("<", whole, ir.Constant(whole.type, LARGEST)),
        )
        failed = builder.not_(fine)
        result = cgutils.alloca_once(builder, INDEX)
        builder.store(INDEX(-1), result)
        builder.cbranch(failed, end, draw)
        builder.position_at_end(draw)
        n = builder.load(token)
        following = builder.add(n, INDEX(1))
        self.move(held, n, self.at_most_final(following), place, moved)
        builder.store(following, token)
        builder.store(builder.load(moved), result)
        builder.cbranch(builder.icmp_signed("<", following, self.last), turn, end)
        builder.position_at_end(end)
        self.put_back(held)
        return builder.load(result)

    # What is held from turn to turn.

    def hold(self) -> dict[str, Any]:
        """Take the first token out, and emit the variables that the loop holds."""
        builder, code = self.builder, self.code
        begin, j = self.word_at(self.first), self.topic_of(self.first)
        place = self.read(self.inverse, j)
        held: dict[str, Any] = {
            "begin": cgutils.alloca_once(builder, INDEX),
            "j": cgutils.alloca_once(builder, INDEX),
            "place": cgutils.alloca_once(builder, INDEX),
        }
        for name, kind in (
            ("factor", DOUBLES),
            ("own", DOUBLES),
            ("total", DOUBLES),
            ("part", DOUBLES),
            ("row", COUNTS),
        ):
            held[name] = [cgutils.alloca_once(builder, kind) for _ in self.vectors]
        for name, value in (("begin", begin), ("j", j), ("place", place)):
            builder.store(value, held[name])
        lifts = builder.gep(self.lift, [builder.mul(place, INDEX(self.n * LANES))])
        row = builder.gep(self.table, [begin])
        one = constant(1.0)
        for v in self.vectors:
            k, is_own = INDEX(v * LANES), self.is_place(v, place)
            factor = builder.fmul(code.load(self.factor, k), code.load(lifts, k))
            own = builder.sitofp(code.load(self.in_document, k, COUNTS), DOUBLES)
            own = builder.select(is_own, builder.fsub(own, one), own)
            total = builder.fadd(code.load(self.in_corpus, k), self.beta_totals)
            total = builder.select(is_own, builder.fsub(total, one), total)
            counts = self.less(code.load(row, k, COUNTS), is_own)
            share = builder.fdiv(builder.fadd(own, code.load(self.alpha, k)), total)
            count = builder.fadd(builder.sitofp(counts, DOUBLES), self.betas)
            part = builder.fmul(factor, builder.fmul(share, count))
            values = {"factor": factor, "own": own, "total": total, "part": part, "row": counts}
            for name, value in values.items():
                builder.store(value, held[name][v])
        return held

    def put_back(self, held: dict[str, Any]) -> None:
        """Put the token in that was taken out and not drawn, and write all counts."""
        builder, code = self.builder, self.code
        place = builder.load(held["place"])
        for v in self.vectors:
            k, own = INDEX(v * LANES), builder.load(held["own"][v])
            more = builder.fadd(own, constant(1.0))
            own = builder.select(self.is_place(v, place), more, own)
            before = builder.sitofp(code.load(self.in_document, k, COUNTS), DOUBLES)
            change = builder.fsub(own, before)
            code.store(builder.fadd(code.load(self.in_corpus, k), change), self.in_corpus, k)
            code.store(builder.fptosi(own, COUNTS), self.in_document, k)

    # One turn.

    def choose(self, held: dict[str, Any], u: ir.Value) -> tuple[ir.Value, ir.Value]:
        """Emit the place that is drawn, or that of the token itself, and the sum of all weights."""
        builder = self.builder
        sums = cumulate([builder.load(part) for part in held["part"]], builder.fadd)
        ends, lanes = sums[-1], range(LANES)

        whole, before = ends, constant(0.0)
        for step in (1, 2, 4):
            places = ir.Constant(ir.VectorType(PLACE, LANES), [k ^ step for k in lanes])
            across = builder.shuffle_vector(whole, whole, places)
            is_after = ir.Constant(FLAGS, [k & step > 0 for k in lanes])
            later = builder.fadd(before, across) if step > 1 else across
            before = builder.select(is_after, later, before)
            whole = builder.fadd(whole, across)
        border = builder.fmul(whole, self.code.spread(u))
        passed = []
        for one in sums:
            is_passed = builder.fcmp_ordered("<=", builder.fadd(before, one), border)
            passed.append(builder.ctpop(self.code.bits(is_passed)))
        place = functools.reduce(builder.add, passed)
        inside = builder.icmp_signed("<", place, INDEX(self.n * LANES))
        place = builder.select(inside, place, builder.load(held["place"]))
        return place, builder.extract_element(whole, PLACE(0))

    def move(
        self, held: dict[str, Any], n: ir.Value, following: ir.Value, place: ir.Value, moved: Any
    ) -> None:
        """Put token n into the topic that was drawn, and take the following token out."""
        builder, code, size = self.builder, self.code, INDEX(self.n * LANES)
        ahead = self.word_at(self.at_most_final(builder.add(n, INDEX(AHEAD))))
        self.fetch_row(ahead)
        begin, j = builder.load(held["begin"]), builder.load(held["j"])
        next_begin, next_j = self.word_at(following), self.topic_of(following)
        next_place = self.read(self.inverse, next_j)
        same = builder.icmp_signed(
            "==", code.spread(next_begin, INTEGERS), code.spread(begin, INTEGERS)
        )
        row, next_row = (builder.gep(self.table, [at]) for at in (begin, next_begin))
        lifts = builder.gep(self.lift, [builder.mul(next_place, size)])
        ready = [self.prepare(v, held, same, next_place, next_row, lifts) for v in self.vectors]
        lowers = builder.gep(self.lower, [builder.mul(place, size)])
        topic = self.read(self.order, place)
        is_moved = builder.icmp_signed("!=", topic, j)
        entering = builder.load(builder.gep(row, [topic]))
        leaving = builder.load(builder.gep(row, [j]))
        for v, (factor, part, part_of_new, own, total, counts) in enumerate(ready):
            k, is_new = INDEX(v * LANES), self.is_place(v, place)
            factor = builder.fmul(factor, code.load(lowers, k))
            part = builder.fmul(factor, builder.select(is_new, part_of_new, part))
            one = constant(1.0)
            old_row = builder.load(held["row"][v])
            code.store(self.more(old_row, is_new), row, k)
            values = {
                "factor": factor,
                "part": part,
                "own": builder.select(is_new, builder.fadd(own, one), own),
                "total": builder.select(is_new, builder.fadd(total, one), total),
                "row": self.more(counts, builder.and_(is_new, same)),
            }
            for name, value in values.items():
                builder.store(value, held[name][v])
        count = builder.load(moved)
        builder.store(leaving, builder.gep(self.left, [count]))
        builder.store(entering, builder.gep(self.entered, [count]))
        builder.store(builder.add(count, builder.zext(is_moved, INDEX)), moved)
        address = builder.gep(self.z, [n])
        builder.store(builder.trunc(topic, address.type.pointee), address)
        for name, value in (("begin", next_begin), ("j", next_j), ("place", next_place)):
            builder.store(value, held[name])

    def prepare(
        self,
        v: int,
        held: dict[str, Any],
        same: ir.Value,
        place: ir.Value,
        row: ir.Value,
        lifts: ir.Value,
    ) -> tuple[ir.Value, ...]:
        """Emit what a vector of the following token is, before a token is put in.

        The topic that is drawn gets other weights: of one more token in the document and in the
        corpus, and of one more of the word if both tokens have the same.
        """
        builder, code, k = self.builder, self.code, INDEX(v * LANES)
        is_own, one = self.is_place(v, place), constant(1.0)
        own, total = builder.load(held["own"][v]), builder.load(held["total"][v])
        own = builder.select(is_own, builder.fsub(own, one), own)
        total = builder.select(is_own, builder.fsub(total, one), total)
        # The row in memory is that before the token was taken out, if both have the same word.
        counts = builder.select(same, builder.load(held["row"][v]), code.load(row, k, COUNTS))
        counts = self.less(counts, is_own)
        factor = builder.fmul(builder.load(held["factor"][v]), code.load(lifts, k))
        alpha = code.load(self.alpha, k)
        count = builder.fadd(builder.sitofp(counts, DOUBLES), self.betas)
        more = builder.fadd(count, builder.select(same, one, constant(0.0)))
        share = builder.fdiv(builder.fadd(own, alpha), total)
        of_new = builder.fdiv(builder.fadd(builder.fadd(own, one), alpha), builder.fadd(total, one))
        return (
            factor,
            builder.fmul(share, count),
            builder.fmul(of_new, more),
            own,
            total,
            counts,
        )

    # Small pieces.

    def is_place(self, v: int, place: ir.Value) -> ir.Value:
        """Emit which lane of a vector is a place."""
        topics = range(v * LANES, (v + 1) * LANES)
        places = ir.Constant(INTEGERS, [unbranched.place_of(k, self.n) for k in topics])
        return self.builder.icmp_signed("==", places, self.code.spread(place, INTEGERS))

    def more(self, counts: ir.Value, flags: ir.Value) -> ir.Value:
        """Add one where a flag is set."""
        return self.builder.select(flags, self.builder.add(counts, ONES), counts)

    def less(self, counts: ir.Value, flags: ir.Value) -> ir.Value:
        """Subtract one where a flag is set."""
        return self.builder.select(flags, self.builder.sub(counts, ONES), counts)

    def read(self, table: ir.Value, at: ir.Value) -> ir.Value:
        return self.builder.load(self.builder.gep(table, [INDEX(0), at]))

    def at_most_final(self, n: ir.Value) -> ir.Value:
        is_inside = self.builder.icmp_signed("<", n, self.final)
        return self.builder.select(is_inside, n, self.final)

    def word_at(self, n: ir.Value) -> ir.Value:
        """Emit where the row of the word of a token begins."""
        word = self.builder.load(self.builder.gep(self.word, [n]))
        return self.builder.mul(self.builder.sext(word, INDEX), INDEX(self.n * LANES))

    def topic_of(self, n: ir.Value) -> ir.Value:
        return self.builder.zext(self.builder.load(self.builder.gep(self.z, [n])), INDEX)

    def fetch_row(self, begin: ir.Value) -> None:
        """Request a row of counts."""
        for k in counted.lines_of_row(self.n * LANES, 4):
            self.code.prefetch(self.builder.gep(self.table, [self.builder.add(begin, INDEX(k))]))

    def uniform(self, counter: ir.Value) -> ir.Value:
        """Emit `uniform`."""
        builder = self.builder
        bits = counter
        for shift, factor in ((30, FIRST), (27, SECOND)):
            bits = builder.xor(bits, builder.lshr(bits, INDEX(shift)))
            bits = builder.mul(bits, INDEX(_signed(factor)))
        bits = builder.xor(bits, builder.lshr(bits, INDEX(31)))
        number = builder.sitofp(builder.lshr(bits, INDEX(11)), ir.DoubleType())
        return builder.fmul(number, ir.Constant(ir.DoubleType(), UNIT))


def _signed(number: Any) -> int:
    """Return an unsigned number of 64 bits as LLVM writes it."""
    return int(number) - (1 << 64) if int(number) >= 1 << 63 else int(number)
