"""morok-simplify-ranges: adjacent ranges that are used as one become one; ranges of a single iteration go.

    %i = morok.range 0 to 4                       %m = morok.range 0 to 24
    %j = morok.range 0 to 6                       morok.load %a[%m floordiv 6, %m mod 6]
    morok.load %a[%i, %j]                   =>    morok.bufferize %v[%m floordiv 6, %m mod 6]
    morok.bufferize %v[%i, %j]

Two ranges merge if each op that closes one closes the other, each reduction inside runs in both or in neither (else it would be
repeated), and the divisions in the body do not increase. They are counted where indices meet memory, on the flat row-major place
(`symbolic/index_cost.py`): above, both accesses are to element %m of %a and of the result, and no division is left.
"""
from __future__ import annotations

from ...graph.body import Body
from ...graph.uop import UOp, index_const, toposort
from ..registry import KernelPass, morok_pass
from ..symbolic import simplify
from ..symbolic.index_cost import IndexCosts
from ..symbolic.ranges import CLOSING, closed_ranges, make_range, open_ranges, ranges_of, replace_ranges

MERGED_KINDS = ("loop", "reduce")


def drop_single_iterations(roots: tuple[UOp, ...]) -> tuple[UOp, ...]:
    """Ranges of extent 1 are 0, and nothing closes them."""
    single = [r for r in ranges_of(toposort(roots)) if r.operands[0].is_const(1)]
    if not single:
        return roots
    return simplify(replace_ranges(roots, {r: index_const(0) for r in single}, {r: () for r in single}))


def adjacent_pairs(order: list[UOp]) -> list[tuple[UOp, UOp]]:
    """Pairs of ranges that are neighbours wherever either is closed, and both open or both closed round each reduction and buffer."""
    follows: dict[UOp, UOp | None] = {}
    precedes: dict[UOp, UOp | None] = {}
    for u in order:
        if u.name in CLOSING:
            closed: list[UOp | None] = [None, *sorted(closed_ranges(u), key=lambda r: r.attributes[0]), None]  # type: ignore[union-attr]
            for before, r, after in zip(closed, closed[1:], closed[2:]):
                assert r is not None
                follows[r] = after if follows.get(r, after) is after else None
                precedes[r] = before if precedes.get(r, before) is before else None
    pairs = [(a, b) for a, b in follows.items() if b is not None and precedes[b] is a
             and a.attributes[1] == b.attributes[1] and a.attributes[1] in MERGED_KINDS]
    beside: dict[UOp, list[tuple[UOp, UOp]]] = {}
    for a, b in pairs:
        beside.setdefault(a, []).append((a, b))
        beside.setdefault(b, []).append((a, b))
    apart: set[tuple[UOp, UOp]] = set()
    for u in order:
        if u.name in CLOSING:
            opened = open_ranges(u)
            apart.update(pair for r in opened for pair in beside.get(r, ()) if pair[0] not in opened or pair[1] not in opened)
    return sorted((p for p in pairs if p not in apart), key=lambda p: p[0].attributes[0])


def merge_adjacent(roots: tuple[UOp, ...]) -> tuple[UOp, ...]:
    """One round: merges disjoint pairs, each if it costs no division."""
    pairs = adjacent_pairs(toposort(roots))
    if not pairs:
        return roots
    costs = IndexCosts(roots)
    values: dict[UOp, UOp] = {}
    loops: dict[UOp, tuple[UOp, ...]] = {}
    for a, b in pairs:
        if a in values or b in values:
            continue
        inner = b.operands[0]
        if a.operands[0].is_const(0) or inner.is_const(0):
            continue  # a loop of no iteration must stay one: there is nothing to divide its counter by
        merged = make_range(simplify((a.operands[0] * inner,))[0], a.attributes[0], a.attributes[1], a)
        new = {a: merged // inner, b: merged % inner}
        if costs.accept(new, limit=0):
            values.update(new)
            loops.update({a: (merged,), b: ()})
    return simplify(replace_ranges(roots, values, loops)) if values else roots


@morok_pass("morok-simplify-ranges", form="range")
class SimplifyRanges(KernelPass):
    """Merges adjacent ranges where that costs no division, and drops ranges of extent 1."""

    def rewrite(self, body: Body) -> Body:
        roots = drop_single_iterations(body.roots)
        while True:
            merged = merge_adjacent(roots)
            if merged == roots:
                return body if roots == body.roots else body.with_roots(roots)
            roots = merged
