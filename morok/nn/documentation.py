"""Docstrings of layers that are functions with their arguments kept: the function's text, and its example as the layer writes it.

    nn.functional.max_pool1d(x, 2)      nn.MaxPool1d(2)(x)
"""
from __future__ import annotations

import ast
import re
import textwrap

EXAMPLE = re.compile(r"\n\s*\n(?P<before>(?: {8,}\w+ = .*\n)*)(?P<indent> {8,})(?P<code>\S.*?)(?: *# (?P<value>.*))?(?=\n|$)")


def of_module(name: str, function: str | None, note: str, inputs: int = 1) -> str:
    """The docstring of the layer `name` out of its function's or method's: what it does, `note`, and an example; `inputs` arguments are the call's."""
    first, _, rest = (function or "").partition("\n")
    found = EXAMPLE.search(function or "")
    text = textwrap.dedent((function or "")[len(first):found.start() if found else None]).strip("\n")
    lines = [first, *text.splitlines(), "", note]
    if found and (code := _as_module(name, found["code"], inputs)):
        value = f"    # {found['value']}" if found["value"] else ""
        lines += ["", *(f"    {line.strip()}" for line in found["before"].splitlines()), f"    {code}{value}"]
    return "\n".join([lines[0], *(f"    {line}".rstrip() for line in lines[1:])]) + "\n    "


def _as_module(name: str, code: str, inputs: int) -> str | None:
    """f(x, 2) or x.f(2) as nn.Name(2)(x); None for another form."""
    call = ast.parse(code).body[0]
    if not isinstance(call, ast.Expr) or not isinstance(call.value, ast.Call) or not isinstance(call.value.func, ast.Attribute):
        return None
    owner, arguments = call.value.func.value, call.value.args
    of_functional = ast.unparse(owner) == "nn.functional"
    operands, options = (arguments[:inputs], arguments[inputs:]) if of_functional else ([owner], arguments)
    made = ast.Call(ast.Attribute(ast.Name("nn"), name), options, call.value.keywords)
    return ast.unparse(ast.Call(made, operands, []))
