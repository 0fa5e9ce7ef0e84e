"""A peer seen from `compare.py`: a process that is started, asked, and stopped while others have their turn."""
from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
from pathlib import Path
from typing import Any

THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "MOROK_NUM_THREADS")
SLOWS_NUMPY = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")
KEEP_MEMORY = dict.fromkeys(("MALLOC_TRIM_THRESHOLD_", "MALLOC_MMAP_THRESHOLD_"), str(1 << 36))
"""glibc gives no memory back, so that the next result does not fault its pages in anew."""


class PeerError(Exception):
    """The peer could not do what it was asked."""


class MissingPeer(Exception):
    """It is not installed."""


def environment(threads: int, keep_memory: bool) -> dict[str, str]:
    """Of a peer's process: as many threads as asked for, NumPy's kernels chosen by itself, nothing compiled by further processes."""
    kept = {name: value for name, value in os.environ.items() if name not in SLOWS_NUMPY}
    chosen = dict.fromkeys(THREAD_VARIABLES, str(threads)) | (KEEP_MEMORY if keep_memory else {})
    return kept | chosen | {"JAX_PLATFORMS": "cpu", "TORCHINDUCTOR_COMPILE_THREADS": "1"}


class RemotePeer:
    """Runs only while it is asked: a pool that spins after its work would take the CPU from the next peer."""

    def __init__(self, name: str, python: str, threads: int, keep_memory: bool) -> None:
        self.name, self.python, self.threads, self.keep_memory = name, python, threads, keep_memory
        self.start()

    def start(self) -> None:
        command = [self.python, str(Path(__file__).with_name("peer_process.py")), self.name, str(self.threads)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                                        env=environment(self.threads, self.keep_memory))
        hello = self._reply(120)
        if "missing" in hello:
            raise MissingPeer(hello["missing"])
        self.version: str = hello["version"]
        self._signal("SIGSTOP")

    def ask(self, limit: float, **request: Any) -> dict[str, Any]:
        """PeerError if it fails, dies, or takes more than the limit in seconds; of the latter two it recovers at the next request."""
        if self.process.poll() is not None:
            self.start()
        self._signal("SIGCONT")
        assert self.process.stdin is not None
        try:
            print(json.dumps(request), file=self.process.stdin, flush=True)
        except BrokenPipeError:
            raise PeerError("its process is gone") from None
        reply = self._reply(limit)
        self._signal("SIGSTOP")
        if "error" in reply:
            raise PeerError(reply["error"])
        return reply

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                pipe.close()

    def _reply(self, limit: float) -> dict[str, Any]:
        assert self.process.stdout is not None
        timer = threading.Timer(limit, self.process.kill)
        timer.start()
        line = self.process.stdout.readline()
        in_time = timer.is_alive()
        timer.cancel()
        if line:
            reply: dict[str, Any] = json.loads(line)
            return reply
        status = self.process.wait()
        raise PeerError(f"its process ended with status {status}" if in_time else f"took more than {limit:.0f} s")

    def _signal(self, name: str) -> None:
        if hasattr(signal, name):
            self.process.send_signal(getattr(signal, name))
