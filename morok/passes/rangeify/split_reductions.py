"""morok-split-reductions: a large reduction to few results becomes two, so that its parts can run at once.

    %r = morok.range 0 to 16777216                    %c = morok.range 0 to 64, %r = morok.range 0 to 262144
    %s = morok.reduce (morok.load %a[%r]), %r   =>    %p = morok.bufferize (morok.reduce (morok.load %a[%c * 262144 + %r]), %r)[%c]
                                                      %s = morok.reduce (morok.load %p[%d]), %d                  %d from 0 to 64

The number of parts follows from the extent alone, so the result does not depend on how many threads there are. An extent that no good number of parts divides
leaves a rest, which is reduced beside the parts. Left alone are reductions whose results are enough work for threads and lanes. Reductions over the same memory
of which none needs another's result (the least and the greatest element) have their parts in the same loops, which read it once.
"""
from __future__ import annotations

from math import prod

from ...dialect import types as T
from ...graph.body import Body
from ...graph.uop import UOp, index_const, substitute, toposort
from ..registry import KernelPass, morok_pass
from ..symbolic import simplify
from ..symbolic.flat import flat_index
from ..symbolic.linear import linear
from ..symbolic.ranges import closed_ranges, make_range, open_ranges, ranges_of, renumbered, replace_ranges

LEAST_ELEMENTS = 1 << 17
"""Elements below which a reduction is done sooner than a second kernel pays."""
ENOUGH_RESULTS = 8
"""Independent results from which on the loops outside are enough for the threads."""
LANES = 256
"""Results side by side in memory that one sweep over the slow axis computes: they count as one."""
STRIPE = 16
"""So many where other loops stand beside the reduction's, inside of the loop over the results: that loop's lanes."""
PARTS = 64
LEAST_PART = 64


@morok_pass("morok-split-reductions", form="range")
class SplitReductions(KernelPass):
    """Makes a large reduction to few results two, the first of parts that run at once."""

    def rewrite(self, body: Body) -> Body:
        order = body.order()
        deep = _deepest_nests(order)
        wanted = [u for u in order if u.name == "reduce" and is_worth_splitting(u, STRIPE if any(n > open_ranges(u) for n in deep) else LANES)]
        if not wanted:
            return body
        numbers = Numbers(order)
        replaced: dict[UOp, UOp] = {}
        for together in _reading_the_same(wanted):
            loops = PartLoops(together[0], numbers)
            replaced.update((u, _in_parts(u, loops, numbers)) for u in together)
        return body.with_roots(renumbered(simplify(substitute(body.roots, replaced))))


class Numbers:
    """Ids that are not used yet."""

    def __init__(self, order: list[UOp]) -> None:
        self.range = max((u.attributes[0] for u in order if u.name == "range"), default=-1)
        self.buffer = max((u.attribute("id") for u in order if u.name == "bufferize"), default=-1)

    def new_range(self, extent: int, kind: str, like: UOp) -> UOp:
        self.range += 1
        return make_range(index_const(extent), self.range, kind, like)


def _deepest_nests(order: list[UOp]) -> set[frozenset[UOp]]:
    """The loops of each store."""
    return {closed_ranges(u) | open_ranges(u) for u in order if u.name in ("bufferize", "end")}


def is_worth_splitting(u: UOp, lanes: int) -> bool:
    """Whether a reduction is large, has few results (so many count as one if they lie side by side), and nothing that it needs is computed in its loops."""
    outside = open_ranges(u)
    closed = [r for r in u.operands[1:] if r.name == "range"]
    if not closed or any(not r.operands[0].is_const() for r in (*outside, *closed)):
        return False
    elements = prod(r.operands[0].value for r in closed)
    results = prod(r.operands[0].value for r in outside)
    if elements * results < LEAST_ELEMENTS or ranges_of(closed)[0].operands[0].value < PARTS * LEAST_PART:
        return False
    inside = toposort((u.operands[0],))
    if any(v.name in ("reduce", "bufferize") and open_ranges(v.operands[0]) & {*closed, *outside} for v in inside):
        return False
    if any(v.name == "load" and any(_step(v, r) == 1 for r in outside) for v in inside):
        results = -(-results // lanes)
    return results < ENOUGH_RESULTS


def _step(load: UOp, r: UOp) -> int | None:
    return dict(linear(flat_index(load.operands[0])).terms).get(r)


def _reading_the_same(reductions: list[UOp]) -> list[list[UOp]]:
    """Groups of reductions that can have their parts in the same loops: as many elements for the same results, of the same memory, none needing another."""
    groups: dict[tuple, list[list[UOp]]] = {}
    for u in reductions:
        order = toposort((u,))
        memory = frozenset(v.operands[0].operands[0] for v in order if v.name == "load" and v.operands[0].name == "index")
        key = tuple(r.operands[0] for r in ranges_of(u.operands[1:])), open_ranges(u), memory
        found = next((g for g in groups.setdefault(key, []) if not set(g) & set(order)), None)
        if found is None:
            groups[key].append([u])
        else:
            found.append(u)
    return [g for found in groups.values() for g in found]


class PartLoops:
    """The loops over parts, over the results, and over a part's elements."""

    def __init__(self, like: UOp, numbers: Numbers) -> None:
        closed = ranges_of(like.operands[1:])
        split = closed[0]
        self.extent = split.operands[0].value
        self.parts = next((n for n in sorted(range(PARTS // 2, 2 * PARTS), key=lambda n: abs(n - PARTS)) if self.extent % n == 0), PARTS)
        self.part = numbers.new_range(self.parts, "loop", split)
        self.fresh = {r: numbers.new_range(r.operands[0].value, "loop", r) for r in ranges_of(open_ranges(like))}
        self.inner = [numbers.new_range(r.operands[0].value if r is not split else self.extent // self.parts, "reduce", r) for r in closed]


def _in_parts(u: UOp, loops: PartLoops, numbers: Numbers) -> UOp:
    op, (value, *closed) = u.attribute("op"), u.operands
    split = ranges_of(closed)[0]
    extent, parts, part, fresh = loops.extent, loops.parts, loops.part, loops.fresh
    outside = list(fresh)
    inner = dict(zip(ranges_of(closed), loops.inner))
    values = {**fresh, **inner, split: part * (extent // parts) + inner[split]}
    partial = UOp.make("reduce", (replace_ranges((value,), values, {})[0], *inner.values()), (op,), None, u.loc)
    numbers.buffer += 1
    shape = (parts, *(r.operands[0].value for r in outside))
    buffer = UOp.make("bufferize", (partial, part, *fresh.values()), (numbers.buffer, "global"), T.memref(shape, u.dtype), u.loc)
    again = numbers.new_range(parts, "reduce", split)
    pointer = UOp.make("index", (buffer, again, *outside), (), T.ptr(u.dtype, "global"), u.loc)
    total = UOp.make("reduce", (UOp.make("load", (pointer,), (), None, u.loc), again), (op,), None, u.loc)
    done = extent // parts * parts
    if done == extent:
        return total
    rest = {r: numbers.new_range(r.operands[0].value if r is not split else extent - done, "reduce", r) for r in ranges_of(closed)}
    left = replace_ranges((value,), {**rest, split: rest[split] + done}, {})[0]
    return UOp.make(op, (total, UOp.make("reduce", (left, *rest.values()), (op,), None, u.loc)))
