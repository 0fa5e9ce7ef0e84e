"""Factorisations beside NumPy's LAPACK: the time of a call, what it is of NumPy's, and what the first call takes with nothing in the disk cache.

    python bench/factorisations.py --threads 1
    python bench/factorisations.py --names eigh,svd --sizes 1000 --dtype float64
    python bench/factorisations.py --sizes 1000x8x8,200x32x32

Calls of the two alternate in one process, and the least time of each counts. With one thread that is the thread's processor time, so that what else runs on
the machine counts little; with several it is wall time.
"""
from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

NAMES = ("cholesky", "solve", "inv", "det", "qr", "eigh", "svd", "lstsq")
SIZES = "10,50,100,200,500,1000"


def matrices(name: str, shape: tuple[int, ...], dtype: str) -> tuple[np.ndarray, ...]:
    """What a function takes: normally distributed, positive definite for Cholesky, and one right side."""
    rng, n = np.random.default_rng(0), shape[-1]
    a = rng.standard_normal(shape).astype(dtype)
    if name in ("cholesky", "eigh"):
        a = (a + a.swapaxes(-1, -2)) / 2
    if name == "cholesky":
        a += 4 * np.sqrt(n) * np.eye(n, dtype=dtype)
    return (a, rng.standard_normal((*shape[:-1], 1)).astype(dtype)) if name in ("solve", "lstsq") else (a,)


def beside_numpy(name: str) -> tuple[Callable[..., Any], Callable[..., Any]]:
    import morok
    own, theirs = getattr(morok.linalg, name), getattr(np.linalg, name)
    if name == "lstsq":
        return lambda a, b: own(a, b).solution, lambda a, b: theirs(a, b, rcond=None)[0]
    return own, theirs


def measured(name: str, shape: tuple[int, ...], dtype: str, clock: Callable[[], float], budget: float) -> tuple[float, float, float]:
    """Seconds of the first call, of a later one, and of NumPy's."""
    from morok import Tensor, jit
    own, theirs = beside_numpy(name)
    arrays = matrices(name, shape, dtype)
    tensors = [Tensor(a).realize() for a in arrays]
    captured = jit(lambda *given: own(*given))

    def call() -> None:
        found = captured(*tensors)
        for part in found if isinstance(found, tuple) else (found,):
            part.realize()

    def timed(f: Callable[[], Any], clock: Callable[[], float]) -> float:
        begin = clock()
        f()
        return clock() - begin
    first = timed(call, time.perf_counter)
    times: list[tuple[float, float]] = []
    end = time.perf_counter() + budget
    while len(times) < 3 or len(times) < 100 and time.perf_counter() < end:
        times.append((timed(call, clock), timed(lambda: theirs(*arrays), clock)))
    return first, *map(min, zip(*times))  # type: ignore[return-value]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--names", default=",".join(NAMES))
    parser.add_argument("--sizes", default=SIZES, help="n, or batches such as 1000x8x8")
    parser.add_argument("--dtype", default="float32")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--budget", type=float, default=0.5, help="seconds for each pair")
    given = parser.parse_args()
    wanted = dict.fromkeys(("MOROK_NUM_THREADS", "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), str(given.threads)) | {"MOROK_CACHE": "0"}
    if any(os.environ.get(name) != value for name, value in wanted.items()):  # libraries read them when they are loaded
        os.execve(sys.executable, [sys.executable, *sys.argv], os.environ | wanted)
    np.seterr(all="ignore")  # determinants of large matrices overflow
    clock = time.thread_time if given.threads == 1 else time.perf_counter
    print(f"{given.dtype}, {given.threads} thread{'s' * (given.threads > 1)}: ms of a call / NumPy's, their ratio; s of the first call")
    for size in given.sizes.split(","):
        shape = tuple(int(s) for s in size.split("x"))
        for name in given.names.split(","):
            if name == "lstsq" and len(shape) > 2:
                continue  # NumPy's takes no batches
            first, own, theirs = measured(name, shape if len(shape) > 1 else shape * 2, given.dtype, clock, given.budget)
            print(f"{size:>12} {name:10} {own * 1e3:10.3f} {theirs * 1e3:10.3f} {own / theirs:7.2f} {first:7.2f}", flush=True)


if __name__ == "__main__":
    main()
