"""asin, acos, atan and asinh, acosh, atanh from basic operations.

The first three take one odd polynomial near 0 and reach the rest by an identity: atan x = pi/2 + atan(-1/x) and
asin x = pi/2 - 2 asin sqrt((1 - x)/2). The others are log1p of an expression of x, whose rounding error log1p takes as a second summand.
"""
from __future__ import annotations

from morok.passes.codegen.float_blocks import INFINITY, NAN, Ops, Value, fast_two_sum, flip_sign, format_of, polynomial, sign_bit
from morok.passes.codegen.float_logarithm import log_of_sum
from morok.passes.codegen.float_reduction import HALF_PI

# tools/minimax.py atan.float32 atan.float64: (atan x - x) / x**3 in x**2, |x| <= 1
ATAN = {"float32": (-0.333332986, 0.199985296, -0.142640173, 0.109509036, -0.083994396, 0.0578851402, -0.0311024897, 0.0108727245,
                    -0.0017839896),
        "float64": (-0.33333333333333071, 0.19999999999951745, -0.14285714282587805, 0.11111111007333296, -0.090909070076360718,
                    0.076922798868964373, -0.066664044058680996, 0.058805296989671636, -0.052535262773223505, 0.047223466085329374,
                    -0.042192389122122191, 0.036643064206761687, -0.029905595047577203, 0.021986889999662359, -0.013902399412840308,
                    0.0071977566735656646, -0.002885541571483634, 0.00083153495930916865, -0.00015220567903236683, 1.3229441863314758e-5)}
# tools/minimax.py asin.float32 asin.float64: (asin x - x) / x**3 in x**2, |x| <= 0.55
ASIN = {"float32": (0.166666403, 0.075016275, 0.0443107747, 0.0334456526, 0.00856798515, 0.0453086048),
        "float64": (0.16666666666666505, 0.075000000000478406, 0.044642857093444378, 0.030381947018976372, 0.02237207974642787,
                    0.017354342250968779, 0.01394352859100915, 0.011753385948204187, 0.0084074681543424342, 0.014855395956734685,
                    -0.014296091676158567, 0.055116921883935875, -0.062250081227749721, 0.052874245609922016)}
# Above this asin takes the identity: a little over 1/2, so that twice the asin of the square root is below 1 and its error small.
ASIN_LIMIT = 0.55
# Above these asinh and acosh are log 2x, or log 2(1 + x), and before x**2 overflows.
LARGE = {"float32": 2.0**30, "float64": 2.0**60}


def atan(ops: Ops, x: Value) -> Value:
    """atan x. +-0 -> +-0, +-inf -> +-pi/2, NaN -> NaN."""
    name = format_of(x).name
    size, zero, one = ops.abs(x), ops.const(0.0, x), ops.const(1.0, x)
    large = ops.lt(one, size)
    t = ops.div(ops.where(large, ops.const(-1.0, x), size), ops.where(large, size, one))
    square = ops.mul(t, t)
    high, low = HALF_PI[name][:2]
    rest = ops.fma(ops.mul(t, square), polynomial(ops, square, ATAN[name]), ops.where(large, ops.const(low, x), zero))
    result = ops.add(ops.where(large, ops.const(high, x), zero), ops.add(t, rest))
    return flip_sign(ops, result, sign_bit(ops, x))


def _asin_parts(ops: Ops, x: Value) -> tuple[Value, Value]:
    """(large, a): a = asin |x|, or where |x| is large asin sqrt((1 - |x|)/2). NaN if |x| > 1."""
    size, half = ops.abs(x), ops.const(0.5, x)
    large = ops.lt(ops.const(ASIN_LIMIT, x), size)
    square = ops.where(large, ops.fma(ops.neg(half), size, half), ops.mul(size, size))
    root = ops.where(large, ops.sqrt(square), size)
    return large, ops.fma(ops.mul(root, square), polynomial(ops, square, ASIN[format_of(x).name]), root)


def asin(ops: Ops, x: Value) -> Value:
    """asin x. +-0 -> +-0; |x| > 1, NaN -> NaN."""
    large, part = _asin_parts(ops, x)
    zero = ops.const(0.0, x)
    high, low = (ops.where(large, ops.const(value, x), zero) for value in HALF_PI[format_of(x).name][:2])
    part = ops.mul(part, ops.where(large, ops.const(-2.0, x), ops.const(1.0, x)))
    return flip_sign(ops, ops.add(high, ops.add(low, part)), sign_bit(ops, x))


def acos(ops: Ops, x: Value) -> Value:
    """acos x = k pi/2 +- (1 or 2) a. |x| > 1, NaN -> NaN."""
    large, part = _asin_parts(ops, x)
    zero, one, two = (ops.const(value, x) for value in (0.0, 1.0, 2.0))
    negative = ops.lt(x, zero)
    quarters = ops.where(large, ops.where(negative, two, zero), one)
    part = ops.mul(part, ops.where(large, two, ops.const(-1.0, x)))
    part = flip_sign(ops, part, sign_bit(ops, x))
    high, low = (ops.const(value, x) for value in HALF_PI[format_of(x).name][:2])
    return ops.fma(quarters, high, ops.fma(quarters, low, part))


def asinh(ops: Ops, x: Value) -> Value:
    """asinh |x| = log(1 + |x| + x**2 / (1 + sqrt(x**2 + 1))). +-0 -> +-0, +-inf -> +-inf, NaN -> NaN."""
    size, one = ops.abs(x), ops.const(1.0, x)
    large = ops.lt(ops.const(LARGE[format_of(x).name], x), size)
    root = ops.sqrt(ops.fma(size, size, one))
    quotient = ops.div(ops.mul(size, size), ops.add(one, root))
    high, low = fast_two_sum(ops, size, ops.where(large, ops.const(0.0, x), quotient))
    result = log_of_sum(ops, high, low, doublings=ops.where(large, one, ops.const(0.0, x)))
    return flip_sign(ops, ops.where(ops.eq(size, ops.const(0.0, x)), size, result), sign_bit(ops, x))


def acosh(ops: Ops, x: Value) -> Value:
    """acosh x = log(1 + t + sqrt(2 t + t**2)), t = x - 1. x < 1, NaN -> NaN; +inf -> +inf."""
    one, zero = ops.const(1.0, x), ops.const(0.0, x)
    large = ops.lt(ops.const(LARGE[format_of(x).name], x), x)
    t = ops.sub(x, one)
    root = ops.sqrt(ops.fma(t, t, ops.add(t, t)))
    high, low = fast_two_sum(ops, ops.where(large, x, root), ops.where(large, zero, t))
    result = log_of_sum(ops, high, low, doublings=ops.where(large, one, zero))
    return ops.where(ops.lt(x, one), ops.const(NAN, x), result)


def atanh(ops: Ops, x: Value) -> Value:
    """atanh |x| = log(1 + 2 |x| / (1 - |x|)) / 2. +-0 -> +-0, +-1 -> +-inf; |x| > 1, NaN -> NaN."""
    size, one = ops.abs(x), ops.const(1.0, x)
    twice = ops.add(size, size)
    denominator, denominator_low = fast_two_sum(ops, one, ops.neg(size))
    inverse = ops.div(one, denominator)
    high = ops.mul(twice, inverse)
    # What is left of 2 |x| - high * (1 - |x|), divided as well.
    remainder = ops.fma(ops.neg(high), denominator_low, ops.fma(ops.neg(high), denominator, twice))
    result = log_of_sum(ops, high, ops.mul(remainder, inverse), doublings=None)
    result = ops.mul(result, ops.const(0.5, x))
    result = ops.where(ops.eq(size, one), ops.const(INFINITY, x), ops.where(ops.eq(size, ops.const(0.0, x)), size, result))
    return flip_sign(ops, result, sign_bit(ops, x))
