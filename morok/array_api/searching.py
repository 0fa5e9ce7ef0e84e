"""The standard's functions that find elements, and those that pick them."""
from __future__ import annotations

from typing import Any, NamedTuple

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


def searchsorted(x1: Any, x2: Any, /, *, side: str = "left", sorter: Any = None) -> Tensor:
    """Where x2's elements would be inserted into x1 (one axis, sorted) to keep it in order, as int64."""
    table, values = tensor(x1, "searchsorted"), tensor(x2, "searchsorted")
    if table.ndim != 1:
        raise ShapeError(f"searchsorted: x1 must have one axis, not the shape {table.shape}")
    return table.searchsorted(values, side, sorter)


def argsort(x: Any, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Tensor:
    """Where the elements come from in order along an axis, as int64; always stable, NaN greatest."""
    return tensor(x, "argsort").argsort(axis, descending, stable)


def sort(x: Any, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Tensor:
    """The elements in order along an axis; always stable, NaN greatest."""
    return tensor(x, "sort").sort(axis, descending, stable)


class UniqueAll(NamedTuple):
    """What unique_all gives."""

    values: Tensor
    indices: Tensor
    inverse_indices: Tensor
    counts: Tensor


class UniqueCounts(NamedTuple):
    """What unique_counts gives."""

    values: Tensor
    counts: Tensor


class UniqueInverse(NamedTuple):
    """What unique_inverse gives."""

    values: Tensor
    inverse_indices: Tensor


def unique_all(x: Any, /) -> UniqueAll:
    """The distinct elements in order, each NaN its own, with first indices, inverse and counts."""
    return UniqueAll(*tensor(x, "unique_all").unique(True, True, True, equal_nan=False))


def unique_counts(x: Any, /) -> UniqueCounts:
    """The distinct elements in order, each NaN its own, and how often each occurs."""
    return UniqueCounts(*tensor(x, "unique_counts").unique(return_counts=True, equal_nan=False))


def unique_inverse(x: Any, /) -> UniqueInverse:
    """The distinct elements in order, each NaN its own, and each element's index among them."""
    return UniqueInverse(*tensor(x, "unique_inverse").unique(return_inverse=True, equal_nan=False))


def unique_values(x: Any, /) -> Tensor:
    """The distinct elements in order, each NaN its own."""
    return tensor(x, "unique_values").unique(equal_nan=False)
