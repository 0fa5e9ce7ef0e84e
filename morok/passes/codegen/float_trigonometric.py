"""sin, cos, tan: reduction (float_reduction.py), then one polynomial.

sin and cos reduce by pi, to |r| <= pi/2, and share the polynomial of sin: cos x = sin(x + pi/2). Reducing by pi/2 instead would take two
shorter polynomials and a selection, which is more.
"""
from __future__ import annotations

from morok.passes.codegen.float_blocks import Ops, Value, flip_sign, format_of, polynomial, sign_bit
from morok.passes.codegen.float_reduction import reduce_by_half_pi, reduce_by_pi

# tools/minimax.py sin.float32 sin.float64: (sin r - r) / r**3 in r**2, |r| <= 1.004 pi/2
SIN = {"float32": (-0.166666597, 0.00833306741, -0.000198095528, 2.60545858e-6),
       "float64": (-0.16666666666666666, 0.0083333333333332048, -0.00019841269841211473, 2.7557319211352426e-6, -2.5052106881471532e-8,
                   1.6058939725541152e-10, -7.6429834918824455e-13, 2.7210179155832319e-15)}
# tools/minimax.py tan.float32 tan.float64: (tan r - r) / r**3 in r**2, |r| <= 1.004 pi/4
TAN = {"float32": (0.333331466, 0.13339071, 0.0533883944, 0.0245131552, 0.0029847289, 0.0094665559),
       "float64": (0.33333333333332704, 0.13333333333424735, 0.053968253921841312, 0.021869489724489131, 0.0088632175407393817,
                   0.0035923036943079499, 0.0014546693633927562, 0.00059543685300887498, 0.00022128415430816946, 0.00013878042241223683,
                   -2.9562558109587058e-5, 9.2370308429947989e-5, -4.6451229839587825e-5, 2.1241842500038333e-5)}


def _parity_sign(ops: Ops, shifted: Value) -> Value:
    """The sign bit set where the integer that `shifted` holds is odd."""
    form = format_of(shifted)
    pattern = ops.bitcast(shifted, form.bits)
    return ops.shl(pattern, ops.const(form.sign_position, pattern))


def _sin_polynomial(ops: Ops, r: Value) -> Value:
    square = ops.mul(r, r)
    return ops.fma(ops.mul(r, square), polynomial(ops, square, SIN[format_of(r).name]), r)


def sin(ops: Ops, x: Value) -> Value:
    """sin x. +-0 -> +-0; infinite, NaN -> NaN."""
    reduced = reduce_by_pi(ops, ops.abs(x), half=0.0)
    sign = ops.xor(_parity_sign(ops, reduced.shifted), sign_bit(ops, x))
    return flip_sign(ops, _sin_polynomial(ops, reduced.high), sign)


def cos(ops: Ops, x: Value) -> Value:
    """cos x. Infinite, NaN -> NaN."""
    reduced = reduce_by_pi(ops, ops.abs(x), half=0.5)
    return flip_sign(ops, _sin_polynomial(ops, reduced.high), _parity_sign(ops, reduced.shifted))


def tan(ops: Ops, x: Value) -> Value:
    """tan x. +-0 -> +-0; infinite, NaN -> NaN."""
    reduced = reduce_by_half_pi(ops, ops.abs(x))
    r = reduced.high
    square = ops.mul(r, r)
    # tan(r + low) = tan r + low (1 + tan(r)**2), whose last term is below an ulp: 1 + r**2 is near enough.
    correction = ops.fma(reduced.low, square, reduced.low)
    tangent = ops.add(r, ops.fma(ops.mul(r, square), polynomial(ops, square, TAN[format_of(r).name]), correction))
    pattern = ops.bitcast(reduced.shifted, format_of(x).bits)
    odd = ops.ne(ops.and_(pattern, ops.const(1, pattern)), ops.const(0, pattern))
    one, minus_one = ops.const(1.0, x), ops.const(-1.0, x)
    result = ops.div(ops.where(odd, minus_one, tangent), ops.where(odd, tangent, one))
    return flip_sign(ops, result, sign_bit(ops, x))
