"""Which range that is to be expanded becomes the lanes of vectors, and how wide they are.

A range is worth lanes if it steps through memory by one element in some access, and not otherwise in accesses that run much oftener: those
take an instruction for each lane. No value may have two ranges of lanes, so the best are taken first: by the accesses with unit stride
that vectors save (weighed by the loops round them), then by stores among them, then the inner range. All others become copies.
"""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from ...dialect import types as T
from ...graph.buffers import ops_to_memory
from ...graph.uop import UOp
from ..symbolic.linear import linear
from ..symbolic.ranges import open_ranges

ITERATIONS = 8
"""A guess at how often a loop of symbolic extent runs, to weigh accesses by."""


@dataclass
class Candidate:
    range: UOp
    unit: float = 0
    """Weight of the accesses with unit stride, and of all others that the range steps through."""
    other: float = 0
    unit_stores: int = 0
    bits: int = 8

    def lanes(self, vector_bits: int) -> int:
        return widest_divisor(self.range.operands[0].value, vector_bits // self.bits)

    def gain(self, vector_bits: int) -> float:
        """What vectors save: of the accesses with unit stride, all but one in so many as there are lanes."""
        return (self.unit - self.other / 2) * (1 - 1 / self.lanes(vector_bits))


def choose_lanes(order: Sequence[UOp], ranges: Sequence[UOp], vector_bits: int) -> dict[UOp, int]:
    """For each range that becomes lanes, how many lanes a vector has: a power of two that divides the extent."""
    candidates = {r: Candidate(r) for r in ranges}
    together: dict[UOp, set[UOp]] = {r: set() for r in ranges}
    wanted = frozenset(ranges)
    nests = _nests(order)
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
            _note_access(u, candidates, wanted, _iterations(nests.get(u, open_ranges(u)) - wanted))
        if isinstance(u.type, T.DType) and u.type is not T.index:
            for r in live:
                candidates[r].bits = max(candidates[r].bits, u.type.bits)
    chosen: dict[UOp, int] = {}
    for c in sorted(candidates.values(), key=lambda c: (c.gain(vector_bits), c.unit_stores, c.range.attributes[0]), reverse=True):
        lanes = c.lanes(vector_bits)
        if lanes > 1 and c.unit and c.gain(vector_bits) > 0 and not together[c.range] & chosen.keys():
            chosen[c.range] = lanes
    return chosen


def _nests(order: Sequence[UOp]) -> dict[UOp, frozenset[UOp]]:
    """For each load of a term of a sum, the loops that the sum runs in: a load that some of them do not move runs in them all the same."""
    nests: dict[UOp, frozenset[UOp]] = {}
    for u in order:
        if u.name == "reduce":
            around = open_ranges(u.operands[0])
            for v in ops_to_memory(u.operands[0]):
                if v.name == "load":
                    nests[v] = nests.get(v, frozenset()) | around
    return nests


def _iterations(ranges: frozenset[UOp]) -> float:
    return prod(float(r.operands[0].value if r.operands[0].is_const() else ITERATIONS) for r in ranges)


def _note_access(u: UOp, candidates: dict[UOp, Candidate], wanted: frozenset[UOp], weight: float) -> None:
    pointer = u.operands[0]
    form = linear(pointer.operands[-1])
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
