"""log, log2, log1p from basic operations.

x = 2**e * (1 + f) with sqrt(1/2) <= 1 + f < sqrt(2): subtracting the bits of sqrt(1/2) from those of x leaves e in the exponent field.
Near x = 1, e is 0 and f exact, so a polynomial of small relative error is all; float64 first takes s = f / (2 + f), in which log(1 + f) is
an odd series, half as long (as Ng did in fdlibm).
"""
from __future__ import annotations

from dataclasses import dataclass

from morok.passes.codegen.float_blocks import INFINITY, NAN, Ops, Value, at_most, format_of, polynomial

# tools/minimax.py log.float32: (log(1 + f) - f) / f**2
LOG = (-0.499999881, 0.333333254, -0.250016093, 0.20002006, -0.16608417, 0.141808361, -0.132479787, 0.129129142, -0.0761917681)
# tools/minimax.py log2.float32: log2(1 + f) / f - LOG2_E
LOG2 = (1.91974809e-8, -0.721347332, 0.480898231, -0.36069867, 0.28856948, -0.23956582, 0.204525322, -0.191444695, 0.186849251,
        -0.109816074)
# tools/minimax.py atanh_tail.float64: (log(1 + f) - 2 s) / s**3 in s**2
ATANH_TAIL = (0.6666666666666734, 0.39999999999416674, 0.28571428742018085, 0.22222198606307728, 0.1818356277527686, 0.15314087054507541,
              0.14795608678666956)
# 1 / ln 2, rounded, and the rest.
LOG2_E = {"float32": (1.44269502, 1.92596303e-8), "float64": (1.4426950408889634, 2.0355273740931033e-17)}
SQRT_HALF_BITS = {"float32": 0x3F3504F3, "float64": 0x3FE6A09E667F3BCD}
SCALE_OF_SUBNORMALS = {"float32": 24, "float64": 54}


@dataclass(frozen=True)
class Split:
    """x = 2**exponent * mantissa, the exponent as a float."""
    exponent: Value
    mantissa: Value


def split(ops: Ops, x: Value) -> Split:
    """For 0 < x < infinity, subnormals included, mantissa from sqrt(1/2) to sqrt(2)."""
    form = format_of(x)
    subnormal = ops.lt(x, ops.const(form.least_normal, x))
    digits = SCALE_OF_SUBNORMALS[form.name]
    scaled = ops.mul(x, ops.where(subnormal, ops.const(2.0**digits, x), ops.const(1.0, x)))
    return split_normal(ops, scaled, ops.where(subnormal, ops.const(float(digits), x), ops.const(0.0, x)))


def split_normal(ops: Ops, x: Value, extra: Value | None) -> Split:
    """For a normal x; `extra` is taken from the exponent.

    The biased exponent becomes a float as the low bits of one that is 2**fraction plus it: no conversion, which AVX2 lacks for int64, and
    no arithmetic shift.
    """
    form = format_of(x)
    unsigned = "u" + form.bits
    pattern = ops.bitcast(x, unsigned)
    offset = (2 * form.bias + 2) // 2
    bits_of_root = SQRT_HALF_BITS[form.name]
    moved = ops.add(pattern, ops.const((offset << form.fraction) - bits_of_root, pattern))
    mantissa = ops.add(ops.and_(moved, ops.const((1 << form.fraction) - 1, pattern)), ops.const(bits_of_root, pattern))
    integer = ops.or_(ops.shr(moved, ops.const(form.fraction, pattern)), ops.const((form.fraction + form.bias) << form.fraction, pattern))
    bias = ops.const(2.0**form.fraction + offset, x)
    exponent = ops.sub(ops.bitcast(integer, form.name), bias if extra is None else ops.add(bias, extra))
    return Split(exponent, ops.bitcast(mantissa, form.name))


def with_special_values(ops: Ops, x: Value, result: Value) -> Value:
    """result for 0 < x < infinity; 0 -> -inf, x < 0 -> NaN, +inf -> +inf, NaN -> NaN."""
    zero, infinity = ops.const(0.0, x), ops.const(INFINITY, x)
    result = ops.where(ops.lt(x, infinity), result, x)
    outside = ops.where(ops.eq(x, zero), ops.const(-INFINITY, x), ops.const(NAN, x))
    return ops.where(ops.lt(zero, x), result, outside)


def _log_tail(ops: Ops, f: Value) -> Value:
    """log(1 + f) - f."""
    if format_of(f).name == "float32":
        return ops.mul(ops.mul(f, f), polynomial(ops, f, LOG))
    half_square = ops.mul(ops.mul(f, ops.const(0.5, f)), f)
    s = ops.div(f, ops.add(f, ops.const(2.0, f)))
    z = ops.mul(s, s)
    # log(1 + f) = 2 s + s R and 2 s = f - s f = f - f**2/2 + s f**2/2; so the quotient's error counts only in a small term.
    rest = ops.fma(z, polynomial(ops, z, ATANH_TAIL), half_square)
    return ops.fma(s, rest, ops.neg(half_square))


def log(ops: Ops, x: Value) -> Value:
    """Natural logarithm. +-0 -> -inf; x < 0, NaN -> NaN; +inf -> +inf."""
    parts = split(ops, x)
    f = ops.sub(parts.mantissa, ops.const(1.0, x))
    return with_special_values(ops, x, _add_exponent(ops, parts.exponent, f, _log_tail(ops, f)))


def _add_exponent(ops: Ops, exponent: Value, f: Value, tail: Value) -> Value:
    """exponent ln 2 + f + tail."""
    high, low = format_of(f).ln2
    tail = ops.fma(exponent, ops.const(low, f), tail)
    return ops.fma(exponent, ops.const(high, f), ops.add(f, tail))


def log2(ops: Ops, x: Value) -> Value:
    """Logarithm to base 2. +-0 -> -inf; x < 0, NaN -> NaN; +inf -> +inf; exact at powers of two."""
    parts = split(ops, x)
    f = ops.sub(parts.mantissa, ops.const(1.0, x))
    high, low = (ops.const(part, x) for part in LOG2_E[format_of(x).name])
    if format_of(x).name == "float32":
        rest = ops.fma(f, polynomial(ops, f, LOG2), parts.exponent)
    else:
        rest = ops.add(parts.exponent, ops.fma(f, low, ops.mul(_log_tail(ops, f), high)))
    return with_special_values(ops, x, ops.fma(f, high, rest))


def log1p(ops: Ops, x: Value) -> Value:
    """log(1 + x). +-0 -> +-0; -1 -> -inf; x < -1, NaN -> NaN; +inf -> +inf."""
    return ops.where(ops.eq(x, ops.const(0.0, x)), x, log_of_sum(ops, x, None, None))


def log_of_sum(ops: Ops, x: Value, low: Value | None, doublings: Value | None) -> Value:
    """log((1 + x + low) * 2**doublings), low below an ulp of x. Special values as log1p; the sign of a zero is lost."""
    form = format_of(x)
    one = ops.const(1.0, x)
    total = ops.add(x, one)
    parts = split_normal(ops, total, None)
    # 1 + x = total + lost exactly; where x is so large that this `lost` is not, it does not count.
    lost = ops.sub(x, ops.sub(total, one))
    if low is not None:
        lost = ops.add(lost, low)
    # 2**-exponent, from the bits of mantissa and total; where total is large, some small number.
    bits = ops.bitcast(at_most(ops, total, 2.0 ** (form.bias - 20)), form.bits)
    one_over = ops.sub(ops.add(ops.bitcast(parts.mantissa, form.bits), ops.const(form.bias << form.fraction, bits)), bits)
    scale = ops.bitcast(one_over, form.name)
    main = ops.sub(parts.mantissa, one)
    f = ops.fma(lost, scale, main)
    tail = _log_tail(ops, f)
    if low is not None:
        tail = ops.add(tail, ops.fma(lost, scale, ops.sub(main, f)))
    exponent = parts.exponent if doublings is None else ops.add(parts.exponent, doublings)
    return with_special_values(ops, total, _add_exponent(ops, exponent, f, tail))
