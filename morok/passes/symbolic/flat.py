"""The row-major place of an element: what an index op with one index per axis amounts to in memory; one that has a single index has it already.

    index(%b : memref<4x6xf32>, %r floordiv 6, %r mod 6)     flat_index = %r
"""
from __future__ import annotations

from collections.abc import Sequence

from ...graph.uop import UOp, index_const
from ..facts import recall


def row_major(indices: Sequence[UOp], shape: Sequence[int]) -> UOp:
    """The sum of the indices times their strides, not simplified."""
    flat, stride = index_const(0), 1
    for position, size in zip(reversed(indices), reversed(shape)):
        flat = position * stride + flat if stride else flat
        stride *= size
    return flat


def flat_index(index: UOp) -> UOp:
    """The element number, from the start of the buffer, that an `index` op points to; simplified, and kept with the op."""
    return recall(index, "flat", lambda node: (), _flat)


def _flat(index: UOp) -> UOp:
    from . import simplify
    return simplify((row_major(index.operands[1:], index.operands[0].type.shape),))[0]  # type: ignore[union-attr]
