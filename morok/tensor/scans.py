"""Each element combined with all before it along an axis, as one ordered loop; a long axis in blocks that threads share."""
from __future__ import annotations

from math import prod
from typing import Any

from ..dialect import types as T
from ..graph.tensor_graph import TensorUOp
from . import build

BLOCK = 4096
"""Elements of a block: enough that what its end adds to the next ones costs little."""
ROWS = 32
"""Rows from which on the rows themselves are work enough for all threads."""


def scanned(u: TensorUOp, op: str, axis: int) -> TensorUOp:
    shape: Any = build.shape_of(u)
    count = shape[axis]
    if count <= 1 or 0 in shape:
        return u
    others = prod(shape) // count
    if count < 2 * BLOCK or others >= ROWS:
        return build.scan(u, op, axis)
    rest = -count % BLOCK
    outer, inner = shape[:axis], shape[axis + 1:]
    low = (0,) * len(shape)
    padded = build.pad(u, low, tuple(rest if a == axis else 0 for a in range(len(shape)))) if rest else u
    blocks = (count + rest) // BLOCK
    split = (*outer, blocks, BLOCK, *inner)
    rows = build.scan(build.reshape(padded, split), op, axis + 1)
    last = tuple(BLOCK - 1 if a == axis + 1 else 0 for a in range(len(split)))
    ends = build.shrink(rows, last, tuple(1 if a == axis + 1 else s for a, s in enumerate(split)))
    ends = build.scan(build.reshape(ends, (*outer, blocks, *inner)), op, axis)
    before = build.shrink(ends, low, tuple(blocks - 1 if a == axis else s for a, s in enumerate((*outer, blocks, *inner))))
    before = build.pad(before, tuple(1 if a == axis else 0 for a in range(len(shape))), low)
    before = build.expand(build.reshape(before, (*outer, blocks, 1, *inner)), split)
    combined = logaddexp(before, rows) if op == "logaddexp" else build.alu(op, before, rows)
    block = build.iota_along(split, axis, T.int64)
    first = build.alu("cmpeq", block, build.full(build.shape_of(block), 0, T.int64))
    whole = build.alu("where", build.expand(first, split), rows, combined)
    joined = build.reshape(whole, (*outer, count + rest, *inner))
    return build.shrink(joined, low, shape)


def logaddexp(x: TensorUOp, y: TensorUOp) -> TensorUOp:
    """log(exp(x) + exp(y)), as the scan computes it."""
    high, low = build.alu("max", x, y), build.alu("min", x, y)
    zero = build.full(build.shape_of(x), 0, x.dtype)
    little = build.alu("where", build.alu("cmpne", high, low), build.alu("sub", low, high), zero)
    return build.alu("add", high, build.alu("log1p", build.alu("exp", little)))
