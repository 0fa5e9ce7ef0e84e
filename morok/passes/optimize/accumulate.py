"""ACCUMULATE: a part of a sum goes outside of loops over its results, which are added up in scratch.

    for %j                                          for %j
      for %i                                          for %b, in order
        out[%i, %j] = f(sum over %b, %k of ..)   =>     for %i: sums[%i] = (0 in the first round, then sums[%i]) + sum over %k of ..
                                                      for %i: out[%i, %j] = f(sums[%i])

What a round of %b reads, a block of the factors, then serves all %i while it is in a near cache: the blocks of K of Goto and van de Geijn, "Anatomy of
high-performance matrix multiplication", 2008. The partial sums are added in the order of %b, whatever the threads do.
"""
from __future__ import annotations

from math import prod

from ...dialect import types as T
from ...errors import ScheduleError
from ...graph.uop import UOp, const, index_const, substitute, toposort
from ...interpret.alu import identity
from ..symbolic.ranges import make_range, open_ranges

MOST_BYTES = 1 << 18
"""Of the sums: they should stay in a core's second cache beside the factors' blocks."""


def accumulate(roots: tuple[UOp, ...], what: str, loop: UOp, outside: UOp) -> tuple[UOp, ...]:
    """The roots with a reduction's loop right inside of the loop `outside`. ScheduleError where that is not legal."""
    order = toposort(roots)
    reduction = _reduction(order, what, loop)
    if outside.attribute("kind") != "loop" or outside not in open_ranges(reduction) or outside.attribute("id") > loop.attribute("id"):
        raise ScheduleError(f"{what}: axis {outside.attribute('id')} is no parallel loop round the reduction of axis {loop.attribute('id')}")
    if reduction.dtype.is_float and reduction.dtype.bits < 32:
        raise ScheduleError(f"{what}: partial sums would be rounded to {reduction.dtype.name}")
    inner = sorted((r for r in open_ranges(reduction) if r.attribute("id") > outside.attribute("id")), key=lambda r: r.attribute("id"))
    if not inner:
        raise ScheduleError(f"{what}: there is no loop between the two")
    if any(not r.operands[0].is_const() for r in (loop, *inner)):
        raise ScheduleError(f"{what}: a loop between the two has a symbolic extent; scratch has a constant size")
    if any(u.name == "define_local" for u in order):
        raise ScheduleError(f"{what}: the kernel fills scratch; ACCUMULATE comes before STAGE")
    sizes = [r.operands[0].value for r in inner]
    if prod(sizes) * reduction.dtype.bits // 8 > MOST_BYTES:
        raise ScheduleError(f"{what}: the sums would take {prod(sizes) * reduction.dtype.bits // 8} bytes; at most {MOST_BYTES} are allowed")
    return _Accumulation(order, reduction, loop, inner).run(roots)


def _reduction(order: list[UOp], what: str, loop: UOp) -> UOp:
    closing = [u for u in order if u.name in ("reduce", "end") and loop in u.operands[1:]]
    if loop.attribute("kind") != "reduce" or len(closing) != 1:
        raise ScheduleError(f"{what}: axis {loop.attribute('id')} is not the loop of one reduction")
    return closing[0]


class _Accumulation:
    """The loops that add get ranges of their own, behind all others; those that read the sums are the loops as they were."""

    def __init__(self, order: list[UOp], reduction: UOp, loop: UOp, inner: list[UOp]) -> None:
        self.reduction, self.inner, self.op = reduction, inner, reduction.attribute("op")
        self.sizes = [r.operands[0].value for r in inner]
        last = max(u.attribute("id") for u in order if u.name == "range")
        closed = {r for u in toposort((reduction,)) if u.name in ("reduce", "end") for r in u.operands[1:]} - open_ranges(reduction) - {loop}
        own = [loop, *sorted((*inner, *closed), key=lambda r: r.attribute("id"))]
        self.fresh = {r: make_range(r.operands[0], last + 1 + i, "ordered" if r is loop else r.attribute("kind"), r) for i, r in enumerate(own)}
        self.loop = self.fresh[loop]

    def run(self, roots: tuple[UOp, ...]) -> tuple[UOp, ...]:
        old = self.reduction
        scratch = UOp.make("define_local", (), (0,), T.memref((prod(self.sizes),), old.dtype, "local"), old.loc)
        total = UOp.make("after", (scratch, self._added(scratch)))
        return substitute(roots, {old: UOp.make("load", (self._element(total, self.inner),), (), None, old.loc)})

    def _added(self, scratch: UOp) -> UOp:
        """The loop that adds to the sums."""
        old = self.reduction
        value, *ranges = substitute(old.operands, self.fresh)
        others = [r for r in ranges if r is not self.loop]
        part = old.with_operands((value, *others)) if others else value
        places = [self.fresh[r] for r in self.inner]
        now = UOp.make("current", (scratch, self.loop), (), scratch.type, old.loc)
        nothing = const(identity(self.op, old.dtype), old.type)
        so_far = UOp.make("load", (self._element(now, places), index_const(0).alu("cmplt", self.loop), nothing), (), None, old.loc)
        store = UOp.make("store", (self._element(scratch, places), so_far.alu(self.op, part)), (), None, old.loc)
        return UOp.make("end", (store, self.loop, *places))

    def _element(self, scratch: UOp, places: list[UOp]) -> UOp:
        """A pointer to a result's sum; the sums are row-major in the order of the loops."""
        flat = places[0]
        for place, size in zip(places[1:], self.sizes[1:]):
            flat = flat * size + place
        return UOp.make("index", (scratch, flat), (), T.ptr(scratch.dtype, "local"))
