"""A peer's process: `compare.py` starts it, writes requests to it and reads replies, one JSON object a line.

    {"do": "prepare", "workload": name, "scale": "full", "inputs": [path...], "results": folder}  -> {"seconds": of the first call, "results": [path...]}
    {"do": "time", "least": 0.02}                                                                 -> {"seconds": per call, "calls": n}

A reply {"error": text} tells that the peer could not do it.
"""
from __future__ import annotations

import ctypes
import json
import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from peers import vocabulary
from workloads import same, small, workloads


class Process:
    def __init__(self, peer: str, threads: int) -> None:
        self.ops = vocabulary(peer, threads)
        self.run: Callable[[], Any] | None = None
        self.per_call = 0.0

    def prepare(self, workload: str, scale: str, inputs: list[str], results: str) -> dict[str, Any]:
        self.run = None
        chosen = next(w for w in workloads(small if scale == "small" else same) if w.name == workload)
        arrays = [self.ops.array(np.load(path), i.dtype) for path, i in zip(inputs, chosen.inputs)]
        start = time.perf_counter()
        run = self.ops.ready(chosen.compute, arrays)
        result = run()
        seconds = time.perf_counter() - start
        paths = []
        for i, array in enumerate(self.ops.numpy(result)):
            paths.append(str(Path(results) / f"{i}.npy"))
            np.save(paths[-1], array)
        del result
        start = time.perf_counter()
        run()
        self.run, self.per_call = run, time.perf_counter() - start
        return {"seconds": seconds, "results": paths}

    def time(self, least: float) -> dict[str, Any]:
        """Seconds of one call, over as many as take the least time. A call before them wakes threads and fills caches."""
        run = self.run
        assert run is not None
        run()
        while True:
            calls = max(1, round(1.2 * least / self.per_call))
            start = time.perf_counter()
            for _ in range(calls):
                run()
            total = time.perf_counter() - start
            self.per_call = total / calls
            if total >= least:
                return {"seconds": self.per_call, "calls": calls}


def die_with_the_parent() -> None:
    """Also while stopped, when the end of its input would not be noticed."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)


def main() -> None:
    peer, threads = sys.argv[1], int(sys.argv[2])
    die_with_the_parent()
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print is no reply
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:threads])

    def reply(**content: Any) -> None:
        print(json.dumps(content), file=replies, flush=True)

    try:
        process = Process(peer, threads)
    except ImportError as e:
        return reply(missing=str(e))
    reply(version=process.ops.version)
    for line in sys.stdin:
        request = json.loads(line)
        try:
            reply(**getattr(process, request.pop("do"))(**request))
        except Exception as e:  # the peer's failure is a result
            reply(error=f"{type(e).__name__}: {e}".splitlines()[0])


if __name__ == "__main__":
    main()
