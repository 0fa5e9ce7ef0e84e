"""Programs from MLIR text. `#12` stands for the index constant 12; `ptr` and `local` for pointers to f32 in global and scratch memory."""

import re

import pytest
from mlir import ir

from morok.dialect.context import shared_context
from morok.graph.body import Program
from morok.interpret import interpret


def expand(text: str) -> str:
    """The text with its abbreviations written out; the constants stand at the head of each function."""
    text = re.sub(r"\bptr\b(?!<)", '!morok.ptr<f32, "global">', text)
    text = re.sub(r"\blocal\b(?![\"'])", '!morok.ptr<f32, "local">', text)
    functions = re.split(r"(?=func\.func)", text)
    return "".join(_with_constants(function) for function in functions)


def _with_constants(function: str) -> str:
    numbers = sorted(set(re.findall(r"#(\d+)", function)))
    constants = "".join(f'%c{n} = "morok.const"() {{value = {n} : index}} : () -> index\n' for n in numbers)
    function = re.sub(r"#(\d+)", r"%c\1", function)
    head, brace, body = function.partition("{\n")
    return head + brace + constants + body if constants else function


@pytest.fixture
def parse():
    """parse(text) gives the program."""
    def parse(text):
        dialect = shared_context()
        return Program(dialect, ir.Module.parse(expand(text), dialect.context))
    return parse


@pytest.fixture
def run(parse):
    """run(text, inputs...) gives the results of @main; keywords are variables."""
    def run(text, *inputs, function="main", **variables):
        return interpret(parse(text), function, list(inputs), variables)
    return run
