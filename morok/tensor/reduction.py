"""Reductions: along one axis, several, or all. `axis` takes negative numbers and tuples (`dim` is another name), `keepdim` keeps size 1.

Over nothing: sum 0, prod 1, all True, any False; max, min and argmax of nothing are a ShapeError, mean is NaN.
"""
from __future__ import annotations

from typing import Any, Self, Unpack

from ..dialect import types as T
from ..errors import DTypeError, ShapeError
from ..graph.tensor_graph import TensorUOp
from . import build, dtypes
from .annotations import Axes, DTypeLike
from .arguments import normal_axes, normal_axis, number, reduction
from .creation import CreationMethods
from .other_names import OfReduction, OfVariance
from .sizes import Size, SymbolicInt, least, numel


class ReductionMethods(CreationMethods):
    __slots__ = ()

    def _reduced(self, u: TensorUOp, name: str, axes: tuple[int, ...], keepdim: bool) -> Self:
        shape = build.shape_of(u)
        result = build.reduce(u, name, axes)
        return self._new(build.with_unit_axes(result, shape, axes) if keepdim else result)

    @reduction
    def sum(self, axis: Axes = None, keepdim: bool = False, dtype: DTypeLike = None, **other: Unpack[OfReduction]) -> Self:
        """Sum; bools and integers in 64 bits, 16-bit floats accumulated in float32.

            x.sum(), x.sum(-1), x.sum((0, 2), keepdim=True)
        """
        return self._accumulated("add", axis, keepdim, dtype, "sum")

    @reduction
    def prod(self, axis: Axes = None, keepdim: bool = False, dtype: DTypeLike = None, **other: Unpack[OfReduction]) -> Self:
        """Product; bools and integers in 64 bits, 16-bit floats accumulated in float32. `axis` is None (all axes), an int or several; with keepdim they stay
        with size 1. Of no elements 1.

            Tensor([[1.0, 2.0], [3.0, 4.0]]).prod(0)  # [3.0, 8.0]
        """
        return self._accumulated("mul", axis, keepdim, dtype, "prod")

    def _accumulated(self, name: str, axis: Any, keepdim: bool, dtype: Any, what: str) -> Self:
        axes = normal_axes(axis, self.ndim, what)
        wanted = dtypes.as_dtype(dtype) if dtype is not None else dtypes.accumulator(self.dtype)
        if wanted is T.bool_:
            return self.bool()._reduced(self.bool().uop, "or" if name == "add" else "and", axes, keepdim)
        wide = T.float32 if wanted.is_float and wanted.bits < 32 else wanted
        return self._reduced(build.cast(self.uop, wide), name, axes, keepdim).cast(wanted)

    @reduction
    def max(self, axis: Axes = None, keepdim: bool = False, **other: Unpack[OfReduction]) -> Self:
        """The greatest element; NaN if one is. `axis` is None (all axes), an int or several; with keepdim they stay with size 1. The same dtype. ShapeError for
        no elements, AxisError for an axis that is not there.

            Tensor([[1.0, 2.0], [3.0, 0.0]]).max(0)  # [3.0, 2.0]
        """
        return self._extreme("max", axis, keepdim)

    @reduction
    def min(self, axis: Axes = None, keepdim: bool = False, **other: Unpack[OfReduction]) -> Self:
        """The least element; NaN if one is. `axis` is None (all axes), an int or several; with keepdim they stay with size 1. The same dtype. ShapeError for no
        elements, AxisError for an axis that is not there.

            Tensor([[1.0, 2.0], [3.0, 0.0]]).min(0)  # [1.0, 0.0]
        """
        return self._extreme("min", axis, keepdim)

    amax, amin = max, min

    def _constant(self) -> Self:
        """The value as one that derivatives take for constant."""
        return self._new(build.detach(self.uop))

    def _extreme(self, name: str, axis: Any, keepdim: bool) -> Self:
        axes = normal_axes(axis, self.ndim, name)
        self._require_elements(axes, name)
        if self.dtype is T.bool_:
            name = "or" if name == "max" else "and"
        return self._reduced(self.uop, name, axes, keepdim)

    def _require_elements(self, axes: tuple[int, ...], what: str) -> None:
        shape = self.shape
        for axis in axes:
            if least(shape[axis]) == 0:
                has = "has" if shape[axis] == 0 else "may have"
                raise ShapeError(f"{what}: axis {axis} of shape {shape} {has} no elements, and {what} of nothing is undefined")

    @reduction
    def any(self, axis: Axes = None, keepdim: bool = False, **other: Unpack[OfReduction]) -> Self:
        """Whether an element is not 0. `axis` is None (all axes), an int or several; with keepdim they stay with size 1. The result is bool; of no elements
        True for all, False for any.

            Tensor([[1.0, 0.0], [1.0, 2.0]]).any(1)  # [True, True]
        """
        return self._reduced(self.bool().uop, "or", normal_axes(axis, self.ndim, "any"), keepdim)

    @reduction
    def all(self, axis: Axes = None, keepdim: bool = False, **other: Unpack[OfReduction]) -> Self:
        """Whether every element is not 0. `axis` is None (all axes), an int or several; with keepdim they stay with size 1. The result is bool; of no elements
        True for all, False for any.

            Tensor([[1.0, 0.0], [1.0, 2.0]]).all(1)  # [False, True]
        """
        return self._reduced(self.bool().uop, "and", normal_axes(axis, self.ndim, "all"), keepdim)

    @reduction
    def count_nonzero(self, axis: Axes = None, keepdim: bool = False, **other: Unpack[OfReduction]) -> Self:
        """How many elements are not 0, as int64. `axis` is None (all axes), an int or several; with keepdim they stay with size 1.

            Tensor([[1.0, 0.0], [1.0, 2.0]]).count_nonzero(1)  # [1, 2]
        """
        return self.bool().sum(axis, keepdim)

    @reduction
    def mean(self, axis: Axes = None, keepdim: bool = False, dtype: DTypeLike = None, **other: Unpack[OfReduction]) -> Self:
        """Arithmetic mean; of integers and bools as the default float. `axis` is None (all axes), an int or several; with keepdim they stay with size 1. Of no
        elements NaN.

            Tensor([[1.0, 2.0], [3.0, 4.0]]).mean(0)  # [2.0, 3.0]
        """
        axes = normal_axes(axis, self.ndim, "mean")
        wanted = dtypes.as_dtype(dtype) if dtype is not None else self.dtype if self.dtype.is_float else dtypes.default_float()
        x = self.cast(dtypes.computing(wanted))
        return (x.sum(axes, keepdim) / x._count(axes)).cast(wanted)

    def _count(self, axes: tuple[int, ...]) -> Any:
        """How many elements a reduction over the axes combines, as a number or (for symbolic sizes) a 0-d tensor of this dtype."""
        shape = self.shape
        sizes = [shape[a] for a in axes]
        known: Size = numel(s for s in sizes if not isinstance(s, SymbolicInt))
        symbolic = [s for s in sizes if isinstance(s, SymbolicInt)]
        if not symbolic:
            return float(known)  # type: ignore[arg-type]
        ones = build.full(tuple(symbolic), 1.0, self.dtype)
        return self._new(build.reduce(ones, "add", tuple(range(len(symbolic))))) * float(known)  # type: ignore[arg-type]

    @reduction
    def var(self, axis: Axes = None, correction: Any = 1, keepdim: bool = False, **other: Unpack[OfVariance]) -> Self:
        """Variance, the sum of squared distances from the mean divided by n - correction (1 as PyTorch, 0 for NumPy's). `axis` is None (all axes), an int or
        several; with keepdim they stay with size 1. Bool and integers as the default float.

            Tensor([[1.0, 3.0], [2.0, 2.0]]).var(1, correction=0)  # [1.0, 0.0]
        """
        axes = normal_axes(axis, self.ndim, "var")
        x = self._computing()
        distance = x - x.mean(axes, keepdim=True)
        count = x._count(axes) - number(correction, "var: correction")
        count = max(count, 0.0) if isinstance(count, float) else count.maximum(0.0)
        squares = (distance * distance).sum(axes, keepdim)
        return (squares / count)._rounded(self.dtype)

    @reduction
    def std(self, axis: Axes = None, correction: Any = 1, keepdim: bool = False, **other: Unpack[OfVariance]) -> Self:
        """Standard deviation, the root of var. `axis` is None (all axes), an int or several; with keepdim they stay with size 1. Bool and integers as the
        default float.

            Tensor([[1.0, 3.0], [2.0, 2.0]]).std(1, correction=0)  # [1.0, 0.0]
        """
        return self._computing().var(axis, correction, keepdim).sqrt()._rounded(self.dtype)

    @reduction
    def var_mean(self, axis: Axes = None, correction: Any = 1, keepdim: bool = False, **other: Unpack[OfVariance]) -> tuple[Self, Self]:
        """Variance and mean. `axis` is None (all axes), an int or several; with keepdim they stay with size 1. Bool and integers as the default float.

            variance, mean = Tensor([[1.0, 3.0], [2.0, 2.0]]).var_mean(1)
        """
        return self.var(axis, correction, keepdim), self.mean(axis, keepdim)

    @reduction
    def norm(self, p: Any = 2, axis: Axes = None, keepdim: bool = False, **other: Unpack[OfReduction]) -> Self:
        """The p-norm of all elements or along axes: p a positive number, inf, -inf or 0. `axis` is None (all axes), an int or several; with keepdim they stay
        with size 1. Bool and integers as the default float. The derivative where all elements are 0 is 0.
        Of no elements 0, for a negative p inf; ShapeError for -inf.

            Tensor([[3.0, 4.0]]).norm(2, 1)  # [5.0]
        """
        axes = normal_axes(axis, self.ndim, "norm")
        x, p = self._computing().abs(), number(p, "norm: p")
        if p == float("inf"):
            result = x._greatest_or_zero(axes, keepdim)
        elif p == float("-inf"):
            result = x.min(axes, keepdim)
        elif p == 0:
            result = x.ne(0).sum(axes, keepdim).cast(x.dtype)
        elif p == 1:
            result = x.sum(axes, keepdim)
        elif p == 2:
            result = self._root((x * x).sum(axes, keepdim), 2)
        else:
            total = (x ** p).sum(axes, keepdim)
            result = self._root(total, p) if p > 0 else total ** (1.0 / p)
        return result._rounded(self.dtype)

    def _greatest_or_zero(self, axes: Any, keepdim: bool = False) -> Self:
        """The greatest of elements that are not negative, and of none 0."""
        nothing = any(self.shape[a] == 0 for a in axes)
        return self.sum(axes, keepdim) if nothing else self.max(axes, keepdim)

    @staticmethod
    def _root(total: Any, p: Any) -> Any:
        """The p-th root, whose derivative where the total is 0 is taken as 0: every direction goes up from there, none is the slope."""
        zero = total.eq(0)
        whole = total.masked_fill(zero, 1)
        return (whole.sqrt() if p == 2 else whole ** (1.0 / p)).masked_fill(zero, 0)

    @reduction
    def argmax(self, axis: Axes = None, keepdim: bool = False, **other: Unpack[OfReduction]) -> Self:
        """Where the first greatest element is (the first NaN, if there is one), as int64; over the flattened tensor by default. ShapeError for no elements.

            Tensor([[1.0, 2.0], [3.0, 0.0]]).argmax(1)  # [1, 0]
        """
        return self._position("max", axis, keepdim)

    @reduction
    def argmin(self, axis: Axes = None, keepdim: bool = False, **other: Unpack[OfReduction]) -> Self:
        """Where the first least element is (the first NaN, if there is one), as int64; over the flattened tensor by default. ShapeError for no elements.

            Tensor([[1.0, 2.0], [3.0, 0.0]]).argmin(1)  # [0, 1]
        """
        return self._position("min", axis, keepdim)

    def _position(self, name: str, axis: Any, keepdim: bool) -> Self:
        if isinstance(axis, (tuple, list)):
            raise DTypeError(f"arg{name}: takes one axis or None, not {axis!r}")
        if axis is None:
            flat = self._new(build.reshape(self.uop, (numel(self.shape),)))._position(name, 0, False)
            return self._new(build.reshape(flat.uop, (1,) * self.ndim)) if keepdim else flat
        along = normal_axis(axis, self.ndim, f"arg{name}")
        self._require_elements((along,), f"arg{name}")
        shape = self.shape
        best = self._extreme(name, along, True)
        found = self.eq(best)
        if self.dtype.is_float:
            found = found | self.isnan()  # a NaN makes the extreme NaN, which equals nothing
        size = shape[along]
        counter = T.int32 if not isinstance(size, SymbolicInt) and size < 1 << 31 else T.int64
        positions = build.broadcast(build.iota_along(shape, along, counter), shape)
        nowhere = build.full(shape, counter.max, counter)
        first = build.alu("where", found.uop, positions, nowhere)
        return self._reduced(first, "min", (along,), keepdim).cast(T.int64)

    @reduction
    def logsumexp(self, axis: Axes = None, keepdim: bool = False, **other: Unpack[OfReduction]) -> Self:
        """log(sum(exp(x))) without overflow; -inf where every element is. `axis` is None (all axes), an int or several; with keepdim they stay with size 1.
        Bool and integers as the default float.

            Tensor([[0.0, 0.0]]).logsumexp(1)
        """
        axes = normal_axes(axis, self.ndim, "logsumexp")
        x = self._computing()
        peak = x.max(axes, keepdim=True)._constant()
        peak = peak.where(peak.isfinite(), 0.0)
        total = (x - peak).exp().sum(axes, keepdim=True).log() + peak
        result = total if keepdim else total._new(build.reshape(total.uop, tuple(s for a, s in enumerate(self.shape) if a not in axes)))
        return result._rounded(self.dtype)
