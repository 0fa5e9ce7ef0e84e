"""Reverse mode through a loop with a known number of iterations: a loop from the last iteration to the first.

    c[t + 1] = f(c[t], w)                                          for t = 0 .. n - 1; the c[t] that derivatives read are kept as rows
    d[t], e[t] = what reaches c[t] and w when d[t + 1] reaches f   for t = n - 1 .. 0; what reaches w is the sum of the e[t]

An iteration is computed again from what it received, so that nothing else is kept (Griewank and Walther 2008, Evaluating Derivatives, chapter 12). Both loops
are ops like any other, and have derivatives. What is only added up, or put into rows, costs a row an iteration: rows that a body picks receive their
cotangents in place, and rows that it puts send theirs from where they lie.
"""
from __future__ import annotations

import weakref
from collections.abc import Collection, Mapping, Sequence
from math import prod
from typing import NamedTuple

from ...dialect import types as T
from ...errors import GradientError
from ...graph.captured_values import captured_by
from ...graph.derivation import CUSTOM, WIDER
from ...graph.repetition import parts_of
from ...graph.tensor_graph import TensorUOp
from .. import build
from ..rows import picked
from .counters import Counter, counters_of, one_row_each
from .rules import like
from .substitution import reached_among, substituted

MOVES = frozenset(("reshape", "permute", "cast", "contiguous"))
"""Linear ops that may be done once to a sum instead of to each term."""


def pulled_through(loop: TensorUOp, given: Mapping[int, TensorUOp], wanted: Collection[TensorUOp],
                   ends: Collection[TensorUOp]) -> list[tuple[TensorUOp, TensorUOp]]:
    """Pairs of what the loop begins with or captures, and is wanted, and what reaches it when `given` reaches the carried values of these numbers.

    GradientError for a loop whose number of iterations is data."""
    if parts_of(loop).goes_on is not None:
        raise GradientError("there is no derivative of a while_loop by reverse mode (grad, backward), as nobody knows how many iterations there are to keep "
                            "values of: use jvp or jacfwd; or fori_loop or scan over the greatest number, choosing by where(); or morok.custom_gradient")
    return _Backwards(loop, given, wanted, ends).pairs()


class _Backwards:
    def __init__(self, loop: TensorUOp, given: Mapping[int, TensorUOp], wanted: Collection[TensorUOp], ends: Collection[TensorUOp]) -> None:
        self.loop, self.given = loop, dict(given)
        parts = parts_of(loop)
        self.carried, self.initial, self.following = ([u for u in uops if isinstance(u, TensorUOp)] for uops in parts[:3])
        self.times = parts.times
        captured = captured_by(loop, ends)
        self.captured = [u for u in captured if u in wanted and u.dtype.is_float]
        self.ends = {*self.carried, *captured}
        self.counters = counters_of(self.carried, self.initial, self.following)
        self.starts = {k for k, u in enumerate(self.initial) if u in wanted and u.dtype.is_float}
        self.received = {k: build.carried(c) for k, c in enumerate(self.carried) if c.dtype.is_float}

    def pairs(self) -> list[tuple[TensorUOp, TensorUOp]]:
        if self.times == 0:
            return [(self.initial[k], g) for k, g in self.given.items() if k in self.starts]
        active = self._active()
        to_carried, to_captured = self._through_the_body(active)
        still = {k for k, g in to_carried.items() if g is self.received[k]}
        """What passes through unchanged."""
        places = {self.received[k]: self._given(k) for k in still}
        turning = [k for k in to_carried if k not in still]
        sums = [(u, _Sum(term)) for u, g in to_captured for term in _terms(g)]
        values = [to_carried[k] for k in turning] + [s.value for _, s in sums] + [s.positions for _, s in sums if s.positions is not None]
        count = build.carried(build.constant(0, T.int64))
        t = build.alu("sub", build.constant(self.times - 1, T.int64), count)
        places.update(self._received_at(t, reached_among(self.carried, values)))
        again = dict(zip(values, substituted(values, places)))
        begin = [build.constant(0, T.int64), *(self._given(k) for k in turning), *(s.zeros for _, s in sums)]
        totals = [build.carried(s.zeros) for _, s in sums]
        after = [build.alu("add", count, build.constant(1, T.int64)), *(again[to_carried[k]] for k in turning)]
        after += [s.added(total, again) for total, (_, s) in zip(totals, sums)]
        last = build.repeat([count, *(self.received[k] for k in turning), *totals], begin, after, self.times)
        found = {k: self._given(k) for k in still} | dict(zip(turning, last[1:]))
        return [*((self.initial[k], g) for k, g in found.items() if k in self.starts),
                *((u, s.moved(end)) for (u, s), end in zip(sums, last[1 + len(turning):]))]

    def _given(self, k: int) -> TensorUOp:
        g = self.given.get(k)
        return like(self.carried[k], 0.0) if g is None else g

    def _active(self) -> set[int]:
        """The carried values that depend on something wanted."""
        from .reverse import between
        active = set(self.starts)
        while True:
            order = between(self.following, [*(self.carried[k] for k in active), *self.captured], self.ends)
            more = {k for k, f in enumerate(self.following) if f in order.members and f.dtype.is_float} - active
            if not more:
                return active
            active |= more

    def _through_the_body(self, active: set[int]) -> tuple[dict[int, TensorUOp], list[tuple[TensorUOp, TensorUOp]]]:
        """What reaches the active carried values, and what the captured ones, in one iteration, made of what reaches the next values (`received`)."""
        from .reverse import cotangents
        rows = {k: f for k, f in enumerate(self.following) if k in self.given and k not in self.starts and self._puts_rows(k)}
        numbers = sorted(active - rows.keys())
        reached = active & self.given.keys()
        while True:
            outputs, seeds = [], []
            for k in sorted(reached):
                f = self.following[k]
                outputs.append(f.operands[2] if k in rows else f)
                seeds.append(picked(self.given[k], f.operands[1], 1) if k in rows else self.received[k])
            found = cotangents(outputs, seeds, [*(self.carried[k] for k in numbers), *self.captured], self.ends)
            to_carried = {k: g for k, g in zip(numbers, found) if g is not None}
            if to_carried.keys() <= reached:
                return {k: to_carried.get(k, like(self.carried[k], 0.0)) for k in numbers if k in reached}, [
                    (u, g) for u, g in zip(self.captured, found[len(numbers):]) if g is not None]
            reached |= to_carried.keys()

    def _puts_rows(self, k: int) -> bool:
        """Whether an iteration does no more to a carried value than put a row of its own into it, so that what reaches the row waits there."""
        f, c = self.following[k], self.carried[k]
        return (f.name == "scatter" and f.attributes[0] == "set" and f.operands[0] is c and one_row_each(f.operands[1], self.counters)
                and not any(c in reached_among((c,), [g]) for j, g in enumerate(self.following) if j != k)
                and not reached_among((c,), f.operands[1:]))

    def _received_at(self, t: TensorUOp, needed: Collection[TensorUOp]) -> dict[TensorUOp, TensorUOp]:
        """The carried values as iteration t received them."""
        found = {self.carried[k]: counter.at(t) for k, counter in self.counters.items()}
        found.update((c, i) for c, i, f in zip(self.carried, self.initial, self.following) if f is c)
        missing = [c for c in self.carried if c in needed and c not in found]
        if missing:
            found.update(self._rows_at(t, missing))
        return {c: v for c, v in found.items() if c in needed}

    def _rows_at(self, t: TensorUOp, wanted: Sequence[TensorUOp]) -> dict[TensorUOp, TensorUOp]:
        """Values that the loop keeps as rows: by itself, or widened so that it does."""
        kept = self._kept_anyway(t, wanted)
        missing = [c for c in wanted if c not in kept and prod(c.type.shape)]  # type: ignore[union-attr,arg-type]
        loop = self._widened(missing) if missing else self.loop
        place = build.reshape(t, (1, 1))
        kept |= {c: _Kept(len(loop.operands) - len(missing) + n, place) for n, c in enumerate(missing)}
        found = {c: like(c, 0) for c in wanted if c not in kept}
        for c, row in kept.items():
            memory = build.end_of_repeat(loop, row.number, loop.operands[row.number].operands[0].type)
            value = build.reshape(picked(memory, row.position, 1), build.shape_of(c))
            if row.begin is not None:
                later = build.alu("cmplt", build.constant(0, T.int64), t)
                value = build.alu("where", build.broadcast(later, build.shape_of(c)), value, row.begin)
            found[c] = value
        return found

    def _kept_anyway(self, t: TensorUOp, wanted: Sequence[TensorUOp]) -> dict[TensorUOp, _Kept]:
        """The carried values that an iteration, or the one before it, puts into rows."""
        before = build.alu("sub", t, build.constant(1, T.int64))
        begins = {f: (c, i) for c, i, f in zip(self.carried, self.initial, self.following) if c in wanted}
        found: dict[TensorUOp, _Kept] = {}
        for m, f in enumerate(self.following):
            if not self._puts_rows(m) or build.shape_of(f.operands[1]) != (1, 1):
                continue
            source = f.operands[2]
            if source.name == "reshape" and source not in begins and source not in wanted:
                source = source.operands[0]
            if source in wanted:
                found[source] = _Kept(m, self._at(t, f.operands[1]))
            elif source in begins:
                c, begin = begins[source]
                found.setdefault(c, _Kept(m, self._at(before, f.operands[1]), begin))
        return found

    def _at(self, t: TensorUOp, position: TensorUOp) -> TensorUOp:
        """A position that is made of counters, in iteration t."""
        return substituted([position], {self.carried[k]: counter.at(t) for k, counter in self.counters.items()})[0]

    def _widened(self, kept: Sequence[TensorUOp]) -> TensorUOp:
        """The loop, with a row of these carried values kept of each iteration."""
        values = list(self.loop.operands)
        counter = next((c for c in self.counters.values() if not c.shape), None)
        if counter is None:
            zero = build.constant(0, T.int64)
            n = build.carried(zero)
            values.append(build.op("carries", (n, zero, n + build.constant(1, T.int64))))
            counter = Counter(n, zero, 1)
        place = build.reshape(counter.iteration(), (1, 1))
        for c in kept:
            size = prod(build.shape_of(c))  # type: ignore[arg-type]
            zeros = build.full((1, self.times, size), 0, c.dtype)
            memory = build.carried(zeros)
            values.append(build.op("carries", (memory, zeros, build.scatter(memory, place, build.reshape(c, (1, 1, size)), "set"))))
        loop = build.op("repeat", tuple(values), self.loop.attributes)
        if loop is not self.loop:
            WIDER[self.loop] = weakref.ref(loop)
        return loop


class _Kept(NamedTuple):
    """Where a loop keeps a carried value: in the carried rows of a number, at a position.

    The first one of rows of what follows is what the loop begins with.
    """

    number: int
    position: TensorUOp
    begin: TensorUOp | None = None


class _Sum:
    """A term of what reaches a captured value, to be summed over the iterations: as it is, or where it only adds rows to zeros, those rows in place."""

    def __init__(self, term: TensorUOp) -> None:
        self._moves: list[TensorUOp] = []
        self.value = term
        self.positions: TensorUOp | None = None
        u = term
        while u.name in MOVES and len(u.operands) == 1 and u.operands[0].dtype.is_float:
            self._moves.append(u)
            u = u.operands[0]
        if u.name == "scatter" and u.attributes[0] == "add" and _is_zero(u.operands[0]):
            self.positions = u.operands[1]
            self.value = u.operands[2]
            self.zeros = u.operands[0]
            return
        self._moves = []
        self._dtype = term.dtype
        wide = T.float32 if term.dtype.bits < 32 else term.dtype
        self.zeros = build.full(build.shape_of(term), 0.0, wide)

    def added(self, total: TensorUOp, again: Mapping[TensorUOp, TensorUOp]) -> TensorUOp:
        """The total with an iteration's term."""
        if self.positions is not None:
            return build.scatter(total, again[self.positions], again[self.value], "add")
        return build.alu("add", total, build.cast(again[self.value], total.dtype))

    def moved(self, total: TensorUOp) -> TensorUOp:
        """What reaches the value, of the total."""
        if self.positions is None:
            return build.cast(total, self._dtype)
        for step in reversed(self._moves):
            total = build.op(step.name, (total,), step.attributes, step.type)
        return total


def _terms(u: TensorUOp) -> list[TensorUOp]:
    """What a value is the sum of."""
    found, stack = [], [u]
    while stack:
        u = stack.pop()
        if u.name == "add" and u not in CUSTOM:
            stack += reversed(u.operands)
        else:
            found.append(u)
    return found


def _is_zero(u: TensorUOp) -> bool:
    while u.name in ("reshape", "expand", "cast"):
        u = u.operands[0]
    return u.name == "const" and u.value == 0
