"""The text of a pipeline: its syntax, without meaning. `pipeline.py` makes passes of it.

    builtin.module(morok-rangeify,func.func(morok-apply-opts{opts="UPCAST(0,4)"},canonicalize),cse)
"""
from __future__ import annotations

import re
from dataclasses import dataclass

from .upstream import PipelineError

MODULE = "builtin.module"
MAX_NESTING = 64


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
