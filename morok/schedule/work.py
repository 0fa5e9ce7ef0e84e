"""Estimates of a kernel's work, which decide whether waking other threads pays.

An op runs once for every iteration of the loops that it is in. Time is estimated as the greater of arithmetic at some GF/s and memory
traffic at some GB/s on one core: right within a factor of three, which is enough, since waking a thread costs as much as a few thousand
elements.
"""
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..dialect import types as T
from ..dialect.ops import ALU, UNARY_FLOAT
from ..errors import BoundsError, ShapeError
from ..graph.body import Body
from ..graph.buffers import root_buffer
from ..graph.shape import evaluate_index
from ..graph.uop import UOp
from ..passes.symbolic.bounds import bounds
from ..passes.symbolic.ranges import closed_ranges, open_ranges
from .items import ScheduleItem

BYTES_PER_SECOND = 2e10
OPS_PER_SECOND = 2e10
TRANSCENDENTAL_OPS = 16
_PLAIN = frozenset(("sqrt", "floor", "ceil", "trunc", "round"))


@dataclass(frozen=True)
class Work:
    """What a kernel does once: arithmetic operations and bytes of distinct memory touched."""

    operations: int
    nbytes: int

    @property
    def seconds(self) -> float:
        """On one core."""
        return max(self.operations / OPS_PER_SECOND, self.nbytes / BYTES_PER_SECOND)


def estimate(kernel: Body, values: Mapping[str, int]) -> Work:
    """The work of a kernel in range form at the given values of its variables."""
    operations = 0
    touched: dict[UOp, int] = {}
    extents: dict[UOp, int] = {}

    def trips(ranges: frozenset[UOp]) -> int:
        count = 1
        for r in ranges:
            if r not in extents:
                extents[r] = max(0, _extent(r.operands[0], values))
            count *= extents[r]
        return count

    for u in kernel.order():
        lanes = u.type.lanes if isinstance(u.type, T.VectorType) else 1
        if u.name in ALU and u.dtype is not T.index:
            cost = TRANSCENDENTAL_OPS if u.name in UNARY_FLOAT and u.name not in _PLAIN else 1
            operations += trips(open_ranges(u)) * cost * lanes
        elif u.name == "reduce":
            operations += trips(open_ranges(u) | closed_ranges(u)) * lanes
        elif u.name in ("load", "store"):
            pointer = u.operands[0]
            buffer = root_buffer(pointer)
            value = u if u.name == "load" else u.operands[1]
            count = trips(open_ranges(u)) * (value.type.lanes if isinstance(value.type, T.VectorType) else 1)
            touched[buffer] = touched.get(buffer, 0) + count * u.operands[0].dtype.itemsize
            operations += count
    limit = {b: b.type.nbytes for b in touched if isinstance(b.type, T.MemRefType)}
    return Work(operations, sum(min(n, limit.get(b, n)) for b, n in touched.items() if b.name == "arg"))


def launch_work(item: ScheduleItem, values: Mapping[str, int]) -> Work:
    """The work of a launch on all its rows."""
    rows = row_works(item, values)
    return Work(sum(w.operations for w in rows), sum(w.nbytes for w in rows))


def row_works(item: ScheduleItem, values: Mapping[str, int]) -> list[Work]:
    """The work of a launch on each of its rows."""
    return [estimate(item.body, {**values, **row}) for row in item.rows] if item.rows[0] else [estimate(item.body, values)] * len(item.rows)


def _extent(u: UOp, values: Mapping[str, int]) -> int:
    """The loop's extent, or its bound where it depends on more than the variables given."""
    if u.name == "const":
        return u.value
    try:
        return evaluate_index(u, values)
    except (BoundsError, ShapeError):
        return bounds(u)[1]
