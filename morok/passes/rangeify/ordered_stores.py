"""The range form of ops whose iterations come one after the other: scan, scatter, counted_scatter.

    %t = morok.scan %a {op = "add", axis = 0}  =>  %i = morok.range 7 {ordered}
                                                   %p = morok.load (morok.index (morok.current %b, %i)[%i])
                                                   %s = morok.store (morok.index %b[%i + 1]), %p + (morok.load (morok.index (morok.current %b, %i)[%i + 1]))
                                                   %t = morok.after %b, (morok.end %s, %i)

Each overwrites memory that holds its first operand (`counted_scatter` its third too), which it reads through `current`: as the iterations so far
left it.
"""
from __future__ import annotations

from collections.abc import Callable, Sequence

from ...dialect import types as T
from ...graph.shape import shape_of
from ...graph.uop import UOp, const
from ..symbolic import simplify
from .movement_indices import Indices, flatten

OPS = frozenset(("scan", "scatter", "counted_scatter"))


def targets(u: UOp) -> tuple[UOp, ...]:
    """The operands whose memory the op overwrites."""
    return (u.operands[0], u.operands[2]) if u.name == "counted_scatter" else u.operands[:1]


def loops_of(u: UOp) -> list[tuple[int | UOp, str]]:
    """Sizes and kinds of the op's loops, outer first."""
    shape = shape_of(u)
    if u.name == "scan":
        axis = u.attribute("axis")  # the first element stays as it is
        return [(max(size - 1, 0), "ordered") if a == axis and isinstance(size, int) else (size, "loop") for a, size in enumerate(shape)]
    if u.name == "scatter":
        return [(shape[0], "loop"), (shape_of(u.operands[1])[1], "ordered"), (shape[2], "loop")]
    b, c, k = shape_of(u.operands[1])
    return [(b, "loop"), (c, "loop"), (k, "ordered"), (shape[2], "loop")]


def requests(u: UOp, own: Indices) -> list[tuple[UOp, Indices]]:
    """The operands that are computed in the loops, and where."""
    if u.name == "scatter":
        return [(u.operands[1], own[:2]), (u.operands[2], own)]
    return [(u.operands[1], own[:3]), (u.operands[3], own)] if u.name == "counted_scatter" else []


Place = Callable[[Indices], Indices]
"""From an element's indices in the first operand to those in memory."""


def build(u: UOp, own: Indices, memory: Sequence[UOp], values: Sequence[UOp], place: Place | None = None) -> UOp:
    """The memory of the first operand, overwritten, or memory that has its elements elsewhere, as `place` says. `memory` is the targets', `values` are what
    `requests` asked for."""
    ranges = tuple(r for r in own if r.name == "range")
    builder = _Ordered(u, ranges, place)
    if u.name == "scan" and shape_of(u)[u.attribute("axis")] == 1 or any(0 in t.shape for t in (u.type, *(o.type for o in u.operands))):  # type: ignore[union-attr]
        return memory[0]
    if u.name == "scan":
        stores = builder.scan(memory[0], own)
    elif u.name == "scatter":
        stores = builder.scatter(memory[0], own, *values)
    else:
        stores = builder.counted_scatter(memory[0], memory[1], own, *values)
    return UOp.make("after", (memory[0], *(UOp.make("end", (s, *ranges), (), T.token, u.loc) for s in stores)), (), memory[0].type, u.loc)


class _Ordered:
    def __init__(self, u: UOp, ranges: Sequence[UOp], place: Place | None) -> None:
        self.u, self.place = u, place
        self.ordered = tuple(r for r in ranges if r.attribute("kind") == "ordered")

    def read(self, buffer: UOp, indices: Indices, gate: UOp | None = None) -> UOp:
        """An element as it is now. Without an ordered loop (of one iteration) that is the buffer itself."""
        now = UOp.make("current", (buffer, *self.ordered), (), buffer.type, self.u.loc) if self.ordered else buffer
        pointer = UOp.make("index", (now, *self._place(buffer, indices)), (), T.ptr(buffer.dtype, "global"))
        if gate is None or gate.is_const(True):
            return UOp.make("load", (pointer,), (), buffer.dtype, self.u.loc)
        return UOp.make("load", (pointer, gate, const(0, buffer.dtype)), (), buffer.dtype, self.u.loc)

    def write(self, buffer: UOp, indices: Indices, value: UOp, *gate: UOp) -> UOp:
        pointer = UOp.make("index", (buffer, *self._place(buffer, indices)), (), T.ptr(buffer.dtype, "global"))
        return UOp.make("store", (pointer, value, *gate), (), T.token, self.u.loc)

    def _place(self, buffer: UOp, indices: Indices) -> Indices:
        """An element's indices in the buffer: that of a symbolic shape is one-dimensional."""
        if self.place is not None:
            return self.place(indices)
        return indices if len(buffer.type.shape) == len(indices) else simplify((flatten(indices, shape_of(self.u)),))  # type: ignore[union-attr]

    def scan(self, buffer: UOp, own: Indices) -> list[UOp]:
        op, axis = self.u.attribute("op"), self.u.attribute("axis")
        place = (*own[:axis], own[axis] + 1, *own[axis + 1:])
        before, here = self.read(buffer, own), self.read(buffer, place)
        return [self.write(buffer, place, _logaddexp(before, here) if op == "logaddexp" else before.alu(op, here))]

    def scatter(self, buffer: UOp, own: Indices, position: UOp, value: UOp) -> list[UOp]:
        op, size = self.u.attribute("op"), shape_of(self.u)[1]
        inside = _is_inside(position, size)
        place = (own[0], position.cast(T.index), own[2])
        new = value if op == "set" else self.read(buffer, place, inside).alu(op, value)
        return [self.write(buffer, place, new, inside)]

    def counted_scatter(self, buffer: UOp, starts: UOp, own: Indices, key: UOp, value: UOp) -> list[UOp]:
        inside = _is_inside(key, starts.type.shape[2])  # type: ignore[union-attr]
        counter = (own[0], own[1], key.cast(T.index))
        next_ = self.read(starts, counter, inside)
        gate = inside & _is_inside(next_, buffer.type.shape[1])  # type: ignore[union-attr]
        return [self.write(buffer, (own[0], next_.cast(T.index), own[3]), value, gate),
                self.write(starts, counter, next_ + const(1, starts.dtype), inside)]


def _logaddexp(x: UOp, y: UOp) -> UOp:
    """log(exp(x) + exp(y)) without overflow, as the greater and a little: log(2) where they are equal, infinities too."""
    high, low = x.alu("max", y), x.alu("min", y)
    little = high.alu("cmpne", low).alu("where", low - high, const(0.0, x.dtype))
    return high + little.alu("exp").alu("log1p")


def _is_inside(position: UOp, size: int | UOp) -> UOp:
    """Whether a position that is data lies within an axis."""
    if isinstance(size, UOp):
        return position.ge(0) & position.cast(T.index).lt(size)
    most = position.dtype.max if position.dtype is not T.index else size
    inside = position.ge(0)
    return inside & position.lt(size) if size <= most else inside
