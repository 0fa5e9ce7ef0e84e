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

LEAST, BEST, MOST = 96, 256, 512
"""Terms of a block: enough that what is done once for each block is little, and few enough that a panel stays in the first cache."""


MOST_LEFT, LEFT_COST = 0.25, 8.0
"""What part of a block may be left over, and how many times as long its terms take."""


def sum_block(p: Product) -> int:
    """Iterations of the sum's outermost loop in a block; 0 where the sum is not divided. It fixes the order of additions, so it depends on the product alone.
    What is left of the loop behind whole blocks is added last, from the factors as they are."""
    size, beside = extent(p.sums[0]), prod(extent(r) for r in p.sums[1:])
    if not p.partial or p.depth <= MOST:
        return 0
    fitting = [n for n in range(ceil(LEAST / beside), min(size - 1, MOST // beside) + 1) if size % n <= n * MOST_LEFT]
    return min(fitting, key=lambda n: abs(n * beside - BEST) / BEST + LEFT_COST * (size % n) / size, default=0)


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
