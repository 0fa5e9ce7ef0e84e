"""morok-split-ranges: a range used with a modulo becomes two ranges, so that index arithmetic turns affine.

    %i = morok.range 0 to 12                      %o = morok.range 0 to 3
    morok.load %b[%i floordiv 4, %i mod 4]   =>   %r = morok.range 0 to 4
    morok.bufferize %v[%i]                        morok.load %b[%o, %r]
                                                  morok.bufferize %v[%o * 4 + %r]

Splits only where the factor divides the extent (otherwise the bound would need a mask, which costs more than the modulo saves) and where
fewer divisions are left in the body, counted on flat indices: a load of element %i of a row-major buffer needs no split. What closed the
range closes both. The ids of a changed body are dense, in loop order.
"""
from __future__ import annotations

from math import gcd

from ...graph.body import Body
from ...graph.uop import UOp, index_const, toposort
from ..registry import KernelPass, morok_pass
from ..symbolic import simplify
from ..symbolic.index_cost import IndexCosts
from ..symbolic.linear import linear
from ..symbolic.ranges import make_range, ranges_of, renumbered, replace_ranges

SPLIT_KINDS = ("loop", "reduce")


def factors_of(r: UOp, expressions: list[UOp]) -> list[int]:
    """Inner extents at which the divisions of some expressions suggest to split a range, least first: those that divide its extent."""
    extent = r.operands[0].value
    found = set()
    for u in toposort(expressions):
        if u.name in ("floordiv", "mod") and u.operands[1].name == "const":
            coefficient = dict(linear(u.operands[0]).terms).get(r)
            if coefficient:
                found.add(u.operands[1].value // gcd(u.operands[1].value, coefficient))
    return sorted(f for f in found if 1 < f < extent and extent % f == 0)


def split_once(roots: tuple[UOp, ...]) -> tuple[UOp, ...]:
    """One round: splits each range that a modulo asks for in two."""
    ranges = ranges_of(toposort(roots))
    costs = IndexCosts(roots)
    above = ranges[-1].attributes[0] + 1 if ranges else 0
    doubled = {r: above + 2 * position for position, r in enumerate(ranges)}  # unused ids, one left free behind each range
    values: dict[UOp, UOp] = {}
    loops: dict[UOp, tuple[UOp, ...]] = {}
    for r in ranges:
        if r.operands[0].name != "const" or r.attributes[1] not in SPLIT_KINDS:
            continue
        for factor in factors_of(r, costs.users_of(r)):
            outer = make_range(index_const(r.operands[0].value // factor), doubled[r], r.attributes[1], r)
            inner = make_range(index_const(factor), doubled[r] + 1, r.attributes[1], r)
            if costs.accept({r: outer * factor + inner}, limit=-1):
                values[r], loops[r] = outer * factor + inner, (outer, inner)
                break
    if not values:
        return roots
    for r in ranges:
        if r not in values:
            values[r] = make_range(r.operands[0], doubled[r], r.attributes[1], r)
            loops[r] = (values[r],)
    return simplify(renumbered(replace_ranges(roots, values, loops)))


@morok_pass("morok-split-ranges", form="range")
class SplitRanges(KernelPass):
    """Splits ranges used with a modulo."""

    def rewrite(self, body: Body) -> Body:
        roots = body.roots
        while any(u.name == "mod" or u.name == "floordiv" for u in toposort(roots)):
            split = split_once(roots)
            if split == roots:
                break
            roots = split
        return body if roots == body.roots else body.with_roots(roots)
