"""Powers of integers, and of floats to small integers, by repeated squaring."""
from __future__ import annotations

from typing import Any

from ..dialect import types as T
from ..errors import BoundsError
from ..graph.tensor_graph import TensorUOp
from . import build, dtypes


def constant_power(u: TensorUOp, exponent: Any) -> TensorUOp:
    """u to the power of a Python number. BoundsError for an integer to a negative one."""
    dtype = dtypes.with_scalar(u.dtype, exponent)
    if dtype is T.bool_:
        dtype = T.int8
    u = build.cast(u, dtype)
    if not dtype.is_float:
        if exponent < 0:
            raise BoundsError(f"pow: integers have no negative powers, given exponent {exponent}; cast to a float first")
        return power_by_squaring(u, int(exponent))
    if float(exponent).is_integer() and 0 <= exponent <= 4:
        return power_by_squaring(u, int(exponent))
    if exponent == 0.5:
        return build.alu("sqrt", u)
    if exponent == -1:
        return build.alu("div", build.full(build.shape_of(u), 1.0, dtype), u)
    return build.alu("pow", u, build.full(build.shape_of(u), float(exponent), dtype))


def power_by_squaring(x: TensorUOp, exponent: int) -> TensorUOp:
    """x to a constant power that is not negative: about log2(exponent) products. x to the power 0 is 1, for NaN too."""
    result: TensorUOp | None = None
    if not x.dtype.is_float:
        exponent = _reduced(exponent, x.dtype.bits)
    while exponent:
        if exponent & 1:
            result = x if result is None else build.alu("mul", result, x)
        exponent >>= 1
        if exponent:
            x = build.alu("mul", x, x)
    return build.full(build.shape_of(x), 1, x.dtype) if result is None else result


def _reduced(exponent: int, width: int) -> int:
    """A smaller exponent with the same power modulo 2**width."""
    period = 1 << max(width - 2, 1)
    return exponent if exponent < period + width else (exponent - width) % period + width


def integer_power(x: TensorUOp, y: TensorUOp) -> TensorUOp:
    """x ** y, wrapping, for integers of one shape and dtype; to a negative power 0, but for 1 and -1.

    The powers of odd x modulo 2**width repeat after 2**(width - 2), those of even x are 0 from width on: bits of y from width on do not
    matter.
    """
    dtype, shape = x.dtype, build.shape_of(x)
    one, zero = build.full(shape, 1, dtype), build.full(shape, 0, dtype)
    result, square = one, x
    bits = dtype.bits - (dtype.kind == "i")
    for bit in range(bits):
        taken = build.alu("cmpne", build.alu("and", y, build.full(shape, 1 << bit, dtype)), zero)
        result = build.alu("where", taken, build.alu("mul", result, square), result)
        if bit + 1 < bits:
            square = build.alu("mul", square, square)
    if dtype.kind == "u":
        return result
    odd = build.alu("cmpne", build.alu("and", y, one), zero)
    minus_one = build.full(shape, -1, dtype)
    alternating = build.alu("where", odd, minus_one, one)
    inverse = build.alu("where", build.alu("cmpeq", x, one), one, build.alu("where", build.alu("cmpeq", x, minus_one), alternating, zero))
    return build.alu("where", build.alu("cmplt", y, zero), inverse, result)
