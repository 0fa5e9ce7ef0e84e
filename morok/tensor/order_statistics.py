"""Order statistics: median, quantile, percentile, and those that skip NaN. Made of sorts, so that gradients go to the elements that decide."""
from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Self, Unpack

import numpy as np

from ..dialect import types as T
from ..errors import BoundsError, DTypeError
from . import build, dtypes
from .arguments import also_named, normal_axis, reduction
from .other_names import OfQuantile, OfReduction
from .sorting import SortingMethods

_CONTINUOUS = {"linear": (1.0, 1.0), "weibull": (0.0, 0.0), "hazen": (0.5, 0.5), "median_unbiased": (1 / 3, 1 / 3), "normal_unbiased": (3 / 8, 3 / 8),
               "interpolated_inverted_cdf": (0.0, 1.0)}
"""alpha and beta of the methods that interpolate: Hyndman and Fan, Sample quantiles in statistical packages, 1996."""
_DISCRETE: dict[str, Callable[[Any], Any]] = {
    "lower": lambda place: place.floor(), "higher": lambda place: place.ceil(), "nearest": lambda place: place.round(),
    "midpoint": lambda place: (place.floor() + place.ceil()) * 0.5,
}
METHODS = (*_CONTINUOUS, *_DISCRETE)


class OrderStatisticsMethods(SortingMethods):
    __slots__ = ()

    @reduction
    def median(self, axis: Any = None, keepdim: bool = False, **other: Unpack[OfReduction]) -> Self:
        """The middle element, or the mean of the two in the middle; over some axes, or all. Integers become floats; NaN where one is NaN or there is none.

        AxisError for an axis that is not there. (PyTorch's median is the lower of the two: `kthvalue`, or quantile with method "lower".)

            Tensor([3, 1, 2, 10]).median()  # 2.5
        """
        return self.quantile(0.5, axis, keepdim)

    @reduction
    def nanmedian(self, axis: Any = None, keepdim: bool = False, **other: Unpack[OfReduction]) -> Self:
        """The median of what isn't NaN; NaN where all is.

            Tensor([3.0, float("nan"), 1.0]).nanmedian()  # 2.0
        """
        return self.nanquantile(0.5, axis, keepdim)

    @also_named(dim="axis", keepdims="keepdim", interpolation="method")
    def quantile(self, q: Any, axis: Any = None, keepdim: bool = False, method: str = "linear", **other: Unpack[OfQuantile]) -> Self:
        """The element that a share q of all lies below, between two neighbours by the method's rule; over some axes, or all.

        The shape of q (a number, list or tensor in [0, 1]) before the remaining axes; integers become floats. NaN where an element is NaN, where there is
        none, and for a q outside of [0, 1] in a tensor; BoundsError for another q outside. Methods are NumPy's with rules that are continuous in q, and
        lower, higher, nearest and midpoint; ValueError for others.

            Tensor([1.0, 2.0, 4.0]).quantile(0.25)  # 1.5
        """
        return self._quantile(q, axis, keepdim, method, skip_nan=False, what="quantile")

    @also_named(dim="axis", keepdims="keepdim", interpolation="method")
    def nanquantile(self, q: Any, axis: Any = None, keepdim: bool = False, method: str = "linear", **other: Unpack[OfQuantile]) -> Self:
        """The quantile of what isn't NaN; NaN where all is. As `quantile` otherwise.

            Tensor([1.0, float("nan"), 2.0]).nanquantile(0.5)  # 1.5
        """
        return self._quantile(q, axis, keepdim, method, skip_nan=True, what="nanquantile")

    @also_named(dim="axis", keepdims="keepdim", interpolation="method")
    def percentile(self, q: Any, axis: Any = None, keepdim: bool = False, method: str = "linear", **other: Unpack[OfQuantile]) -> Self:
        """The quantile at q / 100. As `quantile` otherwise.

            Tensor([1.0, 2.0, 4.0]).percentile(25)  # 1.5
        """
        return self._quantile(q, axis, keepdim, method, skip_nan=False, what="percentile", whole=100)

    @also_named(dim="axis", keepdims="keepdim", interpolation="method")
    def nanpercentile(self, q: Any, axis: Any = None, keepdim: bool = False, method: str = "linear", **other: Unpack[OfQuantile]) -> Self:
        """The nanquantile at q / 100. As `quantile` otherwise.

            Tensor([1.0, float("nan"), 2.0]).nanpercentile(50)  # 1.5
        """
        return self._quantile(q, axis, keepdim, method, skip_nan=True, what="nanpercentile", whole=100)

    def _quantile(self, q: Any, axis: Any, keepdim: bool, method: str, skip_nan: bool, what: str, whole: int = 1) -> Self:
        if method not in METHODS:
            raise ValueError(f"{what}: method must be one of {', '.join(METHODS)}, not {method!r}")
        x = self if self.dtype.is_float else self.cast(dtypes.default_float())
        named = range(self.ndim) if axis is None else axis if isinstance(axis, (tuple, list)) else (axis,)
        axes = tuple(normal_axis(a, self.ndim, what) for a in named)
        others = [a for a in range(self.ndim) if a not in axes]
        last = x.permute(*others, *axes).reshape(*(self.shape[a] for a in others), -1 if 0 not in self.shape else math.prod(self.shape[a] for a in axes))
        share = self._shares(q, what, whole)
        found = _between(last.unsqueeze(0) if last.ndim == 0 else last, share, method, skip_nan)
        if keepdim:
            found = found.reshape(*share.shape, *(1 if a in axes else s for a, s in enumerate(self.shape)))
        return found

    def _shares(self, q: Any, what: str, whole: int) -> Any:
        if isinstance(q, type(self)):
            return q.cast(T.float64) / whole
        given = np.asarray(q)
        if given.dtype.kind not in "iuf":
            raise DTypeError(f"{what}: q must be a number, several, or a tensor, not {q!r}")
        known = given.astype(np.float64)
        if ((known < 0) | (known > whole) | np.isnan(known)).any():
            raise BoundsError(f"{what}: q must lie in [0, {whole}], given {q!r}")
        return type(self)(known / whole, device=self.device)


def _between(x: Any, share: Any, method: str, skip_nan: bool) -> Any:
    """Quantiles of the last axis, shares in front."""
    n, rest = x.shape[-1], x.shape[:-1]
    shape = (*share.shape, *rest)
    nan = x._new(build.full((), math.nan, x.dtype))
    if n == 0 or 0 in shape:
        return nan.broadcast_to(shape)
    ordered = x.sort(-1)
    valid = (~ordered.isnan()).cast(T.int64).sum(-1)
    count = (valid if skip_nan else x._new(build.full(rest, n, T.int64))).cast(T.float64)
    q = share.reshape(*share.shape, *(1,) * len(rest))
    if method in _CONTINUOUS:
        alpha, beta = _CONTINUOUS[method]
        place = count * q + (q * (1 - alpha - beta) + alpha) - 1
        place = ((count - 1) * q if method == "linear" else place).clip(0).minimum(count - 1)
    else:
        place = _DISCRETE[method]((count - 1) * q)
    low = place.floor()
    part = (place - low).cast(x.dtype)
    first, second = (_picked(ordered, p.clip(0).minimum(count - 1).cast(T.int64), shape) for p in (low, place.ceil()))
    step = second - first
    near = (first + step * part).where(part < 0.5, second - step * (1 - part))
    value = first.where(first.eq(second) | part.eq(0), near)
    fails = valid.eq(0) if skip_nan else valid.ne(n)
    return nan.where(fails | (q < 0) | (q > 1) | q.isnan(), value)


def _picked(ordered: Any, place: Any, shape: Any) -> Any:
    """ordered[..., place] for places with further axes in front."""
    places = place.broadcast_to(shape)
    count = math.prod(shape[:len(shape) - ordered.ndim + 1])
    rest = ordered.shape[:-1]
    columns = places.reshape(count, *rest).moveaxis(0, -1)
    return ordered.gather(-1, columns).moveaxis(-1, 0).reshape(*shape)
