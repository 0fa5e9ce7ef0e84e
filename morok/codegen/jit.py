"""LLVM IR text to machine code in this process, through llvmlite.

    module = compile_ir(text)
    module.address("k0")        # for ctypes; valid until module.close()

Any number of threads may compile at once: LLVM runs outside of the interpreter's lock, each thread with its own target machine.
"""
from __future__ import annotations

import itertools
import threading
from typing import Any

import llvmlite.binding as llvm
from llvmlite.binding import ffi

from ..errors import InternalError
from ..fork_safety import awaited_by_fork, renewed_after_fork
from .target import Target, initialise

VECTORISER_LIMIT = 1 << 17
"""Characters of LLVM IR past which LLVM's loop vectoriser is left out: its time is quadratic in the size of a loop's body."""


class _Machine(threading.local):
    """A thread's target machine: LLVM's are not to be shared."""

    def __init__(self) -> None:
        initialise()
        target = Target.host()
        self.machine = llvm.Target.from_triple(target.triple).create_target_machine(
            cpu=target.cpu, features=target.features, opt=3, reloc="default", codemodel="jitdefault", jit=True)


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
                self._jit = llvm.create_lljit_compiler(_machine.machine)
            builder = llvm.JITLibraryBuilder().add_object_img(object_code).add_current_process()
            for name in names:
                builder.export_symbol(name)
            return builder.link(self._jit, f"morok.{next(self._count)}")


_machine = _Machine()
_linker = _Linker()
awaited_by_fork(ffi.lib._lock, "_lock", threading.RLock, 3)  # llvmlite's, within each of its calls; LLVM has locks of its own


def compile_ir(text: str) -> CompiledModule:
    """Machine code of LLVM IR text, optimised at level 3 for the host; InternalError if the text is not valid IR."""
    return load_object(*object_code(text))


def object_code(text: str) -> tuple[bytes, tuple[str, ...]]:
    """The object and the names of the functions that it defines."""
    machine = _machine.machine
    try:
        module = llvm.parse_assembly(text)
        module.verify()
    except RuntimeError as error:
        raise InternalError(f"generated LLVM IR is not valid: {error}") from None
    module.triple = machine.triple
    module.data_layout = str(machine.target_data)
    names = tuple(f.name for f in module.functions if not f.is_declaration)
    options = llvm.create_pipeline_tuning_options(speed_level=3)
    options.loop_vectorization = len(text) < VECTORISER_LIMIT
    options.loop_unrolling = False  # the schedule has made the copies that pay; more take a third of the compile time and gain nothing
    builder = llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
    return machine.emit_object(module), names


def load_object(code: bytes, names: tuple[str, ...]) -> CompiledModule:
    """Links an object made by `object_code` into this process."""
    return CompiledModule(code, names)


def assembly(text: str) -> str:
    """The host's assembly for LLVM IR text, for study."""
    machine = _machine.machine
    module = llvm.parse_assembly(text)
    module.triple, module.data_layout = machine.triple, str(machine.target_data)
    builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=3))
    builder.getModulePassManager().run(module, builder)
    return machine.emit_assembly(module)
