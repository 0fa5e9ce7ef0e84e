"""How time grows with the work, what memory peaks at, and what threads gain.

    python bench/scaling.py                    # all three tables
    python bench/scaling.py memory threads     # these

Work: square products from 256 to 4096; the last column is the time for one operation relative to the first row's, so that a figure above 1 says that time
grows faster than the work. Memory: the resident set's peak during one call of a jitted function (Linux; pools emptied before), above what was resident before
it; that holds the inputs, so what is left after the outputs is scratch. Threads: the same call on one thread and on all, in turns. Times are the least of
several rounds.
"""
from __future__ import annotations

import argparse
import ctypes
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

import morok
from morok import Tensor
from morok.runtime.devices import device

CONSOLE = Console(width=110, highlight=False)


def floats(*shape: int) -> Tensor:
    return Tensor(np.random.default_rng(0).standard_normal(shape, np.float32)).realize()


def seconds(call: Callable[[], Any], least: float = 0.02) -> float:
    """Of one call, over as many as take the least time."""
    call()
    start, calls = time.perf_counter(), 0
    while time.perf_counter() - start < least:
        call()
        calls += 1
    return (time.perf_counter() - start) / calls


def attention(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return (q @ k.mT * q.shape[-1] ** -0.5).softmax(-1) @ v


# Work

def work(rounds: int, sizes: tuple[int, ...] = (256, 512, 1024, 2048, 4096)) -> Table:
    table = Table("product", "ms", "GF/s", "time per operation, of the first row's")
    first = None
    for n in sizes:
        a, b = floats(n, n), floats(n, n)
        product = morok.jit(lambda x, y: x @ y)
        product(a, b)
        taken = min(seconds(partial(product, a, b)) for _ in range(rounds))
        rate = 2 * n ** 3 / taken / 1e9
        first = first or rate
        table.add_row(f"{n}³", f"{1e3 * taken:.2f}", f"{rate:.0f}", f"{first / rate:.2f}")
    return table


# Memory

def resident() -> tuple[int, int]:
    """Bytes that are resident now, and that were at most since the last `forget_peak`."""
    found = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return tuple(1024 * int(found[name].split()[0]) for name in ("VmRSS", "VmHWM"))  # type: ignore[return-value]


def forget_peak() -> None:
    Path("/proc/self/clear_refs").write_text("5")


def trim() -> None:
    """Gives the C library's free memory back to the system, so that it is no part of what is resident."""
    give_back = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if give_back is not None:
        give_back(0)


def memory(rounds: int, scale: int = 1) -> Table:
    n, rows = 2048 // scale, 4096 // scale
    square, wide, image = floats(n, n), floats(rows, n), floats(8, 64, 112 // scale, 112 // scale)
    heads = [floats(8, n, 64) for _ in range(3)]
    weight = floats(64, 64, 3, 3)
    cases: list[tuple[str, Callable, list[Tensor]]] = [
        ("elementwise chain", lambda x: ((x * 2 + 1).exp() * x).relu(), [wide]), ("softmax of rows", lambda x: x.softmax(-1), [wide]),
        ("product", lambda x, y: x @ y, [square, square]), ("three products in a row", lambda x, y: x @ y @ y @ y, [square, square]),
        ("sum of all", lambda x: x.sum(), [wide]), ("attention, 8 heads", attention, heads),
        ("convolution 3×3", lambda x, w: x.conv2d(w, padding=1), [image, weight])]
    table = Table("computation", "inputs MB", "outputs MB", "peak beside them MB", "planned intermediates MB")
    for name, function, inputs in cases:
        jitted = morok.jit(function)
        jitted(*inputs)
        beside = []
        for _ in range(rounds):
            device().pool.clear()
            jitted.clear()  # its frames hold scratch
            trim()
            before = resident()[0]
            forget_peak()
            result = jitted(*inputs)
            outputs = int(result.nbytes)
            beside.append(max(0, resident()[1] - before - outputs))
            del result
        stages = next(iter(jitted._captured.values())).plan.stages
        planned = sum(stage.program.memory.nbytes for stage in stages if stage.program is not None)
        given = sum(int(x.nbytes) for x in dict.fromkeys(inputs))
        table.add_row(name, *(f"{b / 1e6:.2f}" for b in (given, outputs, min(beside), planned)))
    return table


# Threads

def threads(rounds: int, scale: int = 1) -> Table:
    n = 1024 // scale
    odd, many = floats(1021 // scale, 1031 // scale), floats((1 << 22) // scale ** 2)
    cases: list[tuple[str, Callable, list[Tensor]]] = [
        (f"product {n}³", lambda x, y: x @ y, [floats(n, n), floats(n, n)]), ("product with odd sizes", lambda x: x @ x.T, [odd]),
        ("convolution 3×3, 64→64, 56²", lambda x, w: x.conv2d(w, padding=1), [floats(1, 64, 56, 56), floats(64, 64, 3, 3)]),
        ("attention, 12 heads, 512×64", attention, [floats(12, 512, 64) for _ in range(3)]),
        ("gelu, 4 M", lambda x: x.gelu(approximate="tanh"), [many]), ("exponential, 4 M (memory)", lambda x: x.exp(), [many]),
        ("sum of 4 M (memory)", lambda x: x.sum(), [many])]
    count = morok.get_num_threads()
    table = Table("computation", "ms on 1", f"ms on {count}", "gain")
    for name, function, inputs in cases:
        jitted = morok.jit(function)
        taken: dict[int, list[float]] = {1: [], count: []}
        for _ in range(rounds):
            for used, found in taken.items():
                with morok.num_threads(used):
                    found.append(seconds(partial(jitted, *inputs)))
        one, all_of_them = (min(taken[used]) for used in (1, count))
        table.add_row(name, f"{1e3 * one:.3f}", f"{1e3 * all_of_them:.3f}", f"{one / all_of_them:.2f}")
    return table


TABLES: dict[str, Callable[..., Table]] = {"work": work, "memory": memory, "threads": threads}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables", nargs="*", metavar="table", help=f"any of {', '.join(TABLES)}; default: all")
    parser.add_argument("--rounds", type=int, default=5, help="default: %(default)s")
    options = parser.parse_args()
    if options.rounds < 1:
        parser.error(f"--rounds {options.rounds}: there is at least one")
    for name in options.tables:
        if name not in TABLES:
            parser.error(f"there is no table '{name}'; there are {', '.join(TABLES)}")
    for name in options.tables or TABLES:
        CONSOLE.print(TABLES[name](options.rounds))


if __name__ == "__main__":
    main()
