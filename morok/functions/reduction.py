"""Reductions along one axis, several or all."""
from __future__ import annotations

from typing import Any, Unpack

from ..tensor.annotations import Axes, DTypeLike
from ..tensor.arguments import reduction
from ..tensor.other_names import OfReduction, OfVariance
from ..tensor.tensor import Tensor
from .operands import tensor_of


@reduction
def sum(x: Any, axis: Axes = None, keepdim: bool = False, dtype: DTypeLike = None, **other: Unpack[OfReduction]) -> Tensor:
    """Sum; bools and integers in 64 bits, 16-bit floats accumulated in float32.

    `x` is a tensor or array-like; `axis` None (all axes), an int or several. Errors are those of Tensor.sum.

        morok.sum([[1.0, 2.0], [3.0, 4.0]], 0)
    """
    return tensor_of(x).sum(axis, keepdim, dtype)


@reduction
def prod(x: Any, axis: Axes = None, keepdim: bool = False, dtype: DTypeLike = None, **other: Unpack[OfReduction]) -> Tensor:
    """Product; bools and integers in 64 bits, 16-bit floats accumulated in float32.

    `x` is a tensor or array-like; `axis` None (all axes), an int or several. Errors are those of Tensor.prod.

        morok.prod([[1.0, 2.0], [3.0, 4.0]], 0)
    """
    return tensor_of(x).prod(axis, keepdim, dtype)


@reduction
def mean(x: Any, axis: Axes = None, keepdim: bool = False, dtype: DTypeLike = None, **other: Unpack[OfReduction]) -> Tensor:
    """Arithmetic mean; of integers and bools as the default float.

    `x` is a tensor or array-like; `axis` None (all axes), an int or several. Errors are those of Tensor.mean.

        morok.mean([[1.0, 2.0], [3.0, 4.0]], 0)
    """
    return tensor_of(x).mean(axis, keepdim, dtype)


@reduction
def max(x: Any, axis: Axes = None, keepdim: bool = False, **other: Unpack[OfReduction]) -> Tensor:
    """The greatest element; NaN if one is.

    `x` is a tensor or array-like; `axis` None (all axes), an int or several. Errors are those of Tensor.max.

        morok.max([[1.0, 2.0], [3.0, 4.0]], 0)
    """
    return tensor_of(x).max(axis, keepdim)


@reduction
def min(x: Any, axis: Axes = None, keepdim: bool = False, **other: Unpack[OfReduction]) -> Tensor:
    """The least element; NaN if one is.

    `x` is a tensor or array-like; `axis` None (all axes), an int or several. Errors are those of Tensor.min.

        morok.min([[1.0, 2.0], [3.0, 4.0]], 0)
    """
    return tensor_of(x).min(axis, keepdim)


@reduction
def amax(x: Any, axis: Axes = None, keepdim: bool = False, **other: Unpack[OfReduction]) -> Tensor:
    """The greatest element; NaN if one is.

    `x` is a tensor or array-like; `axis` None (all axes), an int or several. Errors are those of Tensor.amax.

        morok.amax([[1.0, 2.0], [3.0, 4.0]], 0)
    """
    return tensor_of(x).amax(axis, keepdim)


@reduction
def amin(x: Any, axis: Axes = None, keepdim: bool = False, **other: Unpack[OfReduction]) -> Tensor:
    """The least element; NaN if one is.

    `x` is a tensor or array-like; `axis` None (all axes), an int or several. Errors are those of Tensor.amin.

        morok.amin([[1.0, 2.0], [3.0, 4.0]], 0)
    """
    return tensor_of(x).amin(axis, keepdim)


@reduction
def any(x: Any, axis: Axes = None, keepdim: bool = False, **other: Unpack[OfReduction]) -> Tensor:
    """Whether an element is not 0.

    `x` is a tensor or array-like; `axis` None (all axes), an int or several. Errors are those of Tensor.any.

        morok.any([[1.0, 2.0], [3.0, 4.0]], 0)
    """
    return tensor_of(x).any(axis, keepdim)


@reduction
def all(x: Any, axis: Axes = None, keepdim: bool = False, **other: Unpack[OfReduction]) -> Tensor:
    """Whether every element is not 0.

    `x` is a tensor or array-like; `axis` None (all axes), an int or several. Errors are those of Tensor.all.

        morok.all([[1.0, 2.0], [3.0, 4.0]], 0)
    """
    return tensor_of(x).all(axis, keepdim)


@reduction
def count_nonzero(x: Any, axis: Axes = None, keepdim: bool = False, **other: Unpack[OfReduction]) -> Tensor:
    """How many elements are not 0, as int64.

    `x` is a tensor or array-like; `axis` None (all axes), an int or several. Errors are those of Tensor.count_nonzero.

        morok.count_nonzero([[1.0, 2.0], [3.0, 4.0]], 0)
    """
    return tensor_of(x).count_nonzero(axis, keepdim)


@reduction
def logsumexp(x: Any, axis: Axes = None, keepdim: bool = False, **other: Unpack[OfReduction]) -> Tensor:
    """log(sum(exp(x))) without overflow; -inf where every element is.

    `x` is a tensor or array-like; `axis` None (all axes), an int or several. Errors are those of Tensor.logsumexp.

        morok.logsumexp([[1.0, 2.0], [3.0, 4.0]], 0)
    """
    return tensor_of(x).logsumexp(axis, keepdim)


@reduction
def nansum(x: Any, axis: Axes = None, keepdim: bool = False, **other: Unpack[OfReduction]) -> Tensor:
    """The sum with NaN as 0, along one axis, several or all.

    `x` is a tensor or array-like; `axis` None (all axes), an int or several. Errors are those of Tensor.nansum.

        morok.nansum([[1.0, 2.0], [3.0, 4.0]], 0)
    """
    return tensor_of(x).nansum(axis, keepdim)


@reduction
def nanmean(x: Any, axis: Axes = None, keepdim: bool = False, **other: Unpack[OfReduction]) -> Tensor:
    """The mean of the elements that are not NaN; NaN where there are none.

    `x` is a tensor or array-like; `axis` None (all axes), an int or several. Errors are those of Tensor.nanmean.

        morok.nanmean([[1.0, 2.0], [3.0, 4.0]], 0)
    """
    return tensor_of(x).nanmean(axis, keepdim)


@reduction
def nanmax(x: Any, axis: Axes = None, keepdim: bool = False, **other: Unpack[OfReduction]) -> Tensor:
    """The greatest element that is not NaN; NaN where there is none.

    `x` is a tensor or array-like; `axis` None (all axes), an int or several. Errors are those of Tensor.nanmax.

        morok.nanmax([[1.0, 2.0], [3.0, 4.0]], 0)
    """
    return tensor_of(x).nanmax(axis, keepdim)


@reduction
def nanmin(x: Any, axis: Axes = None, keepdim: bool = False, **other: Unpack[OfReduction]) -> Tensor:
    """The least element that is not NaN; NaN where there is none.

    `x` is a tensor or array-like; `axis` None (all axes), an int or several. Errors are those of Tensor.nanmin.

        morok.nanmin([[1.0, 2.0], [3.0, 4.0]], 0)
    """
    return tensor_of(x).nanmin(axis, keepdim)


@reduction
def ptp(x: Any, axis: Axes = None, keepdim: bool = False, **other: Unpack[OfReduction]) -> Tensor:
    """The greatest element less the least.

    `x` is a tensor or array-like; `axis` None (all axes), an int or several. Errors are those of Tensor.ptp.

        morok.ptp([[1.0, 2.0], [3.0, 4.0]], 0)
    """
    return tensor_of(x).ptp(axis, keepdim)


@reduction
def aminmax(x: Any, axis: Axes = None, keepdim: bool = False, **other: Unpack[OfReduction]) -> tuple[Tensor, ...]:
    """The least and the greatest element.

    `x` is a tensor or array-like; `axis` None (all axes), an int or several. Errors are those of Tensor.aminmax.

        morok.aminmax([[1.0, 2.0], [3.0, 4.0]], 0)
    """
    return tensor_of(x).aminmax(axis, keepdim)


@reduction
def var(x: Any, axis: Axes = None, correction: Any = 1, keepdim: bool = False, **other: Unpack[OfVariance]) -> Tensor:
    """Variance, the sum of squared distances from the mean divided by n - correction (1 as PyTorch, 0 for NumPy's).

    `x` is a tensor or array-like; `axis` None (all axes), an int or several. Errors are those of Tensor.var.

        morok.var([1.0, 3.0])
    """
    return tensor_of(x).var(axis, correction, keepdim)


@reduction
def std(x: Any, axis: Axes = None, correction: Any = 1, keepdim: bool = False, **other: Unpack[OfVariance]) -> Tensor:
    """Standard deviation, the root of var.

    `x` is a tensor or array-like; `axis` None (all axes), an int or several. Errors are those of Tensor.std.

        morok.std([1.0, 3.0])
    """
    return tensor_of(x).std(axis, correction, keepdim)


@reduction
def var_mean(x: Any, axis: Axes = None, correction: Any = 1, keepdim: bool = False, **other: Unpack[OfVariance]) -> tuple[Tensor, ...]:
    """Variance and mean.

    `x` is a tensor or array-like; `axis` None (all axes), an int or several. Errors are those of Tensor.var_mean.

        morok.var_mean([1.0, 3.0])
    """
    return tensor_of(x).var_mean(axis, correction, keepdim)


@reduction
def std_mean(x: Any, axis: Axes = None, correction: Any = 1, keepdim: bool = False, **other: Unpack[OfVariance]) -> tuple[Tensor, ...]:
    """Standard deviation and mean.

    `x` is a tensor or array-like; `axis` None (all axes), an int or several. Errors are those of Tensor.std_mean.

        morok.std_mean([1.0, 3.0])
    """
    return tensor_of(x).std_mean(axis, correction, keepdim)
