"""Statistics made of reductions: weighted means, covariance, integrals of samples, and reductions that skip NaN."""
from __future__ import annotations

from typing import Any, Self, Unpack

from ..dialect import types as T
from ..errors import DTypeError, ShapeError
from . import dtypes
from .arguments import also_named, normal_axes, normal_axis, number, reduction
from .arrangement import ArrangementMethods
from .other_names import Ddof, OfReduction, OfVariance, OneDim


class StatisticsMethods(ArrangementMethods):
    __slots__ = ()

    @reduction
    def average(self, axis: Any = None, weights: Any = None, returned: bool = False, keepdim: bool = False, **other: Unpack[OfReduction]) -> Any:
        """The mean, with weights sum(x * weights) / sum(weights); `returned` gives the sum of the weights too.

        `axis` is None (all axes), an int or several; weights have this shape, or are a vector for one axis. Bool and integers as the default float.
        ShapeError for weights of another shape.

            Tensor([1.0, 4.0]).average(weights=Tensor([2.0, 1.0])).item()  # 2.0
        """
        x = self._floating()
        if weights is None:
            mean = x.mean(axis, keepdim)
            return (mean, x.ones_like().sum(axis, keepdim)) if returned else mean
        w = self._left(weights, "average")
        if w.shape != x.shape:
            if w.ndim != 1 or axis is None or isinstance(axis, (tuple, list)) or w.shape[0] != x.shape[normal_axis(axis, x.ndim, "average")]:
                raise ShapeError(f"average: weights of shape {w.shape} for a tensor of shape {x.shape}; they must have its shape, or be a vector for one axis")
            w = w.reshape([-1 if a == normal_axis(axis, x.ndim, "average") else 1 for a in range(x.ndim)])._broadcast(x.shape, "average")
        w = w.cast(x.dtype) if not w.dtype.is_float else w
        total = w.sum(axis, keepdim)
        mean = x.mul(w).sum(axis, keepdim) / total
        return (mean, total) if returned else mean

    # Without NaN

    @reduction
    def nanprod(self, axis: Any = None, keepdim: bool = False, **other: Unpack[OfReduction]) -> Self:
        """The product with NaN as 1. `axis` is None (all axes), an int or several; dtypes as prod's.

            Tensor([2.0, float("nan"), 3.0]).nanprod().item()  # 6.0
        """
        return self.where(~self.isnan(), 1).prod(axis, keepdim)

    @reduction
    def nanvar(self, axis: Any = None, correction: Any = 1, keepdim: bool = False, **other: Unpack[OfVariance]) -> Self:
        """The variance of the elements that are not NaN, divided by their number - correction; NaN where that is not positive.

        `axis` is None (all axes), an int or several. Bool and integers as the default float.

            Tensor([1.0, float("nan"), 3.0]).nanvar().item()  # 2.0
        """
        if not self.dtype.is_float:
            return self.var(axis, correction, keepdim)
        x, there = self.cast(dtypes.computing(self.dtype)), ~self.isnan()
        count = there.sum(axis, True).cast(x.dtype)
        distance = (x - x.nansum(axis, True) / count).where(there, 0.0)
        left = count - number(correction, "nanvar: correction")
        variance = (distance * distance).sum(axis, True) / left.where(left.gt(0), float("nan"))
        return (variance if keepdim else variance.squeeze(normal_axes(axis, self.ndim, "nanvar"))).cast(self.dtype)

    @reduction
    def nanstd(self, axis: Any = None, correction: Any = 1, keepdim: bool = False, **other: Unpack[OfVariance]) -> Self:
        """The standard deviation of the elements that are not NaN, the root of nanvar. `axis` is None (all axes), an int or several.

            Tensor([1.0, float("nan"), 1.0]).nanstd().item()  # 0.0
        """
        return self.nanvar(axis, correction, keepdim).sqrt()

    @reduction
    def nanargmax(self, axis: Any = None, keepdim: bool = False, **other: Unpack[OfReduction]) -> Self:
        """Where the first greatest element is that is not NaN, as int64; 0 where all are. `axis` is None (the flattened tensor) or an int.

            Tensor([1.0, float("nan"), 3.0]).nanargmax().item()  # 2
        """
        return (self.where(~self.isnan(), float("-inf")) if self.dtype.is_float else self).argmax(axis, keepdim)

    @reduction
    def nanargmin(self, axis: Any = None, keepdim: bool = False, **other: Unpack[OfReduction]) -> Self:
        """Where the first least element is that is not NaN, as int64; 0 where all are. `axis` is None (the flattened tensor) or an int.

            Tensor([1.0, float("nan"), 3.0]).nanargmin().item()  # 0
        """
        return (self.where(~self.isnan(), float("inf")) if self.dtype.is_float else self).argmin(axis, keepdim)

    @also_named(dim="axis")
    def nancumsum(self, axis: int | None = None, **other: Unpack[OneDim]) -> Self:
        """Sums of all elements up to each with NaN as 0, along an axis (of the flattened tensor by default). Dtypes as cumsum's.

            Tensor([1.0, float("nan"), 3.0]).nancumsum()  # [1.0, 1.0, 4.0]
        """
        return self.where(~self.isnan(), 0).cumsum(axis)

    @also_named(dim="axis")
    def nancumprod(self, axis: int | None = None, **other: Unpack[OneDim]) -> Self:
        """Products of all elements up to each with NaN as 1, along an axis (of the flattened tensor by default). Dtypes as cumprod's.

            Tensor([2.0, float("nan"), 3.0]).nancumprod()  # [2.0, 2.0, 6.0]
        """
        return self.where(~self.isnan(), 1).cumprod(axis)

    # Covariance

    @also_named(ddof="correction")
    def cov(self, correction: Any = 1, fweights: Any = None, aweights: Any = None, **other: Unpack[Ddof]) -> Self:
        """The covariance of the rows: each is a variable, each column an observation; (n, m) gives (n, n), a vector a 0-d tensor.

        Sums are divided by the number of observations - correction, as PyTorch's. `fweights` (m,), integers, say how often each observation occurs,
        `aweights` (m,) how much it counts. Bool and integers as the default float. ShapeError for more than two axes.

            Tensor([[0.0, 2.0], [1.0, 3.0]]).cov()  # [[2.0, 2.0], [2.0, 2.0]]
        """
        if self.ndim > 2:
            raise ShapeError(f"cov: takes a matrix, whose rows are variables, or a vector, not shape {self.shape}")
        x = self._computing()
        x = x.reshape((1, -1)) if x.ndim < 2 else x
        count: Any = x.shape[1]
        weights = None
        for given, what in ((fweights, "fweights"), (aweights, "aweights")):
            if given is not None:
                w = self._operand(given, f"cov: {what}")
                if w.shape != (count,) or what == "fweights" and w.dtype.kind not in "iu":
                    raise (ShapeError if w.shape != (count,) else DTypeError)(
                        f"cov: {what} are {'integers' if what == 'fweights' else 'numbers'} of shape {(count,)}, one for each column, "
                        f"not {w.dtype} of {w.shape}")
                weights = w.cast(x.dtype) if weights is None else weights * w.cast(x.dtype)
        total = count if weights is None else weights.sum()
        scale: Any = number(correction, "cov: correction")
        if aweights is not None and weights is not None:
            scale = (weights * self._operand(aweights, "cov").cast(x.dtype)).sum() / total * scale
        mean = x.mean(1, True) if weights is None else (x * weights).sum(1, True) / total
        distance = x - mean
        product = distance.matmul((distance if weights is None else distance * weights).T)
        left = x.full((), total, x.dtype, x.device) - scale if isinstance(total, int) else total - scale
        covariance = product / left.clamp(0)
        return (covariance.reshape(()) if self.ndim < 2 else covariance)._rounded(self.dtype)

    def corrcoef(self) -> Self:
        """The correlation of the rows: each is a variable, each column an observation; (n, m) gives (n, n) with numbers from -1 to 1, a vector 1.

        Bool and integers as the default float. ShapeError for more than two axes.

            Tensor([[0.0, 2.0], [1.0, 3.0]]).corrcoef()
        """
        covariance = self._computing().cov()
        if covariance.ndim == 0:
            return (covariance / covariance)._rounded(self.dtype)
        spread = covariance.diagonal().sqrt()
        return (covariance / spread.unsqueeze(1) / spread.unsqueeze(0)).clip(-1.0, 1.0)._rounded(self.dtype)

    # Samples of a function

    @also_named(dim="axis")
    def trapezoid(self, x: Any = None, dx: Any = 1.0, axis: int = -1, **other: Unpack[OneDim]) -> Self:
        """The integral along an axis by the trapezoidal rule, of samples at `x` (this shape, or a vector), or `dx` apart. The axis is dropped.

        Bool and integers as the default float. ShapeError for a 0-d tensor.

            Tensor([1.0, 2.0, 3.0]).trapezoid().item()  # 4.0
        """
        if self.ndim == 0:
            raise ShapeError("trapezoid: takes a tensor of one axis or more, not a 0-d one")
        along = normal_axis(axis, self.ndim, "trapezoid")
        y = self._floating()
        size: Any = self.shape[along]
        if size == 0:
            return y.sum(along)
        both = y.narrow(along, 0, size - 1) + y.narrow(along, 1, size - 1)
        if x is None:
            return (both.sum(along) / 2).mul(dx)
        at = self._operand(x, "trapezoid")
        at = at.reshape([-1 if a == along else 1 for a in range(self.ndim)]) if at.ndim == 1 else at
        return (both * at.diff(axis=along if at.ndim == self.ndim else -1) / 2).sum(along)

    def ediff1d(self, to_end: Any = None, to_begin: Any = None) -> Self:
        """Differences of neighbours of the flattened tensor; to_begin and to_end are put before and after. The dtype stays.

            Tensor([[1.0, 4.0], [9.0, 16.0]]).ediff1d()  # [3.0, 5.0, 7.0]
        """
        if self.dtype is T.bool_:
            raise DTypeError("ediff1d: takes numbers, not bools; diff tells where they differ")
        parts = [p for p in (None if to_begin is None else self._left(to_begin, "ediff1d").cast(self.dtype).ravel(), self.ravel().diff(),
                             None if to_end is None else self._left(to_end, "ediff1d").cast(self.dtype).ravel()) if p is not None]
        return parts[0].cat(*parts[1:]) if len(parts) > 1 else parts[0]
