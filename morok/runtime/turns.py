"""How long one thread keeps the interpreter's lock while others wait for it: short turns while kernels compile side by side.

Each call into LLVM ends with a wait for the lock, of up to a turn of the thread that renders the next kernel. A turn of Python's default length is
as long as LLVM takes for a whole kernel.
"""
from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from ..fork_safety import renewed_after_fork

TURN_SECONDS = 1e-4


class Turns:
    """Counts who wants short ones. With the last one's end they are as long as they were before the first."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._count = 0
        self._before = 0.0

    @contextmanager
    def short(self) -> Iterator[None]:
        with self._lock:
            if not self._count:
                self._before = sys.getswitchinterval()
                sys.setswitchinterval(min(self._before, TURN_SECONDS))
            self._count += 1
        try:
            yield
        finally:
            with self._lock:
                self._count = max(0, self._count - 1)
                if not self._count:
                    sys.setswitchinterval(self._before)

    def nobody(self) -> int:
        """In a forked child nobody wants them any more."""
        if self._count:
            sys.setswitchinterval(self._before)
        return 0


TURNS = Turns()
renewed_after_fork(TURNS, "_lock", threading.Lock)
renewed_after_fork(TURNS, "_count", TURNS.nobody)
