"""Functions made of the layers before: closeness, a step, reductions that skip NaN, quarter turns, Kronecker products.

All are compositions of ops that have derivatives, so gradients pass through them.
"""
from __future__ import annotations

import math
from typing import Any, Self, Unpack

import ml_dtypes

from ..dialect import types as T
from ..errors import DTypeError, ShapeError
from . import build, dtypes
from .annotations import Axes, Operand
from .arguments import also_named, integer, normal_axis, reduction, under_its_own_name
from .broadcasting import operands
from .exchange.methods import ExchangeMethods
from .movement import padding_pairs
from .other_names import OfReduction, OfVariance, OneAxis


class NumericMethods(ExchangeMethods):
    __slots__ = ()

    def _float_pair(self, other: Any, what: str) -> tuple[Self, Self]:
        """Both operands broadcast, in one floating-point dtype."""
        x, y = operands(self, other, what)
        dtype = x.dtype if x.dtype.is_float else dtypes.default_float()
        return self._new(build.cast(x, dtype)), self._new(build.cast(y, dtype))

    def _floating(self) -> Self:
        return self if self.dtype.is_float else self.cast(dtypes.default_float())

    def atan2(self, other: Operand) -> Self:
        """The angle of the point (other, self), from -pi to pi, signed zeros and infinities as in C; both broadcast, integers become floats.

            Tensor([0.0, 0.0]).atan2(Tensor([1.0, 2.0]))  # [0.0, 0.0]
        """
        y, x = self._float_pair(other, "atan2")
        height, width = y.abs(), x.abs()
        large, small = height.maximum(width), height.minimum(width)
        both = y.isinf() & x.isinf()
        ratio = (small / large.where(large.ne(0), 1.0)).where(~both, 1.0)
        angle = ratio.atan()
        angle = (math.pi / 2 - angle).where(height > width, angle)
        return (math.pi - angle).where(x.signbit(), angle).copysign(y)

    arctan2 = atan2

    def nextafter(self, other: Operand) -> Self:
        """The next number of the dtype towards `other`; NaN where either is. Both broadcast, integers become floats.

            Tensor([2.0]).nextafter(2.0)  # [2.0]
        """
        x, y = self._float_pair(other, "nextafter")
        whole = {16: T.int16, 32: T.int32, 64: T.int64}.get(x.dtype.bits)
        if whole is None:
            raise DTypeError(f"nextafter: takes floats of 16, 32 or 64 bits, not {x.dtype}")
        bits, grows = x.bitcast(whole), y.gt(x).eq(x.gt(0))
        stepped = (bits + 1).where(grows, bits - 1).bitcast(x.dtype)
        least = x._new(build.full(x.shape, 1, whole)).bitcast(x.dtype)
        moved = (least.neg().where(y.lt(0), least)).where(x.eq(0), stepped)
        return (x + y).where(x.isnan() | y.isnan(), y.where(x.eq(y), moved))

    @under_its_own_name
    def heaviside(self, values: Any) -> Self:
        """0 below 0, 1 above, `values` at 0, NaN at NaN; both broadcast, integers become floats.

            Tensor([-1.0, 0.0, 2.0]).heaviside(0.5)  # [0.0, 0.5, 1.0]
        """
        x, y = self._float_pair(values, "heaviside")
        step = x.gt(0).cast(x.dtype)
        return y.where(x.eq(0), x.where(x.isnan(), step))

    @under_its_own_name
    def xlogy(self, other: Operand) -> Self:
        """x * log(y), and 0 where x is 0 and y not NaN; both broadcast, integers become floats.

            Tensor([0.0, 2.0]).xlogy(Tensor([0.0, 1.0]))  # [0.0, 0.0]
        """
        x, y = self._float_pair(other, "xlogy")
        zero = x.eq(0) & ~y.isnan()
        return (x * y.where(~zero, 1.0).log()).where(~zero, 0.0)

    # One value

    def sinc(self) -> Self:
        """sin(pi x) / (pi x), 1 at 0; the same shape, integers become floats.

            Tensor([0.0]).sinc()  # [1.0]
        """
        x = self._floating() * math.pi
        zero = x.eq(0)
        return (x.sin() / x.where(~zero, 1.0)).where(~zero, 1.0)

    @under_its_own_name
    def nan_to_num(self, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None) -> Self:
        """NaN replaced by `nan`, infinities by the given numbers or the dtype's extremes; integers stay.

            Tensor([float("nan"), 1.0]).nan_to_num()  # [0.0, 1.0]
        """
        if not self.dtype.is_float:
            return self
        info = ml_dtypes.finfo(self.dtype.np)
        high = float(info.max) if posinf is None else posinf
        low = float(info.min) if neginf is None else neginf
        x = self.where(~self.isnan(), nan)
        return x.where(self.ne(math.inf), high).where(self.ne(-math.inf), low)

    # Closeness

    @under_its_own_name
    def isclose(self, other: Operand, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Self:
        """Where |x - y| <= atol + rtol * |y|, or both are equal; NaNs are close with `equal_nan`. Both broadcast; bool result.

            Tensor([1.0, 2.0]).isclose(Tensor([1.0, 2.1]))  # [True, False]
        """
        x, y = self._float_pair(other, "isclose")
        close = ((x - y).abs().le(y.abs() * rtol + atol) & y.isfinite()) | x.eq(y)
        return close | (x.isnan() & y.isnan()) if equal_nan else close

    @under_its_own_name
    def allclose(self, other: Operand, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Self:
        """Whether every element is close, as `isclose` has it: a 0-d bool.

            Tensor([1.0, 2.0]).allclose(Tensor([1.0, 2.0])).item()
        """
        return self.isclose(other, rtol, atol, equal_nan).all()

    # Activations

    @under_its_own_name
    def threshold(self, threshold: float, value: float) -> Self:
        """x where it is greater than the threshold, else `value`.

            Tensor([1.0, 3.0]).threshold(2.0, 0.0)  # [0.0, 3.0]
        """
        return self.where(self.gt(threshold), value)

    @also_named(axis="dim")
    def glu(self, dim: int = -1, **other: Unpack[OneAxis]) -> Self:
        """The first half of an axis times the sigmoid of the second. ShapeError for an odd size.

            Tensor([2.0, 0.0]).glu()  # [1.0]
        """
        axis = normal_axis(dim, self.ndim, "glu")
        size = self.shape[axis]
        if not isinstance(size, int) or size % 2:
            raise ShapeError(f"glu: halves axis {axis} of shape {self.shape}, whose size must be an even number")
        half = size // 2
        return self.narrow(axis, 0, half) * self.narrow(axis, half, half).sigmoid()

    # Reductions

    @reduction
    def nansum(self, axis: Axes = None, keepdim: bool = False, **other: Unpack[OfReduction]) -> Self:
        """The sum with NaN as 0, along one axis, several or all.

            Tensor([1.0, float("nan")]).nansum().item()
        """
        return self.where(~self.isnan(), 0).sum(axis, keepdim)

    @reduction
    def nanmean(self, axis: Axes = None, keepdim: bool = False, **other: Unpack[OfReduction]) -> Self:
        """The mean of the elements that are not NaN; NaN where there are none.

            Tensor([1.0, float("nan"), 3.0]).nanmean().item()
        """
        x = self.cast(dtypes.computing(self.dtype))
        mean = x.nansum(axis, keepdim) / (~x.isnan()).sum(axis, keepdim).cast(x.dtype)
        return mean.cast(self.dtype) if self.dtype.is_float else mean

    @reduction
    def nanmax(self, axis: Axes = None, keepdim: bool = False, **other: Unpack[OfReduction]) -> Self:
        """The greatest element that is not NaN; NaN where there is none. ShapeError for no elements.

            Tensor([1.0, float("nan")]).nanmax().item()
        """
        if not self.dtype.is_float:
            return self.max(axis, keepdim)
        nothing = self.isnan().all(axis, keepdim)
        return self.where(~self.isnan(), -math.inf).max(axis, keepdim).where(~nothing, math.nan)

    @reduction
    def nanmin(self, axis: Axes = None, keepdim: bool = False, **other: Unpack[OfReduction]) -> Self:
        """The least element that is not NaN; NaN where there is none. ShapeError for no elements.

            Tensor([1.0, float("nan")]).nanmin().item()
        """
        if not self.dtype.is_float:
            return self.min(axis, keepdim)
        nothing = self.isnan().all(axis, keepdim)
        return self.where(~self.isnan(), math.inf).min(axis, keepdim).where(~nothing, math.nan)

    @reduction
    def aminmax(self, axis: Axes = None, keepdim: bool = False, **other: Unpack[OfReduction]) -> tuple[Self, Self]:
        """The least and the greatest element. ShapeError for no elements.

            low, high = Tensor([3.0, 1.0]).aminmax()
        """
        return self.min(axis, keepdim), self.max(axis, keepdim)

    @reduction
    def ptp(self, axis: Axes = None, keepdim: bool = False, **other: Unpack[OfReduction]) -> Self:
        """The greatest element less the least. ShapeError for no elements, DTypeError for bools.

            Tensor([3.0, 1.0]).ptp().item()
        """
        return self.max(axis, keepdim) - self.min(axis, keepdim)

    @reduction
    def std_mean(self, axis: Axes = None, correction: Any = 1, keepdim: bool = False, **other: Unpack[OfVariance]) -> tuple[Self, Self]:
        """Standard deviation and mean.

            spread, middle = Tensor([1.0, 3.0]).std_mean()
        """
        return self.std(axis, correction, keepdim), self.mean(axis, keepdim)

    # Movement

    def rot90(self, k: int = 1, axes: Any = (0, 1)) -> Self:
        """Turned by k quarters from the first axis towards the second. ShapeError unless two different axes are named.

            Tensor([[1.0, 2.0]]).rot90()  # [[2.0], [1.0]]
        """
        if not isinstance(axes, (tuple, list)):
            raise TypeError(f"rot90: axes are two axes, such as (0, 1), not {axes!r}")
        given = tuple(normal_axis(a, self.ndim, "rot90") for a in axes)
        if len(given) != 2 or given[0] == given[1]:
            raise ShapeError(f"rot90: needs two different axes, given {axes}")
        a, b = given
        turns = integer(k, "rot90: k") % 4
        if turns == 0:
            return self.flip(())
        if turns == 2:
            return self.flip((a, b))
        return self.flip(b).transpose(a, b) if turns == 1 else self.transpose(a, b).flip(b)

    @under_its_own_name
    def kron(self, other: Operand) -> Self:
        """The Kronecker product; the shorter shape gets axes of size 1 in front, sizes are multiplied.

            Tensor([1.0, 2.0]).kron(Tensor([1.0, 10.0]))  # [1.0, 10.0, 2.0, 20.0]
        """
        y = self._operand(other, "kron")
        rank = max(self.ndim, y.ndim)
        first = (1,) * (rank - self.ndim) + self.shape
        second = (1,) * (rank - y.ndim) + y.shape
        spread = self.reshape(tuple(s for n in first for s in (n, 1)))
        inner = y.reshape(tuple(s for n in second for s in (1, n)))
        return (spread * inner).reshape(tuple(m * n for m, n in zip(first, second)))

    def pad(self, padding: Any, mode: str = "constant", value: Any = 0) -> Self:
        """Surrounded with `value`, or in mode "reflect" (mirrored about the edge), "replicate" or "edge" (the edge repeated), "circular" or "wrap"
        (from the other end) with its own elements; same dtype.

        `padding` is NumPy's ((before, after), ...) with one pair for each axis (or one int or pair for all), or PyTorch's flat list (before, after of
        the last axis, then of the one before it, ...); None leaves an axis; negative sizes cut, in constant mode. ShapeError where an axis has too few
        elements (reflect takes less than its size, circular at most its size) and for an unknown mode.

            Tensor([1.0, 2.0, 3.0]).pad(((2, 1),), mode="reflect")  # [3.0, 2.0, 1.0, 2.0, 3.0, 2.0]
        """
        if mode == "constant":
            return super().pad(padding, mode, value)
        name = {"edge": "replicate", "wrap": "circular"}.get(str(mode), mode)
        if name not in ("reflect", "replicate", "circular"):
            raise ShapeError(f"pad: mode {mode!r} is not known; there are 'constant', 'reflect', 'replicate' ('edge') and 'circular' ('wrap')")
        pairs = padding_pairs(padding, self.shape)
        for axis, ((before, after), size) in enumerate(zip(pairs, self.shape)):
            if not all(isinstance(n, int) for n in (before, after, size)):
                raise ShapeError(f"pad: mode {mode!r} needs known sizes; axis {axis} of shape {self.shape} with padding {(before, after)} has not")
            most = {"reflect": max(size - 1, 0), "replicate": before + after if size else 0, "circular": size}[name]
            if min(before, after) < 0 or max(before, after) > most:
                raise ShapeError(f"pad: mode {mode!r} adds 0 to {most} elements at an end of axis {axis} of shape {self.shape}, given {(before, after)}")
        x = self
        for axis, (before, after) in enumerate(pairs):
            if before or after:
                x = x._padded_by_itself(axis, before, after, name)
        return x._new(x.uop)

    def _padded_by_itself(self, axis: int, before: Any, after: Any, mode: str) -> Self:
        size: Any = self.shape[axis]
        if mode == "circular":
            low, high = self.narrow(axis, size - before, before), self.narrow(axis, 0, after)
        elif mode == "reflect":
            low, high = self.narrow(axis, 1, before).flip(axis), self.narrow(axis, size - 1 - after, after).flip(axis)
        else:
            low, high = (self.narrow(axis, at, 1)._broadcast(tuple(n if a == axis else s for a, s in enumerate(self.shape)), "pad")
                         for at, n in ((0, before), (size - 1, after)))
        parts = [p for p, n in ((low, before), (self, 1), (high, after)) if n]
        return parts[0].cat(*parts[1:], dim=axis)
