"""What the standard's functions take for operands: tensors, and one Python number beside a tensor."""
from __future__ import annotations

from typing import Any

from ..errors import DTypeError
from ..tensor.tensor import Tensor


def tensor(x: Any, what: str) -> Tensor:
    """x, which must be a tensor."""
    if not isinstance(x, Tensor):
        raise DTypeError(f"{what}: takes a Tensor, not {type(x).__name__}; asarray makes one")
    return x


def tensors(given: Any, what: str) -> list[Tensor]:
    """A list of tensors, of at least one."""
    found = [tensor(x, what) for x in given]
    if not found:
        raise ValueError(f"{what}: takes at least one Tensor, not none")
    return found


def require_pair(x1: Any, x2: Any, what: str) -> None:
    """Two tensors, or one beside a Python number."""
    for x in (x1, x2):
        if not isinstance(x, (Tensor, bool, int, float)):
            raise DTypeError(f"{what}: takes Tensors, or one beside a Python number, not {type(x).__name__}; asarray makes a Tensor")
    if not isinstance(x1, Tensor) and not isinstance(x2, Tensor):
        raise DTypeError(f"{what}: one of both must be a Tensor, not {type(x1).__name__} and {type(x2).__name__}; asarray makes one")
