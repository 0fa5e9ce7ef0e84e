"""Runs a hand-written kernel on NumPy arrays: text or UOps to LLVM IR, machine code, a ctypes call."""
from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np
from mlir import ir

from morok.codegen.jit import CompiledModule, compile_ir
from morok.codegen.llvm import LLVMRenderer
from morok.dialect import types as T
from morok.dialect.context import shared_context
from morok.graph.body import Body, Program
from morok.graph.uop import UOp, argument, const, index_const

RENDERER = LLVMRenderer()


def parse_kernel(text: str) -> Body:
    dialect = shared_context()
    with dialect.context, ir.Location.unknown():
        module = ir.Module.parse(text)
    kernels = Program(dialect, module).kernels()
    assert len(kernels) == 1
    return kernels[0]


def aligned(array: np.ndarray) -> np.ndarray:
    """A copy that starts on a 64-byte boundary."""
    raw = np.zeros(array.nbytes + 64, np.uint8)
    start = -raw.ctypes.data % 64
    copy = raw[start:start + array.nbytes].view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy


class Kernel:
    """A compiled kernel: call it with one array per buffer (written in place), variables by keyword, `threads=n` to run n parts in turn."""

    def __init__(self, body: Body, renderer: LLVMRenderer = RENDERER) -> None:
        self.rendered = renderer.render(body, "k")
        self.module: CompiledModule = compile_ir(self.rendered.source)

    def __call__(self, *arrays: np.ndarray, threads: int = 1, **variables: int) -> list[np.ndarray]:
        copies = [aligned(a) for a in arrays]
        numbers = [variables[name] for name in self.rendered.variables]
        has_threads = self.rendered.uses_threads
        signature = [ctypes.c_void_p] * len(copies) + [ctypes.c_int32] * (len(numbers) + 2 * has_threads)
        function = ctypes.CFUNCTYPE(None, *signature)(self.module.address("k"))
        for thread in range(threads if has_threads else 1):
            function(*(c.ctypes.data for c in copies), *numbers, *((thread, threads) if has_threads else ()))
        return copies


class Builder:
    """Writes kernels as UOps.

        k = Builder(("float32", 4, 6), ("float32", 4, 6))
        i, j = k.range(4), k.range(6)
        k.store(0, (i, j), k.load(1, i, j), i, j)
    """

    def __init__(self, *buffers: tuple) -> None:
        self.arguments = [argument(n, T.memref(tuple(b[1:]), T.dtype_named(b[0]))) for n, b in enumerate(buffers)]
        self.effects: list[UOp] = []
        self._ids = 0

    def range(self, extent: int | UOp, kind: str = "loop", id: int | None = None) -> UOp:
        number = self._ids if id is None else id
        self._ids = max(self._ids, number) + 1
        return UOp.make("range", (extent if isinstance(extent, UOp) else index_const(extent),), (number, kind))

    def pointer(self, buffer: int | UOp, *indices: Any) -> UOp:
        b = self.arguments[buffer] if isinstance(buffer, int) else buffer
        places = tuple(index_const(i) if isinstance(i, int) else i for i in indices)
        return UOp.make("index", (b, *places), (), T.ptr(b.dtype, getattr(b.type, "space", None) or "global"))

    def load(self, buffer: int | UOp, *indices: Any, gate: UOp | None = None, other: Any = 0) -> UOp:
        p = self.pointer(buffer, *indices)
        if gate is None:
            return UOp.make("load", (p,))
        return UOp.make("load", (p, gate, other if isinstance(other, UOp) else const(other, p.type.element)))

    def write(self, buffer: int | UOp, indices: tuple, value: UOp, *ranges: UOp, gate: UOp | None = None) -> UOp:
        operands = (self.pointer(buffer, *indices), value) + (() if gate is None else (gate,))
        effect = UOp.make("store", operands)
        return UOp.make("end", (effect, *ranges)) if ranges else effect

    def store(self, buffer: int | UOp, indices: tuple, value: UOp, *ranges: UOp, gate: UOp | None = None) -> UOp:
        done = self.write(buffer, indices, value, *ranges, gate=gate)
        self.effects.append(done)
        return done

    def local(self, *shape: int, dtype: str = "float32", id: int = 0) -> UOp:
        return UOp.make("define_local", (), (id,), T.memref(shape, T.dtype_named(dtype), "local"))

    def body(self) -> Body:
        dialect = shared_context()
        with dialect.context:
            attributes = {"morok.kernel": ir.UnitAttr.get()}
        return Body("k", self.arguments, (), (UOp.make("sink", tuple(self.effects)),), attributes)

    def compile(self, renderer: LLVMRenderer = RENDERER) -> Kernel:
        return Kernel(self.body(), renderer)


def reduce(op: str, value: UOp, *ranges: UOp) -> UOp:
    return UOp.make("reduce", (value, *ranges), (op,))


def after(buffer: UOp, *effects: UOp) -> UOp:
    return UOp.make("after", (buffer, *effects))


Make = Callable[[], Kernel]
