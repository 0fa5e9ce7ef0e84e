"""Activations, softmax and normalisation against formulas in float64."""

import math

import numpy as np
import pytest
from arrays import FLOATS, check, sample

from morok import Tensor, dtypes
from morok.errors import AxisError, DTypeError, ShapeError

erf = np.vectorize(math.erf, otypes=[float])


def softplus(x):
    return np.maximum(x, 0) + np.log1p(np.exp(-abs(x)))


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


FUNCTIONS = {
    "relu": (lambda t: t.relu(), lambda x: np.maximum(x, 0)),
    "relu6": (lambda t: t.relu6(), lambda x: np.clip(x, 0, 6)),
    "leaky_relu": (lambda t: t.leaky_relu(0.2), lambda x: np.where(x > 0, x, 0.2 * x)),
    "elu": (lambda t: t.elu(1.5), lambda x: np.where(x > 0, x, 1.5 * np.expm1(np.minimum(x, 0)))),
    "celu": (lambda t: t.celu(2.0), lambda x: np.where(x > 0, x, 2 * np.expm1(np.minimum(x, 0) / 2))),
    "selu": (lambda t: t.selu(), lambda x: 1.0507009873554805 * np.where(x > 0, x, 1.6732632423543772 * np.expm1(np.minimum(x, 0)))),
    "sigmoid": (lambda t: t.sigmoid(), sigmoid),
    "logsigmoid": (lambda t: t.logsigmoid(), lambda x: -softplus(-x)),
    "softplus": (lambda t: t.softplus(), softplus),
    "softplus_beta": (lambda t: t.softplus(beta=2.0), lambda x: softplus(2 * x) / 2),
    "softsign": (lambda t: t.softsign(), lambda x: x / (1 + abs(x))),
    "silu": (lambda t: t.silu(), lambda x: x * sigmoid(x)),
    "mish": (lambda t: t.mish(), lambda x: x * np.tanh(softplus(x))),
    "hardsigmoid": (lambda t: t.hardsigmoid(), lambda x: np.clip(x + 3, 0, 6) / 6),
    "hardswish": (lambda t: t.hardswish(), lambda x: x * np.clip(x + 3, 0, 6) / 6),
    "hardtanh": (lambda t: t.hardtanh(), lambda x: np.clip(x, -1, 1)),
    "gelu": (lambda t: t.gelu(), lambda x: x * 0.5 * (1 + erf(x / math.sqrt(2)))),
    "gelu_tanh": (lambda t: t.gelu(approximate="tanh"), lambda x: x * 0.5 * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))),
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_activation(name, dtype):
    method, formula = FUNCTIONS[name]
    a = np.linspace(-8, 8, 65).astype(dtype.np)
    check(method(Tensor(a)), formula(a.astype(np.float64)).astype(dtype.np), {16: 1e-2}.get(dtype.bits, 2e-6))


@pytest.mark.parametrize("name", ["relu", "sigmoid", "gelu", "softplus"])
@pytest.mark.parametrize("shape", [(), (0,), (1, 1), (3, 7)], ids=str)
def test_shapes(name, shape):
    method, formula = FUNCTIONS[name]
    a = sample(shape)
    check(method(Tensor(a)), np.asarray(formula(a.astype(np.float64))).astype(np.float32).reshape(shape), 1e-5)


def test_extremes_do_not_overflow():
    x = Tensor([-1000.0, 1000.0, -np.inf, np.inf, np.nan])
    np.testing.assert_array_equal(x.sigmoid().numpy(), [0, 1, 0, 1, np.nan])
    np.testing.assert_array_equal(x.softplus().numpy(), [0, 1000, 0, np.inf, np.nan])
    np.testing.assert_array_equal(x.relu().numpy(), [0, 1000, 0, np.inf, np.nan])
    np.testing.assert_array_equal(x.tanh().numpy(), [-1, 1, -1, 1, np.nan])
    np.testing.assert_array_equal(x.mish().numpy(), [0, 1000, np.nan, np.inf, np.nan])
    np.testing.assert_array_equal(x.gelu(approximate="tanh").numpy(), [0, 1000, np.nan, np.inf, np.nan])


@pytest.mark.parametrize("dtype, least", [(dtypes.float32, -8.0), (dtypes.float64, -14.0)], ids=str)
@pytest.mark.parametrize("name", ["gelu_tanh", "one_and_tanh", "one_less_tanh", "mish"])
def test_small_results_keep_their_digits(name, dtype, least):
    """Where tanh is near -1, or 1, and a sum with 1 would cancel."""
    scale = math.sqrt(2 / math.pi)
    method, formula, low = {
        "gelu_tanh": (lambda t: t.gelu(approximate="tanh"), lambda x: x / (1 + np.exp(-2 * scale * (x + 0.044715 * x**3))), least / 2),
        "one_and_tanh": (lambda t: 1 + t.tanh(), lambda x: 2 / (1 + np.exp(-2 * x)), least),
        "one_less_tanh": (lambda t: 1 - (-t).tanh(), lambda x: 2 / (1 + np.exp(-2 * x)), least),
        "mish": (lambda t: t.mish(), lambda x: x * np.tanh(np.log1p(np.exp(x))), least),
    }[name]
    a = np.linspace(low, -low, 1001).astype(dtype.np)
    result, exact = method(Tensor(a)).numpy(), formula(a.astype(np.longdouble))
    unit = np.spacing(abs(exact).astype(dtype.np))
    # The argument of exp, which is near the logarithm of the result, is rounded: its error counts as often as it is large.
    assert np.all(abs(result - exact) <= unit * (6 + 2 * abs(np.log(np.maximum(abs(exact), 1e-300)))))


def softmax(x, axis):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


@pytest.mark.parametrize(
    "shape, axis",
    [((5,), 0), ((5,), -1), ((3, 17), 1), ((3, 17), 0), ((2, 3, 4), 1), ((2, 3, 4), (1, 2)), ((4, 1), 1), ((37, 64), -1)],
    ids=str,
)
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_softmax(shape, axis, dtype):
    a = sample(shape, dtype)
    x = Tensor(a)
    wide = a.astype(np.float64)
    check(x.softmax(axis), softmax(wide, axis).astype(dtype.np))
    check(
        x.log_softmax(axis),
        (wide - wide.max(axis, keepdims=True) - np.log(np.exp(wide - wide.max(axis, keepdims=True)).sum(axis, keepdims=True))).astype(
            dtype.np
        ),
        5e-6 if dtype is dtypes.float32 else None,
    )
    check(x.softmax(dim=axis).sum(axis), np.ones_like(a.sum(axis)), 2e-2 if dtype.bits == 16 else 1e-5)


def test_softmax_edges():
    assert Tensor(3.0).softmax(-1).item() == 1
    assert Tensor.zeros(0, 3).softmax(1).shape == (0, 3) and Tensor.zeros(3, 0).softmax(1).shape == (3, 0)
    check(Tensor([1000.0, 1000.0]).softmax(0), np.array([0.5, 0.5], np.float32))
    check(Tensor([0.0, -np.inf]).softmax(0), np.array([1, 0], np.float32))
    assert Tensor([1, 2]).softmax(0).dtype is dtypes.float32
    assert Tensor([1.0, 2], dtype="float16").softmax(0, dtype=dtypes.float64).dtype is dtypes.float64


@pytest.mark.parametrize("shape, axis", [((5,), -1), ((3, 17), -1), ((2, 3, 4), (1, 2)), ((3, 64), 1)], ids=str)
def test_layernorm(shape, axis):
    a = sample(shape)
    wide = a.astype(np.float64)
    right = (wide - wide.mean(axis, keepdims=True)) / np.sqrt(wide.var(axis, keepdims=True) + 1e-5)
    check(Tensor(a).layernorm(axis), right.astype(np.float32), 1e-5)


def test_layer_norm_with_weight_and_rms_norm():
    a, w, b = sample((4, 6)), sample((6,), seed=1), sample((6,), seed=2)
    wide = a.astype(np.float64)
    right = (wide - wide.mean(-1, keepdims=True)) / np.sqrt(wide.var(-1, keepdims=True) + 1e-5) * w + b
    check(Tensor(a).layer_norm(6, Tensor(w), Tensor(b)), right.astype(np.float32), 1e-5)
    check(Tensor(a).layer_norm((4, 6)), ((wide - wide.mean()) / np.sqrt(wide.var() + 1e-5)).astype(np.float32), 1e-5)
    check(Tensor(a).rms_norm((6,), Tensor(w)), (wide / np.sqrt((wide**2).mean(-1, keepdims=True) + 2**-23) * w).astype(np.float32), 1e-5)
    assert Tensor(a.astype(np.float16)).layer_norm(6).dtype is dtypes.float16


def test_linear():
    x, w, b = sample((3, 4)), sample((2, 4), seed=1), sample((2,), seed=2)
    check(Tensor(x).linear(Tensor(w), Tensor(b)), x @ w.T + b, 1e-5)


def test_nan_only_results_raise_nothing():
    ones = Tensor.ones(2, 2)
    assert np.isnan((ones * 0 + 0.5).log2().acosh().softmax(-1).numpy()).all()


X = Tensor.zeros(2, 3)


@pytest.mark.parametrize(
    "call, error, words",
    [
        (lambda: X.softmax(2), AxisError, "axis 2"),
        (lambda: X.gelu("none "), DTypeError, "'tanh'"),
        (lambda: X.layer_norm(4), ShapeError, "(4,)"),
        (lambda: X.softmax(0, dtype="int8"), DTypeError, "int8"),
        (lambda: X.layer_norm((2, 2, 3)), ShapeError, "(2, 2, 3)"),
    ],
)
def test_wrong_calls(call, error, words):
    with pytest.raises(error) as caught:
        call()
    assert words in str(caught.value)
