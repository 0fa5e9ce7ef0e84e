"""What morok's command-line tools share: flags, reading and checking a module, diagnostics in one line, exit codes. A tool is a subclass of
`Tool`; another package's tool too.
"""
from __future__ import annotations

import os
import sys
import traceback
from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import IO, ClassVar, TextIO

from mlir import ir

from .. import __version__
from ..dialect.context import DialectContext
from ..dialect.verify import Diagnostic as DialectDiagnostic
from ..dialect.verify import VerifyError, explain, verify_module
from ..errors import MorokError
from ..graph.body import Program
from ..passes.instrumentation import BadOutput, Several
from ..passes.pipeline import Instrumentation, PassFailure, Step, run_passes, spelling
from ..passes.reproducer import write_reproducer
from ..passes.upstream import capturing_stderr
from ..passes.verify.verify import verify_bodies
from .diagnostics import Collector, Diagnostic, ToolError, from_text
from .flags import SWITCH, TEXT, Flag, Parsed, parse_flags
from .listing import help_text
from .source import Chunk, custom_form, nameless_op, nesting_error, relocate


class Failed(Exception):
    """A chunk that failed, with its diagnostics."""

    def __init__(self, diagnostics: list[Diagnostic]) -> None:
        super().__init__()
        self.diagnostics = diagnostics


class Tool(ABC):
    """One object serves one or many command lines. `main` returns the exit code and raises nothing."""

    name: ClassVar[str]
    overview: ClassVar[str]
    usage: ClassVar[str]
    ordered_flags: ClassVar[tuple[str, ...]] = ()
    """Flags whose order among those that are not declared matters."""

    def __init__(self) -> None:
        self.flags: dict[str, Flag] = {}
        self.options = Parsed({})
        self.stdout: TextIO = sys.stdout
        self.stderr: TextIO = sys.stderr
        self.stdin: IO[bytes] | None = None
        self.register_flags()

    # What subclasses extend

    def register_flag(self, name: str, help: str, kind: str = SWITCH, value: str = "", default: str | bool | None = False) -> None:
        """Declares a flag; `self.options.on(name)` or `.text(name)` gives its value later."""
        self.flags[name] = Flag(name, help, kind, value, default if kind == SWITCH else default or None)

    def register_flags(self) -> None:
        """Declares the flags; an override calls this first."""
        self.register_flag("help", "show this help")
        self.register_flag("version", "show the version")
        self.register_flag("o", "write to this file instead of standard output", TEXT, "file")
        self.register_flag("allow-unregistered-dialect", "accept operations of unknown dialects")
        self.register_flag("verify-each", "verify after each pass", default=True)
        self.register_flag("python-traceback", "show where in Python an internal error arose")

    def register_dialects(self, dialect: DialectContext) -> None:  # noqa: B027  (a hook that may stay empty)
        """Loads more dialects into a context that is to hold modules."""

    @abstractmethod
    def run(self) -> int:
        """Does what `self.options` ask and returns the exit code. May raise ToolError and MorokError."""

    # A run

    def main(self, arguments: Sequence[str] | None = None, stdin: IO[bytes] | None = None, stdout: TextIO | None = None,
             stderr: TextIO | None = None) -> int:
        """Runs a command line (default: the process's). The exit code is 0, or 1 after an error line for each module that failed."""
        self.stdin, self.stdout, self.stderr = stdin, stdout or sys.stdout, stderr or sys.stderr
        try:
            self.options = self.parse_arguments(sys.argv[1:] if arguments is None else arguments)
            return 0 if self.show_information() else self.run()
        except Failed as failed:
            self.report(failed.diagnostics[:1])
            return 1
        except (ToolError, MorokError) as error:
            self.trace()
            return self.fail(str(error))
        except BrokenPipeError:  # run_tool ends the process
            raise
        except KeyboardInterrupt:
            return self.fail("interrupted")
        except Exception as error:
            self.trace()
            return self.fail(f"internal error: {type(error).__name__}: {error}")

    def fail(self, message: str) -> int:
        self.stderr.write(Diagnostic("error", " ".join(message.split())).text(self.name) + "\n")
        return 1

    def trace(self) -> None:
        """Shows the traceback of the exception being handled, if the flag asks for it."""
        if self.options.on("python-traceback"):
            self.stderr.write(traceback.format_exc())

    def parse_arguments(self, arguments: Sequence[str]) -> Parsed:
        """The command line by the flags declared; pass flags stay in order in `others`."""
        arguments = ["--help" if a == "-h" else a for a in arguments]
        options = parse_flags(arguments, self.flags, self.ordered_flags)
        if len(options.inputs) > 1:
            raise ToolError(f"takes one input file, given {', '.join(options.inputs)}")
        return options

    def show_information(self) -> bool:
        """Answers --help and its kin; whether one was asked for."""
        if self.options.on("help"):
            self.stdout.write(help_text(self.name, self.overview, self.usage, self.flags.values()))
        elif self.options.on("version"):
            self.stdout.write(f"{self.name} {__version__}\n")
        return self.options.on("help") or self.options.on("version")

    def make_context(self) -> DialectContext:
        """A context that knows the tool's dialects."""
        dialect = DialectContext(allow_unregistered=self.options.on("allow-unregistered-dialect"))
        self.register_dialects(dialect)
        return dialect

    def parse(self, chunk: Chunk, dialect: DialectContext, collector: Collector) -> ir.Module:
        """The module of a chunk, verified, its locations naming the file."""
        if not chunk.is_bytecode:
            for place, wrong in ((nesting_error(chunk.data), "nested too deeply"), (nameless_op(chunk.data), "an op's name ends with a dot")):
                if place is not None:
                    raise Failed([Diagnostic("error", wrong, chunk.file, *place)])
        try:
            module = ir.Module.parse(chunk.data, dialect.context)
        except (ir.MLIRError, ValueError) as error:
            raise Failed(self.explain(chunk) or collector.errors or [_unexplained(chunk, error)]) from None
        if not chunk.is_bytecode:
            relocate(module, chunk.file, dialect.context)
        problems = self.check(module, dialect)
        if problems:
            raise Failed(problems)
        return module

    def explain(self, chunk: Chunk) -> list[Diagnostic]:
        """What the dialect's rules have against a text that MLIR refuses; they speak plainer than IRDL."""
        if chunk.is_bytecode or b"morok." not in chunk.data:
            return []
        with capturing_stderr():
            return [from_dialect(problem) for problem in explain(chunk.text, chunk.file)]

    def check(self, module: ir.Module, dialect: DialectContext) -> list[Diagnostic]:
        """What the dialect's rules have against a module that MLIR accepts."""
        return [from_dialect(problem) for problem in verify_module(module, dialect)]

    def run_passes(self, chunk: Chunk, program: Program, steps: Sequence[Step], collector: Collector,
                   instrumentation: Sequence[Instrumentation]) -> None:
        """Runs the passes on the program. Raises Failed, after writing a reproducer if one is asked for or a pass is at fault."""
        current = _Current()
        watching = Several([*instrumentation, current], verify=self.options.on("verify-each"))
        before = len(collector.errors)
        try:
            with program.dialect.context, program.dialect.unknown:
                run_passes(program, steps, watching, with_reproducer=False)
                program.flush()
        except PassFailure as failure:
            upstream = isinstance(failure.__cause__, ir.MLIRError)
            replay = self.write_reproducer(chunk, steps, always=not upstream)
            if upstream and len(collector.errors) > before:
                raise Failed([d.within(failure.pass_name) for d in collector.errors[before:]]) from None
            self.trace()
            raise Failed([Diagnostic("error", f"pass {failure.pass_name} failed: {failure.detail}{replay}")]) from None
        except BadOutput as error:
            replay = self.write_reproducer(chunk, steps, always=True)
            raise Failed([Diagnostic("error", f"pass {current.name} failed: {error}{replay}")]) from None
        except VerifyError as error:
            self.write_reproducer(chunk, steps, always=False)
            raise Failed([from_dialect(problem).of_pass(current.name) for problem in error.diagnostics]) from None
        except MorokError as error:
            self.write_reproducer(chunk, steps, always=False)
            self.trace()
            raise Failed([from_text(str(error)).of_pass(current.name)]) from None

    def check_output(self, program: Program, collector: Collector) -> None:
        """Raises BadOutput if a pass left a module that does not verify."""
        problems = [from_dialect(problem) for problem in verify_bodies(program)]
        before = len(collector.found)
        try:
            if not problems:
                program.module.operation.verify()
                problems = self.check(program.module, program.dialect)
        except ir.MLIRError:
            problems = [d for d in collector.found[before:] if d.kind == "error"]
            del collector.found[before:]
        if problems:
            raise BadOutput(f"it leaves IR that does not verify: {problems[0].text('(no place)')}")

    def write_reproducer(self, chunk: Chunk, steps: Sequence[Step], always: bool) -> str:
        """Writes the input with the pipeline where the flag says, or (for a fault of a pass: `always`) to a temporary file; says how to
        replay it."""
        path = self.reproducer_path()
        if path is None and not always:
            return ""
        text = chunk.text.lstrip("\n")
        if chunk.is_bytecode:
            text = str(ir.Module.parse(chunk.data, self.make_context().context))
        try:
            return f"; replay it with {self.name} --run-reproducer {write_reproducer(text, spelling(steps), path)}"
        except OSError as error:
            raise ToolError(f"cannot write the reproducer '{path}': {error.strerror}") from None

    def reproducer_path(self) -> str | None:
        """Where a reproducer must be written whenever a pass fails."""
        return None

    def report(self, diagnostics: Sequence[Diagnostic]) -> None:
        for diagnostic in diagnostics:
            self.stderr.write(diagnostic.text(self.name) + "\n")

    def write_output(self, data: bytes) -> None:
        """Writes to the file of -o, or to standard output."""
        path = self.options.text("o")
        if path is not None and path != "-":
            try:
                Path(path).write_bytes(data)
            except (OSError, ValueError) as error:
                raise ToolError(f"cannot write '{path}': {getattr(error, 'strerror', None) or error}") from None
        elif hasattr(self.stdout, "buffer"):
            self.stdout.flush()
            self.stdout.buffer.write(data)
            self.stdout.buffer.flush()
        else:
            self.stdout.write(data.decode(errors="replace"))


def _unexplained(chunk: Chunk, error: Exception) -> Diagnostic:
    """What to say of a module that MLIR refuses without a diagnostic."""
    custom = None if chunk.is_bytecode else custom_form(chunk.data)
    if custom is None:
        return Diagnostic("error", f"cannot be read: {error}", chunk.file, chunk.line, 1)
    name, line, column = custom
    return Diagnostic("error", f"'{name}' is read in generic form only: \"{name}\"(operands) {{attributes}} : (operand types) -> result types",
                      chunk.file, line, column)


def from_dialect(problem: DialectDiagnostic) -> Diagnostic:
    """The tools' kind of diagnostic from the dialect's."""
    return Diagnostic("error", problem.message, problem.file, problem.line, problem.column or 1)


class _Current(Instrumentation):
    """Knows the pass that runs."""

    name = ""

    def before(self, step: Step, program: Program) -> None:
        self.name = step.name


def run_tool(tool: Tool) -> None:
    """Runs a tool on the process's arguments and ends the process, at once: MLIR's contexts do not survive interpreter shutdown."""
    try:
        code = tool.main()
        sys.stdout.flush()
        sys.stderr.flush()
    except BrokenPipeError:  # as in `morok-opt ... | head`
        code = 1
    os._exit(code)
