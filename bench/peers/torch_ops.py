"""PyTorch's vocabulary, eager and compiled."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F

from . import as_tuple

Array = torch.Tensor


class Torch:
    def __init__(self, threads: int) -> None:
        self.version = torch.__version__
        torch.set_num_threads(threads)
        torch.set_grad_enabled(False)

    def array(self, raw: np.ndarray, dtype: str) -> Array:
        """Its indices and classes are of int64."""
        return torch.from_numpy(raw).to(torch.int64 if dtype == "int32" else getattr(torch, dtype))

    def ready(self, compute: Callable[..., Any], arrays: list[Array]) -> Callable[[], Any]:
        return lambda: compute(self, *arrays)

    def numpy(self, result: Any) -> list[np.ndarray]:
        return [(r.float() if r.dtype in (torch.float16, torch.bfloat16) else r).numpy() for r in as_tuple(result)]

    def matmul(self, a: Array, b: Array) -> Array:
        return a @ b

    def int8_product(self, a: Array, b: Array) -> Array:
        return torch._int_mm(a, b)

    def linear(self, x: Array, w: Array, b: Array) -> Array:
        return torch.addmm(b, x, w) if x.ndim == 2 else F.linear(x, w.T, b)

    def permute(self, x: Array, order: tuple[int, ...]) -> Array:
        return x.permute(order)

    def transposed_copy(self, x: Array) -> Array:
        return x.T.contiguous()

    def relu(self, x: Array) -> Array:
        return torch.relu(x)

    def exp(self, x: Array) -> Array:
        return torch.exp(x)

    def sqrt(self, x: Array) -> Array:
        return torch.sqrt(x)

    def gelu(self, x: Array) -> Array:
        return F.gelu(x, approximate="tanh")

    def sum(self, x: Array, axis: Any) -> Array:
        return x.sum(axis)

    def mean(self, x: Array, axis: Any) -> Array:
        return x.mean(axis)

    def variance(self, x: Array, axis: Any) -> Array:
        return x.var(axis, correction=0)

    def argmax(self, x: Array) -> Array:
        return x.argmax(-1)

    def softmax(self, x: Array, axis: int = -1) -> Array:
        return torch.softmax(x, axis)

    def logsumexp(self, x: Array) -> Array:
        return torch.logsumexp(x, -1)

    def layer_norm(self, x: Array, w: Array, b: Array) -> Array:
        return F.layer_norm(x, x.shape[-1:], w, b, 1e-5)

    def rms_norm(self, x: Array, w: Array) -> Array:
        return F.rms_norm(x, x.shape[-1:], w, 1e-6)

    def attention(self, q: Array, k: Array, v: Array, mask: Array | None = None, causal: bool = False) -> Array:
        """With a batch axis, which its fused kernel asks for."""
        if q.ndim == 4:
            return F.scaled_dot_product_attention(q, k, v, mask, is_causal=causal)
        return F.scaled_dot_product_attention(q[None], k[None], v[None], mask, is_causal=causal)[0]

    def conv2d(self, x: Array, w: Array, stride: int, padding: int, groups: int) -> Array:
        return F.conv2d(x, w, stride=stride, padding=padding, groups=groups)

    def cumsum(self, x: Array) -> Array:
        return x.cumsum(0)

    def bincount(self, x: Array, below: int) -> Array:
        return torch.bincount(x, minlength=below)

    def sort(self, x: Array) -> Array:
        return torch.sort(x).values

    def argsort(self, x: Array) -> Array:
        return torch.argsort(x, stable=True)

    def cholesky(self, a: Array) -> Array:
        return torch.linalg.cholesky(a)

    def solve(self, a: Array, b: Array) -> Array:
        return torch.linalg.solve(a, b)

    def inv(self, a: Array) -> Array:
        return torch.linalg.inv(a)

    def qr(self, a: Array) -> tuple[Array, Array]:
        return tuple(torch.linalg.qr(a))

    def eigh(self, a: Array) -> tuple[Array, Array]:
        return tuple(torch.linalg.eigh(a))

    def conv_transpose2d(self, x: Array, w: Array, stride: int, padding: int) -> Array:
        return F.conv_transpose2d(x, w, stride=stride, padding=padding)

    def lstm(self, x: Array, h: Array, c: Array, w: Array, u: Array, b: Array) -> Array:
        return torch.lstm(x, [h[None], c[None]], [w, u, b, torch.zeros_like(b)], True, 1, 0.0, False, False, False)[0]

    def max_pool(self, x: Array, size: int) -> Array:
        return F.max_pool2d(x, size)

    def embedding(self, w: Array, places: Array) -> Array:
        return F.embedding(places, w)

    def cross_entropy(self, logits: Array, classes: Array) -> Array:
        return F.cross_entropy(logits, classes)

    def gradients(self, loss: Callable[..., Any], parameters: Sequence[Array], *data: Any) -> list[Array]:
        with torch.enable_grad():
            leaves = [p.detach().requires_grad_() for p in parameters]
            return list(torch.autograd.grad(loss(self, leaves, *data), leaves))


class CompiledTorch(Torch):
    def gradients(self, loss: Callable[..., Any], parameters: Sequence[Array], *data: Any) -> list[Array]:
        return list(torch.func.grad(lambda given: loss(self, given, *data))(list(parameters)))

    def ready(self, compute: Callable[..., Any], arrays: list[Array]) -> Callable[[], Any]:
        torch.compiler.reset()
        compiled = torch.compile(lambda *given: compute(self, *given), dynamic=False)
        return lambda: compiled(*arrays)
