"""Sums of the columns of a wide matrix, which is read in long pieces of rows.

    for columns / tile (divided among the threads)           for a chunk of columns (the threads' share)
      sum over %k: a register tile of columns         =>       for a block of %k, in order
                                                                 for columns / tile: a register tile, added to its place in scratch

A column tile is a few lines of each row, and where rows are longer than pages hardware prefetchers do not see that the next row follows: each page is
entered for a few lines. In blocks, some pages are read side by side, each to the end of the chunk.
"""
from __future__ import annotations

from math import ceil, prod

from ...graph.buffers import ops_to_memory
from ...graph.uop import UOp
from ..symbolic.ranges import open_ranges, ranges_of
from .accumulate import MOST_BYTES
from .machine import Machine
from .opts import Opt
from .product_form import PAGE, elements_per_iteration
from .schedule import Schedule

ROWS = 8
"""Rows that are read side by side: the sums so far are loaded and stored once for so many."""
LEAST_ROWS = 8 * ROWS
LEAST_STEP = 2 * PAGE
"""Bytes from a row to the next from which on it pays."""
LEAST_BYTES = 1 << 21
"""Of the matrix: less is in the second cache by the next time, where prefetchers are not needed."""


def read_in_rows(schedule: Schedule, machine: Machine) -> None:
    """Puts a sum of columns that already have their tile in blocks of rows, where that pays. Which it is depends on the matrix alone, as does the order of
    additions."""
    order = schedule.body.order()
    sums = [u for u in order if u.name == "reduce"]
    if len(sums) != 1 or any(u.name == "define_local" for u in order):
        return
    rows = [r for r in sums[0].operands[1:] if r.attribute("kind") == "reduce"]
    columns = ranges_of(r for r in open_ranges(sums[0]) if r.attribute("kind") == "loop")
    if len(rows) != 1 or len(sums[0].operands) != 2 or not columns or not _are_long_rows(sums[0], rows[0], columns[-1]):
        return
    _apply(schedule, columns, rows[0], prod(r.operands[0].value for r in open_ranges(sums[0]) if r.attribute("kind") == "upcast"), sums[0].dtype.bits, machine)


def _are_long_rows(sum_: UOp, row: UOp, column: UOp) -> bool:
    """Whether memory that is read for the sum goes on along the columns, and steps by pages from row to row."""
    if not row.operands[0].is_const() or not column.operands[0].is_const() or row.operands[0].value < LEAST_ROWS or column.operands[0].value < 2:
        return False
    for load in (u for u in ops_to_memory(sum_.operands[0]) if u.name == "load" and column in open_ranges(u)):
        step, size = abs(elements_per_iteration(load, row) or 0), load.dtype.bits // 8
        lanes = [r for r in open_ranges(load) if r.attribute("kind") == "upcast" and elements_per_iteration(load, r) == 1]
        if lanes and step * size >= LEAST_STEP and step * size * row.operands[0].value >= LEAST_BYTES:
            return True
    return False


def _apply(schedule: Schedule, columns: list[UOp], row: UOp, tile: int, bits: int, machine: Machine) -> None:
    """The opts. The loop outside of the blocks is the one round the columns or, where there is none or the sums would be too many, a chunk of them."""
    column, opts, body = columns[-1], list(schedule.opts), schedule.body
    axis, tiles, at = column.attribute("id"), column.operands[0].value, row.attribute("id")
    chunk = min(tiles, max(1, MOST_BYTES * 8 // bits // tile))
    if len(columns) == 1:
        chunk = min(chunk, ceil(tiles / max(2, machine.threads)))
    done, outside = True, columns[-2].attribute("id") if len(columns) > 1 and chunk == tiles else axis
    if 1 < chunk < tiles:  # a chunk of one tile, as where there are as many threads as tiles, is what the loop goes through anyway
        done, at = schedule.apply(Opt("TILE" if tiles % chunk == 0 else "OVERLAP", axis, chunk)), at + 1
    if row.operands[0].value % ROWS:
        done = done and schedule.apply(Opt("PEEL", at, ROWS))
    done = done and schedule.apply(Opt("TILE", at, ROWS)) and schedule.apply(Opt("ACCUMULATE", at, outside))
    if not done:
        schedule.body, schedule.opts = body, opts
