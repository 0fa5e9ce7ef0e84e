"""Schedules of products with lanes on the sum: for few rows or columns, which would leave lanes idle.

    panel of y: columns x K, contiguous along the sum, filled once                 (where y is not contiguous so)
    for rows / tile (divided among the threads)
      for k / lanes: a register tile of rows x columns of vectors, each with partial sums of one result; added up after the loop

Each vector of one factor serves the other side of the tile, and nothing is broadcast. One factor, x here, is contiguous along the sum and streamed; the other
one is kept in the cache. Adding up the lanes costs as much as some steps of the sum, so the sum has to be long.
"""
from __future__ import annotations

from dataclasses import dataclass
from math import ceil, prod

from ...graph.body import Body
from ...graph.uop import UOp
from ..codegen.lane_choice import widest_divisor
from ..symbolic.ranges import ranges_of
from .machine import Machine
from .product_costs import LANES_ADDED, MEMORY_LINE, SECOND_CACHE_LINE, STRIDED, TILE_OVERHEAD
from .product_form import Product, extent, is_contiguous, named_loops, number_of_factor
from .schedule import NamedLoops

LEAST_LANES = 4
TILES = (1, 2, 3, 4, 5, 6, 8)


@dataclass(frozen=True)
class Dots:
    """A choice: a register tile of `many` of the streamed side's loop by `few` of the kept side's, `block` of these in a round of the outermost loop."""

    streams_rows: bool
    many: int
    few: int
    lanes: int
    block: int
    staged: bool
    cycles: float


def dots(p: Product, machine: Machine) -> list[Dots]:
    """The choices that fit the machine, with their estimated cycles."""
    inner = ranges_of(p.sums)[-1]
    lanes = widest_divisor(extent(inner), max(1, machine.vector_bits // p.bits))
    if lanes < LEAST_LANES:
        return []
    found = []
    for streams_rows in (True, False):
        streamed, kept = (p.row_factor, p.column_factor) if streams_rows else (p.column_factor, p.row_factor)
        if not is_contiguous(streamed, inner):
            continue
        many_loops, few_loops = _sides(p, streams_rows)
        staged = not is_contiguous(kept, inner)
        whole = extent(few_loops[-1])
        if staged and whole * p.depth * p.bits // 8 > machine.cache_bytes // 4:
            continue
        alone = prod(extent(r) for r in (*p.batches, *many_loops[:-1], *few_loops[:-1])) == 1
        most = extent(many_loops[-1]) - (staged and alone)  # a panel needs a loop to be outside of
        for few in (whole,) if staged or whole <= TILES[-1] else TILES:
            for many in (m for m in TILES if m <= most and m * few + m + 1 <= machine.registers):
                found.append(_estimated(p, machine, streams_rows, many, few, lanes, staged))
    return found


def _sides(p: Product, streams_rows: bool) -> tuple[list[UOp], list[UOp]]:
    """The loops of the streamed factor and those of the kept one."""
    return (p.rows, p.columns) if streams_rows else (p.columns, p.rows)


def _estimated(p: Product, machine: Machine, streams_rows: bool, many: int, few: int, lanes: int, staged: bool) -> Dots:
    many_loops, few_loops = _sides(p, streams_rows)
    tiles, few_tiles = ceil(extent(many_loops[-1]) / many), ceil(extent(few_loops[-1]) / few) * prod(extent(r) for r in few_loops[:-1])
    outside = prod(extent(r) for r in (*p.batches, *many_loops[:-1]))
    fma = many * few
    step = max(fma / 2, (many + few) / 2, 4.0 if fma < 8 else 0) + 1  # as in a tile with lanes on the columns
    inside = p.depth / lanes * step + TILE_OVERHEAD + LANES_ADDED * fma
    parts = 1 if outside > 1 else min(tiles, max(2, machine.threads))
    block = ceil(tiles / parts)
    rereading = SECOND_CACHE_LINE if extent(many_loops[-1]) * p.depth * p.bits // 8 <= machine.cache_bytes // 2 else MEMORY_LINE
    again = (few_tiles - 1) * tiles * many * p.depth * p.bits / 512 * rereading
    filling = staged * few_tiles * ceil(tiles / block) * few * p.depth / lanes * STRIDED
    trips = (extent(p.batches[0]) if p.batches else extent(many_loops[0])) if outside > 1 else ceil(tiles / block)
    share = ceil(trips / machine.threads) / trips
    return Dots(streams_rows, many, few, lanes, block, staged, share * outside * (tiles * few_tiles * inside + again + filling))


def apply_dots(body: Body, p: Product, shape: Dots, threaded: bool) -> NamedLoops:
    """The kernel under that schedule; ScheduleError where it is not legal."""
    loops, names = named_loops(body, p)
    many_loops, few_loops = ([names[r] for r in side] for side in _sides(p, shape.streams_rows))
    many, few, inner = many_loops[-1], few_loops[-1], names[ranges_of(p.sums)[-1]]
    loops.pad(few, shape.few)
    loops.divide("UPCAST", few, shape.few, "few")
    loops.pad(many, shape.many * (1 if loops.repeatable else shape.block))
    loops.divide("UPCAST", many, shape.many, "many")
    if many in loops.order:
        loops.divide("TILE", many, shape.block, "within")
    loops.divide("UNROLL", inner, shape.lanes, "lanes")
    outside = [*(names[r] for r in p.batches), *many_loops[:-1]]
    arranged = [*outside, many, *few_loops, "within"] if "within" in loops.order else [*outside, *few_loops, many]
    arranged = [n for n in arranged if n in loops.order]
    loops.arrange([*arranged, *(n for n in ("many", "few") if n in loops.order)])
    if shape.staged:
        kept = [n for n in (*(names[r] for r in p.batches), *few_loops) if n in loops.order]
        loops.stage(max(kept, key=loops.axis, default=arranged[0]), number_of_factor(loops, "few"))
    if threaded and arranged:
        loops.thread(arranged[0])
    return loops
