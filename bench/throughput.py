"""Rates of a dozen workloads, morok beside NumPy on the same arrays: GB/s of the bytes that must move, or GF/s.

    python bench/throughput.py [name...]      # the workloads whose names contain one of these; all without

Both are timed in one process in alternating rounds; the table shows the best round of each, their ratio, and the largest error against float64
relative to the largest value. NumPy is at its best with OPENBLAS_CORETYPE unset.
"""
from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from rich.console import Console
from rich.table import Table

from morok import Tensor

RNG = np.random.default_rng(0)
ROUNDS = 12


@dataclass
class Workload:
    name: str
    inputs: list[np.ndarray]
    morok: Callable[..., Tensor]
    numpy: Callable[..., np.ndarray]
    amount: float
    unit: str = "GB/s"


def floats(*shape: int) -> np.ndarray:
    return RNG.standard_normal(shape).astype(np.float32)


def softmax(x: np.ndarray) -> np.ndarray:
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def layer_norm(x: np.ndarray) -> np.ndarray:
    d = x - x.mean(-1, keepdims=True)
    return d / np.sqrt((d * d).mean(-1, keepdims=True) + x.dtype.type(1e-5))


def workloads() -> list[Workload]:
    big, other = floats(1 << 24), floats(1 << 24)
    mid, rows, square = floats(1 << 22), floats(4096, 1024), floats(2048, 2048)
    a, b, odd_a, odd_b = floats(512, 512), floats(512, 512), floats(301, 303), floats(303, 307)
    return [
        Workload("add, 16 M", [big, other], lambda x, y: x + y, np.add, 3 * big.nbytes),
        Workload("relu(a*b+a), 16 M", [big, other], lambda x, y: (x * y + x).relu(), lambda x, y: np.maximum(x * y + x, 0), 3 * big.nbytes),
        Workload("exp, 16 M", [big], lambda x: x.exp(), np.exp, 2 * big.nbytes),
        Workload("sin, 4 M", [mid], lambda x: x.sin(), np.sin, 2 * mid.nbytes),
        Workload("sum, 16 M", [big], lambda x: x.sum(), np.sum, big.nbytes),
        Workload("row sums 4096x1024", [rows], lambda x: x.sum(1), lambda x: x.sum(1), rows.nbytes),
        Workload("column sums 2048x2048", [square], lambda x: x.sum(0), lambda x: x.sum(0), square.nbytes),
        Workload("transpose 2048x2048", [square], lambda x: x.T.contiguous(), lambda x: np.ascontiguousarray(x.T), 2 * square.nbytes),
        Workload("softmax 4096x1024", [rows], lambda x: x.softmax(-1), softmax, 2 * rows.nbytes),
        Workload("layer norm 4096x1024", [rows], lambda x: x.layernorm(), layer_norm, 2 * rows.nbytes),
        Workload("matmul 512", [a, b], lambda x, y: x @ y, np.matmul, 2 * 512 ** 3, "GF/s"),
        Workload("matmul 301x303x307", [odd_a, odd_b], lambda x, y: x @ y, np.matmul, 2 * 301 * 303 * 307, "GF/s"),
    ]


def measure(w: Workload) -> tuple[float, float, float]:
    """Best seconds of morok and of NumPy, and morok's error."""
    plan = w.morok(*(Tensor(i).realize() for i in w.inputs)).prepare()
    plan.execute()
    exact = w.numpy(*(i.astype(np.float64) for i in w.inputs))
    error = float(np.abs(plan.output_buffer_at(0).numpy() - exact).max() / max(np.abs(exact).max(), 1e-30))
    ours, theirs = [], []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        plan.execute()
        ours.append(time.perf_counter() - start)
        start = time.perf_counter()
        w.numpy(*w.inputs)
        theirs.append(time.perf_counter() - start)
    return min(ours), min(theirs), error


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="name", help="part of a workload's name")
    names, known = parser.parse_args().names, workloads()
    for name in names:
        if not any(name in w.name for w in known):
            parser.error(f"no workload has '{name}' in its name; there are: {'; '.join(w.name for w in known)}")
    table = Table("workload", "unit", "morok", "NumPy", "ratio", "error")
    for w in known:
        if not names or any(name in w.name for name in names):
            ours, theirs, error = measure(w)
            table.add_row(w.name, w.unit, f"{w.amount / ours / 1e9:.1f}", f"{w.amount / theirs / 1e9:.1f}", f"{theirs / ours:.2f}", f"{error:.0e}")
    Console(width=100).print(table)


if __name__ == "__main__":
    main()
