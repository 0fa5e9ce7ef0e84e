"""What the lazy graph costs per op: `python bench/graph_cost.py` prints it.

Building an op that does not exist yet (its MLIR operation included) is to stay under 10 us, finding one that exists under 1 us.
"""
from __future__ import annotations

import time
from collections.abc import Callable

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


if __name__ == "__main__":
    for work, cost in graph_costs().items():
        print(f"{work:24}{cost:8.2f} us")
