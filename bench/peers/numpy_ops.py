"""NumPy's vocabulary, also the reference: given float64 arrays, it computes in float64."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from . import as_tuple

Array = np.ndarray


class NumPy:
    def __init__(self, threads: int = 1) -> None:
        self.version = np.__version__

    def array(self, raw: Array, dtype: str) -> Array:
        if dtype == "bfloat16":
            import ml_dtypes
            return raw.astype(ml_dtypes.bfloat16)
        return raw

    def ready(self, compute: Callable[..., Any], arrays: list[Array]) -> Callable[[], Any]:
        return lambda: compute(self, *arrays)

    def numpy(self, result: Any) -> list[Array]:
        return [np.asarray(r, np.float32) if np.asarray(r).dtype.itemsize == 2 else np.asarray(r) for r in as_tuple(result)]

    def matmul(self, a: Array, b: Array) -> Array:
        """Halves through float32: OpenBLAS has no product of them, and NumPy's own loops are a thousand times slower."""
        if a.dtype.itemsize == 2:
            return (a.astype(np.float32) @ b.astype(np.float32)).astype(a.dtype)
        return a @ b

    def int8_product(self, a: Array, b: Array) -> Array:
        """Through floats that hold every sum: 2**53 / 127**2 products in float64, 2**24 / 127**2 (1040) in float32."""
        wide = np.float32 if a.shape[-1] <= 1040 and a.dtype == np.int8 else np.float64
        return (a.astype(wide) @ b.astype(wide)).astype(np.int32)

    def linear(self, x: Array, w: Array, b: Array) -> Array:
        y = x @ w
        y += b
        return y

    def permute(self, x: Array, order: tuple[int, ...]) -> Array:
        return x.transpose(order)

    def transposed_copy(self, x: Array) -> Array:
        return np.ascontiguousarray(x.T)

    def relu(self, x: Array) -> Array:
        return np.maximum(x, 0)

    def exp(self, x: Array) -> Array:
        return np.exp(x)

    def sqrt(self, x: Array) -> Array:
        return np.sqrt(x)

    def gelu(self, x: Array) -> Array:
        return 0.5 * x * (1 + np.tanh(0.7978845608028654 * (x + 0.044715 * (x * x * x))))

    def sum(self, x: Array, axis: Any) -> Array:
        return x.sum(axis)

    def mean(self, x: Array, axis: Any) -> Array:
        return x.mean(axis)

    def variance(self, x: Array, axis: Any) -> Array:
        return x.var(axis)

    def argmax(self, x: Array) -> Array:
        return x.argmax(-1)

    def softmax(self, x: Array, axis: int = -1) -> Array:
        e = x - x.max(axis, keepdims=True)
        np.exp(e, out=e)
        e /= e.sum(axis, keepdims=True)
        return e

    def logsumexp(self, x: Array) -> Array:
        peak = x.max(-1, keepdims=True)
        return np.log(np.exp(x - peak).sum(-1)) + peak[..., 0]

    def layer_norm(self, x: Array, w: Array, b: Array) -> Array:
        d = x - x.mean(-1, keepdims=True)
        return d / np.sqrt((d * d).mean(-1, keepdims=True) + 1e-5) * w + b

    def rms_norm(self, x: Array, w: Array) -> Array:
        return x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-6) * w

    def attention(self, q: Array, k: Array, v: Array, mask: Array | None = None, causal: bool = False) -> Array:
        scores = q @ k.swapaxes(-1, -2)
        scores *= q.shape[-1] ** -0.5
        if mask is not None:
            scores += mask
        if causal:
            scores[..., ~np.tri(*scores.shape[-2:], dtype=bool)] = -np.inf
        return self.softmax(scores) @ v

    def conv2d(self, x: Array, w: Array, stride: int, padding: int, groups: int) -> Array:
        """By im2col."""
        n, channels, kernel = len(x), x.shape[1] // groups, w.shape[2:]
        padded = np.pad(x, ((0, 0), (0, 0), (padding, padding), (padding, padding))) if padding else x
        windows = np.lib.stride_tricks.sliding_window_view(padded, kernel, (2, 3))[:, :, ::stride, ::stride]
        rows, columns = windows.shape[2:4]
        panel = windows.reshape(n, groups, channels, rows, columns, *kernel).transpose(0, 1, 2, 5, 6, 3, 4)
        panel = panel.reshape(n, groups, channels * kernel[0] * kernel[1], rows * columns)
        return (w.reshape(groups, len(w) // groups, -1) @ panel).reshape(n, len(w), rows, columns)

    def cumsum(self, x: Array) -> Array:
        return x.cumsum(0)

    def embedding(self, w: Array, places: Array) -> Array:
        return w[places]

    def bincount(self, x: Array, below: int) -> Array:
        return np.bincount(x, minlength=below)

    def sort(self, x: Array) -> Array:
        return np.sort(x)

    def argsort(self, x: Array) -> Array:
        return np.argsort(x, kind="stable")

    def cholesky(self, a: Array) -> Array:
        return np.linalg.cholesky(a)

    def solve(self, a: Array, b: Array) -> Array:
        return np.linalg.solve(a, b)

    def inv(self, a: Array) -> Array:
        return np.linalg.inv(a)

    def qr(self, a: Array) -> tuple[Array, Array]:
        return tuple(np.linalg.qr(a))

    def eigh(self, a: Array) -> tuple[Array, Array]:
        return tuple(np.linalg.eigh(a))

    def conv_transpose2d(self, x: Array, w: Array, stride: int, padding: int) -> Array:
        """Each element's window is added to where it goes, one place of the kernel after another."""
        n, _, rows, columns = x.shape
        kernel = w.shape[2:]
        whole = np.zeros((n, w.shape[1], (rows - 1) * stride + kernel[0], (columns - 1) * stride + kernel[1]), x.dtype)
        parts = np.einsum("nchw,cokl->noklhw", x, w, optimize=True)
        for k in range(kernel[0]):
            for m in range(kernel[1]):
                whole[:, :, k:k + rows * stride:stride, m:m + columns * stride:stride] += parts[:, :, k, m]
        return whole[:, :, padding:whole.shape[2] - padding, padding:whole.shape[3] - padding]

    def lstm(self, x: Array, h: Array, c: Array, w: Array, u: Array, b: Array) -> Array:
        inputs, found = x @ w.T + b, []
        for step in inputs:
            into, forget, cell, out = np.split(step + h @ u.T, 4, -1)
            c = c / (1 + np.exp(-forget)) + np.tanh(cell) / (1 + np.exp(-into))
            h = np.tanh(c) / (1 + np.exp(-out))
            found.append(h)
        return np.stack(found)

    def gradients(self, loss: Callable[..., Any], parameters: Sequence[Array], *data: Any) -> list[Array]:
        from .numpy_tape import gradients
        return gradients(loss, parameters, *data)
