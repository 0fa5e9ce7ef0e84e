"""The dtype rule of a public name, found by building its docstring's example once in each dtype (nothing is computed: results are lazy).

    morok.sum([[1.0, 2.0], [3.0, 4.0]], 0)     bool, int8, ... give int64; uint8, ... uint64; floats stay

Numbers of the kind that the example begins with take the dtype: Tensor([1.0, 2.0]) does, the index Tensor([0]) beside it does not.
"""
from __future__ import annotations

import ast
import contextlib
from typing import Any

import numpy as np

import morok
from morok.errors import DTypeError
from morok.tensor import dtypes
from morok.tensor.tensor import Tensor

DTYPES = tuple(t for t in (getattr(dtypes, name) for name in (
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "bfloat16", "float32", "float64")))
GROUPS = {"bool": DTYPES[:1], "signed integers": DTYPES[1:5], "unsigned integers": DTYPES[5:9], "floats": DTYPES[9:]}
READERS = {"item", "tolist", "numpy", "shape"}
"""What an example ends in to show a value: the result is what they read."""


class _Typed(ast.NodeTransformer):
    """The numbers of an example through `_typed`, which gives them the dtype in turn."""

    def __init__(self) -> None:
        self.kind: str | None = None

    def _wrapped(self, node: ast.expr) -> ast.expr:
        kind = _kind(node)
        if kind is None or kind == "bool" and self.kind not in (None, "bool"):
            return node
        self.kind = self.kind or kind
        return ast.Call(ast.Name("_typed", ast.Load()), [node], []) if kind == self.kind else node

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """x, y, ... of an example that begins with them are two rows of three numbers."""
        if node.id not in {"x", "y", "z", "a", "b"} or self.kind not in (None, "float") or not isinstance(node.ctx, ast.Load):
            return node
        return self._wrapped(ast.parse("[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]", mode="eval").body)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        called = node.func
        node.func = self.visit(node.func)
        if isinstance(called, ast.Name) and called.id == "Tensor" and node.args and not node.keywords:
            wrapped = self._wrapped(node.args[0])
            return wrapped if wrapped is not node.args[0] else node
        of_morok = isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name) and called.value.id == "morok"
        node.args = [self._wrapped(a) if of_morok and isinstance(a, ast.List) else self.visit(a) for a in node.args]
        node.keywords = [ast.keyword(k.arg, self.visit(k.value)) for k in node.keywords]
        return node


def _kind(node: ast.expr) -> str | None:
    """The kind of the numbers in a literal; None if it is none, or has text or nothing in it."""
    try:
        value = eval(compile(ast.Expression(node), "<example>", "eval"), {"float": float, "__builtins__": {}})
        array = np.asarray(value)
    except Exception:
        return None
    return {"b": "bool", "i": "int", "f": "float"}.get(array.dtype.kind) if array.size else None


def rule(example: str) -> dict[Any, str]:
    """dtype to the dtype of the example's result ("float32", "float32 and int64" of two), or "DTypeError"; empty where there is no such rule."""
    try:
        tree = ast.parse(example)
    except SyntaxError:
        return {}
    if not tree.body or not isinstance(tree.body[-1], (ast.Expr, ast.Assign)):
        return {}
    transformer = _Typed()
    tree = ast.fix_missing_locations(transformer.visit(tree))
    if transformer.kind is None:
        return {}
    *before, last = tree.body
    if any(isinstance(statement, (ast.AugAssign, ast.With)) for statement in before):
        return {}
    value = _result_of(last.value)  # type: ignore[attr-defined]
    start = compile(ast.Module(before, []), "<example>", "exec")
    end = compile(ast.Expression(value), "<example>", "eval")
    found: dict[Any, str] = {}
    for dtype in DTYPES:
        names: dict[str, Any] = {"morok": morok, "Tensor": Tensor, "nn": morok.nn, "dtypes": dtypes, "float": float,
                                 "_typed": lambda data, dtype=dtype: Tensor(data).cast(dtype)}
        with contextlib.suppress(Exception):  # some examples need other shapes, or make sense in some dtypes alone
            try:
                exec(start, names)
                result = _described(eval(end, names))
            except (DTypeError, NotImplementedError) as error:
                result = type(error).__name__
            if result:
                found[dtype] = result
    return found if any(not r.endswith("Error") for r in found.values()) else {}


def _result_of(node: ast.expr) -> ast.expr:
    while True:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in READERS:
            node = node.func.value
        elif isinstance(node, ast.Attribute) and node.attr in READERS:
            node = node.value
        else:
            return node


def _described(result: Any) -> str:
    parts = result if isinstance(result, (tuple, list)) else (result,)
    if not parts or not all(isinstance(p, Tensor) for p in parts):
        return ""
    names = [p.dtype.name for p in parts]
    return names[0] if len(set(names)) == 1 else " and ".join(names)


def sentence(found: dict[Any, str]) -> str:
    """The rule in words: "bool and integers give float32; floats stay"."""
    by_result: dict[str, list[Any]] = {}
    for dtype, result in found.items():
        by_result.setdefault("stay" if result == dtype.name else result, []).append(dtype)
    if list(by_result) == ["stay"]:
        return "the operand's" if len(found) == len(DTYPES) else f"the operand's, of {_group(by_result['stay'])}"
    if len(set(found.values())) == 1 and len(found) == len(DTYPES):
        return next(iter(found.values()))
    clauses = [f"{_group(of)} {_verb(result)}" for result, of in sorted(by_result.items(), key=lambda item: DTYPES.index(item[1][0]))]
    return "; ".join(clauses)


def _verb(result: str) -> str:
    return "stay" if result == "stay" else f"raise {result}" if result.endswith("Error") else f"give {result}"


def _group(of: list[Any]) -> str:
    if len(of) == len(DTYPES):
        return "all"
    names: list[str] = []
    left = list(of)
    for group, members in GROUPS.items():
        if len(members) > 1 and set(members) <= set(left) or group == "bool" and members[0] in left:
            names.append(group)
            left = [t for t in left if t not in members]
    names = ["integers" if n == "signed integers" else n for n in names if n != "unsigned integers"] if {
        "signed integers", "unsigned integers"} <= set(names) else names
    names += [t.name for t in left]
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]
