"""The value of an index expression over variables: a symbolic extent once the variables are known."""
from __future__ import annotations

from collections.abc import Callable, Mapping

from ..errors import BoundsError
from ..graph.uop import UOp, toposort


def _floordiv(a: int, b: int) -> int:
    return a // b if b else 0


def _mod(a: int, b: int) -> int:
    return a % b if b else 0


_OPERATIONS: dict[str, Callable[..., int]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "mulacc": lambda a, b, c: a * b + c,
    "floordiv": _floordiv,
    "mod": _mod,
    "neg": lambda a: -a,
    "abs": abs,
    "max": max,
    "min": min,
    "cmplt": lambda a, b: int(a < b),
    "cmple": lambda a, b: int(a <= b),
    "cmpeq": lambda a, b: int(a == b),
    "cmpne": lambda a, b: int(a != b),
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "where": lambda c, a, b: a if c else b,
    "cast": lambda a: a,
    "bind": lambda variable, value: variable,
}


def index_value(u: UOp, values: Mapping[str, int]) -> int:
    """The expression's value; a variable without a value counts as its greatest."""
    if u.name == "const":
        return int(u.attributes[0])
    known: dict[UOp, int] = {}
    for node in toposort((u,)):
        if node.name == "const":
            known[node] = int(node.attributes[0])
        elif node.name == "define_var":
            name, _, greatest = node.attributes
            known[node] = values.get(name, greatest)
        elif node.name in _OPERATIONS:
            known[node] = _OPERATIONS[node.name](*(known[o] for o in node.operands))
        else:
            raise BoundsError(f"morok.{node.name} in a size: sizes are made of constants, variables and arithmetic on them")
    return known[u]
