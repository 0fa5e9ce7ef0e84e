"""Tensors joined along an axis, old or new."""
from __future__ import annotations

from typing import Any

from ..tensor.tensor import Tensor
from .operands import tensor_of


def cat(tensors: Any, dim: int = 0) -> Tensor:
    """Tensors end to end along an axis; also `Tensor.cat([a, b], dim=1)`.

    `tensors` is a list of tensors or array-likes. Errors are those of Tensor.cat.

        morok.cat([[1.0], [2.0]])
    """
    parts: Any = [tensor_of(t) for t in tensors]
    return Tensor.cat(parts, dim=dim)


def stack(tensors: Any, dim: int = 0) -> Tensor:
    """Tensors along a new axis; also `Tensor.stack([a, b])`.

    `tensors` is a list of tensors or array-likes. Errors are those of Tensor.stack.

        morok.stack([[1.0], [2.0]])
    """
    parts: Any = [tensor_of(t) for t in tensors]
    return Tensor.stack(parts, dim=dim)


def concat(tensors: Any, axis: int = 0) -> Tensor:
    """The array API's name of cat: tensors or array-likes end to end along an axis. Errors are those of Tensor.cat.

        morok.concat([[1.0], [2.0]])
    """
    return cat(tensors, axis)


def concatenate(tensors: Any, axis: int = 0) -> Tensor:
    """NumPy's name of cat: tensors or array-likes end to end along an axis. Errors are those of Tensor.cat.

        morok.concatenate([[1.0], [2.0]])
    """
    return cat(tensors, axis)
