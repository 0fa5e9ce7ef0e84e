"""Functions element by element, as NumPy, PyTorch and the array API name them."""
from __future__ import annotations

from typing import Any, Unpack

from ..tensor.arguments import also_named
from ..tensor.other_names import OneDim
from ..tensor.tensor import Tensor
from .operands import pair, tensor_of


def exp(x: Any) -> Tensor:
    """e to the power x.

    `x` is a tensor or array-like of any shape. Errors are those of Tensor.exp.

        morok.exp([0.25, 0.5])
    """
    return tensor_of(x).exp()


def exp2(x: Any) -> Tensor:
    """2 to the power x.

    `x` is a tensor or array-like of any shape. Errors are those of Tensor.exp2.

        morok.exp2([0.25, 0.5])
    """
    return tensor_of(x).exp2()


def expm1(x: Any) -> Tensor:
    """exp(x) - 1, exact near 0.

    `x` is a tensor or array-like of any shape. Errors are those of Tensor.expm1.

        morok.expm1([0.25, 0.5])
    """
    return tensor_of(x).expm1()


def log(x: Any) -> Tensor:
    """Natural logarithm; -inf at 0, NaN below.

    `x` is a tensor or array-like of any shape. Errors are those of Tensor.log.

        morok.log([0.25, 0.5])
    """
    return tensor_of(x).log()


def log2(x: Any) -> Tensor:
    """Logarithm to base 2.

    `x` is a tensor or array-like of any shape. Errors are those of Tensor.log2.

        morok.log2([0.25, 0.5])
    """
    return tensor_of(x).log2()


def log10(x: Any) -> Tensor:
    """Logarithm to base 10.

    `x` is a tensor or array-like of any shape. Errors are those of Tensor.log10.

        morok.log10([0.25, 0.5])
    """
    return tensor_of(x).log10()


def log1p(x: Any) -> Tensor:
    """log(1 + x), exact near 0.

    `x` is a tensor or array-like of any shape. Errors are those of Tensor.log1p.

        morok.log1p([0.25, 0.5])
    """
    return tensor_of(x).log1p()


def sqrt(x: Any) -> Tensor:
    """Square root; NaN below 0.

    `x` is a tensor or array-like of any shape. Errors are those of Tensor.sqrt.

        morok.sqrt([0.25, 0.5])
    """
    return tensor_of(x).sqrt()


def rsqrt(x: Any) -> Tensor:
    """1 / sqrt(x).

    `x` is a tensor or array-like of any shape. Errors are those of Tensor.rsqrt.

        morok.rsqrt([0.25, 0.5])
    """
    return tensor_of(x).rsqrt()


def sin(x: Any) -> Tensor:
    """Sine, of radians.

    `x` is a tensor or array-like of any shape. Errors are those of Tensor.sin.

        morok.sin([0.25, 0.5])
    """
    return tensor_of(x).sin()


def cos(x: Any) -> Tensor:
    """Cosine, of radians.

    `x` is a tensor or array-like of any shape. Errors are those of Tensor.cos.

        morok.cos([0.25, 0.5])
    """
    return tensor_of(x).cos()


def tan(x: Any) -> Tensor:
    """Tangent, of radians.

    `x` is a tensor or array-like of any shape. Errors are those of Tensor.tan.

        morok.tan([0.25, 0.5])
    """
    return tensor_of(x).tan()


def asin(x: Any) -> Tensor:
    """Arc sine; NaN outside [-1, 1].

    `x` is a tensor or array-like of any shape. Errors are those of Tensor.asin.

        morok.asin([0.25, 0.5])
    """
    return tensor_of(x).asin()


def acos(x: Any) -> Tensor:
    """Arc cosine; NaN outside [-1, 1].

    `x` is a tensor or array-like of any shape. Errors are those of Tensor.acos.

        morok.acos([0.25, 0.5])
    """
    return tensor_of(x).acos()


def atan(x: Any) -> Tensor:
    """Arc tangent.

    `x` is a tensor or array-like of any shape. Errors are those of Tensor.atan.

        morok.atan([0.25, 0.5])
    """
    return tensor_of(x).atan()


def sinh(x: Any) -> Tensor:
    """Hyperbolic sine.

    `x` is a tensor or array-like of any shape. Errors are those of Tensor.sinh.

        morok.sinh([0.25, 0.5])
    """
    return tensor_of(x).sinh()


def cosh(x: Any) -> Tensor:
    """Hyperbolic cosine.

    `x` is a tensor or array-like of any shape. Errors are those of Tensor.cosh.

        morok.cosh([0.25, 0.5])
    """
    return tensor_of(x).cosh()


def tanh(x: Any) -> Tensor:
    """Hyperbolic tangent.

    `x` is a tensor or array-like of any shape. Errors are those of Tensor.tanh.

        morok.tanh([0.25, 0.5])
    """
    return tensor_of(x).tanh()


def asinh(x: Any) -> Tensor:
    """Inverse hyperbolic sine.

    `x` is a tensor or array-like of any shape. Errors are those of Tensor.asinh.

        morok.asinh([0.25, 0.5])
    """
    return tensor_of(x).asinh()


def acosh(x: Any) -> Tensor:
    """Inverse hyperbolic cosine; NaN below 1.

    `x` is a tensor or array-like of any shape. Errors are those of Tensor.acosh.

        morok.acosh([1.0, 2.0])
    """
    return tensor_of(x).acosh()


def atanh(x: Any) -> Tensor:
    """Inverse hyperbolic tangent; NaN outside [-1, 1].

    `x` is a tensor or array-like of any shape. Errors are those of Tensor.atanh.

        morok.atanh([0.25, 0.5])
    """
    return tensor_of(x).atanh()


def floor(x: Any) -> Tensor:
    """The greatest integer not above x.

    `x` is a tensor or array-like of any shape. Errors are those of Tensor.floor.

        morok.floor([0.25, 0.5])
    """
    return tensor_of(x).floor()


def ceil(x: Any) -> Tensor:
    """The least integer not below x.

    `x` is a tensor or array-like of any shape. Errors are those of Tensor.ceil.

        morok.ceil([0.25, 0.5])
    """
    return tensor_of(x).ceil()


def trunc(x: Any) -> Tensor:
    """x without its fraction.

    `x` is a tensor or array-like of any shape. Errors are those of Tensor.trunc.

        morok.trunc([0.25, 0.5])
    """
    return tensor_of(x).trunc()


def round(x: Any, decimals: int = 0) -> Tensor:
    """The nearest number of so many decimals, ties to even.

    `x` is a tensor or array-like of any shape. Errors are those of Tensor.round.

        morok.round([0.126, 2.5], 2)  # [0.13, 2.5]
    """
    return tensor_of(x).round(decimals)


def abs(x: Any) -> Tensor:
    """Absolute value; the least integer stays itself.

    `x` is a tensor or array-like of any shape. Errors are those of Tensor.abs.

        morok.abs([0.25, 0.5])
    """
    return tensor_of(x).abs()


def sign(x: Any) -> Tensor:
    """-1, 0 or 1; NaN for NaN.

    `x` is a tensor or array-like of any shape. Errors are those of Tensor.sign.

        morok.sign([0.25, 0.5])
    """
    return tensor_of(x).sign()


def square(x: Any) -> Tensor:
    """x * x.

    `x` is a tensor or array-like of any shape. Errors are those of Tensor.square.

        morok.square([0.25, 0.5])
    """
    return tensor_of(x).square()


def reciprocal(x: Any) -> Tensor:
    """1 / x.

    `x` is a tensor or array-like of any shape. Errors are those of Tensor.reciprocal.

        morok.reciprocal([0.25, 0.5])
    """
    return tensor_of(x).reciprocal()


def erf(x: Any) -> Tensor:
    """The error function.

    `x` is a tensor or array-like of any shape. Errors are those of Tensor.erf.

        morok.erf([0.25, 0.5])
    """
    return tensor_of(x).erf()


def neg(x: Any) -> Tensor:
    """Negation.

    `x` is a tensor or array-like of any shape. Errors are those of Tensor.neg.

        morok.neg([0.25, 0.5])
    """
    return tensor_of(x).neg()


def isnan(x: Any) -> Tensor:
    """Where it is not a number.

    `x` is a tensor or array-like of any shape. Errors are those of Tensor.isnan.

        morok.isnan([0.25, 0.5])
    """
    return tensor_of(x).isnan()


def isinf(x: Any) -> Tensor:
    """Where it is infinite.

    `x` is a tensor or array-like of any shape. Errors are those of Tensor.isinf.

        morok.isinf([0.25, 0.5])
    """
    return tensor_of(x).isinf()


def isfinite(x: Any) -> Tensor:
    """Where it is neither infinite nor NaN.

    `x` is a tensor or array-like of any shape. Errors are those of Tensor.isfinite.

        morok.isfinite([0.25, 0.5])
    """
    return tensor_of(x).isfinite()


def signbit(x: Any) -> Tensor:
    """Where the sign is negative, that of -0.0 and NaN too.

    `x` is a tensor or array-like of any shape. Errors are those of Tensor.signbit.

        morok.signbit([0.25, 0.5])
    """
    return tensor_of(x).signbit()


def sinc(x: Any) -> Tensor:
    """sin(pi x) / (pi x), 1 at 0; integers become floats.

    `x` is a tensor or array-like of any shape. Errors are those of Tensor.sinc.

        morok.sinc([0.25, 0.5])
    """
    return tensor_of(x).sinc()


def logical_not(x: Any) -> Tensor:
    """Where the elements are 0.

    `x` is a tensor or array-like of any shape. Errors are those of Tensor.logical_not.

        morok.logical_not([True, False])
    """
    return tensor_of(x).logical_not()


def bitwise_not(x: Any) -> Tensor:
    """Bitwise complement; of bools, not.

    `x` is a tensor or array-like of any shape. Errors are those of Tensor.bitwise_not.

        morok.bitwise_not([1, 2])
    """
    return tensor_of(x).bitwise_not()


def sigmoid(x: Any) -> Tensor:
    """1 / (1 + exp(-x)).

    `x` is a tensor or array-like of any shape. Errors are those of Tensor.sigmoid.

        morok.sigmoid([0.25, 0.5])
    """
    return tensor_of(x).sigmoid()


def relu(x: Any) -> Tensor:
    """The greater of x and 0.

    `x` is a tensor or array-like of any shape. Errors are those of Tensor.relu.

        morok.relu([0.25, 0.5])
    """
    return tensor_of(x).relu()


def relu6(x: Any) -> Tensor:
    """x limited to 0 to 6.

    `x` is a tensor or array-like of any shape. Errors are those of Tensor.relu6.

        morok.relu6([0.25, 0.5])
    """
    return tensor_of(x).relu6()


def gelu(x: Any) -> Tensor:
    """x times the normal distribution's probability below x; approximate="tanh" for the form with tanh.

    `x` is a tensor or array-like of any shape. Errors are those of Tensor.gelu.

        morok.gelu([0.25, 0.5])
    """
    return tensor_of(x).gelu()


def silu(x: Any) -> Tensor:
    """x * sigmoid(x).

    `x` is a tensor or array-like of any shape. Errors are those of Tensor.silu.

        morok.silu([0.25, 0.5])
    """
    return tensor_of(x).silu()


def elu(x: Any) -> Tensor:
    """x, below 0 alpha * (exp(x) - 1).

    `x` is a tensor or array-like of any shape. Errors are those of Tensor.elu.

        morok.elu([0.25, 0.5])
    """
    return tensor_of(x).elu()


def celu(x: Any) -> Tensor:
    """x, below 0 alpha * (exp(x / alpha) - 1).

    `x` is a tensor or array-like of any shape. Errors are those of Tensor.celu.

        morok.celu([0.25, 0.5])
    """
    return tensor_of(x).celu()


def selu(x: Any) -> Tensor:
    """elu scaled so that layers keep mean 0 and variance 1 (Klambauer et al.

    `x` is a tensor or array-like of any shape. Errors are those of Tensor.selu.

        morok.selu([0.25, 0.5])
    """
    return tensor_of(x).selu()


def mish(x: Any) -> Tensor:
    """x * tanh(softplus(x)), which is x * n / (n + 2) with n = exp(x) * (exp(x) + 2).

    `x` is a tensor or array-like of any shape. Errors are those of Tensor.mish.

        morok.mish([0.25, 0.5])
    """
    return tensor_of(x).mish()


def hardswish(x: Any) -> Tensor:
    """x * hardsigmoid(x).

    `x` is a tensor or array-like of any shape. Errors are those of Tensor.hardswish.

        morok.hardswish([0.25, 0.5])
    """
    return tensor_of(x).hardswish()


def hardsigmoid(x: Any) -> Tensor:
    """x / 6 + 1 / 2, limited to 0 to 1.

    `x` is a tensor or array-like of any shape. Errors are those of Tensor.hardsigmoid.

        morok.hardsigmoid([0.25, 0.5])
    """
    return tensor_of(x).hardsigmoid()


def hardtanh(x: Any) -> Tensor:
    """x limited to min_val to max_val.

    `x` is a tensor or array-like of any shape. Errors are those of Tensor.hardtanh.

        morok.hardtanh([0.25, 0.5])
    """
    return tensor_of(x).hardtanh()


def softplus(x: Any) -> Tensor:
    """log(1 + exp(beta * x)) / beta; x itself where beta * x exceeds the threshold.

    `x` is a tensor or array-like of any shape. Errors are those of Tensor.softplus.

        morok.softplus([0.25, 0.5])
    """
    return tensor_of(x).softplus()


def softsign(x: Any) -> Tensor:
    """x / (1 + |x|).

    `x` is a tensor or array-like of any shape. Errors are those of Tensor.softsign.

        morok.softsign([0.25, 0.5])
    """
    return tensor_of(x).softsign()


def logsigmoid(x: Any) -> Tensor:
    """log(sigmoid(x)) without overflow.

    `x` is a tensor or array-like of any shape. Errors are those of Tensor.logsigmoid.

        morok.logsigmoid([0.25, 0.5])
    """
    return tensor_of(x).logsigmoid()


def negative(x: Any) -> Tensor:
    """NumPy's name of neg: elementwise, of a tensor or array-like of any shape. Errors are those of Tensor.neg.

        morok.negative([1.0])
    """
    return neg(x)


def absolute(x: Any) -> Tensor:
    """NumPy's name of abs: elementwise, of a tensor or array-like of any shape. Errors are those of Tensor.abs.

        morok.absolute([1.0])
    """
    return abs(x)


def arcsin(x: Any) -> Tensor:
    """NumPy's name of asin: elementwise, of a tensor or array-like of any shape. Errors are those of Tensor.asin.

        morok.arcsin([1.0])
    """
    return asin(x)


def arccos(x: Any) -> Tensor:
    """NumPy's name of acos: elementwise, of a tensor or array-like of any shape. Errors are those of Tensor.acos.

        morok.arccos([1.0])
    """
    return acos(x)


def arctan(x: Any) -> Tensor:
    """NumPy's name of atan: elementwise, of a tensor or array-like of any shape. Errors are those of Tensor.atan.

        morok.arctan([1.0])
    """
    return atan(x)


def arcsinh(x: Any) -> Tensor:
    """NumPy's name of asinh: elementwise, of a tensor or array-like of any shape. Errors are those of Tensor.asinh.

        morok.arcsinh([1.0])
    """
    return asinh(x)


def arccosh(x: Any) -> Tensor:
    """NumPy's name of acosh: elementwise, of a tensor or array-like of any shape. Errors are those of Tensor.acosh.

        morok.arccosh([1.0])
    """
    return acosh(x)


def arctanh(x: Any) -> Tensor:
    """NumPy's name of atanh: elementwise, of a tensor or array-like of any shape. Errors are those of Tensor.atanh.

        morok.arctanh([1.0])
    """
    return atanh(x)


def bitwise_invert(x: Any) -> Tensor:
    """The array API's name of bitwise_not: elementwise, of a tensor or array-like of any shape. Errors are those of Tensor.bitwise_not.

        morok.bitwise_invert([1, 2])
    """
    return bitwise_not(x)


def add(x: Any, y: Any) -> Tensor:
    """Sum; of bools, or.

    `x` and `y` are tensors, array-likes or numbers; shapes broadcast. Errors are those of Tensor.add.

        morok.add([1, 2], [2, 3])
    """
    first, second = pair(x, y, "add")
    return first.add(second)


def subtract(x: Any, y: Any) -> Tensor:
    """Difference.

    `x` and `y` are tensors, array-likes or numbers; shapes broadcast. Errors are those of Tensor.sub.

        morok.subtract([1, 2], [2, 3])
    """
    first, second = pair(x, y, "subtract")
    return first.sub(second)


def sub(x: Any, y: Any) -> Tensor:
    """Difference.

    `x` and `y` are tensors, array-likes or numbers; shapes broadcast. Errors are those of Tensor.sub.

        morok.sub([1, 2], [2, 3])
    """
    first, second = pair(x, y, "sub")
    return first.sub(second)


def multiply(x: Any, y: Any) -> Tensor:
    """Product; of bools, and.

    `x` and `y` are tensors, array-likes or numbers; shapes broadcast. Errors are those of Tensor.mul.

        morok.multiply([1, 2], [2, 3])
    """
    first, second = pair(x, y, "multiply")
    return first.mul(second)


def mul(x: Any, y: Any) -> Tensor:
    """Product; of bools, and.

    `x` and `y` are tensors, array-likes or numbers; shapes broadcast. Errors are those of Tensor.mul.

        morok.mul([1, 2], [2, 3])
    """
    first, second = pair(x, y, "mul")
    return first.mul(second)


def divide(x: Any, y: Any) -> Tensor:
    """Quotient; of integers as floats.

    `x` and `y` are tensors, array-likes or numbers; shapes broadcast. Errors are those of Tensor.div.

        morok.divide([1, 2], [2, 3])
    """
    first, second = pair(x, y, "divide")
    return first.div(second)


def div(x: Any, y: Any) -> Tensor:
    """Quotient; of integers as floats.

    `x` and `y` are tensors, array-likes or numbers; shapes broadcast. Errors are those of Tensor.div.

        morok.div([1, 2], [2, 3])
    """
    first, second = pair(x, y, "div")
    return first.div(second)


def floor_divide(x: Any, y: Any) -> Tensor:
    """Quotient rounded down, of integers and floats; an integer by 0 gives 0.

    `x` and `y` are tensors, array-likes or numbers; shapes broadcast. Errors are those of Tensor.floor_divide.

        morok.floor_divide([1, 2], [2, 3])
    """
    first, second = pair(x, y, "floor_divide")
    return first.floor_divide(second)


def remainder(x: Any, y: Any) -> Tensor:
    """Remainder with the divisor's sign, of integers and floats; an integer by 0 gives 0.

    `x` and `y` are tensors, array-likes or numbers; shapes broadcast. Errors are those of Tensor.mod.

        morok.remainder([1, 2], [2, 3])
    """
    first, second = pair(x, y, "remainder")
    return first.mod(second)


def pow(x: Any, y: Any) -> Tensor:
    """Power.

    `x` and `y` are tensors, array-likes or numbers; shapes broadcast. Errors are those of Tensor.pow.

        morok.pow([1, 2], [2, 3])
    """
    first, second = pair(x, y, "pow")
    return first.pow(second)


def maximum(x: Any, y: Any) -> Tensor:
    """The greater of both; NaN where either is.

    `x` and `y` are tensors, array-likes or numbers; shapes broadcast. Errors are those of Tensor.maximum.

        morok.maximum([1, 2], [2, 3])
    """
    first, second = pair(x, y, "maximum")
    return first.maximum(second)


def minimum(x: Any, y: Any) -> Tensor:
    """The lesser of both; NaN where either is.

    `x` and `y` are tensors, array-likes or numbers; shapes broadcast. Errors are those of Tensor.minimum.

        morok.minimum([1, 2], [2, 3])
    """
    first, second = pair(x, y, "minimum")
    return first.minimum(second)


def equal(x: Any, y: Any) -> Tensor:
    """Where both are equal.

    `x` and `y` are tensors, array-likes or numbers; shapes broadcast. Errors are those of Tensor.eq.

        morok.equal([1, 2], [2, 3])
    """
    first, second = pair(x, y, "equal")
    return first.eq(second)


def eq(x: Any, y: Any) -> Tensor:
    """Where both are equal.

    `x` and `y` are tensors, array-likes or numbers; shapes broadcast. Errors are those of Tensor.eq.

        morok.eq([1, 2], [2, 3])
    """
    first, second = pair(x, y, "eq")
    return first.eq(second)


def not_equal(x: Any, y: Any) -> Tensor:
    """Where both differ.

    `x` and `y` are tensors, array-likes or numbers; shapes broadcast. Errors are those of Tensor.ne.

        morok.not_equal([1, 2], [2, 3])
    """
    first, second = pair(x, y, "not_equal")
    return first.ne(second)


def ne(x: Any, y: Any) -> Tensor:
    """Where both differ.

    `x` and `y` are tensors, array-likes or numbers; shapes broadcast. Errors are those of Tensor.ne.

        morok.ne([1, 2], [2, 3])
    """
    first, second = pair(x, y, "ne")
    return first.ne(second)


def less(x: Any, y: Any) -> Tensor:
    """Where this is less.

    `x` and `y` are tensors, array-likes or numbers; shapes broadcast. Errors are those of Tensor.lt.

        morok.less([1, 2], [2, 3])
    """
    first, second = pair(x, y, "less")
    return first.lt(second)


def lt(x: Any, y: Any) -> Tensor:
    """Where this is less.

    `x` and `y` are tensors, array-likes or numbers; shapes broadcast. Errors are those of Tensor.lt.

        morok.lt([1, 2], [2, 3])
    """
    first, second = pair(x, y, "lt")
    return first.lt(second)


def less_equal(x: Any, y: Any) -> Tensor:
    """Where this is less or equal.

    `x` and `y` are tensors, array-likes or numbers; shapes broadcast. Errors are those of Tensor.le.

        morok.less_equal([1, 2], [2, 3])
    """
    first, second = pair(x, y, "less_equal")
    return first.le(second)


def le(x: Any, y: Any) -> Tensor:
    """Where this is less or equal.

    `x` and `y` are tensors, array-likes or numbers; shapes broadcast. Errors are those of Tensor.le.

        morok.le([1, 2], [2, 3])
    """
    first, second = pair(x, y, "le")
    return first.le(second)


def greater(x: Any, y: Any) -> Tensor:
    """Where this is greater.

    `x` and `y` are tensors, array-likes or numbers; shapes broadcast. Errors are those of Tensor.gt.

        morok.greater([1, 2], [2, 3])
    """
    first, second = pair(x, y, "greater")
    return first.gt(second)


def gt(x: Any, y: Any) -> Tensor:
    """Where this is greater.

    `x` and `y` are tensors, array-likes or numbers; shapes broadcast. Errors are those of Tensor.gt.

        morok.gt([1, 2], [2, 3])
    """
    first, second = pair(x, y, "gt")
    return first.gt(second)


def greater_equal(x: Any, y: Any) -> Tensor:
    """Where this is greater or equal.

    `x` and `y` are tensors, array-likes or numbers; shapes broadcast. Errors are those of Tensor.ge.

        morok.greater_equal([1, 2], [2, 3])
    """
    first, second = pair(x, y, "greater_equal")
    return first.ge(second)


def ge(x: Any, y: Any) -> Tensor:
    """Where this is greater or equal.

    `x` and `y` are tensors, array-likes or numbers; shapes broadcast. Errors are those of Tensor.ge.

        morok.ge([1, 2], [2, 3])
    """
    first, second = pair(x, y, "ge")
    return first.ge(second)


def logical_and(x: Any, y: Any) -> Tensor:
    """Where both are not 0.

    `x` and `y` are tensors, array-likes or numbers; shapes broadcast. Errors are those of Tensor.logical_and.

        morok.logical_and([1, 2], [2, 3])
    """
    first, second = pair(x, y, "logical_and")
    return first.logical_and(second)


def logical_or(x: Any, y: Any) -> Tensor:
    """Where either is not 0.

    `x` and `y` are tensors, array-likes or numbers; shapes broadcast. Errors are those of Tensor.logical_or.

        morok.logical_or([1, 2], [2, 3])
    """
    first, second = pair(x, y, "logical_or")
    return first.logical_or(second)


def logical_xor(x: Any, y: Any) -> Tensor:
    """Where one of both is not 0.

    `x` and `y` are tensors, array-likes or numbers; shapes broadcast. Errors are those of Tensor.logical_xor.

        morok.logical_xor([1, 2], [2, 3])
    """
    first, second = pair(x, y, "logical_xor")
    return first.logical_xor(second)


def bitwise_and(x: Any, y: Any) -> Tensor:
    """Bitwise and, of integers and bools.

    `x` and `y` are tensors, array-likes or numbers; shapes broadcast. Errors are those of Tensor.bitwise_and.

        morok.bitwise_and([1, 2], [2, 3])
    """
    first, second = pair(x, y, "bitwise_and")
    return first.bitwise_and(second)


def bitwise_or(x: Any, y: Any) -> Tensor:
    """Bitwise or, of integers and bools.

    `x` and `y` are tensors, array-likes or numbers; shapes broadcast. Errors are those of Tensor.bitwise_or.

        morok.bitwise_or([1, 2], [2, 3])
    """
    first, second = pair(x, y, "bitwise_or")
    return first.bitwise_or(second)


def bitwise_xor(x: Any, y: Any) -> Tensor:
    """Bitwise exclusive or, of integers and bools.

    `x` and `y` are tensors, array-likes or numbers; shapes broadcast. Errors are those of Tensor.bitwise_xor.

        morok.bitwise_xor([1, 2], [2, 3])
    """
    first, second = pair(x, y, "bitwise_xor")
    return first.bitwise_xor(second)


def bitwise_left_shift(x: Any, y: Any) -> Tensor:
    """Left shift; 0 where the distance is negative or reaches the width.

    `x` and `y` are tensors, array-likes or numbers; shapes broadcast. Errors are those of Tensor.lshift.

        morok.bitwise_left_shift([1, 2], [2, 3])
    """
    first, second = pair(x, y, "bitwise_left_shift")
    return first.lshift(second)


def bitwise_right_shift(x: Any, y: Any) -> Tensor:
    """Right shift, arithmetic if signed.

    `x` and `y` are tensors, array-likes or numbers; shapes broadcast. Errors are those of Tensor.rshift.

        morok.bitwise_right_shift([1, 2], [2, 3])
    """
    first, second = pair(x, y, "bitwise_right_shift")
    return first.rshift(second)


def copysign(x: Any, y: Any) -> Tensor:
    """The magnitude of x with the sign of y, signed zeros too.

    `x` and `y` are tensors, array-likes or numbers; shapes broadcast. Errors are those of Tensor.copysign.

        morok.copysign([1, 2], [2, 3])
    """
    first, second = pair(x, y, "copysign")
    return first.copysign(second)


def hypot(x: Any, y: Any) -> Tensor:
    """sqrt(x * x + y * y) without overflow.

    `x` and `y` are tensors, array-likes or numbers; shapes broadcast. Errors are those of Tensor.hypot.

        morok.hypot([1, 2], [2, 3])
    """
    first, second = pair(x, y, "hypot")
    return first.hypot(second)


def logaddexp(x: Any, y: Any) -> Tensor:
    """log(exp(x) + exp(y)) without overflow.

    `x` and `y` are tensors, array-likes or numbers; shapes broadcast. Errors are those of Tensor.logaddexp.

        morok.logaddexp([1, 2], [2, 3])
    """
    first, second = pair(x, y, "logaddexp")
    return first.logaddexp(second)


def heaviside(x: Any, y: Any) -> Tensor:
    """0 below 0, 1 above, `values` at 0, NaN at NaN; both broadcast, integers become floats.

    `x` and `y` are tensors, array-likes or numbers; shapes broadcast. Errors are those of Tensor.heaviside.

        morok.heaviside([1, 2], [2, 3])
    """
    first, second = pair(x, y, "heaviside")
    return first.heaviside(second)


def xlogy(x: Any, y: Any) -> Tensor:
    """x * log(y), and 0 where x is 0 and y not NaN; both broadcast, integers become floats.

    `x` and `y` are tensors, array-likes or numbers; shapes broadcast. Errors are those of Tensor.xlogy.

        morok.xlogy([1, 2], [2, 3])
    """
    first, second = pair(x, y, "xlogy")
    return first.xlogy(second)


def clip(x: Any, min: Any = None, max: Any = None) -> Tensor:
    """Limited from below and above; either may be None.

    `x` is a tensor or array-like of any shape. Errors are those of Tensor.clip.

        morok.clip([1.0, 5.0], 0, 3)
    """
    return tensor_of(x).clip(min, max)


def clamp(x: Any, min: Any = None, max: Any = None) -> Tensor:
    """As Tensor.clamp.

    `x` is a tensor or array-like of any shape. Errors are those of Tensor.clamp.

        morok.clamp([1.0, 5.0], max=3)
    """
    return tensor_of(x).clip(min, max)


def lerp(start: Any, end: Any, weight: Any) -> Tensor:
    """x + weight * (end - x).

    All are tensors, array-likes or numbers; shapes broadcast. Errors are those of Tensor.lerp.

        morok.lerp([0.0], [2.0], 0.5)
    """
    first, second = pair(start, end, "lerp")
    return first.lerp(second, weight)


def nan_to_num(x: Any, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None) -> Tensor:
    """NaN replaced by `nan`, infinities by the given numbers or the dtype's extremes; integers stay.

    `x` is a tensor or array-like of any shape. Errors are those of Tensor.nan_to_num.

        morok.nan_to_num([float('nan'), 1.0])
    """
    return tensor_of(x).nan_to_num(nan, posinf, neginf)


def isclose(x: Any, y: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Tensor:
    """Where |x - y| <= atol + rtol * |y|, or both are equal; NaNs are close with `equal_nan`.

    `x` and `y` are tensors, array-likes or numbers; shapes broadcast. Errors are those of Tensor.isclose.

        morok.isclose([1.0], [1.0])
    """
    first, second = pair(x, y, "isclose")
    return first.isclose(second, rtol, atol, equal_nan)


def allclose(x: Any, y: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Tensor:
    """Whether every element is close, as `isclose` has it: a 0-d bool.

    `x` and `y` are tensors, array-likes or numbers; shapes broadcast. Errors are those of Tensor.allclose.

        morok.allclose([1.0], [1.0])
    """
    first, second = pair(x, y, "allclose")
    return first.allclose(second, rtol, atol, equal_nan)


@also_named(dim="axis")
def softmax(x: Any, axis: int = -1, **other: Unpack[OneDim]) -> Tensor:
    """exp(x) over its sum along an axis (or several), without overflow.

    `x` is a tensor or array-like of any shape. Errors are those of Tensor.softmax.

        morok.softmax([1.0, 2.0])
    """
    return tensor_of(x).softmax(axis)


@also_named(dim="axis")
def log_softmax(x: Any, axis: int = -1, **other: Unpack[OneDim]) -> Tensor:
    """The logarithm of softmax, without overflow.

    `x` is a tensor or array-like of any shape. Errors are those of Tensor.log_softmax.

        morok.log_softmax([1.0, 2.0])
    """
    return tensor_of(x).log_softmax(axis)


def atan2(x: Any, y: Any) -> Tensor:
    """The angle whose tangent is x / y, from -pi to pi: that of the point with ordinate x and abscissa y.

    `x` and `y` are tensors, array-likes or numbers; shapes broadcast. Errors are those of Tensor.atan2.

        morok.atan2([1.0, 2.0], [2.0, 3.0])
    """
    first, second = pair(x, y, "atan2")
    return first.atan2(second)


def arctan2(x: Any, y: Any) -> Tensor:
    """The angle whose tangent is x / y, from -pi to pi: that of the point with ordinate x and abscissa y.

    `x` and `y` are tensors, array-likes or numbers; shapes broadcast. Errors are those of Tensor.atan2.

        morok.arctan2([1.0, 2.0], [2.0, 3.0])
    """
    first, second = pair(x, y, "arctan2")
    return first.atan2(second)


def nextafter(x: Any, y: Any) -> Tensor:
    """The next number after x towards y.

    `x` and `y` are tensors, array-likes or numbers; shapes broadcast. Errors are those of Tensor.nextafter.

        morok.nextafter([1.0, 2.0], [2.0, 3.0])
    """
    first, second = pair(x, y, "nextafter")
    return first.nextafter(second)
