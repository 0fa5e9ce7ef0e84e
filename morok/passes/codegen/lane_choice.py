"""Which range that is to be expanded becomes the lanes of vectors, and how wide they are.

A range is worth lanes if it steps through memory by one element in some access. No value may have two ranges of lanes, so the best are
taken first: by the number of accesses with unit stride, stores before loads, then the inner one. All others become copies.
"""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...dialect import types as T
from ...graph.uop import UOp
from ..symbolic.linear import linear
from ..symbolic.ranges import open_ranges


@dataclass
class Candidate:
    range: UOp
    unit_loads: int = 0
    unit_stores: int = 0
    other: int = 0
    bits: int = 8

    @property
    def rank(self) -> tuple:
        return (self.unit_loads + self.unit_stores - self.other / 2, self.unit_stores, self.range.attributes[0])


def choose_lanes(order: Sequence[UOp], ranges: Sequence[UOp], vector_bits: int) -> dict[UOp, int]:
    """For each range that becomes lanes, how many lanes a vector has: a power of two that divides the extent."""
    candidates = {r: Candidate(r) for r in ranges}
    together: dict[UOp, set[UOp]] = {r: set() for r in ranges}
    wanted = frozenset(ranges)
    for u in order:
        if u.name == "range" or u.name == "const":
            continue
        live = open_ranges(u) & wanted
        if u.name == "reduce":  # inside, its value has them all
            live = open_ranges(u.operands[0]) & wanted
        if not live:
            continue
        if len(live) > 1:
            for r in live:
                together[r] |= live
        if u.name in ("load", "store"):
            _note_access(u, candidates, wanted)
        if isinstance(u.type, T.DType) and u.type is not T.index:
            for r in live:
                candidates[r].bits = max(candidates[r].bits, u.type.bits)
    chosen: dict[UOp, int] = {}
    for c in sorted(candidates.values(), key=lambda c: c.rank, reverse=True):
        lanes = widest_divisor(c.range.operands[0].value, vector_bits // c.bits)
        if lanes > 1 and c.unit_loads + c.unit_stores and not together[c.range] & chosen.keys():
            chosen[c.range] = lanes
    return chosen


def _note_access(u: UOp, candidates: dict[UOp, Candidate], wanted: frozenset[UOp]) -> None:
    pointer = u.operands[0]
    form = linear(pointer.operands[-1])
    for term, step in form.terms:
        for r in open_ranges(term) & wanted:
            if step == 1 and term is r and all(t is r or r not in open_ranges(t) for t, _ in form.terms):
                if u.name == "load":
                    candidates[r].unit_loads += 1
                else:
                    candidates[r].unit_stores += 1
            else:
                candidates[r].other += 1


def widest_divisor(extent: int, most: int) -> int:
    """The greatest power of two that divides the extent and is at most `most`."""
    lanes = 1
    while lanes * 2 <= most and extent % (lanes * 2) == 0:
        lanes *= 2
    return lanes
