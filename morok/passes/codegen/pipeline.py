"""The order of the code-generation passes: from an optimised kernel to loops in upstream dialects.

Up to morok-float-decomposition everything is scalar, so what these do is done once, however many copies and lanes follow. A pass whose ops
a kernel does not have returns at once, so the list is one for all kernels.
"""
from __future__ import annotations

from ..registry import PASSES, Pass
from . import (  # noqa: F401  (registers the passes)
    add_loads,
    bool_devectorize,
    bool_storage,
    devectorize,
    float_decomposition,
    fma_decomposition,
    gated_loads,
    index_lowering,
    linearize,
    merge_sibling_ends,
    pre_expand,
    reduce_devectorize,
    reduce_to_iter_args,
    stage_epilogues,
)

CODEGEN_PIPELINE: tuple[str, ...] = (
    "morok-add-loads",
    "morok-index-lowering",
    "morok-merge-sibling-ends",
    "morok-bool-storage",
    "morok-float-decomposition",
    "morok-stage-epilogues",
    "morok-pre-expand",
    "morok-devectorize",
    "morok-reduce-devectorize",
    "morok-bool-devectorize",
    "morok-gated-loads",
    "morok-fma-decomposition",
    "morok-reduce-to-iter-args",
    "morok-linearize",
)


def codegen_passes(vector_bits: int, names: tuple[str, ...] = CODEGEN_PIPELINE) -> list[Pass]:
    """The passes for a target whose native vectors have that width."""
    made = [PASSES[n]() for n in names]
    for step in made:
        if hasattr(step, "vector_bits"):
            step.vector_bits = vector_bits
    return made
