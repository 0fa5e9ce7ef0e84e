"""Products with lanes of outputs and a window of the image: values against NumPy, for strides, dilations, padding, groups and sizes that fit no vector."""
from __future__ import annotations

import numpy as np
import pytest

from morok import Tensor
from morok.passes.optimize import crossed


def reference(x: np.ndarray, w: np.ndarray, stride: int, padding: int, dilation: int, groups: int) -> np.ndarray:
    x = np.pad(x.astype(np.float64), ((0, 0), (0, 0), (padding, padding), (padding, padding)))
    outputs, inputs, height, width = w.shape
    rows, columns = ((n - dilation * (k - 1) - 1) // stride + 1 for n, k in zip(x.shape[2:], (height, width)))
    out = np.zeros((x.shape[0], outputs, rows, columns))
    for o in range(outputs):
        first = o // (outputs // groups) * inputs
        for i in range(height):
            for j in range(width):
                part = x[:, first:first + inputs, i * dilation:, j * dilation:][:, :, ::stride, ::stride][:, :, :rows, :columns]
                out[:, o] += np.einsum("ncij,c->nij", part, w[o, :, i, j].astype(np.float64))
    return out


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16])
@pytest.mark.parametrize(("batch", "inputs", "outputs", "size", "kernel", "stride", "padding", "dilation", "groups"), [
    (1, 16, 32, 14, 3, 1, 1, 1, 1), (2, 5, 37, 13, 3, 1, 1, 1, 1), (1, 3, 32, 29, 7, 2, 3, 1, 1), (1, 8, 32, 12, 3, 1, 2, 2, 1),
    (1, 8, 64, 12, 3, 1, 1, 1, 2), (1, 8, 48, 16, 3, 3, 0, 1, 1), (3, 20, 33, 7, 1, 1, 0, 1, 1), (1, 17, 32, 14, 1, 2, 0, 1, 1)])
def test_crossed_convolutions(monkeypatch, dtype, batch, inputs, outputs, size, kernel, stride, padding, dilation, groups):
    made = []
    original = crossed.schedule_crossed

    def forced(body, product, machine, less_than):
        made.append(original(body, product, machine, float("inf")))
        return made[-1]
    monkeypatch.setattr("morok.passes.optimize.heuristic.schedule_crossed", forced)
    random = np.random.default_rng(0)
    x, w = (random.integers(-3, 4, shape).astype(dtype) for shape in ((batch, inputs, size, size), (outputs, inputs // groups, kernel, kernel)))
    result = Tensor(x).conv2d(Tensor(w), stride=stride, padding=padding, dilation=dilation, groups=groups).numpy()
    np.testing.assert_array_equal(result, reference(x, w, stride, padding, dilation, groups).astype(dtype))
