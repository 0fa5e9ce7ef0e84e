"""The memory planner: intermediates whose lifetimes do not overlap share memory.

    group 0   writes a                              bytes    0        1024
    group 1   reads a, writes b                     a, c    |--------|            c begins when a is over
    group 2   reads b, writes c              =>     b                |--------|
    group 3   reads c

A lifetime goes from the first group that touches a buffer to the last, both included, since the kernels of one group run at the same
time. Arguments and results have memory of their own: a caller may hold them. Greedy by size: the largest first, each at the lowest
offset that is free.
"""
from __future__ import annotations

from bisect import insort
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import itemgetter

from ..dialect import types as T
from .items import Schedule, ScheduleItem

ALIGNMENT = 64
"""Kernels take the buffers that they write as `align 64`."""


@dataclass(frozen=True)
class Lifetime:
    """The groups (inclusive) during which a buffer of that many bytes is in use."""

    buffer: int
    nbytes: int
    first: int
    last: int

    def overlaps(self, other: Lifetime) -> bool:
        return self.first <= other.last and other.first <= self.last


@dataclass(frozen=True)
class MemoryPlan:
    """Where each intermediate lies in the arena."""

    offsets: dict[int, int]
    nbytes: int
    unshared_nbytes: int
    """What the intermediates would take if none shared."""


def plan_memory(schedule: Schedule, groups: Sequence[Sequence[ScheduleItem]]) -> MemoryPlan:
    """Offsets of the schedule's intermediates in one arena."""
    return place(lifetimes(schedule, groups))


def lifetimes(schedule: Schedule, groups: Sequence[Sequence[ScheduleItem]]) -> list[Lifetime]:
    intermediates = frozenset(schedule.intermediates)
    first: dict[int, int] = {}
    last: dict[int, int] = {}
    for g, group in enumerate(groups):
        for item in group:
            for buffer in item.buffer_ids:
                if buffer in intermediates:
                    first.setdefault(buffer, g)
                    last[buffer] = g
    return [Lifetime(b, _nbytes(schedule, b), first[b], last[b]) for b in first]


def place(given: Iterable[Lifetime]) -> MemoryPlan:
    """The lifetimes laid out: those that overlap get disjoint bytes."""
    placed: list[tuple[int, Lifetime]] = []
    """By offset."""
    for lifetime in sorted(given, key=lambda x: (-x.nbytes, x.first, x.buffer)):
        at, size = 0, _rounded(lifetime.nbytes)
        for offset, other in placed:
            if offset >= at + size:
                break
            if other.overlaps(lifetime):
                at = max(at, offset + _rounded(other.nbytes))
        insort(placed, (at, lifetime), key=itemgetter(0))
    return MemoryPlan({x.buffer: at for at, x in placed}, max((at + _rounded(x.nbytes) for at, x in placed), default=0),
                      sum(_rounded(x.nbytes) for _, x in placed))


def _rounded(nbytes: int) -> int:
    return max(ALIGNMENT, -(-nbytes // ALIGNMENT) * ALIGNMENT)


def _nbytes(schedule: Schedule, buffer: int) -> int:
    t = schedule.buffers[buffer].type
    assert isinstance(t, T.MemRefType)
    return t.nbytes
