"""The IR of a computation after any stage, as text: what `morok-opt` would show, for tensors at hand.

    print(stage_text([y], "kernel"))
"""
from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count
from typing import Any

from ..codegen.llvm import LLVMRenderer
from ..codegen.target import Target
from ..graph.body import Body, Program
from ..graph.capture import capture
from ..passes.pipeline import run_passes
from ..passes.registry import make_pass
from .config import current_config
from .device_stages import Stage, cut_at_copies
from .repeats import RepeatStage, split_repeats

STAGES = ("tensor", "range", "kernel", "optimised", "loops", "llvm")


def stage_text(tensors: Sequence[Any], stage: str) -> str:
    """The IR of lazy tensors after a stage: tensor, range, kernel, optimised, loops or llvm, with the heuristic's schedules. Nothing is computed;
    ValueError for another name. From `range` on, a graph with loops is shown as the programs that it is cut into."""
    if stage not in STAGES:
        raise ValueError(f"no stage {stage!r}; stages are {', '.join(STAGES)}")
    captured = capture([t.uop for t in tensors])
    reached = STAGES.index(stage)
    if reached == 0 or not any(u.name == "repeat" for u in captured.program.bodies["main"].order()):
        return _text(captured.program, reached)
    numbers = count(len(captured.leaves) + len(captured.program.bodies["main"].results))
    cut = cut_at_copies(captured.program.bodies["main"], captured.devices)
    texts = []
    for title, body in _parts([p for s in cut.stages for p in split_repeats(s, lambda: next(numbers))], ""):
        part = Program(captured.program.dialect)
        part.bodies["main"] = body
        texts.append(f"// {title}\n{_text(part, reached)}")
    return "\n".join(texts)


def _parts(stages: Sequence[Stage | RepeatStage], around: str) -> Iterator[tuple[str, Body]]:
    """The programs of stages, those of repeats after what is round them."""
    for number, stage in enumerate(stages):
        title = f"{around}stage {number}"
        if isinstance(stage, RepeatStage):
            yield from _parts(stage.stages, f"{title}, at most {stage.count} times: ")
        elif stage.body is not None:
            yield title, stage.body


def _text(program: Program, reached: int) -> str:
    if reached >= 1:
        run_passes(program, "morok-rangeify")
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
