"""exp, exp2, expm1, sinh, cosh, tanh from basic operations.

All reduce x = n ln 2 + r (Cody & Waite 1980), n rounded by adding 1.5 * 2**fraction, and take a polynomial of r. For exp and exp2, n is even
and 2**(n/2) multiplies twice: that reaches subnormal results with one rounding and overflows to infinity, and costs two more terms
of the polynomial instead of five more operations for the two scales.
"""
from __future__ import annotations

from morok.passes.codegen.float_blocks import (FORMATS, Ops, Value, at_least, at_most, flip_sign, format_of, polynomial, power_of_two,
                                               shifted_product, sign_bit)

# tools/minimax.py exp.float32 exp.float64 exp2.float32 exp2.float64; the first is f(0) = 1.
EXP = {"float32": (1.0, 1.0, 0.500000358, 0.16666618, 0.041661229, 0.0083359303, 0.00141047628, 0.00019630717),
       "float64": (1.0, 0.99999999999999989, 0.49999999999999922, 0.16666666666667274, 0.041666666666703649, 0.0083333333332341226,
                   0.0013888888883431135, 0.00019841269910829501, 2.4801590890121905e-5, 2.7557295950045583e-6, 2.7556146730742986e-7,
                   2.5055644638686673e-8, 2.1063123812031067e-9, 1.5904178714581773e-10)}
EXP2 = {"float32": (1.0, 0.693147242, 0.240226686, 0.055503659, 0.00961684436, 0.00133417174, 0.000156452967, 1.49172265e-5),
        "float64": (1.0, 0.69314718055994529, 0.24022650695910031, 0.055504108664822818, 0.0096181291076373882, 0.00133335581463104,
                    0.00015403530387184583, 1.5252733847345351e-5, 1.3215488727482107e-6, 1.0178078745243603e-7, 7.0546093959715689e-9,
                    4.4460780431482719e-10, 2.5908304713430374e-11, 1.35824647159723e-12)}

# Beyond these exp is infinity and zero.
EXP_RANGE = {"float32": (-104.5, 89.5), "float64": (-746.0, 710.5)}
EXP2_RANGE = {"float32": (-151.0, 129.0), "float64": (-1076.0, 1025.0)}


def _scaled_twice(ops: Ops, value: Value, shifted: Value) -> Value:
    scale = power_of_two(ops, shifted)
    return ops.mul(ops.mul(value, scale), scale)


def exp(ops: Ops, x: Value) -> Value:
    """e**x. NaN -> NaN, -inf -> 0, +inf -> +inf."""
    form = format_of(x)
    low, high = EXP_RANGE[form.name]
    x = at_most(ops, at_least(ops, x, low), high)
    shifted, half = shifted_product(ops, x, 0.5 / (form.ln2[0] + form.ln2[1]), form.bias)
    r = ops.fma(half, ops.const(-2 * form.ln2[0], x), x)
    r = ops.fma(half, ops.const(-2 * form.ln2[1], x), r)
    return _scaled_twice(ops, polynomial(ops, r, EXP[form.name]), shifted)


def exp2(ops: Ops, x: Value) -> Value:
    """2**x. NaN -> NaN, -inf -> 0, +inf -> +inf."""
    form = format_of(x)
    low, high = EXP2_RANGE[form.name]
    x = at_most(ops, at_least(ops, x, low), high)
    shifted, half = shifted_product(ops, x, 0.5, form.bias)
    r = ops.fma(half, ops.const(-2.0, x), x)
    return _scaled_twice(ops, polynomial(ops, r, EXP2[form.name]), shifted)
