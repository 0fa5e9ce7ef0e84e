"""Mathematical functions against NumPy, on a range of arguments, special values and dtypes."""

import math

import numpy as np
import pytest
from arrays import FLOATS, SHAPES, check, sample

from morok import Tensor, dtypes

FUNCTIONS = {
    "exp": (np.exp, -5, 5),
    "exp2": (np.exp2, -5, 5),
    "expm1": (np.expm1, -2, 2),
    "log": (np.log, 0.1, 9),
    "log2": (np.log2, 0.1, 9),
    "log10": (np.log10, 0.1, 9),
    "log1p": (np.log1p, -0.9, 9),
    "sqrt": (np.sqrt, 0, 9),
    "sin": (np.sin, -9, 9),
    "cos": (np.cos, -9, 9),
    "tan": (np.tan, -1.5, 1.5),
    "asin": (np.arcsin, -1, 1),
    "acos": (np.arccos, -1, 1),
    "atan": (np.arctan, -9, 9),
    "sinh": (np.sinh, -4, 4),
    "cosh": (np.cosh, -4, 4),
    "tanh": (np.tanh, -4, 4),
    "asinh": (np.arcsinh, -9, 9),
    "acosh": (np.arccosh, 1, 9),
    "atanh": (np.arctanh, -0.9, 0.9),
    "floor": (np.floor, -9, 9),
    "ceil": (np.ceil, -9, 9),
    "trunc": (np.trunc, -9, 9),
    "round": (np.round, -9, 9),
    "abs": (np.abs, -9, 9),
    "sign": (np.sign, -9, 9),
    "square": (np.square, -9, 9),
    "reciprocal": (np.reciprocal, 0.1, 9),
    "rsqrt": (lambda a: 1 / np.sqrt(a), 0.1, 9),
    "erf": (np.vectorize(math.erf, otypes=[float]), -3, 3),
    "neg": (np.negative, -9, 9),
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_function(name, dtype):
    f, low, high = FUNCTIONS[name]
    a = np.random.default_rng(0).uniform(low, high, 50).astype(dtype.np)
    expected = f(a.astype(np.float64)).astype(dtype.np)
    check(getattr(Tensor(a), name)(), expected)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_shapes(shape):
    a = sample(shape, low=0)
    check(Tensor(a).sqrt(), np.sqrt(a))
    check(Tensor(a).exp().log(), a, 1e-5)


SPECIAL = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1, -1, 2.5, -2.5, 0.5, 1e38], np.float32)


@pytest.mark.parametrize("name", [n for n in FUNCTIONS if n not in ("erf", "square")])
def test_special_values(name):
    with np.errstate(all="ignore"):
        expected = FUNCTIONS[name][0](SPECIAL.astype(np.float64)).astype(np.float32)
    got = getattr(Tensor(SPECIAL), name)().numpy()
    if name in ("sin", "cos", "tan"):
        got, expected = got[:-1], expected[:-1]
    np.testing.assert_allclose(got, expected, rtol=3e-6, atol=1e-7)


@pytest.mark.parametrize("dtype", [dtypes.int8, dtypes.uint16, dtypes.int64, dtypes.bool], ids=str)
def test_integers_compute_as_float32(dtype):
    a = sample((5,), dtype, low=0)
    for name in ("exp", "sqrt", "sin"):
        check(getattr(Tensor(a), name)(), getattr(np, name)(a.astype(np.float32)))
    for name in ("floor", "ceil", "trunc", "round"):
        check(getattr(Tensor(a), name)(), a)
    check(Tensor(a).abs(), abs(a))
    check(Tensor(a).sign(), np.sign(a) if dtype is not dtypes.bool else a)


def test_kinds():
    x = Tensor(SPECIAL)
    check(x.isnan(), np.isnan(SPECIAL))
    check(x.isinf(), np.isinf(SPECIAL))
    check(x.isfinite(), np.isfinite(SPECIAL))
    check(x.signbit(), np.signbit(SPECIAL))
    i = Tensor([1, -2])
    assert i.isnan().tolist() == [False] * 2 and i.isfinite().tolist() == [True] * 2 and i.signbit().tolist() == [False, True]


def test_round():
    a = np.array([0.5, 1.5, 2.5, -0.5, 1.25, 1.35, 123.456], np.float64)
    check(Tensor(a).round(), np.round(a))
    check(Tensor(a).round(1), np.round(a, 1))
    check(Tensor(a).round(decimals=-1), np.round(a, -1))
    assert round(Tensor(2.6)).item() == 3


def test_pairs_of_arguments():
    with np.errstate(all="ignore"):
        a, b = SPECIAL[:, None], SPECIAL
        for name, f in (("logaddexp", np.logaddexp), ("hypot", np.hypot), ("copysign", np.copysign)):
            np.testing.assert_allclose(getattr(Tensor(a), name)(Tensor(b)).numpy(), f(a, b), rtol=1e-5)
    check(Tensor([0.0, 4]).lerp(Tensor([10.0, 8]), 0.25), np.array([2.5, 5], np.float32))


def test_large_sine_in_float64():
    np.testing.assert_allclose(Tensor(np.float64(39800.0)).sin().item(), math.sin(39800.0), rtol=1e-12)
