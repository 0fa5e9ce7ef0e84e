"""What runs inside the measuring process (worker.py): compiles a candidate, compares its result, times it."""
from __future__ import annotations

import ctypes
import json
import math
import os
import signal
import sys
import time
from collections.abc import Mapping
from typing import Any

import numpy as np

from ...codegen.backends import renderer
from ...dialect import types as T
from ...errors import InternalError, MorokError
from ...graph.body import Body
from ...graph.buffers import argument_uses
from ...passes.symbolic.bounds import bounds
from ...passes.symbolic.ranges import closed_ranges
from ...schedule.work import estimate
from ..buffer import Buffer
from ..check import difference, kernel_values, random_input
from ..compiled_kernel import SYMBOL, CompiledKernel
from ..config import Config
from ..encoding import decode
from ..host import HOSTS, Call, Phase
from ..openmp import OPENMP
from .schedules import scheduled

SAMPLE_SECONDS = 1e-4
"""A sample is as many runs as take this long."""
TOTAL_SECONDS = 0.03
"""What the samples of a candidate take together, as a rule."""
SURE_DEPTH = 1024
"""Terms of a sum up to which the dtype's tolerance holds; more of them have rounding errors that grow as the square root."""
COLD = 10.0
"""Times the limit: a first run this slow is not repeated at all."""
GRACE = 1.0
"""Seconds after which a worker whose parent did not kill it ends by itself."""


class Subject:
    """The kernel that is being scheduled, its inputs, and what its results must be."""

    def __init__(self, body: Body, values: Mapping[str, int], config: Config) -> None:
        self.body, self.config = body, config
        self.values = kernel_values(body, values)
        self.given = [random_input(a.type, i) for i, a in enumerate(body.arguments)]
        self.buffers = [Buffer.from_numpy(x) for x in self.given]
        read, self.written = argument_uses(body)
        self.updated = read & self.written
        depth = max((math.prod(bounds(r)[1] + 1 for r in closed_ranges(u)) for u in body.order() if u.name == "reduce"), default=1)
        self.leniency = max(1.0, math.sqrt(depth / SURE_DEPTH))
        self.expected: dict[int, np.ndarray] | None = None
        self.threads = config.num_threads if estimate(body, self.values).seconds >= 30e-6 else 1

    def compile(self, opts: str) -> Candidate:
        backend = renderer(self.config.backend)
        kernel = scheduled(self.body, opts, "tuned")
        rendered = backend.render(kernel, SYMBOL)
        return Candidate(CompiledKernel(kernel, rendered, backend.compile(rendered)), self)

    def reset(self) -> None:
        """Inputs as they were; what is only written holds NaN bits, so that an element left out shows."""
        for slot in self.written:
            if slot in self.updated:
                self.buffers[slot].view()[...] = self.given[slot]
            else:
                self.buffers[slot].fill_bytes(0xFF)

    def results(self) -> dict[int, np.ndarray]:
        return {slot: self.buffers[slot].numpy() for slot in self.written}

    def wrong(self, exact: bool) -> str | None:
        """How the results in memory differ from those expected."""
        assert self.expected is not None
        for slot, expected in self.expected.items():
            found = self.buffers[slot].numpy()
            if expected.tobytes() == found.tobytes():
                continue
            problem = _bits(expected, found) if exact else difference(expected, found, self.leniency)
            if problem is not None:
                return f"buffer {slot}: {problem}"
        return None


class Candidate:
    """Machine code of a kernel under some opts, bound to the subject's memory."""

    def __init__(self, kernel: CompiledKernel, subject: Subject) -> None:
        rendered, self.subject = kernel.rendered, subject
        count = len(subject.buffers)
        numbers = [subject.values[name] for name in rendered.variables]
        self.array = (ctypes.c_int64 * (1 + count + len(numbers)))(kernel.address, *[b.address for b in subject.buffers], *numbers)
        call = Call(0, tuple(range(1, 1 + count)), tuple(range(1 + count, len(self.array))), rendered.uses_threads)
        self.threads = subject.threads if rendered.uses_threads else 1
        if self.threads > 1:
            OPENMP.load(subject.config.block_time)
        phase = Phase(threaded=(call,)) if rendered.uses_threads else Phase(sequence=(call,))
        self.host = HOSTS.get((phase,), self.threads > 1, subject.config)
        self.kernel = kernel

    def run(self) -> float:
        """Once; seconds."""
        began = time.perf_counter()
        self.host(ctypes.byref(self.array), self.threads)
        return time.perf_counter() - began

    def time(self, first: float, samples: int) -> float:
        """Seconds of one run: the least of the samples."""
        repeats = max(1, int(SAMPLE_SECONDS / max(first, 1e-7))) if not self.subject.updated else 1
        samples = samples or int(min(50, max(3, TOTAL_SECONDS / (first * repeats + 1e-9))))
        best = first
        for _ in range(samples):
            if self.subject.updated:
                self.subject.reset()
            began = time.perf_counter()
            for _ in range(repeats):
                self.host(ctypes.byref(self.array), self.threads)
            best = min(best, (time.perf_counter() - began) / repeats)
        return best


def _bits(expected: np.ndarray, found: np.ndarray) -> str | None:
    """How two results differ whose elements are to have the same bits, NaNs apart."""
    a, b = np.atleast_1d(expected).reshape(-1), np.atleast_1d(found).reshape(-1)
    same = (a.view(np.uint8).reshape(a.size, -1) == b.view(np.uint8).reshape(b.size, -1)).all(axis=1)
    if T.dtype_of_numpy(a.dtype).is_float:
        same |= np.isnan(a.astype(np.float64)) & np.isnan(b.astype(np.float64))
    return None if same.all() else f"{int((~same).sum())} of {same.size} elements differ"


def answer(question: dict[str, Any], subject: Subject | None) -> tuple[dict[str, Any], Subject | None]:
    """The answer to a question, and the subject of the next."""
    kind = question["do"]
    if kind == "take":
        config = Config(question["threads"], block_time=question["block_time"], backend=question["backend"])
        body, = decode(json.loads(question["kernel"]))
        return {"ok": True}, Subject(body, question["values"], config)
    if kind == "hello" or subject is None:
        return {"ok": True}, subject
    candidate = subject.compile(question["opts"])
    subject.reset()
    first = candidate.run()
    if kind == "reference":
        subject.expected = subject.results()
        return {"ok": True}, subject
    wrong = subject.wrong(question["exact"]) if subject.expected is not None else None
    if wrong is not None:
        return {"error": wrong}, subject
    limit = question["limit"]
    for _ in range(2 if first < COLD * limit else 0):  # the first run woke threads, touched memory, loaded code
        subject.reset()
        first = min(first, candidate.run())
    if first > limit:
        return {"seconds": first}, subject
    return {"seconds": candidate.time(first, question["samples"])}, subject


def serve() -> None:
    """Answers the parent's questions until it is gone."""
    output = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)  # nothing that is printed is an answer
    _die_with_parent()
    subject: Subject | None = None
    for line in sys.stdin.buffer:
        question = json.loads(line)
        signal.setitimer(signal.ITIMER_REAL, question["seconds"] + GRACE)
        try:
            reply, subject = answer(question, subject)
        except (MorokError, InternalError, MemoryError, RuntimeError, ValueError, RecursionError) as error:
            reply = {"error": f"{type(error).__name__}: {error}"[:500]}
        signal.setitimer(signal.ITIMER_REAL, 0)
        output.write(json.dumps(reply).encode() + b"\n")
    os._exit(0)


def _die_with_parent() -> None:
    """Also where the parent has no time to say so; a crash leaves no core file behind."""
    import resource
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)
