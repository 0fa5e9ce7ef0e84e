"""Diagnostics of the tools: collected from MLIR's context and from our passes, printed as `file:line:column: error: message`, or compared
with what a test's comments expect (`--verify-diagnostics`).
"""
from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from mlir import ir

KINDS = ("error", "warning", "remark", "note")
UNNAMED = "-"
"""The file name that MLIR gives to text parsed from memory."""


class ToolError(Exception):
    """What stops a tool before or outside any IR: printed as `tool: error: message`."""


@dataclass(frozen=True)
class Diagnostic:
    """`line` and `column` count from 1; `file` is None where the place is unknown."""

    kind: str
    message: str
    file: str | None = None
    line: int = 0
    column: int = 0
    notes: tuple[Diagnostic, ...] = ()

    def text(self, tool: str) -> str:
        """One line, headed by the place or, if that is unknown, by the tool."""
        place = f"{self.file}:{self.line}:{self.column}" if self.file is not None else tool
        return f"{place}: {self.kind}: {self.message}"

    def of_pass(self, pass_name: str) -> Diagnostic:
        """The same, headed by the pass where neither a place nor the message tells where it comes from."""
        if self.file is not None or pass_name in self.message:
            return self
        return replace(self, message=f"{pass_name}: {self.message}")

    def within(self, pass_name: str) -> Diagnostic:
        """The same, saying which pass reports it."""
        return self if pass_name in self.message else replace(self, message=f"{self.message} (in pass {pass_name})")


def file_location(location: ir.Location) -> tuple[str, int, int] | None:
    """The first file, line and column in a location of any kind."""
    pending = [location]
    while pending:
        place = pending.pop()
        if place.is_a_file():
            return place.filename, place.start_line, place.start_col
        if place.is_a_name():
            pending.append(place.child_loc)
        elif place.is_a_callsite():
            pending += [place.caller, place.callee]
        elif place.is_a_fused():
            pending += reversed(place.locations)
    return None


_SEVERITY = {ir.DiagnosticSeverity.ERROR: "error", ir.DiagnosticSeverity.WARNING: "warning", ir.DiagnosticSeverity.REMARK: "remark",
             ir.DiagnosticSeverity.NOTE: "note"}
_CURRENT = "see current operation: "


def from_mlir(diagnostic: Any, file: str) -> Diagnostic:
    """Ours of MLIR's, which lives only while its handler runs; `file` is the name of the text parsed from memory."""
    notes = tuple(from_mlir(note, file) for note in diagnostic.notes)
    message = " ".join(_text(diagnostic).split())
    if message.startswith("op "):  # IRDL's messages leave the op's name out
        name = next((m[1] for note in notes if (m := re.match(_CURRENT + r'(?:%\S+ = )?"([^"]+)"', note.message))), None)
        message = f"'{name}' {message}" if name else message
    if message.startswith("failed to legalize operation"):  # of which types?
        current = next((note.message for note in notes if note.message.startswith(_CURRENT)), "")
        signature = re.search(r" : (\([^:{}]*\) -> [^:{}]*)$", current)
        message += f" : {signature[1]}" if signature else ""
    place = file_location(diagnostic.location)
    notes = tuple(note for note in notes if not note.message.startswith(_CURRENT))
    if place is None or place[1] == 0 and place[0] in (UNNAMED, ""):
        return Diagnostic(_SEVERITY[diagnostic.severity], message, notes=notes)
    return Diagnostic(_SEVERITY[diagnostic.severity], message, file if place[0] == UNNAMED else place[0], place[1], place[2], notes)


def _text(diagnostic: Any) -> str:
    """The message. The bindings cannot hand over one that quotes bytes that are no UTF-8."""
    try:
        return diagnostic.message
    except (RuntimeError, UnicodeDecodeError):
        return "the text here is not UTF-8"


_PLACE = re.compile(r"^(?P<file>[^\n:]*[^\s:][^\n:]*):(?P<line>\d+):(?P<column>\d+): (?:error: )?(?P<message>.*)$", re.DOTALL)


def from_text(message: str) -> Diagnostic:
    """An error whose message may start with its place, as those of our passes do."""
    found = _PLACE.match(message)
    text = " ".join((found["message"] if found else message).split())
    return Diagnostic("error", text, found["file"], int(found["line"]), int(found["column"])) if found else Diagnostic("error", text)


class Collector:
    """Collects a context's diagnostics while entered, errors too (then MLIRError carries none)."""

    def __init__(self, context: ir.Context, file: str) -> None:
        self.context, self.file = context, file
        self.found: list[Diagnostic] = []

    def __enter__(self) -> Collector:
        self.context.emit_error_diagnostics = True
        self._handler = self.context.attach_diagnostic_handler(self._receive)
        return self

    def __exit__(self, *exception: object) -> None:
        self._handler.detach()
        self.context.emit_error_diagnostics = False

    def _receive(self, diagnostic: Any) -> bool:
        self.found.append(from_mlir(diagnostic, self.file))
        return True

    @property
    def errors(self) -> list[Diagnostic]:
        return [d for d in self.found if d.kind == "error"]


# Expectations

@dataclass
class Expectation:
    """One `expected-error {{...}}`: `at` is its own line, `line` the one that it speaks of (None: an unknown place)."""

    kind: str
    at: int
    line: int | None
    text: str
    pattern: re.Pattern[str] | None = None
    met: bool = False

    def accepts(self, diagnostic: Diagnostic) -> bool:
        if self.met or self.kind != diagnostic.kind or self.line != (diagnostic.line if diagnostic.file is not None else None):
            return False
        return self.pattern.search(diagnostic.message) is not None if self.pattern else self.text in diagnostic.message


_EXPECTED = re.compile(r"expected-(error|warning|remark|note)(-re)? *(?:@([+-]\d+|above|below|unknown))? *\{\{(.*)\}\}\s*$")


def expectations(lines: list[str], first: int = 1) -> list[Expectation]:
    """Those in a text whose first line has the number `first`. `@above` and `@below` skip lines that hold expectations."""
    found: list[Expectation] = []
    waiting: list[Expectation] = []
    last_other = first - 1
    for number, line in enumerate(lines, first):
        match = _EXPECTED.search(line)
        if match is None:
            last_other = number
            for expectation in waiting:
                expectation.line = number
            waiting = []
            continue
        kind, regular, where, text = match.groups()
        expectation = Expectation(kind, number, number, text, _pattern(text) if regular else None)
        if where == "below":
            waiting.append(expectation)
        elif where == "above":
            expectation.line = last_other
        elif where == "unknown":
            expectation.line = None
        elif where:
            expectation.line = number + int(where)
        found.append(expectation)
    return found


def _pattern(text: str) -> re.Pattern[str]:
    """Literal text but for the regular expressions in `{{...}}`."""
    parts = re.split(r"\{\{(.*?)\}\}", text)
    try:
        return re.compile("".join(f"(?:{part})" if i % 2 else re.escape(part) for i, part in enumerate(parts)))
    except re.error as error:
        raise ToolError(f"bad regular expression in expected diagnostic '{text}': {error}") from None


def unmet(expected: list[Expectation], produced: Iterable[Diagnostic], file: str) -> list[Diagnostic]:
    """What differs: diagnostics that nothing expects, and expectations that no diagnostic meets."""
    wrong: list[Diagnostic] = []
    for diagnostic in produced:
        for d in (diagnostic, *diagnostic.notes):
            match = next((e for e in expected if e.accepts(d)), None)
            if match is not None:
                match.met = True
            else:
                wrong.append(Diagnostic("error", f"unexpected {d.kind}: {d.message}", d.file, d.line, d.column))
    wrong += [Diagnostic("error", f'expected {e.kind} "{e.text}" was not produced', file, e.at, 1) for e in expected if not e.met]
    return wrong
