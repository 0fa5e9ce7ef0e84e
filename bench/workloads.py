"""What `compare.py` measures: the twenty workloads of the table, and those that show whether a speed holds elsewhere.

A workload is a function written once, over a peer's vocabulary `ops` (see peers/) and its arrays:

    Workload("relu(a*b+c), 16 M", lambda ops, a, b, c: ops.relu(a * b + c), [floats(1 << 24)] * 3, 4 * bytes, "GB/s")

Sizes go through `dim`, so that tests can run everything small.
"""
from __future__ import annotations

import unicodedata
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np

TOLERANCES = {"float64": 1e-11, "float32": 1e-4, "float16": 5e-3, "bfloat16": 3e-2, "int8": 0.0, "int32": 0.0}


@dataclass(frozen=True)
class Input:
    """An array of normally distributed numbers (int8: all values but -128, evenly; int32: those from 0 up to `below`)."""

    shape: tuple[int, ...]
    dtype: str = "float32"
    deviation: float = 1.0
    non_negative: bool = False
    below: int = 0
    diagonal: float = 0.0
    """Added on the diagonal of a matrix: the greater, the better its condition."""
    symmetric: bool = False

    def array(self, rng: np.random.Generator) -> np.ndarray:
        """The numbers, of a dtype that NumPy has: bfloat16 as float32 whose low half is zero."""
        if self.dtype == "int8":
            return rng.integers(-127, 128, self.shape, np.int8)
        if self.dtype == "int32":
            return rng.integers(0, self.below, self.shape, np.int32)
        numbers = rng.standard_normal(self.shape, np.float64 if self.dtype == "float64" else np.float32)
        numbers *= self.deviation
        if self.non_negative:
            np.abs(numbers, out=numbers)
        if self.symmetric:
            numbers = (numbers + numbers.swapaxes(-1, -2)) * 0.5
        if self.diagonal:
            numbers += self.diagonal * np.eye(self.shape[-1], dtype=numbers.dtype)
        if self.dtype == "bfloat16":
            return (numbers.view(np.uint32) & np.uint32(0xFFFF0000)).view(np.float32)
        return numbers.astype(self.dtype, copy=False)


@dataclass(frozen=True)
class Workload:
    name: str
    compute: Callable[..., Any]
    inputs: list[Input]
    amount: float
    """Operations or bytes of one call; what is shown is this over the time, in 1e9 a second. Not used where the unit is us."""
    unit: str
    listed: bool = field(default=False, kw_only=True)
    """Whether it is one of the table's."""

    @property
    def tolerance(self) -> float:
        """The error, relative to the largest exact value, above which a result counts as wrong."""
        return TOLERANCES[self.inputs[0].dtype]

    def arrays(self) -> list[np.ndarray]:
        rng = np.random.default_rng(zlib.crc32(self.name.encode()))
        return [i.array(rng) for i in self.inputs]

    def is_meant_by(self, text: str) -> bool:
        return plain(text) in plain(self.name)


def exactly(array: np.ndarray) -> np.ndarray:
    """The array as the reference takes it: in float64, numbers of rows and classes as they are."""
    return array if array.dtype == np.int32 else array.astype(np.float64)


def plain(name: str) -> str:
    """A name as one types it: matmul 512^3 is matmul 5123, the multiplication sign an x."""
    return unicodedata.normalize("NFKC", name).replace("×", "x").replace("^", "").lower()


def small(size: int) -> int:
    """A size for tests: at most 16, and all sorts of remainders."""
    return size if size <= 8 else 5 + size % 12


def same(size: int) -> int:
    return size


def floats(*shape: int, deviation: float = 1.0, dtype: str = "float32") -> Input:
    return Input(shape, dtype, deviation)


def weights(*shape: int) -> Input:
    """So small that a product with them keeps the magnitude of what they multiply; their first axis is summed over."""
    return Input(shape, deviation=shape[0] ** -0.5)


def numbers(*shape: int, below: int) -> Input:
    return Input(shape, "int32", below=below)


# Functions of several steps


def mlp(ops: Any, x: Any, w1: Any, b1: Any, w2: Any, b2: Any, w3: Any, b3: Any) -> Any:
    hidden = ops.relu(ops.linear(ops.relu(ops.linear(x, w1, b1)), w2, b2))
    return ops.linear(hidden, w3, b3)


def transformer_block(heads: int) -> Callable[..., Any]:
    """Attention and a feed-forward net, each after a layer norm and added to what came in."""
    def block(ops: Any, x: Any, norm1: Any, shift1: Any, wq: Any, bq: Any, wk: Any, bk: Any, wv: Any, bv: Any, wo: Any, bo: Any,
              norm2: Any, shift2: Any, w1: Any, b1: Any, w2: Any, b2: Any) -> Any:
        length, width = x.shape

        def by_head(y: Any) -> Any:
            return ops.permute(y.reshape(length, heads, width // heads), (1, 0, 2))

        normal = ops.layer_norm(x, norm1, shift1)
        q, k, v = (by_head(ops.linear(normal, w, b)) for w, b in ((wq, bq), (wk, bk), (wv, bv)))
        attended = ops.permute(ops.attention(q, k, v), (1, 0, 2)).reshape(length, width)
        x = x + ops.linear(attended, wo, bo)
        return x + ops.linear(ops.gelu(ops.linear(ops.layer_norm(x, norm2, shift2), w1, b1)), w2, b2)
    return block


def adam(ops: Any, weight: Any, gradient: Any, first: Any, second: Any) -> tuple[Any, ...]:
    """Kingma & Ba 2014, algorithm 1, at step 10."""
    first = 0.9 * first + 0.1 * gradient
    second = 0.999 * second + 0.001 * gradient * gradient
    step = (first / (1 - 0.9 ** 10)) / (ops.sqrt(second / (1 - 0.999 ** 10)) + 1e-8)
    return weight - 1e-3 * step, first, second


def embedding_gradient(ops: Any, w: Any, g: Any, places: Any) -> tuple[Any, Any]:
    """Rows of a table, and what comes back to the table."""
    def loss(ops: Any, parameters: Any, g: Any, places: Any) -> Any:
        return ops.sum(ops.embedding(parameters[0], places) * g, None)
    return ops.embedding(w, places), ops.gradients(loss, [w], g, places)[0]


def small_network(ops: Any, parameters: Any, images: Any, classes: Any) -> Any:
    """Two convolutions, each with a pooling, and two linear layers."""
    w1, b1, w2, b2, w3, b3, w4, b4 = parameters
    x = ops.max_pool(ops.relu(ops.conv2d(images, w1, 1, 1, 1) + b1), 2)
    x = ops.max_pool(ops.relu(ops.conv2d(x, w2, 1, 1, 1) + b2), 2)
    return ops.cross_entropy(ops.linear(ops.relu(ops.linear(x.reshape(x.shape[0], -1), w3, b3)), w4, b4), classes)


def small_transformer(heads: int) -> Callable[..., Any]:
    """A language model: blocks of causal attention and two linear layers, a layer norm before each."""
    def loss(ops: Any, parameters: Any, letters: Any, next_letters: Any) -> Any:
        batch, length = letters.shape
        given = iter(parameters)
        x = ops.embedding(next(given), letters) + next(given)
        width = x.shape[-1]

        def by_head(y: Any) -> Any:
            return ops.permute(y.reshape(batch, length, heads, width // heads), (0, 2, 1, 3))

        for _ in range((len(parameters) - 4) // 16):
            normal = ops.layer_norm(x, next(given), next(given))
            q, k, v = (by_head(ops.linear(normal, next(given), next(given))) for _ in range(3))
            attended = ops.permute(ops.attention(q, k, v, causal=True), (0, 2, 1, 3)).reshape(batch, length, width)
            x = x + ops.linear(attended, next(given), next(given))
            normal = ops.layer_norm(x, next(given), next(given))
            x = x + ops.linear(ops.gelu(ops.linear(normal, next(given), next(given))), next(given), next(given))
        return ops.cross_entropy(ops.linear(x, next(given), next(given)).reshape(batch * length, -1), next_letters.reshape(-1))
    return loss


def training_step(loss: Callable[..., Any], count: int) -> Callable[..., Any]:
    """Forward, backward and AdamW (Loshchilov & Hutter 2017) at step 10: of so many parameters each, their first and second moments, then the data."""
    def step(ops: Any, *given: Any) -> tuple[Any, ...]:
        parameters, first, second, data = given[:count], given[count:2 * count], given[2 * count:3 * count], given[3 * count:]
        found = []
        for p, g, m, v in zip(parameters, ops.gradients(loss, parameters, *data), first, second):
            p, m, v = adam(ops, p - 1e-5 * p, g, m, v)
            found += [p, m, v]
        return tuple(found)
    return step


# The table


def elementwise(name: str, compute: Callable[..., Any], size: int, count: int = 1, listed: bool = False) -> Workload:
    """Reads `count` arrays, writes one."""
    return Workload(name, compute, [floats(size)] * count, 4 * size * (count + 1), "GB/s", listed=listed)


def over_rows(name: str, compute: Callable[..., Any], rows: int, columns: int, sweeps: int = 2, more: tuple[Input, ...] = (),
              listed: bool = False) -> Workload:
    """Reads a matrix, and writes one if there are two sweeps."""
    return Workload(name, compute, [floats(rows, columns), *more], 4 * rows * columns * sweeps, "GB/s", listed=listed)


def product(name: str, m: int, k: int, n: int, dtype: str = "float32", compute: Callable[..., Any] = lambda ops, a, b: ops.matmul(a, b),
            listed: bool = False) -> Workload:
    return Workload(name, compute, [floats(m, k, dtype=dtype), floats(k, n, dtype=dtype)], 2 * m * k * n, "GF/s", listed=listed)


def convolution(name: str, inputs: int, outputs: int, size: int, kernel: int, stride: int = 1, padding: int = 0, groups: int = 1,
                listed: bool = False) -> Workload:
    """One picture of size x size."""
    result = (size + 2 * padding - kernel) // stride + 1
    fan_in = inputs // groups * kernel * kernel
    return Workload(name, lambda ops, x, w: ops.conv2d(x, w, stride, padding, groups),
                    [floats(1, inputs, size, size), floats(outputs, inputs // groups, kernel, kernel, deviation=fan_in ** -0.5)],
                    2 * outputs * fan_in * result * result, "GF/s", listed=listed)


def attention(name: str, heads: int, length: int, head: int, causal: bool = False, masked: bool = False, listed: bool = False) -> Workload:
    """A causal one counts half of the operations."""
    more = [floats(length, length)] if masked else []
    return Workload(name, lambda ops, q, k, v, mask=None: ops.attention(q, k, v, mask, causal), [floats(heads, length, head)] * 3 + more,
                    4 * heads * length * length * head / (2 if causal else 1), "GF/s", listed=listed)


def table(dim: Callable[[int], int]) -> Iterator[Workload]:
    m16, m4, wide = dim(1 << 24), dim(1 << 22), dim(4096)
    rows, columns = dim(4096), dim(1024)
    for n in (512, 1024, 2048):
        yield product(f"matmul {n}³", dim(n), dim(n), dim(n), listed=True)
    yield product("matmul 1021×1031×1013", dim(1021), dim(1031), dim(1013), listed=True)
    yield product("matmul 32×4096×1024", dim(32), dim(4096), dim(1024), listed=True)
    yield Workload("matrix-vector 4096²", lambda ops, a, x: ops.matmul(a, x), [floats(wide, wide), floats(wide)], 4 * wide * wide, "GB/s", listed=True)
    yield elementwise("relu(a*b+c), 16 M", lambda ops, a, b, c: ops.relu(a * b + c), m16, 3, listed=True)
    yield elementwise("exp, 4 M", lambda ops, x: ops.exp(x), m4, listed=True)
    yield elementwise("gelu (tanh form), 4 M", lambda ops, x: ops.gelu(x), m4, listed=True)
    yield Workload("sum of 16 M", lambda ops, x: ops.sum(x, 0), [floats(m16)], 4 * m16, "GB/s", listed=True)
    yield over_rows("column sums 4096²", lambda ops, x: ops.sum(x, 0), wide, wide, sweeps=1, listed=True)
    yield over_rows("transpose to contiguous 4096²", lambda ops, x: ops.transposed_copy(x), wide, wide, listed=True)
    yield over_rows("softmax 4096×1024 rows", lambda ops, x: ops.softmax(x), rows, columns, listed=True)
    yield over_rows("layer norm with affine 4096×1024", lambda ops, x, w, b: ops.layer_norm(x, w, b), rows, columns,
                    more=(floats(columns), floats(columns)), listed=True)
    yield convolution("conv 3×3 pad 1, 64→64, 56²", dim(64), dim(64), dim(56), 3, padding=1, listed=True)
    yield convolution("conv 3×3 pad 1, 256→256, 14²", dim(256), dim(256), dim(14), 3, padding=1, listed=True)
    yield attention("attention, 12 heads, 512×64", dim(12), dim(512), dim(64), listed=True)
    sizes = [dim(784), dim(512), dim(512), dim(10)]
    layers = [i for n, m in zip(sizes, sizes[1:]) for i in (weights(n, m), floats(m))]
    batch = dim(64)
    yield Workload("MLP 784-512-512-10, batch 64", mlp, [floats(batch, sizes[0]), *layers],
                   2 * batch * sum(n * m for n, m in zip(sizes, sizes[1:])), "GF/s", listed=True)
    heads, head, length = dim(12), dim(64), dim(128)
    width = heads * head
    square, bias = weights(width, width), floats(width)
    block = [bias, bias, *[square, bias] * 4, bias, bias, weights(width, 4 * width), floats(4 * width), weights(4 * width, width), bias]
    yield Workload("transformer block, 128×768", transformer_block(heads), [floats(length, width), *block],
                   2 * length * 12 * width * width + 4 * length * length * width, "GF/s", listed=True)
    yield Workload("16-element add", lambda ops, a, b: a + b, [floats(16)] * 2, 16, "us", listed=True)


# Beside the table


def products(dim: Callable[[int], int]) -> Iterator[Workload]:
    yield product("matmul 251×257×263", dim(251), dim(257), dim(263))
    yield product("matmul 16³", dim(16), dim(16), dim(16))
    yield product("matmul 4096×16×4096", dim(4096), dim(16), dim(4096))
    yield product("matmul 8192×1024×5", dim(8192), dim(1024), dim(5))
    yield product("matmul 3×2048×2048", dim(3), dim(2048), dim(2048))
    yield product("matmul 1024³, first transposed", *[dim(1024)] * 3, compute=lambda ops, a, b: ops.matmul(ops.permute(a, (1, 0)), b))
    yield product("matmul 1024³, second transposed", *[dim(1024)] * 3, compute=lambda ops, a, b: ops.matmul(a, ops.permute(b, (1, 0))))
    batch, n = dim(48), dim(120)
    yield Workload("matmul 48 of 120³", lambda ops, a, b: ops.matmul(a, b), [floats(batch, n, n)] * 2, 2 * batch * n ** 3, "GF/s")
    for dtype in ("float64", "float16", "bfloat16"):
        yield product(f"matmul 768³ {dtype}", *[dim(768)] * 3, dtype=dtype)
    m, k, n = dim(512), dim(768), dim(512)
    yield Workload("matmul 512×768×512 int8 to int32", lambda ops, a, b: ops.int8_product(a, b),
                   [Input((m, k), "int8"), Input((k, n), "int8")], 2 * m * k * n, "GF/s")
    m, k, n = dim(256), dim(768), dim(3072)
    yield Workload("matmul 256×768×3072, bias, gelu", lambda ops, x, w, b: ops.gelu(ops.linear(x, w, b)),
                   [floats(m, k), weights(k, n), floats(n)], 2 * m * k * n, "GF/s")
    yield Workload("matmul 256×3072×768, bias, gelu, residual", lambda ops, x, w, b, r: ops.gelu(ops.linear(x, w, b)) + r,
                   [floats(m, n), weights(n, k), floats(k), floats(m, k)], 2 * m * k * n, "GF/s")
    yield Workload("matmul 512³ of relu(a*s)", lambda ops, a, s, b: ops.matmul(ops.relu(a * s), b),
                   [floats(dim(512), dim(512)), floats(dim(512)), floats(dim(512), dim(512))], 2 * dim(512) ** 3, "GF/s")


def convolutions(dim: Callable[[int], int]) -> Iterator[Workload]:
    yield convolution("conv 1×1, 256→64, 56²", dim(256), dim(64), dim(56), 1)
    yield convolution("conv 3×3 stride 2 pad 1, 64→128, 56²", dim(64), dim(128), dim(56), 3, 2, 1)
    yield convolution("conv 7×7 stride 2 pad 3, 3→64, 224²", 3, dim(64), dim(224), 7, 2, 3)
    yield convolution("conv 3×3 pad 1 depthwise, 128, 56²", dim(128), dim(128), dim(56), 3, 1, 1, groups=dim(128))
    each = dim(32)
    yield convolution("conv 3×3 pad 1 in 4 groups, 128→128, 28²", 4 * each, 4 * each, dim(28), 3, 1, 1, groups=4)


def rows_and_columns(dim: Callable[[int], int]) -> Iterator[Workload]:
    rows, columns = dim(4096), dim(1024)
    yield over_rows("log-sum-exp 4096×1024 rows", lambda ops, x: ops.logsumexp(x), rows, columns, sweeps=1)
    yield over_rows("RMS norm 4096×1024", lambda ops, x, w: ops.rms_norm(x, w), rows, columns, more=(floats(columns),))
    yield over_rows("mean and variance 4096×1024 rows", lambda ops, x: (ops.mean(x, 1), ops.variance(x, 1)), rows, columns, sweeps=1)
    yield over_rows("argmax 4096×1024 rows", lambda ops, x: ops.argmax(x), rows, columns, sweeps=1)
    yield over_rows("softmax 2999×1009 rows", lambda ops, x: ops.softmax(x), dim(2999), dim(1009))
    yield over_rows("softmax 1024×4096 columns", lambda ops, x: ops.softmax(x, 0), columns, rows)
    shape = (dim(32), dim(64), dim(56), dim(56))
    yield Workload("batch statistics 32×64×56²", lambda ops, x: (ops.mean(x, (0, 2, 3)), ops.variance(x, (0, 2, 3))), [floats(*shape)],
                   4 * prod(shape), "GB/s")
    shape = (dim(64), dim(509), dim(256))
    yield Workload("sums of the middle axis 64×509×256", lambda ops, x: ops.sum(x, 1), [floats(*shape)], 4 * prod(shape), "GB/s")
    size = dim(1 << 22)
    moments = [floats(size, deviation=0.1), Input((size,), deviation=0.01, non_negative=True)]
    yield Workload("Adam update, 4 M", adam, [floats(size), floats(size, deviation=0.1), *moments], 4 * size * 7, "GB/s")


def attentions(dim: Callable[[int], int]) -> Iterator[Workload]:
    yield attention("attention causal, 12 heads, 512×64", dim(12), dim(512), dim(64), causal=True)
    yield attention("attention masked, 8 heads, 384×80", dim(8), dim(384), dim(80), masked=True)
    yield attention("attention, 2 heads, 4096×64", dim(2), dim(4096), dim(64))


def irregular(dim: Callable[[int], int]) -> Iterator[Workload]:
    size, columns, below = dim(1 << 24), dim(32), dim(1 << 17)
    yield Workload("cumsum of 16 M", lambda ops, x: ops.cumsum(x), [Input((size,), non_negative=True)], 8 * size, "GB/s")
    rows = dim(1 << 20)
    yield Workload("gather of 1 M rows of 32", lambda ops, x, places: ops.embedding(x, places), [floats(below, columns), numbers(rows, below=below)],
                   8 * rows * columns, "GB/s")
    size, below = dim(1 << 22), dim(1000)
    yield Workload("bincount of 4 M below 1000", lambda ops, x, below=below: ops.bincount(x, below), [numbers(size, below=below)], 4 * size, "GB/s")
    size = dim(1 << 20)
    yield Workload("sort of 1 M", lambda ops, x: ops.sort(x), [floats(size)], 8 * size, "GB/s")
    yield Workload("argsort of 1 M", lambda ops, x: ops.argsort(x), [floats(size)], 12 * size, "GB/s")
    rows, columns, below = dim(4096), dim(384), dim(30522)
    yield Workload("embedding and its gradient, 4096 of 30522×384", embedding_gradient,
                   [floats(below, columns), floats(rows, columns), numbers(rows, below=below)], 4 * columns * (3 * rows + below), "GB/s")
    size = dim(28)
    yield Workload("conv transposed 4×4 stride 2 pad 1, 128→64, 28²", lambda ops, x, w: ops.conv_transpose2d(x, w, 2, 1),
                   [floats(1, dim(128), size, size), floats(dim(128), dim(64), 4, 4, deviation=dim(128) ** -0.5 / 2)],
                   2 * dim(128) * dim(64) * 16 * size ** 2, "GF/s")
    batch, width, hidden = dim(16), dim(64), dim(128)
    yield Workload("LSTM, 128 steps, batch 16, 64→128", lambda ops, *given: ops.lstm(*given),
                   [floats(dim(128), batch, width), *[floats(batch, hidden)] * 2, floats(4 * hidden, width, deviation=width ** -0.5),
                    floats(4 * hidden, hidden, deviation=hidden ** -0.5), floats(4 * hidden)], 0, "us")


def eigen(ops: Any, a: Any) -> tuple[Any, Any]:
    """Eigenvalues, and the matrix from them and the vectors, whose signs differ from peer to peer."""
    values, vectors = ops.eigh(a)
    return values, ops.matmul(vectors * values, ops.permute(vectors, (1, 0)))


def factorisations(dim: Callable[[int], int]) -> Iterator[Workload]:
    """Operations as LAPACK's algorithms need them."""
    n = dim(500)
    conditioned = 4 * n ** 0.5
    yield Workload("Cholesky 500", lambda ops, a: ops.cholesky(a), [Input((n, n), diagonal=conditioned, symmetric=True)], n ** 3 / 3, "GF/s")
    yield Workload("solve 500", lambda ops, a, b: ops.solve(a, b), [Input((n, n), diagonal=conditioned), floats(n, 1)], 2 * n ** 3 / 3, "GF/s")
    n = dim(300)
    yield Workload("QR 300", lambda ops, a: ops.qr(a), [Input((n, n), diagonal=4 * n ** 0.5)], 8 * n ** 3 / 3, "GF/s")
    yield Workload("eigh 100", eigen, [Input((dim(100), dim(100)), symmetric=True)], 0, "us")
    count, n = dim(1000), 8
    yield Workload("inverse of 1000 of 8×8", lambda ops, a: ops.inv(a), [Input((count, n, n), diagonal=2.0 * n)], 2 * count * n ** 3, "GF/s")


def training(name: str, loss: Callable[..., Any], parameters: list[Input], data: list[Input]) -> Workload:
    """What is shown is the time of one step."""
    first = [floats(*p.shape, deviation=0.01) for p in parameters]
    second = [Input(p.shape, deviation=1e-4, non_negative=True) for p in parameters]
    return Workload(name, training_step(loss, len(parameters)), [*parameters, *first, *second, *data], 0, "us")


def training_steps(dim: Callable[[int], int]) -> Iterator[Workload]:
    size, batch = dim(28), dim(64)
    one, two, inner = dim(16), dim(32), dim(128)
    flat = two * (size // 4) ** 2
    yield training("training step, convolutional network, batch 64 of 28²", small_network, [
        floats(one, 1, 3, 3, deviation=1 / 3), floats(one, 1, 1), floats(two, one, 3, 3, deviation=one ** -0.5 / 3), floats(two, 1, 1),
        weights(flat, inner), floats(inner), weights(inner, 10), floats(10)], [floats(batch, 1, size, size), numbers(batch, below=10)])
    letters, heads, head, length, batch = dim(96), dim(4), dim(32), dim(128), dim(8)
    width = heads * head
    square, bias = weights(width, width), floats(width)
    block = [bias, bias, *[square, bias] * 4, bias, bias, weights(width, 4 * width), floats(4 * width), weights(4 * width, width), bias]
    yield training("training step, transformer of 2 blocks, 8×128×128", small_transformer(heads),
                   [floats(letters, width), floats(length, width), *block * 2, weights(width, letters), floats(letters)],
                   [numbers(batch, length, below=letters)] * 2)


def workloads(dim: Callable[[int], int] = same) -> list[Workload]:
    """All, the table's first."""
    return [w for family in (table, products, convolutions, rows_and_columns, attentions, irregular, factorisations, training_steps) for w in family(dim)]
