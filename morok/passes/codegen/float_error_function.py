"""erf from basic operations: near 0 an odd polynomial, beyond 1 another approximation of 1 - erfc, whose absolute error is what counts."""
from __future__ import annotations

from morok.passes.codegen.float_blocks import FLOAT64, Ops, Value, at_most, flip_sign, format_of, polynomial, power_of_two, shifted_product, sign_bit

# tools/minimax.py erf_near.float32 erf_near.float64: erf x / x - 1 in x**2, |x| <= 1
NEAR = {"float32": (0.128379166, -0.37612626, 0.112835787, -0.0268533472, 0.0051871622, -0.00079978531, 7.80690316e-5),
        "float64": (0.12837916709551259, -0.37612638903184098, 0.11283791670971109, -0.026866170648035224, 0.0052239776527506698,
                    -0.0008548328540137713, 0.0001205538638600511, -1.4926886871882989e-5, 1.6481157417786386e-6, -1.6558292588995319e-7,
                    1.6021804095076216e-8, -1.6500648154440273e-9, 1.4408715983863581e-10)}
# tools/minimax.py erf_far.float32: erf x in x - 2.5, 1 <= x <= 4
FAR = (0.999593019, 0.00217828434, -0.00544463517, 0.00835028477, -0.00862908177, 0.00611492759, -0.00278239744, 0.000550957688,
       0.000241590882, -0.000263378519, 9.11767493e-5, 1.51155073e-5, -1.86885245e-5, 8.6747383e-7, 1.23700329e-6)
# tools/minimax.py erfc_scaled.float64: erfc(x) e**(x**2) in 1 / (1 + x/2), 1 <= x <= 6
SCALED_COMPLEMENT = (-3.1309611817449332e-6, 0.28218871476018076, 0.28081620742797819, 0.25731247254332029, 0.1185895703609674,
                     0.30900367557442876, -0.64248237058760305, 1.2596031759116828, -1.9954359175635907, 1.9429701797458876,
                     -1.126018675140996, 0.36524645403284217, -0.051790954400975295)
# tools/minimax.py exp_near.float64: (e**r - 1 - r) / r**2, |r| <= ln(2)/2
EXP_NEAR = (0.50000000000000111, 0.16666666666666463, 0.041666666666528671, 0.0083333333334713964, 0.001388888894374713,
            0.00019841269544403501, 2.4801493116489508e-5, 2.7557559704250031e-6, 2.7630215426617464e-7, 2.5006924308666961e-8)
# From here on erf is 1 in the format.
LAST = {"float32": 4.0, "float64": 6.0}


def _far_float32(ops: Ops, size: Value) -> Value:
    return polynomial(ops, ops.sub(size, ops.const(2.5, size)), FAR)


def _far_float64(ops: Ops, size: Value) -> Value:
    """1 - e**(-x**2) times a polynomial; the rounding of x**2 does not count against the 1."""
    one = ops.const(1.0, size)
    t = ops.div(one, ops.fma(size, ops.const(0.5, size), one))
    exponent = ops.neg(ops.mul(size, size))
    shifted, n = shifted_product(ops, exponent, 1 / FLOAT64.ln2[0], FLOAT64.bias)
    r = ops.fma(n, ops.const(-FLOAT64.ln2[0], size), exponent)
    decay = ops.mul(power_of_two(ops, shifted), polynomial(ops, r, (1.0, 1.0, *EXP_NEAR)))
    return ops.fma(ops.neg(decay), polynomial(ops, t, SCALED_COMPLEMENT), one)


def erf(ops: Ops, x: Value) -> Value:
    """erf x. +-0 -> +-0, +-inf -> +-1, NaN -> NaN."""
    name = format_of(x).name
    size = at_most(ops, ops.abs(x), LAST[name])
    near = ops.fma(size, polynomial(ops, ops.mul(size, size), NEAR[name]), size)
    far = {"float32": _far_float32, "float64": _far_float64}[name](ops, size)
    return flip_sign(ops, ops.where(ops.lt(size, ops.const(1.0, x)), near, far), sign_bit(ops, x))
