"""The examples in docstrings run; where a comment names shapes ("(2, 3) of (6,)") or values, they are right."""

import ast
import re
import textwrap

import numpy as np
import pytest

import morok.tensor.core
import morok.tensor.variable
from morok import Tensor, Variable, dtypes


def examples():
    """The indented lines of each docstring: one program each."""
    owners = [*Tensor.__mro__[:-1], Variable]
    for owner in owners:
        for name, member in vars(owner).items():
            function = getattr(member, "__func__", getattr(member, "fget", member))
            doc = getattr(function, "__doc__", None) if callable(function) else None
            for number, block in enumerate(re.findall(r"(?:^ {12}\S.*\n(?:^ {12,}.*\n)*)", doc or "", re.MULTILINE)):
                yield pytest.param(textwrap.dedent(block), id=f"{owner.__name__}.{name}-{number}")


def namespace(shape):
    n = Variable("n", 1, 8)
    numbers = np.arange(max(1, int(np.prod(shape))), dtype=np.float32)[: int(np.prod(shape))].reshape(shape)
    x = Tensor(numbers)
    return {
        "Tensor": Tensor,
        "Variable": Variable,
        "dtypes": dtypes,
        "n": n,
        "x": x,
        "y": x + 1,
        "z": x * 2,
        "a": Tensor(numbers),
        "b": Tensor(numbers),
        "array": numbers,
        "index": Tensor(np.zeros(shape, np.int64)),
        "weight": Tensor(np.ones(8, np.float32)),
        "bias": Tensor(np.ones(8, np.float32)),
        "w": Tensor(np.ones((3, 2, 3, 3), np.float32)) if len(shape) == 4 else Tensor(np.ones((shape[-1], 2), np.float32)),
    }


SHAPES = {
    "2d(": (1, 2, 8, 8),
    "einsum": (2, 3, 3),
    "layer_norm": (2, 8),
    "n.bind": (8, 3),
    "permute(2": (2, 3, 4),
    "(0, 2), keepdim": (2, 3, 4),
    "split([1": (4, 3),
    "reshape(2": (6,),
}
"""Shapes that some examples need of x; (2, 3) for the others."""


@pytest.mark.parametrize("program", list(examples()))
def test_example(program):
    of = re.search(r"# *(\(.*\)) of (\(.*\))", program)
    shape = ast.literal_eval(of[2]) if of else next((s for key, s in SHAPES.items() if key in program), (2, 3))
    names = namespace(shape)
    lines = program.splitlines()
    for statement in ast.parse(program).body:
        code = ast.get_source_segment(program, statement)
        comment = lines[statement.end_lineno - 1][statement.end_col_offset :].partition("#")[2].strip()
        if not isinstance(statement, ast.Expr):
            exec(code, names)
            continue
        result = eval(code, names)
        of = re.match(r"(\(.*\)) of (\(.*\))", comment)
        if of:
            assert result.shape == ast.literal_eval(of[1])
        elif comment.startswith("["):
            assert (result.tolist() if hasattr(result, "tolist") else result) == ast.literal_eval(comment)
        elif comment.startswith("("):
            assert result == ast.literal_eval(comment)


def test_there_are_examples():
    assert len(list(examples())) > 40
    assert "Errors" in morok.tensor.core.TensorCore.__init__.__doc__ and "execute_with_vars" in Variable.__doc__
