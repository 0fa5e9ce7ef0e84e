"""Rows picked by positions that are data, and rows put where positions say: what gathers and scatters are made of.

    picked(rows, positions, 1)      rows (b, n, r) at positions (b, k): (b, k, r); a position outside gives zeros
    put(rows, positions, value, 1, "add")      rows (b, n, r) with value (b, k, r) added at positions (b, k), in order; one outside adds nothing

`axis` says how many axes lie before n, and b, r stand for any number of axes. Picking is a sum over one-hot masks, which load collapse turns into
plain loads; what reaches the rows from it is put there with `add`.
"""
from __future__ import annotations

from ..dialect import types as T
from ..graph.derivation import CUSTOM, Custom, is_derived
from ..graph.repetition import is_of_an_iteration
from ..graph.tensor_graph import TensorUOp
from . import build
from .sizes import Shape, numel

FEW = 2
"""Rows of the result, for each b, up to which the derivative is the masks' own: it needs no memory, and fuses with what it is added to.
But a loop that picks other rows in each iteration adds to these alone."""


def picked(rows: TensorUOp, positions: TensorUOp, axis: int) -> TensorUOp:
    """rows[..., positions, ...] on the axis; positions (before, k), or with axes of size 1 before."""
    shape, places = build.shape_of(rows), build.shape_of(positions)
    before, size, after, count = shape[:axis], shape[axis], shape[axis + 1:], places[-1]
    whole = (*before, count, size, *after)
    index = build.iota(size, positions.dtype)
    hot = build.alu("cmpeq", build.expand(build.reshape(positions, (*places, 1)), (*places, size)), build.broadcast(index, (*places, size)))
    hot = build.broadcast(build.reshape(hot, (*places, size, *(1,) * len(after))), whole)
    chosen = build.alu("where", hot, build.broadcast(build.reshape(rows, (*before, 1, size, *after)), whole), build.full(whole, 0, rows.dtype))
    found = build.reduce(chosen, "or" if rows.dtype is T.bool_ else "add", (axis + 1,))
    if rows.dtype.is_float and (not (isinstance(count, int) and count <= FEW) and is_derived(rows) or is_of_an_iteration(positions)):
        CUSTOM[found] = Custom((rows,), lambda g: (added(shape, positions, g, axis),))
    return found


def added(shape: Shape, positions: TensorUOp, value: TensorUOp, axis: int) -> TensorUOp:
    """Zeros of this shape with the value's rows added at the positions; 16-bit floats summed in float32, rounded once."""
    dtype = value.dtype
    wide = T.float32 if dtype.is_float and dtype.bits < 32 else dtype
    return build.cast(put(build.full(shape, 0, wide), positions, build.cast(value, wide), axis, "add"), dtype)


def put(rows: TensorUOp, positions: TensorUOp, value: TensorUOp, axis: int, op: str) -> TensorUOp:
    """The rows with those of the value combined, in order, where positions (before, k), or with axes of size 1 before, say."""
    shape = build.shape_of(rows)
    before, size, after = shape[:axis], shape[axis], shape[axis + 1:]
    count = build.shape_of(positions)[-1]
    outer, inner = numel(before), numel(after)
    places = build.reshape(build.broadcast(positions, (*before, count)), (outer, count))
    target = build.reshape(rows, (outer, size, inner))
    return build.reshape(build.scatter(target, places, build.reshape(value, (outer, count, inner)), op), shape)
