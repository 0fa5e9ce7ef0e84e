"""Schedules of kernels with several stages of which some are products: attention, products of products, convolutions of what a stage holds.

The innermost loop that all stages share (a row of queries) is taken in blocks, and each block is distributed over the stages: each becomes a nest of loops
with rows and columns of its own. A product's nest gets a register tile, and a panel for an operand that is not contiguous along the lanes, outside of all
loops that the operand does not depend on; other nests get lanes as any kernel. Each block passes once over the products' other operands (all keys, all
values), which speaks for large blocks; the last block overlaps the one before, which speaks for a size that leaves little.
"""
from __future__ import annotations

from dataclasses import dataclass
from math import ceil, prod

from ...dialect import types as T
from ...errors import ScheduleError
from ...graph.body import Body
from ...graph.buffers import ops_to_memory
from ...graph.uop import UOp
from ..symbolic.ranges import open_ranges, ranges_of
from .distribute import stages_in
from .machine import Machine
from .opts import Opt
from .product_costs import FIRST_CACHE, SECOND_CACHE_LINE, TILE_OVERHEAD
from .product_form import Product, extent, product_of
from .schedule import NamedLoops, Schedule
from .stage import factors

BLOCKS = (48, 32, 24, 16, 12, 8)
"""Rows that may be done together: multiples of the rows of a register tile."""
SCRATCH_SHARE = 0.75
"""Part of the second cache that all stages together may take for a block of rows."""
BLOCK_COST = 4
"""Rows whose time the passing over all keys and values takes that each block does."""
LEAST_DEPTH = 4
"""Terms of a sum from which on a product's nest is worth a register tile."""


@dataclass
class Nest:
    """A product among the stages, and the tile chosen for it."""

    product: Product
    rows: int
    vectors: int


def is_fused_product(body: Body) -> bool:
    """Whether a kernel fills scratch and computes a product from or into it."""
    order = body.order()
    if not any(u.name == "define_local" for u in order) or any(not r.operands[0].is_const() for r in ranges_of(order)):
        return False
    return any(u.name == "reduce" and _is_product(u) and prod(r.operands[0].value for r in u.operands[1:]) >= LEAST_DEPTH for u in order)


def _is_product(u: UOp) -> bool:
    value = u.operands[0]
    while value.name == "cast":
        value = value.operands[0]
    return value.name == "mul" and u.attribute("op") == "add"


def distributed(body: Body, machine: Machine) -> Schedule | None:
    """The kernel with its shared loop in blocks, each distributed over the stages; None where it has no such loop."""
    order = body.order()
    stages = [u for u in order if u.name == "after" and u.type.space == "local"]  # type: ignore[union-attr]
    shared = [r for r in ranges_of(order) if r.attribute("kind") == "loop" and all(r in open_ranges(s) for s in stages)]
    if not shared:
        return None
    row: UOp = shared[-1]
    bytes_of_row = sum(s.type.nbytes for s in stages_in(order, row) if isinstance(s.type, T.MemRefType))
    size = extent(row)
    sizes = [b for b in BLOCKS if b <= size and b * bytes_of_row <= SCRATCH_SHARE * machine.cache_bytes] or [min(size, BLOCKS[-1])]
    if size <= BLOCKS[0] and size * bytes_of_row <= SCRATCH_SHARE * machine.cache_bytes:
        sizes.append(size)
    return _in_blocks(body, row, min(sizes, key=lambda block: ceil(size / block) * (block + BLOCK_COST)))


def _in_blocks(body: Body, row: UOp, block: int) -> Schedule | None:
    """The kernel with so many rows at a time distributed over the stages."""
    schedule, axis, size = Schedule(body), row.attribute("id"), extent(row)
    if size <= block:
        return schedule if size > 1 and schedule.apply(Opt("DISTRIBUTE", axis)) else None
    if not schedule.apply(Opt("TILE" if size % block == 0 else "OVERLAP", axis, block)):
        return None
    return schedule if schedule.apply(Opt("DISTRIBUTE", axis + 1)) else None


def nests_of(body: Body, machine: Machine) -> dict[UOp, Nest]:
    """For each op that closes the loops of a product, the product's tile."""
    order = body.order()
    found: dict[UOp, Nest] = {}
    for end in (u for u in order if u.name == "end"):
        loops = [r for r in ranges_of(end.operands[1:]) if r.attribute("kind") == "loop"]
        shared = next((nest for other, nest in found.items() if set(other.operands[1:]) & set(loops)), None)
        if shared is not None:  # another store in the same loops, which have their tile
            found[end] = shared
            continue
        inner = [u for u in ops_to_memory(end.operands[0]) if u.name == "reduce" and loops and loops[-1] in open_ranges(u)]
        products = [p for u in inner if (p := product_of(u, _own(loops, end, order), order)) is not None and p.depth >= LEAST_DEPTH]
        if products:
            best = max(products, key=lambda p: p.depth)
            found[end] = Nest(best, *_tile(best, machine))
    return found


def _own(loops: list[UOp], end: UOp, order: list[UOp]) -> list[UOp]:
    """The loops of this nest alone: those inside of all that is shared with other nests."""
    others = {r for u in order if u.name == "after" and u.type.space == "local" for r in open_ranges(u)}  # type: ignore[union-attr]
    return [r for r in loops if r not in others]


def _tile(p: Product, machine: Machine) -> tuple[int, int]:
    """Rows and vectors of the register tile with the least estimated cycles."""
    width = max(1, machine.vector_bits // p.bits)
    row, column = extent(p.rows[-1]), extent(p.lanes)
    choices = []
    for vectors in (1, 2, 3, 4):
        if vectors * width > column and vectors > 1:
            continue
        lines = SECOND_CACHE_LINE * vectors * width * p.bits / 512
        is_near = vectors * width * p.depth * p.bits // 8 <= FIRST_CACHE
        columns = ceil(column / (vectors * width))
        for rows in (12, 8, 6, 4, 2, 1, row):
            if rows > row or rows * vectors + rows // 8 + vectors + 2 > machine.registers:
                continue
            fma = rows * vectors
            step = max(fma / 2, (rows + vectors) / 2, 0.0 if is_near else lines, 4.0 if fma < 8 else 0) + 1
            tiles = ceil(row / rows) * columns
            fetching = columns * p.depth * lines * is_near  # else it is in the step
            choices.append((tiles * (p.depth * step + TILE_OVERHEAD + 2 * fma) + fetching, rows, vectors))
    _, rows, vectors = min(choices, default=(0.0, 1, 1))
    return rows, vectors


class FusedSchedule(NamedLoops):
    """The distributed kernel and the opts on its nests."""

    def __init__(self, schedule: Schedule) -> None:
        super().__init__(schedule.body, {r: f"r{r.attribute('id')}" for r in ranges_of(schedule.body.order())})
        self.opts = list(schedule.opts)

    def tile(self, nest: Nest, machine: Machine) -> None:
        """Register tile and panel of a product's nest."""
        p = nest.product
        width = max(1, machine.vector_bits // p.bits)
        lanes, row = _name(p.lanes), _name(p.rows[-1])
        outside = [r for r in ranges_of(open_ranges(p.column_factor)) if r not in (*p.columns, *p.sums) and r.attribute("kind") == "loop"]
        columns = nest.vectors * width
        if extent(p.lanes) < columns:
            try:
                self.pad(lanes, columns)
            except ScheduleError:  # a column of scratch: whole, in the widest vectors that divide it
                columns = extent(p.lanes)
        self.divide("UPCAST", lanes, columns, f"{lanes} lanes")
        if nest.rows > 1:
            self.divide("UPCAST", row, nest.rows, f"{row} tile")
        self.arrange([n for n in (lanes, row) if n in self.order])
        if not p.contiguous:
            self._stage(_name(outside[-1]) if outside else self.order[0], f"{lanes} lanes")

    def _stage(self, outside: str, lanes: str) -> None:
        """A panel of the factor that the lanes run along; where it would be too large, none."""
        range_ = ranges_of(self.body.order())[self.axis(lanes)]
        number = next((n for n, factor in enumerate(factors(self.body.order())) if range_ in open_ranges(factor)), None)
        if number is not None:
            try:
                self.stage(outside, number)
            except ScheduleError:
                return


def _name(r: UOp) -> str:
    return f"r{r.attribute('id')}"
