"""What the back ends share: our passes take a kernel to loops in upstream dialects, and each back end prints those.

    optimised form --decompositor, CODEGEN_PIPELINE--> func, scf, memref, vector, arith, math --translate--> source
"""
from __future__ import annotations

import threading
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

from ..dialect.context import DialectContext, shared_context
from ..errors import InternalError
from ..fork_safety import renewed_after_fork
from ..graph.body import Body, Program
from ..passes.codegen.linearize import Linearize
from ..passes.codegen.parameters import Parameter, parameters_of
from ..passes.codegen.pipeline import CODEGEN_PIPELINE, codegen_passes
from ..passes.pattern import rewrite
from .renderer import RenderedKernel, Renderer
from .target import Target


class LoopsRenderer(Renderer):
    """A renderer of the form loops, for a target (by default the host)."""

    lock: ClassVar[threading.Lock] = threading.Lock()
    """MLIR contexts that are shared and run without threads of their own take one user at a time."""

    def __init__(self, target: Target | None = None, pipeline: Sequence[str] = CODEGEN_PIPELINE, dialect: DialectContext | None = None,
                 affine: bool = False) -> None:
        self.target = target or Target.host()
        self.dialect = dialect or shared_context()
        self.passes = codegen_passes(self.vector_bits, tuple(pipeline))
        for step in self.passes:
            if isinstance(step, Linearize):
                step.affine = affine

    @property
    def vector_bits(self) -> int:
        """How wide the vectors are that the source may use."""
        return self.target.vector_bits

    def render(self, kernel: Body, name: str) -> RenderedKernel:
        program = Program(self.dialect)
        with self.lock:
            parameters = tuple(self.to_loops(program, replace(kernel, name=name)))
            if not program.module.operation.verify():
                raise InternalError("the loops that morok-linearize wrote do not verify")
            return RenderedKernel(name, self.translate(program, parameters), parameters)

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

    @abstractmethod
    def translate(self, program: Program, parameters: Sequence[Parameter]) -> str:
        """The source of a program in the form loops, which has one function with these parameters."""


renewed_after_fork(LoopsRenderer, "lock", threading.Lock)
