"""Activations as layers, each beside its formula in NumPy."""

import numpy as np
import pytest

from morok import Tensor, nn

X = np.array([[-3.0, -0.75, 0.25, 0.5], [-0.5, 0.0, 2.0, 7.0]])
SIGMOID = 1 / (1 + np.exp(-X))
EXP = np.exp(X - X.max(1, keepdims=True))
LAYERS = {
    "CELU": (nn.CELU(2.0), np.maximum(X, 0) + np.minimum(0, 2 * np.expm1(X / 2))), "SELU": (nn.SELU(), 1.0507009873554805 * np.where(
        X > 0, X, 1.6732632423543772 * np.expm1(np.minimum(X, 0)))),
    "GLU": (nn.GLU(), X[:, :2] * SIGMOID[:, 2:]), "Hardsigmoid": (nn.Hardsigmoid(), np.clip(X / 6 + 0.5, 0, 1)),
    "Hardtanh": (nn.Hardtanh(-2, 2), np.clip(X, -2, 2)),
    "Hardshrink": (nn.Hardshrink(0.5), np.where(np.abs(X) > 0.5, X, 0)), "Softshrink": (nn.Softshrink(0.5), np.sign(X) * np.maximum(np.abs(X) - 0.5, 0)),
    "Tanhshrink": (nn.Tanhshrink(), X - np.tanh(X)), "Softsign": (nn.Softsign(), X / (1 + np.abs(X))), "LogSigmoid": (nn.LogSigmoid(), np.log(SIGMOID)),
    "LogSoftmax": (nn.LogSoftmax(1), np.log(EXP / EXP.sum(1, keepdims=True))), "Softmin": (nn.Softmin(1), np.exp(-X) / np.exp(-X).sum(1, keepdims=True)),
    "Threshold": (nn.Threshold(0.25, 9.0), np.where(X > 0.25, X, 9)), "PReLU": (nn.PReLU(), np.where(X > 0, X, X / 4)),
}


@pytest.mark.parametrize("name", LAYERS)
def test_its_values(name):
    layer, expected = LAYERS[name]
    np.testing.assert_allclose(layer(Tensor(X)).numpy(), expected, rtol=1e-6, atol=1e-12)
    np.testing.assert_allclose(layer(Tensor(np.asfortranarray(X))).numpy(), expected, rtol=1e-6, atol=1e-12)
