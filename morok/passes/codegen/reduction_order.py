"""What a reduction starts from, and the fixed tree in which partial results are combined."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...dialect import types as T
from ...graph.uop import UOp


def identity(u: UOp) -> Any:
    """The value of a reduction over nothing, as a Python value of its dtype."""
    return identity_of(u.attribute("op"), u.dtype)


def identity_of(op: str, dtype: T.DType) -> Any:
    if op in ("max", "min"):
        return dtype.min if op == "max" else dtype.max
    if op == "and":
        return True if dtype is T.bool_ else dtype.max if dtype.kind == "u" else -1
    one = op == "mul"
    return float(one) if dtype.is_float else bool(one) if dtype is T.bool_ else int(one)


def tree(op: str, parts: Sequence[UOp]) -> UOp:
    """The parts combined by halves: neighbours with neighbours, whatever their number."""
    level = list(parts)
    while len(level) > 1:
        level = [UOp.make(op, (level[i], level[i + 1])) if i + 1 < len(level) else level[i] for i in range(0, len(level), 2)]
    return level[0]
