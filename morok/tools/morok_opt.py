"""morok-opt: reads MLIR, runs passes on it, prints the result. Our passes and upstream's mix in one pipeline.

    morok-opt in.mlir --morok-split-ranges --canonicalize
    morok-opt in.mlir -p 'morok-rangeify,func.func(canonicalize),cse' --mlir-print-ir-after-all

`MorokOpt` is a class that another package extends (docs/extending.md): override `register_flags`, `register_passes`, `register_dialects`,
or any step of `main`.
"""
from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from mlir import ir

from ..dialect.context import DialectContext
from ..graph.body import Body, Program
from ..passes.instrumentation import EveryPass, PrintIR, PrintTree, Timing, VerifyEach
from ..passes.pipeline import Instrumentation, PipelineError, Step, parse_elements, resolve
from ..passes.pipeline_text import Element
from ..passes.registry import PASSES, load_passes
from ..passes.reproducer import strip_reproducer
from ..passes.upstream import UpstreamPass, is_upstream, suggestion
from ..passes.verify.forms import holds_form
from .diagnostics import Collector, Diagnostic, ToolError, expectations, file_location, unmet
from .flags import OPTIONAL_TEXT, TEXT, Parsed
from .listing import dialect_names, pass_list, pass_summaries
from .roundtrip import bytecode, roundtrip_error
from .source import BYTECODE, SEPARATOR, Chunk, read_file, split
from .tool import Failed, Tool, run_tool


class MorokOpt(Tool):
    """The tool."""

    name = "morok-opt"
    overview = "Runs passes of morok and of upstream MLIR on a module."
    usage = "[flags] [passes] [input file, - for standard input]"

    ordered_flags = ("p", "pass-pipeline")

    # What other packages extend

    def register_flags(self) -> None:
        super().register_flags()
        flag = self.register_flag
        flag("pass-pipeline", "passes to run: 'builtin.module(a,func.func(b{k=v}),c)'", TEXT, "pipeline")
        flag("p", "the same, without builtin.module: 'a,b{k=v}'", TEXT, "pipeline")
        flag("list-passes", "list all passes with their options")
        flag("show-dialects", "list the dialects known")
        flag("split-input-file", f"treat parts separated by '{SEPARATOR}' lines as modules of their own", OPTIONAL_TEXT, "separator")
        flag("verify-diagnostics", "compare diagnostics with the expected-error {{...}} comments of the input")
        flag("verify-roundtrip", "check that the printed forms and the bytecode read back as the same module")
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

    # A run

    def show_information(self) -> bool:
        if self.options.on("help"):
            self.register_passes()
            super().show_information()
            self.stdout.write("\n" + pass_summaries())
            return True
        if self.options.on("list-passes"):
            self.register_passes()
            self.stdout.write(pass_list())
            return True
        if self.options.on("show-dialects"):
            self.stdout.write(f"Available Dialects: {','.join(dialect_names(self.make_context()))}\n")
            return True
        return super().show_information()

    def run(self) -> int:
        self.register_passes()
        steps = self.parse_passes(self.options)
        self.timing = Timing()
        outputs: list[bytes] = []
        failed = False
        for chunk in self.read_input():
            output, succeeded = self.process(chunk, steps)
            failed |= not succeeded
            if output is not None:
                outputs.append(output)
        if self.options.on("mlir-timing"):
            self.stderr.write(self.timing.report())
        if not failed or outputs and self.options.text("o") is None:
            self.write_output(f"{SEPARATOR}\n".encode().join(outputs))
        return int(failed)

    def parse_passes(self, options: Parsed) -> list[Step]:
        """The passes of the command line, from flags and pipelines in their order."""
        steps: list[Step] = []
        for name, value in options.others:
            if name in self.ordered_flags:
                steps += parse_steps(f"-{name}" if len(name) == 1 else f"--{name}", value or "")
            elif name in PASSES or is_upstream(name):
                steps += self.parse_pass_flag(name, value or "")
            else:
                raise ToolError(f"unknown flag or pass '--{name}'{suggestion(name, tuple(self.flags))}")
        for flag_name in ("mlir-print-ir-before", "mlir-print-ir-after"):
            for name in _names(options.text(flag_name)):
                if name not in PASSES and not is_upstream(name):
                    raise ToolError(f"--{flag_name}: unknown pass '{name}'{suggestion(name)}")
        return steps

    def parse_pass_flag(self, name: str, options: str) -> list[Step]:
        """The pass of a flag `--name='key=value ...'`."""
        try:
            elements = parse_elements(f"{name}{{{options}}}")
            if len(elements) != 1 or elements[0].options != options:
                raise PipelineError("unbalanced braces in the options")
            return resolve([Element(name, 1, options, 1)])
        except PipelineError as error:
            raise ToolError(f"--{name}: {error.message}") from None

    def read_input(self) -> list[Chunk]:
        """The modules of the input file (`-` or none: standard input)."""
        options = self.options
        file, data = read_file(options.inputs[0] if options.inputs else "-", self.stdin)
        separator = options.text("split-input-file")
        whole = separator is None or data.startswith(BYTECODE)
        chunks = [Chunk(file, data)] if whole else split(file, data, separator or SEPARATOR)
        for chunk in chunks:
            if b"mlir_reproducer" in chunk.data and not chunk.is_bytecode:
                text, chunk.pipeline = strip_reproducer(chunk.text)
                chunk.data = text.encode()
            if options.on("run-reproducer") and chunk.pipeline is None:
                raise ToolError(f"{file} holds no pipeline to replay")
        return chunks

    def process(self, chunk: Chunk, steps: Sequence[Step]) -> tuple[bytes | None, bool]:
        """Runs the passes on one module: its output (None if there is none) and whether all is well. Prints the diagnostics."""
        output: bytes | None = None
        dialect = self.make_context()
        with Collector(dialect.context, chunk.file) as collector:
            try:
                output = self.compile(chunk, steps, dialect, collector)
                found = collector.found
            except Failed as failed:
                found = [d for d in collector.found if d.kind != "error"] + failed.diagnostics
        if self.options.on("verify-diagnostics"):
            wrong = unmet(expectations(chunk.text.split("\n")), found, chunk.file)
            self.report(wrong)
            return output, not wrong
        # One error for a module: what MLIR reports after the first mostly follows from it.
        errors = [d for d in found if d.kind == "error"] if output is None else []
        self.report([d for d in found if d.kind != "error"] + errors[:1])
        return output, output is not None

    def compile(self, chunk: Chunk, steps: Sequence[Step], dialect: DialectContext, collector: Collector) -> bytes:
        """Parses, verifies, runs the passes, prints. Raises Failed."""
        with self.timing.measure("Parser"):
            module = self.parse(chunk, dialect, collector)
        if chunk.pipeline is not None and self.options.on("run-reproducer"):
            steps = [*parse_steps("the reproducer's pipeline", chunk.pipeline), *steps]
        if self.options.on("verify-roundtrip"):
            wrong = roundtrip_error(module, dialect.context, collector)
            if wrong is not None:
                raise Failed([Diagnostic("error", f"--verify-roundtrip: {wrong}")])
        if steps:
            program = Program(dialect, module)
            self.run_passes(chunk, program, steps, collector, self.instrumentation(collector))
            module = program.module
        with self.timing.measure("Output"):
            return self.output(module)

    def instrumentation(self, collector: Collector) -> list[Instrumentation]:
        """What watches the passes, as the flags ask."""
        options = self.options
        parts: list[Instrumentation] = []
        if options.on("mlir-timing"):
            parts.append(self.timing)
        changes, failures = options.on("mlir-print-ir-after-change"), options.on("mlir-print-ir-after-failure")
        before = EveryPass() if options.on("mlir-print-ir-before-all") else _names(options.text("mlir-print-ir-before"))
        named = _names(options.text("mlir-print-ir-after"))
        after = EveryPass() if options.on("mlir-print-ir-after-all") or changes and not named else named
        if before or after or failures:
            parts.append(PrintIR(self.stderr, self.print_program, before, after, changes, failures))
        tree = options.text("mlir-print-ir-tree-dir")
        if tree is not None:
            try:
                parts.append(PrintTree(Path(tree), self.print_program))
            except OSError as error:
                raise ToolError(f"--mlir-print-ir-tree-dir: cannot write to '{tree}': {error.strerror}") from None
        parts.append(WrongForm(collector))
        if options.on("verify-each"):
            parts.append(VerifyEach(lambda program: self.check_output(program, collector)))
        return parts

    def reproducer_path(self) -> str | None:
        return self.options.text("mlir-pass-pipeline-crash-reproducer")

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
            return bytecode(module)
        return (self.print_module(module).rstrip("\n") + "\n\n").encode()


class WrongForm(Instrumentation):
    """Remarks that a pass which the user named left the module as it was because no function has the form that the pass takes. What a
    composite pass is made of may find nothing to do."""

    def __init__(self, collector: Collector) -> None:
        self.collector = collector
        self.depth = 0
        self.bodies: dict[str, Body] = {}

    def before(self, step: Step, program: Program) -> None:
        if self.depth == 0:
            self.bodies = dict(program.bodies)
        self.depth += 1

    def failed(self, step: Step, program: Program, error: Exception) -> None:
        self.depth -= 1

    def after(self, step: Step, program: Program) -> None:
        self.depth -= 1
        if self.depth or isinstance(step, UpstreamPass) or step.form == "any" or not _same(self.bodies, program.bodies):
            return
        functions = list(program.module.body.operations)
        if functions and not any(holds_form(body, step.form) for body in program.bodies.values()):
            message = f"{step.name}: no function here is in {step.form} form, which the pass takes; it changed nothing"
            place = file_location(functions[0].location)
            self.collector.found.append(Diagnostic("remark", message, *(place or ())))


def _same(before: dict[str, Body], after: dict[str, Body]) -> bool:
    """Whether the functions compute what they did; UOps of equal content are one object."""
    return before.keys() == after.keys() and all(body is after[name] or body.roots == after[name].roots for name, body in before.items())


def parse_steps(source: str, pipeline: str) -> list[Step]:
    """The passes of a pipeline that the user gave in `source`."""
    try:
        return resolve(parse_elements(pipeline))
    except PipelineError as error:
        where = source if error.column is None else f"{source}: column {error.column}"
        raise ToolError(f"{where}: {error.message}") from None


def _names(text: str | None) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip()) if text else ()


def main() -> None:
    run_tool(MorokOpt())


if __name__ == "__main__":
    main()
