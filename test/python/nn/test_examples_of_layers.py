"""The examples in the docstrings of layers and their functions run; where a comment names values or shapes, they are right."""

import ast
import inspect
import math
import re
import textwrap

import pytest

from morok import Tensor, nn

SHAPES = {"Transformer(16": (3, 2, 16), "TransformerEncoder(": (3, 2, 16), "TransformerDecoder(": (3, 2, 16), "Transformer": (2, 3, 16),
          "Multihead": (2, 3, 16), "Linear(64": (2, 64), "Conv2d(3": (1, 3, 4, 4)}
"""Shapes of x that some examples need; (2, 4) for the others."""


def examples():
    for where in (nn.functional, nn):
        for name in where.__all__:
            thing = getattr(where, name)
            if not callable(thing):
                continue
            members = [getattr(m, "__func__", m) for n, m in vars(thing).items() if not n.startswith("_")] if inspect.isclass(thing) else []
            documented = [thing, *(m for m in members if inspect.isfunction(m))]
            for part in documented:
                indent = 8 if part is thing else 12
                for i, block in enumerate(re.findall(rf"(?:^ {{{indent}}}\S.*\n(?:^ {{{indent},}}.*\n)*)", part.__doc__ or "", re.MULTILINE)):
                    yield pytest.param(textwrap.dedent(block), id=f"{name}-{getattr(part, '__name__', '')}-{i}")


class Owner(nn.Module):
    pass


def names_for(program):
    shape = next((s for key, s in SHAPES.items() if key in program), (2, 4))
    x = Tensor.ones(*shape)
    model = Owner()
    model.encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 1, 4), 1)
    return {"Tensor": Tensor, "nn": nn, "x": x, "memory": x, "source": x, "target": x, "images": x, "tokens": Tensor([[1, 2]]), "self": Owner(),
            "layer": nn.Linear(4, 4), "model": model, "logits": Tensor.zeros(2, 3), "labels": Tensor([0, 2])}


@pytest.mark.parametrize("program", list(examples()))
def test_example(program, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    if "safetensors" in program or "class Net" in program:
        ast.parse(program)
        return
    names = names_for(program)
    lines = program.splitlines()
    for statement in ast.parse(program).body:
        code = ast.get_source_segment(program, statement)
        comment = lines[statement.end_lineno - 1][statement.end_col_offset:].partition("#")[2].strip()
        exec(code, names) if not isinstance(statement, ast.Expr) else None
        result = eval(code, names) if isinstance(statement, ast.Expr) else None
        if result is not None and comment.startswith("["):
            assert _close(result.tolist(), eval(comment, {"inf": math.inf}))
        elif result is not None and re.match(r"\(\d[\d, ]*\)$", comment):
            assert result.shape == ast.literal_eval(comment)


def _close(found, wanted):
    if isinstance(wanted, list):
        return len(found) == len(wanted) and all(_close(f, w) for f, w in zip(found, wanted))
    return found == pytest.approx(wanted)


def test_there_are_examples():
    assert len(list(examples())) > 60
