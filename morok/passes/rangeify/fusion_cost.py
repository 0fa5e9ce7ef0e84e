"""Whether it pays to make two groups of stores one kernel: the memory traffic that it saves, against parallelism, streams and register tiles that it may cost.

Saved is what one of them would read again that the other has just read or written. It must be a good part of what the smaller of them touches at all: stores
that have nothing in common stay apart, for a launch costs little and equal kernels are compiled once.

Loops over columns, with loops over rows inside, pass over memory in stripes, a part of each row. That is slower by the byte than passing over whole rows, so it
must save more: a stripe is to stay in the first cache, or an intermediate as large as the input is to go (the exponentials of a softmax).
"""
from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property

from ...graph.buffers import root_buffer
from ...graph.uop import UOp
from ..symbolic.linear import Linear
from ..symbolic.ranges import open_ranges
from .split_reductions import ENOUGH_RESULTS, LANES, LEAST_ELEMENTS, STRIPE, is_worth_splitting
from .stored_values import StoredValue, trips, version_of

WORTH = 8
"""The part (one in so many) of the smaller group's traffic that fusing must save."""
MOST_STREAMS = 12
"""Streams of memory that a core's prefetchers and the ways of its first cache serve well together."""
LEAST_STREAM = 1 << 12
"""Bytes from which on memory counts as a stream: less stays in the first cache."""
CACHED = 1 << 20
"""Bytes that a core's second cache holds until they are read again."""
ROW = 512
"""Bytes side by side from which on a core fetches ahead well."""
STRIPE_WIDTH = 256
"""Bytes of a row that a loop over columns takes together, where loops over rows are inside of it."""
STRIPED_GAIN = 2
"""How many times less memory a kernel that passes over it in stripes must touch than kernels that pass over it in rows."""
LEAST_GAIN = 1.25
"""The same where a stripe stays in a core's first cache, and all of the memory in none."""
FIRST_CACHE = 1 << 16
"""Bytes of which a core's first cache holds the half that is read until it is read again."""


@dataclass(frozen=True)
class Stripe:
    """A part of many rows: bytes side by side, and bytes in all."""

    width: int
    nbytes: int


@dataclass
class Candidate:
    """Two groups that may become one."""

    first: list[StoredValue]
    second: list[StoredValue]
    shared: list[UOp]
    """The loops that they would share."""
    place: dict[UOp, UOp]
    loops: dict[StoredValue, list[UOp]]
    """The loops of each store, outer first, the shared ones before all others."""
    scratch: dict[StoredValue, int]
    moved: bool
    """Whether some loops would move outwards."""

    @property
    def members(self) -> list[StoredValue]:
        return [*self.first, *self.second]

    @cached_property
    def swept(self) -> bool:
        """Whether the innermost shared loop must become lanes, with other loops inside."""
        return not self.covers_all and any(_sweeps(m, self) for m in self.members)

    @property
    def covers_all(self) -> bool:
        """Whether all loops of all stores are shared."""
        return all(len(m.ranges) == len(self.shared) for m in self.members)


class Touched:
    """What a group reads and writes, all in all: whether it can pay to join it with another is asked of very many pairs."""

    def __init__(self, members: list[StoredValue]) -> None:
        self.nbytes = sum(m.nbytes for m in members)
        self.by_place: dict[tuple[UOp, int], int] = {}
        """By memory and where it begins."""
        for m in members:
            for load in m.loads:
                self._add((root_buffer(version_of(load)), m.place(load).constant), m.traffic(load))
            self._add((m.root, m.own_place().constant), m.stored_bytes)

    def _add(self, place: tuple[UOp, int], nbytes: int) -> None:
        self.by_place[place] = self.by_place.get(place, 0) + nbytes

    def may_pay_with(self, other: Touched) -> bool:
        """False where what both touch is less than what `pays` asks them to save."""
        few, many = sorted((self.by_place, other.by_place), key=len)
        return sum(min(n, many[place]) for place, n in few.items() if place in many) * WORTH >= min(self.nbytes, other.nbytes)


def pays(c: Candidate) -> bool:
    """Whether the two groups are better one kernel."""
    return _keeps_tiles(c) and _keeps_parallelism(c) and _streams(c.members) <= MOST_STREAMS and _saved(c) * WORTH >= min(
        sum(m.nbytes for m in group) for group in (c.first, c.second))


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
    columns = STRIPE if c.swept else 1
    if (c.moved or c.swept) and (distinct_bytes(c.members) * columns > CACHED * trips(c.shared) or trips(c.shared[-1:]) < columns):
        return False
    if _depends(c) and any(is_worth_splitting(u, STRIPE if c.swept else LANES) for m in c.members for u in m.reductions):
        return False
    return c.covers_all or trips(c.shared) >= ENOUGH_RESULTS * columns or distinct_bytes(c.members) < LEAST_ELEMENTS


def distinct_bytes(members: list[StoredValue], unless: Collection[UOp] = ()) -> int:
    """Bytes of distinct memory that stores read and write, but for what they write of some ops and read of one another."""
    touched = {m.op: 0 if m.op in unless else m.stored_bytes for m in members}
    read: dict[UOp, int] = {}
    for m in members:
        for load in m.loads:
            version = version_of(load)
            if version not in touched:
                read[version] = max(read.get(version, 0), m.traffic(load))
    return sum(touched.values()) + sum(read.values())


def stripe_of(c: Candidate) -> Stripe | None:
    """What one iteration of the shared loops passes over, or one vector of them, where that is a part of many rows."""
    if not (c.swept or c.moved):
        return None
    inside = set(c.shared) if c.swept else set(c.place.values()) - set(c.shared)
    deep = [m for m in c.members if len(m.ranges) > len(c.shared)]
    places = [(p, m) for m in deep for p in (m.own_place(), *(m.place(load) for load in m.loads if m.traffic(load) >= LEAST_STREAM))]
    width = min((run * m.op.dtype.itemsize for place, m in places if (run := _run(place, inside, c))), default=ROW)
    if not c.swept:
        return Stripe(width, distinct_bytes(c.members) // trips(c.shared)) if width < ROW else None
    columns = STRIPE_WIDTH // min(m.op.dtype.itemsize for m in c.members)
    return Stripe(min(width, STRIPE_WIDTH), distinct_bytes(c.members) * columns // trips(c.shared))


def _run(place: Linear, loops: set[UOp], c: Candidate) -> int:
    """Elements side by side that some loops pass over; 0 where they pass over none."""
    count = 0
    for r, stride in sorted(place.terms, key=lambda term: term[1]):
        if stride != max(count, 1) or c.place.get(r, r) not in loops:
            break
        count = stride * trips([r])
    return count


def pays_in_stripes(members: list[StoredValue], stripe: Stripe, otherwise: list[list[StoredValue]], results: set[UOp]) -> bool:
    """Whether a group that passes over memory in stripes saves so much, beside the groups that would pass over it in rows, that it is worth it."""
    inside = {m.op for m in members}
    parts = [part for group in otherwise if (part := [m for m in group if m.op in inside])]
    wanted = results | {version_of(load) for group in otherwise for m in group if m.op not in inside for load in m.loads}
    apart = sum(distinct_bytes(part, {m.op for m in part} - wanted - _read_by(parts, part)) for part in parts)
    together = distinct_bytes(members, inside - wanted)
    if together < LEAST_ELEMENTS:  # all in a cache: what counts is the launches
        return True
    fits = stripe.width >= STRIPE_WIDTH and stripe.nbytes <= FIRST_CACHE and together > 2 * CACHED
    return apart >= (LEAST_GAIN if fits else STRIPED_GAIN) * together


def _read_by(groups: list[list[StoredValue]], but: list[StoredValue]) -> set[UOp]:
    return {version_of(load) for group in groups if group is not but for m in group for load in m.loads}


def _depends(c: Candidate) -> bool:
    made = {m.op for m in c.members}
    return any(version_of(load) in made for m in c.members for load in m.loads)


def _sweeps(m: StoredValue, c: Candidate) -> bool:
    """Whether the innermost shared loop steps through what a reduction reads by single elements: it becomes lanes, with all other loops inside."""
    if not c.shared or len(m.ranges) != len(c.shared):
        return False
    last = c.loops[m][-1]
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
        add(m.op, m.own_place(), m.stored_bytes)
    return found
