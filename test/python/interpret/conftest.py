"""Programs from MLIR text, in the short spelling that these tests write."""

import re

import pytest
from mlir import ir

from morok.dialect.context import shared_context
from morok.graph.body import Program
from morok.interpret import interpret

GLOBAL = '!morok.ptr<{}, "global">'


def parse(text: str) -> Program:
    """The program of a module. `#12` in the text is the index constant 12, `idx(%b, %i)` an index op's result, `load %p` a load without gate."""
    dialect = shared_context()
    return Program(dialect, ir.Module.parse(text, dialect.context))


def index_constants(text: str, *values: int) -> str:
    """Lines that define %0, %1, ... for the numbers used."""
    return "\n".join(f'%c{v} = "morok.const"() {{value = {v} : index}} : () -> index' for v in values) + text


@pytest.fixture
def run():
    """run(text, inputs...) gives the results of @main."""
    def run(text, *inputs, function="main", **variables):
        return interpret(parse(text), function, list(inputs), variables)
    return run


def shorten(text: str) -> str:
    return re.sub(r"\s+", " ", text)
