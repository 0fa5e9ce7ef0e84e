"""From the form loops to the llvm dialect, by upstream passes: what the LLVM and MLIR back ends run."""
from __future__ import annotations

from mlir import passmanager

from ..dialect.context import DialectContext

_BLOCKS = "convert-scf-to-cf"
_FUNCTIONS = "convert-func-to-llvm{use-bare-ptr-memref-call-conv=1}"
"""Last: before it, all that the functions hold would be converted beside casts of their arguments."""
_TOGETHER = "convert-to-llvm{filter-dialects=arith,cf,index,math,memref,vector allow-pattern-rollback=0}"
"""One walk for all these dialects is faster than a pass for each, and patterns that never take back what they did are faster than those that may."""
_LAST = "reconcile-unrealized-casts"

LOWERING = ("lower-affine", "convert-vector-to-llvm", _BLOCKS, _TOGETHER, "convert-math-to-libm", _FUNCTIONS, _LAST)
"""For whatever there is in these dialects."""
KERNEL_LOWERING = (_BLOCKS, _TOGETHER, _FUNCTIONS, _LAST)
"""For what morok-linearize writes (affine loops apart): vectors of one axis, and of math what LLVM has."""


def lowering(dialect: DialectContext, affine: bool) -> passmanager.PassManager:
    """The passes as a manager, for kernels."""
    with dialect.context:
        manager = passmanager.PassManager.parse(f"builtin.module({','.join(LOWERING if affine else KERNEL_LOWERING)})")
        manager.enable_verifier(False)
    return manager
