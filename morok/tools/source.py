"""The text that a tool reads: its parts, and the module that a part holds with locations that name the file."""
from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from mlir import ir

from .diagnostics import UNNAMED, ToolError

SEPARATOR = "// -----"
BYTECODE = b"ML\xefR"
MAX_NESTING = 1000
"""Brackets within brackets that a text may have: MLIR's parser and printer are recursive, and 5000 nested regions overflow the stack."""


@dataclass
class Chunk:
    """One module's text within the input. As many empty lines as stand before it in the file begin it, so that lines are counted right."""

    file: str
    data: bytes
    line: int = 1
    """The file's line that the text begins at."""
    pipeline: str | None = None
    """What a reproducer asks to run."""

    @property
    def is_bytecode(self) -> bool:
        return self.data.startswith(BYTECODE)

    @property
    def text(self) -> str:
        return self.data.decode(errors="replace")


def read_file(path: str, stdin: IO[bytes] | None = None) -> tuple[str, bytes]:
    """A file's name in diagnostics, and its bytes; `-` is standard input."""
    if path == "-":
        return "<stdin>", (stdin or sys.stdin.buffer).read()
    try:
        return path, Path(path).read_bytes()
    except (OSError, ValueError) as error:
        raise ToolError(f"cannot open input file '{path}': {getattr(error, 'strerror', None) or error}") from None


def split(file: str, data: bytes, separator: str) -> list[Chunk]:
    """The parts between separator lines."""
    chunks: list[Chunk] = []
    start = 1
    lines: list[bytes] = []
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


_CUSTOM_FORM = re.compile(rb"^[ \t]*(?:%[^=\"\n]*=[ \t]*)?(morok\.\w+)", re.MULTILINE)


def custom_form(data: bytes) -> tuple[str, int, int] | None:
    """Name, line and column of the first op of ours that is not in generic form, if any. MLIR refuses one without saying why: a dialect that
    IRDL defines has no parsers."""
    found = _CUSTOM_FORM.search(data)
    return None if found is None else (found[1].decode(), *_position(data, found.start(1)))


_OPENING, _CLOSING = b"([{<", b")]}>"
_NOT_BRACKETS = bytes(b for b in range(256) if b not in _OPENING + _CLOSING)


def nesting_error(data: bytes) -> tuple[int, int] | None:
    """Line and column of the bracket (or minus sign) that is nested too deeply, if any. Those in comments and strings count too, which only
    matters in a text that means to be nested."""
    signs = data.find(b"-" * MAX_NESTING)
    if signs >= 0:
        return _position(data, signs)
    brackets = data.replace(b"->", b"").translate(None, _NOT_BRACKETS)
    if sum(brackets.count(b) for b in _OPENING) <= MAX_NESTING:
        return None
    depth = 0
    for i, bracket in enumerate(data):
        if bracket in _OPENING:
            depth += 1
            if depth > MAX_NESTING:
                return _position(data, i)
        elif bracket in _CLOSING and not (bracket == _CLOSING[3] and i and data[i - 1] == 0x2D):
            depth = max(0, depth - 1)
    return None


_COMMENT_OR_STRING = re.compile(rb'//[^\n]*|"((?:[^"\\\n]|\\.)*)"(?P<call>(?:\s|//[^\n]*)*\()?')


def nameless_op(data: bytes) -> tuple[int, int] | None:
    """Line and column of an op in generic form whose name ends with the dialect's dot, if any: MLIR's parser aborts the process on `"func."()`."""
    if b'."' not in data and b'\\2' not in data:
        return None
    for match in _COMMENT_OR_STRING.finditer(data):
        if match["call"] and re.search(rb"(\.|\\2[eE])$", match[1]):
            return _position(data, match.start())
    return None


def _position(data: bytes, i: int) -> tuple[int, int]:
    return data.count(b"\n", 0, i) + 1, i - data.rfind(b"\n", 0, i)
