"""What a user waits for: import, building ops, compiling graphs anew and from the disk cache, and calling what is compiled.

    python bench/latency.py

Compile times are medians over graphs of one form and different shapes, in a process that has compiled before: cold with the disk cache off, and from
the disk cache in a second process, which a first one has filled it for. Import and first graph are medians of five processes. The share of Python is
what a cold compilation takes outside of MLIR's passes, its translation, LLVM and the linker. Times are wall time: what else runs on the machine
counts too.
"""
from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

import numpy as np

SIZES = range(100, 112)
TARGETS = {"elementwise": 10, "softmax": 20, "matmul": 40, "block": 130}
"""Milliseconds of a cold compilation."""
KERNELS = {"elementwise": 1, "softmax": 1, "matmul": 1, "block": 10}
"""Milliseconds from the disk cache."""


# What is compiled


def floats(*shape: int) -> Any:
    from morok import Tensor
    return Tensor(np.random.default_rng(0).standard_normal(shape).astype(np.float32)).realize()


def layer_norm(x: Any) -> Any:
    d = x - x.mean(-1, keepdim=True)
    return d / (d.square().mean(-1, keepdim=True) + 1e-5).sqrt()


def block(n: int, width: int = 768, heads: int = 12) -> Any:
    """A transformer block on n rows."""
    q, k, v, out = (floats(width, width) for _ in range(4))
    x, y = floats(n, width), layer_norm(floats(n, width))
    q, k, v = ((y @ w).reshape(n, heads, width // heads).transpose(0, 1) for w in (q, k, v))
    attended = ((q @ k.transpose(-1, -2)) * (width // heads) ** -0.5).softmax(-1) @ v
    x = x + attended.transpose(0, 1).reshape(n, width) @ out
    return x + (layer_norm(x) @ floats(width, 4 * width)).gelu(approximate="tanh") @ floats(4 * width, width)


GRAPHS: dict[str, Callable[[int], Any]] = {
    "elementwise": lambda n: (floats(n, 16) * 2 + 1).exp(),
    "softmax": lambda n: floats(n, 64).softmax(-1),
    "matmul": lambda n: floats(2 * n, 256) @ floats(256, 2 * n),
    "block": block,
}


# Measuring, each in a process of its own


def seconds(call: Callable[[], Any]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def compile_times() -> dict[str, float]:
    """Median seconds from each graph to a plan."""
    (floats(7) + 1).prepare()
    return {name: statistics.median(seconds(graph(n).prepare) for n in (SIZES if name != "block" else SIZES[:4])) for name, graph in GRAPHS.items()}


def python_shares() -> dict[str, float]:
    """The part of a cold compilation that is neither MLIR's nor LLVM's; not of the block, whose kernels compile side by side."""
    from morok.codegen import jit, llvm
    from morok.codegen.backends import renderer
    outside = [0.0]

    def timed(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            start = time.perf_counter()
            try:
                return function(*arguments)
            finally:
                outside[0] += time.perf_counter() - start
        return call

    class Lowering:
        run = staticmethod(timed(renderer("llvm")._lowering.run))  # type: ignore[attr-defined]

    class Translation:
        translate_module_to_llvmir = staticmethod(timed(llvm.mlir_llvm.translate_module_to_llvmir))

    (floats(7) + 1).prepare()
    renderer("llvm")._lowering = Lowering  # type: ignore[attr-defined]
    llvm.mlir_llvm, llvm.object_code = Translation, timed(llvm.object_code)  # type: ignore[attr-defined, assignment]
    jit._linker.link = timed(jit._linker.link)  # type: ignore[method-assign]
    shares = {}
    for name in ("elementwise", "softmax", "matmul"):
        found = []
        for n in SIZES:
            graph, outside[0] = GRAPHS[name](n), 0.0
            total = seconds(graph.prepare)
            found.append(1 - outside[0] / total)
        shares[name] = statistics.median(found)
    return shares


def first_graph() -> dict[str, float]:
    """Seconds for the import, and for the first graph of the process."""
    def load() -> None:
        from morok import Tensor  # noqa: F401
    imported = seconds(load)
    from morok import Tensor
    x = Tensor([1.0, 2.0, 3.0])
    return {"import": imported, "graph": seconds(lambda: (x * 2 + 1).exp().numpy())}


def realise_seconds(x: Any) -> float:
    return seconds(x.realize)


def calls() -> dict[str, float]:
    """Seconds of what involves no compiler."""
    import morok
    from morok import Tensor
    x, other = floats(16), floats(16)

    def kernels(count: int) -> Any:
        """A plan of as many, each of which reads what the one before has written, so that none joins another."""
        value = floats(16)
        for _ in range(count):
            value = (value + 1).contiguous()
        plan = Tensor.prepare_batch([value])
        assert plan.num_kernels() == count, plan.report()
        return plan.execute

    def per_call(call: Callable[[], Any], count: int = 5000) -> float:
        def repeatedly() -> None:
            for _ in range(count):
                call()
        return min(seconds(repeatedly) for _ in range(5)) / count

    def build(length: int = 2000) -> None:
        y = x
        for _ in range(length):
            y = y + x

    jitted = morok.jit(lambda a, b: a + b)
    for _ in range(3):
        jitted(x, other)
    one, many, added = per_call(kernels(1)), per_call(kernels(33)), per_call((x + 1).prepare().execute)
    known = statistics.median(realise_seconds(x + 1) for _ in range(2000))
    built = statistics.median(seconds(build) for _ in range(5)) / 2000
    return {"build": built, "jitted": per_call(lambda: jitted(x, other)), "plan": one, "kernel": many / 33, "realize": known - added}


WORKERS = {f.__name__: f for f in (compile_times, python_shares, first_graph, calls)}


def measured(worker: str, **environment: str) -> dict[str, float]:
    """What a worker says in a new process."""
    done = subprocess.run([sys.executable, __file__, "--worker", worker], capture_output=True, text=True, check=True, env={**os.environ, **environment})
    return json.loads(done.stdout.splitlines()[-1])


def median_first(**environment: str) -> dict[str, float]:
    runs = [measured("first_graph", **environment) for _ in range(5)]
    return {name: statistics.median(r[name] for r in runs) for name in runs[0]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--worker", choices=WORKERS, help=argparse.SUPPRESS)
    worker = parser.parse_args().worker
    if worker is not None:
        print(json.dumps(WORKERS[worker]()))
        return
    from rich.console import Console
    from rich.table import Table
    cold, first = measured("compile_times", MOROK_CACHE="0"), median_first(MOROK_CACHE="0")
    shares, called = measured("python_shares", MOROK_CACHE="0"), measured("calls")
    with tempfile.TemporaryDirectory(prefix="morok-latency-") as directory:
        on_disk = {"MOROK_CACHE": "1", "MOROK_CACHE_DIR": directory}
        measured("compile_times", **on_disk)
        stored = measured("compile_times", **on_disk)
        measured("first_graph", **on_disk)
        first_stored = median_first(**on_disk)
    table = Table("what", "measured", "target")
    table.add_row("import morok", f"{1e3 * first['import']:.0f} ms", "400 ms")
    for name, value in cold.items():
        table.add_row(f"compile, cold: {name}", f"{1e3 * value:.1f} ms", f"{TARGETS[name]} ms")
    for name, share in shares.items():
        table.add_row(f"  of it Python: {name}", f"{100 * share:.0f}%", "50%")
    for name, value in stored.items():
        table.add_row(f"compile, from the disk cache: {name}", f"{1e3 * value:.1f} ms", f"{KERNELS[name]} ms")
    table.add_row("first graph of a process (elementwise), cold", f"{1e3 * first['graph']:.0f} ms", "40 ms")
    table.add_row("first graph of a process, from the disk cache", f"{1e3 * first_stored['graph']:.0f} ms", "")
    table.add_row("build one op", f"{1e6 * called['build']:.1f} us", "10 us")
    table.add_row("realise a known graph, above its kernel", f"{1e6 * called['realize']:.1f} us", "100 us")
    table.add_row("call a jitted 16-element add", f"{1e6 * called['jitted']:.1f} us", "4 us")
    table.add_row("execute a plan of one tiny kernel", f"{1e6 * called['plan']:.1f} us", "")
    table.add_row("each tiny kernel of a plan of 33", f"{1e6 * called['kernel']:.2f} us", "1 us")
    Console(width=100).print(table)


if __name__ == "__main__":
    main()
