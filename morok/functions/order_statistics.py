"""Medians and quantiles, and running sums and extremes."""
from __future__ import annotations

from typing import Any, Unpack

from ..tensor.arguments import also_named, reduction
from ..tensor.other_names import OfQuantile, OfReduction, OneDim
from ..tensor.tensor import Tensor
from .operands import tensor_of


@reduction
def median(x: Any, axis: Any = None, keepdim: bool = False, **other: Unpack[OfReduction]) -> Tensor:
    """The middle element, or the mean of the two in the middle, over some axes or all; integers become floats, NaN where one is.

    `x` is a tensor or array-like of any shape. Errors are those of Tensor.median.

        morok.median([3, 1, 2, 10])  # 2.5
    """
    return tensor_of(x).median(axis, keepdim)


@reduction
def nanmedian(x: Any, axis: Any = None, keepdim: bool = False, **other: Unpack[OfReduction]) -> Tensor:
    """The median of what isn't NaN, over some axes or all; integers become floats.

    `x` is a tensor or array-like of any shape. Errors are those of Tensor.nanmedian.

        morok.nanmedian([3.0, float("nan"), 1.0])  # 2.0
    """
    return tensor_of(x).nanmedian(axis, keepdim)


@also_named(dim="axis", keepdims="keepdim", interpolation="method")
def quantile(x: Any, q: Any, axis: Any = None, keepdim: bool = False, method: str = "linear", **other: Unpack[OfQuantile]) -> Tensor:
    """The element that a share q of all lies below, between two neighbours by the method's rule; integers become floats.

    `x` is a tensor or array-like; the shape of q before the remaining axes. Errors are those of Tensor.quantile.

        morok.quantile([1.0, 2.0, 4.0], 0.25)  # 1.5
    """
    return tensor_of(x).quantile(q, axis, keepdim, method)


@also_named(dim="axis", keepdims="keepdim", interpolation="method")
def nanquantile(x: Any, q: Any, axis: Any = None, keepdim: bool = False, method: str = "linear", **other: Unpack[OfQuantile]) -> Tensor:
    """The quantile of what isn't NaN; integers become floats.

    `x` is a tensor or array-like; the shape of q before the remaining axes. Errors are those of Tensor.quantile.

        morok.nanquantile([1.0, float("nan"), 2.0], 0.5)  # 1.5
    """
    return tensor_of(x).nanquantile(q, axis, keepdim, method)


@also_named(dim="axis", keepdims="keepdim", interpolation="method")
def percentile(x: Any, q: Any, axis: Any = None, keepdim: bool = False, method: str = "linear", **other: Unpack[OfQuantile]) -> Tensor:
    """The quantile at q / 100; integers become floats.

    `x` is a tensor or array-like; the shape of q before the remaining axes. Errors are those of Tensor.quantile.

        morok.percentile([1.0, 2.0, 4.0], 25)  # 1.5
    """
    return tensor_of(x).percentile(q, axis, keepdim, method)


@also_named(dim="axis", keepdims="keepdim", interpolation="method")
def nanpercentile(x: Any, q: Any, axis: Any = None, keepdim: bool = False, method: str = "linear", **other: Unpack[OfQuantile]) -> Tensor:
    """The nanquantile at q / 100; integers become floats.

    `x` is a tensor or array-like; the shape of q before the remaining axes. Errors are those of Tensor.quantile.

        morok.nanpercentile([1.0, float("nan"), 2.0], 50)  # 1.5
    """
    return tensor_of(x).nanpercentile(q, axis, keepdim, method)


@also_named(dim="axis")
def cumsum(x: Any, axis: int | None = None, **other: Unpack[OneDim]) -> Tensor:
    """Sums of all elements up to each along an axis (of the flattened tensor by default); bool and integers in 64 bits.

    `x` is a tensor or array-like; the same shape. Errors are those of Tensor.cumsum.

        morok.cumsum([1, 2, 3])  # [1, 3, 6]
    """
    return tensor_of(x).cumsum(axis)


@also_named(dim="axis")
def cumprod(x: Any, axis: int | None = None, **other: Unpack[OneDim]) -> Tensor:
    """Products of all elements up to each along an axis (of the flattened tensor by default); bool and integers in 64 bits.

    `x` is a tensor or array-like; the same shape. Errors are those of Tensor.cumprod.

        morok.cumprod([2, 3, 4])  # [2, 6, 24]
    """
    return tensor_of(x).cumprod(axis)


@also_named(dim="axis")
def cummax(x: Any, axis: int | None = None, **other: Unpack[OneDim]) -> Tensor:
    """The greatest of all elements up to each along an axis (of the flattened tensor by default).

    `x` is a tensor or array-like; the same shape and dtype. Errors are those of Tensor.cummax.

        morok.cummax([1, 3, 2])  # [1, 3, 3]
    """
    return tensor_of(x).cummax(axis)


@also_named(dim="axis")
def cummin(x: Any, axis: int | None = None, **other: Unpack[OneDim]) -> Tensor:
    """The least of all elements up to each along an axis (of the flattened tensor by default).

    `x` is a tensor or array-like; the same shape and dtype. Errors are those of Tensor.cummin.

        morok.cummin([2, 3, 1])  # [2, 2, 1]
    """
    return tensor_of(x).cummin(axis)


@also_named(dim="axis")
def logcumsumexp(x: Any, axis: int | None = None, **other: Unpack[OneDim]) -> Tensor:
    """The logarithm of the sum of the exponentials of all elements up to each along an axis (of the flattened tensor by default).

    `x` is a tensor or array-like; the same shape; integers become floats. Errors are those of Tensor.logcumsumexp.

        morok.logcumsumexp([0.0, 0.0])[0]  # 0.0
    """
    return tensor_of(x).logcumsumexp(axis)
