"""Functions of the standard element by element.

Each is that of `morok`, with the standard's signature: operands by position, shapes broadcast, dtypes promoted; one of two operands may be a Python number.
"""
from __future__ import annotations

from typing import Any

from ..functions import elementwise
from ..tensor.tensor import Tensor
from .operands import require_pair, tensor


def abs(x: Any, /) -> Tensor:
    """The absolute value; of the least signed integer, itself (it wraps)."""
    return elementwise.abs(tensor(x, "abs"))


def acos(x: Any, /) -> Tensor:
    """Inverse cosine in radians; NaN outside [-1, 1]."""
    return elementwise.acos(tensor(x, "acos"))


def acosh(x: Any, /) -> Tensor:
    """Inverse hyperbolic cosine; NaN below 1."""
    return elementwise.acosh(tensor(x, "acosh"))


def asin(x: Any, /) -> Tensor:
    """Inverse sine in radians; NaN outside [-1, 1]."""
    return elementwise.asin(tensor(x, "asin"))


def asinh(x: Any, /) -> Tensor:
    """Inverse hyperbolic sine."""
    return elementwise.asinh(tensor(x, "asinh"))


def atan(x: Any, /) -> Tensor:
    """Inverse tangent in radians."""
    return elementwise.atan(tensor(x, "atan"))


def atanh(x: Any, /) -> Tensor:
    """Inverse hyperbolic tangent; NaN outside [-1, 1]."""
    return elementwise.atanh(tensor(x, "atanh"))


def bitwise_invert(x: Any, /) -> Tensor:
    """Every bit the other one; of bools, not."""
    return elementwise.bitwise_invert(tensor(x, "bitwise_invert"))


def ceil(x: Any, /) -> Tensor:
    """The least whole number that is not less; integers stay."""
    return elementwise.ceil(tensor(x, "ceil"))


def cos(x: Any, /) -> Tensor:
    """Cosine of radians."""
    return elementwise.cos(tensor(x, "cos"))


def cosh(x: Any, /) -> Tensor:
    """Hyperbolic cosine."""
    return elementwise.cosh(tensor(x, "cosh"))


def exp(x: Any, /) -> Tensor:
    """e to the power x."""
    return elementwise.exp(tensor(x, "exp"))


def expm1(x: Any, /) -> Tensor:
    """exp(x) - 1, exact near 0."""
    return elementwise.expm1(tensor(x, "expm1"))


def floor(x: Any, /) -> Tensor:
    """The greatest whole number that is not greater; integers stay."""
    return elementwise.floor(tensor(x, "floor"))


def isfinite(x: Any, /) -> Tensor:
    """Whether an element is neither infinite nor NaN, as bool."""
    return elementwise.isfinite(tensor(x, "isfinite"))


def isinf(x: Any, /) -> Tensor:
    """Whether an element is an infinity, as bool."""
    return elementwise.isinf(tensor(x, "isinf"))


def isnan(x: Any, /) -> Tensor:
    """Whether an element is NaN, as bool."""
    return elementwise.isnan(tensor(x, "isnan"))


def log(x: Any, /) -> Tensor:
    """Natural logarithm; -inf at 0, NaN below."""
    return elementwise.log(tensor(x, "log"))


def log1p(x: Any, /) -> Tensor:
    """log(1 + x), exact near 0."""
    return elementwise.log1p(tensor(x, "log1p"))


def log2(x: Any, /) -> Tensor:
    """Logarithm to base 2."""
    return elementwise.log2(tensor(x, "log2"))


def log10(x: Any, /) -> Tensor:
    """Logarithm to base 10."""
    return elementwise.log10(tensor(x, "log10"))


def logical_not(x: Any, /) -> Tensor:
    """Whether an element is 0, as bool."""
    return elementwise.logical_not(tensor(x, "logical_not"))


def negative(x: Any, /) -> Tensor:
    """The number of the other sign; unsigned integers wrap."""
    return elementwise.negative(tensor(x, "negative"))


def reciprocal(x: Any, /) -> Tensor:
    """1 / x."""
    return elementwise.reciprocal(tensor(x, "reciprocal"))


def round(x: Any, /) -> Tensor:
    """The nearest whole number, halves to the even one; integers stay."""
    return elementwise.round(tensor(x, "round"))


def sign(x: Any, /) -> Tensor:
    """-1, 0 or 1; NaN of NaN."""
    return elementwise.sign(tensor(x, "sign"))


def signbit(x: Any, /) -> Tensor:
    """Whether the sign is minus, of -0.0 and NaN too, as bool."""
    return elementwise.signbit(tensor(x, "signbit"))


def sin(x: Any, /) -> Tensor:
    """Sine of radians."""
    return elementwise.sin(tensor(x, "sin"))


def sinh(x: Any, /) -> Tensor:
    """Hyperbolic sine."""
    return elementwise.sinh(tensor(x, "sinh"))


def sqrt(x: Any, /) -> Tensor:
    """Square root; NaN below 0."""
    return elementwise.sqrt(tensor(x, "sqrt"))


def square(x: Any, /) -> Tensor:
    """x * x."""
    return elementwise.square(tensor(x, "square"))


def tan(x: Any, /) -> Tensor:
    """Tangent of radians."""
    return elementwise.tan(tensor(x, "tan"))


def tanh(x: Any, /) -> Tensor:
    """Hyperbolic tangent."""
    return elementwise.tanh(tensor(x, "tanh"))


def trunc(x: Any, /) -> Tensor:
    """The number without its fraction; integers stay."""
    return elementwise.trunc(tensor(x, "trunc"))


def add(x1: Any, x2: Any, /) -> Tensor:
    """Sums."""
    require_pair(x1, x2, "add")
    return elementwise.add(x1, x2)


def atan2(x1: Any, x2: Any, /) -> Tensor:
    """The angle of the point (x2, x1), in (-pi, pi]."""
    require_pair(x1, x2, "atan2")
    return elementwise.atan2(x1, x2)


def bitwise_and(x1: Any, x2: Any, /) -> Tensor:
    """Bits set in both."""
    require_pair(x1, x2, "bitwise_and")
    return elementwise.bitwise_and(x1, x2)


def bitwise_left_shift(x1: Any, x2: Any, /) -> Tensor:
    """Bits moved up; 0 where the distance is negative or reaches the width."""
    require_pair(x1, x2, "bitwise_left_shift")
    return elementwise.bitwise_left_shift(x1, x2)


def bitwise_or(x1: Any, x2: Any, /) -> Tensor:
    """Bits set in one or both."""
    require_pair(x1, x2, "bitwise_or")
    return elementwise.bitwise_or(x1, x2)


def bitwise_right_shift(x1: Any, x2: Any, /) -> Tensor:
    """Bits moved down, the sign kept; 0 (or -1) where the distance is negative or reaches the width."""
    require_pair(x1, x2, "bitwise_right_shift")
    return elementwise.bitwise_right_shift(x1, x2)


def bitwise_xor(x1: Any, x2: Any, /) -> Tensor:
    """Bits set in one alone."""
    require_pair(x1, x2, "bitwise_xor")
    return elementwise.bitwise_xor(x1, x2)


def copysign(x1: Any, x2: Any, /) -> Tensor:
    """x1's size with x2's sign."""
    require_pair(x1, x2, "copysign")
    return elementwise.copysign(x1, x2)


def divide(x1: Any, x2: Any, /) -> Tensor:
    """Quotients; of integers in the default float."""
    require_pair(x1, x2, "divide")
    return elementwise.divide(x1, x2)


def equal(x1: Any, x2: Any, /) -> Tensor:
    """Whether elements are equal, as bool."""
    require_pair(x1, x2, "equal")
    return elementwise.equal(x1, x2)


def floor_divide(x1: Any, x2: Any, /) -> Tensor:
    """Quotients rounded down, of infinities as Python and NumPy (inf // 2 is NaN, 1 // -inf is -1); an integer by 0 gives 0."""
    require_pair(x1, x2, "floor_divide")
    return elementwise.floor_divide(x1, x2)


def greater(x1: Any, x2: Any, /) -> Tensor:
    """Whether x1 is greater, as bool."""
    require_pair(x1, x2, "greater")
    return elementwise.greater(x1, x2)


def greater_equal(x1: Any, x2: Any, /) -> Tensor:
    """Whether x1 is not less, as bool."""
    require_pair(x1, x2, "greater_equal")
    return elementwise.greater_equal(x1, x2)


def hypot(x1: Any, x2: Any, /) -> Tensor:
    """sqrt(x1 * x1 + x2 * x2) without overflow."""
    require_pair(x1, x2, "hypot")
    return elementwise.hypot(x1, x2)


def less(x1: Any, x2: Any, /) -> Tensor:
    """Whether x1 is less, as bool."""
    require_pair(x1, x2, "less")
    return elementwise.less(x1, x2)


def less_equal(x1: Any, x2: Any, /) -> Tensor:
    """Whether x1 is not greater, as bool."""
    require_pair(x1, x2, "less_equal")
    return elementwise.less_equal(x1, x2)


def logaddexp(x1: Any, x2: Any, /) -> Tensor:
    """log(exp(x1) + exp(x2)) without overflow."""
    require_pair(x1, x2, "logaddexp")
    return elementwise.logaddexp(x1, x2)


def logical_and(x1: Any, x2: Any, /) -> Tensor:
    """Whether both are not 0, as bool."""
    require_pair(x1, x2, "logical_and")
    return elementwise.logical_and(x1, x2)


def logical_or(x1: Any, x2: Any, /) -> Tensor:
    """Whether one or both are not 0, as bool."""
    require_pair(x1, x2, "logical_or")
    return elementwise.logical_or(x1, x2)


def logical_xor(x1: Any, x2: Any, /) -> Tensor:
    """Whether one alone is not 0, as bool."""
    require_pair(x1, x2, "logical_xor")
    return elementwise.logical_xor(x1, x2)


def maximum(x1: Any, x2: Any, /) -> Tensor:
    """The greater one; NaN if one is."""
    require_pair(x1, x2, "maximum")
    return elementwise.maximum(x1, x2)


def minimum(x1: Any, x2: Any, /) -> Tensor:
    """The lesser one; NaN if one is."""
    require_pair(x1, x2, "minimum")
    return elementwise.minimum(x1, x2)


def multiply(x1: Any, x2: Any, /) -> Tensor:
    """Products; integers wrap."""
    require_pair(x1, x2, "multiply")
    return elementwise.multiply(x1, x2)


def nextafter(x1: Any, x2: Any, /) -> Tensor:
    """The next number after x1 toward x2."""
    require_pair(x1, x2, "nextafter")
    return elementwise.nextafter(x1, x2)


def not_equal(x1: Any, x2: Any, /) -> Tensor:
    """Whether elements differ, as bool."""
    require_pair(x1, x2, "not_equal")
    return elementwise.not_equal(x1, x2)


def pow(x1: Any, x2: Any, /) -> Tensor:
    """x1 to the power x2; integers wrap."""
    require_pair(x1, x2, "pow")
    return elementwise.pow(x1, x2)


def remainder(x1: Any, x2: Any, /) -> Tensor:
    """What is left of a division rounded down, of x2's sign; an integer by 0 gives 0."""
    require_pair(x1, x2, "remainder")
    return elementwise.remainder(x1, x2)


def subtract(x1: Any, x2: Any, /) -> Tensor:
    """Differences."""
    require_pair(x1, x2, "subtract")
    return elementwise.subtract(x1, x2)


def clip(x: Any, /, min: Any = None, max: Any = None) -> Tensor:
    """The number, or the limit that it is beyond, in x's dtype; NaN stays. Limits are numbers or tensors that broadcast with x."""
    source = tensor(x, "clip")
    if min is not None:
        source = source.maximum(min)
    if max is not None:
        source = source.minimum(max)
    return source.cast(x.dtype) if source is not x else +source


def positive(x: Any, /) -> Tensor:
    """The number itself, a new tensor."""
    return +tensor(x, "positive")


def conj(x: Any, /) -> Tensor:
    """The number itself, a new tensor: there are real numbers alone."""
    return +tensor(x, "conj")


def real(x: Any, /) -> Tensor:
    """The number itself, a new tensor: there are real numbers alone."""
    return +tensor(x, "real")


def imag(x: Any, /) -> Tensor:
    """Zeros: there are real numbers alone."""
    return tensor(x, "imag").zeros_like()
