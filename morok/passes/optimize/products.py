"""Schedules of products: sums of x * y where each factor lacks some of the loops round the sum, so that what is loaded serves several results.

Matrix products, transposed and batched ones, convolutions and attention's two products are alike in this: the loops fall into rows (only x depends on
them), columns (only y does), batches (both do) and the sum's own. The schedule has the form that reaches a core's peak:

    for batch, rows / block, columns / tile (the outermost for the threads)        panel of y: K x tile columns, contiguous, filled once
      for rows within the block
        for k: a register tile of rows x vectors of columns, each an accumulator

Which tile, which loop the threads divide, how large the blocks are and whether a panel pays is chosen by estimated cycles, from the loops' extents, the
factors' strides and the machine: the arithmetic with its waste at the edges, the loads of a tile, the filling of panels, the threads' shares.
"""
from __future__ import annotations

from dataclasses import dataclass
from itertools import product as combinations
from math import ceil, prod

from ...errors import ScheduleError
from ...graph.body import Body
from ...graph.buffers import ops_to_memory
from ...graph.uop import UOp
from ..symbolic.flat import flat_index
from ..symbolic.linear import linear
from ..symbolic.ranges import open_ranges, ranges_of
from .machine import Machine
from .schedule import NamedLoops
from .stage import factors

LINE = 16
"""Elements from which on the next one is on another cache line."""
LEAST_WORK = 1 << 11
"""Multiplications below which the plain schedule serves as well."""
CONTIGUOUS, STRIDED = 2.0, 26.0
"""Cycles to put a vector into a panel from consecutive elements, and from one place for each lane."""
TILE_OVERHEAD = 30.0
"""Cycles that a register tile takes beside its sum: loop, addresses, epilogue."""
MISSES = 12.0
"""Cycles more of a step of the sum whose row elements lie far apart in memory: each is on a line, often a page, of its own."""
COMPUTING = 1.5
"""Cycles more per row of a step that does not load the row element but computes it: a conversion, a gate."""
DISTANT, DISTANT_LINE = 8.0, 3.0
"""Cycles that a step of the sum waits for a column tile's part of a row that comes from memory, on a page of its own: once, and for each line."""
FIRST_CACHE, SECOND_CACHE_LINE = 1 << 15, 2.5
"""Bytes of a panel from which on it comes from the second cache, and cycles that a line of it takes."""
REREADING = 1.0
"""Cycles more that a vector takes from rows far apart than from a panel."""


@dataclass
class Product:
    """A kernel's sum of products and its loops by what depends on them. `lanes` is the column that steps through memory by single elements."""

    rows: list[UOp]
    columns: list[UOp]
    batches: list[UOp]
    sums: list[UOp]
    row_factor: UOp
    column_factor: UOp
    lanes: UOp
    bits: int
    contiguous: bool
    """Whether the column factor's loads step by single elements along the lanes."""
    scattered: bool
    """Whether the row factor's loads step far from one term of the sum to the next."""
    computed: bool
    """Whether the row factor is more than a load."""

    columns_scattered: bool = False
    """Whether the column factor's loads step far from one term of the sum to the next."""

    @property
    def column_bytes(self) -> int:
        """Of all that the column factor is."""
        return prod(extent(r) for r in open_ranges(self.column_factor)) * self.bits // 8

    @property
    def depth(self) -> int:
        return prod(extent(r) for r in self.sums)


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


def extent(r: UOp) -> int:
    return r.operands[0].value


def find_product(body: Body) -> Product | None:
    """The product that a kernel with a single nest of loops computes, whatever it stores of it; None for other kernels."""
    order = body.order()
    ends = [u for u in order if u.name == "end"]
    reduces = [u for u in order if u.name == "reduce"]
    if not ends or any(set(e.operands[1:]) != set(ends[0].operands[1:]) for e in ends):
        return None
    if not reduces or any(not r.operands[0].is_const() or not extent(r) for r in ranges_of(order)):
        return None
    loops = [r for r in ends[0].operands[1:]]
    if any(r.attribute("kind") != "loop" for r in loops):
        return None
    found = [p for u in reduces if (p := product_of(u, loops, order)) is not None]
    return max(found, key=lambda p: p.depth, default=None)


def product_of(reduce: UOp, loops: list[UOp], order: list[UOp]) -> Product | None:
    """The product that a reduction is with regard to these loops round it; None if it is none."""
    value = reduce.operands[0]
    while value.name == "cast":
        value = value.operands[0]
    if value.name != "mul" or reduce.attribute("op") != "add":
        return None
    sums = [r for r in reduce.operands[1:] if r.name == "range"]
    x, y = value.operands
    if not all(any(r in open_ranges(f) for r in sums) for f in (x, y)) or any(u.name == "reduce" for u in (*ops_to_memory(x), *ops_to_memory(y))):
        return None
    in_x, in_y = open_ranges(x), open_ranges(y)
    only_x = [r for r in loops if r in in_x and r not in in_y]
    only_y = [r for r in loops if r in in_y and r not in in_x]
    if not only_x or not only_y:
        return None
    lanes = _lanes(only_x + only_y, order)
    if lanes is None:
        return None
    if lanes in only_x:
        x, y, only_x, only_y = y, x, only_y, only_x
    bits = reduce.dtype.bits if reduce.dtype.bits >= 32 or not reduce.dtype.is_float else 32
    batches = [r for r in loops if r not in only_x and r not in only_y]
    if lanes not in only_y:
        return None
    return Product(only_x, only_y, batches, sums, x, y, lanes, bits, _is_contiguous(y, lanes), _is_scattered(x, sums), x.name != "load" or len(x.operands) > 1,
                   _is_scattered(y, sums))


def _steps(u: UOp, r: UOp) -> int | None:
    """Elements that an access moves by from one iteration to the next; None where that is no constant."""
    step = 0
    for term, coefficient in linear(flat_index(u.operands[0])).terms:
        if term is r:
            step = coefficient
        elif r in open_ranges(term):
            return None
    return step


def _lanes(candidates: list[UOp], order: list[UOp]) -> UOp | None:
    """The loop along which the result is stored element by element; else one along which the operands are read so."""
    for kind in ("store", "load"):
        accesses = [u for u in order if u.name == kind]
        steps = [r for r in candidates if any(_steps(u, r) == 1 for u in accesses)]
        if steps:
            return max(steps, key=extent)
    return None


def _is_contiguous(factor: UOp, lanes: UOp) -> bool:
    loads = [u for u in ops_to_memory(factor) if u.name == "load" and lanes in open_ranges(u)]
    return all(_steps(u, lanes) == 1 for u in loads)


def _is_scattered(factor: UOp, sums: list[UOp]) -> bool:
    """Whether none of the sum's loops steps through the factor's memory by a few elements."""
    inner = ranges_of(sums)[-1]
    return any(u.name == "load" and inner in open_ranges(u) and not 0 <= (_steps(u, inner) or LINE) < LINE for u in ops_to_memory(factor))


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
            lines = SECOND_CACHE_LINE * across * width * p.bits / 512 if column_bytes > FIRST_CACHE else 0.0
            step = max(fma / 2, (tile_rows + across) / 2, lines, 4.0 if fma < 8 else 0) + 1  # two of each per cycle; an addition takes four
            inside = p.depth * step + TILE_OVERHEAD + 2 * fma
            for outer in ("batch", "rows", "columns"):
                if outer == "batch" and not p.batches:
                    continue
                for block in _blocks(p, tile_rows, row_tiles, outer, machine):
                    blocks = ceil(ceil(row / tile_rows) / block) * (rows // row)
                    tiles = blocks * block * column_tiles * batches
                    trips = {"batch": extent(p.batches[0]) if p.batches else 1, "rows": blocks if len(p.rows) == 1 else extent(p.rows[0]),
                             "columns": column_tiles if len(p.columns) == 1 else extent(p.columns[0])}[outer]
                    share = ceil(trips / machine.threads) / trips
                    filling = column_tiles * batches * blocks * p.depth * across * (CONTIGUOUS if p.contiguous else STRIDED)
                    direct = 0.0 if p.contiguous else tiles * p.depth * across * STRIDED
                    rereading = REREADING * tiles * p.depth * across if row_tiles > 1 else 0.0
                    reading = tiles * p.depth * (MISSES * p.scattered + COMPUTING * tile_rows * p.computed)
                    waiting = column_tiles * batches * p.depth * (DISTANT + DISTANT_LINE * across) * is_distant
                    panel = filling + blocks * waiting
                    ways = [(False, False, direct + rereading + reading + blocks * block * waiting)]
                    if column_bytes <= machine.cache_bytes // 2:
                        ways.append((True, False, panel + reading))
                        if outer == "rows" and len(p.rows) == 1 and block * tile_rows * p.depth * p.bits // 8 <= machine.cache_bytes // 2:
                            row_filling = blocks * block * batches * p.depth * (CONTIGUOUS + MISSES * p.scattered + COMPUTING * tile_rows * p.computed)
                            ways.append((True, True, panel + row_filling))
                    for staged, rows_staged, more in ways:
                        found.append(Shape(tile_rows, vectors, wide, block, outer, staged, rows_staged, share * (tiles * inside + more)))
    return found


def _blocks(p: Product, tile_rows: int, row_tiles: int, outer: str, machine: Machine) -> list[int]:
    """How many row tiles one panel may serve: all, or, where the threads divide the rows, a share that fits the cache."""
    tiles = ceil(extent(p.rows[-1]) / tile_rows)
    if outer != "rows" or len(p.rows) > 1:
        return [tiles]
    fitting = max(1, machine.cache_bytes // 2 // max(1, tile_rows * p.depth * p.bits // 8))
    found = {ceil(tiles / machine.threads)}
    count = ceil(tiles / fitting)
    found.add(ceil(tiles / (ceil(count / machine.threads) * machine.threads)))
    return sorted(b for b in found if b)


def schedule_product(body: Body, p: Product, machine: Machine) -> NamedLoops | None:
    """The kernel under its best schedule; None where the plain one serves as well, or none of these is legal."""
    work = prod(extent(r) for r in (*p.rows, *p.columns, *p.batches, *p.sums))
    if work < LEAST_WORK:
        return None
    candidates = sorted(shapes(p, machine), key=lambda s: s.cycles)
    for shape in candidates[:4]:
        try:
            return _apply(body, p, shape, machine, threaded=work >= 1 << 15)
        except ScheduleError:
            continue
    return None


def _apply(body: Body, p: Product, shape: Shape, machine: Machine, threaded: bool) -> NamedLoops:
    width = max(1, machine.vector_bits // p.bits)
    names = {r: f"{group}{i}" for group, members in (("batch", p.batches), ("row", p.rows), ("column", p.columns), ("sum", p.sums))
             for i, r in enumerate(members)}
    for r in ranges_of(body.order()):
        names.setdefault(r, f"other{r.attribute('id')}")
    loops = NamedLoops(body, names)
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
    batches, rows = [names[r] for r in p.batches], [names[r] for r in p.rows]
    within = ["within"] if "within" in loops.order else []
    if shape.outer == "columns":
        arranged = [*columns, *batches, *rows, *within]
    elif shape.outer == "rows":
        arranged = [*rows, *batches, *columns, *within] if within else [*rows[:-1], *batches, *columns, rows[-1]]
    else:
        arranged = [*batches, *columns, *rows, *within]
    arranged = [n for n in arranged if n in loops.order]
    loops.arrange([*arranged, *(n for n in ("tile", "wide", "lanes") if n in loops.order)])
    if shape.staged:
        last = [n for n in columns if n in loops.order]
        outside = max(last, key=loops.axis) if last else arranged[0]
        loops.stage(outside, _number_of(factors(loops.body.order()), loops, "lanes"))
    if shape.rows_staged:
        loops.stage(arranged[0] if not batches else max((n for n in batches if n in loops.order), key=loops.axis),
                    _number_of(factors(loops.body.order()), loops, "tile"))
    if threaded and arranged:
        loops.thread(arranged[0])
    return loops


def _number_of(found: list[UOp], loops: NamedLoops, name: str) -> int:
    """Which factor depends on that loop's range."""
    range_ = ranges_of(loops.body.order())[loops.axis(name)]
    for number, factor in enumerate(found):
        if range_ in open_ranges(factor):
            return number
    raise ScheduleError(f"no factor depends on the loop {name}")
