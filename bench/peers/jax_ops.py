"""JAX's vocabulary: every workload is one jitted function."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from . import as_tuple

Array = jax.Array


class Jax:
    """Its threads are as many as the CPUs of its process."""

    def __init__(self, threads: int) -> None:
        self.version = jax.__version__

    def array(self, raw: np.ndarray, dtype: str) -> Array:
        jax.config.update("jax_enable_x64", dtype == "float64")
        return jax.device_put(jnp.asarray(raw, dtype))

    def ready(self, compute: Callable[..., Any], arrays: list[Array]) -> Callable[[], Any]:
        jitted = jax.jit(lambda *given: compute(self, *given))
        return lambda: jax.block_until_ready(jitted(*arrays))

    def numpy(self, result: Any) -> list[np.ndarray]:
        return [np.asarray(r, np.float32) if r.dtype.itemsize == 2 else np.asarray(r) for r in as_tuple(result)]

    def matmul(self, a: Array, b: Array) -> Array:
        return a @ b

    def int8_product(self, a: Array, b: Array) -> Array:
        return jnp.matmul(a, b, preferred_element_type=jnp.int32)

    def linear(self, x: Array, w: Array, b: Array) -> Array:
        return x @ w + b

    def permute(self, x: Array, order: tuple[int, ...]) -> Array:
        return jnp.transpose(x, order)

    def transposed_copy(self, x: Array) -> Array:
        return x.T

    def relu(self, x: Array) -> Array:
        return jax.nn.relu(x)

    def exp(self, x: Array) -> Array:
        return jnp.exp(x)

    def sqrt(self, x: Array) -> Array:
        return jnp.sqrt(x)

    def gelu(self, x: Array) -> Array:
        return jax.nn.gelu(x, approximate=True)

    def sum(self, x: Array, axis: Any) -> Array:
        return x.sum(axis)

    def mean(self, x: Array, axis: Any) -> Array:
        return x.mean(axis)

    def variance(self, x: Array, axis: Any) -> Array:
        return x.var(axis)

    def argmax(self, x: Array) -> Array:
        return x.argmax(-1)

    def softmax(self, x: Array, axis: int = -1) -> Array:
        return jax.nn.softmax(x, axis)

    def logsumexp(self, x: Array) -> Array:
        return jax.nn.logsumexp(x, -1)

    def layer_norm(self, x: Array, w: Array, b: Array) -> Array:
        d = x - x.mean(-1, keepdims=True)
        return d * jax.lax.rsqrt((d * d).mean(-1, keepdims=True) + 1e-5) * w + b

    def rms_norm(self, x: Array, w: Array) -> Array:
        return x * jax.lax.rsqrt((x * x).mean(-1, keepdims=True) + 1e-6) * w

    def attention(self, q: Array, k: Array, v: Array, mask: Array | None = None, causal: bool = False) -> Array:
        scores = q @ jnp.swapaxes(k, -1, -2) * q.shape[-1] ** -0.5
        if mask is not None:
            scores = scores + mask
        if causal:
            scores = jnp.where(jnp.tri(*scores.shape[-2:], dtype=bool), scores, -jnp.inf)
        return jax.nn.softmax(scores) @ v

    def conv2d(self, x: Array, w: Array, stride: int, padding: int, groups: int) -> Array:
        return jax.lax.conv_general_dilated(x, w, (stride, stride), [(padding, padding)] * 2, feature_group_count=groups)

    def cumsum(self, x: Array) -> Array:
        return jnp.cumsum(x)

    def bincount(self, x: Array, below: int) -> Array:
        return jnp.bincount(x, length=below)

    def sort(self, x: Array) -> Array:
        return jnp.sort(x)

    def argsort(self, x: Array) -> Array:
        return jnp.argsort(x)

    def cholesky(self, a: Array) -> Array:
        return jnp.linalg.cholesky(a)

    def solve(self, a: Array, b: Array) -> Array:
        return jnp.linalg.solve(a, b)

    def inv(self, a: Array) -> Array:
        return jnp.linalg.inv(a)

    def qr(self, a: Array) -> tuple[Array, Array]:
        return tuple(jnp.linalg.qr(a))

    def eigh(self, a: Array) -> tuple[Array, Array]:
        return tuple(jnp.linalg.eigh(a))

    def conv_transpose2d(self, x: Array, w: Array, stride: int, padding: int) -> Array:
        inside = w.shape[2] - 1 - padding
        return jax.lax.conv_general_dilated(x, jnp.flip(w, (2, 3)).swapaxes(0, 1), (1, 1), [(inside, inside)] * 2, lhs_dilation=(stride, stride))

    def lstm(self, x: Array, h: Array, c: Array, w: Array, u: Array, b: Array) -> Array:
        def step(state: tuple[Array, Array], inputs: Array) -> tuple[tuple[Array, Array], Array]:
            h, c = state
            into, forget, cell, out = jnp.split(inputs + h @ u.T, 4, -1)
            c = jax.nn.sigmoid(forget) * c + jax.nn.sigmoid(into) * jnp.tanh(cell)
            h = jax.nn.sigmoid(out) * jnp.tanh(c)
            return (h, c), h
        return jax.lax.scan(step, (h, c), x @ w.T + b)[1]

    def max_pool(self, x: Array, size: int) -> Array:
        return jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 1, size, size), (1, 1, size, size), "VALID")

    def embedding(self, w: Array, places: Array) -> Array:
        return w[places]

    def cross_entropy(self, logits: Array, classes: Array) -> Array:
        return -jnp.take_along_axis(jax.nn.log_softmax(logits), classes[:, None], 1).mean()

    def gradients(self, loss: Callable[..., Any], parameters: Sequence[Array], *data: Any) -> list[Array]:
        return jax.grad(lambda given: loss(self, given, *data))(list(parameters))
