"""sin, cos, tan: reduction by pi/2 (float_reduction.py), then polynomials of r, |r| <= pi/4, and of the quadrant a selection.

Reducing by pi would do with the one, longer polynomial of sin, 6 operations fewer, but it leaves cos 0 = 1 - ulp and an error of 2 ulp.
"""
from __future__ import annotations

from morok.passes.codegen.float_blocks import Ops, Value, fast_two_sum, flip_sign, format_of, polynomial, sign_bit
from morok.passes.codegen.float_reduction import Reduced, reduce_by_half_pi, reduce_by_half_pi_exactly

# tools/minimax.py sin.float32 sin.float64 cos.float32 cos.float64: (sin r - r) / r**3 and (cos r - 1) / r**2 in r**2, |r| <= 1.004 pi/4
SIN = {"float32": (-0.166666538, 0.00833210628, -0.000195078814),
       "float64": (-0.1666666666666663, 0.0083333333333217834, -0.00019841269829286483, 2.7557313507403311e-6, -2.5050728808721399e-8,
                   1.5895077398249016e-10)}
COS = {"float32": (1.0, -0.5, 0.0416666456, -0.0013887306, 2.44316507e-5),
       "float64": (1.0, -0.5, 0.041666666666666588, -0.0013888888888872186, 2.4801587288295329e-5, -2.7557314015079122e-7,
                   2.0875678074984268e-9, -1.1357336004773805e-11)}
# tools/minimax.py tan.float32 tan.float64: (tan r - r) / r**3 in r**2, |r| <= 1.004 pi/4
TAN = {"float32": (0.333331466, 0.13339071, 0.0533883944, 0.0245131552, 0.0029847289, 0.0094665559),
       "float64": (0.33333333333332704, 0.13333333333424735, 0.053968253921841312, 0.021869489724489131, 0.0088632175407393817,
                   0.0035923036943079499, 0.0014546693633927562, 0.00059543685300887498, 0.00022128415430816946, 0.00013878042241223683,
                   -2.9562558109587058e-5, 9.2370308429947989e-5, -4.6451229839587825e-5, 2.1241842500038333e-5)}


def _is_odd(ops: Ops, shifted: Value) -> Value:
    pattern = ops.bitcast(shifted, format_of(shifted).bits)
    return ops.ne(ops.and_(pattern, ops.const(1, pattern)), ops.const(0, pattern))


def _sine_of_quadrant(ops: Ops, reduced: Reduced, sign: Value) -> Value:
    """sin(k pi/2 + r), negated where the topmost bit of `sign` is set."""
    r, form = reduced.high, format_of(reduced.high)
    square = ops.mul(r, r)
    sine = ops.fma(ops.mul(r, square), polynomial(ops, square, SIN[form.name]), r)
    result = ops.where(_is_odd(ops, reduced.shifted), polynomial(ops, square, COS[form.name]), sine)
    pattern = ops.bitcast(reduced.shifted, form.bits)
    second_bit = ops.shl(pattern, ops.const(form.sign_position - 1, pattern))
    return flip_sign(ops, result, ops.and_(ops.xor(second_bit, sign), ops.const(form.sign_mask, pattern)))


def sin(ops: Ops, x: Value) -> Value:
    """sin x. +-0 -> +-0; infinite, NaN -> NaN."""
    return _sine_of_quadrant(ops, reduce_by_half_pi(ops, ops.abs(x), 0), ops.bitcast(x, format_of(x).bits))


def cos(ops: Ops, x: Value) -> Value:
    """cos x. Infinite, NaN -> NaN."""
    reduced = reduce_by_half_pi(ops, ops.abs(x), 1)
    pattern = ops.bitcast(x, format_of(x).bits)
    return _sine_of_quadrant(ops, reduced, ops.const(0, pattern))


def tan(ops: Ops, x: Value) -> Value:
    """tan x. +-0 -> +-0; infinite, NaN -> NaN."""
    reduced = reduce_by_half_pi_exactly(ops, ops.abs(x))
    r = reduced.high
    square = ops.mul(r, r)
    # tan(r + low) = tan r + low (1 + tan(r)**2), whose last term is below an ulp: 1 + 1.5 r**2 is near enough.
    correction = ops.fma(reduced.low, ops.mul(square, ops.const(1.5, x)), reduced.low)
    rest = ops.fma(ops.mul(r, square), polynomial(ops, square, TAN[format_of(r).name]), correction)
    tangent, lost = fast_two_sum(ops, r, rest)
    odd = _is_odd(ops, reduced.shifted)
    zero, one, minus_one = (ops.const(value, x) for value in (0.0, 1.0, -1.0))
    quotient = ops.div(ops.where(odd, minus_one, tangent), ops.where(odd, tangent, one))
    # -1 / (t + lost) = -1/t + lost / t**2
    result = ops.fma(ops.where(odd, lost, zero), ops.mul(quotient, quotient), quotient)
    return flip_sign(ops, result, sign_bit(ops, x))
