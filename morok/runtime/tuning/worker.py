"""The process that compiles, checks and times candidates, so that a bad one takes nobody's process with it.

    with Worker(config) as worker:
        worker.take(body, values, seconds)              the kernel that is to be scheduled
        worker.reference("", seconds)                   what its result has to be: that of these opts
        worker.measure("TILE(0,8)", exact, limit, seconds)

Each question has a time limit; a worker that is late, or gone, is killed and replaced, and the answer is None. The two talk in lines of JSON.
"""
from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from typing import Any

from ...graph.body import Body
from ..config import Config
from ..stored_code import kernel_text

START_SECONDS = 30.0
"""Until a new process must have answered once."""
_MAIN = "import sys, json; sys.path[:] = json.loads(sys.argv[1]); from morok.runtime.tuning.measure import serve; serve()"


class Worker:
    """A measuring process; `restarts` counts those that had to be replaced."""

    def __init__(self, config: Config, command: list[str] | None = None) -> None:
        self.config = config
        self.restarts = 0
        self._command = command or [sys.executable, "-c", _MAIN, json.dumps(sys.path)]
        self._process: subprocess.Popen | None = None
        self._kernel: dict[str, Any] | None = None
        self._reference: dict[str, Any] | None = None
        self._unread = b""

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def take(self, body: Body, values: Mapping[str, int], seconds: float) -> bool:
        """Gives the worker a kernel; False where no worker is to be had."""
        c = self.config
        self._kernel = {"do": "take", "kernel": kernel_text(body), "values": dict(values), "threads": c.num_threads, "backend": c.backend,
                        "block_time": c.block_time}
        self._reference = None
        return self._ask(self._kernel, seconds) is not None

    def reference(self, opts: str, seconds: float) -> bool:
        """Makes the result under these opts the one that others are compared with; False where that fails."""
        question = {"do": "reference", "opts": opts}
        answer = self._ask(question, seconds)
        if answer is None or "error" in answer:
            return False
        self._reference = question
        return True

    def measure(self, opts: str, exact: bool, limit: float, seconds: float, samples: int = 0) -> dict[str, Any] | None:
        """{"seconds": s}, or {"error": why}; None where the candidate was late or crashed. One that takes more than `limit` is timed once only."""
        return self._ask({"do": "measure", "opts": opts, "exact": exact, "limit": limit, "samples": samples}, seconds)

    def close(self) -> None:
        """Ends the process."""
        process, self._process = self._process, None
        if process is None:
            return
        for stream in (process.stdin, process.stdout):
            try:
                stream.close()  # type: ignore[union-attr]
            except OSError:
                pass
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except (OSError, PermissionError):
            process.kill()
        process.wait()

    def _ask(self, question: dict[str, Any], seconds: float) -> dict[str, Any] | None:
        if self._process is None and not self._start(question):
            return None
        answer = self._exchange(question, seconds)
        if answer is None:
            self.close()
            self.restarts += 1
        return answer

    def _start(self, question: dict[str, Any]) -> bool:
        """A new process that knows what the one before it knew."""
        self._unread = b""
        environment = {**os.environ, "MOROK_CACHE": "0", "MOROK_TUNING": "0", "MOROK_BEAM": "0"}
        try:
            self._process = subprocess.Popen(self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment,
                                             start_new_session=True, bufsize=0)
        except (OSError, ValueError):
            return False
        for step in ({"do": "hello"}, self._kernel, self._reference):
            if step is not None and step is not question and self._exchange(step, START_SECONDS) is None:
                self.close()
                return False
        return True

    def _exchange(self, question: dict[str, Any], seconds: float) -> dict[str, Any] | None:
        process = self._process
        assert process is not None and process.stdin is not None and process.stdout is not None
        deadline = time.monotonic() + seconds
        try:
            line = json.dumps({**question, "seconds": seconds}).encode() + b"\n"
            sent = 0
            while sent < len(line):
                if not select.select([], [process.stdin], [], max(0.0, deadline - time.monotonic()))[1]:
                    return None
                sent += os.write(process.stdin.fileno(), line[sent:sent + select.PIPE_BUF])
            while b"\n" not in self._unread:
                if not select.select([process.stdout], [], [], max(0.0, deadline - time.monotonic()))[0]:
                    return None
                part = os.read(process.stdout.fileno(), 1 << 16)
                if not part:
                    return None
                self._unread += part
            answer, _, self._unread = self._unread.partition(b"\n")
            found = json.loads(answer)
        except (OSError, ValueError):
            return None
        return found if isinstance(found, dict) else None
