"""morok-compile: lowers a module in any form all the way and writes LLVM IR, assembly or an object file.

    morok-compile softmax.mlir --emit=obj -o softmax.o
    morok-compile softmax.mlir --emit=mlir --form=loops        the IR on the way

The result defines the module's kernels, with the parameters that docs/architecture.md gives; launching them in order is the runtime's work,
so `@main` of the forms from tensor to kernel is not in it.
"""
from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence

import llvmlite.binding as llvm

from ..codegen.llvm import LOWERING
from ..codegen.object_code import Passes
from ..codegen.target import Target, initialise
from ..dialect import types as T
from ..graph.body import Program
from ..passes.codegen.pipeline import codegen_passes
from ..passes.instrumentation import EveryPass, PrintIR, VerifyEach
from ..passes.pipeline import Instrumentation, Step, parse_pipeline
from ..passes.registry import make_pass
from ..passes.upstream import capturing_stderr
from ..passes.verify.forms import verify_form
from .diagnostics import Collector, Diagnostic, ToolError
from .flags import TEXT
from .source import Chunk, read_file
from .tool import Failed, Tool, from_dialect, run_tool
from .translation import llvm_ir

EMISSIONS = ("mlir", "llvm", "asm", "obj")
STAGES = ("tensor", "range", "kernel", "optimised", "loops", "llvm")
"""The forms that a module passes through here; vector form is inside the step to loops."""


class MorokCompile(Tool):
    """The tool."""

    name = "morok-compile"
    overview = "Lowers a module of any form to LLVM IR, assembly or an object file."
    usage = "[flags] [input file, - for standard input]"

    def register_flags(self) -> None:
        super().register_flags()
        self.register_flag("emit", f"what to write: {', '.join(EMISSIONS)} (default llvm)", TEXT, "kind", "llvm")
        self.register_flag("form", f"with --emit=mlir, the form to stop at: {', '.join(STAGES[1:])} (default llvm)", TEXT, "form")
        self.register_flag("mcpu", "the CPU to compile for, as LLVM names it (default: this machine's)", TEXT, "cpu")
        self.register_flag("opts", "the schedule of every kernel instead of the heuristic's, as morok.opts shows it", TEXT, "opts")
        self.register_flag("threads", "how many threads are to share a kernel, which the heuristic's schedule depends on (default 1)", TEXT, "n", "1")
        self.register_flag("mlir-print-ir-after-all", "print the module after each pass")

    def run(self) -> int:
        emit, form = self.options.text("emit") or "", self.options.text("form")
        if emit not in EMISSIONS:
            raise ToolError(f"--emit: takes {', '.join(EMISSIONS)}, not '{emit}'")
        if form is not None and form not in STAGES[1:]:
            raise ToolError(f"--form: takes {', '.join(STAGES[1:])}, not '{form}'")
        if form is not None and emit != "mlir":
            raise ToolError("--form goes with --emit=mlir")
        threads = self.options.text("threads") or ""
        if not threads.isdecimal() or int(threads) < 1:
            raise ToolError(f"--threads: takes a whole number from 1, not '{threads}'")
        if self.options.others:
            raise ToolError(f"unknown flag '--{self.options.others[0][0]}'; see --help")
        if emit == "obj" and self.options.text("o") is None and self.stdout.isatty():
            raise ToolError("--emit=obj writes a binary file, and standard output is a terminal; give -o <file>, or -o - to write it there")
        target = target_for(self.options.text("mcpu"))
        chunk = Chunk(*read_file(self.options.inputs[0] if self.options.inputs else "-", self.stdin))
        dialect = self.make_context()
        with Collector(dialect.context, chunk.file) as collector:
            program = Program(dialect, self.parse(chunk, dialect, collector))
            self.lower(chunk, program, form or "llvm", target, collector)
            if emit == "mlir":
                self.write_output(f"{program.module}\n".encode())
                return 0
            text = self.translate(chunk, program, collector)
        self.write_output(self.emit(text, emit, target))
        return 0

    def lower(self, chunk: Chunk, program: Program, goal: str, target: Target, collector: Collector) -> None:
        """Brings the program from whatever form it has to the form `goal`."""
        begin = form_of(program)
        if begin in STAGES and STAGES.index(begin) > STAGES.index(goal):
            raise ToolError(f"{chunk.file} is in {begin} form, beyond --form={goal}")
        problems = verify_form(program, begin)
        if problems:
            raise Failed([from_dialect(problem) for problem in problems])
        instrumentation: list[Instrumentation] = []
        if self.options.on("mlir-print-ir-after-all"):
            instrumentation.append(PrintIR(self.stderr, lambda program: str(program.module), after_passes=EveryPass()))
        if self.options.on("verify-each"):
            instrumentation.append(VerifyEach(lambda program: self.check_output(program, collector)))
        for stage, steps in lowering(begin, goal, target, self.options.text("opts") or "", int(self.options.text("threads") or 1)):
            if stage == "llvm":
                drop_launches(program)
            self.run_passes(chunk, program, steps, collector, instrumentation)

    def translate(self, chunk: Chunk, program: Program, collector: Collector) -> str:
        """LLVM IR text of a program in llvm form."""
        before = len(collector.errors)
        left = verify_form(program, "llvm")
        if left:
            # Functions and casts are left over because of the ops that are.
            telling = min(left, key=lambda d: d.message.startswith(("'func.", "'builtin.")))
            raise Failed([from_dialect(dataclasses.replace(telling, message=f"{telling.message}; lower it with morok-opt first"))])
        text = llvm_ir(program.module)
        if text is None:
            raise Failed(collector.errors[before:] or [Diagnostic("error", "cannot be translated to LLVM IR", chunk.file, 1, 1)])
        return text

    def emit(self, text: str, kind: str, target: Target) -> bytes:
        """LLVM IR text, optimised and as machine code unless the kind is llvm."""
        if kind == "llvm":
            return text.encode()
        machine = machine_for(target.triple, target.cpu, target.features)
        try:
            module = llvm.parse_assembly(text)
            module.verify()
        except RuntimeError as error:
            raise ToolError(f"the LLVM IR is not valid: {error}") from None
        module.triple, module.data_layout = machine.triple, str(machine.target_data)
        manager, builder = Passes.needed(text).managers(machine)
        manager.run(module, builder)
        return machine.emit_object(module) if kind == "obj" else machine.emit_assembly(module).encode()


def form_of(program: Program) -> str:
    """The form that a program has, judged by its ops; `verify_form` says whether it is one."""
    kernels = program.kernels()
    if kernels:
        if any("morok.opts" in kernel.attributes for kernel in kernels):
            return "optimised" if verify_form(program, "vector") else "vector"
        return "vector" if verify_form(program, "kernel") and not verify_form(program, "vector") else "kernel"
    ops = [u for body in program.bodies.values() for u in (*body.arguments, *body.order())]
    if ops and all(u.name != "kernel" for u in ops):  # a launch without kernels of ours: they are in loops form already
        return "tensor" if any(isinstance(u.type, T.TensorType) for u in ops) else "range"
    names = {op.operation.name for op in program.module.body.operations}
    return "llvm" if names and all(name.startswith("llvm.") for name in names) else "loops"


def lowering(begin: str, goal: str, target: Target, opts: str, threads: int) -> Iterator[tuple[str, Sequence[Step]]]:
    """For each form on the way the passes that lead to it."""
    schedule = make_pass("morok-apply-opts", {"opts": opts, **target.schedule_options(threads)})
    steps: dict[str, Sequence[Step]] = {
        "range": parse_pipeline("morok-rangeify"), "kernel": parse_pipeline("morok-split"), "optimised": [schedule],
        "loops": codegen_passes(target.vector_bits), "llvm": parse_pipeline(",".join(LOWERING)),
    }
    first = STAGES.index("optimised" if begin == "vector" else begin) + 1
    for stage in STAGES[first:STAGES.index(goal) + 1]:
        yield stage, steps[stage]


def drop_launches(program: Program) -> None:
    """Leaves out the functions that launch kernels."""
    for name in [name for name, body in program.bodies.items() if not body.is_kernel]:
        del program.bodies[name]


def machine_for(triple: str, cpu: str, features: str) -> llvm.TargetMachine:
    initialise()
    return llvm.Target.from_triple(triple).create_target_machine(cpu=cpu, features=features, opt=3, reloc="pic", codemodel="default")


PROBE = """
define void @f(ptr %p) {
  %x = load <16 x float>, ptr %p
  %y = fadd <16 x float> %x, %x
  store <16 x float> %y, ptr %p
  ret void
}
"""


def target_for(cpu: str | None) -> Target:
    """The target of that name, None for this machine; its vector width is what its code for a wide addition shows."""
    host = Target.host()
    if cpu is None or cpu in ("native", host.cpu):
        return host
    # LLVM ends the process over a CPU without 64-bit mode, which it takes an unknown one to be.
    features = "+64bit" if host.triple.startswith("x86_64") else ""
    with capturing_stderr() as printed:
        machine = machine_for(host.triple, cpu, features)
        assembly = machine.emit_assembly(llvm.parse_assembly(PROBE))
        complaint = printed()
    if "not a recognized processor" in complaint:
        raise ToolError(f"--mcpu: LLVM knows no CPU '{cpu}' for {host.triple}")
    bits = 512 if "zmm" in assembly else 256 if "ymm" in assembly else 128
    registers = 32 if bits == 512 else 16 if host.triple.startswith("x86_64") else host.vector_registers
    return dataclasses.replace(host, cpu=cpu, features=features, vector_bits=bits, vector_registers=registers)


def main() -> None:
    run_tool(MorokCompile())


if __name__ == "__main__":
    main()
