"""LLVM IR text to an object, through llvmlite: which of LLVM's passes run, and how several threads compile at once.

    code, names = object_code(text)

What linearize writes shares what is equal and computes what a loop does not change outside of it, and the schedule has chosen the vectors and
copies. So a kernel of vectors takes a handful of passes (LIGHT); LLVM's level 3 takes several times as long and makes code that is no faster. A
kernel without vectors gets level 3, for its loop vectoriser; and one whose accesses have gates, for finding by ranges which of them always hold.

llvmlite lets one thread into LLVM at a time. That is not needed where each has a context and a target machine of its own: passes and code
generator are called past its lock.
"""
from __future__ import annotations

import ctypes
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import Enum, auto
from typing import Any

import llvmlite.binding as llvm
from llvmlite.binding import ffi

from ..errors import InternalError
from ..fork_safety import awaited_by_fork
from .target import Target, initialise

LIGHT = ("sroa", "instruction_combine", "loop_rotate")
"""Passes as llvmlite names them: scratch into registers, ops and loops in the form that the code generator expects. Blocks it tidies up itself."""
VECTORISER_LIMIT = 1 << 17
"""Characters of LLVM IR past which LLVM's loop vectoriser is left out: its time is quadratic in the size of a loop's body."""
_VECTOR = re.compile(r"<\d+ x ")
_DEFINITION = re.compile(r'define [^@\n]*@("[^"]*"|[^"(\s]+)\(')
_GATES = ("@llvm.masked.", " select i1 ")
_DEBUG_INFO = '!llvm.module.flags = !{!0}\n\n!0 = !{i32 2, !"Debug Info Version", i32 3}\n'
"""What MLIR ends each module with; LLVM's parser verifies a module that says so, as we do after it."""


def object_code(text: str) -> tuple[bytes, tuple[str, ...]]:
    """The object of LLVM IR text for this machine, and the names of the functions that it defines; InternalError if the text is not valid IR.
    Any number of threads may call this at once."""
    with _COMPILERS.one() as compiler, compiler.optimised(text) as module:
        return compiler.emit(module), tuple(name.strip('"') for name in _DEFINITION.findall(text))


def assembly(text: str) -> str:
    """The host's assembly for LLVM IR text, for study."""
    with _COMPILERS.one() as compiler, compiler.optimised(text) as module:
        return compiler.machine.emit_assembly(module)


class Passes(Enum):
    """Which of LLVM's passes run."""

    LIGHT = auto()
    LEVEL_3 = auto()
    NO_VECTORISER = auto()
    """Level 3 without the loop vectoriser."""

    @classmethod
    def needed(cls, text: str) -> Passes:
        """By LLVM IR text."""
        functions = text.split("define ")[1:]
        if functions and all(map(_VECTOR.search, functions)) and not any(gate in text for gate in _GATES):
            return cls.LIGHT
        return cls.LEVEL_3 if len(text) < VECTORISER_LIMIT else cls.NO_VECTORISER

    def managers(self, machine: llvm.TargetMachine) -> tuple[Any, Any]:
        """llvmlite's pass manager and pass builder. Those of level 3 can run once: its inliner hands its passes on."""
        options = llvm.create_pipeline_tuning_options(speed_level=3)
        options.loop_vectorization = self is Passes.LEVEL_3
        options.loop_unrolling = False  # the schedule has made the copies that pay; more take a third of the compile time and gain nothing
        builder = llvm.create_pass_builder(machine, options)
        if self is not Passes.LIGHT:
            return builder.getModulePassManager(), builder
        manager = llvm.create_new_module_pass_manager()
        for name in LIGHT:
            getattr(manager, f"add_{name}_pass")()
        return manager, builder


def _unlocked(name: str) -> Callable[..., Any]:
    """A function of llvmlite's library without the lock round it."""
    function = getattr(ffi.lib, name)
    return getattr(function, "_cfn", function)


def host_machine() -> llvm.TargetMachine:
    """A new target machine for the host. Each serves one thread at a time."""
    initialise()
    target = Target.host()
    return llvm.Target.from_triple(target.triple).create_target_machine(
        cpu=target.cpu, features=target.features, opt=3, reloc="default", codemodel="jitdefault", jit=True)


def _parsed(text: str, context: llvm.ContextRef) -> llvm.ModuleRef:
    """The module of LLVM IR text, which must be closed before its context."""
    try:
        module = llvm.parse_assembly(text, context)
    except RuntimeError as error:
        raise _invalid(error) from None
    try:
        module.verify()
    except RuntimeError as error:
        module.close()
        raise _invalid(error) from None
    return module


def _invalid(error: RuntimeError) -> InternalError:
    return InternalError(f"generated LLVM IR is not valid: {error}")


class _Compiler:
    """A target machine with pass managers, for one thread at a time: `lock` is held while it works."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self._start()
        awaited_by_fork(self, "lock", self._anew, 3)

    def _start(self) -> None:
        self.machine = host_machine()
        self._target = f'target triple = "{self.machine.triple}" target datalayout = "{self.machine.target_data}" '
        self._light = Passes.LIGHT.managers(self.machine)

    def _anew(self) -> Any:
        """In a forked child whose parent was compiling: LLVM's state is whatever it was then."""
        self._start()
        return threading.Lock()

    @contextmanager
    def optimised(self, text: str) -> Iterator[llvm.ModuleRef]:
        """The module of LLVM IR text after LLVM's passes."""
        with llvm.create_context() as context, _parsed(self._targeted(text), context) as module:
            passes = Passes.needed(text)
            manager, builder = self._light if passes is Passes.LIGHT else passes.managers(self.machine)
            _unlocked("LLVMPY_RunNewModulePassManager")(manager, module, builder)
            yield module

    def _targeted(self, text: str) -> str:
        """The text for this machine, without tables for exceptions, which nothing throws. Each change made through llvmlite instead would wait
        for the interpreter's lock once more, while another thread renders the next kernel."""
        return self._target + text.replace(_DEBUG_INFO, "").replace(") {\n", ") nounwind {\n")

    def emit(self, module: llvm.ModuleRef) -> bytes:
        """The object."""
        with ffi.OutputString() as problem:
            buffer = _unlocked("LLVMPY_TargetMachineEmitToMemory")(self.machine, module, 1, problem)
            if not buffer:
                raise InternalError(f"LLVM generates no code: {problem}")
        try:
            return ctypes.string_at(ffi.lib.LLVMPY_GetBufferStart(buffer), ffi.lib.LLVMPY_GetBufferSize(buffer))
        finally:
            ffi.lib.LLVMPY_DisposeMemoryBuffer(buffer)


class _Compilers:
    """As many as ever worked at once."""

    def __init__(self) -> None:
        self._all: list[_Compiler] = []

    @contextmanager
    def one(self) -> Iterator[_Compiler]:
        """A compiler that no other thread uses."""
        found = next((c for c in self._all if c.lock.acquire(blocking=False)), None)
        if found is None:
            found = _Compiler()
            found.lock.acquire()
            self._all.append(found)
        try:
            yield found
        finally:
            found.lock.release()


_COMPILERS = _Compilers()
awaited_by_fork(ffi.lib._lock, "_lock", threading.RLock, 4)  # llvmlite's, within each of its calls; LLVM has locks of its own
