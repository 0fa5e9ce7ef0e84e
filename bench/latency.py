"""What a user waits for: import, building ops, compiling kernels cold and warm, and realising a graph that is known.

    python bench/latency.py

Compile times are medians over graphs of the same form and different shapes, in a process that has compiled before. The import and the first kernel of a
process are medians of fresh processes. Times are wall time: what else runs on the machine counts too.
"""
from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from collections.abc import Callable

import numpy as np
from rich.console import Console
from rich.table import Table

FIRST = """
import time; t = time.perf_counter(); from morok import Tensor; imported = time.perf_counter() - t
x = Tensor([1.0, 2.0, 3.0]); t = time.perf_counter(); (x + 1).numpy(); print(imported, time.perf_counter() - t)
"""


def fresh_process() -> tuple[float, float]:
    """Seconds for the import and for the first kernel: medians of five processes."""
    runs = [tuple(map(float, subprocess.run([sys.executable, "-c", FIRST], capture_output=True, text=True, check=True).stdout.split())) for _ in range(5)]
    return statistics.median(r[0] for r in runs), statistics.median(r[1] for r in runs)


def build_cost() -> float:
    """Seconds for one op of a chain."""
    from morok import Tensor
    x = Tensor(np.ones(16, np.float32))
    n, start = 2000, time.perf_counter()
    for _ in range(n):
        x = x + x
    return (time.perf_counter() - start) / n


def compile_cost(graph: Callable, shapes: list[tuple[int, ...]]) -> float:
    """Median seconds from a new graph to a plan."""
    from morok import Tensor
    times = []
    for shape in shapes:
        x = Tensor(np.ones(shape, np.float32)).realize()
        y = graph(x)
        start = time.perf_counter()
        y.prepare()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def known_graph() -> tuple[float, float]:
    """Seconds to realise a known graph, and those of its kernels alone."""
    from morok import Tensor
    x = Tensor(np.ones(16, np.float32)).realize()
    plan = (x + 1).prepare()
    realise, execute = [], []
    for _ in range(2000):
        y = x + 1
        start = time.perf_counter()
        y.realize()
        realise.append(time.perf_counter() - start)
        start = time.perf_counter()
        plan.execute()
        execute.append(time.perf_counter() - start)
    return statistics.median(realise), statistics.median(execute)


def main() -> None:
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    imported, first = fresh_process()
    compile_cost(lambda x: x + 1, [(7,)])
    elementwise = compile_cost(lambda x: (x * 2 + 1).exp(), [(n, 16) for n in range(100, 120)])
    softmax = compile_cost(lambda x: x.softmax(-1), [(n, 64) for n in range(100, 120)])
    matmul = compile_cost(lambda x: x @ x, [(n, n) for n in range(96, 192, 24)])
    realise, execute = known_graph()
    table = Table("what", "measured", "target")
    table.add_row("import morok", f"{1e3 * imported:.0f} ms", "400 ms")
    table.add_row("first kernel of a process", f"{1e3 * first:.0f} ms", "60 ms")
    table.add_row("build one op", f"{1e6 * build_cost():.1f} us", "10 us")
    table.add_row("compile an elementwise kernel", f"{1e3 * elementwise:.1f} ms", "20 ms")
    table.add_row("compile softmax", f"{1e3 * softmax:.1f} ms", "40 ms")
    table.add_row("compile a matmul", f"{1e3 * matmul:.1f} ms", "")
    table.add_row("realise a known graph, above its kernel", f"{1e6 * (realise - execute):.1f} us", "100 us")
    table.add_row("execute a plan of one small kernel", f"{1e6 * execute:.1f} us", "")
    Console(width=100).print(table)


if __name__ == "__main__":
    main()
