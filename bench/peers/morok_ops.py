"""morok's vocabulary: every workload is one jitted function."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import morok
from morok import Tensor, dtypes, nn

from . import as_tuple


class Morok:
    """Its threads are set by MOROK_NUM_THREADS."""

    def __init__(self, threads: int) -> None:
        self.version = morok.__version__

    def array(self, raw: np.ndarray, dtype: str) -> Tensor:
        return Tensor(raw).cast(getattr(dtypes, dtype)).realize()

    def ready(self, compute: Callable[..., Any], arrays: list[Tensor]) -> Callable[[], Any]:
        """With `morok.jit` where it exists, else an execution plan."""
        jit = getattr(morok, "jit", None)
        if jit is None:
            return Prepared(as_tuple(compute(self, *arrays)))
        jitted = jit(lambda *given: compute(self, *given))
        if all(r.is_realized for r in as_tuple(jitted(*arrays))):
            return lambda: jitted(*arrays)
        return lambda: [r.realize() for r in as_tuple(jitted(*arrays))]

    def numpy(self, result: Any) -> list[np.ndarray]:
        results = [r if isinstance(r, np.ndarray) else r.numpy() for r in as_tuple(result)]
        return [r.astype(np.float32) if r.dtype.itemsize == 2 else r for r in results]

    def matmul(self, a: Tensor, b: Tensor) -> Tensor:
        return a @ b

    def int8_product(self, a: Tensor, b: Tensor) -> Tensor:
        return a.cast(dtypes.int32) @ b.cast(dtypes.int32)

    def linear(self, x: Tensor, w: Tensor, b: Tensor) -> Tensor:
        return x @ w + b

    def permute(self, x: Tensor, order: tuple[int, ...]) -> Tensor:
        return x.permute(*order)

    def transposed_copy(self, x: Tensor) -> Tensor:
        return x.T.contiguous()

    def relu(self, x: Tensor) -> Tensor:
        return x.relu()

    def exp(self, x: Tensor) -> Tensor:
        return x.exp()

    def sqrt(self, x: Tensor) -> Tensor:
        return x.sqrt()

    def gelu(self, x: Tensor) -> Tensor:
        return x.gelu(approximate="tanh")

    def sum(self, x: Tensor, axis: Any) -> Tensor:
        return x.sum(axis)

    def mean(self, x: Tensor, axis: Any) -> Tensor:
        return x.mean(axis)

    def variance(self, x: Tensor, axis: Any) -> Tensor:
        return x.var(axis, correction=0)

    def argmax(self, x: Tensor) -> Tensor:
        return x.argmax(-1)

    def softmax(self, x: Tensor, axis: int = -1) -> Tensor:
        return x.softmax(axis)

    def logsumexp(self, x: Tensor) -> Tensor:
        return x.logsumexp(-1)

    def layer_norm(self, x: Tensor, w: Tensor, b: Tensor) -> Tensor:
        return x.layer_norm(x.shape[-1:], w, b, 1e-5)

    def rms_norm(self, x: Tensor, w: Tensor) -> Tensor:
        return x.rms_norm(x.shape[-1:], w, 1e-6)

    def attention(self, q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None, causal: bool = False) -> Tensor:
        scores = q @ k.mT * q.shape[-1] ** -0.5
        if mask is not None:
            scores = scores + mask
        if causal:
            place = Tensor.arange(q.shape[-2])
            scores = scores.where(place.reshape(-1, 1) >= place, float("-inf"))
        return scores.softmax(-1) @ v

    def conv2d(self, x: Tensor, w: Tensor, stride: int, padding: int, groups: int) -> Tensor:
        return x.conv2d(w, stride=stride, padding=padding, groups=groups)

    def cumsum(self, x: Tensor) -> Tensor:
        return x.cumsum(0)

    def bincount(self, x: Tensor, below: int) -> Tensor:
        return x.bincount(length=below)

    def sort(self, x: Tensor) -> Tensor:
        return x.sort()

    def argsort(self, x: Tensor) -> Tensor:
        return x.argsort()

    def cholesky(self, a: Tensor) -> Tensor:
        return morok.linalg.cholesky(a)

    def solve(self, a: Tensor, b: Tensor) -> Tensor:
        return morok.linalg.solve(a, b)

    def inv(self, a: Tensor) -> Tensor:
        return morok.linalg.inv(a)

    def qr(self, a: Tensor) -> tuple[Tensor, Tensor]:
        return tuple(morok.linalg.qr(a))

    def eigh(self, a: Tensor) -> tuple[Tensor, Tensor]:
        return tuple(morok.linalg.eigh(a))

    def conv_transpose2d(self, x: Tensor, w: Tensor, stride: int, padding: int) -> Tensor:
        return nn.functional.conv_transpose2d(x, w, stride=stride, padding=padding)

    def lstm(self, x: Tensor, h: Tensor, c: Tensor, w: Tensor, u: Tensor, b: Tensor) -> Tensor:
        layer = nn.LSTM(x.shape[-1], h.shape[-1])
        layer.weight_ih_l0, layer.weight_hh_l0, layer.bias_ih_l0, layer.bias_hh_l0 = w, u, b, Tensor.zeros(*b.shape)
        return layer(x, (h.unsqueeze(0), c.unsqueeze(0)))[0]

    def max_pool(self, x: Tensor, size: int) -> Tensor:
        return nn.functional.max_pool2d(x, size)

    def embedding(self, w: Tensor, places: Tensor) -> Tensor:
        return nn.functional.embedding(places, w)

    def cross_entropy(self, logits: Tensor, classes: Tensor) -> Tensor:
        return nn.functional.cross_entropy(logits, classes)

    def gradients(self, loss: Callable[..., Any], parameters: Sequence[Tensor], *data: Any) -> list[Tensor]:
        leaves = [p.detach().requires_grad_() for p in parameters]
        loss(self, leaves, *data).backward()
        return [leaf.grad for leaf in leaves]


class Prepared:
    """A plan that a call runs; the call's result is copied out only if someone asks for it."""

    def __init__(self, results: tuple[Tensor, ...]) -> None:
        self.plan = Tensor.prepare_batch(results)
        self.outputs = [self.plan.output_buffer_at(i) for i in range(len(results))]

    def __call__(self) -> list[Any]:
        self.plan.execute()
        return self.outputs
