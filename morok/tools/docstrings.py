"""The parts of a public docstring. The convention:

    The first sentence says what it is. Sentences on shapes and dtypes follow. A sentence with the name of an error class is an error case.

        an_example([1.0, 2.0])      # an indented block is an example
"""
from __future__ import annotations

import re
from dataclasses import dataclass

ERROR = re.compile(r"\b[A-Z]\w*Error\b|Errors are|Errors:")
ELSEWHERE = re.compile(r"Errors are those of (Tensor\.\w+)\.")
FLOW = re.compile(r"(?<!\n)\n(?!\n)")


@dataclass(frozen=True)
class Docstring:
    summary: str
    description: list[str]
    """Paragraphs on shapes, dtypes, meaning, without the sentences on errors."""
    errors: list[str]
    examples: list[str]
    errors_of: str | None
    """The method ("Tensor.exp") that these errors are described at."""


def parts(text: str) -> Docstring:
    """A docstring without the indentation of its code, taken apart."""
    paragraphs: list[str] = []
    examples: list[str] = []
    for block in re.split(r"\n[ ]*\n", text.strip("\n")):
        if block.startswith("    "):
            examples.append("\n".join(line[4:] for line in block.splitlines()))
        elif block.strip():
            paragraphs.append(block)
    elsewhere = ELSEWHERE.search(" ".join(FLOW.sub(" ", p) for p in paragraphs))
    sentences = [_sentences(p) for p in paragraphs]
    first = sentences[0][0] if sentences else ""
    if sentences:
        sentences[0] = sentences[0][1:]
    plain = [[s for s in found if not ERROR.search(s)] for found in sentences]
    errors = [s for found in sentences for s in found if ERROR.search(s) and not ELSEWHERE.search(s)]
    return Docstring(first, [" ".join(p) for p in plain if p], errors, examples, elsewhere[1] if elsewhere else None)


def _sentences(paragraph: str) -> list[str]:
    if re.search(r"^ *[-*|] ", paragraph, re.MULTILINE):
        return [paragraph]
    flowing = " ".join(line.strip() for line in paragraph.splitlines())
    found: list[str] = []
    for piece in re.split(r"(?<=[.!?])(?<!e\.g\.)(?<!i\.e\.)(?<!\.\.\.) +(?=[A-Z`\[(0-9])", flowing):
        if found and (found[-1].count("(") > found[-1].count(")") or found[-1].count("`") % 2):
            found[-1] += " " + piece  # a full stop within brackets or code ends no sentence
        else:
            found.append(piece)
    return found
