"""The C back end: the kernel without vectors, printed as C99, compiled by the system's C compiler.

    void k0(float *restrict b0, float *restrict b1, int32_t n) {
      for (int64_t i0 = 0; i0 < 64; i0 += 1) {
        const float v0 = b1[i0];
        const float v1 = v0 + 0x1p+0f;
        b0[i0] = v1;
      }
    }

MLIR's own way to C, the emitc dialect, has no form (in LLVM 22) for fused multiply-add, square root, rounding to even, maximumf and bitcasts;
so `c_source.py` prints the loops itself. The C compiler makes the vectors: of loops, and of the copies that opts ask for.
"""
from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from ..graph.body import Program
from ..passes.codegen.parameters import Parameter
from .c_compiler import SharedObject, compile_c
from .c_source import CSource
from .loops import LoopsRenderer
from .renderer import RenderedKernel


class CRenderer(LoopsRenderer):
    """C99 text."""

    backend_name: ClassVar[str] = "c"

    @property
    def vector_bits(self) -> int:
        return 1  # not even a pair of bools

    def translate(self, program: Program, parameters: Sequence[Parameter]) -> str:
        return CSource(program.module.body.operations[0], parameters).text()

    def compile(self, rendered: RenderedKernel) -> SharedObject:
        return compile_c(rendered.source, rendered.name)
