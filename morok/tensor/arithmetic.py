"""Further functions element by element: remainders, limits, angles, parts of numbers. All are made of the layers before, and differentiable as those are."""
from __future__ import annotations

import math
from typing import Any, Self

from ..dialect import types as T
from ..errors import DTypeError
from . import build, dtypes
from .broadcasting import operands
from .uniqueness import UniqueMethods


class ArithmeticMethods(UniqueMethods):
    __slots__ = ()

    def _pair(self, other: Any, what: str) -> tuple[Self, Self]:
        """Both operands broadcast, in their common dtype."""
        x, y = operands(self, other, what)
        return self._new(x), self._new(y)

    # Extremes and limits

    def fmax(self, other: Any) -> Self:
        """The greater of both, and where one is NaN the other. Shapes broadcast, dtypes combine.

            Tensor([1.0, float("nan")]).fmax(Tensor([2.0, 3.0]))  # [2.0, 3.0]
        """
        x, y = self._pair(other, "fmax")
        return x.maximum(y) if not x.dtype.is_float else y.where(x.isnan(), x.where(y.isnan(), x.maximum(y)))

    def fmin(self, other: Any) -> Self:
        """The lesser of both, and where one is NaN the other. Shapes broadcast, dtypes combine.

            Tensor([1.0, float("nan")]).fmin(Tensor([2.0, 3.0]))  # [1.0, 3.0]
        """
        x, y = self._pair(other, "fmin")
        return x.minimum(y) if not x.dtype.is_float else y.where(x.isnan(), x.where(y.isnan(), x.minimum(y)))

    def clamp_min(self, min: Any) -> Self:
        """The greater of x and a limit; NaN where either is. Shapes broadcast, dtypes combine.

            Tensor([1.0, 5.0]).clamp_min(2.0)  # [2.0, 5.0]
        """
        return self.maximum(min)

    def clamp_max(self, max: Any) -> Self:
        """The lesser of x and a limit; NaN where either is. Shapes broadcast, dtypes combine.

            Tensor([1.0, 5.0]).clamp_max(2.0)  # [1.0, 2.0]
        """
        return self.minimum(max)

    # Remainders, quotients and powers

    def fmod(self, other: Any) -> Self:
        """Remainder with the dividend's sign, as C's; an integer by 0 gives 0, a float NaN. Shapes broadcast, dtypes combine. DTypeError for bools.

            Tensor([-7.0, 7.0]).fmod(3)  # [-1.0, 1.0]
        """
        x, y = self._pair(other, "fmod")
        if x.dtype is T.bool_:
            raise DTypeError("fmod: takes integers and floats, not bools; cast one of both")
        if x.dtype.is_float:
            return x.abs().mod(y.abs()).copysign(x)
        rest = x.mod(y)
        apart = x.lt(0) ^ y.lt(0)
        return (rest - y).where(rest.ne(0) & apart, rest) if x.dtype.kind == "i" else rest

    def true_divide(self, other: Any) -> Self:
        """Quotient; of integers as the default float. Shapes broadcast, dtypes combine.

            Tensor([1.0, 2.0]).true_divide(4)  # [0.25, 0.5]
        """
        return self.div(other)

    def divmod(self, other: Any) -> tuple[Self, Self]:
        """Quotient rounded down, and remainder with the divisor's sign. Shapes broadcast, dtypes combine.

            quotient, rest = Tensor([-7, 7]).divmod(2)
        """
        return self.floor_divide(other), self.mod(other)

    def float_power(self, other: Any) -> Self:
        """Power in float64. Shapes broadcast.

            Tensor([2.0, 4.0]).float_power(-1)  # [0.5, 0.25]
        """
        return self.cast(T.float64).pow(self._left(other, "float_power").cast(T.float64))

    def cbrt(self) -> Self:
        """Cube root, of negative numbers too. The same shape; bool and integers as the default float.

            Tensor([-8.0, 0.0]).cbrt()  # [-2.0, 0.0]
        """
        x = self._computing()
        size = x.abs()
        regular = size.gt(0) & size.isfinite()
        size = size.where(regular, 1.0)
        root = (size.log2() / 3).exp2()
        for _ in range(2):  # Newton's steps, which double the digits that are right
            root = root - (root - size / (root * root)) / 3
        return root.copysign(x).where(regular, x)._rounded(self.dtype)

    def addcmul(self, tensor1: Any, tensor2: Any, value: Any = 1) -> Self:
        """x + value * tensor1 * tensor2. Shapes broadcast, dtypes combine.

            Tensor([1.0]).addcmul(Tensor([2.0]), Tensor([3.0]), value=10)  # [61.0]
        """
        product = self._left(tensor1, "addcmul").mul(tensor2)
        return self.add(product if isinstance(value, int) and value == 1 else product.mul(value))

    def addcdiv(self, tensor1: Any, tensor2: Any, value: Any = 1) -> Self:
        """x + value * tensor1 / tensor2. Shapes broadcast, dtypes combine.

            Tensor([1.0]).addcdiv(Tensor([6.0]), Tensor([3.0]), value=10)  # [21.0]
        """
        quotient = self._left(tensor1, "addcdiv").div(tensor2)
        return self.add(quotient if isinstance(value, int) and value == 1 else quotient.mul(value))

    # Angles

    def deg2rad(self) -> Self:
        """Degrees as radians. The same shape; bool and integers as the default float.

            Tensor([0.0, 180.0]).deg2rad()
        """
        return (self._computing() * (math.pi / 180))._rounded(self.dtype)

    radians = deg2rad

    def rad2deg(self) -> Self:
        """Radians as degrees. The same shape; bool and integers as the default float.

            Tensor([0.0]).rad2deg()  # [0.0]
        """
        return (self._computing() * (180 / math.pi))._rounded(self.dtype)

    degrees = rad2deg

    # Kinds and parts of numbers

    def isposinf(self) -> Self:
        """Where it is +inf. The same shape; the result is bool.

            Tensor([float("inf"), float("-inf")]).isposinf()  # [True, False]
        """
        return self.eq(math.inf) if self.dtype.is_float else self._new(build.full(self.shape, False, T.bool_))

    def isneginf(self) -> Self:
        """Where it is -inf. The same shape; the result is bool.

            Tensor([float("inf"), float("-inf")]).isneginf()  # [False, True]
        """
        return self.eq(-math.inf) if self.dtype.is_float else self._new(build.full(self.shape, False, T.bool_))

    def positive(self) -> Self:
        """+x: the elements as they are. The same shape and dtype. DTypeError for bools.

            Tensor([-1.0]).positive()  # [-1.0]
        """
        if self.dtype is T.bool_:
            raise DTypeError("positive: takes numbers, not bools; cast them")
        return self._new(self.uop)

    def sgn(self) -> Self:
        """PyTorch's other name of sign: -1, 0 or 1. The same shape and dtype.

            Tensor([-2.0, 0.0]).sgn()  # [-1.0, 0.0]
        """
        return self.sign()

    def rint(self) -> Self:
        """The nearest integer, ties to even. The same shape; bool and integers as the default float.

            Tensor([0.5, 1.5]).rint()  # [0.0, 2.0]
        """
        return self._floating().round()

    def fix(self) -> Self:
        """x without its fraction, another name of trunc. The same shape and dtype.

            Tensor([-1.5, 1.5]).fix()  # [-1.0, 1.0]
        """
        return self.trunc()

    def frac(self) -> Self:
        """The fraction, with x's sign. The same shape and dtype; of integers 0.

            Tensor([-1.5, 2.25]).frac()  # [-0.5, 0.25]
        """
        return self - self.trunc()

    def modf(self) -> tuple[Self, Self]:
        """Fraction and whole part, both with x's sign; of infinities 0 and the infinity. The same shape; bool and integers as the default float.

            fraction, whole = Tensor([-1.5, 2.25]).modf()
        """
        x = self._floating()
        whole = x.trunc()
        return (x - whole).where(x.isfinite() | x.isnan(), 0.0).copysign(x), whole

    def frexp(self) -> tuple[Self, Self]:
        """Mantissa from 1/2 to 1 (or 0) and exponent, int32: x is mantissa * 2 ** exponent. The same shape; bool and integers as the default float.
        Infinities and NaN are their own mantissa, with exponent 0.

            mantissa, exponent = Tensor([6.0, -0.5]).frexp()
        """
        x = self._floating()
        wide = x.cast(dtypes.computing(x.dtype))
        whole, fraction_bits, bias = (T.int64, 52, 1023) if wide.dtype.bits == 64 else (T.int32, 23, 127)
        regular = wide.isfinite() & wide.ne(0)
        small = wide.abs().lt(2.0 ** (2 - bias))  # below the normal numbers: scaled up, so that the exponent's bits tell
        scaled = (wide * 2.0 ** 64).where(small, wide).where(regular, 0.5)
        exponent_mask = ((1 << (wide.dtype.bits - 1 - fraction_bits)) - 1) << fraction_bits
        bits = scaled.detach().bitcast(whole)
        exponent = ((bits & exponent_mask) >> fraction_bits) - (bias - 1)
        half = exponent >> 1
        for power in (half, exponent - half):  # 2 ** -exponent may be no number of the dtype
            scaled = scaled * ((bias - power) << fraction_bits).bitcast(wide.dtype)
        mantissa = scaled.where(regular, wide)
        exponent = (exponent - small.cast(whole) * 64).where(regular, 0)
        return mantissa.cast(x.dtype), exponent.cast(T.int32)

    def ldexp(self, other: Any) -> Self:
        """x * 2 ** other, without overflow in between. Shapes broadcast; bool and integers as the default float.

            Tensor([0.75, 1.0]).ldexp(Tensor([3, -1]))  # [6.0, 0.5]
        """
        power = self._left(other, "ldexp")
        x = self._floating()
        wide = x.cast(dtypes.computing(x.dtype))
        most = 4000 if wide.dtype.bits == 64 else 480
        power = power.cast(wide.dtype).clamp(-most, most)  # beyond, all is 0 or infinite
        for part in range(4, 0, -1):  # in four parts, each of which is a number of the dtype
            step = (power / part).trunc()
            wide = wide * step.exp2()
            power = power - step
        return wide.cast(x.dtype)
