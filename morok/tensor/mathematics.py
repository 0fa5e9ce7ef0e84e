"""Mathematical functions of one tensor. Integers and bools are computed as the default float, 16-bit floats in float32."""
from __future__ import annotations

import math
from typing import Any, Self

from ..dialect import types as T
from . import build, dtypes
from .annotations import Operand
from .arguments import integer, under_its_own_name
from .elementwise import ElementwiseMethods


class MathematicsMethods(ElementwiseMethods):
    __slots__ = ()

    def _float_function(self, name: str) -> Self:
        u = self.uop
        if not u.dtype.is_float:
            u = build.cast(u, dtypes.default_float())
        return self._new(build.alu(name, u))

    def _computing(self) -> Self:
        """This in the dtype in which functions of several steps compute."""
        return self.cast(dtypes.computing(self.dtype))

    def _rounded(self, source: T.DType) -> Self:
        """A result of several steps in the dtype that the caller gets for `source`."""
        return self.cast(source) if source.is_float else self

    # Exponentials and logarithms

    def exp(self) -> Self:
        """e to the power x. The same shape; bool and integers as the default float.

            Tensor([0.0]).exp()  # [1.0]
        """
        return self._float_function("exp")

    def exp2(self) -> Self:
        """2 to the power x. The same shape; bool and integers as the default float.

            Tensor([0.0, 3.0]).exp2()  # [1.0, 8.0]
        """
        return self._float_function("exp2")

    def expm1(self) -> Self:
        """exp(x) - 1, exact near 0. The same shape; bool and integers as the default float.

            Tensor([0.0]).expm1()  # [0.0]
        """
        return self._float_function("expm1")

    def log(self) -> Self:
        """Natural logarithm; -inf at 0, NaN below. The same shape; bool and integers as the default float.

            Tensor([1.0]).log()  # [0.0]
        """
        return self._float_function("log")

    def log2(self) -> Self:
        """Logarithm to base 2. The same shape; bool and integers as the default float.

            Tensor([1.0, 8.0]).log2()  # [0.0, 3.0]
        """
        return self._float_function("log2")

    def log10(self) -> Self:
        """Logarithm to base 10. The same shape; bool and integers as the default float.

            Tensor([1.0, 100.0]).log10()  # [0.0, 2.0]
        """
        return (self._computing().log() / math.log(10))._rounded(self.dtype)

    def log1p(self) -> Self:
        """log(1 + x), exact near 0. The same shape; bool and integers as the default float.

            Tensor([0.0]).log1p()  # [0.0]
        """
        return self._float_function("log1p")

    @under_its_own_name
    def logaddexp(self, other: Operand) -> Self:
        """log(exp(x) + exp(y)) without overflow. Shapes broadcast, dtypes combine; bool and integers as the default float.

            Tensor([0.0]).logaddexp(Tensor([0.0]))
        """
        other = self._left(other, "logaddexp")
        dtype = dtypes.promote(self.dtype, other.dtype)
        x, y = self.cast(dtypes.computing(dtype)), other.cast(dtypes.computing(dtype))
        high, low = x.maximum(y), x.minimum(y)
        difference = low - high  # NaN for two equal infinities
        rest = (difference.where(high != low, 0.0)).exp().log1p()
        return (high + rest)._rounded(dtype)

    # Roots and powers

    def sqrt(self) -> Self:
        """Square root; NaN below 0. The same shape; bool and integers as the default float.

            Tensor([1.0, 4.0]).sqrt()  # [1.0, 2.0]
        """
        return self._float_function("sqrt")

    def rsqrt(self) -> Self:
        """1 / sqrt(x). The same shape; bool and integers as the default float.

            Tensor([1.0, 4.0]).rsqrt()  # [1.0, 0.5]
        """
        return (1.0 / self._computing().sqrt())._rounded(self.dtype)

    def square(self) -> Self:
        """x * x. The same shape and dtype.

            Tensor([-2.0, 3.0]).square()  # [4.0, 9.0]
        """
        return self.mul(self)

    def reciprocal(self) -> Self:
        """1 / x. The same shape; bool and integers as the default float.

            Tensor([-1.0, 1.0]).reciprocal()  # [-1.0, 1.0]
        """
        return 1.0 / self.cast(self.dtype if self.dtype.is_float else dtypes.default_float())

    @under_its_own_name
    def hypot(self, other: Operand) -> Self:
        """sqrt(x * x + y * y) without overflow. Shapes broadcast, dtypes combine; bool and integers as the default float.

            Tensor([3.0]).hypot(4.0)  # [5.0]
        """
        other = self._left(other, "hypot")
        dtype = dtypes.promote(self.dtype, other.dtype)
        x, y = self.cast(dtypes.computing(dtype)).abs(), other.cast(dtypes.computing(dtype)).abs()
        high, low = x.maximum(y), x.minimum(y)
        ratio = (low / high).where((high > 0) & (high < math.inf), 0.0)
        result = high * (ratio * ratio + 1.0).sqrt()
        return result.where(~(x.isinf() | y.isinf()), math.inf)._rounded(dtype)

    # Trigonometry

    def sin(self) -> Self:
        """Sine, of radians. The same shape; bool and integers as the default float.

            Tensor([0.0]).sin()  # [0.0]
        """
        return self._float_function("sin")

    def cos(self) -> Self:
        """Cosine, of radians. The same shape; bool and integers as the default float.

            Tensor([0.0]).cos()  # [1.0]
        """
        return self._float_function("cos")

    def tan(self) -> Self:
        """Tangent, of radians. The same shape; bool and integers as the default float.

            Tensor([0.0]).tan()  # [0.0]
        """
        return self._float_function("tan")

    def asin(self) -> Self:
        """Arc sine; NaN outside [-1, 1]. The same shape; bool and integers as the default float.

            Tensor([0.0]).asin()  # [0.0]
        """
        return self._float_function("asin")

    def acos(self) -> Self:
        """Arc cosine; NaN outside [-1, 1]. The same shape; bool and integers as the default float.

            Tensor([1.0]).acos()  # [0.0]
        """
        return self._float_function("acos")

    def atan(self) -> Self:
        """Arc tangent. The same shape; bool and integers as the default float.

            Tensor([0.0]).atan()  # [0.0]
        """
        return self._float_function("atan")

    def sinh(self) -> Self:
        """Hyperbolic sine. The same shape; bool and integers as the default float.

            Tensor([0.0]).sinh()  # [0.0]
        """
        return self._float_function("sinh")

    def cosh(self) -> Self:
        """Hyperbolic cosine. The same shape; bool and integers as the default float.

            Tensor([0.0]).cosh()  # [1.0]
        """
        return self._float_function("cosh")

    def tanh(self) -> Self:
        """Hyperbolic tangent. The same shape; bool and integers as the default float.

            Tensor([0.0]).tanh()  # [0.0]
        """
        return self._float_function("tanh")

    def asinh(self) -> Self:
        """Inverse hyperbolic sine. The same shape; bool and integers as the default float.

            Tensor([0.0]).asinh()  # [0.0]
        """
        return self._float_function("asinh")

    def acosh(self) -> Self:
        """Inverse hyperbolic cosine; NaN below 1. The same shape; bool and integers as the default float.

            Tensor([1.0]).acosh()  # [0.0]
        """
        return self._float_function("acosh")

    def atanh(self) -> Self:
        """Inverse hyperbolic tangent; NaN outside [-1, 1]. The same shape; bool and integers as the default float.

            Tensor([0.0]).atanh()  # [0.0]
        """
        return self._float_function("atanh")

    arcsin, arccos, arctan, arcsinh, arccosh, arctanh = asin, acos, atan, asinh, acosh, atanh

    def erf(self) -> Self:
        """The error function. The same shape; bool and integers as the default float.

            Tensor([0.0]).erf()  # [0.0]
        """
        return self._float_function("erf")

    # Rounding: integers stay as they are

    def _rounding(self, name: str) -> Self:
        return self._float_function(name) if self.dtype.is_float else self._new(self.uop)

    def floor(self) -> Self:
        """The greatest integer not above x. The same shape and dtype.

            Tensor([-1.5, 2.5]).floor()  # [-2.0, 2.0]
        """
        return self._rounding("floor")

    def ceil(self) -> Self:
        """The least integer not below x. The same shape and dtype.

            Tensor([-1.5, 2.5]).ceil()  # [-1.0, 3.0]
        """
        return self._rounding("ceil")

    def trunc(self) -> Self:
        """x without its fraction. The same shape and dtype.

            Tensor([-1.5, 2.5]).trunc()  # [-1.0, 2.0]
        """
        return self._rounding("trunc")

    def round(self, decimals: int = 0) -> Self:
        """The nearest number of so many decimals, ties to even. The same shape and dtype.

            Tensor([-1.5, 2.5]).round()  # [-2.0, 2.0]
        """
        places = integer(decimals, "round: decimals")
        if places == 0 or not self.dtype.is_float:
            return self._rounding("round")
        wide = self.cast(T.float64)
        scale = 10.0 ** abs(places)
        return ((wide * scale).round() / scale if places > 0 else (wide / scale).round() * scale).cast(self.dtype)

    # Signs and kinds

    def abs(self) -> Self:
        """Absolute value; the least integer stays itself. The same shape and dtype.

            Tensor([-2.0, 3.0]).abs()  # [2.0, 3.0]
        """
        if self.dtype is T.bool_ or self.dtype.kind == "u":
            return self._new(self.uop)
        return self._new(build.alu("abs", self.uop))

    absolute = abs

    def sign(self) -> Self:
        """-1, 0 or 1; NaN for NaN. The same shape and dtype.

            Tensor([-2.0, 3.0]).sign()  # [-1.0, 1.0]
        """
        u, dtype, shape = self.uop, self.dtype, self.shape
        if dtype is T.bool_:
            return self._new(u)
        zero, one = build.full(shape, 0, dtype), build.full(shape, 1, dtype)
        if dtype.kind == "u":
            return self._new(build.alu("where", build.alu("cmpne", u, zero), one, zero))
        nonpositive = build.alu("where", build.alu("cmplt", u, zero), build.full(shape, -1, dtype), zero)
        result = build.alu("where", build.alu("cmplt", zero, u), one, nonpositive)
        return self._new(build.alu("where", build.alu("cmpeq", u, u), result, u) if dtype.is_float else result)

    @under_its_own_name
    def copysign(self, other: Operand) -> Self:
        """The magnitude of x with the sign of y, signed zeros too. Shapes broadcast, dtypes combine; bool and integers as the default float.

            Tensor([1.0, -2.0]).copysign(-0.0)  # [-1.0, -2.0]
        """
        other = self._left(other, "copysign")
        dtype = dtypes.promote(self.dtype, other.dtype)
        dtype = dtype if dtype.is_float else dtypes.default_float()
        magnitude = self.cast(dtype).abs()
        return (-magnitude).where(other.cast(dtype).signbit(), magnitude)

    def signbit(self) -> Self:
        """Where the sign is negative, that of -0.0 and NaN too. The same shape; the result is bool.

            Tensor([-0.0, 1.0]).signbit()  # [True, False]
        """
        if not self.dtype.is_float:
            return self.lt(0)
        bits = {16: T.int16, 32: T.int32, 64: T.int64}[self.dtype.bits]
        return self.bitcast(bits).lt(0)

    def isnan(self) -> Self:
        """Where it is not a number. The same shape; the result is bool.

            Tensor([1.0, float("inf"), float("nan")]).isnan()  # [False, False, True]
        """
        u = self.uop
        return self._new(build.alu("cmpne", u, u) if u.dtype.is_float else build.full(self.shape, False, T.bool_))

    def isinf(self) -> Self:
        """Where it is infinite. The same shape; the result is bool.

            Tensor([1.0, float("inf"), float("nan")]).isinf()  # [False, True, False]
        """
        return self.abs().eq(math.inf) if self.dtype.is_float else self._new(build.full(self.shape, False, T.bool_))

    def isfinite(self) -> Self:
        """Where it is neither infinite nor NaN. The same shape; the result is bool.

            Tensor([1.0, float("inf"), float("nan")]).isfinite()  # [True, False, False]
        """
        return self.abs().lt(math.inf) if self.dtype.is_float else self._new(build.full(self.shape, True, T.bool_))

    @under_its_own_name
    def lerp(self, end: Any, weight: Any) -> Self:
        """x + weight * (end - x). Shapes broadcast, dtypes combine.

            Tensor([0.0, 2.0]).lerp(Tensor([4.0, 4.0]), 0.5)  # [2.0, 3.0]
        """
        return self + self._left(end, "lerp").sub(self).mul(weight)

    def __abs__(self) -> Self:
        return self.abs()

    def __round__(self, decimals: int | None = None) -> Self:
        return self.round(decimals or 0)

    def __floor__(self) -> Self:
        return self.floor()

    def __ceil__(self) -> Self:
        return self.ceil()

    def __trunc__(self) -> Self:
        return self.trunc()
