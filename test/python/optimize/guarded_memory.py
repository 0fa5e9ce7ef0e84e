"""Arrays between pages that nobody may touch, and a call in a process of its own: an access outside of an array ends that process, not the test.

    memory = Guarded(array, "end")          # the array ends where the guard page begins, as far as its alignment allows
    died = call_apart(lambda: function(memory.address))
    memory.array, memory.margins_are_whole()
"""
from __future__ import annotations

import ctypes
import mmap
import os
import signal
from collections.abc import Callable

import numpy as np

PAGE = mmap.PAGESIZE
ALIGNMENT = 64
"""Bytes that the address of each buffer is a multiple of: kernels rely on it."""
CANARY = 0xA5

_LIBC = ctypes.CDLL(None, use_errno=True)
_LIBC.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]


class Guarded:
    """A copy of an array, in memory that child processes share, between two guard pages. At the `start` it follows the first page at once; at the
    `end` less than 64 bytes lie before the second."""

    def __init__(self, array: np.ndarray, side: str) -> None:
        pages = max(1, -(-array.nbytes // PAGE))
        self._memory = mmap.mmap(-1, (pages + 2) * PAGE)  # shared by default
        whole = np.frombuffer(self._memory, np.uint8)
        first = whole.ctypes.data
        usable = whole[PAGE:-PAGE]
        usable[...] = CANARY
        begin = 0 if side == "start" else (pages * PAGE - array.nbytes) // ALIGNMENT * ALIGNMENT
        self.array = usable[begin:begin + array.nbytes].view(array.dtype).reshape(array.shape)
        self.array[...] = array
        self._margins = usable[:begin], usable[begin + array.nbytes:]
        self.address = first + PAGE + begin
        for guard in (first, first + (pages + 1) * PAGE):
            if _LIBC.mprotect(guard, PAGE, 0):  # PROT_NONE
                raise OSError(ctypes.get_errno(), "mprotect")

    def margins_are_whole(self) -> bool:
        """Whether the bytes between the array and its guard pages are as they were."""
        return all((m == CANARY).all() for m in self._margins)


def call_apart(call: Callable[[], object]) -> str | None:
    """Calls in a child process; what ended it, or None if the call returned. Only what the call writes to shared memory is seen here."""
    child = os.fork()
    if not child:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(20)
        for fault in (signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE, signal.SIGILL):
            signal.signal(fault, signal.SIG_DFL)  # pytest's handler would print a trace of the parent's stack
        try:
            call()
            os._exit(0)
        finally:
            os._exit(1)
    status = os.waitpid(child, 0)[1]
    if os.WIFSIGNALED(status):
        return signal.Signals(os.WTERMSIG(status)).name
    return f"exit code {os.WEXITSTATUS(status)}" if os.WEXITSTATUS(status) else None
