"""Whether it pays to make two groups of stores one kernel: the memory traffic that it saves, against parallelism, streams and register tiles that it may cost.

Saved is what one of them would read again that the other has just read or written. It must be a good part of what the smaller of them touches at all: stores
that have nothing in common stay apart, for a launch costs little and equal kernels are compiled once.
"""
from __future__ import annotations

from dataclasses import dataclass

from ...graph.buffers import root_buffer
from ...graph.uop import UOp
from ..symbolic.linear import Linear
from ..symbolic.ranges import open_ranges
from .split_reductions import ENOUGH_RESULTS, LEAST_ELEMENTS, is_worth_splitting
from .stored_values import StoredValue, place_of, trips, version_of

WORTH = 8
"""The part (one in so many) of the smaller group's traffic that fusing must save."""
MOST_STREAMS = 12
"""Streams of memory that a core's prefetchers and the ways of its first cache serve well together."""
LEAST_STREAM = 1 << 12
"""Bytes from which on memory counts as a stream: less stays in the first cache."""


@dataclass
class Candidate:
    """Two groups that may become one."""

    first: list[StoredValue]
    second: list[StoredValue]
    shared: list[UOp]
    """The loops that they would share."""
    place: dict[UOp, UOp]
    scratch: dict[StoredValue, int]

    @property
    def members(self) -> list[StoredValue]:
        return [*self.first, *self.second]

    @property
    def covers_all(self) -> bool:
        """Whether all loops of all stores are shared."""
        return all(len(m.ranges) == len(self.shared) for m in self.members)


def pays(c: Candidate) -> bool:
    """Whether the two groups are better one kernel."""
    return _keeps_tiles(c) and _keeps_parallelism(c) and _streams(c.members) <= MOST_STREAMS and _saved(c) * WORTH >= min(
        sum(m.nbytes() for m in group) for group in (c.first, c.second))


def _keeps_tiles(c: Candidate) -> bool:
    """A product keeps its register tile: only what is computed from its result, element by element, may come along."""
    products = [m for m in c.members if any(_is_product(u) for u in m.reductions)]
    if not products:
        return True
    return len(products) == 1 and c.covers_all and not c.scratch and all(m is products[0] or not m.reductions for m in c.members)


def _is_product(u: UOp) -> bool:
    """A sum of products of which each factor lacks some of the loops: what is loaded serves several results."""
    value = u.operands[0]
    while value.name == "cast":
        value = value.operands[0]
    if value.name != "mul" or u.attribute("op") != "add":
        return False
    x, y = (open_ranges(o) for o in value.operands)
    return bool(x - y) and bool(y - x)


def _keeps_parallelism(c: Candidate) -> bool:
    """Whether there is enough to do at once in the shared loops, and nothing that is better divided otherwise."""
    if _depends(c) and any(is_worth_splitting(u) for m in c.members for u in m.reductions):
        return False
    if c.covers_all:
        return True
    small = sum(m.nbytes() for m in c.members) < LEAST_ELEMENTS
    return (small or trips(c.shared) >= ENOUGH_RESULTS) and not any(_sweeps(m, len(c.shared)) for m in c.members)


def _depends(c: Candidate) -> bool:
    made = {m.op for m in c.members}
    return any(version_of(load) in made for m in c.members for load in m.loads)


def _sweeps(m: StoredValue, shared: int) -> bool:
    """Whether its innermost loop, if shared, steps through what a reduction reads by single elements: it should become lanes, with no other loops inside."""
    if not shared or len(m.ranges) != shared:
        return False
    last = m.ranges[-1]
    return any(load in m.inside and dict(m.place(load).terms).get(last) == 1 and open_ranges(load) - set(m.ranges) for load in m.loads)


def _streams(members: list[StoredValue]) -> int:
    streams = {root_buffer(version_of(load)) for m in members for load in m.loads if m.traffic(load) >= LEAST_STREAM}
    return len(streams | {m.root for m in members if m.stored_bytes >= LEAST_STREAM})


def _saved(c: Candidate) -> int:
    """Bytes that one group reads or writes just after the other has read or written them, at the same iteration of the shared loops."""
    seen = [_touched(group, c) for group in (c.first, c.second)]
    return sum(min(seen[0][key], seen[1][key]) for key in seen[0].keys() & seen[1].keys())


def _touched(group: list[StoredValue], c: Candidate) -> dict[tuple, int]:
    """Bytes by memory, by how the shared loops step through it, and by where they begin."""
    found: dict[tuple, int] = {}

    def add(buffer: UOp, place: Linear, nbytes: int) -> None:
        placed = {c.place.get(r, r): stride for r, stride in place.terms}
        key = (root_buffer(buffer), place.constant, tuple(placed.get(r, 0) for r in c.shared))
        found[key] = max(found.get(key, 0), nbytes)

    for m in group:
        for load in m.loads:
            add(version_of(load), m.place(load), m.traffic(load))
        add(m.op, place_of(m.op, m.indices), m.stored_bytes)
    return found
