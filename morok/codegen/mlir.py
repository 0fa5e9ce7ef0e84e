"""The MLIR back end: the loops are the source; MLIR's own execution engine runs them.

    func.func @k0(%arg0: memref<64xf32> {llvm.noalias, ..}, ..) { scf.for .. vector.load .. }

Buffers are bare pointers (use-bare-ptr-memref-call-conv), so the function has the ABI of the other back ends. The engine gives addresses of
its packed wrappers only, which take one array of pointers; so the module gets a function that returns the kernel's address, and that is
called through its wrapper, once.
"""
from __future__ import annotations

import ctypes
import tempfile
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import ClassVar

from mlir import ir
from mlir.execution_engine import ExecutionEngine

from ..dialect.context import DialectContext
from ..graph.body import Program
from ..passes.codegen.parameters import Parameter
from ..passes.codegen.pipeline import CODEGEN_PIPELINE
from .loops import LoopsRenderer
from .lowering import lowering
from .renderer import RenderedKernel
from .target import Target

ADDRESS = "morok_address_of_"
"""The function of this name and the kernel's gives the kernel's address."""

LLVM_LEVEL = 2
"""At level 3 LLVM 22 lets a kernel of scalar bfloat16 stores write two bytes past its buffer
(test_code_of_mlir_writes_nothing_beside_bfloat16_buffers)."""


class MLIRRenderer(LoopsRenderer):
    """MLIR text in upstream dialects."""

    backend_name: ClassVar[str] = "mlir"

    def __init__(self, target: Target | None = None, pipeline: Sequence[str] = CODEGEN_PIPELINE, dialect: DialectContext | None = None,
                 affine: bool = False) -> None:
        super().__init__(target, pipeline, dialect, affine)
        self._lowering = lowering(self.dialect, affine)

    def translate(self, program: Program, parameters: Sequence[Parameter]) -> str:
        return str(program.module)

    def compile(self, rendered: RenderedKernel) -> EngineCode:
        with self.lock, self.dialect.context, self.dialect.unknown:
            module = ir.Module.parse(rendered.source)
            self._lowering.run(module.operation)
            _add_address_function(module, rendered.name)
            return EngineCode(ExecutionEngine(module, opt_level=LLVM_LEVEL), rendered.name)


def _add_address_function(module: ir.Module, name: str) -> None:
    """llvm.func @morok_address_of_k0() -> !llvm.ptr { the address of @k0 }, made op by op: a parser would not see @k0."""
    attributes = {"sym_name": ir.StringAttr.get(ADDRESS + name), "function_type": ir.TypeAttr.get(ir.Type.parse("!llvm.func<ptr ()>"))}
    function = ir.Operation.create("llvm.func", attributes=attributes, regions=1, ip=ir.InsertionPoint(module.body))
    ip = ir.InsertionPoint(function.regions[0].blocks.append())
    pointer, symbol = ir.Type.parse("!llvm.ptr"), {"global_name": ir.FlatSymbolRefAttr.get(name)}
    address = ir.Operation.create("llvm.mlir.addressof", results=[pointer], attributes=symbol, ip=ip)
    ir.Operation.create("llvm.return", operands=[address.results[0]], ip=ip)


class EngineCode:
    """A kernel that an execution engine has compiled, and the engine, which owns the code."""

    def __init__(self, engine: ExecutionEngine, name: str) -> None:
        self._engine: ExecutionEngine | None = engine
        self._addresses = {name: _returned_pointer(engine.raw_lookup(ADDRESS + name))}

    @cached_property
    def object_size(self) -> int:
        if self._engine is None:
            return 0
        with tempfile.TemporaryDirectory(prefix="morok-mlir-") as directory:
            path = Path(directory, "kernel.o")
            self._engine.dump_to_object_file(str(path))
            return path.stat().st_size

    def address(self, name: str) -> int:
        return self._addresses[name]

    def close(self) -> None:
        self._addresses, self._engine = {}, None


def _returned_pointer(wrapper: int) -> int:
    """Calls the packed wrapper of a function without parameters that returns a pointer."""
    result = ctypes.c_void_p()
    places = (ctypes.c_void_p * 1)(ctypes.addressof(result))
    ctypes.CFUNCTYPE(None, ctypes.c_void_p)(wrapper)(ctypes.addressof(places))
    assert result.value is not None
    return result.value
