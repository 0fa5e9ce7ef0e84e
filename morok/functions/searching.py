"""Where something is, and choice by a condition."""
from __future__ import annotations

from typing import Any

from ..tensor.tensor import Tensor
from .operands import pair, tensor_of


def argmax(x: Any, axis: int | None = None, keepdim: bool = False) -> Tensor:
    """Where the first greatest element is (the first NaN, if there is one), as int64; over the flattened tensor by default.

    `x` is a tensor or array-like; int64 result. Errors are those of Tensor.argmax.

        morok.argmax([1.0, 3.0])
    """
    return tensor_of(x).argmax(axis, keepdim)


def argmin(x: Any, axis: int | None = None, keepdim: bool = False) -> Tensor:
    """Where the first least element is (the first NaN, if there is one), as int64; over the flattened tensor by default.

    `x` is a tensor or array-like; int64 result. Errors are those of Tensor.argmin.

        morok.argmin([1.0, 3.0])
    """
    return tensor_of(x).argmin(axis, keepdim)


def where(condition: Any, x: Any, y: Any) -> Tensor:
    """`x` where the bool condition holds, else `y`; tensors, array-likes or numbers, all broadcast, of the promoted dtype.

    DTypeError for a condition that is not bool, ShapeError for shapes that do not broadcast.

        morok.where([True, False], 1.0, 2.0)  # [1.0, 2.0]
    """
    first, second = pair(x, y, "where")
    return first.where(tensor_of(condition), second)
