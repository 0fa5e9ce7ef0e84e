"""Bounds: the least and greatest value that an integer, index or bool expression can take.

    bounds(range(12) floordiv 4)      = (0, 2)
    bounds(cast(load(%p: ui8), i32))  = (0, 255)
    bounds(1 < range(2))              = (0, 0)          false; bools are 0 and 1

Interval arithmetic, kept with each op (`u.facts`), without recursion. The values are those that the op takes where it is computed at all:
a range of no iteration has bounds (0, 0). An op whose exact result may leave its dtype wraps, and is bounded by the dtype alone;
`is_exact` tells them apart. Index arithmetic is taken not to overflow: an index counts elements of memory.
"""
from __future__ import annotations

from collections.abc import Callable
from functools import cache
from math import prod

from ...dialect import types as T
from ...graph.uop import UOp
from ..facts import recall, remember

Interval = tuple[int, int]

_FALSE_OR_TRUE: Interval = (0, 1)


def bounds(u: UOp) -> Interval:
    """(least, greatest), both inclusive. For floats (and what has no number) the pair says nothing: (-inf, inf)."""
    return recall(u, "bounds", _depends_on, _interval)


def is_exact(u: UOp) -> bool:
    """Whether the op's result is that of unbounded integers: it never wraps. (Of its operands, this says nothing.)"""
    if u.dtype is T.index:
        return True
    bounds(u)
    return "wraps" not in u.facts  # type: ignore[operator]


def fits(interval: Interval, dtype: T.DType) -> bool:
    """Whether every integer of the interval is a value of the dtype (for floats: exactly, without rounding)."""
    if dtype.is_float:
        limit = 1 << {"float16": 11, "bfloat16": 8, "float32": 24, "float64": 53}[dtype.name]
        return -limit <= interval[0] and interval[1] <= limit
    return dtype.min <= interval[0] and interval[1] <= dtype.max


@cache
def of_dtype(dtype: T.DType | None) -> Interval:
    if dtype is None or dtype.is_float:
        return (float("-inf"), float("inf"))  # type: ignore[return-value]
    return (int(dtype.min), int(dtype.max))


def _depends_on(u: UOp) -> tuple[UOp, ...]:
    """The operands whose bounds decide those of u."""
    if u.name not in _TRANSFER:
        return ()
    if u.type is T.index and u.name != "cast":
        return u.operands
    if u.dtype is None or u.dtype.is_float:
        return ()
    if u.name in ("reduce", "carry"):
        return u.operands
    return tuple(o for o in u.operands if o.dtype is not None and not o.dtype.is_float)


def _interval(u: UOp) -> Interval:
    """The bounds, given those of what they depend on."""
    dtype, transfer = u.dtype, _TRANSFER.get(u.name)
    least, most = of_dtype(dtype)
    if transfer is None or len(_depends_on(u)) != len(u.operands) or dtype is None or dtype.is_float:
        return least, most
    low, high = transfer(u, *(o.facts["bounds"] for o in u.operands))  # type: ignore[index]
    if least <= low and high <= most:
        return low, high
    remember(u, "wraps", True)
    return least, most


# One function for each op: the interval of the exact result from those of the operands.

def _product(x: Interval, y: Interval) -> Interval:
    corners = (x[0] * y[0], x[0] * y[1], x[1] * y[0], x[1] * y[1])
    return min(corners), max(corners)


def _floordiv(u: UOp, x: Interval, y: Interval) -> Interval:
    if y[0] > 0 or y[1] < 0:
        corners = [a // b for a in x for b in y]
        return min(corners), max(corners)
    most = max(abs(x[0]), abs(x[1]))  # the divisor may be 0 (the quotient is 0), 1 or -1
    return (0 if x[0] >= 0 and y[0] >= 0 else -most), most


def _mod(u: UOp, x: Interval, y: Interval) -> Interval:
    if y[0] == y[1] != 0 and x[0] // y[0] == x[1] // y[0]:
        ends = x[0] % y[0], x[1] % y[0]
        return min(ends), max(ends)
    if x[0] >= 0 and x[1] < y[0]:
        return x
    least, most = min(y[0] + 1, 0), max(y[1] - 1, 0)
    if x[0] >= 0 and y[0] >= 0:
        most = min(most, x[1])
    return least, most


def _abs(u: UOp, x: Interval) -> Interval:
    least = 0 if x[0] <= 0 <= x[1] else min(abs(x[0]), abs(x[1]))
    return least, max(abs(x[0]), abs(x[1]))


def _not(u: UOp, x: Interval) -> Interval:
    if u.dtype is T.bool_:
        return 1 - x[1], 1 - x[0]
    return (-1 - x[1], -1 - x[0]) if u.dtype.kind != "u" else (u.dtype.max - x[1], u.dtype.max - x[0])


def _and(u: UOp, x: Interval, y: Interval) -> Interval:
    if x[0] >= 0 and y[0] >= 0:
        return (min(x[0], y[0]) if u.dtype is T.bool_ else 0), min(x[1], y[1])
    if x[0] >= 0 or y[0] >= 0:
        return 0, x[1] if x[0] >= 0 else y[1]
    return of_dtype(u.dtype)


def _or(u: UOp, x: Interval, y: Interval) -> Interval:
    if x[0] >= 0 and y[0] >= 0:
        return max(x[0], y[0]), max(x[1], y[1], (1 << max(x[1], y[1]).bit_length()) - 1)
    return of_dtype(u.dtype)


def _xor(u: UOp, x: Interval, y: Interval) -> Interval:
    if x[0] >= 0 and y[0] >= 0:
        return 0, (1 << max(x[1], y[1]).bit_length()) - 1
    return of_dtype(u.dtype)


def _shl(u: UOp, x: Interval, y: Interval) -> Interval:
    if y[0] < 0 or y[1] >= u.dtype.bits:
        return of_dtype(u.dtype)
    return _product(x, (1 << y[0], 1 << y[1]))


def _shr(u: UOp, x: Interval, y: Interval) -> Interval:
    if y[0] < 0 or y[1] >= u.dtype.bits:
        return of_dtype(u.dtype)
    corners = [a >> b for a in x for b in y]
    return min(corners), max(corners)


def _compare(always: Callable[[Interval, Interval], bool], never: Callable[[Interval, Interval], bool]) -> Callable[..., Interval]:
    def transfer(u: UOp, x: Interval, y: Interval) -> Interval:
        return (1, 1) if always(x, y) else (0, 0) if never(x, y) else _FALSE_OR_TRUE
    return transfer


def _are_equal(x: Interval, y: Interval) -> bool:
    return x[0] == x[1] == y[0] == y[1]


def _are_apart(x: Interval, y: Interval) -> bool:
    return x[1] < y[0] or y[1] < x[0]


def _where(u: UOp, condition: Interval, x: Interval, y: Interval) -> Interval:
    if condition[0] == condition[1]:
        return x if condition[0] else y
    return min(x[0], y[0]), max(x[1], y[1])


def _cast(u: UOp, x: Interval) -> Interval:
    return (0 if x[0] <= 0 <= x[1] else 1, 0 if x == (0, 0) else 1) if u.dtype is T.bool_ else x


def _reduce(u: UOp, value: Interval, *ranges: Interval) -> Interval:
    op = u.attribute("op")
    if u.dtype is T.bool_:
        return _FALSE_OR_TRUE
    if op == "add":
        trips = prod(r[1] + 1 for r in ranges)
        return min(0, value[0] * trips), max(0, value[1] * trips)
    if op in ("max", "min") and all(o.operands[0].is_const() and o.operands[0].value > 0 for o in u.operands[1:] if o.name == "range"):
        return value
    return of_dtype(u.dtype)


def _carry(u: UOp, value: Interval, initial: Interval, *ranges: Interval) -> Interval:
    """Of a sum that starts from 0; a greatest or least value may be the initial one."""
    return _reduce(u, value, *ranges) if u.attribute("op") == "add" and initial == (0, 0) else of_dtype(u.dtype)


_TRANSFER: dict[str, Callable[..., Interval]] = {
    "const": lambda u: (int(u.value), int(u.value)),
    "range": lambda u, extent: (0, max(extent[1] - 1, 0)),
    "define_var": lambda u: (u.attribute("min"), u.attribute("max")),
    "bind": lambda u, variable, value: variable,
    "special": lambda u: (0, (1 << 31) - 1),
    "unroll": lambda u: (0, u.type.lanes - 1),  # type: ignore[union-attr]
    "gep": lambda u, source: source,
    "vectorize": lambda u, *lanes: (min(v[0] for v in lanes), max(v[1] for v in lanes)),
    "add": lambda u, x, y: (x[0] + y[0], x[1] + y[1]) if u.dtype is not T.bool_ else _FALSE_OR_TRUE,
    "sub": lambda u, x, y: (x[0] - y[1], x[1] - y[0]) if u.dtype is not T.bool_ else _FALSE_OR_TRUE,
    "mul": lambda u, x, y: _product(x, y),
    "neg": lambda u, x: (-x[1], -x[0]),
    "abs": _abs,
    "not": _not,
    "max": lambda u, x, y: (max(x[0], y[0]), max(x[1], y[1])),
    "min": lambda u, x, y: (min(x[0], y[0]), min(x[1], y[1])),
    "floordiv": _floordiv,
    "mod": _mod,
    "and": _and,
    "or": _or,
    "xor": _xor,
    "shl": _shl,
    "shr": _shr,
    "cmplt": _compare(lambda x, y: x[1] < y[0], lambda x, y: x[0] >= y[1]),
    "cmple": _compare(lambda x, y: x[1] <= y[0], lambda x, y: x[0] > y[1]),
    "cmpeq": _compare(_are_equal, _are_apart),
    "cmpne": _compare(_are_apart, _are_equal),
    "where": _where,
    "mulacc": lambda u, x, y, z: (_product(x, y)[0] + z[0], _product(x, y)[1] + z[1]),
    "cast": _cast,
    "reduce": _reduce,
    "carry": _carry,
}
