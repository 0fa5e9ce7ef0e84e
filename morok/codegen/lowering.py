"""From the form loops to the llvm dialect, by upstream passes: what the LLVM and MLIR back ends run."""
from __future__ import annotations

from mlir import passmanager

from ..dialect.context import DialectContext

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


def lowering(dialect: DialectContext, affine: bool = False) -> passmanager.PassManager:
    """The passes as a manager; those for the affine dialect only if it occurs."""
    with dialect.context:
        manager = passmanager.PassManager.parse(f"builtin.module({','.join(LOWERING[not affine:])})")
        manager.enable_verifier(False)
    return manager
