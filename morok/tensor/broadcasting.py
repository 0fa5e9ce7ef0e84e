"""Operands of one dtype and shape: promotion, weak Python scalars, NumPy's broadcasting."""
from __future__ import annotations

from typing import Any

import numpy as np

from ..dialect import types as T
from ..errors import ShapeError
from ..graph.tensor_graph import TensorUOp
from . import build, dtypes
from .annotations import Operand
from .core import TensorCore
from .sizes import Shape

SYMBOLS = {"add": "+", "sub": "-", "mul": "*", "div": "/", "floor_divide": "//", "mod": "%", "pow": "**", "bitwise_and": "&", "bitwise_or": "|",
           "bitwise_xor": "^", "lshift": "<<", "rshift": ">>", "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!="}


def is_scalar(value: Any) -> bool:
    return isinstance(value, (bool, int, float)) and not isinstance(value, np.generic)


def scalar_dtype(dtype: T.DType, value: Any, what: str) -> T.DType:
    """The dtype that a Python scalar takes beside a tensor of `dtype`; OverflowError for an integer that does not fit."""
    found = dtypes.with_scalar(dtype, value)
    if found.kind in "iu" and not found.min <= value <= found.max:
        raise OverflowError(f"{what}: {value} does not fit {found} (from {found.min} to {found.max}); cast the tensor first")
    return found


def scalar_operand(dtype: T.DType, value: Any, what: str) -> TensorUOp:
    return build.constant(value, scalar_dtype(dtype, value, what))


def dtype_operands(x: TensorCore, other: Operand, what: str) -> tuple[TensorUOp, TensorUOp]:
    """Both operands in their common dtype, each in its own shape."""
    mine = x.uop
    theirs = scalar_operand(mine.dtype, other, what) if is_scalar(other) else x._operand(other, what).uop
    a, b = mine.dtype, theirs.dtype
    if a is b:
        return mine, theirs
    dtype = dtypes.promote(a, b)
    return build.cast(mine, dtype), build.cast(theirs, dtype)


def operands(x: TensorCore, other: Operand, what: str) -> tuple[TensorUOp, TensorUOp]:
    """Both operands in their common dtype and shape."""
    if isinstance(other, TensorCore) and other._storage.device is x._storage.device:
        a, b = x.uop, other.uop
        if a.type is b.type and None not in a.type.shape:  # type: ignore[union-attr]
            return a, b
    elif is_scalar(other):
        a = x.uop
        a = build.cast(a, scalar_dtype(a.dtype, other, what))
        return a, build.full(build.shape_of(a), other, a.dtype)
    a, b = dtype_operands(x, other, what)
    if a.type is b.type and None not in a.type.shape:  # type: ignore[union-attr]
        return a, b
    left, right = build.shape_of(a), build.shape_of(b)
    shape = left if left == right else broadcast_shape(what, left, right)
    return build.broadcast(a, shape), build.broadcast(b, shape)


def broadcast_shape(what: str, *shapes: Shape) -> Shape:
    """The shape that all broadcast to; ShapeError names the shapes."""
    rank = max(len(s) for s in shapes)
    out = []
    for axis in range(-rank, 0):
        size: Any = 1
        for shape in shapes:
            if -axis > len(shape) or shape[axis] == 1 or shape[axis] == size:
                continue
            if size != 1:
                shown = f" {SYMBOLS[what]} ".join(map(str, shapes)) if what in SYMBOLS else ", ".join(map(str, shapes))
                raise ShapeError(f"{what}: shapes do not broadcast: {shown}; aligned at the last axis, each pair of sizes must be equal or "
                                 f"hold a 1 (here {size} and {shape[axis]})")
            size = shape[axis]
        out.append(size)
    return tuple(out)
