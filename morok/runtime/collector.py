"""Python's cyclic collector waits while something compiles.

    with COLLECTOR.paused():
        ...

What a compilation makes dies with its last reference; but it makes so much that collections, which look at every object of the process, would
run all the time.
"""
from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from ..fork_safety import renewed_after_fork


class Collector:
    """Counts who wants it paused; it goes on when nobody does, if it was on before."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._count = 0
        self._was_on = False

    @contextmanager
    def paused(self) -> Iterator[None]:
        with self._lock:
            if not self._count:
                self._was_on = gc.isenabled()
                gc.disable()
            self._count += 1
        try:
            yield
        finally:
            with self._lock:
                self._count = max(0, self._count - 1)
                if not self._count and self._was_on:
                    gc.enable()

    def nobody(self) -> int:
        """In a forked child nobody wants it paused any more."""
        if self._count and self._was_on:
            gc.enable()
        return 0


COLLECTOR = Collector()
renewed_after_fork(COLLECTOR, "_lock", threading.Lock)
renewed_after_fork(COLLECTOR, "_count", COLLECTOR.nobody)
