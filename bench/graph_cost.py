"""What the lazy graph costs per op, and what large graphs take from the first op to the result: `python bench/graph_cost.py` prints it.

Building an op that does not exist yet (its MLIR operation included) is to stay under 10 us, finding one that exists under 1 us; a graph of 2,000 ops, built and
run with empty caches, under 2 s.
"""
from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

import numpy as np

import morok
from morok import Tensor
from morok.dialect import types as T
from morok.graph.capture import capture, structural_key
from morok.graph.tensor_graph import GRAPH, TensorUOp, new_buffer, substitute, tensor_const

MATRIX = T.tensor((3, 4), T.float32)


class Storage:
    """Stands for a device buffer."""


def microseconds(run: Callable[[int], object], count: int, repeats: int = 15) -> float:
    """The least time of several runs over `count` ops; what a run made is dropped in between, outside the time."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        made = run(count)
        times.append(time.perf_counter() - start)
        del made
        GRAPH.drain()
    return min(times) / count * 1e6


def microseconds_to_drop(make: Callable[[int], object], count: int, repeats: int = 15) -> float:
    times = []
    for _ in range(repeats):
        made = make(count)
        start = time.perf_counter()
        del made
        GRAPH.drain()
        times.append(time.perf_counter() - start)
    return min(times) / count * 1e6


def graph_costs(count: int = 1000) -> dict[str, float]:
    """Microseconds per op of each kind of work."""
    a, storage = new_buffer(MATRIX), Storage()

    def additions(n: int) -> TensorUOp:
        u = a
        for _ in range(n):
            u = u + a
        return u

    def flips(n: int) -> list[TensorUOp]:
        made = [a]
        for _ in range(n):
            made.append(TensorUOp.make("flip", (made[-1],), ((0,),)))
        return made

    def substitutions(n: int) -> list[TensorUOp]:
        made = [a]
        for _ in range(n):
            made.append(made[-1] + a)
            substitute(made[-1], storage)
        return made

    def products() -> TensorUOp:
        u = a
        for _ in range(count):
            u = u * a
        return u

    kept, chain = a + a, products()
    return {
        "build a + b": microseconds(additions, count),
        "build a movement op": microseconds(flips, count),
        "find a + b": microseconds(lambda n: [a + a for _ in range(n)], count) if kept is not None else 0.0,
        "build a buffer": microseconds(lambda n: [new_buffer(MATRIX, "CPU", storage) for _ in range(n)], count),
        "build a new constant": microseconds(lambda n: [tensor_const(i + 0.5, T.float32) for i in range(n)], count),
        "build and substitute": microseconds(substitutions, count),
        "drop": microseconds_to_drop(additions, count),
        "structural key": microseconds(lambda n: structural_key([chain]), count),
        "capture": microseconds(lambda n: capture([chain]), count),
    }


# Large graphs, each in a process of its own with empty caches


def elementwise(x: Tensor, y: Tensor) -> Tensor:
    """2,000 ops that are one kernel."""
    z = x
    for i in range(500):
        z = (z + y).relu() * 0.99 - y.exp() if i % 4 else z.tanh() * y + x
    return z


def layers(x: Tensor, y: Tensor) -> Tensor:
    """2,000 ops: 120 equal layers of a product and a norm."""
    z = x
    for _ in range(120):
        z = ((z @ y) * 0.1).relu()
        z = z - z.mean(1, keepdim=True)
        z = z / (z.square().mean(1, keepdim=True) + 1e-5).sqrt() + x
    return z


def chain(x: Tensor, y: Tensor) -> Tensor:
    """5,000 ops, each of the one before."""
    z = x
    for i in range(5000):
        z = z + y if i % 2 else z * 0.5
    return z


def chain_gradient(x: Tensor, y: Tensor) -> Tensor:
    """The derivative of a chain of 5,000 ops."""
    w = x.detach().requires_grad_()
    chain(w, y).sum().backward()
    assert w.grad is not None
    return w.grad


def stacked(x: Tensor, y: Tensor) -> Tensor:
    """10,000 tensors in memory, stacked."""
    return morok.stack([Tensor(row) for row in np.ones((10_000, 16), np.float32)])


def stacked_lazily(x: Tensor, y: Tensor) -> Tensor:
    """10,000 tensors that are not computed yet, stacked."""
    return morok.stack([Tensor([float(i), 2.0]) * 2 for i in range(10_000)])


def stacked_constants(x: Tensor, y: Tensor) -> Tensor:
    """10,000 tensors that are not computed yet, each with a constant of its own."""
    return morok.stack([Tensor([float(i), 2.0]) * (1 + i / 4) for i in range(10_000)])


LARGE = {f.__name__: f for f in (elementwise, layers, chain, chain_gradient, stacked, stacked_lazily, stacked_constants)}


def seconds_cold(name: str) -> str:
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([sys.executable, __file__, name], capture_output=True, text=True, env=os.environ | {"MOROK_CACHE_DIR": folder}, check=True)
    return done.stdout.strip()


def run_large(name: str) -> None:
    """Prints how long the graph takes to be built and to be computed, after a first kernel has woken LLVM."""
    x, y = (Tensor(np.random.default_rng(i).standard_normal((64, 64)).astype(np.float32)).realize() for i in range(2))
    (x + 1).realize()
    start = time.perf_counter()
    result = LARGE[name](x, y)
    built = time.perf_counter()
    result.numpy()
    print(f"{built - start:8.2f} s built {time.perf_counter() - built:8.2f} s computed")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        run_large(sys.argv[1])
        sys.exit()
    for name in LARGE:
        print(f"{name:24}{seconds_cold(name)}", flush=True)
    for work, cost in graph_costs().items():
        print(f"{work:24}{cost:8.2f} us")
