"""Schedules of products whose lanes cross the result: they lie along the factor that has few loops and steps through memory by the sum, the weights of a
convolution, and the image is read element by element, each broadcast to all lanes.

    for a chunk of rows                          window of the image: filled once, its padding and stride gone
      for columns / lanes                        panel of weights: K x lanes, transposed in registers
        for rows within the chunk
          for k: a register tile of positions x vectors of outputs

What products.py does with lanes along the image has to gather strided or padded panels, and wastes lanes where the image's rows are no multiple of a vector:
output channels mostly are, and the image's rows only need to be a multiple of the tile. In return, results are stored lane by lane. Which is better is a
matter of estimated cycles, of the same kind as there.
"""
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import ceil, prod

from ...errors import ScheduleError
from ...graph.body import Body
from ...graph.buffers import ops_to_memory
from ...graph.uop import UOp
from ..symbolic.ranges import open_ranges, ranges_of
from .machine import Machine
from .panel_axes import PanelAxis, memory_step, window_axes
from .product_costs import COMPUTING, CONTIGUOUS, FIRST_CACHE, MISSES, SECOND_CACHE_LINE, STRIDED, TILE_OVERHEAD
from .product_form import Product, extent, number_of_factor
from .schedule import NamedLoops
from .stage import BLOCK, MOST_BYTES

TRANSPOSED = 6.0
"""Cycles to put a vector into a panel from one place for each lane, where the lanes' neighbours are put there, too: blocks are transposed in registers."""
FILLED = 8.0
"""Cycles to put a vector of a window into a panel that is computed or gated."""
STORED = 1.8
"""Cycles to store one lane."""
CHUNKS = (1, 2, 3, 4, 6, 8, 12, 16)
"""Numbers of chunks for each thread that are considered."""


@dataclass(frozen=True)
class CrossedShape:
    """A choice: `tile` positions x `vectors` in registers; `chunk` iterations of the loop `chunked` (or, without one, `chunk` column tiles) under one
    window; whether there is a window."""

    tile: int
    vectors: int
    chunked: int | None
    chunk: int
    windowed: bool
    cycles: float


def crossed(p: Product, width: int) -> Product | None:
    """The product with lanes along the innermost loop of its rows; None where nothing can be gained: the image's lanes lie in memory as they are needed,
    and few of them are wasted."""
    if p.contiguous and p.column_factor.name == "load" and len(p.column_factor.operands) == 1 and extent(p.lanes) >= 2 * width:
        return None
    lanes = p.rows[-1]
    rows = [*(r for r in p.columns if r is not p.lanes), p.lanes]
    other = p.column_factor
    return replace(p, rows=rows, columns=p.rows, row_factor=other, column_factor=p.row_factor, lanes=lanes, contiguous=False,
                   scattered=p.columns_scattered, computed=other.name != "load" or len(other.operands) > 1, columns_scattered=p.scattered)


class CrossedShapes:
    """The choices for one product, with their estimated cycles."""

    def __init__(self, p: Product, machine: Machine) -> None:
        self.p, self.machine = p, machine
        self.width = max(1, machine.vector_bits // p.bits)
        self.bytes = p.bits // 8
        inside = [r for r in ranges_of(open_ranges(p.row_factor)) if r not in p.batches]
        self.axes = window_axes(p.row_factor, inside)
        beside = bool(self.axes) and memory_step(p.row_factor, self.axes[-1]) == 1
        self.filling = ((FILLED if p.computed else 2 * CONTIGUOUS) if beside else STRIDED) / self.width
        self.flat = any(_is_flat(p.column_factor, axis) for axis in window_axes(p.column_factor, p.sums)) and p.depth >= BLOCK

    def all(self) -> Iterator[CrossedShape]:
        p = self.p
        if extent(p.lanes) < self.width or any(extent(r) > 1 for r in p.columns if r is not p.lanes):
            return
        row = extent(p.lanes if not p.rows else p.rows[-1])
        for vectors in (1, 2, 3, 4):
            if vectors * self.width > extent(p.lanes):
                break
            most = (self.machine.registers - 2 - vectors) // vectors
            tiles = [t for t in range(min(row, most), 0, -1) if row % t == 0][:2]
            for tile in tiles:
                yield from self._with_tile(tile, vectors)

    def _with_tile(self, tile: int, vectors: int) -> Iterator[CrossedShape]:
        p = self.p
        across = vectors * self.width
        column_tiles = ceil(extent(p.lanes) / across)
        panel_bytes = across * p.depth * self.bytes
        fma = tile * vectors
        lines = SECOND_CACHE_LINE * across * p.bits / 512 if panel_bytes > FIRST_CACHE else 0.0
        step = max(fma / 2, (tile + vectors) / 2, lines, 4.0 if fma < 8 else 0) + 1
        inside = p.depth * step + TILE_OVERHEAD + STORED * tile * across
        panel = p.depth * vectors * (TRANSPOSED if self.flat else STRIDED)
        direct = inside + p.depth * (MISSES * p.scattered + COMPUTING * tile * p.computed)
        others = p.rows[:-1]
        batches = prod(extent(r) for r in p.batches)
        row_tiles = prod(extent(r) for r in others) * (extent(p.rows[-1]) // tile)
        for chunked in range(len(others)):
            size, before = extent(others[chunked]), prod(extent(r) for r in others[:chunked])
            for chunk in sorted({ceil(size / (n * self.machine.threads)) for n in CHUNKS} | {size}):
                chunks = ceil(size / chunk)
                tiles = row_tiles // before // size * chunk
                trips = extent(p.batches[0]) if p.batches else extent(others[0]) if chunked else chunks
                sizes = dict.fromkeys(others[:chunked], 1) | {others[chunked]: chunk}
                for windowed, fill, each in self._ways(sizes, panel_bytes, inside, direct):
                    cycles = batches * before * chunks * (fill + column_tiles * (panel + tiles * each))
                    yield CrossedShape(tile, vectors, chunked, chunk, windowed, cycles * self._share(trips))
        for chunk in sorted({ceil(column_tiles / (n * self.machine.threads)) for n in CHUNKS[:4]}):
            chunks = ceil(column_tiles / chunk)
            trips = extent(p.batches[0]) if p.batches else chunks
            for windowed, fill, each in self._ways({}, panel_bytes, inside, direct):
                cycles = batches * chunks * (fill + chunk * (panel + row_tiles * each))
                yield CrossedShape(tile, vectors, None, chunk, windowed, cycles * self._share(trips))

    def _share(self, trips: int) -> float:
        return ceil(trips / self.machine.threads) / trips

    def _ways(self, sizes: dict[UOp, int], panel_bytes: int, inside: float, direct: float) -> Iterator[tuple[bool, float, float]]:
        """Without a window and with one: whether, the cycles to fill it, and those of a register tile."""
        yield False, 0.0, direct
        elements = prod(1 + sum(step * (sizes.get(r, extent(r)) - 1) for r, step in axis.steps.items()) for axis in self.axes)
        if elements * self.bytes <= MOST_BYTES and elements * self.bytes + panel_bytes <= self.machine.cache_bytes * 3 // 4:
            yield True, elements * self.filling, inside


def _is_flat(factor: UOp, axis: PanelAxis) -> bool:
    return factor.name == "load" and memory_step(factor, axis) == 1 and any(u.name == "load" for u in ops_to_memory(factor))


def schedule_crossed(body: Body, product: Product, machine: Machine, less_than: float) -> NamedLoops | None:
    """The kernel under its best crossed schedule, if its estimate is less than that many cycles."""
    p = crossed(product, max(1, machine.vector_bits // product.bits))
    if p is None or not less_than:
        return None
    found = min(CrossedShapes(p, machine).all(), key=lambda s: s.cycles, default=None)
    if found is None or found.cycles >= less_than:
        return None
    try:
        return _apply(body, p, found, machine)
    except ScheduleError:
        return None


def _apply(body: Body, p: Product, shape: CrossedShape, machine: Machine) -> NamedLoops:
    width = max(1, machine.vector_bits // p.bits)
    names = {r: f"{group}{i}" for group, members in (("batch", p.batches), ("row", p.rows), ("column", p.columns), ("sum", p.sums))
             for i, r in enumerate(members)}
    for r in ranges_of(body.order()):
        names.setdefault(r, f"other{r.attribute('id')}")
    loops = NamedLoops(body, names)
    batches, rows, columns = ([names[r] for r in members] for members in (p.batches, p.rows, p.columns))
    loops.divide("UPCAST", names[p.lanes], shape.vectors * width, "lanes")
    loops.divide("UPCAST", rows[-1], shape.tile, "tile")
    chunked = rows[shape.chunked] if shape.chunked is not None else columns[-1]
    if chunked in loops.order:
        loops.divide("TILE", chunked, shape.chunk, "chunk")
    whole = "chunk" not in loops.order
    if shape.chunked is None:
        arranged = [*batches, columns[-1], "chunk", *rows]
        window, panel = columns[-1], "chunk" if not whole else columns[-1]
    else:
        before, after = rows[:shape.chunked], rows[shape.chunked + 1:]
        arranged = [*batches, *before, chunked, columns[-1], "chunk", *after]
        window, panel = chunked, columns[-1]
        if whole and shape.chunk > 1:  # all of the loop is under one window
            arranged = [*batches, *before, columns[-1], chunked, *after]
            window = [*batches, *before, columns[-1]][max(0, len(batches) + len(before) - 1)]
    arranged = [n for n in arranged if n in loops.order]
    if not arranged:
        raise ScheduleError("no loop is left to fill panels in")
    loops.arrange([*arranged, *(n for n in ("tile", "lanes") if n in loops.order)])
    if window not in loops.order:  # one tile has all columns: the outermost loop that is left takes the place
        window = arranged[0]
    if panel not in loops.order:
        panel = window
    loops.stage(panel, number_of_factor(loops, "lanes"))
    if shape.windowed:
        loops.stage(window, number_of_factor(loops, "tile"), "WINDOW")
    loops.thread(arranged[0])
    return loops
