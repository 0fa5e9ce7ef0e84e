"""Constant folding.

    2 + 3                    =>   5
    range(4) < 7             =>   true       whatever bounds to a single value
    where(true, x, y)        =>   x

Values are computed by `morok.interpret.alu`, which defines the ops; index and bool, by far the most frequent, on Python's integers here.
"""
from __future__ import annotations

import operator
from collections.abc import Callable

from ...dialect import types as T
from ...dialect.ops import ALU
from ...graph.uop import UOp, const
from ...interpret import alu
from ..pattern import PatternSet
from .bounds import bounds

CONSTANTS = PatternSet("constants")

_INTEGER_OPS = tuple(sorted(ALU - {"bitcast"}))
_ON_INDEX: dict[str, Callable] = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "neg": operator.neg, "max": max, "min": min,
    "cmplt": operator.lt, "cmple": operator.le, "cmpeq": operator.eq, "cmpne": operator.ne,
    "floordiv": lambda x, y: x // y if y else 0, "mod": lambda x, y: x % y if y else 0,
}


@CONSTANTS.rule(*sorted(ALU))
def fold_constants(u: UOp) -> UOp | None:
    """An op on constants is a constant."""
    for operand in u.operands:
        if operand.name != "const":
            return None
    values = [o.value for o in u.operands]
    if u.operands[0].type is T.index and u.name in _ON_INDEX:
        return const(_ON_INDEX[u.name](*values), u.type, u.loc)
    return const(alu.fold(u.name, u.dtype, values, [o.dtype for o in u.operands]), u.type, u.loc)


@CONSTANTS.rule(*_INTEGER_OPS)
def known_value(u: UOp) -> UOp | None:
    """An integer or bool whose least and greatest value are equal is that constant."""
    if u.dtype.is_float or isinstance(u.type, T.TensorType):
        return None
    least, most = bounds(u)
    return const(least, u.type, u.loc) if least == most else None


@CONSTANTS.rule("where")
def known_condition(u: UOp) -> UOp | None:
    """where(true, x, y) = x; where(false, x, y) = y; where(c, x, x) = x"""
    condition, x, y = u.operands
    if condition.name == "const":
        return x if condition.value else y
    return x if x is y else None
