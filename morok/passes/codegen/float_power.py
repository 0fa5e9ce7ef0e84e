"""pow from basic operations: |x|**y = 2**(y log2 |x|).

The logarithm must be the more exact the larger the result's exponent: for float32 some 36 bits, in float64; for float64 some 68, as a sum.
"""
from __future__ import annotations

from morok.passes.codegen.float_blocks import (
    FLOAT64,
    INFINITY,
    NAN,
    Ops,
    Value,
    at_least,
    at_most,
    fast_two_sum,
    flip_sign,
    format_of,
    polynomial,
    power_of_two,
    shifted_product,
    sign_bit,
    two_product,
)
from morok.passes.codegen.float_exponential import exp2_of_sum
from morok.passes.codegen.float_logarithm import split, split_normal

# tools/minimax.py log2_for_pow32.float64: log2(1 + f) / f, and exp2_for_pow32.float64: 2**r, |r| <= 1/2
LOG2_32 = (1.4426950408687029, -0.72134752086880427, 0.48089836139454184, -0.36067367484188806, 0.28853729361019331, -0.24045316448681026,
           0.20617535434322767, -0.18030062915240858, 0.15876988919093157, -0.14315617719137777, 0.14474770958543076, -0.14284032615286998,
           0.077372781879194191)
EXP2_32 = (1.0, 0.69314720285155218, 0.2402264790871447, 0.055503324797962918, 0.0096184379693872134, 0.0013398871022115111,
           0.00015353194347647397)
# log2(1 + f) / s = FIRST + z (SECOND + z * REST(z)), s = f / (2 + f), z = s**2: FIRST = 2/ln 2 and SECOND = FIRST/3 as sums of two,
# REST from tools/minimax.py log2_for_pow64.float64.
FIRST = (2.8853900817779268, 4.0710547481862066e-17)
SECOND = (0.9617966939259756, 5.0577616648125907e-17)
REST = (0.57707801635558509, 0.41219858311134572, 0.3205988979127804, 0.26230819865899618, 0.22195227023854233, 0.19240132871930463,
        0.16845134538326587, 0.17281901355604185)
# An infinite exponent acts as this one, which keeps 1**inf = 1: |log2 x| is above 2**-54 elsewhere.
LARGEST_EXPONENT = 2.0**70
# y log2 |x| beyond this is 0 or infinity.
RANGE = {"float32": 200.0, "float64": 1100.0}


def _with_ends(ops: Ops, size: Value, logarithm: Value) -> Value:
    """The logarithm of size >= 0: of 0, infinity and NaN as well."""
    logarithm = ops.where(ops.lt(size, ops.const(INFINITY, size)), logarithm, size)
    return ops.where(ops.eq(size, ops.const(0.0, size)), ops.const(-INFINITY, size), logarithm)


def _power_float32(ops: Ops, size: Value, y: Value) -> Value:
    wide, exponent = ops.cast(size, "float64"), ops.cast(y, "float64")
    parts = split_normal(ops, wide, None)
    f = ops.sub(parts.mantissa, ops.const(1.0, wide))
    logarithm = ops.fma(f, polynomial(ops, f, LOG2_32), parts.exponent)
    product = ops.mul(exponent, _with_ends(ops, wide, logarithm))
    product = at_most(ops, at_least(ops, product, -RANGE["float32"]), RANGE["float32"])
    shifted, n = shifted_product(ops, product, 1.0, FLOAT64.bias)
    return ops.cast(ops.mul(power_of_two(ops, shifted), polynomial(ops, ops.sub(product, n), EXP2_32)), "float32")


def _log2_as_sum(ops: Ops, x: Value) -> tuple[Value, Value]:
    """log2 x for 0 < x < infinity, as high + low."""
    parts = split(ops, x)
    one = ops.const(1.0, x)
    f = ops.sub(parts.mantissa, one)
    # s = f / (mantissa + 1) as a sum of two
    denominator, denominator_low = fast_two_sum(ops, one, parts.mantissa)
    inverse = ops.div(one, denominator)
    s = ops.mul(f, inverse)
    remainder = ops.fma(ops.neg(s), denominator_low, ops.fma(ops.neg(s), denominator, f))
    s_low = ops.mul(remainder, inverse)
    z, z_low = two_product(ops, s, s)
    z_low = ops.fma(ops.add(s, s), s_low, z_low)
    # series = SECOND + z REST, times z, plus FIRST: the terms grow by 2**5 or more, so each sum is fast_two_sum's.
    series, series_low = fast_two_sum(ops, ops.const(SECOND[0], x), ops.mul(z, polynomial(ops, z, REST)))
    series_low = ops.add(series_low, ops.const(SECOND[1], x))
    term, term_low = two_product(ops, z, series)
    term_low = ops.add(term_low, ops.fma(z, series_low, ops.mul(z_low, series)))
    factor, factor_low = fast_two_sum(ops, ops.const(FIRST[0], x), term)
    factor_low = ops.add(factor_low, ops.add(term_low, ops.const(FIRST[1], x)))
    high, low = two_product(ops, s, factor)
    low = ops.add(low, ops.fma(s, factor_low, ops.mul(s_low, factor)))
    total, lost = fast_two_sum(ops, parts.exponent, high)
    return fast_two_sum(ops, total, ops.add(lost, low))


def _power_float64(ops: Ops, size: Value, y: Value) -> Value:
    limit = RANGE["float64"]
    high, low = _log2_as_sum(ops, size)
    high = _with_ends(ops, size, high)
    product, product_low = two_product(ops, y, high)
    product_low = ops.fma(y, low, product_low)
    within = ops.lt(ops.abs(product), ops.const(limit, size))
    product = at_most(ops, at_least(ops, product, -limit), limit)
    return exp2_of_sum(ops, product, ops.where(within, product_low, ops.const(0.0, size)))


def pow(ops: Ops, x: Value, y: Value) -> Value:
    """x**y as C's pow: x**0 = 1**y = 1 even for NaN; a negative x has a power, with the sign of its parity, only for whole y."""
    power = {"float32": _power_float32, "float64": _power_float64}[format_of(x).name]
    zero, one = ops.const(0.0, x), ops.const(1.0, x)
    exponent = at_most(ops, at_least(ops, y, -LARGEST_EXPONENT), LARGEST_EXPONENT)
    size = ops.abs(x)
    result = power(ops, size, exponent)
    half = ops.mul(exponent, ops.const(0.5, x))
    whole = ops.eq(ops.round_even(exponent), exponent)
    odd = ops.and_(whole, ops.ne(ops.round_even(half), half))
    sign = sign_bit(ops, x)
    result = flip_sign(ops, result, ops.where(odd, sign, ops.const(0, sign)))
    undefined = ops.and_(ops.not_(whole), ops.and_(ops.lt(x, zero), ops.lt(ops.const(-INFINITY, x), x)))
    result = ops.where(undefined, ops.const(NAN, x), result)
    return ops.where(ops.or_(ops.eq(y, zero), ops.eq(x, one)), one, result)
