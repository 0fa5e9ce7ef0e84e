"""Joining tensors: cat and stack.

Few parts become one expression: each part padded to the whole, chosen by position. Many are joined in groups, so that the work stays linear
in the result and no kernel has more than GROUP inputs.
"""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self, Unpack

from ..dialect import types as T
from ..errors import DeviceError, DTypeError, ShapeError
from ..graph.tensor_graph import TensorUOp
from . import build, dtypes
from .arguments import also_named, normal_axis
from .core import TensorCore
from .other_names import OneAxis
from .reduction import ReductionMethods
from .sizes import Size

GROUP = 16


class JoiningMethods(ReductionMethods):
    __slots__ = ()

    @also_named(axis="dim")
    def cat(self, *others: Any, dim: int = 0, **other: Unpack[OneAxis]) -> Self:
        """This and others end to end along an axis; also `Tensor.cat([a, b], dim=1)`. Sizes must be equal on the other axes; dtypes are
        promoted.

            a.cat(b, dim=-1)
        """
        others, dim = _positional_axis(self, others, dim)
        tensors = _tensors(self, others, "cat")
        axis = normal_axis(dim, tensors[0].ndim, "cat")
        first = tensors[0].shape
        for i, t in enumerate(tensors):
            if t.ndim != len(first) or any(a != axis and s != f for a, (s, f) in enumerate(zip(t.shape, first))):
                raise ShapeError(f"cat: tensor {i} has shape {t.shape}, the first {first}; sizes must be equal on all axes but {axis}")
        uops = _of_one_dtype(tensors)
        return tensors[0]._new(_joined(uops, axis))  # type: ignore[return-value]

    concat = concatenate = cat

    @also_named(axis="dim")
    def stack(self, *others: Any, dim: int = 0, **other: Unpack[OneAxis]) -> Self:
        """This and others along a new axis; also `Tensor.stack([a, b])`. Shapes must be equal.

            a.stack(b, dim=-1)
        """
        others, dim = _positional_axis(self, others, dim)
        tensors = _tensors(self, others, "stack")
        first = tensors[0].shape
        axis = normal_axis(dim, len(first) + 1, "stack")
        for i, t in enumerate(tensors):
            if t.shape != first:
                raise ShapeError(f"stack: tensor {i} has shape {t.shape}, the first {first}; they must be equal")
        shape = first[:axis] + (1,) + first[axis:]
        return tensors[0]._new(_joined([build.reshape(u, shape) for u in _of_one_dtype(tensors)], axis))  # type: ignore[return-value]


def _positional_axis(first: Any, others: tuple, dim: int) -> tuple[tuple, int]:
    """`cat([a, b], 1)`: the axis after a list needs no name."""
    if isinstance(first, (list, tuple)) and len(others) == 1 and isinstance(others[0], int):
        return (), others[0]
    return others, dim


def _tensors(first: Any, others: tuple, what: str) -> list[TensorCore]:
    """The tensors of `a.cat(b, c)`, `a.cat([b, c])` and `Tensor.cat([a, b, c])`."""
    given = [*first] if isinstance(first, (list, tuple)) else [first]
    for other in others:
        given += other if isinstance(other, (list, tuple)) else [other]
    if not given:
        raise ShapeError(f"{what}: needs at least one tensor")
    for i, t in enumerate(given):
        if not isinstance(t, TensorCore):
            raise DTypeError(f"{what}: takes Tensors, but element {i} is {type(t).__name__}")
        if t.device != given[0].device:
            raise DeviceError(f"{what}: tensor {i} is on {t.device}, the first on {given[0].device}; move one with .to(...)")
    return given


def _of_one_dtype(tensors: Sequence[TensorCore]) -> list[TensorUOp]:
    dtype = tensors[0].dtype
    for t in tensors[1:]:
        dtype = dtypes.promote(dtype, t.dtype)
    return [build.cast(t.uop, dtype) for t in tensors]


def _joined(parts: list[TensorUOp], axis: int) -> TensorUOp:
    """The parts end to end; shapes agree on the other axes."""
    parts = [p for p in parts if build.shape_of(p)[axis] != 0] or parts[:1]
    while len(parts) > GROUP:
        groups = [parts[i:i + GROUP] for i in range(0, len(parts), GROUP)]
        parts = [build.op("contiguous", (_joined_group(g, axis),)) if len(g) > 1 else g[0] for g in groups]
    return _joined_group(parts, axis)


def _joined_group(parts: list[TensorUOp], axis: int) -> TensorUOp:
    if len(parts) == 1:
        return parts[0]
    sizes = [build.shape_of(p)[axis] for p in parts]
    ends: list[Size] = []
    total: Size = 0
    for size in sizes:
        total = total + size
        ends.append(total)
    shape = tuple(total if a == axis else s for a, s in enumerate(build.shape_of(parts[0])))
    position = build.broadcast(build.iota_along(shape, axis, T.int64), shape)
    result: TensorUOp | None = None
    for part, size, end in zip(reversed(parts), reversed(sizes), reversed(ends)):
        low = tuple(end - size if a == axis else 0 for a in range(len(shape)))
        high = tuple(total - end if a == axis else 0 for a in range(len(shape)))
        whole = build.pad(part, low, high)
        result = whole if result is None else build.alu("where", build.alu("cmplt", position, _limit(end, shape)), whole, result)
    assert result is not None
    return result


def _limit(end: Size, shape: Any) -> TensorUOp:
    """`end` as a tensor: a constant, or for a symbolic size the number of elements before it."""
    if isinstance(end, int):
        return build.full(shape, end, T.int64)
    count = build.reduce(build.full((end,), 1, T.int64), "add", (0,))
    return build.broadcast(count, shape)
