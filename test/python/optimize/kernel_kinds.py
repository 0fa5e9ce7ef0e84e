"""Kernels of many kinds on small odd shapes, as the compiler makes them from tensors: what schedules are tried on.

    kernels_of("matmul", random.Random(3))        the kernels of a product of two matrices of random sizes, in kernel form, without opts
"""
from __future__ import annotations

import random
from collections.abc import Callable
from math import sqrt

import numpy as np

from morok import Tensor, Variable
from morok.dialect import types as T
from morok.graph.body import Body
from morok.graph.capture import capture
from morok.passes.pipeline import run_passes

SIZES = (1, 2, 3, 4, 5, 7, 8, 9, 11, 13, 16, 17, 19, 23, 31, 33)
FLOATS = ("float32", "float32", "float64", "float16", "bfloat16")
DTYPES = (*FLOATS, "int8", "int32", "int64", "uint8", "bool")

Make = Callable[[random.Random], list[Tensor]]
KINDS: dict[str, Make] = {}


def kind(make: Make) -> Make:
    """Enters a kind into the table under the function's name."""
    KINDS[make.__name__] = make
    return make


def kernels_of(name: str, choose: random.Random) -> list[Body]:
    """The kernels of a computation of that kind."""
    return kernels_to(*KINDS[name](choose))


def kernels_to(*results: Tensor) -> list[Body]:
    """The kernels that compute some tensors."""
    program = capture([t.uop for t in results]).program
    run_passes(program, "morok-rangeify,morok-split")
    return program.kernels()


def tensor(dtype: str, *shape: int) -> Tensor:
    """A tensor with memory; what it holds does not matter, the kernels are run on other arrays."""
    return Tensor(np.zeros(shape, T.dtype_named(dtype).np))


def symbolic(choose: random.Random, name: str, most: int) -> Variable:
    """A symbolic size from 1 or 2 up to that."""
    return Variable(name, choose.choice((1, 1, 2)), most).bind(most)


def size(choose: random.Random, most: int = 33) -> int:
    return choose.choice([s for s in SIZES if s <= most])


# Elementwise and movement

@kind
def elementwise(choose):
    dtype, shape = choose.choice(DTYPES), [size(choose) for _ in range(choose.randint(1, 3))]
    shape = shape if np.prod(shape) < 2000 else shape[:2]
    a, b = tensor(dtype, *shape), tensor(dtype, *shape[-1:])
    if dtype == "bool":
        return [(a & b) | ~a]
    return [(a * b + a).maximum(b)]


@kind
def functions(choose):
    a = tensor(choose.choice(FLOATS), size(choose), size(choose))
    return [(a.abs() + 1).log() + a.exp() * a.tanh()]


@kind
def conversion(choose):
    a = tensor(choose.choice(DTYPES), size(choose), size(choose))
    return [a.cast(choose.choice(DTYPES))]


@kind
def comparison(choose):
    dtype, n = choose.choice(DTYPES), size(choose)
    a, b = tensor(dtype, size(choose), n), tensor(dtype, n)
    return [a.where(a < b, b) if dtype != "bool" else a ^ b, a.eq(b)]


@kind
def transpose(choose):
    a = tensor(choose.choice(DTYPES), size(choose, 19), size(choose), size(choose, 7))
    return [a.permute(*choose.choice([(1, 0, 2), (2, 1, 0), (0, 2, 1), (1, 2, 0)])).contiguous()]


@kind
def padded(choose):
    a = tensor(choose.choice(DTYPES), size(choose), size(choose))
    return [a.pad(((choose.randint(0, 2), 1), (1, choose.randint(0, 3)))).flip(0).contiguous()]


@kind
def concatenation(choose):
    dtype, n = choose.choice(DTYPES), size(choose)
    return [tensor(dtype, size(choose), n).cat(tensor(dtype, size(choose), n))]


@kind
def gather(choose):
    table, places = tensor(choose.choice(DTYPES), 3 + size(choose), size(choose)), tensor("int32", size(choose, 13), 1)
    return [table.gather(0, places.expand(places.shape[0], table.shape[1]))]


@kind
def in_place(choose):
    a = tensor(choose.choice(("float32", "int32", "float16")), size(choose), size(choose))
    b = tensor(str(a.dtype).split(".")[-1], a.shape[1])
    a.assign(a * 2 + b)
    return [a]


@kind
def in_place_window(choose):
    a = tensor("float32", 2 + size(choose), 2 + size(choose))
    window = a[1:, 1:]
    window.assign(window + 1)
    return [a]


# Reductions

def reduced(choose, axis):
    dtype = choose.choice(DTYPES)
    a = tensor(dtype, size(choose), size(choose))
    if dtype == "bool":
        return [choose.choice((a.any, a.all))(axis)]
    return [choose.choice((a.sum, a.max, a.min, a.prod, a.mean) if dtype in FLOATS else (a.sum, a.max, a.min))(axis)]


@kind
def row_reduction(choose):
    return reduced(choose, 1)


@kind
def column_reduction(choose):
    return reduced(choose, 0)


@kind
def whole_reduction(choose):
    return reduced(choose, None)


@kind
def middle_reduction(choose):
    return [tensor(choose.choice(FLOATS), size(choose, 9), size(choose), size(choose, 9)).sum(1)]


@kind
def squares(choose):
    a = tensor(choose.choice(FLOATS), size(choose), size(choose))
    return [(a * a).sum(choose.randint(0, 1))]


@kind
def argument_of_maximum(choose):
    return [tensor(choose.choice(("float32", "int32", "float16")), size(choose), size(choose)).argmax(choose.randint(0, 1))]


@kind
def softmax(choose):
    return [tensor(choose.choice(FLOATS), size(choose), size(choose)).softmax(choose.randint(0, 1))]


@kind
def layer_norm(choose):
    a = tensor(choose.choice(FLOATS), size(choose), size(choose))
    return [(a - a.mean(1, keepdim=True)) * (((a - a.mean(1, keepdim=True)) ** 2).mean(1, keepdim=True) + 1e-5).rsqrt()]


# Products

def matrices(choose, most=33, dtypes=("float32", "float32", "float64", "float16", "bfloat16", "int32", "int8")):
    return choose.choice(dtypes), size(choose, most), size(choose, most), size(choose, most)


@kind
def matmul(choose):
    dtype, m, k, n = matrices(choose)
    return [tensor(dtype, m, k) @ tensor(dtype, k, n)]


@kind
def matmul_transposed(choose):
    dtype, m, k, n = matrices(choose)
    a, b = (tensor(dtype, k, m).T, tensor(dtype, k, n)) if choose.random() < 0.5 else (tensor(dtype, m, k), tensor(dtype, n, k).T)
    return [a @ b]


@kind
def matmul_batched(choose):
    dtype, m, k, n = matrices(choose, 17)
    batch = choose.choice((1, 2, 3))
    return [tensor(dtype, batch, m, k) @ tensor(dtype, batch, k, n)]


@kind
def matmul_with_epilogue(choose):
    dtype, m, k, n = matrices(choose, 19, FLOATS)
    return [(tensor(dtype, m, k) @ tensor(dtype, k, n) + tensor(dtype, n)).maximum(0)]


@kind
def matrix_by_vector(choose):
    dtype, m, k, _ = matrices(choose)
    return [tensor(dtype, m, k) @ tensor(dtype, k)] if choose.random() < 0.5 else [tensor(dtype, k) @ tensor(dtype, k, m)]


@kind
def convolution(choose):
    channels, height, width = choose.choice((1, 2, 3)), 3 + size(choose, 9), 3 + size(choose, 9)
    image = tensor(choose.choice(("float32", "float64", "float16")), choose.choice((1, 2)), channels, height, width)
    weight = tensor(str(image.dtype).split(".")[-1], size(choose, 9), channels, 3, choose.choice((1, 3)))
    return [image.conv2d(weight, stride=choose.choice((1, 2)), padding=choose.choice((0, 1)))]


@kind
def depthwise(choose):
    """Windows of each channel by its own weights: no product, but sums that share what they load."""
    channels, height, width = size(choose, 9), 5 + size(choose), 5 + size(choose)
    image = tensor(choose.choice(("float32", "float64", "int32")), 1, channels, height, width)
    weight = tensor(str(image.dtype).split(".")[-1], channels, 1, choose.choice((3, 5)), choose.choice((1, 3)))
    return [image.conv2d(weight, stride=choose.choice((1, 1, 2)), padding=choose.choice((0, 1)), groups=channels)]


@kind
def attention(choose):
    dtype, rows, keys, depth = matrices(choose, 17, ("float32", "float32", "float64", "float16"))
    batch = choose.choice(((), (2,)))
    q, k, v = tensor(dtype, *batch, rows, depth), tensor(dtype, *batch, keys, depth), tensor(dtype, *batch, keys, size(choose, 17))
    return [(q @ k.transpose(-2, -1) * (1 / sqrt(depth))).softmax(-1) @ v]


@kind
def product_of_products(choose):
    dtype, m, k, n = matrices(choose, 13, FLOATS)
    return [(tensor(dtype, m, k) @ tensor(dtype, k, n)).maximum(0) @ tensor(dtype, n, size(choose, 13))]


# Several outputs of one kernel

@kind
def mean_and_variance(choose):
    a = tensor(choose.choice(FLOATS), 8 + size(choose, 17), size(choose))
    return [a.mean(1), a.var(1)] if choose.random() < 0.7 else [a.mean(0), a.var(0), a.max(0)]


@kind
def softmax_and_logarithm(choose):
    a = tensor(choose.choice(FLOATS), 8 + size(choose, 9), size(choose))
    return [a.softmax(1), a.logsumexp(1)]


@kind
def norm_with_statistics(choose):
    a, w = tensor("float32", 8 + size(choose, 9), n := size(choose)), tensor("float32", n)
    mean, scale = a.mean(1, keepdim=True), (a.var(1, keepdim=True, correction=0) + 1e-5).rsqrt()
    return [(a - mean) * scale * w, mean, scale]


@kind
def exponentials_and_sums(choose):
    a = tensor("float32", 8 + size(choose, 9), size(choose))
    return [a.exp(), a.exp().sum(1), a.exp().max(1) * 2]


@kind
def optimiser_step(choose):
    shape = [size(choose) for _ in range(choose.randint(1, 2))]
    weight, gradient, mean, square = (tensor(choose.choice(("float32", "float64")), *shape) for _ in range(4))
    new_mean, new_square = mean * 0.9 + gradient * 0.1, square * 0.99 + gradient * gradient * 0.01
    mean.assign(new_mean)
    square.assign(new_square)
    weight.assign(weight - new_mean / (new_square.sqrt() + 1e-8))
    return [mean, square, weight]


@kind
def saved_activation(choose):
    dtype, m, k, n = matrices(choose, 19, FLOATS)
    before = tensor(dtype, m, k) @ tensor(dtype, k, n)
    return [before, before.maximum(0)]


# Symbolic sizes

def rows_in_use(choose, dtypes=FLOATS):
    """A matrix of which the first n rows count."""
    whole = tensor(choose.choice(dtypes), 3 + size(choose, 19), size(choose))
    return whole[:symbolic(choose, "n", whole.shape[0])]


@kind
def symbolic_elementwise(choose):
    x = rows_in_use(choose)
    return [(x * 2 + 1).maximum(tensor(str(x.dtype).split(".")[-1], x.shape[1]))]


@kind
def symbolic_reduction(choose):
    x, axis = rows_in_use(choose, DTYPES[:-1]), choose.choice((0, 1, None))
    return [choose.choice((x.sum, x.max, x.min))(axis)]


@kind
def symbolic_softmax(choose):
    return [rows_in_use(choose).softmax(choose.randint(0, 1))]


@kind
def symbolic_matmul(choose):
    """The symbolic size is the result's, or the one that is summed over, or both."""
    x = rows_in_use(choose)
    dtype = str(x.dtype).split(".")[-1]
    return [choose.choice((lambda: x @ tensor(dtype, x.shape[1], size(choose)), lambda: x.T @ x, lambda: x @ x.T))()]


@kind
def symbolic_attention(choose):
    """One query for each of the keys in use, or a few queries for all of them."""
    dtype, depth, most = choose.choice(("float32", "float32", "float64", "float16")), size(choose, 17), 3 + size(choose, 13)
    n = symbolic(choose, "n", most)
    k, v = tensor(dtype, most, depth)[:n], tensor(dtype, most, depth)[:n]
    q = choose.choice((k, tensor(dtype, size(choose, 9), depth)))
    return [(q @ k.T).softmax(-1) @ v]


@kind
def symbolic_window(choose):
    """Two symbolic sizes: rows from m on, the first n columns."""
    whole = tensor(choose.choice(DTYPES), 3 + size(choose, 13), 3 + size(choose, 13))
    m, n = symbolic(choose, "m", whole.shape[0] - 1), symbolic(choose, "n", whole.shape[1])
    return [whole[m:, :n].contiguous()]


@kind
def symbolic_update(choose):
    """Rows from m on of a cache are replaced by new ones."""
    new = tensor("float32", rows := size(choose, 5), size(choose))
    cache = tensor("float32", rows + size(choose), new.shape[1])
    m = symbolic(choose, "m", cache.shape[0] - rows) if cache.shape[0] - rows > 1 else 0
    cache[m:m + rows].assign(new * 2)
    return [cache]
