"""Elements picked by indices and masks, and put where they say. All but put_along_axis give new tensors."""
from __future__ import annotations

from typing import Any, Unpack

from ..errors import DTypeError
from ..tensor.arguments import also_named
from ..tensor.other_names import OneAxis, OneDim
from ..tensor.tensor import Tensor
from .operands import tensor_of


@also_named(dim="axis")
def take(x: Any, indices: Any, axis: int | None = None, mode: str = "raise", **other: Unpack[OneDim]) -> Tensor:
    """Elements at the indices along an axis, or of the flattened tensor, as NumPy's.

    `x` and the indices are tensors or array-likes of any shape. Errors are those of Tensor.take.

        morok.take([10, 20, 30], [2, 0])  # [30, 10]
    """
    return tensor_of(x).take(indices, axis, mode)


@also_named(dim="axis")
def take_along_axis(x: Any, indices: Any, axis: int | None = -1, **other: Unpack[OneDim]) -> Tensor:
    """Element [i, j, ...] is x at [i, indices[i, j, ...], ...] for axis 1, and so on; the other axes broadcast. NumPy's and the array API's.

    `x` and the indices are tensors or array-likes of as many axes. Errors are those of Tensor.take_along_axis.

        morok.take_along_axis([[10, 20], [30, 40]], [[1], [0]], 1)  # [[20], [30]]
    """
    return tensor_of(x).take_along_axis(indices, axis)


@also_named(axis="dim")
def take_along_dim(x: Any, indices: Any, dim: int | None = None, **other: Unpack[OneAxis]) -> Tensor:
    """PyTorch's name of take_along_axis; of the flattened tensor by default.

    `x` and the indices are tensors or array-likes of as many axes. Errors are those of Tensor.take_along_axis.

        morok.take_along_dim([[10, 20], [30, 40]], [[1], [0]], 1)  # [[20], [30]]
    """
    return tensor_of(x).take_along_axis(indices, dim)


@also_named(axis="dim")
def gather(x: Any, dim: int, index: Any, **other: Unpack[OneAxis]) -> Tensor:
    """PyTorch's: element [i, j, ...] is x at [i, index[i, j, ...], ...] for dim 1, and so on.

    `x` and the index are tensors or array-likes of as many axes. Errors are those of Tensor.gather.

        morok.gather([[10, 20], [30, 40]], 1, [[1], [0]])  # [[20], [30]]
    """
    return tensor_of(x).gather(dim, index)


@also_named(axis="dim")
def index_select(x: Any, dim: int, index: Any, **other: Unpack[OneAxis]) -> Tensor:
    """PyTorch's take along an axis.

    `x` and the index are tensors or array-likes. Errors are those of Tensor.take.

        morok.index_select([[10, 20], [30, 40]], 1, [1])  # [[20], [40]]
    """
    return tensor_of(x).index_select(dim, index)


def masked_select(x: Any, mask: Any) -> Tensor:
    """The elements where the mask holds, on one axis. How many there are is computed at once.

    `x` and the mask are tensors or array-likes that broadcast. Errors are those of Tensor.masked_select.

        morok.masked_select([1, 2, 3], [True, False, True])  # [1, 3]
    """
    return tensor_of(x).masked_select(mask)


@also_named(dim="axis")
def compress(condition: Any, x: Any, axis: int | None = None, **other: Unpack[OneDim]) -> Tensor:
    """The slices along an axis (elements of the flattened tensor by default) where a condition on one axis holds, as NumPy's.

    `x` and the condition are tensors or array-likes. Errors are those of Tensor.compress.

        morok.compress([False, True], [[1, 2], [3, 4]], 0)  # [[3, 4]]
    """
    return tensor_of(x).compress(condition, axis)


def extract(condition: Any, x: Any) -> Tensor:
    """The elements where the condition, of as many elements, is not 0, on one axis, as NumPy's.

    `x` and the condition are tensors or array-likes. Errors are those of Tensor.compress.

        morok.extract([True, False, True], [1, 2, 3])  # [1, 3]
    """
    return tensor_of(x).extract(condition)


def nonzero(x: Any, as_tuple: bool = True) -> Any:
    """Where the elements are not 0: for each axis their indices, as NumPy's and the array API's; PyTorch's matrix without `as_tuple`.

    `x` is a tensor or array-like of at least one axis. How many elements there are is computed at once. Errors are those of Tensor.nonzero.

        morok.nonzero([0, 5, 7])[0]  # [1, 2]
    """
    return tensor_of(x).nonzero(as_tuple)


def argwhere(x: Any) -> Tensor:
    """Where the elements are not 0: a row of indices for each, as int64.

    `x` is a tensor or array-like of any shape. Errors are those of Tensor.argwhere.

        morok.argwhere([0, 5, 7])  # [[1], [2]]
    """
    return tensor_of(x).argwhere()


def flatnonzero(x: Any) -> Tensor:
    """Where the elements of the flattened tensor are not 0, as int64 on one axis.

    `x` is a tensor or array-like of any shape. Errors are those of Tensor.flatnonzero.

        morok.flatnonzero([[0, 5], [7, 0]])  # [1, 2]
    """
    return tensor_of(x).flatnonzero()


@also_named(axis="dim")
def scatter(x: Any, dim: int, index: Any, src: Any, reduce: str | None = None, **other: Unpack[OneAxis]) -> Tensor:
    """x with src[i, j, ...] at [i, index[i, j, ...], ...] for dim 1, and so on; `reduce` "add" or "multiply" combines instead.

    `x`, the index and `src` are tensors or array-likes of as many axes, `src` also a number. Errors are those of Tensor.scatter.

        morok.scatter([0, 0, 0], 0, [2, 0], [5, 6])  # [6, 0, 5]
    """
    return tensor_of(x).scatter(dim, index, src, reduce)


@also_named(axis="dim")
def scatter_add(x: Any, dim: int, index: Any, src: Any, **other: Unpack[OneAxis]) -> Tensor:
    """x with src[i, j, ...] added at [i, index[i, j, ...], ...] for dim 1, and so on.

    `x`, the index and `src` are tensors or array-likes of as many axes. Errors are those of Tensor.scatter.

        morok.scatter_add([1, 1], 0, [0, 0], [5, 6])  # [12, 1]
    """
    return tensor_of(x).scatter_add(dim, index, src)


@also_named(axis="dim")
def scatter_reduce(x: Any, dim: int, index: Any, src: Any, reduce: str, include_self: bool = True, **other: Unpack[OneAxis]) -> Tensor:
    """x with src[i, j, ...] combined at [i, index[i, j, ...], ...] for dim 1, and so on: `reduce` is "sum", "prod", "mean", "amax" or "amin".

    `x`, the index and `src` are tensors or array-likes of as many axes. Errors are those of Tensor.scatter_reduce.

        morok.scatter_reduce([1, 9], 0, [0, 0], [5, 3], "amax")  # [5, 9]
    """
    return tensor_of(x).scatter_reduce(dim, index, src, reduce, include_self)


@also_named(axis="dim")
def index_add(x: Any, dim: int, index: Any, source: Any, alpha: float = 1, **other: Unpack[OneAxis]) -> Tensor:
    """x with alpha times the slices of `source` along `dim` added at the indices.

    `x`, the index and `source` are tensors or array-likes. Errors are those of Tensor.index_add.

        morok.index_add([1, 1], 0, [1, 1], [5, 6])  # [1, 12]
    """
    return tensor_of(x).index_add(dim, index, source, alpha)


@also_named(axis="dim")
def index_copy(x: Any, dim: int, index: Any, source: Any, **other: Unpack[OneAxis]) -> Tensor:
    """x with the slices of `source` along `dim` at the indices.

    `x`, the index and `source` are tensors or array-likes. Errors are those of Tensor.index_add.

        morok.index_copy([1, 2, 3], 0, [2, 0], [8, 9])  # [9, 2, 8]
    """
    return tensor_of(x).index_copy(dim, index, source)


@also_named(axis="dim")
def index_fill(x: Any, dim: int, index: Any, value: Any, **other: Unpack[OneAxis]) -> Tensor:
    """x with the number in all slices along `dim` at the indices.

    `x` and the index are tensors or array-likes. Errors are those of Tensor.index_fill.

        morok.index_fill([1, 2, 3], 0, [0, 2], 7)  # [7, 2, 7]
    """
    return tensor_of(x).index_fill(dim, index, value)


@also_named(axis="dim")
def index_reduce(x: Any, dim: int, index: Any, source: Any, reduce: str, include_self: bool = True, **other: Unpack[OneAxis]) -> Tensor:
    """x with the slices of `source` along `dim` combined at the indices: `reduce` is "sum", "prod", "mean", "amax" or "amin".

    `x`, the index and `source` are tensors or array-likes. Errors are those of Tensor.index_reduce.

        morok.index_reduce([4, 1], 0, [0, 0], [5, 6], "mean")  # [5, 1]
    """
    return tensor_of(x).index_reduce(dim, index, source, reduce, include_self)


def index_put(x: Any, indices: Any, values: Any, accumulate: bool = False) -> Tensor:
    """x with the values at x[indices], a tuple of integer or bool tensors; `accumulate` adds them, all of equal indices too.

    `x`, the indices and the values are tensors or array-likes. Errors are those of Tensor.index_put.

        morok.index_put([1, 1], ([0, 0],), [5, 6], accumulate=True)  # [12, 1]
    """
    return tensor_of(x).index_put(indices, values, accumulate)


@also_named(axis="dim")
def select_scatter(x: Any, src: Any, dim: int, index: int, **other: Unpack[OneAxis]) -> Tensor:
    """x with `src` as the slice at an index of a dim.

    `x` and `src` are tensors or array-likes. Errors are those of Tensor.select_scatter.

        morok.select_scatter([[1, 2], [3, 4]], [8, 9], 1, 0)  # [[8, 2], [9, 4]]
    """
    return tensor_of(x).select_scatter(src, dim, index)


@also_named(axis="dim")
def slice_scatter(x: Any, src: Any, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1, **other: Unpack[OneAxis]) -> Tensor:
    """x with `src` in a slice along a dim.

    `x` and `src` are tensors or array-likes. Errors are those of Tensor.slice_scatter.

        morok.slice_scatter([1, 2, 3, 4], [8, 9], 0, 1, None, 2)  # [1, 8, 3, 9]
    """
    return tensor_of(x).slice_scatter(src, dim, start, end, step)


def masked_fill(x: Any, mask: Any, value: Any) -> Tensor:
    """`value` where the mask holds, else x; the dtype stays.

    `x` and the mask are tensors or array-likes that broadcast. Errors are those of Tensor.masked_fill.

        morok.masked_fill([1, 2, 3], [True, False, True], 0)  # [0, 2, 0]
    """
    return tensor_of(x).masked_fill(mask, value)


def masked_scatter(x: Any, mask: Any, source: Any) -> Tensor:
    """x with the elements of `source`, one after the other, where the mask holds.

    `x`, the mask and `source` are tensors or array-likes. Errors are those of Tensor.masked_scatter.

        morok.masked_scatter([1, 2, 3], [True, False, True], [8, 9])  # [8, 2, 9]
    """
    return tensor_of(x).masked_scatter(mask, source)


@also_named(dim="axis")
def put_along_axis(x: Tensor, indices: Any, values: Any, axis: int | None, **other: Unpack[OneDim]) -> None:
    """NumPy's: writes, in place, values[i, j, ...] to x at [i, indices[i, j, ...], ...] for axis 1, and so on.

    `x` is a tensor, the others are tensors or array-likes. Errors are those of Tensor.put_along_axis.

        morok.put_along_axis(morok.zeros(3), [1], 5, 0)
    """
    if not isinstance(x, Tensor):
        raise DTypeError(f"put_along_axis: writes to a Tensor, not to {type(x).__name__}")
    x.put_along_axis(indices, values, axis)
