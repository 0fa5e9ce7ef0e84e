"""The standard's functions that find elements, and those that pick them."""
from __future__ import annotations

from typing import Any

from ..errors import DTypeError, ShapeError
from ..functions import searching
from ..tensor.tensor import Tensor
from .operands import require_pair, tensor


def argmax(x: Any, /, *, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """Where the greatest element is, the first of several, the first NaN if there is one, as int64."""
    return tensor(x, "argmax").argmax(axis, keepdims)


def argmin(x: Any, /, *, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """Where the least element is, the first of several, the first NaN if there is one, as int64."""
    return tensor(x, "argmin").argmin(axis, keepdims)


def count_nonzero(x: Any, /, *, axis: int | tuple[int, ...] | None = None, keepdims: bool = False) -> Tensor:
    """How many elements are not 0, as int64."""
    return tensor(x, "count_nonzero").count_nonzero(axis, keepdims)


def where(condition: Any, x1: Any, x2: Any, /) -> Tensor:
    """x1's elements where the condition holds, x2's elsewhere."""
    if tensor(condition, "where").dtype.kind != "b":
        raise DTypeError(f"where: the condition must be of bool, not {condition.dtype}")
    require_pair(x1, x2, "where")
    return searching.where(condition, x1, x2)


def take(x: Any, indices: Any, /, *, axis: int | None = None) -> Tensor:
    """The parts at indices along an axis, which must be named where there are several; indices have one axis."""
    source, picked = tensor(x, "take"), tensor(indices, "take")
    if axis is None and source.ndim != 1:
        raise ShapeError(f"take: name the axis of a tensor of shape {source.shape}; only with one axis may it be left out")
    if picked.ndim != 1:
        raise ShapeError(f"take: indices have one axis, not shape {picked.shape}")
    return source.take(picked, 0 if axis is None else axis)


def take_along_axis(x: Any, indices: Any, /, *, axis: int = -1) -> Tensor:
    """Element [i, j, ...] is x at the index [i, j, ...] along the axis; the other axes broadcast."""
    return tensor(x, "take_along_axis").take_along_axis(tensor(indices, "take_along_axis"), axis)


def nonzero(x: Any, /) -> tuple[Tensor, ...]:
    """For each axis the indices of the elements that are not 0, in row-major order, as int64. How many there are is computed at once."""
    return tensor(x, "nonzero").nonzero()
