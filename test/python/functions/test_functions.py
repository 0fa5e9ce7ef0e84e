"""Functions of morok: each agrees with NumPy where NumPy has the name, and tensors and array-likes give the same."""

import inspect

import numpy as np
import pytest

import morok
from morok import Tensor

FUNCTIONS = sorted(name for file, names in morok._FUNCTIONS.items() if file != "of_methods" for name in names.split())
MATRIX = np.array([[1.0, 2.0, -3.0], [4.0, -5.0, 6.0]], np.float32)
DOMAIN = {"acos", "asin", "atanh", "arccos", "arcsin", "arctanh", "log", "log2", "log10", "log1p", "sqrt"}
OF_BITS = [n for n in FUNCTIONS if "bitwise" in getattr(morok, n).__name__]
UNARY = [n for n in FUNCTIONS if hasattr(np, n) and list(inspect.signature(getattr(morok, n)).parameters) == ["x"] and n not in OF_BITS]
BINARY = [n for n in FUNCTIONS if hasattr(np, n) and list(inspect.signature(getattr(morok, n)).parameters) == ["x", "y"]
          and n not in ("matmul", "dot", "outer", "kron")]
REDUCTIONS = [n for n in FUNCTIONS if hasattr(np, n) and "axis" in inspect.signature(getattr(morok, n)).parameters
              and "keepdim" in inspect.signature(getattr(morok, n)).parameters and n not in ("var", "std") and "quantile" not in n and "percentile" not in n]


@pytest.mark.parametrize("name", UNARY)
def test_of_one_value(name):
    a = np.abs(MATRIX) / 8 if name in DOMAIN else np.abs(MATRIX) + 1 if "cosh" in name else MATRIX
    for x in (a, a.T, a[:0], a[0, 0]):
        expected = getattr(np, name)(x)
        for given in (x, Tensor(x), x.tolist()) if x.size else (x, Tensor(x)):  # a list knows no sizes after a 0
            np.testing.assert_allclose(getattr(morok, name)(given).numpy(), expected, rtol=2e-6, atol=1e-7)


@pytest.mark.parametrize("name", BINARY)
def test_of_two_values(name):
    kind = np.int64 if name in OF_BITS else np.float32
    a, b = np.abs(MATRIX).astype(kind), np.array([[3], [2]], kind)
    expected = getattr(np, name)(a, b)
    for x, y in ((a, b), (Tensor(a), b), (a, Tensor(b)), (a.tolist(), b.tolist())):
        np.testing.assert_allclose(getattr(morok, name)(x, y).numpy(), expected, rtol=2e-6)
    if name == "xlogy" or name == "heaviside":
        return
    result = getattr(morok, name)(2, Tensor(a))
    np.testing.assert_allclose(result.numpy(), getattr(np, name)(kind(2), a), rtol=2e-6)


@pytest.mark.parametrize("name", REDUCTIONS)
def test_reductions(name):
    for axis in (None, 0, -1):
        np.testing.assert_allclose(np.asarray(getattr(morok, name)(MATRIX, axis).numpy()), getattr(np, name)(MATRIX, axis=axis), rtol=2e-6)


def test_choice_and_joining():
    a = Tensor(MATRIX)
    np.testing.assert_array_equal(morok.where(a > 0, a, 0).numpy(), np.where(MATRIX > 0, MATRIX, 0))
    np.testing.assert_array_equal(morok.where(a > 0, 1.0, a).numpy(), np.where(MATRIX > 0, 1.0, MATRIX))
    assert morok.where(a > 0, 1, 0.5).dtype is morok.dtypes.float32
    np.testing.assert_array_equal(morok.cat([a, MATRIX], 1).numpy(), np.concatenate([MATRIX, MATRIX], 1))
    np.testing.assert_array_equal(morok.stack([a, MATRIX], -1).numpy(), np.stack([MATRIX, MATRIX], -1))
    np.testing.assert_allclose(morok.matmul(MATRIX, a.T).numpy(), MATRIX @ MATRIX.T)
    np.testing.assert_allclose(morok.grad(lambda x: morok.sum(morok.exp(x)))(a).numpy(), np.exp(MATRIX), rtol=2e-6)


def test_names_are_listed_once():
    assert set(FUNCTIONS) <= set(morok.__all__)
    assert len(set(morok.__all__)) == len(morok.__all__)
