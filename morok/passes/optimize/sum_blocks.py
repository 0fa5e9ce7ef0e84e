"""How a deep sum is divided into blocks, each of which is added to all results of a chunk of columns before the next begins.

    for a chunk of columns (the threads' share)
      for a block of K, in order
        for columns / tile: panel of y: block x tile columns
          for rows: a register tile, added to its place in scratch

The rows' elements of a block then stay in the second cache for all of the chunk, and its panels in the first.
"""
from __future__ import annotations

from collections.abc import Iterator
from math import ceil, prod

from .accumulate import MOST_BYTES
from .machine import Machine
from .product_form import Product, extent

FEW_ROWS = ((8, 16), (48, 32))
"""Up to so many rows, so many terms are a block: their columns are read once or stay in the first cache, so that they are read where they lie, many columns
from each of a few pages."""
TERMS = 256
"""Of a block for more rows: enough that what is done once for each block is little, and few enough that a panel stays near."""
LEAST, MOST = 3 / 8, 2
"""How many times as many it may be, to divide the sum; a sum of less than twice the most is not divided."""
MOST_LEFT, LEFT_COST = 0.25, 8.0
"""What part of a block may be left over, and how many times as long its terms take."""


def sum_block(p: Product) -> int:
    """Iterations of the sum's outermost loop in a block; 0 where the sum is not divided. It fixes the order of additions, so it depends on the product alone.
    What is left of the loop behind whole blocks is added last, from the factors as they are."""
    size, beside = extent(p.sums[0]), prod(extent(r) for r in p.sums[1:])
    rows = prod(extent(r) for r in p.rows)
    best = next((terms for most, terms in FEW_ROWS if rows <= most), TERMS)
    if not p.partial or p.depth < 2 * MOST * best:
        return 0
    fitting = [n for n in range(ceil(LEAST * best / beside), min(size - 1, MOST * best // beside) + 1) if size % n <= n * MOST_LEFT]
    return min(fitting, key=lambda n: abs(n * beside - best) / best + LEFT_COST * (size % n) / size, default=0)


def chunks(p: Product, tiles: int, elements: int, machine: Machine) -> Iterator[tuple[int, int]]:
    """How many of so many column tiles make a chunk, and the number of chunks; `elements` are a column tile's results."""
    most = MOST_BYTES * 8 // p.bits // max(1, elements)
    if most:
        yield 1, tiles
    if len(p.columns) == 1:
        for parts in sorted({machine.threads * times for times in (1, 2, 3, 4, 6, 8)}):
            chunk = ceil(tiles / parts)
            if 1 < chunk <= most:
                yield chunk, ceil(tiles / chunk)
