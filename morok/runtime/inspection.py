"""The IR of a computation after any stage, as text: what `morok-opt` would show, for tensors at hand.

    print(stage_text([y], "kernel"))
"""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..codegen.llvm import LLVMRenderer
from ..codegen.target import Target
from ..graph.capture import capture
from ..passes.pipeline import run_passes
from ..passes.registry import make_pass
from .config import current_config

STAGES = ("tensor", "range", "kernel", "optimised", "loops", "llvm")


def stage_text(tensors: Sequence[Any], stage: str) -> str:
    """The IR of lazy tensors after a stage: tensor, range, kernel, optimised, loops or llvm, with the heuristic's schedules. Nothing is computed;
    ValueError for another name. From `range` on, a graph with loops is shown as the
    programs that it is cut into."""
    if stage not in STAGES:
        raise ValueError(f"no stage {stage!r}; stages are {', '.join(STAGES)}")
    program = capture([t.uop for t in tensors]).program
    reached = STAGES.index(stage)
    if reached >= 1:
        run_passes(program, "morok-outline-repeats,morok-rangeify")
    if reached >= 2:
        run_passes(program, "morok-split")
    if reached >= 3:
        run_passes(program, [make_pass("morok-apply-opts", Target.host().schedule_options(current_config().num_threads))])
    if reached < 4:
        return str(program.module)
    renderer = LLVMRenderer()
    if reached == STAGES.index("llvm"):
        return "\n".join(renderer.render(kernel, kernel.name).source for kernel in program.kernels())
    run_passes(program, renderer.passes)
    return str(program.module)
