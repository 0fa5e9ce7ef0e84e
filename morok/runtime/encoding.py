"""UOps and functions as text, and back: what the disk cache keeps of the IR.

    text = json.dumps(encode([body]))          equal computations give equal text, in any process
    (body,) = decode(json.loads(text))

A function is a table of ops, operands before users, each `[name, [operands' numbers], [attributes], type]`. Source locations are left out.
"""
from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

from mlir import ir

from ..dialect import types as T
from ..dialect.context import shared_context
from ..graph.body import Body
from ..graph.uop import UOp, toposort

_PLAIN = (int, float, str, bool, type(None))


class NotEncodable(Exception):
    """Something that has no spelling here; what holds it is not cached."""


def encode_uops(roots: Iterable[UOp]) -> list:
    """[ops, numbers of the roots]."""
    roots = tuple(roots)
    number: dict[UOp, int] = {}
    ops: list[list] = []
    for u in toposort(roots):
        number[u] = len(ops)
        ops.append([u.name, [number[o] for o in u.operands], _plain(u.attributes), T.spelling(u.type)])
    return [ops, [number[r] for r in roots]]


def decode_uops(encoded: Sequence[Any]) -> list[UOp]:
    """The roots."""
    made: list[UOp] = []
    for name, operands, attributes, spelling in encoded[0]:
        made.append(UOp.make(name, tuple([made[o] for o in operands]), _tuple(attributes), type_spelled(spelling)))
    return [made[r] for r in encoded[1]]


def encode(bodies: Sequence[Body]) -> list:
    """Functions that may share ops."""
    heads = [[b.name, len(b.arguments), len(b.results), len(b.sinks), _mlir(b.attributes), [_mlir(a) for a in b.argument_attributes]] for b in bodies]
    return [heads, encode_uops(u for b in bodies for u in (*b.arguments, *b.results, *b.sinks))]


def decode(encoded: Sequence[Any]) -> list[Body]:
    heads, uops = encoded
    rest = iter(decode_uops(uops))
    bodies = []
    for name, arguments, results, sinks, attributes, given in heads:
        taken = [[next(rest) for _ in range(n)] for n in (arguments, results, sinks)]
        bodies.append(Body(name, taken[0], tuple(taken[1]), tuple(taken[2]), _from_mlir(attributes), [_from_mlir(a) for a in given]))
    return bodies


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(v) for v in value]
    if type(value) not in _PLAIN:
        raise NotEncodable(f"an attribute of type {type(value).__name__}")
    return value


def _tuple(value: Any) -> Any:
    return tuple([_tuple(v) if isinstance(v, list) else v for v in value])


def _mlir(attributes: dict[str, Any]) -> dict[str, Any]:
    """Attributes of functions: units as True, strings as themselves."""
    found: dict[str, Any] = {}
    for name, attribute in attributes.items():
        if isinstance(attribute, ir.UnitAttr):
            found[name] = True
        elif isinstance(attribute, ir.StringAttr):
            found[name] = attribute.value
        else:
            raise NotEncodable(f"a function's attribute {name}")
    return found


def _from_mlir(attributes: dict[str, Any]) -> dict[str, Any]:
    context = shared_context().context
    return {name: ir.UnitAttr.get(context) if value is True else ir.StringAttr.get(value, context) for name, value in attributes.items()}


_DTYPES = {d.mlir: d for d in T.DTYPES.values()}
_SHAPED = re.compile(r'(tensor|memref)<((?:(?:\d+|\?)x)*)(\w+)(?:, "(\w+)")?>')
_VECTOR = re.compile(r"vector<(\d+)x(\w+)>")
_POINTER = re.compile(r'!morok\.ptr<(.+), "(\w+)">')


@lru_cache(maxsize=4096)
def type_spelled(text: str) -> T.Type:
    """The type of that spelling; ValueError for another text."""
    if text in _DTYPES:
        return _DTYPES[text]
    if text in (repr(T.token), repr(T.argument)):
        return T.token if text == repr(T.token) else T.argument
    if found := _SHAPED.fullmatch(text):
        shape = tuple(None if s == "?" else int(s) for s in found[2].split("x")[:-1])
        return T.tensor(shape, _DTYPES[found[3]]) if found[1] == "tensor" else T.memref(shape, _DTYPES[found[3]], found[4])
    if found := _VECTOR.fullmatch(text):
        return T.vector(int(found[1]), _DTYPES[found[2]])
    if found := _POINTER.fullmatch(text):
        return T.ptr(type_spelled(found[1]), found[2])
    raise ValueError(f"no type is spelled {text!r}")
