"""Tensors in lists, tuples and dicts: all of them in order, and the structure again with others in their places."""
from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .core import TensorCore


class Structure:
    """A structure taken apart. A tensor that stands at two places is there twice; arrays count as tensors."""

    def __init__(self, value: Any) -> None:
        self.tensors: list[Any] = []
        self.value = replaced(value, self._enter)

    def _enter(self, t: Any) -> Any:
        if isinstance(t, np.ndarray):
            from .tensor import Tensor
            t = Tensor(t)
        self.tensors.append(t)
        return t

    def rebuild(self, tensors: Sequence[Any]) -> Any:
        """The structure with other things in the places of its tensors."""
        rest = iter(tensors)
        return replaced(self.value, lambda _: next(rest))


def replaced(value: Any, new: Callable[[Any], Any]) -> Any:
    """The structure with what the function gives for each tensor, in order."""
    if isinstance(value, (TensorCore, np.ndarray)):
        return new(value)
    kind = type(value)
    if isinstance(value, (list, tuple)):
        items = [replaced(v, new) for v in value]
        return items if kind is list else kind(*items) if hasattr(value, "_fields") else kind(items)
    if isinstance(value, dict):
        made = {} if kind is dict else copy.copy(value)
        made.update({k: replaced(v, new) for k, v in value.items()})
        return made
    return value
