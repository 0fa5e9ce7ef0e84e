"""LLVM IR text to machine code in this process, through llvmlite.

    module = compile_ir(text)
    module.address("k0")        # for ctypes; valid until module.close()

`object_code.py` makes the object that is linked here.
"""
from __future__ import annotations

import itertools
import threading
from typing import Any

import llvmlite.binding as llvm

from ..fork_safety import renewed_after_fork
from .object_code import host_machine, object_code


class CompiledModule:
    """Machine code in memory. `object_code` is the relocatable object that it was linked from."""

    def __init__(self, object_code: bytes, names: tuple[str, ...]) -> None:
        self.object_code = object_code
        self._tracker: Any = _linker.link(object_code, names)
        self._addresses = {name: self._tracker[name] for name in names}

    @property
    def object_size(self) -> int:
        return len(self.object_code)

    def address(self, name: str) -> int:
        """Where the function of that name starts."""
        return self._addresses[name]

    def close(self) -> None:
        """Frees the code; its addresses are no longer valid."""
        self._addresses = {}
        self._tracker = None


class _Linker:
    """One LLJIT for the process; each object is a library of its own, so that names may repeat."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        renewed_after_fork(self, "_lock", threading.Lock)
        self._count = itertools.count()
        self._jit: Any = None

    def link(self, object_code: bytes, names: tuple[str, ...]) -> Any:
        with self._lock:
            if self._jit is None:
                self._jit = llvm.create_lljit_compiler(host_machine())
            builder = llvm.JITLibraryBuilder().add_object_img(object_code).add_current_process()
            for name in names:
                builder.export_symbol(name)
            return builder.link(self._jit, f"morok.{next(self._count)}")


_linker = _Linker()


def compile_ir(text: str) -> CompiledModule:
    """Machine code of LLVM IR text, optimised for the host; InternalError if the text is not valid IR."""
    return load_object(*object_code(text))


def load_object(code: bytes, names: tuple[str, ...]) -> CompiledModule:
    """Links an object that `object_code` made into this process."""
    return CompiledModule(code, names)
