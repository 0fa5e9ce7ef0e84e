"""morok-opt: reads MLIR, runs passes on it, prints the result. Our passes and upstream's mix in one pipeline.

    morok-opt in.mlir --morok-split-ranges --canonicalize
    morok-opt in.mlir -p 'morok-rangeify,func.func(canonicalize),cse' --mlir-print-ir-after-all

`MorokOpt` is a class that another package extends (docs/extending.md): override `register_flags`, `register_passes`, `register_dialects`,
or any step of `main`.
"""
from __future__ import annotations

import dataclasses
import io
import os
import re
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import IO, Any, TextIO

from mlir import ir

from ..dialect.context import DialectContext
from ..dialect.verify import Diagnostic as DialectDiagnostic
from ..dialect.verify import explain, verify_module
from ..errors import MorokError
from ..graph.body import Program
from ..passes.instrumentation import BadOutput, EveryPass, PrintIR, PrintTree, Several, Timing, VerifyEach
from ..passes.pipeline import (
    Element, Instrumentation, PassFailure, PipelineError, Step, parse_elements, resolve, run_passes, spelling, strip_reproducer,
    write_reproducer_file,
)
from ..passes.registry import PASSES, Pass, load_passes
from ..passes.upstream import is_upstream, suggestion, upstream_passes
from .diagnostics import UNNAMED, Collector, Diagnostic, ToolError, expectations, from_text, unmet
from .flags import OPTIONAL_TEXT, TEXT, Flag, Parsed, columns, parse_flags

SEPARATOR = "// -----"
BYTECODE = b"ML\xefR"


@dataclasses.dataclass
class Chunk:
    """One module's text within the input; `line` is that of its first line. The text starts with so many empty lines that MLIR counts right."""

    file: str
    data: bytes
    line: int = 1
    pipeline: str | None = None
    """The pipeline that a reproducer asks for."""

    @property
    def is_bytecode(self) -> bool:
        return self.data.startswith(BYTECODE)


class Failed(Exception):
    """A chunk that failed, with its diagnostics."""

    def __init__(self, diagnostics: list[Diagnostic]) -> None:
        super().__init__()
        self.diagnostics = diagnostics


class MorokOpt:
    """The tool. One object serves one or many command lines; `main` returns the exit code and raises nothing."""

    name = "morok-opt"
    overview = "Runs passes of morok and of upstream MLIR on a module."

    def __init__(self) -> None:
        self.flags: dict[str, Flag] = {}
        self.stdout: TextIO = sys.stdout
        self.stderr: TextIO = sys.stderr
        self.register_flags()

    # What other packages extend

    def register_flag(self, name: str, help: str, kind: str = "switch", value: str = "", default: str | bool | None = False) -> None:
        """Declares a flag; `self.options.on(name)` or `.text(name)` gives its value later."""
        self.flags[name] = Flag(name, help, kind, value, default if kind == "switch" else default or None)

    def register_flags(self) -> None:
        """Declares all flags; an override calls this first."""
        flag = self.register_flag
        flag("help", "show this help")
        flag("version", "show the version")
        flag("o", "write to this file instead of standard output", TEXT, "file")
        flag("pass-pipeline", "passes to run: 'builtin.module(a,func.func(b{k=v}),c)'", TEXT, "pipeline")
        flag("p", "the same, without builtin.module: 'a,b{k=v}'", TEXT, "pipeline")
        flag("list-passes", "list all passes with their options")
        flag("show-dialects", "list the dialects known")
        flag("split-input-file", f"treat parts separated by '{SEPARATOR}' lines as modules of their own", OPTIONAL_TEXT, "separator")
        flag("verify-diagnostics", "compare diagnostics with the expected-error {{...}} comments of the input")
        flag("verify-each", "verify after each pass", default=True)
        flag("verify-roundtrip", "check that the printed forms and the bytecode read back as the same module")
        flag("allow-unregistered-dialect", "accept operations of unknown dialects")
        flag("emit-bytecode", "write MLIR bytecode instead of text")
        flag("mlir-print-ir-before", "print the module before these passes", TEXT, "a,b,...")
        flag("mlir-print-ir-after", "print the module after these passes", TEXT, "a,b,...")
        flag("mlir-print-ir-before-all", "print the module before each pass")
        flag("mlir-print-ir-after-all", "print the module after each pass")
        flag("mlir-print-ir-after-change", "print after a pass only if it changed something")
        flag("mlir-print-ir-after-failure", "print the module after a pass that failed")
        flag("mlir-print-ir-module-scope", "always so here: dumps show the whole module")
        flag("mlir-print-ir-tree-dir", "write the module after each pass to a file below this folder", TEXT, "folder")
        flag("mlir-print-debuginfo", "print locations")
        flag("mlir-print-op-generic", "print the generic form")
        flag("mlir-print-local-scope", "print without aliases")
        flag("mlir-elide-elementsattrs-if-larger", "leave out constants of more elements than this", TEXT, "count")
        flag("mlir-timing", "print the time that each pass took")
        flag("mlir-disable-threading", "always so here")
        flag("mlir-pass-pipeline-crash-reproducer", "if a pass fails, write a file that replays it", TEXT, "file")
        flag("run-reproducer", "run the pipeline that a reproducer file holds")

    def register_passes(self) -> None:
        """Makes passes known; by default those of morok and of the entry points `morok.passes`."""
        try:
            load_passes()
        except Exception as error:
            raise ToolError(f"cannot load the passes: {type(error).__name__}: {error}") from None

    def register_dialects(self, dialect: DialectContext) -> None:
        """Loads more dialects into a context that is to hold modules."""

    # Steps of a run

    def main(self, arguments: Sequence[str] | None = None, stdin: IO[bytes] | None = None, stdout: TextIO | None = None,
             stderr: TextIO | None = None) -> int:
        """Runs a command line (default: the process's) and returns the exit code: 0, or 1 with one error line for each module that failed."""
        self.stdout, self.stderr = stdout or sys.stdout, stderr or sys.stderr
        try:
            return self.run(sys.argv[1:] if arguments is None else arguments, stdin)
        except (ToolError, PipelineError) as error:
            return self.fail(str(error))
        except BrokenPipeError:
            raise
        except KeyboardInterrupt:
            return self.fail("interrupted")
        except Exception as error:
            return self.fail(f"internal error: {type(error).__name__}: {error}")

    def fail(self, message: str) -> int:
        self.stderr.write(Diagnostic("error", " ".join(message.split())).text(self.name) + "\n")
        return 1

    def run(self, arguments: Sequence[str], stdin: IO[bytes] | None) -> int:
        options = self.options = self.parse_arguments(arguments)
        if self.show_information():
            return 0
        self.register_passes()
        steps = self.parse_passes(options)
        chunks = self.read_input(stdin)
        self.timing = Timing()
        outputs: list[bytes] = []
        failed = False
        for chunk in chunks:
            output, succeeded = self.process(chunk, steps)
            failed |= not succeeded
            if output is not None:
                outputs.append(output)
        if options.on("mlir-timing"):
            self.stderr.write(self.timing.report())
        if not failed or outputs and options.text("o") is None:
            self.write_output(outputs)
        return int(failed)

    def parse_arguments(self, arguments: Sequence[str]) -> Parsed:
        """The command line by the flags declared; pass flags stay in order in `others`."""
        arguments = ["--help" if a == "-h" else a for a in arguments]
        options = parse_flags(arguments, self.flags, ordered=("p", "pass-pipeline"))
        if len(options.inputs) > 1:
            raise ToolError(f"takes one input file, given {', '.join(options.inputs)}")
        return options

    def show_information(self) -> bool:
        """Answers --help and its kin; whether one was asked for."""
        options = self.options
        if options.on("help"):
            self.stdout.write(self.help_text())
        elif options.on("version"):
            from .. import __version__
            self.stdout.write(f"{self.name} {__version__}\n")
        elif options.on("list-passes"):
            self.stdout.write(self.list_text())
        elif options.on("show-dialects"):
            self.stdout.write(f"Available Dialects: {','.join(self.dialect_names())}\n")
        else:
            return False
        return True

    def parse_passes(self, options: Parsed) -> list[Step]:
        """The passes of the command line, from flags and pipelines in their order."""
        steps: list[Step] = []
        for name, value in options.others:
            if name in ("p", "pass-pipeline"):
                flag = self.flags[name]
                steps += self._resolve("-p" if name == "p" else f"--{flag.name}", value or "", None)
            elif name in PASSES or is_upstream(name):
                steps += self._resolve(f"--{name}", "", (name, value or ""))
            else:
                raise ToolError(f"unknown flag or pass '--{name}'{suggestion(name, tuple(self.flags))}")
        for flag_name in ("mlir-print-ir-before", "mlir-print-ir-after"):
            for name in _names(options.text(flag_name)):
                if name not in PASSES and not is_upstream(name):
                    raise ToolError(f"--{flag_name}: unknown pass '{name}'{suggestion(name)}")
        return steps

    def _resolve(self, flag: str, pipeline: str, single: tuple[str, str] | None) -> list[Step]:
        try:
            if single is None:
                return resolve(parse_elements(pipeline))
            elements = parse_elements(f"{single[0]}{{{single[1]}}}")
            if len(elements) != 1 or elements[0].options != single[1]:
                raise PipelineError("unbalanced braces in the options")
            return resolve([Element(single[0], 1, single[1], 1)])
        except PipelineError as error:
            where = f"{flag}: column {error.column}" if error.column is not None and single is None else flag
            raise ToolError(f"{where}: {error.message}") from None

    def read_input(self, stdin: IO[bytes] | None) -> list[Chunk]:
        """The modules of the input file (`-` or none: standard input)."""
        options = self.options
        path = options.inputs[0] if options.inputs else "-"
        if path == "-":
            file, data = "<stdin>", (stdin or sys.stdin.buffer).read()
        else:
            file = path
            try:
                data = Path(path).read_bytes()
            except OSError as error:
                raise ToolError(f"cannot open input file '{path}': {error.strerror or error}") from None
            except ValueError as error:
                raise ToolError(f"cannot open input file '{path!r}': {error}") from None
        separator = options.text("split-input-file")
        if separator is None or data.startswith(BYTECODE):
            chunks = [Chunk(file, data)]
        else:
            chunks = split(file, data, separator or SEPARATOR)
        if options.on("run-reproducer"):
            for chunk in chunks:
                text, chunk.pipeline = strip_reproducer(chunk.data.decode(errors="replace"))
                if chunk.pipeline is None:
                    raise ToolError(f"{file} holds no pipeline to replay")
                chunk.data = text.encode()
        return chunks

    def process(self, chunk: Chunk, steps: Sequence[Step]) -> tuple[bytes | None, bool]:
        """Runs the passes on one module: its output (None if there is none) and whether all is well. Prints the diagnostics."""
        output: bytes | None = None
        dialect = DialectContext(allow_unregistered=self.options.on("allow-unregistered-dialect"))
        with Collector(dialect.context, chunk.file) as collector:
            try:
                self.register_dialects(dialect)
                output = self.compile(chunk, steps, dialect, collector)
                found = collector.found
            except Failed as failed:
                found = [d for d in collector.found if d.kind != "error"] + failed.diagnostics
        if self.options.on("verify-diagnostics"):
            wrong = unmet(expectations(chunk.data.decode(errors="replace").split("\n")), found, chunk.file)
            self._report(wrong)
            return output, not wrong
        errors = [d for d in found if d.kind == "error"]
        if output is not None:
            errors = []
        # One error a module: what MLIR reports after the first mostly follows from it.
        self._report([d for d in found if d.kind != "error"] + errors[:1])
        return output, output is not None

    def _report(self, diagnostics: Sequence[Diagnostic]) -> None:
        for diagnostic in diagnostics:
            self.stderr.write(diagnostic.text(self.name) + "\n")

    def compile(self, chunk: Chunk, steps: Sequence[Step], dialect: DialectContext, collector: Collector) -> bytes:
        """Parses, verifies, runs the passes, prints. Raises Failed."""
        with self.timing.measure("Parser"):
            module = self.parse(chunk, dialect, collector)
        if chunk.pipeline is not None:
            steps = [*self._resolve("reproducer", chunk.pipeline, None), *steps]
        if self.options.on("verify-roundtrip"):
            self.check_roundtrip(module, dialect, collector)
        if steps:
            module = self.run_passes(chunk, module, steps, dialect, collector)
        with self.timing.measure("Output"):
            return self.output(module)

    def parse(self, chunk: Chunk, dialect: DialectContext, collector: Collector) -> ir.Module:
        """The module of a chunk, verified, its locations naming the file."""
        try:
            module = ir.Module.parse(chunk.data, dialect.context)
        except (ir.MLIRError, ValueError) as error:
            explained = [] if chunk.is_bytecode else explain(chunk.data.decode(errors="replace"), chunk.file)
            raise Failed([_from_dialect(explained[0])] if explained else collector.errors or [Diagnostic("error", f"cannot read the module: {error}", chunk.file, chunk.line, 1)]) from None
        if not chunk.is_bytecode:
            relocate(module, chunk.file, dialect.context)
        problems = self.check(module, dialect)
        if problems:
            raise Failed(problems)
        return module

    def check(self, module: ir.Module, dialect: DialectContext) -> list[Diagnostic]:
        """What the dialect's rules have against a module that MLIR accepts."""
        return [_from_dialect(problem) for problem in verify_module(module, dialect)]

    def run_passes(self, chunk: Chunk, module: ir.Module, steps: Sequence[Step], dialect: DialectContext, collector: Collector) -> ir.Module:
        instrumentation = self.instrumentation(dialect, collector)
        before = len(collector.errors)
        current = _Current()
        try:
            with dialect.context, dialect.unknown:
                program = Program(dialect, module)
                run_passes(program, steps, Several([*instrumentation, current]), write_reproducer=False)
                return program.module
        except PassFailure as failure:
            reproducer = self.write_reproducer(chunk, steps, always=not isinstance(failure.__cause__, ir.MLIRError))
            if isinstance(failure.__cause__, ir.MLIRError) and len(collector.errors) > before:
                raise Failed(collector.errors[before:]) from None
            replay = f"; replay it with {self.name} --run-reproducer {reproducer}" if reproducer else ""
            raise Failed([Diagnostic("error", f"pass {failure.pass_name} failed: {failure.detail}{replay}")]) from None
        except BadOutput as error:
            reproducer = self.write_reproducer(chunk, steps, always=True)
            raise Failed([Diagnostic("error", f"{error}; replay it with {self.name} --run-reproducer {reproducer}")]) from None
        except MorokError as error:
            self.write_reproducer(chunk, steps, always=False)
            diagnostic = from_text(str(error))
            if diagnostic.file is None and current.name and current.name not in diagnostic.message:
                diagnostic = dataclasses.replace(diagnostic, message=f"{current.name}: {diagnostic.message}")
            raise Failed([diagnostic]) from None

    def instrumentation(self, dialect: DialectContext, collector: Collector) -> list[Instrumentation]:
        """What watches the passes, as the flags ask."""
        options = self.options
        parts: list[Instrumentation] = []
        if options.on("verify-each"):
            parts.append(VerifyEach(lambda program: self.check_output(program, collector)))
        if options.on("mlir-timing"):
            parts.insert(0, self.timing)
        before = EveryPass() if options.on("mlir-print-ir-before-all") else _names(options.text("mlir-print-ir-before"))
        changes = options.on("mlir-print-ir-after-change")
        tree = options.text("mlir-print-ir-tree-dir")
        named = _names(options.text("mlir-print-ir-after"))
        after = EveryPass() if options.on("mlir-print-ir-after-all") or changes and not named else named
        if before or after or options.on("mlir-print-ir-after-failure"):
            parts.insert(0, PrintIR(self.stderr, self.print_program, before, after, changes, options.on("mlir-print-ir-after-failure")))
        if tree is not None:
            try:
                parts.insert(0, PrintTree(Path(tree), self.print_program))
            except OSError as error:
                raise ToolError(f"--mlir-print-ir-tree-dir: cannot write to '{tree}': {error.strerror}") from None
        return parts

    def check_output(self, program: Program, collector: Collector) -> None:
        """Raises BadOutput if a pass left a module that does not verify."""
        module = program.module
        before = len(collector.errors)
        try:
            module.operation.verify()
            problems = self.check(module, program.dialect)
        except ir.MLIRError:
            problems = collector.errors[before:]
            del collector.found[before:]
        if problems:
            raise BadOutput(problems[0].text("the module"))

    def write_reproducer(self, chunk: Chunk, steps: Sequence[Step], always: bool) -> str | None:
        """Writes the input with the pipeline where the flag says, or (a fault of a pass, `always`) to a temporary file."""
        path = self.options.text("mlir-pass-pipeline-crash-reproducer")
        if path is None and not always:
            return None
        text = chunk.data.decode(errors="replace").lstrip("\n") if not chunk.is_bytecode else \
            str(ir.Module.parse(chunk.data, DialectContext(self.options.on("allow-unregistered-dialect")).context))
        try:
            return write_reproducer_file(text, spelling(steps), path)
        except OSError as error:
            raise ToolError(f"cannot write the reproducer '{path}': {error.strerror}") from None

    def check_roundtrip(self, module: ir.Module, dialect: DialectContext, collector: Collector) -> None:
        """Raises Failed if the module printed, in custom or generic form or as bytecode, reads back as another."""
        def text(m: ir.Module) -> str:
            return str(m.operation.get_asm(print_generic_op_form=True, enable_debug_info=False, use_local_scope=True))
        buffer = io.BytesIO()
        module.operation.write_bytecode(buffer)
        forms: dict[str, bytes] = {"custom": str(module).encode(), "generic": text(module).encode(), "bytecode": buffer.getvalue()}
        for form, data in forms.items():
            before = len(collector.errors)
            try:
                read = ir.Module.parse(data, dialect.context)
            except ir.MLIRError:
                detail = next((d.message for d in collector.errors[before:]), "")
                raise Failed([Diagnostic("error", f"--verify-roundtrip: the {form} form does not read back: {detail}")]) from None
            if text(read) != text(module):
                raise Failed([Diagnostic("error", f"--verify-roundtrip: the {form} form reads back as another module")])

    # Output

    def print_module(self, module: ir.Module) -> str:
        """The module's text as the flags ask; one that does not verify appears in generic form."""
        options = self.options
        limit = options.text("mlir-elide-elementsattrs-if-larger")
        if limit is not None and not limit.isdigit():
            raise ToolError(f"--mlir-elide-elementsattrs-if-larger: takes a number, not '{limit}'")
        return str(module.operation.get_asm(
            enable_debug_info=options.on("mlir-print-debuginfo"), print_generic_op_form=options.on("mlir-print-op-generic"),
            use_local_scope=options.on("mlir-print-local-scope"), large_elements_limit=None if limit is None else int(limit)))

    def print_program(self, program: Program) -> str:
        return self.print_module(program.module)

    def output(self, module: ir.Module) -> bytes:
        if self.options.on("emit-bytecode"):
            buffer = io.BytesIO()
            module.operation.write_bytecode(buffer)
            return buffer.getvalue()
        return (self.print_module(module).rstrip("\n") + "\n\n").encode()

    def write_output(self, outputs: list[bytes]) -> None:
        """Writes the modules to the file of -o, or to standard output."""
        data = b"" if not outputs else outputs[0] if len(outputs) == 1 else f"{SEPARATOR}\n".encode().join(outputs)
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

    # Information

    def help_text(self) -> str:
        self.register_passes()
        flags = columns([(flag.heading(), flag.help) for flag in self.flags.values()])
        own = columns([(f"--{name}", f"{cls.summary()}") for name, cls in sorted(PASSES.items())])
        upstream = columns([(f"--{name}", listed.summary) for name, listed in upstream_passes().items()])
        return (f"OVERVIEW: {self.overview}\n\nUSAGE: {self.name} [flags] [passes] [input file, - for standard input]\n\nFLAGS:\n{flags}\n\n"
                f"PASSES (run in the order given; --pass='option=value ...'):\n{own}\n\nUPSTREAM PASSES:\n{upstream}\n")

    def list_text(self) -> str:
        self.register_passes()
        lines = ["Passes:"]
        for name, cls in sorted(PASSES.items()):
            lines.append(columns([(f"--{name}", f"{cls.summary()} [{cls.form}]")]))
            lines += [columns([row], indent="    ", width=38) for row in option_rows(cls)]
        lines.append("Upstream passes:")
        for name, listed in upstream_passes().items():
            lines.append(columns([(f"--{name}", listed.summary)]))
            lines += [columns([(f"--{option}", text)], indent="    ", width=38) for option, text in listed.options]
        return "\n".join(lines) + "\n"

    def dialect_names(self) -> list[str]:
        """The dialects that a context knows, from the list that MLIR gives to whoever asks for another."""
        dialect = DialectContext()
        self.register_dialects(dialect)
        with Collector(dialect.context, "-") as collector:
            try:
                ir.Module.parse('no_such_dialect.op', dialect.context)
            except ir.MLIRError:
                pass
        text = next((note.message for d in collector.found for note in d.notes if "Available dialects:" in note.message), "")
        listed = text.partition("Available dialects:")[2].partition("(* corresponding")[0].partition(";")[0]
        return [name.replace("(*)", "").strip() for name in listed.split(",") if name.strip()]


def _from_dialect(problem: DialectDiagnostic) -> Diagnostic:
    return Diagnostic("error", problem.message, problem.file, problem.line, problem.column or 1)


class _Current(Instrumentation):
    """Knows the pass that runs."""

    name = ""

    def before(self, step: Step, program: Program) -> None:
        self.name = step.name


def option_rows(cls: type[Pass]) -> list[tuple[str, str]]:
    """The options of a pass and their defaults."""
    fields: Any = dataclasses.fields(cls)  # type: ignore[arg-type]
    return [(f"--{f.name.replace('_', '-')}=<{type(f.default).__name__}>", f"default: {f.default!r}") for f in fields]


def _names(text: str | None) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip()) if text else ()


def split(file: str, data: bytes, separator: str) -> list[Chunk]:
    """The parts between separator lines, each after as many empty lines as stand before it in the file."""
    chunks: list[Chunk] = []
    start, lines = 1, []
    for number, line in enumerate(data.split(b"\n"), 1):
        if line.rstrip() == separator.encode():
            chunks.append(Chunk(file, b"\n" * (start - 1) + b"\n".join(lines), start))
            start, lines = number + 1, []
        else:
            lines.append(line)
    return [*chunks, Chunk(file, b"\n" * (start - 1) + b"\n".join(lines), start)]


def relocate(module: ir.Module, file: str, context: ir.Context) -> None:
    """Names the file in the locations of a module parsed from memory."""
    def moved(location: ir.Location) -> ir.Location | None:
        if location.is_a_file() and location.filename == UNNAMED:
            return ir.Location.file(file, location.start_line, location.start_col, context)
        return None

    def visit(op: ir.Operation) -> ir.WalkResult:
        op = op.operation
        found = moved(op.location)
        if found is not None:
            op.location = found
        for region in op.regions:
            for block in region.blocks:
                for argument in block.arguments:
                    found = moved(argument.location)
                    if found is not None:
                        argument.set_location(found)
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit, ir.WalkOrder.PRE_ORDER)


def run_tool(tool: Any) -> None:
    """Runs a tool's main on the process's arguments and ends the process: at once, since MLIR's contexts do not survive interpreter shutdown."""
    try:
        code = tool.main()
        sys.stdout.flush()
        sys.stderr.flush()
    except BrokenPipeError:  # as in `morok-opt ... | head`
        code = 1
    os._exit(code)


def main() -> None:
    run_tool(MorokOpt())


if __name__ == "__main__":
    main()
