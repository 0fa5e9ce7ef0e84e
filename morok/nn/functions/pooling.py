"""Pooling: the greatest element, mean or norm of windows, or of as many bins as are wanted.

Bin i of `n` over an axis of size s goes from floor(i * s / n) to ceil((i + 1) * s / n), so that bins overlap where n does not divide s.
"""
from __future__ import annotations

import math
from typing import Any

from ...dialect import types as T
from ...errors import DTypeError, ShapeError
from ...tensor import build
from ...tensor.arguments import integer, number
from ...tensor.movement import padded
from ...tensor.tensor import Tensor
from ...tensor.windows import windows
from ..arguments import of_tensor

NOWHERE = 2**62
"""Greater than any index."""


@of_tensor
def max_pool1d(input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False,
               return_indices: bool = False) -> Any:
    """The greatest element of each window of the last axis of ((batch,) channels, length); with return_indices also where it is, int64.

        nn.functional.max_pool1d(Tensor([[1.0, 3.0, 2.0, 0.0]]), 2)    # [[3.0, 2.0]]
    """
    return _max_pool(input, kernel_size, stride, padding, dilation, ceil_mode, return_indices, 1)


@of_tensor
def max_pool2d(input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False,
               return_indices: bool = False) -> Any:
    """The greatest element of each window of the last two axes. Padding never wins. With return_indices also its index, int64, in the flattened axes.

        nn.functional.max_pool2d(Tensor([[[1.0, 3.0], [2.0, 0.0]]]), 2)    # [[[3.0]]]
    """
    return _max_pool(input, kernel_size, stride, padding, dilation, ceil_mode, return_indices, 2)


@of_tensor
def max_pool3d(input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False,
               return_indices: bool = False) -> Any:
    """The greatest element of each window of the last three axes; with return_indices also its index in the flattened axes.

        nn.functional.max_pool3d(Tensor([[[[1.0, 3.0], [2.0, 0.0]]]]), (1, 2, 2))    # [[[[3.0]]]]
    """
    return _max_pool(input, kernel_size, stride, padding, dilation, ceil_mode, return_indices, 3)


def _max_pool(x: Tensor, kernel_size: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool, return_indices: bool, count: int) -> Any:
    what = f"max_pool{count}d"
    values = x._max_pool(kernel_size, stride, padding, dilation, ceil_mode, count, what)
    if not return_indices:
        return values
    kernel, steps, apart, pairs = x._pooling(kernel_size, stride, padding, dilation, ceil_mode, count, what)
    around = [(0, 0)] * (x.ndim - count) + pairs
    seen = x._new(windows(padded(x.uop, around, x.dtype.min), kernel, steps, apart, what))
    places = x._new(windows(padded(_places(x, count).uop, pairs, NOWHERE), kernel, steps, apart, what))
    axes = tuple(range(-count, 0))
    best = values.reshape(*values.shape, *(1,) * count)
    return values, places.where(seen.eq(best) | seen.ne(seen), NOWHERE).min(axes)


def _places(x: Tensor, count: int) -> Tensor:
    """The index of each place of the last axes, flattened."""
    space = x._concrete_shape()[-count:]
    return Tensor.arange(math.prod(space), dtype="int64", device=x.device).reshape(*space)


@of_tensor
def avg_pool1d(input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False, count_include_pad: bool = True) -> Tensor:
    """The mean of each window of the last axis of ((batch,) channels, length); padding counts as zeros unless count_include_pad is False.

        nn.functional.avg_pool1d(Tensor([[1.0, 3.0, 2.0, 0.0]]), 2)    # [[2.0, 1.0]]
    """
    return input._avg_pool(kernel_size, stride, padding, ceil_mode, count_include_pad, 1, "avg_pool1d")


@of_tensor
def avg_pool2d(input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False, count_include_pad: bool = True,
               divisor_override: int | None = None) -> Tensor:
    """The mean of each window of the last two axes, or its sum over divisor_override.

        nn.functional.avg_pool2d(Tensor([[[1.0, 3.0], [2.0, 0.0]]]), 2)    # [[[1.5]]]
    """
    return _avg_pool(input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override, 2)


@of_tensor
def avg_pool3d(input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False, count_include_pad: bool = True,
               divisor_override: int | None = None) -> Tensor:
    """The mean of each window of the last three axes, or its sum over divisor_override.

        nn.functional.avg_pool3d(Tensor([[[[1.0, 3.0], [2.0, 0.0]]]]), (1, 2, 2))    # [[[[1.5]]]]
    """
    return _avg_pool(input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override, 3)


def _avg_pool(x: Tensor, kernel_size: Any, stride: Any, padding: Any, ceil_mode: bool, count_include_pad: bool, divisor: Any, count: int) -> Tensor:
    what = f"avg_pool{count}d"
    if divisor is None:
        return x._avg_pool(kernel_size, stride, padding, ceil_mode, count_include_pad, count, what)
    if integer(divisor, f"{what}: divisor_override") == 0:
        raise ValueError(f"{what}: divisor_override must not be 0")
    kernel, steps, apart, pairs = x._pooling(kernel_size, stride, padding, 1, ceil_mode, count, what)
    wide = x._computing()
    seen = windows(padded(wide.uop, [(0, 0)] * (x.ndim - count) + pairs), kernel, steps, apart, what)
    sums = wide._new(build.reduce(seen, "add", tuple(range(x.ndim, x.ndim + count))))
    return (sums / divisor)._rounded(x.dtype)


@of_tensor
def lp_pool1d(input: Tensor, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False) -> Tensor:
    """The root of order norm_type of the sum of x ** norm_type over each window of the last axis.

        nn.functional.lp_pool1d(Tensor([[3.0, 4.0]]), 2, 2)    # [[5.0]]
    """
    return _lp_pool(input, norm_type, kernel_size, stride, ceil_mode, 1)


@of_tensor
def lp_pool2d(input: Tensor, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False) -> Tensor:
    """The root of order norm_type of the sum of x ** norm_type over each window of the last two axes.

        nn.functional.lp_pool2d(Tensor([[[3.0, 4.0]]]), 2, (1, 2))    # [[[5.0]]]
    """
    return _lp_pool(input, norm_type, kernel_size, stride, ceil_mode, 2)


@of_tensor
def lp_pool3d(input: Tensor, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False) -> Tensor:
    """The root of order norm_type of the sum of x ** norm_type over each window of the last three axes.

        nn.functional.lp_pool3d(Tensor([[[[3.0, 4.0]]]]), 2, (1, 1, 2))    # [[[[5.0]]]]
    """
    return _lp_pool(input, norm_type, kernel_size, stride, ceil_mode, 3)


def _lp_pool(x: Tensor, norm_type: float, kernel_size: Any, stride: Any, ceil_mode: bool, count: int) -> Tensor:
    if not number(norm_type, f"lp_pool{count}d: norm_type") > 0:
        raise ValueError(f"lp_pool{count}d: norm_type must be positive, given {norm_type}")
    wide = x._computing()
    kernel, *_ = x._pooling(kernel_size, stride, 0, 1, ceil_mode, count, f"lp_pool{count}d")
    sums = (wide ** norm_type)._avg_pool(kernel_size, stride, 0, ceil_mode, True, count, f"lp_pool{count}d") * math.prod(kernel)
    return (sums.maximum(0.0) ** (1 / norm_type))._rounded(x.dtype)


# As many windows as are wanted

@of_tensor
def adaptive_avg_pool1d(input: Tensor, output_size: Any) -> Tensor:
    """The means of output_size bins of the last axis.

        nn.functional.adaptive_avg_pool1d(Tensor([[1.0, 2.0, 3.0]]), 2)    # [[1.5, 2.5]]
    """
    return _adaptive_avg(input, output_size, 1)


@of_tensor
def adaptive_avg_pool2d(input: Tensor, output_size: Any) -> Tensor:
    """The means of bins of the last two axes; a None in output_size keeps an axis.

        nn.functional.adaptive_avg_pool2d(Tensor([[[1.0, 3.0], [2.0, 0.0]]]), (None, 1))    # [[[2.0], [1.0]]]
    """
    return _adaptive_avg(input, output_size, 2)


@of_tensor
def adaptive_avg_pool3d(input: Tensor, output_size: Any) -> Tensor:
    """The means of bins of the last three axes.

        nn.functional.adaptive_avg_pool3d(Tensor([[[[1.0, 3.0], [2.0, 0.0]]]]), 1)    # [[[[1.5]]]]
    """
    return _adaptive_avg(input, output_size, 3)


@of_tensor
def adaptive_max_pool1d(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    """The greatest elements of output_size bins of the last axis; with return_indices also where they are, int64.

        nn.functional.adaptive_max_pool1d(Tensor([[1.0, 2.0, 3.0]]), 2)    # [[2.0, 3.0]]
    """
    return _adaptive_max(input, output_size, return_indices, 1)


@of_tensor
def adaptive_max_pool2d(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    """The greatest elements of bins of the last two axes; with return_indices also their indices in the flattened axes.

        nn.functional.adaptive_max_pool2d(Tensor([[[1.0, 3.0], [2.0, 0.0]]]), 1)    # [[[3.0]]]
    """
    return _adaptive_max(input, output_size, return_indices, 2)


@of_tensor
def adaptive_max_pool3d(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    """The greatest elements of bins of the last three axes; with return_indices also their indices in the flattened axes.

        nn.functional.adaptive_max_pool3d(Tensor([[[[1.0, 3.0], [2.0, 0.0]]]]), 1)    # [[[[3.0]]]]
    """
    return _adaptive_max(input, output_size, return_indices, 3)


def _wanted(x: Tensor, output_size: Any, count: int, what: str) -> list[int]:
    given = output_size if isinstance(output_size, (tuple, list)) else (output_size,) * count
    if len(given) != count:
        raise ShapeError(f"{what}: output_size is one int or {count}, given {output_size}")
    if x.ndim not in (count + 1, count + 2):
        raise ShapeError(f"{what}: needs an input of {count + 1} or {count + 2} axes, (batch,) channels, ..., given shape {x.shape}")
    space = x._concrete_shape()[-count:]
    sizes = [s if n is None else integer(n, f"{what}: output_size") for n, s in zip(given, space)]
    if min(sizes) < 0 or min(space) < 1:
        raise ShapeError(f"{what}: sizes must not be negative and the input not empty, given output_size {output_size} and shape {x.shape}")
    return sizes


def _bins(size: int, count: int) -> tuple[list[int], list[int]]:
    return [i * size // count for i in range(count)], [-(-(i + 1) * size // count) for i in range(count)]


def _apart(t: Tensor, axis: int, count: int, other: Any) -> tuple[Tensor, Any]:
    """The axis as two, bins and their elements, `other` at places of no concern; and how many elements a bin has, along the new axes."""
    size = t._concrete_shape()[axis]
    shape = t.shape
    if count and size % count == 0:
        return t.reshape(*shape[:axis], count, size // count, *shape[axis + 1:]), size // count
    begins, ends = (Tensor(b, dtype="int64", device=t.device) for b in _bins(size, count))
    place = Tensor.arange(size, dtype="int64", device=t.device)
    inside = (place >= begins.unsqueeze(1)) & (place < ends.unsqueeze(1))
    rest = (1,) * (t.ndim - axis - 1)
    apart = t.unsqueeze(axis).where(inside.reshape(count, size, *rest), other)
    return apart, (ends - begins).reshape(count, *rest)


def _adaptive_avg(x: Tensor, output_size: Any, count: int) -> Tensor:
    sizes = _wanted(x, output_size, count, f"adaptive_avg_pool{count}d")
    t = x._computing()
    for a, n in enumerate(sizes):
        axis = x.ndim - count + a
        if n != t.shape[axis]:
            apart, number = _apart(t, axis, n, 0.0)
            t = apart.sum(axis + 1) / (number if isinstance(number, int) else number.cast(t.dtype))
    return t._rounded(x.dtype)


def _adaptive_max(x: Tensor, output_size: Any, return_indices: bool, count: int) -> Any:
    what = f"adaptive_max_pool{count}d"
    sizes = _wanted(x, output_size, count, what)
    if x.dtype is T.bool_:
        raise DTypeError(f"{what}: takes numbers, not bools")
    values = x
    places = _places(x, count).broadcast_to(x.shape) if return_indices else None
    for a, n in enumerate(sizes):
        axis = x.ndim - count + a
        if n == values.shape[axis]:
            continue
        apart, _ = _apart(values, axis, n, x.dtype.min)
        values = apart.max(axis + 1).contiguous()
        if places is not None:
            there, _ = _apart(places, axis, n, NOWHERE)
            places = there.where(apart.eq(values.unsqueeze(axis + 1)) | apart.ne(apart), NOWHERE).min(axis + 1).contiguous()
    return values if places is None else (values, places)
