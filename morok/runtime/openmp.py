"""LLVM's OpenMP runtime: the pool of threads that plans run on.

Loaded when the first plan needs more than one thread, before the code that calls it is linked. Idle threads spin for `Config.block_time`
microseconds before they sleep. Measured on two busy cores: a region whose threads still spin costs 2 us, one that must wake them 15 to
20 us. The runtime's own default of 200 ms saves the wake-ups of a whole program, but takes the cores from everything else in the process.
So they spin for as long as a Python caller takes to come back with the next plan, 200 us. A forked child starts with a fresh pool; the
runtime sees to that.
"""
from __future__ import annotations

import ctypes
import sys
import threading
from pathlib import Path

from ..errors import InternalError
from ..fork_safety import renewed_after_fork

STACK_BYTES = 64 << 20
"""Of a pool thread: kernels keep scratch on the stack. Address space only, until it is touched."""


class OpenMP:
    """The runtime, loaded once; `load` is cheap afterwards."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        renewed_after_fork(self, "_lock", threading.Lock)
        self._library: ctypes.CDLL | None = None

    def load(self, block_time: int) -> ctypes.CDLL:
        """The library with its symbols visible to code that is linked later. The first call decides the block time (microseconds)."""
        if self._library is None:
            with self._lock:
                if self._library is None:
                    library = ctypes.CDLL(str(library_path()), mode=ctypes.RTLD_GLOBAL)
                    library.kmp_set_defaults(f"KMP_BLOCKTIME={block_time}us|KMP_STACKSIZE={STACK_BYTES}b".encode())
                    self._library = library
        return self._library


OPENMP = OpenMP()


def library_path() -> Path:
    """Where `cmeel-libomp` put the library."""
    for directory in sys.path:  # an installed package lies there; asking the metadata costs 20 ms
        found = next(Path(directory or ".", "cmeel.prefix", "lib").glob("libomp.*"), None)
        if found is not None:
            return found.resolve()
    import importlib.metadata
    for file in importlib.metadata.files("cmeel-libomp") or ():
        if file.name.startswith("libomp."):
            return Path(str(file.locate())).resolve()
    raise InternalError("the OpenMP runtime is not installed; pip install cmeel-libomp")
