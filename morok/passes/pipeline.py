"""Pipelines: text to passes, and running passes of ours and of upstream MLIR in one sequence.

    steps = parse_pipeline("builtin.module(morok-rangeify,func.func(morok-apply-opts{opts=UPCAST:0:4},canonicalize),cse)")
    run_passes(program, steps)

The wrapping `builtin.module(...)` may be left out. Our passes run on the whole program wherever they are nested. Consecutive upstream
passes go through one PassManager. A pass that is a sequence of others is a `CompositePass`.
"""
from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, Union

from mlir import ir

from ..errors import InternalError, MorokError, OptionError
from ..graph.body import Program
from .registry import Pass, load_passes, make_pass
from .upstream import PipelineError, UpstreamPass, is_operation, is_upstream, run_upstream, suggestion, upstream_pass

Step = Union[Pass, UpstreamPass]

MODULE = "builtin.module"
MAX_NESTING = 64


# Syntax

@dataclass(frozen=True)
class Element:
    """One item of a pipeline's text: a pass with options, or (with `children`) an operation that a pipeline is nested in."""

    name: str
    column: int
    options: str = ""
    options_column: int = 0
    children: tuple[Element, ...] | None = None


class _Parser:
    NAME = re.compile(r"[A-Za-z_][\w.\-]*")

    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0

    def fail(self, message: str, at: int | None = None) -> PipelineError:
        return PipelineError(message, (self.at if at is None else at) + 1)

    def skip_space(self) -> None:
        while self.at < len(self.text) and self.text[self.at].isspace():
            self.at += 1

    def peek(self) -> str:
        self.skip_space()
        return self.text[self.at:self.at + 1]

    def found(self) -> str:
        return f"'{self.text[self.at]}'" if self.at < len(self.text) else "the end"

    def elements(self, nesting: int = 0) -> tuple[Element, ...]:
        """A list up to `)` or the end."""
        if nesting > MAX_NESTING:
            raise self.fail(f"pipelines are nested more than {MAX_NESTING} deep")
        items: list[Element] = []
        if self.peek() in ("", ")"):
            return ()
        while True:
            items.append(self.element(nesting))
            if self.peek() != ",":
                return tuple(items)
            self.at += 1

    def element(self, nesting: int) -> Element:
        self.skip_space()
        match = self.NAME.match(self.text, self.at)
        if match is None:
            raise self.fail(f"expected a pass name, found {self.found()}")
        start, self.at = self.at, match.end()
        name, opening = match[0], self.peek()
        if opening == "(":
            opened = self.at
            self.at += 1
            children = self.elements(nesting + 1)
            if self.peek() != ")":
                raise self.fail(f"expected ',' or ')', found {self.found()}" if self.at < len(self.text) else "this '(' is never closed",
                                self.at if self.at < len(self.text) else opened)
            self.at += 1
            return Element(name, start + 1, children=children)
        if opening == "{":
            opened = self.at
            self.at = skip_balanced(self.text, opened)
            return Element(name, start + 1, self.text[opened + 1:self.at - 1], opened + 2)
        return Element(name, start + 1)


def skip_balanced(text: str, at: int) -> int:
    """The place after the `}` that closes the `{` at `at`; quotes are skipped over."""
    depth, opened, place = 0, at, at
    while place < len(text):
        character = text[place]
        if character in "\"'":
            closing = text.find(character, place + 1)
            if closing < 0:
                raise PipelineError(f"this {character} is never closed", place + 1)
            place = closing
        elif character == "{":
            depth += 1
        elif character == "}":
            depth -= 1
            if depth == 0:
                return place + 1
        place += 1
    raise PipelineError("this '{' is never closed", opened + 1)


def parse_elements(text: str) -> tuple[Element, ...]:
    """The items of a pipeline, without the `builtin.module(...)` round them all; only syntax is checked."""
    parser = _Parser(text)
    elements = parser.elements()
    if parser.peek():
        raise parser.fail(f"expected ',' or the end, found {parser.found()}")
    while len(elements) == 1 and elements[0].children is not None and elements[0].name in (MODULE, "any"):
        elements = elements[0].children
    return elements


def parse_options(text: str, column: int = 1) -> dict[str, str]:
    """`a=1 b="x y" c={d e} flag` by key; quotes and braces round a whole value are dropped, a key alone means true."""
    found: dict[str, str] = {}
    at = 0
    while True:
        while at < len(text) and text[at].isspace():
            at += 1
        if at == len(text):
            return found
        match = re.compile(r"[A-Za-z_][\w\-]*").match(text, at)
        if match is None:
            raise PipelineError(f"expected an option's name, found '{text[at]}'", column + at)
        key, start = match[0], at
        at = match.end()
        value = "true"
        if at < len(text) and text[at] == "=":
            value_start = at = at + 1
            while at < len(text) and not text[at].isspace():
                if text[at] in "\"'":
                    closing = text.find(text[at], at + 1)
                    if closing < 0:
                        raise PipelineError(f"this {text[at]} is never closed", column + at)
                    at = closing + 1
                elif text[at] == "{":
                    try:
                        at = skip_balanced(text, at)
                    except PipelineError as error:
                        raise PipelineError(error.message, column + at) from None
                else:
                    at += 1
            value = text[value_start:at]
            if len(value) > 1 and value[0] + value[-1] in ('""', "''", "{}"):
                value = value[1:-1]
        elif at < len(text) and not text[at].isspace():
            raise PipelineError(f"expected '=' after option '{key}', found '{text[at]}'", column + at)
        if key in found:
            raise PipelineError(f"option '{key}' is given twice", column + start)
        found[key] = value


# Meaning

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
    if name in load_passes() or is_upstream(name):
        raise PipelineError(f"pass '{name}' takes no pipeline in parentheses; its options go in braces", element.column)
    raise PipelineError(f"'{name}' is no operation that a pipeline can be nested in", element.column)


def _make_step(element: Element, anchors: tuple[str, ...]) -> Step:
    if element.name in load_passes():
        return make_pass(element.name, parse_options(element.options, element.options_column))
    if element.name.startswith("morok-"):
        raise PipelineError(f"unknown pass '{element.name}'{suggestion(element.name)}")
    return upstream_pass(element.name, " ".join(element.options.split("\n")).strip(), anchors)


def parse_pipeline(text: str) -> list[Step]:
    """The passes of a pipeline's text, in either spelling; PipelineError says what is wrong and at which column."""
    return resolve(parse_elements(text))


@lru_cache(maxsize=None)
def _parsed(text: str) -> tuple[Step, ...]:
    return tuple(parse_pipeline(text))


def spelling(steps: Sequence[Step]) -> str:
    """The text that `parse_pipeline` reads back."""
    return f"{MODULE}({','.join(step.spelling() for step in steps)})"


# Running

class Instrumentation:
    """Sees each pass before and after it runs, those inside composite passes too. Subclasses override what they need."""

    verify: ClassVar[bool] = True
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
        super().__init__(f"pass {pass_name} failed: {detail}" + (f"; replay it with morok-opt --run-reproducer {reproducer}" if reproducer else ""))
        self.pass_name, self.detail, self.reproducer = pass_name, detail, reproducer


def run_passes(program: Program, passes: str | Sequence[Step], instrumentation: Instrumentation | None = None, *, write_reproducer: bool = True) -> None:
    """Runs the passes on the program, in place.

    Without instrumentation nothing is printed, verified or written back to MLIR between our passes. A MorokError that a pass raises about its
    input or options passes through; anything else becomes a PassFailure, with a file that replays the pass.
    """
    steps = _parsed(passes) if isinstance(passes, str) else passes
    for item in _runs(steps, grouped=instrumentation is None):
        if isinstance(item, list):
            _run_upstream(program, item, instrumentation, write_reproducer)
        elif isinstance(item, CompositePass):
            if instrumentation is not None:
                instrumentation.before(item, program)
            run_passes(program, item.steps(), instrumentation, write_reproducer=write_reproducer)
            if instrumentation is not None:
                instrumentation.after(item, program)
        else:
            _run_own(program, item, instrumentation, write_reproducer)


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


def _run_own(program: Program, step: Pass, instrumentation: Instrumentation | None, write_reproducer: bool) -> None:
    if instrumentation is not None:
        instrumentation.before(step, program)
    bodies = dict(program.bodies)
    try:
        step.run(program)
    except Exception as error:
        if instrumentation is not None:
            instrumentation.failed(step, program, error)
        if isinstance(error, MemoryError) or isinstance(error, MorokError) and not isinstance(error, InternalError):
            raise
        program.bodies.clear()
        program.bodies.update(bodies)
        raise PassFailure(step.name, error, reproduce(program, [step]) if write_reproducer else None) from error
    if instrumentation is not None:
        instrumentation.after(step, program)


def _run_upstream(program: Program, steps: list[UpstreamPass], instrumentation: Instrumentation | None, write_reproducer: bool) -> None:
    if instrumentation is not None:
        instrumentation.before(steps[0], program)
    try:
        run_upstream(program.dialect, program.module, steps, verify=instrumentation is not None and instrumentation.verify)
    except ir.MLIRError as error:
        if instrumentation is not None:
            instrumentation.failed(steps[0], program, error)
        names = ", ".join(step.name for step in steps)
        raise PassFailure(names, error, reproduce(program, steps) if write_reproducer else None) from error
    program.reread()
    if instrumentation is not None:
        instrumentation.after(steps[0], program)


# Reproducers: a module's text with the pipeline to run on it, in MLIR's own format.

def reproducer_text(module_text: str, pipeline: str, verify_each: bool = True) -> str:
    escaped = pipeline.replace("\\", "\\\\").replace('"', '\\"')
    return (f"{strip_reproducer(module_text)[0].rstrip()}\n\n{{-#\n  external_resources: {{\n    mlir_reproducer: {{\n"
            f'      pipeline: "{escaped}",\n      disable_threading: true,\n      verify_each: {str(verify_each).lower()}\n    }}\n  }}\n#-}}\n')


_RESOURCE = re.compile(r"\{-#(?:(?!#-\}).)*?mlir_reproducer\s*:.*?#-\}\s*\Z", re.DOTALL)
_PIPELINE = re.compile(r'pipeline\s*:\s*"((?:[^"\\]|\\.)*)"')


def strip_reproducer(text: str) -> tuple[str, str | None]:
    """The module's text without a reproducer's resources, and the pipeline that they hold (None if there are none)."""
    resource = _RESOURCE.search(text)
    pipeline = _PIPELINE.search(resource[0]) if resource else None
    if resource is None or pipeline is None:
        return text, None
    return text[:resource.start()], re.sub(r"\\(.)", r"\1", pipeline[1])


def reproduce(program: Program, steps: Sequence[Step]) -> str | None:
    """Writes the program and the steps to a file that `morok-opt --run-reproducer` replays; its path, or None where it cannot be written."""
    try:
        return write_reproducer_file(str(program.module), spelling(steps))
    except Exception:  # the program that made a pass fail may be unprintable; the failure itself matters more
        return None


def write_reproducer_file(module_text: str, pipeline: str, path: str | None = None) -> str:
    text = reproducer_text(module_text, pipeline)
    if path is None:
        handle, path = tempfile.mkstemp(prefix="morok-reproducer-", suffix=".mlir")
        os.close(handle)
    with open(path, "w") as file:
        file.write(text)
    return path


__all__: list[Any] = ["CompositePass", "Element", "Instrumentation", "PassFailure", "PipelineError", "Step", "UpstreamPass", "parse_elements",
                      "parse_options", "parse_pipeline", "reproducer_text", "resolve", "run_passes", "spelling", "strip_reproducer"]
