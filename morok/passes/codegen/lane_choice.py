"""Which range that is to be expanded becomes the lanes of vectors, and how wide they are.

A range is worth lanes if it steps through memory by one element in some access, and not otherwise in accesses that run much oftener: those
take an instruction for each lane. No value may have two ranges of lanes, so the best are taken first: by the accesses with unit stride
(weighed by the loops round them), then by stores among them, then the inner range. All others become copies.
"""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...dialect import types as T
from ...graph.uop import UOp
from ..symbolic.linear import linear
from ..symbolic.ranges import open_ranges

ITERATIONS = 8
"""A guess at how often a loop runs, to weigh accesses by."""


@dataclass
class Candidate:
    range: UOp
    unit: float = 0
    """Weight of the accesses with unit stride, and of all others that the range steps through."""
    other: float = 0
    unit_stores: int = 0
    bits: int = 8

    @property
    def gain(self) -> float:
        return self.unit - self.other / 2


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
    for c in sorted(candidates.values(), key=lambda c: (c.gain, c.unit_stores, c.range.attributes[0]), reverse=True):
        lanes = widest_divisor(c.range.operands[0].value, vector_bits // c.bits)
        if lanes > 1 and c.unit and c.gain > 0 and not together[c.range] & chosen.keys():
            chosen[c.range] = lanes
    return chosen


def _note_access(u: UOp, candidates: dict[UOp, Candidate], wanted: frozenset[UOp]) -> None:
    pointer = u.operands[0]
    form = linear(pointer.operands[-1])
    weight = ITERATIONS ** len(open_ranges(u) - wanted)
    for r in open_ranges(pointer) & wanted:
        candidate = candidates[r]
        candidate.bits = max(candidate.bits, pointer.dtype.bits)
        steps = [step if term is r else 0 for term, step in form.terms if r in open_ranges(term)]
        if steps == [1]:
            candidate.unit += weight
            candidate.unit_stores += u.name == "store"
        elif steps:
            candidate.other += weight


def widest_divisor(extent: int, most: int) -> int:
    """The greatest power of two that divides the extent and is at most `most`."""
    lanes = 1
    while lanes * 2 <= most and extent % (lanes * 2) == 0:
        lanes *= 2
    return lanes
