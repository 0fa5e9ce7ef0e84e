"""Symbolic shapes: the sizes of a value of the tensor form as ints and index UOps, and what can be said about such sizes.

    n = UOp.make("define_var", (), ("n", 1, 8))
    x = UOp.make("shrink", (a, n), ((0, 0), (DYNAMIC, 3)))       # tensor<?x3xf32>
    shape_of(x)            # (n, 3)
    numel(shape_of(x))     # n * 3
    max_shape(x)           # (8, 3)

Types say only that a size is symbolic; which one it is follows from the operands of movement ops.
"""
from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ..dialect.opdef import DYNAMIC
from ..errors import BoundsError, ShapeError
from .uop import UOp, toposort

Size = int | UOp
Shape = tuple[Size, ...]


def shape_of(u: UOp) -> Shape:
    """The sizes of a tensor (or static buffer), symbolic ones as index UOps; () for scalars."""
    shape = getattr(u.type, "shape", ())
    if None not in shape:
        return shape
    pending, found = [], _known_shape(u)
    while found is None:
        pending.append(u)
        source = _shape_source(u)
        if source is None or None not in source.type.shape:  # type: ignore[union-attr]
            break
        u, found = source, _known_shape(source)
    for u in reversed(pending):
        found = _shape(u)
        u.facts = {**(u.facts or {}), "shape": found}
    return found  # type: ignore[return-value]


def _known_shape(u: UOp) -> Shape | None:
    facts = u.facts
    return facts.get("shape") if facts else None


_STATED = {"iota": "shape", "reshape": "shape", "expand": "shape", "shrink": "size"}
"""Ops that state their shape, and the attribute that does."""


def _shape_source(u: UOp) -> UOp | None:
    """The operand whose shape decides this op's, if any."""
    return None if u.name in _STATED or not u.operands else u.operands[0]


def _shape(u: UOp) -> Shape:
    """The op's shape; that of its source is at hand."""
    if u.name in _STATED:
        return stated_sizes(u, _STATED[u.name])
    if not u.operands:
        raise ShapeError(f"morok.{u.name} of type {u.type} has a symbolic size that nothing states; buffers have static shapes")
    source = shape_of(u.operands[0])
    if u.name == "permute":
        return tuple(source[a] for a in u.attribute("order"))
    if u.name == "reduce_axis":
        return tuple(s for a, s in enumerate(source) if a not in u.attribute("axes"))
    if u.name == "pad":
        return tuple(_plus(_plus(s, low), high) for s, low, high in zip(source, stated_sizes(u, "low"), stated_sizes(u, "high")))
    return source


def _plus(a: Size, b: Size) -> Size:
    return simple(b + a) if isinstance(b, UOp) else simple(a + b)


def stated_sizes(u: UOp, name: str) -> Shape:
    """A size list of a movement op with its symbolic entries filled in from the operands."""
    lists = [v for v in u.attributes if isinstance(v, tuple)]
    operands = iter(u.operands[len(u.operands) - sum(v.count(DYNAMIC) for v in lists):])
    filled = [tuple(simple(next(operands)) if s == DYNAMIC else s for s in v) for v in lists]
    return filled[next(i for i, v in enumerate(lists) if v is u.attribute(name))]


def simple(size: Size) -> Size:
    """A constant index UOp as an int; others as they are."""
    return size.value if isinstance(size, UOp) and size.name == "const" else size


def numel(shape: Iterable[Size]) -> Size:
    """How many elements a shape has."""
    known, symbolic = 1, None
    for size in shape:
        if isinstance(size, UOp):
            symbolic = size if symbolic is None else symbolic * size
        else:
            known *= size
    return known if symbolic is None or known == 0 else simple(symbolic * known)


def max_shape(u: UOp) -> tuple[int, ...]:
    """The greatest sizes that the bounds of the variables allow."""
    return tuple(max_size(s) for s in shape_of(u))


def max_size(size: Size) -> int:
    return interval(size)[1] if isinstance(size, UOp) else size


# Values and bounds of index expressions

def interval(u: UOp) -> tuple[int, int]:
    """Bounds of an index expression, from those of its variables; exact where each variable occurs once."""
    known: dict[UOp, tuple[int, int]] = {}
    for node in toposort((u,)):
        rule = _INTERVALS.get(node.name)
        if rule is None:
            raise ShapeError(f"a size may not depend on morok.{node.name}")
        known[node] = rule(node, *(known[o] for o in node.operands))
    return known[u]


def _corners(f: Callable[[int, int], int]) -> Callable[..., tuple[int, int]]:
    def rule(u: UOp, x: tuple[int, int], y: tuple[int, int]) -> tuple[int, int]:
        values = [f(a, b) for a in x for b in y]
        return min(values), max(values)
    return rule


def _floordiv(a: int, b: int) -> int:
    return a // b if b else 0


def _mod(a: int, b: int) -> int:
    return a % b if b else 0


def _interval_of_floordiv(u: UOp, x: tuple[int, int], y: tuple[int, int]) -> tuple[int, int]:
    divisors = [d for d in (y[0], y[1], -1, 0, 1) if y[0] <= d <= y[1]]
    values = [_floordiv(a, d) for a in x for d in divisors]
    return min(values), max(values)


def _interval_of_mod(u: UOp, x: tuple[int, int], y: tuple[int, int]) -> tuple[int, int]:
    if y[0] == y[1] and y[0] > 0 and x[0] // y[0] == x[1] // y[0]:
        return x[0] % y[0], x[1] % y[0]
    low, high = min(0, y[0] + 1), max(0, y[1] - 1)
    return (0, min(high, x[1])) if x[0] >= 0 and y[0] >= 0 else (low, high)


_INTERVALS: dict[str, Callable[..., tuple[int, int]]] = {
    "const": lambda u: (int(u.value), int(u.value)),
    "define_var": lambda u: (u.attributes[1], u.attributes[2]),
    "bind": lambda u, variable, value: variable,
    "add": lambda u, x, y: (x[0] + y[0], x[1] + y[1]),
    "sub": lambda u, x, y: (x[0] - y[1], x[1] - y[0]),
    "neg": lambda u, x: (-x[1], -x[0]),
    "mul": _corners(operator.mul), "floordiv": _interval_of_floordiv, "mod": _interval_of_mod,
    "max": _corners(max), "min": _corners(min),
    "cmplt": lambda u, x, y: (0, 1), "cmple": lambda u, x, y: (0, 1), "cmpeq": lambda u, x, y: (0, 1), "cmpne": lambda u, x, y: (0, 1),
    "and": lambda u, x, y: (0, 1), "or": lambda u, x, y: (0, 1), "not": lambda u, x: (0, 1),
    "where": lambda u, c, x, y: (min(x[0], y[0]), max(x[1], y[1])),
}
# Conditions occur in sizes only under `where`, so that and, or and not are those of bools.


def evaluate_index(u: Size, values: Mapping[str, int]) -> int:
    """The expression's value where variables have these values by name; a bind's own value stands in for one that is not given.

    BoundsError for a variable that has no value.
    """
    if not isinstance(u, UOp):
        return u
    known: dict[UOp, Any] = {}
    for node in toposort((u,)):
        if node.name == "define_var":
            known[node] = values.get(node.attributes[0])
            continue
        if node.name == "bind":
            given = known[node.operands[0]]
            known[node] = known[node.operands[1]] if given is None else given
            continue
        rule = _VALUES.get(node.name)
        if rule is None:
            raise ShapeError(f"a size may not depend on morok.{node.name}")
        operands = [known[o] for o in node.operands]
        if None in operands:
            _raise_unbound(next(o for o in node.operands if known[o] is None), values)
        known[node] = node.value if node.name == "const" else rule(*operands)
    if known[u] is None:
        _raise_unbound(u, values)
    return int(known[u])


def _raise_unbound(u: UOp, values: Mapping[str, int]) -> None:
    raise BoundsError(f"variable {u.attributes[0]!r} has no value; values are given for: {', '.join(values) or 'none'}")


_VALUES: dict[str, Callable[..., Any]] = {
    "const": lambda: 0,
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "neg": operator.neg, "floordiv": _floordiv, "mod": _mod,
    "max": max, "min": min,
    "cmplt": operator.lt, "cmple": operator.le, "cmpeq": operator.eq, "cmpne": operator.ne, "and": operator.and_, "or": operator.or_,
    "not": operator.not_, "where": lambda c, x, y: x if c else y,
}


def bound_value(bind: UOp) -> tuple[str, int]:
    """A bind's variable and value. BoundsError for a value outside the variable's bounds."""
    variable, value = bind.operands
    if variable.name != "define_var" or value.name != "const":
        raise ShapeError(f"morok.bind takes a define_var and a constant, not morok.{variable.name} and morok.{value.name}")
    name, low, high = variable.attributes
    if not low <= value.value <= high:
        raise BoundsError(f"variable {name!r} has bounds {low} to {high}, given {value.value}")
    return name, value.value


def add_bound_value(values: dict[str, int], name: str, value: int) -> None:
    """Enters a variable's value; BoundsError where it already has another."""
    given = values.setdefault(name, value)
    if given != value:
        raise BoundsError(f"variable {name!r} is bound to {given} and to {value} in one computation; bind it to one value")
