"""The back ends by name.

| name | source | compiled by |
|---|---|---|
| llvm | LLVM IR | LLVM, through llvmlite |
| c | C99 | the system's C compiler |
| mlir | upstream dialects | MLIR's execution engine |
"""
from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .renderer import Renderer

BACKENDS = ("llvm", "c", "mlir")


@cache
def renderer(name: str) -> Renderer:
    """The back end of that name for this machine, one for the process."""
    if name == "c":
        from .c import CRenderer
        return CRenderer()
    if name == "mlir":
        from .mlir import MLIRRenderer
        return MLIRRenderer()
    from .llvm import LLVMRenderer
    return LLVMRenderer()
