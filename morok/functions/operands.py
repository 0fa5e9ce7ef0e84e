"""What the functions take for operands: tensors, array-likes and numbers."""
from __future__ import annotations

from typing import Any

from ..tensor.tensor import Tensor


def tensor_of(x: Any) -> Tensor:
    """A tensor as it is; of an array-like, a new one."""
    return x if isinstance(x, Tensor) else Tensor(x)


def pair(x: Any, y: Any, what: str) -> tuple[Tensor, Any]:
    """Two operands, the first as a tensor; a Python number takes the dtype that it has beside the other."""
    if isinstance(x, Tensor):
        return x, y
    if isinstance(y, Tensor):
        return y._left(x, what), y
    if isinstance(x, (bool, int, float)) and not isinstance(y, (bool, int, float)):
        return pair(x, tensor_of(y), what)
    return tensor_of(x), y
