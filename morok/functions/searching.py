"""Where something is, and choice by a condition."""
from __future__ import annotations

from typing import Any, Unpack, overload

from ..tensor.arguments import also_named, reduction
from ..tensor.other_names import AxisKeepdims, OfReduction, OneAxis, OneDim
from ..tensor.tensor import Tensor
from .operands import pair, tensor_of

_NOTHING: Any = object()
"""Of an argument that is not given."""


@reduction
def argmax(x: Any, axis: int | None = None, keepdim: bool = False, **other: Unpack[OfReduction]) -> Tensor:
    """Where the first greatest element is (the first NaN, if there is one), as int64; over the flattened tensor by default.

    `x` is a tensor or array-like; int64 result. Errors are those of Tensor.argmax.

        morok.argmax([1.0, 3.0])
    """
    return tensor_of(x).argmax(axis, keepdim)


@reduction
def argmin(x: Any, axis: int | None = None, keepdim: bool = False, **other: Unpack[OfReduction]) -> Tensor:
    """Where the first least element is (the first NaN, if there is one), as int64; over the flattened tensor by default.

    `x` is a tensor or array-like; int64 result. Errors are those of Tensor.argmin.

        morok.argmin([1.0, 3.0])
    """
    return tensor_of(x).argmin(axis, keepdim)


@overload
def where(condition: Any, x: Any, y: Any) -> Tensor: ...


@overload
def where(condition: Any) -> tuple[Tensor, ...]: ...


def where(condition: Any, x: Any = _NOTHING, y: Any = _NOTHING) -> Any:
    """`x` where the bool condition holds, else `y`; tensors, array-likes or numbers, all broadcast, of the promoted dtype. With the condition alone where it
    is not 0, as `nonzero`: a tensor of indices for each axis.

    DTypeError for a condition that is not bool, ShapeError for shapes that do not broadcast, TypeError for one of x and y without the other.

        morok.where([True, False], 1.0, 2.0)  # [1.0, 2.0]
    """
    if x is _NOTHING and y is _NOTHING:
        return tensor_of(condition).nonzero()
    if x is _NOTHING or y is _NOTHING:
        raise TypeError("where: takes a condition with both of x and y, or alone; given one of them")
    first, second = pair(x, y, "where")
    return first.where(tensor_of(condition), second)


@also_named(dim="axis")
def sort(x: Any, axis: int | None = -1, descending: bool = False, stable: bool = True, **other: Unpack[OneDim]) -> Tensor:
    """The elements in order along an axis (of the flattened tensor for None); NaN is greatest, equal elements stay in their order.

    `x` is a tensor or array-like; the same shape and dtype. Errors are those of Tensor.sort.

        morok.sort([3, 1, 2])  # [1, 2, 3]
    """
    return tensor_of(x).sort(axis, descending, stable)


@also_named(dim="axis")
def argsort(x: Any, axis: int | None = -1, descending: bool = False, stable: bool = True, **other: Unpack[OneDim]) -> Tensor:
    """Where the elements come from in order along an axis (of the flattened tensor for None), as int64; equal elements stay in their order.

    `x` is a tensor or array-like; the same shape. Errors are those of Tensor.argsort.

        morok.argsort([3, 1, 2])  # [1, 2, 0]
    """
    return tensor_of(x).argsort(axis, descending, stable)


@also_named(axis="dim")
def topk(x: Any, k: int, dim: int = -1, largest: bool = True, sorted: bool = True, **other: Unpack[OneAxis]) -> tuple[Tensor, ...]:
    """The k greatest elements along an axis (or least), in order, and where they are (int64).

    `x` is a tensor or array-like; k takes the place of the axis's size. Errors are those of Tensor.topk.

        morok.topk([3.0, 1.0, 2.0], 2)[0]  # [3.0, 2.0]
    """
    return tensor_of(x).topk(k, dim, largest, sorted)


@also_named(axis="dim", keepdims="keepdim")
def kthvalue(x: Any, k: int, dim: int = -1, keepdim: bool = False, **other: Unpack[AxisKeepdims]) -> tuple[Tensor, ...]:
    """The k-th least element along an axis, counted from 1, and where it is (int64).

    `x` is a tensor or array-like; the axis goes. Errors are those of Tensor.kthvalue.

        morok.kthvalue([3.0, 1.0, 2.0], 2)[0]  # 2.0
    """
    return tensor_of(x).kthvalue(k, dim, keepdim)


def searchsorted(x: Any, values: Any, side: str = "left", sorter: Any = None, right: bool | None = None) -> Tensor:
    """Where values would be inserted into the sorted `x` to keep it in order, as int64: before equal elements, or behind them for side "right".

    `x` is a tensor or array-like of one axis, or of those of `values` but for the last. Errors are those of Tensor.searchsorted.

        morok.searchsorted([1, 3, 5], [3, 4])  # [1, 2]
    """
    return tensor_of(x).searchsorted(values, side, sorter, right)


def bucketize(x: Any, boundaries: Any, right: bool = False) -> Tensor:
    """The bucket of each element between sorted boundaries, as int64: bucket i is (boundaries[i - 1], boundaries[i]], or [.., ..) with `right`.

    `x` is a tensor or array-like; the same shape. Errors are those of Tensor.bucketize.

        morok.bucketize([0.5, 2.0], [1.0, 2.0])  # [0, 1]
    """
    return tensor_of(x).bucketize(boundaries, right)


def digitize(x: Any, bins: Any, right: bool = False) -> Tensor:
    """NumPy's bucketize for increasing bins, as int64: bucket i is [bins[i - 1], bins[i]), or (.., ..] with `right`.

    `x` is a tensor or array-like; the same shape. ShapeError for bins of several axes.

        morok.digitize([0.5, 2.0], [1.0, 2.0])  # [0, 2]
    """
    return tensor_of(x).bucketize(bins, not right)


def isin(x: Any, elements: Any, invert: bool = False) -> Tensor:
    """Whether each element is among `elements`, as bool; NaN is in nothing.

    Tensors or array-likes of any shapes; the shape of `x`.

        morok.isin([1, 2, 3], [3, 1])  # [True, False, True]
    """
    return tensor_of(x).isin(elements, invert)


@also_named(dim="axis")
def unique(x: Any, return_index: bool = False, return_inverse: bool = False, return_counts: bool = False, axis: int | None = None, equal_nan: bool = True,
           size: int | None = None, fill_value: Any = None, **other: Unpack[OneDim]) -> Any:
    """The distinct elements of the flattened tensor in order, or the distinct slices along an axis; as asked, the first index of each, the inverse and how
    often each occurs, all int64.

    `x` is a tensor or array-like of any shape. Their number is computed at once, unless `size` is given. Errors are those of Tensor.unique.

        morok.unique([3, 1, 3])  # [1, 3]
    """
    return tensor_of(x).unique(return_index, return_inverse, return_counts, axis, equal_nan, size, fill_value)
