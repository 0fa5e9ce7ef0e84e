"""exp, exp2, expm1, sinh, cosh, tanh from basic operations.

All reduce x = n ln 2 + r (Cody & Waite 1980), n rounded by adding 1.5 * 2**fraction, and take a polynomial of r. For exp and exp2, n is
even and 2**(n/2) multiplies twice: that reaches subnormal results with one rounding and overflows to infinity, and costs two more terms of
the polynomial instead of five more operations for the two scales.
"""
from __future__ import annotations

from dataclasses import dataclass

from morok.passes.codegen.float_blocks import FLOAT32, Ops, Value, at_least, at_most, flip_sign, format_of, polynomial, power_of_two, shifted_product, sign_bit

# tools/minimax.py exp.float32 exp.float64 exp2.float32 exp2.float64; the first is f(0) = 1.
EXP = {"float32": (1.0, 1.0, 0.500000358, 0.16666618, 0.041661229, 0.0083359303, 0.00141047628, 0.00019630717),
       "float64": (1.0, 0.99999999999999989, 0.49999999999999922, 0.16666666666667274, 0.041666666666703649, 0.0083333333332341226,
                   0.0013888888883431135, 0.00019841269910829501, 2.4801590890121905e-5, 2.7557295950045583e-6, 2.7556146730742986e-7,
                   2.5055644638686673e-8, 2.1063123812031067e-9, 1.5904178714581773e-10)}
EXP2 = {"float32": (1.0, 0.693147242, 0.240226686, 0.055503659, 0.00961684436, 0.00133417174, 0.000156452967, 1.49172265e-5),
        "float64": (1.0, 0.69314718055994529, 0.24022650695910031, 0.055504108664822818, 0.0096181291076373882, 0.00133335581463104,
                    0.00015403530387184583, 1.5252733847345351e-5, 1.3215488727482107e-6, 1.0178078745243603e-7, 7.0546093959715689e-9,
                    4.4460780431482719e-10, 2.5908304713430374e-11, 1.35824647159723e-12)}
# tools/minimax.py expm1.float32 expm1.float64: (e**r - 1 - r) / r**2, |r| <= ln(2)/2
EXPM1 = {"float32": (0.49999997, 0.166665465, 0.0416674428, 0.00836625788, 0.00138698006),
         "float64": (0.50000000000000056, 0.16666666666666649, 0.041666666666576258, 0.0083333333333601572, 0.0013888888931389424,
                     0.00019841269770262039, 2.480150561676452e-5, 2.7557369467564315e-6, 2.7625884091641345e-7, 2.5064033451574184e-8)}
# tools/minimax.py sinh.float32 sinh.float64 cosh.float32 cosh.float64: (sinh r - r) / r**3, (cosh r - 1) / r**2 in r**2, |r| <= ln(2)/2
SINH = {"float32": (0.166665435, 0.00836653728),
        "float64": (0.16666666666666677, 0.0083333333333213862, 0.00019841269886814759, 2.7557243455074441e-6, 2.5109318672542491e-8)}
COSH = {"float32": (0.5, 0.0416664593, 0.00139354263),
        "float64": (0.50000000000000133, 0.04166666666651047, 0.0013888888948355937, 2.4801488505322709e-5, 2.7631810793073001e-7)}

# Beyond these exp is infinity and zero.
EXP_RANGE = {"float32": (-104.5, 89.5), "float64": (-746.0, 710.5)}
EXP2_RANGE = {"float32": (-151.0, 129.0), "float64": (-1076.0, 1025.0)}
# Beyond these expm1 is infinity and -1, with n at most bias + 1, and tanh is 1 above half the negated latter.
EXPM1_RANGE = {"float32": (-20.0, 89.0), "float64": (-40.0, 710.0)}
# From here on sinh and cosh are infinity, with n at most bias + 2.
SINH_HIGH = {"float32": 89.7, "float64": 710.7}
# From here on tanh is 1/2 or more.
TANH_MIDDLE = 0.5493


def _without_vanishing(ops: Ops, x: Value, low: float) -> tuple[Value, Value]:
    """Where x is not so low that the result is 0, and x with 0 put elsewhere: a product that underflows takes many processors far longer than another,
    and arguments of -inf are common (masked attention). A selection whose other choice is 0 is part of the product, or a bitwise and."""
    remains = ops.not_(ops.lt(x, ops.const(low, x)))
    return remains, ops.where(remains, x, ops.const(0.0, x))


def _scaled_twice(ops: Ops, value: Value, shifted: Value) -> Value:
    scale = power_of_two(ops, shifted)
    return ops.mul(ops.mul(value, scale), scale)


def exp(ops: Ops, x: Value) -> Value:
    """e**x. NaN -> NaN, -inf -> 0, +inf -> +inf."""
    form = format_of(x)
    low, high = EXP_RANGE[form.name]
    remains, x = _without_vanishing(ops, x, low)
    x = at_most(ops, x, high)
    shifted, half = shifted_product(ops, x, 0.5 / (form.ln2[0] + form.ln2[1]), form.bias)
    r = ops.fma(half, ops.const(-2 * form.ln2[0], x), x)
    r = ops.fma(half, ops.const(-2 * form.ln2[1], x), r)
    return ops.where(remains, _scaled_twice(ops, polynomial(ops, r, EXP[form.name]), shifted), ops.const(0.0, x))


def exp2(ops: Ops, x: Value) -> Value:
    """2**x. NaN -> NaN, -inf -> 0, +inf -> +inf."""
    low, high = EXP2_RANGE[format_of(x).name]
    remains, x = _without_vanishing(ops, x, low)
    return ops.where(remains, exp2_of_sum(ops, at_most(ops, x, high), None), ops.const(0.0, x))


def exp2_of_sum(ops: Ops, x: Value, low: Value | None) -> Value:
    """2**(x + low), |x| not far beyond the range of exponents and low small."""
    form = format_of(x)
    shifted, half = shifted_product(ops, x, 0.5, form.bias)
    r = ops.fma(half, ops.const(-2.0, x), x)
    if low is not None:
        r = ops.add(r, low)
    return _scaled_twice(ops, polynomial(ops, r, EXP2[form.name]), shifted)


@dataclass(frozen=True)
class _Reduced:
    """x = n ln 2 + r + low, |r| <= ln(2)/2. The low bits of `shifted` hold n + offset. float32 does without `low`."""
    r: Value
    low: Value | None
    n: Value
    shifted: Value


def _reduce(ops: Ops, x: Value, offset: float) -> _Reduced:
    form = format_of(x)
    shifted, n = shifted_product(ops, x, 1 / (form.ln2[0] + form.ln2[1]), offset)
    rest = ops.fma(n, ops.const(-form.ln2[0], x), x)
    r = ops.fma(n, ops.const(-form.ln2[1], x), rest)
    low = None if form is FLOAT32 else ops.fma(n, ops.const(-form.ln2[1], x), ops.sub(rest, r))
    return _Reduced(r, low, n, shifted)


def _with_low(ops: Ops, reduced: _Reduced, factor: Value, product: Value) -> Value:
    """factor * product + r + low."""
    if reduced.low is None:
        return ops.fma(factor, product, reduced.r)
    return ops.add(reduced.r, ops.fma(factor, product, reduced.low))


def _expm1_near(ops: Ops, reduced: _Reduced) -> Value:
    """e**r - 1 for |r| <= ln(2)/2."""
    r = reduced.r
    return _with_low(ops, reduced, ops.mul(r, r), polynomial(ops, r, EXPM1[format_of(r).name]))


def expm1(ops: Ops, x: Value) -> Value:
    """e**x - 1. +-0 -> +-0, -inf -> -1, +inf -> +inf, NaN -> NaN."""
    form = format_of(x)
    low, high = EXPM1_RANGE[form.name]
    clamped = at_most(ops, at_least(ops, x, low), high)
    # Half of 2**n, since n may be bias + 1 where the result still is finite.
    reduced = _reduce(ops, clamped, form.bias - 1)
    half_scale = power_of_two(ops, reduced.shifted)
    half = ops.fma(half_scale, _expm1_near(ops, reduced), ops.sub(half_scale, ops.const(0.5, x)))
    return ops.where(ops.eq(x, ops.const(0.0, x)), x, ops.add(half, half))


def tanh(ops: Ops, x: Value) -> Value:
    """tanh x = h - h h / (h + 1), h = (e**(2 |x|) - 1) / 2; near 1, 1 - 1 / (h + 1). +-0 -> +-0, +-inf -> +-1, NaN -> NaN.

    So the quotient, in either form, is a correction whose error counts less than half.
    """
    form = format_of(x)
    size = at_most(ops, ops.abs(x), -EXPM1_RANGE[form.name][0] / 2)
    reduced = _reduce(ops, ops.add(size, size), form.bias - 1)
    half_scale, near, half = power_of_two(ops, reduced.shifted), _expm1_near(ops, reduced), ops.const(0.5, x)
    h = ops.fma(half_scale, near, ops.sub(half_scale, half))
    h_plus_one = ops.fma(half_scale, near, ops.add(half_scale, half))
    leading = ops.where(ops.lt(size, ops.const(TANH_MIDDLE, x)), h, ops.const(1.0, x))
    return flip_sign(ops, ops.fma(ops.neg(leading), ops.div(leading, h_plus_one), leading), sign_bit(ops, x))


@dataclass(frozen=True)
class _HyperbolicParts:
    """A quarter of e**x and e**-x, of their sum and of their difference at x = n ln 2, and cosh r - 1 and sinh r."""
    rising: Value
    falling: Value
    sum: Value
    difference: Value
    cosh_less_one: Value
    sinh: Value


def _hyperbolic_parts(ops: Ops, size: Value) -> _HyperbolicParts:
    form = format_of(size)
    reduced = _reduce(ops, at_most(ops, size, SINH_HIGH[form.name]), form.bias - 2)
    r, rising = reduced.r, power_of_two(ops, reduced.shifted)
    # Where n is so large that 2**-n would not be normal, any small number does.
    falling = power_of_two(ops, ops.sub(ops.const(form.shift + form.bias - 2, size), at_most(ops, reduced.n, 4.0 * form.fraction)))
    square = ops.mul(r, r)
    sinh_r = _with_low(ops, reduced, ops.mul(r, square), polynomial(ops, square, SINH[form.name]))
    cosh_r = ops.mul(square, polynomial(ops, square, COSH[form.name]))
    return _HyperbolicParts(rising, falling, ops.add(rising, falling), ops.sub(rising, falling), cosh_r, sinh_r)


def sinh(ops: Ops, x: Value) -> Value:
    """sinh x, from n and r by the addition theorem. +-0 -> +-0, +-inf -> +-inf, NaN -> NaN."""
    parts = _hyperbolic_parts(ops, ops.abs(x))
    rest = ops.fma(parts.sum, parts.sinh, ops.mul(parts.difference, parts.cosh_less_one))
    half = ops.add(parts.difference, rest)
    return flip_sign(ops, ops.add(half, half), sign_bit(ops, x))


def cosh(ops: Ops, x: Value) -> Value:
    """cosh x, from n and r by the addition theorem. +-inf -> +inf, NaN -> NaN."""
    parts = _hyperbolic_parts(ops, ops.abs(x))
    # Not rising + falling first: that would round falling away from a sum that r < 0 then makes smaller.
    rest = ops.fma(parts.difference, parts.sinh, ops.fma(parts.sum, parts.cosh_less_one, parts.falling))
    half = ops.add(parts.rising, rest)
    return ops.add(half, half)
