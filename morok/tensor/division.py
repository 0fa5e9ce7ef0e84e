"""Floor division and remainder of floats, as Python's and NumPy's: x == (x // y) * y + x % y, the remainder with y's sign.

All is computed in float64, where the remainder of a quotient below 2**53 is exact: quotient times divisor is split in two parts (Dekker
1971, "A floating-point technique for extending the available precision"), so that a quotient that rounded up to an integer is found out.
"""
from __future__ import annotations

from ..dialect import types as T
from ..graph.tensor_graph import TensorUOp
from . import build

SPLITTER = float((1 << 27) + 1)


def float_floor_divide(x: TensorUOp, y: TensorUOp) -> TensorUOp:
    return build.cast(_divmod(x, y)[0], x.dtype)


def float_remainder(x: TensorUOp, y: TensorUOp) -> TensorUOp:
    return build.cast(_divmod(x, y)[1], x.dtype)


def _divmod(x: TensorUOp, y: TensorUOp) -> tuple[TensorUOp, TensorUOp]:
    shape = build.shape_of(x)
    x, y = build.cast(x, T.float64), build.cast(y, T.float64)
    zero, one, nan, infinity = (build.full(shape, v, T.float64) for v in (0.0, 1.0, float("nan"), float("inf")))
    quotient = build.alu("div", x, y)
    floor = build.alu("floor", quotient)
    high, low = _exact_product(floor, y)
    rest = build.alu("sub", build.alu("sub", x, high), low)
    # The rounded quotient may be an integer that the true one does not reach; it never falls below one that is reached.
    negative_y = build.alu("cmplt", y, zero)
    above = build.alu("where", negative_y, build.alu("cmplt", zero, rest), build.alu("cmplt", rest, zero))
    floor = build.alu("where", above, build.alu("sub", floor, one), floor)
    rest = build.alu("where", above, build.alu("add", rest, y), rest)
    # A remainder of zero has y's sign.
    signed_zero = build.alu("where", negative_y, build.full(shape, -0.0, T.float64), zero)
    rest = build.alu("where", build.alu("cmpeq", rest, zero), signed_zero, rest)
    # An infinite divisor leaves a finite dividend as it is, if the signs agree.
    apart = build.alu("and", build.alu("xor", build.alu("cmplt", x, zero), negative_y), build.alu("cmpne", x, zero))
    finite = build.alu("cmplt", build.alu("abs", x), infinity)
    by_infinity = build.alu("and", build.alu("cmpeq", build.alu("abs", y), infinity), finite)
    floor = build.alu("where", by_infinity, build.alu("where", apart, build.full(shape, -1.0, T.float64), quotient), floor)
    rest = build.alu("where", by_infinity, build.alu("where", apart, y, x), rest)
    # By zero: the plain quotient, and no remainder. An infinite dividend has neither.
    by_zero = build.alu("cmpeq", y, zero)
    floor = build.alu("where", by_zero, quotient, build.alu("where", finite, floor, nan))
    rest = build.alu("where", build.alu("and", build.alu("not", by_zero), finite), rest, nan)
    return floor, rest


def _exact_product(a: TensorUOp, b: TensorUOp) -> tuple[TensorUOp, TensorUOp]:
    """a * b as rounded product and its error."""
    product = build.alu("mul", a, b)
    a_high, a_low = _halves(a)
    b_high, b_low = _halves(b)
    error = build.alu("sub", build.alu("mul", a_high, b_high), product)
    for left, right in ((a_high, b_low), (a_low, b_high), (a_low, b_low)):
        error = build.alu("add", error, build.alu("mul", left, right))
    return product, error


def _halves(a: TensorUOp) -> tuple[TensorUOp, TensorUOp]:
    """a as the sum of two numbers of at most 26 bits."""
    scaled = build.alu("mul", a, build.full(build.shape_of(a), SPLITTER, T.float64))
    high = build.alu("sub", scaled, build.alu("sub", scaled, a))
    return high, build.alu("sub", a, high)
