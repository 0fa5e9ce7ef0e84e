"""morok-stage-epilogues: much work on the results of a register tile becomes a loop over the tile.

    %s = morok.reduce(%x, %k)                                  %s = morok.reduce(%x, %k)
    morok.end(morok.store(.., f(%s)), %i, %r, %c)        =>    %e = morok.end(morok.store(morok.index(%tile, %r * 48 + %c), %s), %r, %c)
                                                               %t = morok.load(morok.index(morok.after(%tile, %e), %u * 48 + %v))
                                                               morok.end(morok.store(.., f(%t)), %i, %u, %v)

    %r and %c are upcast, of 8 and 48                          %u is a loop of 8, %v is upcast, of 48

A sum that is kept in 24 vectors would take 24 copies of all that follows it in the kernel (an activation, say): code that runs once for each
tile, no faster than a loop, and most of what there is to compile. Through scratch, which stays in the first cache, the values go as they are.
Only where the copies would be more than `ops`, and where nothing else runs in the tile's loops.
"""
from __future__ import annotations

from collections.abc import Sequence
from math import prod

from ...dialect import types as T
from ...dialect.ops import ALU
from ...graph.body import Body
from ...graph.uop import UOp, index_const, substitute, toposort_to
from ..registry import KernelPass, at_least, morok_pass
from ..symbolic.ranges import CLOSING, closed_ranges, make_range, open_ranges
from .lane_choice import choose_lanes
from .pre_expand import EXPANDED


@morok_pass("morok-stage-epilogues", form="optimised")
class StageEpilogues(KernelPass):
    """Much work on each element of a register tile becomes a loop over the tile."""

    vector_bits: int = at_least(8, 256)
    ops: int = at_least(1, 400)
    """As of morok-pre-expand: above this many in all copies, they are a loop."""

    def rewrite(self, body: Body) -> Body:
        order = body.order()
        if any(u.name == "reduce" for u in order):
            for end in [u for u in order if u.name == "end"]:
                tile = Tile.of(end)
                if tile is not None and tile.copies({}) > self.ops:
                    body = self._staged(body, tile)
        return body

    def _staged(self, body: Body, tile: Tile) -> Body:
        order = body.order()
        lanes = choose_lanes(order, [u for u in order if u.name == "range" and u.attributes[1] in EXPANDED and u.operands[0].is_const()], self.vector_bits)
        if tile.copies(lanes) <= self.ops or not tile.is_alone(order):
            return body
        return body.with_roots(substitute(body.roots, {tile.end: tile.staged(order, lanes)}))


class Tile:
    """What an end closes: `axes` are its upcast ranges, `sums` the reductions whose results are kept for their iterations, and `work` what
    is computed from those."""

    def __init__(self, end: UOp, axes: list[UOp], sums: list[UOp], work: list[UOp]) -> None:
        self.end, self.axes, self.sums, self.work = end, axes, sums, work

    @classmethod
    def of(cls, end: UOp) -> Tile | None:
        axes = sorted((r for r in closed_ranges(end) if r.attributes[1] == "upcast"), key=lambda r: r.attributes[0])
        if not axes or not all(r.operands[0].is_const() for r in axes):
            return None
        work = toposort_to(end.operands[:1], _is_leaf)
        sums = [u for u in work if u.name == "reduce" and not open_ranges(u).isdisjoint(axes)]
        return cls(end, axes, sums, work) if sums else None

    def _axes_of(self, u: UOp) -> list[UOp]:
        live = open_ranges(u)
        return [r for r in self.axes if r in live]

    def copies(self, lanes: dict[UOp, int]) -> int:
        """Ops of the work in all copies of the axes, of which some become lanes."""
        return sum(prod(r.operands[0].value // lanes.get(r, 1) for r in self._axes_of(u))
                   for u in self.work if u.name in ALU and u.type is not T.index and not open_ranges(u).isdisjoint(self.axes))

    def is_alone(self, order: Sequence[UOp]) -> bool:
        """Whether nothing else runs in the loops of the axes, and no scratch has a part for each of their iterations."""
        if any(isinstance(u.type, T.MemRefType) and not open_ranges(u).isdisjoint(self.axes) for u in self.work):
            return False
        return all(u is self.end or u.name not in CLOSING or closed_ranges(u).isdisjoint(self.axes) for u in order)

    def staged(self, order: Sequence[UOp], lanes: dict[UOp, int]) -> UOp:
        """The end of a loop over the tile, whose lanes are innermost."""
        last = max(u.attributes[0] for u in order if u.name == "range")
        number = 1 + max((u.attributes[0] for u in order if u.name == "define_local"), default=-1)
        axes = sorted(self.axes, key=lambda r: (r in lanes, r.attributes[0]))
        new = {r: make_range(r.operands[0], last + 1 + i, "upcast" if r in lanes else "loop", r) for i, r in enumerate(axes)}
        inner = dict(new)
        for i, value in enumerate(self.sums):
            new[value] = _through_scratch(value, number + i, [r for r in axes if r in open_ranges(value)], inner)
        for u in self.work:
            if u not in new:
                new[u] = u if _is_leaf(u) or not u.operands else u.with_operands(tuple([new[o] for o in u.operands]))
        return self.end.with_operands((new[self.end.operands[0]], *(inner.get(r, r) for r in self.end.operands[1:])))


def _is_leaf(u: UOp) -> bool:
    return u.name == "reduce" or isinstance(u.type, T.MemRefType)


def _through_scratch(value: UOp, number: int, axes: list[UOp], inner: dict[UOp, UOp]) -> UOp:
    """The value in the loops `inner`, read from scratch that is written in those of the axes."""
    dtype = T.uint8 if value.dtype is T.bool_ else value.dtype
    scratch = UOp.make("define_local", (), (number,), T.memref((prod(r.operands[0].value for r in axes),), dtype, "local"), value.loc)
    store = UOp.make("store", (_element(scratch, axes, axes), value.cast(dtype)), (), None, value.loc)
    filled = UOp.make("after", (scratch, UOp.make("end", (store, *axes))))
    return UOp.make("load", (_element(filled, axes, [inner[r] for r in axes]),), (), None, value.loc).cast(value.dtype)


def _element(scratch: UOp, axes: list[UOp], places: list[UOp]) -> UOp:
    flat = index_const(0)
    for r, place in zip(axes, places):
        flat = flat * r.operands[0].value + place
    return UOp.make("index", (scratch, flat), (), T.ptr(scratch.dtype, "local"))
