"""The row-major place of an element: what an index op with one index per axis amounts to in memory; one that has a single index has it already.

    index(%b : memref<4x6xf32>, %r floordiv 6, %r mod 6)     flat_index = %r
"""
from __future__ import annotations

from collections.abc import Sequence
from math import prod

from ...dialect import types as T
from ...graph.uop import UOp, index_const
from ..facts import recall
from .linear import MOST_TERMS, build, combined, linear


def row_major(indices: Sequence[UOp], shape: Sequence[int]) -> UOp:
    """The sum of the indices times their strides, in the canonical order of sums. The terms are those of the indices, not simplified. One index alone is the
    place itself."""
    if len(indices) == 1:
        shape = shape[-1:]
    strides = [prod(shape[axis + 1:]) for axis in range(len(shape))]
    forms = [linear(i).scaled(s) for i, s in zip(indices, strides)]
    if sum(len(f.terms) for f in forms) <= MOST_TERMS and all(i.type is T.index for i in indices):
        return build(combined((t for f in forms for t in f.terms), sum(f.constant for f in forms)), T.index)
    flat = index_const(0)
    for position, stride in zip(reversed(indices), reversed(strides)):
        flat = position * stride + flat if stride else flat
    return flat


def flat_index(index: UOp) -> UOp:
    """The element number, from the start of the buffer, that an `index` op points to; simplified, and kept with the op."""
    return recall(index, "flat", lambda node: (), _flat)


def _flat(index: UOp) -> UOp:
    from . import simplify
    return simplify((row_major(index.operands[1:], index.operands[0].type.shape),))[0]  # type: ignore[union-attr]
