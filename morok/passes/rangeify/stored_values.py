"""What a body in range form stores to global memory: each store with its loops, the memory that it reads, and what must be done before it.

    %b = morok.bufferize %v, %i, %j {global}                              op %b, value %v, indices (%i, %j), ranges (%i, %j)
    %c = morok.after %a, (morok.end (morok.store %a[%i], %w), %i)         op %c, value %w, indices (%i), ranges (%i), written in place: %a
"""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod

from ...dialect import types as T
from ...graph.buffers import root_buffer
from ...graph.uop import UOp, toposort_to
from ..symbolic.bounds import bounds
from ..symbolic.flat import row_major
from ..symbolic.linear import Linear, linear
from ..symbolic.ranges import closed_ranges, open_ranges


@dataclass(eq=False)
class StoredValue:
    """One store. `order` is what computing its value takes, operands first, down to global memory."""

    op: UOp
    value: UOp
    indices: tuple[UOp, ...]
    ranges: list[UOp]
    order: list[UOp]
    loads: list[UOp]
    """Of global memory."""
    inside: set[UOp]
    """What is computed in a reduction or for scratch."""
    needs: set[StoredValue] = field(default_factory=set)
    """Those that must be done before, because this one reads them or overwrites what they read."""
    _places: dict[UOp, Linear] = field(default_factory=dict)
    _traffic: dict[UOp, int] = field(default_factory=dict)

    @property
    def in_place(self) -> bool:
        return self.op.name == "after"

    @cached_property
    def by_itself(self) -> bool:
        """Whether it shares no loops: its iterations come one after the other, or where it stores is data."""
        return any(r.attribute("kind") == "ordered" for r in self.ranges) or self.in_place and any(map(_is_placed_by_data, _stores_of(self.op)))

    @property
    def root(self) -> UOp:
        return root_buffer(self.op)

    @property
    def reductions(self) -> list[UOp]:
        return [u for u in self.order if u.name == "reduce"]

    def traffic(self, load: UOp) -> int:
        """Bytes of distinct memory that a load touches."""
        found = self._traffic.get(load)
        if found is None:
            buffer = version_of(load)
            found = self._traffic[load] = min(trips(open_ranges(load.operands[0])), size_of(buffer)) * buffer.dtype.itemsize
        return found

    @property
    def stored_bytes(self) -> int:
        return min(trips(self.ranges), size_of(self.op)) * self.op.dtype.itemsize

    @cached_property
    def nbytes(self) -> int:
        """Bytes of distinct memory that it reads and writes."""
        read: dict[UOp, int] = {}
        for load in self.loads:
            version = version_of(load)
            read[version] = max(read.get(version, 0), self.traffic(load))
        return sum(read.values()) + self.stored_bytes

    def place(self, load: UOp) -> Linear:
        """The flat place of a load: elements by which it moves along each range, and where it begins."""
        found = self._places.get(load)
        if found is None:
            found = self._places[load] = place_of(version_of(load), load.operands[0].operands[1:])
        return found

    def own_place(self) -> Linear:
        """The flat place that it stores to."""
        found = self._places.get(self.op)
        if found is None:
            found = self._places[self.op] = place_of(self.op, self.indices)
        return found


def place_of(buffer: UOp, indices: Sequence[UOp]) -> Linear:
    return linear(row_major(indices, buffer.type.shape))  # type: ignore[union-attr]


def version_of(load: UOp) -> UOp:
    """The buffer, as some moment left it, that a load reads."""
    return load.operands[0].operands[0]


def is_version(u: UOp) -> bool:
    """Whether the op is a buffer in global memory as some moment left it."""
    return isinstance(u.type, T.MemRefType) and u.type.space is None and u.name != "current"


def trips(ranges: Sequence[UOp] | frozenset[UOp]) -> int:
    """How many iterations the loops have together, at most."""
    return prod(bounds(r)[1] + 1 for r in ranges)


def size_of(buffer: UOp) -> int:
    return prod(s for s in buffer.type.shape if s is not None)  # type: ignore[union-attr]


def slice_of(value: UOp) -> list[UOp]:
    """The ops that computing a value takes, operands first: through scratch, down to global memory."""
    return [u for u in toposort_to((value,), is_version) if not is_version(u)]


def stored_values(order: list[UOp]) -> list[StoredValue]:
    """The stores among the ops of a body, in an order in which they may be done."""
    found: dict[UOp, StoredValue] = {}
    for u in order:
        if not is_version(u):
            continue
        stored = _stored(u)
        if stored is not None:
            stored.needs = _needed(stored, found)
            found[u] = stored
    _order_overwriting(found)
    return list(found.values())


def _stored(u: UOp) -> StoredValue | None:
    if u.name == "bufferize":
        value, indices, ranges = u.operands[0], u.operands[1:], closed_ranges(u)
    elif u.name == "after" and len(u.operands) >= 2 and (store := store_of(u)) is not None:
        value, indices, ranges = store.operands[1], store.operands[0].operands[1:], frozenset(u.operands[1].operands[1:] if u.operands[1] is not store else ())
    else:
        return None
    slice_ = slice_of(value)
    if u.name == "after" and (len(u.operands) > 2 or any(map(_is_placed_by_data, _stores_of(u)))):
        slice_ = list(dict.fromkeys((*slice_, *(v for store in _stores_of(u) for o in store.operands for v in slice_of(o)))))
    inside: set[UOp] = set()
    for v in reversed(slice_):  # users first
        if v in inside:
            inside.update(v.operands)
        elif v.name in ("reduce", "bufferize"):
            inside.add(v.operands[0])
    loads = [v for v in slice_ if v.name == "load" and v.operands[0].name == "index" and is_version(version_of(v))]
    return StoredValue(u, value, indices, sorted(ranges, key=lambda r: r.attributes[0]), slice_, loads, inside)


def store_of(u: UOp) -> UOp | None:
    """The store that an `after` of two operands waits for; one of a single element is in no loops."""
    effect = u.operands[1]
    store = effect.operands[0] if effect.name == "end" else effect
    return store if store.name == "store" else None


def _stores_of(u: UOp) -> list[UOp]:
    """All the stores that an `after` waits for."""
    return [effect.operands[0] if effect.name == "end" else effect for effect in u.operands[1:]]


def _is_placed_by_data(store: UOp) -> bool:
    return store.name == "store" and (len(store.operands) > 2 or any(v.name == "load" for i in store.operands[0].operands[1:] for v in slice_of(i)))


def _needed(stored: StoredValue, found: dict[UOp, StoredValue]) -> set[StoredValue]:
    versions = {version_of(load) for load in stored.loads}
    if stored.in_place:
        versions.add(stored.op.operands[0])
    needs: set[StoredValue] = set()
    for version in versions:
        while version not in found and version.name == "after":
            version = version.operands[0]
        if version in found:
            needs.add(found[version])
    return needs


def _order_overwriting(found: dict[UOp, StoredValue]) -> None:
    """What overwrites a version comes after those that read it; one that needs what the writer makes reads a copy instead (morok-fix-assigns)."""
    for writer in [s for s in found.values() if s.in_place]:
        version = writer.op.operands[0]
        for reader in found.values():
            if reader is not writer and any(version_of(load) is version for load in reader.loads) and not depends_on(reader, {writer}):
                writer.needs.add(reader)


def depends_on(later: StoredValue, earlier: set[StoredValue]) -> bool:
    seen, pending = {later}, [later]
    while pending:
        for needed in pending.pop().needs:
            if needed in earlier:
                return True
            if needed not in seen:
                seen.add(needed)
                pending.append(needed)
    return False
