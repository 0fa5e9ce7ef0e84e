"""What can watch a pipeline: printing IR, a folder of IR files, timing, verifying. `Several` puts them together."""
from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO

from ..errors import MorokError
from ..graph.body import Program
from .pipeline import CompositePass, Instrumentation, Step
from .registry import Pass

Printer = Callable[[Program], str]


def title(step: Step) -> str:
    """`SplitRanges (morok-split-ranges)`, as MLIR heads its dumps."""
    name = type(step).__name__ if isinstance(step, Pass) else "".join(part.capitalize() for part in step.name.split("-"))
    return f"{name} ({step.name})"


class EveryPass:
    """A set of pass names that holds them all."""

    def __contains__(self, name: object) -> bool:
        return True


class Several(Instrumentation):
    """Instrumentations as if each were nested in the one after it: before a pass the last comes first, after it the first."""

    def __init__(self, parts: Sequence[Instrumentation], verify: bool = True) -> None:
        self.parts, self.verify = parts, verify

    def before(self, step: Step, program: Program) -> None:
        for part in reversed(self.parts):
            part.before(step, program)

    def after(self, step: Step, program: Program) -> None:
        for part in self.parts:
            part.after(step, program)

    def failed(self, step: Step, program: Program, error: Exception) -> None:
        for part in self.parts:
            part.failed(step, program, error)


@dataclass
class PrintIR(Instrumentation):
    """Prints the module before and after the passes named. Where all are, a composite pass is shown through those that it is made of."""

    stream: TextIO
    printer: Printer
    before_passes: Collection[str] | EveryPass = ()
    after_passes: Collection[str] | EveryPass = ()
    only_changes: bool = False
    after_failure: bool = False
    _previous: list[str] = field(default_factory=list)

    def before(self, step: Step, program: Program) -> None:
        if self._wanted(step, self.before_passes):
            self._print("Before", step, self.printer(program))
        if self.only_changes:
            self._previous.append(self.printer(program))

    def after(self, step: Step, program: Program) -> None:
        unchanged = self.only_changes and self._previous.pop() == self.printer(program)
        if not unchanged and self._wanted(step, self.after_passes):
            self._print("After", step, self.printer(program))

    def failed(self, step: Step, program: Program, error: Exception) -> None:
        if self.only_changes:
            self._previous.pop()
        if self._wanted(step, self.after_passes) or self.after_failure and not isinstance(step, CompositePass):
            self._print("After", step, self.printer(program), " Failed")

    def _wanted(self, step: Step, names: Collection[str] | EveryPass) -> bool:
        return step.name in names and not (isinstance(names, EveryPass) and isinstance(step, CompositePass))

    def _print(self, when: str, step: Step, text: str, outcome: str = "") -> None:
        self.stream.write(f"// -----// IR Dump {when} {title(step)}{outcome} //----- //\n{text.rstrip()}\n\n\n")


class PrintTree(Instrumentation):
    """Writes the module after each pass to `builtin_module_no-symbol-name/<number>_<pass>.mlir` below a folder, as MLIR does; the passes of
    a composite are numbered below it (`2_0_morok-range-assignment`)."""

    def __init__(self, folder: Path, printer: Printer) -> None:
        self.folder, self.printer = folder / "builtin_module_no-symbol-name", printer
        self.folder.mkdir(parents=True, exist_ok=True)
        self._counters = [0]

    def before(self, step: Step, program: Program) -> None:
        self._counters.append(0)

    def failed(self, step: Step, program: Program, error: Exception) -> None:
        self._counters.pop()

    def after(self, step: Step, program: Program) -> None:
        self._counters.pop()
        number = "_".join(map(str, self._counters))
        (self.folder / f"{number}_{step.name}.mlir").write_text(self.printer(program).rstrip() + "\n")
        self._counters[-1] += 1


@dataclass
class Timing(Instrumentation):
    """Wall time of each pass, by name and in order; `measure` times what is no pass."""

    rows: list[tuple[int, str, float]] = field(default_factory=list)
    """(depth, name, seconds); a row stands before those inside it."""
    _open: list[tuple[int, float]] = field(default_factory=list)

    def _begin(self, name: str) -> None:
        self.rows.append((len(self._open), name, 0.0))
        self._open.append((len(self.rows) - 1, time.perf_counter()))

    def _end(self) -> None:
        row, begun = self._open.pop()
        depth, name, _ = self.rows[row]
        self.rows[row] = (depth, name, time.perf_counter() - begun)

    def before(self, step: Step, program: Program) -> None:
        self._begin(title(step))

    def after(self, step: Step, program: Program) -> None:
        self._end()

    def failed(self, step: Step, program: Program, error: Exception) -> None:
        self._end()

    @contextmanager
    def measure(self, name: str) -> Iterator[None]:
        self._begin(name)
        try:
            yield
        finally:
            self._end()

    def report(self) -> str:
        """The table, in MLIR's layout."""
        total = sum(seconds for depth, _, seconds in self.rows if depth == 0)
        rule = f"===-{'-' * 73}-==="
        lines = [rule, f"{'... Execution time report ...':^81}".rstrip(), rule, f"  Total Execution Time: {total:.4f} seconds", "",
                 "  ----Wall Time----  ----Name----"]
        for depth, name, seconds in [*self.rows, (0, "Total", total)]:
            lines.append(f"  {seconds:9.4f} ({seconds / (total or 1):6.1%})  {'  ' * depth}{name}")
        return "\n".join(lines) + "\n"


@dataclass
class VerifyEach(Instrumentation):
    """Checks the module after each of our passes; `check` raises on a module that does not verify. MLIR verifies after its own."""

    check: Callable[[Program], None]

    def after(self, step: Step, program: Program) -> None:
        if isinstance(step, Pass) and not isinstance(step, CompositePass):
            self.check(program)


class BadOutput(MorokError):
    """A pass left IR that does not verify."""


__all__ = ["BadOutput", "EveryPass", "PrintIR", "PrintTree", "Several", "Timing", "VerifyEach", "title"]
