"""Schedules of products: sums of x * y where each factor lacks some of the loops round the sum, so that what is loaded serves several results.

Matrix products, transposed and batched ones, convolutions and attention's two products are alike in this: the loops fall into rows (only x depends on
them), columns (only y does), batches (both do) and the sum's own. The schedule has the form that reaches a core's peak:

    for batch, rows / block, columns / tile (the outermost for the threads)        panel of y: K x tile columns, contiguous, filled once
      for rows within the block
        for k: a register tile of rows x vectors of columns, each an accumulator

A deep sum whose row elements do not stay in the second cache until the next column tile needs them goes in blocks (see sum_blocks.py): the panel holds a
block of K, and what a block adds to the results of a chunk of columns is added up in scratch.

Which tile, which loop the threads divide, how large the blocks are and whether a panel pays is chosen by estimated cycles, from the loops' extents, the
factors' strides and the machine: the arithmetic with its waste at the edges, the loads of a tile, the filling of panels, the threads' shares.
"""
from __future__ import annotations

from dataclasses import dataclass
from itertools import product as combinations
from math import ceil, inf, prod
from operator import attrgetter

from ...errors import ScheduleError
from ...graph.body import Body
from .dot_products import Dots, apply_dots, dots
from .machine import Machine
from .product_costs import (
    COMPUTING,
    CONTIGUOUS,
    DISTANT,
    DISTANT_LINE,
    FIRST_CACHE,
    MISSES,
    NEAR_PAGES,
    REREADING,
    ROUND_OVERHEAD,
    ROW_LINE,
    SECOND_CACHE_LINE,
    STRIDED,
    TILE_OVERHEAD,
)
from .product_form import Product, extent, named_loops, number_of_factor
from .schedule import NamedLoops
from .sum_blocks import chunks, sum_block

LEAST_WORK = 1 << 11
"""Multiplications below which the plain schedule serves as well."""


@dataclass(frozen=True)
class Shape:
    """A choice: `tile_rows` x `vectors` in registers (of `wide` columns beside the lanes), `block` row tiles under one panel."""

    tile_rows: int
    vectors: int
    wide: int
    block: int
    outer: str
    """What is outermost and so divided among the threads: batch, rows or columns."""
    staged: bool
    rows_staged: bool
    cycles: float
    sum_block: int = 0
    """Iterations of the sum's outermost loop in a block; 0: the sum is not divided."""
    chunk: int = 1
    """Column tiles whose results are added up together."""


def shapes(p: Product, machine: Machine) -> list[Shape]:
    """The choices that fit the machine, with their estimated cycles."""
    width = max(1, machine.vector_bits // p.bits)
    row, rows = extent(p.rows[-1]), prod(extent(r) for r in p.rows)
    other_columns = prod(extent(r) for r in p.columns if r is not p.lanes)
    batches = prod(extent(r) for r in p.batches)
    wides = [1]
    beside = [r for r in p.columns if r is not p.lanes]
    if beside and extent(p.lanes) <= 2 * width:
        wides += [w for w in (2, 3, 4) if w <= extent(beside[-1]) and extent(beside[-1]) % w == 0]
    divided = sum_block(p)
    missing = MISSES * p.scattered * p.row_pages / p.depth
    is_distant = p.columns_scattered and p.column_bytes > machine.cache_bytes
    found = []
    for vectors, wide in combinations((1, 2, 3, 4), wides):
        if vectors > ceil(extent(p.lanes) / width):
            continue
        across = vectors * wide
        most = (machine.registers - 2 - across) // across
        for tile_rows in sorted({min(row, m) for m in (12, 8, 6, 4) if m <= most} | ({row} if row <= most else set())):
            row_tiles = ceil(row / tile_rows) * (rows // row)
            column_tiles = ceil(extent(p.lanes) / (vectors * width)) * other_columns // wide
            fma = tile_rows * across
            column_bytes = across * width * p.depth * p.bits // 8
            step = _step(tile_rows, across, width * p.bits, column_bytes)
            inside = p.depth * step + TILE_OVERHEAD + 2 * fma
            for outer in ("batch", "rows", "columns"):
                if outer == "batch" and not p.batches:
                    continue
                for block in _blocks(p, tile_rows, column_tiles, outer, machine):
                    blocks = ceil(ceil(row / tile_rows) / block) * (rows // row)
                    tiles = blocks * block * column_tiles * batches
                    trips = {"batch": extent(p.batches[0]) if p.batches else 1, "rows": blocks if len(p.rows) == 1 else extent(p.rows[0]),
                             "columns": column_tiles if len(p.columns) == 1 else extent(p.columns[0])}[outer]
                    share = ceil(trips / machine.threads) / trips
                    filling = column_tiles * batches * blocks * p.depth * across * (CONTIGUOUS if p.contiguous else STRIDED)
                    direct = 0.0 if p.contiguous else tiles * p.depth * across * STRIDED
                    rereading = REREADING * tiles * p.depth * across if row_tiles > 1 and p.column_pages > NEAR_PAGES else 0.0
                    reading = tiles * p.depth * (missing + COMPUTING * tile_rows * p.computed)
                    waiting = column_tiles * batches * p.depth * (DISTANT + DISTANT_LINE * across) * is_distant
                    panel = filling + blocks * waiting
                    row_bytes = block * tile_rows * p.depth * p.bits // 8
                    far = ROW_LINE * blocks * batches * row_bytes / 64
                    ways = [(False, False, direct + rereading + reading + blocks * block * waiting)]
                    if column_bytes <= machine.cache_bytes // 2 and (column_tiles > 1 or batches > 1 or blocks > 1):
                        ways.append((True, False, panel + reading + far * column_tiles * (row_bytes + column_bytes > machine.cache_bytes)))
                        if outer == "rows" and len(p.rows) == 1 and block * tile_rows * p.depth * p.bits // 8 <= machine.cache_bytes // 2:
                            row_filling = blocks * block * batches * p.depth * (CONTIGUOUS + missing + COMPUTING * tile_rows * p.computed)
                            ways.append((True, True, panel + row_filling))
                    if divided and blocks == 1 and (outer == "columns" and not p.batches or outer == "batch"):
                        rounds = extent(p.sums[0]) // divided
                        terms = p.depth // rounds
                        once = terms * _step(tile_rows, across, width * p.bits, column_bytes // rounds) + ROUND_OVERHEAD + 2 * fma
                        for chunk, parts in chunks(p, trips if outer == "columns" else 1, rows * across * width, machine):
                            again = parts * chunk / column_tiles if outer == "columns" else 1.0
                            most_of = ceil(parts / machine.threads) / parts if outer == "columns" and chunk > 1 else share
                            distant = far * (column_tiles / chunk) * (rows * p.depth * p.bits // 8 > machine.cache_bytes // 2)
                            entering = column_tiles * batches * p.depth * (DISTANT / chunk + DISTANT_LINE * across) * is_distant  # pages, once for the chunk
                            cycles = most_of * again * (tiles * rounds * once + entering + reading + distant)
                            in_place = direct + (REREADING * tiles * p.depth * across if block > 1 and terms > NEAR_PAGES else 0.0)
                            for staged, once_more in ((True, filling), (False, in_place)) if block > 1 else ((False, in_place),):
                                found.append(Shape(tile_rows, vectors, wide, block, outer, staged, False, cycles + most_of * again * once_more, divided, chunk))
                    for staged, rows_staged, more in ways:
                        found.append(Shape(tile_rows, vectors, wide, block, outer, staged, rows_staged, share * (tiles * inside + more)))
    return found


def _step(tile_rows: int, across: int, bits: int, panel_bytes: int) -> float:
    """Cycles of a step of the sum: two multiplications and two loads in each; an addition takes four."""
    lines = SECOND_CACHE_LINE * across * bits / 512 if panel_bytes > FIRST_CACHE else 0.0
    fma = tile_rows * across
    return max(fma / 2, (tile_rows + across) / 2, lines, 4.0 if fma < 8 else 0) + 1


def _blocks(p: Product, tile_rows: int, column_tiles: int, outer: str, machine: Machine) -> list[int]:
    """How many row tiles one panel may serve: all, or, where the threads divide the rows, a share that fits the cache."""
    tiles = ceil(extent(p.rows[-1]) / tile_rows)
    if outer != "rows" or len(p.rows) > 1:
        return [tiles]
    fitting = max(1, machine.cache_bytes // 2 // max(1, tile_rows * p.depth * p.bits // 8))
    parts = max(machine.threads, 1 if column_tiles > 1 else 2)  # a panel of all columns is filled once in a round of the rows
    found = {ceil(tiles / parts)}
    count = ceil(tiles / fitting)
    found.add(ceil(tiles / (ceil(count / parts) * parts)))
    return sorted(b for b in found if b)


def estimated_cycles(p: Product, machine: Machine) -> float:
    """Those of the best schedule with lanes on the columns; 0 where lanes on the sum, or the plain schedule, serve better."""
    work = prod(extent(r) for r in (*p.rows, *p.columns, *p.batches, *p.sums))
    best = next(iter(choices(p, machine)), None) if work >= LEAST_WORK else None
    return best.cycles if isinstance(best, Shape) else 0.0


def schedule_product(body: Body, p: Product, machine: Machine) -> NamedLoops | None:
    """The kernel under its best schedule; None where the plain one serves as well, or none of these is legal."""
    work = prod(extent(r) for r in (*p.rows, *p.columns, *p.batches, *p.sums))
    if work < LEAST_WORK:
        return None
    threaded = work >= 1 << 15
    for shape in choices(p, machine)[:4]:
        try:
            return apply_dots(body, p, shape, threaded) if isinstance(shape, Dots) else _apply(body, p, shape, machine, threaded)
        except ScheduleError:
            continue
    return None


def choices(p: Product, machine: Machine) -> list[Shape | Dots]:
    """The best first, all with lanes on the columns or all with lanes on the sum, all with the sum in blocks or none: these add in different orders, so that
    which it is depends on the vectors' width alone. Of equals the wider tiles come first: their rows, which are stored piece by piece, are in larger pieces."""
    if machine in p.choices:
        return p.choices[machine]
    by_cycles = attrgetter("cycles")
    plain = Machine(machine.vector_bits)
    columns, sums = shapes(p, plain), dots(p, plain)
    has_dots = bool(sums) and min(map(by_cycles, sums)) < min(map(by_cycles, columns), default=inf)
    has_blocks = not has_dots and bool(columns) and bool(min(columns, key=by_cycles).sum_block)
    by_width = sorted((s for s in shapes(p, machine) if bool(s.sum_block) == has_blocks), key=lambda s: (s.cycles, -s.vectors)) if not has_dots else []
    found: list[Shape | Dots] = [*by_width, *(sorted(dots(p, machine), key=by_cycles) if has_dots else [])]
    p.choices[machine] = found
    return found


def _apply(body: Body, p: Product, shape: Shape, machine: Machine, threaded: bool) -> NamedLoops:
    width = max(1, machine.vector_bits // p.bits)
    loops, names = named_loops(body, p)
    row, lanes = names[p.rows[-1]], names[p.lanes]
    loops.pad(lanes, shape.vectors * width)
    loops.divide("UPCAST", lanes, shape.vectors * width, "lanes")
    columns = [names[r] for r in p.columns]
    if shape.wide > 1:
        beside = next(names[r] for r in reversed(p.columns) if r is not p.lanes)
        loops.divide("UPCAST", beside, shape.wide, "wide")
    loops.pad(row, shape.tile_rows * (1 if loops.repeatable else shape.block))
    loops.divide("UPCAST", row, shape.tile_rows, "tile")
    if row in loops.order and loops.extent(row) > shape.block:
        loops.divide("TILE", row, shape.block, "within")
    if shape.chunk > 1:
        loops.divide("TILE", lanes, shape.chunk, "chunk")
        columns.append("chunk")
    deep = names[p.sums[0]]
    if shape.sum_block:
        if loops.extent(deep) % shape.sum_block:
            loops.peel(deep, shape.sum_block)
        loops.divide("TILE", deep, shape.sum_block, "sum block")
    batches, rows = [names[r] for r in p.batches], [names[r] for r in p.rows]
    within = ["within"] if "within" in loops.order else []
    if shape.outer == "columns":
        arranged = [*columns, *batches, *rows, *within]
    elif shape.outer == "rows":
        before = rows if within or shape.block == 1 else rows[:-1]
        arranged = [*before, *batches, *columns, *(within or rows[len(before):])]
    else:
        arranged = [*batches, *columns, *rows, *within]
    arranged = [n for n in arranged if n in loops.order]
    loops.arrange([*arranged, *(n for n in ("tile", "wide", "lanes") if n in loops.order)])
    last = [n for n in columns if n in loops.order]
    outside = max(last, key=loops.axis) if last else next(iter(arranged), "")
    if shape.sum_block:
        loops.accumulate(deep, lanes if "chunk" in loops.order else outside)
    if shape.staged:
        loops.stage(deep if shape.sum_block and "chunk" not in loops.order else outside, number_of_factor(loops, "lanes"))
    if shape.rows_staged:
        loops.stage(arranged[0] if not batches else max((n for n in batches if n in loops.order), key=loops.axis),
                    number_of_factor(loops, "tile"))
    if threaded and arranged:
        loops.thread(arranged[0])
    return loops
