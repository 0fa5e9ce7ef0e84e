"""The standard's products. Shapes and errors are those of Tensor's methods."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..errors import ShapeError
from ..tensor.arguments import normal_axis
from ..tensor.tensor import Tensor
from .operands import tensor


def matmul(x1: Any, x2: Any, /) -> Tensor:
    """Matrix products over the last two axes."""
    return tensor(x1, "matmul").matmul(tensor(x2, "matmul"))


def matrix_transpose(x: Any, /) -> Tensor:
    """The last two axes changed over."""
    return tensor(x, "matrix_transpose").mT


def tensordot(x1: Any, x2: Any, /, *, axes: int | tuple[Sequence[int], Sequence[int]] = 2) -> Tensor:
    """Sums of products over the last axes of x1 and the first of x2, or over pairs of axes."""
    return tensor(x1, "tensordot").tensordot(tensor(x2, "tensordot"), axes)


def vecdot(x1: Any, x2: Any, /, *, axis: int = -1) -> Tensor:
    """Sums of products along an axis (counted from the end) of tensors that broadcast; both must have the same size there."""
    a, b = tensor(x1, "vecdot"), tensor(x2, "vecdot")
    along = min((normal_axis(axis, t.ndim, "vecdot") - t.ndim for t in (a, b)), key=abs) if axis < 0 else axis
    if a.shape[along] != b.shape[along]:
        raise ShapeError(f"vecdot: sizes along axis {axis} differ: {a.shape[along]} and {b.shape[along]} (shapes {a.shape} and {b.shape})")
    a, b = a.moveaxis(along, -1), b.moveaxis(along, -1)
    return (a.unsqueeze(-2) @ b.unsqueeze(-1)).squeeze((-2, -1))
