"""Pipelines: text to passes, and running passes of ours and of upstream MLIR in one sequence.

    steps = parse_pipeline("builtin.module(morok-rangeify,func.func(morok-apply-opts{opts=UPCAST(0,4)},canonicalize),cse)")
    run_passes(program, steps)

The wrapping `builtin.module(...)` may be left out. Our passes run on the whole program wherever they are nested. Consecutive upstream
passes go through one PassManager. A pass that is a sequence of others is a `CompositePass`.
"""
from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import ClassVar, TypeAlias

from mlir import ir

from ..errors import InternalError, MorokError, OptionError
from ..graph.body import Program
from .pipeline_text import MODULE, Element, parse_elements, parse_options
from .registry import Pass, find_pass, make_pass
from .reproducer import write_reproducer
from .upstream import PipelineError, UpstreamPass, is_operation, is_upstream, run_upstream, suggestion, upstream_pass

Step: TypeAlias = Pass | UpstreamPass


# From text

def resolve(elements: Iterable[Element], anchors: tuple[str, ...] = ()) -> list[Step]:
    """The passes that the items name, in order; every name and option is checked here."""
    steps: list[Step] = []
    for element in elements:
        if element.children is not None:
            steps += resolve(element.children, _enter(element, anchors))
            continue
        try:
            steps.append(_make_step(element, anchors))
        except PipelineError as error:
            raise PipelineError(error.message, error.column or element.column) from None
        except OptionError as error:
            raise PipelineError(str(error), element.options_column) from None
    return steps


def _enter(element: Element, anchors: tuple[str, ...]) -> tuple[str, ...]:
    name = element.name
    if name == MODULE and not anchors:
        return anchors
    if name == "any" or "." in name and is_operation(name):
        return (*anchors, name)
    if find_pass(name) or is_upstream(name):
        raise PipelineError(f"pass '{name}' takes no pipeline in parentheses; its options go in braces", element.column)
    raise PipelineError(f"'{name}' is no operation that a pipeline can be nested in", element.column)


def _make_step(element: Element, anchors: tuple[str, ...]) -> Step:
    if find_pass(element.name):
        return make_pass(element.name, parse_options(element.options, element.options_column))
    if element.name.startswith("morok-"):
        raise PipelineError(f"unknown pass '{element.name}'{suggestion(element.name)}")
    return upstream_pass(element.name, " ".join(element.options.split("\n")).strip(), anchors)


def parse_pipeline(text: str) -> list[Step]:
    """The passes of a pipeline's text, in either spelling; PipelineError says what is wrong and at which column."""
    return resolve(parse_elements(text))


@cache
def _parsed(text: str) -> tuple[Step, ...]:
    return tuple(parse_pipeline(text))


def spelling(steps: Sequence[Step]) -> str:
    """The text that `parse_pipeline` reads back."""
    return f"{MODULE}({','.join(step.spelling() for step in steps)})"


# Running

class Instrumentation:
    """Sees each pass before and after it runs, those inside composite passes too. Subclasses override what they need."""

    verify: bool = True
    """Whether MLIR verifies after each upstream pass."""

    def before(self, step: Step, program: Program) -> None:
        """Before a pass. `program.module` is the IR."""

    def after(self, step: Step, program: Program) -> None:
        """After a pass that succeeded."""

    def failed(self, step: Step, program: Program, error: Exception) -> None:
        """After a pass that raised."""


class CompositePass(Pass):
    """A pass that is a sequence of others, named in `passes`; override `steps` where options decide."""

    passes: ClassVar[tuple[str, ...]] = ()

    def steps(self) -> Sequence[Step]:
        return _parsed(",".join(self.passes))

    def run(self, program: Program) -> None:
        run_passes(program, self.steps())


class PassFailure(InternalError):
    """A pass that raised what it should not: names the pass and a file that replays it."""

    def __init__(self, pass_name: str, cause: BaseException, reproducer: str | None) -> None:
        detail = " ".join(str(cause).split()) or type(cause).__name__
        if not isinstance(cause, (MorokError, ir.MLIRError)):
            detail = f"{type(cause).__name__}: {detail}"
        replay = f"; replay it with morok-opt --run-reproducer {reproducer}" if reproducer else ""
        super().__init__(f"pass {pass_name} failed: {detail}{replay}")
        self.pass_name, self.detail, self.reproducer = pass_name, detail, reproducer


def run_passes(program: Program, passes: str | Sequence[Step], instrumentation: Instrumentation | None = None, *,
               with_reproducer: bool = True) -> None:
    """Runs the passes on the program, in place.

    Without instrumentation nothing is printed, verified or written back to MLIR between our passes. A MorokError that a pass raises about
    its input or options passes through; anything else becomes a PassFailure, with a file that replays the pass.
    """
    steps = _parsed(passes) if isinstance(passes, str) else passes
    for item in _runs(steps, grouped=instrumentation is None):
        if isinstance(item, list):
            _run_upstream(program, item, instrumentation, with_reproducer)
        elif isinstance(item, CompositePass):
            _run_composite(program, item, instrumentation, with_reproducer)
        else:
            _run_own(program, item, instrumentation, with_reproducer)


def _runs(steps: Sequence[Step], grouped: bool) -> Iterator[Pass | list[UpstreamPass]]:
    """Our passes one by one; upstream's in lists, as long as possible if grouped, else of one."""
    pending: list[UpstreamPass] = []
    for step in steps:
        if isinstance(step, UpstreamPass):
            pending.append(step)
            if grouped:
                continue
        if pending:
            yield pending
            pending = []
        if not isinstance(step, UpstreamPass):
            yield step
    if pending:
        yield pending


def _run_composite(program: Program, step: CompositePass, instrumentation: Instrumentation | None, with_reproducer: bool) -> None:
    if instrumentation is None:
        run_passes(program, step.steps(), with_reproducer=with_reproducer)
        return
    instrumentation.before(step, program)
    try:
        run_passes(program, step.steps(), instrumentation, with_reproducer=with_reproducer)
    except Exception as error:
        instrumentation.failed(step, program, error)
        raise
    instrumentation.after(step, program)


def _run_own(program: Program, step: Pass, instrumentation: Instrumentation | None, with_reproducer: bool) -> None:
    if instrumentation is not None:
        instrumentation.before(step, program)
    bodies = dict(program.bodies)
    try:
        step.run(program)
    except Exception as error:
        if instrumentation is not None:
            instrumentation.failed(step, program, error)
        if isinstance(error, (MemoryError, PassFailure)) or isinstance(error, MorokError) and not isinstance(error, InternalError):
            raise
        program.bodies.clear()
        program.bodies.update(bodies)
        raise PassFailure(step.name, error, reproduce(program, [step]) if with_reproducer else None) from error
    if instrumentation is not None:
        instrumentation.after(step, program)


def _run_upstream(program: Program, steps: list[UpstreamPass], instrumentation: Instrumentation | None, with_reproducer: bool) -> None:
    if instrumentation is not None:
        instrumentation.before(steps[0], program)
    try:
        run_upstream(program.dialect, program.module, steps, verify=instrumentation is not None and instrumentation.verify)
        program.reread()
    except Exception as error:
        if instrumentation is not None:
            instrumentation.failed(steps[0], program, error)
        names = ", ".join(step.name for step in steps)
        raise PassFailure(names, error, reproduce(program, steps) if with_reproducer else None) from error
    if instrumentation is not None:
        instrumentation.after(steps[0], program)


def reproduce(program: Program, steps: Sequence[Step]) -> str | None:
    """Writes the program and the steps to a file that `morok-opt --run-reproducer` replays; its path, or None where that is impossible."""
    try:
        return write_reproducer(str(program.module), spelling(steps))
    except Exception:  # the program that made a pass fail may be unprintable; the failure itself matters more
        return None


__all__ = ["CompositePass", "Element", "Instrumentation", "PassFailure", "PipelineError", "Step", "UpstreamPass", "parse_elements",
           "parse_options", "parse_pipeline", "reproduce", "resolve", "run_passes", "spelling"]
