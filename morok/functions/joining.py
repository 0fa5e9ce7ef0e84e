"""Tensors joined along an axis, old or new."""
from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Unpack

from ..tensor.arguments import also_named
from ..tensor.other_names import OneAxis, OneDim
from ..tensor.tensor import Tensor
from .operands import tensor_of


def _listed(tensors: Any, what: str) -> Any:
    if isinstance(tensors, Iterable):
        return [tensor_of(t) for t in tensors]
    raise TypeError(f"{what}: takes a list of tensors or array-likes, not {type(tensors).__name__}")


@also_named(axis="dim")
def cat(tensors: Any, dim: int = 0, **other: Unpack[OneAxis]) -> Tensor:
    """Tensors end to end along an axis; also `Tensor.cat([a, b], dim=1)`.

    `tensors` is a list of tensors or array-likes. Errors are those of Tensor.cat.

        morok.cat([[1.0], [2.0]])
    """
    return Tensor.cat(_listed(tensors, "cat"), dim=dim)


@also_named(axis="dim")
def stack(tensors: Any, dim: int = 0, **other: Unpack[OneAxis]) -> Tensor:
    """Tensors along a new axis; also `Tensor.stack([a, b])`.

    `tensors` is a list of tensors or array-likes. Errors are those of Tensor.stack.

        morok.stack([[1.0], [2.0]])
    """
    return Tensor.stack(_listed(tensors, "stack"), dim=dim)


@also_named(dim="axis")
def concat(tensors: Any, axis: int = 0, **other: Unpack[OneDim]) -> Tensor:
    """The array API's name of cat: tensors or array-likes end to end along an axis. Errors are those of Tensor.cat.

        morok.concat([[1.0], [2.0]])
    """
    return cat(tensors, axis)


@also_named(dim="axis")
def concatenate(tensors: Any, axis: int = 0, **other: Unpack[OneDim]) -> Tensor:
    """NumPy's name of cat: tensors or array-likes end to end along an axis. Errors are those of Tensor.cat.

        morok.concatenate([[1.0], [2.0]])
    """
    return cat(tensors, axis)
