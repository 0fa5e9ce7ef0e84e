"""The LLVM back end: our passes, upstream conversions, translation to LLVM IR.

    LLVMRenderer().render(kernel, "k0").source
    define void @k0(ptr noalias align 64 %0, ptr noalias align 64 %1, i32 %2) { .. }
"""
from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

from mlir import passmanager
from mlir._mlir_libs import _mlirDialectsLLVM as mlir_llvm

from ..dialect.context import DialectContext, shared_context
from ..errors import InternalError
from ..graph.body import Body, Program
from ..passes.codegen.linearize import Linearize
from ..passes.codegen.parameters import Parameter, parameters_of
from ..passes.codegen.pipeline import CODEGEN_PIPELINE, codegen_passes
from ..passes.pattern import rewrite
from .renderer import RenderedKernel, Renderer
from .target import Target

LOWERING = (
    "lower-affine",
    "convert-vector-to-llvm",
    "convert-scf-to-cf",
    "convert-func-to-llvm{use-bare-ptr-memref-call-conv=1}",
    "finalize-memref-to-llvm",
    "convert-math-to-llvm",
    "convert-math-to-libm",
    "convert-index-to-llvm",
    "convert-arith-to-llvm",
    "convert-cf-to-llvm",
    "reconcile-unrealized-casts",
)
"""From loops to the llvm dialect, by upstream passes."""


class LLVMRenderer(Renderer):
    """LLVM IR text for a target (by default the host)."""

    backend_name: ClassVar[str] = "llvm"
    _lock: ClassVar[threading.Lock] = threading.Lock()
    """MLIR contexts that are shared and run without threads of their own take one user at a time."""

    def __init__(self, target: Target | None = None, pipeline: Sequence[str] = CODEGEN_PIPELINE, dialect: DialectContext | None = None,
                 affine: bool = False) -> None:
        self.target = target or Target.host()
        self.dialect = dialect or shared_context()
        self.passes = codegen_passes(self.target.vector_bits, tuple(pipeline))
        for step in self.passes:
            if isinstance(step, Linearize):
                step.affine = affine
        with self.dialect.context:
            self._lowering = passmanager.PassManager.parse(f"builtin.module({','.join(LOWERING[not affine:])})")
            self._lowering.enable_verifier(False)

    def render(self, kernel: Body, name: str) -> RenderedKernel:
        program = Program(self.dialect)
        with self._lock:
            parameters = self.to_loops(program, replace(kernel, name=name))
            return RenderedKernel(name, self.translate(program), tuple(parameters))

    def to_loops(self, program: Program, kernel: Body) -> list[Parameter]:
        """Puts the kernel into the program in the form loops; gives its parameters."""
        if self.decompositor:
            kernel = kernel.with_roots(rewrite(kernel.roots, self.decompositor))
        program.bodies[kernel.name] = kernel
        parameters: list[Parameter] = []
        for step in self.passes:
            if isinstance(step, Linearize):
                body = program.bodies[kernel.name]
                parameters = parameters_of(body, body.order())
            step.run(program)
        return parameters

    def translate(self, program: Program) -> str:
        """LLVM IR text of a program in the form loops."""
        operation = program.module.operation
        if not operation.verify():
            raise InternalError("the loops that morok-linearize wrote do not verify")
        self._lowering.run(operation)
        return mlir_llvm.translate_module_to_llvmir(operation)
