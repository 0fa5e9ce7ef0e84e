"""The LLVM back end: our passes, upstream conversions, translation to LLVM IR, LLVM's own passes and code generator.

    LLVMRenderer().render(kernel, "k0").source
    define void @k0(ptr noalias align 64 %0, ptr noalias %1, i32 %2) { .. }
"""
from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from mlir._mlir_libs import _mlirDialectsLLVM as mlir_llvm

from ..dialect.context import DialectContext
from ..graph.body import Program
from ..passes.codegen.parameters import Parameter
from ..passes.codegen.pipeline import CODEGEN_PIPELINE
from .jit import CompiledModule, load_object
from .loops import LoopsRenderer
from .lowering import LOWERING as LOWERING
from .lowering import lowering
from .object_code import object_code
from .renderer import RenderedKernel
from .target import Target


class LLVMRenderer(LoopsRenderer):
    """LLVM IR text."""

    backend_name: ClassVar[str] = "llvm"

    def __init__(self, target: Target | None = None, pipeline: Sequence[str] = CODEGEN_PIPELINE, dialect: DialectContext | None = None,
                 affine: bool = False) -> None:
        super().__init__(target, pipeline, dialect, affine)
        self._lowering = lowering(self.dialect, affine)

    def translate(self, program: Program, parameters: Sequence[Parameter]) -> str:
        operation = program.module.operation
        self._lowering.run(operation)
        return mlir_llvm.translate_module_to_llvmir(operation)

    def compile(self, rendered: RenderedKernel) -> CompiledModule:
        code, _ = object_code(rendered.source)
        return load_object(code, (rendered.name,))
