"""The order of the code-generation passes: from an optimised kernel to loops in upstream dialects.

A pass whose ops a kernel does not have returns at once, so the list is one for all kernels.
"""
from __future__ import annotations

from ..registry import PASSES, Pass
from . import add_loads, index_lowering, linearize  # noqa: F401  (registers the passes)

CODEGEN_PIPELINE: tuple[str, ...] = (
    "morok-add-loads",
    "morok-index-lowering",
    "morok-linearize",
)


def codegen_passes(vector_bits: int, names: tuple[str, ...] = CODEGEN_PIPELINE) -> list[Pass]:
    """The passes for a target whose native vectors have that width."""
    return [PASSES[n](vector_bits=vector_bits) if "vector_bits" in PASSES[n].__annotations__ else PASSES[n]() for n in names]
