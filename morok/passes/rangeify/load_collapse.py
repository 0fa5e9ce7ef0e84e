"""morok-load-collapse: a reduction whose value does not need its loop goes.

    reduce<add>(%x, %r)                                   =>   %x * 8                          where %r = range(8) is not in %x
    reduce<add>(where(%r == %e, load(%b[%r]), 0), %r)     =>   load(%b[%e], 0 <= %e < 8, 0)    a gather
    reduce<add>(where(%r < %e, 1, 0), %r)                 =>   max(min(%e, 8), 0)              an arange made of a sum

Indexing a tensor with integers, one-hot products of integers, aranges and counts are such sums when they are written with primitive ops.

Floats: n equal terms sum to x * n, which is the exact sum rounded once (a reduction's order is ours to choose); an n of more bits than
float32 or float64 have is rounded first, which is still far closer than that many additions. Terms that are 0 may be left out of a sum, so
that one which selects -0.0 gives -0.0. A product with a one-hot of floats is not such a sum: 0 * NaN is NaN.
"""
from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import isfinite

from ...dialect import types as T
from ...graph.body import Body
from ...graph.uop import UOp, const, index_const, substitute
from ...interpret.alu import identity
from ..pattern import PatternSet
from ..registry import KernelPass, morok_pass
from ..symbolic import simplify, symbolic_rewriter
from ..symbolic.bounds import bounds, fits, is_exact
from ..symbolic.gates import all_of, conjuncts
from ..symbolic.linear import Linear, build, linear
from ..symbolic.ranges import open_ranges

LOAD_COLLAPSE = PatternSet("load-collapse")


# A value that the loop does not change

@LOAD_COLLAPSE.rule("reduce")
def no_iteration(u: UOp) -> UOp | None:
    """Over a range of extent 0, the reduction's identity."""
    empty = any(r.name == "range" and r.operands[0].is_const(0) for r in u.operands[1:])
    return const(identity(u.attribute("op"), u.dtype), u.type) if empty else None


@LOAD_COLLAPSE.rule("reduce")
def same_in_each_iteration(u: UOp) -> UOp | None:
    """Over ranges that the value does not reach: x * extent for add, x for max, min, and, or."""
    used = open_ranges(u.operands[0])
    idle = [r for r in u.operands[1:] if r not in used]
    if not idle:
        return None
    trips = index_const(1)
    for r in idle:
        trips = trips * r.operands[0]
    repeated = _repeated(u.attribute("op"), u.operands[0], trips)
    return None if repeated is None else _reduced(u, repeated, [r for r in u.operands[1:] if r in used])


def _reduced(u: UOp, value: UOp, ranges: Sequence[UOp]) -> UOp:
    """The reduction u of another value over other ranges; the value itself over none."""
    return u.with_operands((value, *ranges)) if ranges else value


def _repeated(op: str, x: UOp, trips: UOp) -> UOp | None:
    """x combined with itself `trips` times."""
    if op in ("max", "min", "and", "or") or x.dtype is T.bool_:
        if bounds(trips)[0] > 0:
            return x
        return UOp.make("cmplt", (index_const(0), trips)).where(x, const(identity(op, x.dtype), x.type))
    if op == "add":
        return _times(x, trips)
    return _power(x, trips.value) if trips.name == "const" and x.dtype.is_int else None


def _times(x: UOp, count: UOp) -> UOp | None:
    """x * count with the count (an index) in x's dtype, for float32 and float64 rounded; None where another float cannot hold it. A count of
    0 leaves nothing of an infinite x."""
    if not x.dtype.is_float:
        return UOp.make("mul", (x, count.cast(x.dtype)))
    if not fits(bounds(count), x.dtype) and x.dtype.bits < 32:
        return None
    product = UOp.make("mul", (x, count.cast(x.dtype)))
    if bounds(count)[0] > 0 or (x.name == "const" and isfinite(x.value)):
        return product
    return UOp.make("cmplt", (index_const(0), count)).where(product, 0.0)


def _power(x: UOp, exponent: int) -> UOp:
    """x to a constant power, by squaring."""
    result = None
    while exponent:
        if exponent & 1:
            result = x if result is None else UOp.make("mul", (result, x))
        exponent >>= 1
        if exponent:
            x = UOp.make("mul", (x, x))
    return const(1, x.type) if result is None else result


@LOAD_COLLAPSE.rule("reduce")
def common_factor(u: UOp) -> UOp | None:
    """sum(x * y) = x * sum(y) for integers, x out of the loop"""
    if u.attribute("op") != "add" or u.dtype.kind not in "iu" or u.operands[0].name != "mul":
        return None
    for x, y in (u.operands[0].operands, u.operands[0].operands[::-1]):
        if not any(r in open_ranges(x) for r in u.operands[1:]):
            return UOp.make("mul", (u.with_operands((y, *u.operands[1:])), x))
    return None


# A value that is chosen by conditions on the loop's counter

@dataclass
class Choice:
    """A value as `x` where all the conditions hold, else `y`. The load in `x` that these conditions gated, if there was one, is open: where they do
    not hold it may lie outside of its buffer, and memory must not be touched."""

    conditions: list[UOp]
    x: UOp
    y: UOp
    open: UOp | None = None

    def with_values(self, x: UOp, y: UOp) -> Choice:
        """The same choice between other values."""
        x, y = simplify((x, y))
        return Choice(self.conditions, x, y, self.open)

    def gated(self, x: UOp, gate: list[UOp]) -> UOp:
        """`x`, or what was made of it, with the open load under another gate."""
        if self.open is None:
            return x
        return substitute((x,), {self.open: _rebuilt(self.open, self.open.operands, gate)})[0]


def as_choice(value: UOp) -> Choice | None:
    """where, a gated load, a bool, or one of these cast or scaled."""
    if value.dtype is T.bool_ and value.name in ("and", "cmplt", "cmple", "cmpeq"):
        return Choice(conjuncts(value), const(True, value.type), const(False, value.type))
    if value.dtype is T.bool_ and value.name == "cmpne":
        return Choice([UOp.make("cmpeq", value.operands)], const(False, value.type), const(True, value.type))
    if value.name == "where":
        return Choice(conjuncts(value.operands[0]), value.operands[1], value.operands[2])
    if value.name == "load" and len(value.operands) == 3:
        opened, = simplify((UOp.make("load", value.operands[:1], (), None, value.loc),))
        return Choice(conjuncts(value.operands[1]), opened, value.operands[2], opened)
    if value.name == "cast":
        inner = as_choice(value.operands[0])
        return inner and inner.with_values(inner.x.cast(value.dtype), inner.y.cast(value.dtype))
    if value.name == "mul" and (not value.dtype.is_float or (value.operands[1].name == "const" and isfinite(value.operands[1].value))):
        inner = as_choice(value.operands[0])
        return inner and inner.with_values(inner.x.alu("mul", value.operands[1]), inner.y.alu("mul", value.operands[1]))
    return None


def _is_identity(op: str, y: UOp) -> bool:
    return y.name == "const" and y.value == identity(op, y.dtype)


def _depends_on(u: UOp, ranges: Iterable[UOp]) -> bool:
    reached = open_ranges(u)
    return any(r in reached for r in ranges)


def _counter_form(u: UOp, ranges: Sequence[UOp]) -> Linear | None:
    """An integer of any dtype as a linear form over index, in which `ranges` stand as terms of their own; None where they do not."""
    if not u.dtype.is_int:
        return None
    total = Linear((), linear(u).constant)
    for term, coefficient in linear(u).terms:
        if not _depends_on(term, ranges):
            total = total.plus(Linear(((_safe_index(term), coefficient),)))
        elif term.name == "cast" and term.operands[0].type is T.index and is_exact(term):
            total = total.plus(linear(term.operands[0]).scaled(coefficient))
        elif term.type is T.index:
            total = total.plus(Linear(((term, coefficient),)))
        else:
            return None
    return total if all(t in ranges or not _depends_on(t, ranges) for t, _ in total.terms) else None


_FAR = 1 << 60


def _safe_index(u: UOp) -> UOp:
    """The value as an index, limited so that sums with it cannot overflow: no counter comes near the limit."""
    least, most = bounds(u)
    if most > _FAR:
        u = u.alu("min", _FAR)
    if least < -_FAR:
        u = u.alu("max", -_FAR)
    return u.cast(T.index)


def _condition_form(condition: UOp, ranges: Sequence[UOp]) -> Linear | None:
    """x - y of a comparison x ? y, in the counters."""
    if condition.name not in ("cmplt", "cmple", "cmpeq"):
        return None
    x, y = (_counter_form(o, ranges) for o in condition.operands)
    return None if x is None or y is None else x.minus(y)


# One iteration selected: where(r == e, f(r), identity)

@LOAD_COLLAPSE.rule("reduce")
def one_iteration(u: UOp) -> UOp | None:
    """sum of where(r == e, f(r), 0) = where(0 <= e < extent, f(e), 0); the same for other reductions and their identity"""
    ranges = [r for r in u.operands[1:] if r.name == "range"]
    choice = as_choice(u.operands[0])
    if choice is None or not _is_identity(u.attribute("op"), choice.y):
        return None
    for number, condition in enumerate(choice.conditions):
        selected = _selected(condition, ranges)
        if selected is None:
            continue
        inside, values = selected
        others = [at_values(c, values, inside) for c in choice.conditions[:number] + choice.conditions[number + 1:]]
        gate = inside + others
        value = all_of(gate).where(choice.gated(at_values(choice.x, values, gate), gate), choice.y)
        return _reduced(u, value, [r for r in u.operands[1:] if r not in values])
    return None


def _selected(condition: UOp, ranges: Sequence[UOp]) -> tuple[list[UOp], dict[UOp, UOp]] | None:
    """(conditions under which an iteration is selected, the counters there) for r == e, or r * 4 + s == e with s of extent 4, and so on."""
    form = _condition_form(condition, ranges) if condition.name == "cmpeq" else None
    if form is None:
        return None
    counters = sorted(((r, c) for r, c in form.terms if r in ranges), key=lambda t: abs(t[1]))
    if not counters or len({c > 0 for _, c in counters}) > 1:
        return None
    sign = 1 if counters[0][1] > 0 else -1
    step = abs(counters[0][1])
    rest = Linear(tuple((t, -sign * c) for t, c in form.terms if t not in ranges), -sign * form.constant)  # step * (r + ...) == rest
    target = build(rest, T.index)
    inside = [] if step == 1 else [(target % step).eq(0)]
    target = target // step
    values, stride = {}, 1
    for position, (r, coefficient) in enumerate(counters):
        if abs(coefficient) != step * stride or (position + 1 < len(counters) and r.operands[0].name != "const"):
            return None
        values[r] = target // stride if position + 1 == len(counters) else (target // stride) % r.operands[0].value
        if position + 1 < len(counters):
            stride *= r.operands[0].value
    last = counters[-1][0]
    return [UOp.make("cmplt", (index_const(-1), target)), values[last].lt(last.operands[0]), *inside], values


def at_values(u: UOp, values: dict[UOp, UOp], gate: list[UOp]) -> UOp:
    """The expression with its open ranges at the values given; loads that change are closed where the gate is."""
    new: dict[UOp, UOp] = dict(values)
    stack = [u]
    while stack:
        node = stack[-1]
        if node in new:
            stack.pop()
            continue
        depends = _depends_on(node, values)
        missing = [o for o in node.operands if o not in new] if depends else ()
        if missing:
            stack.extend(missing)
            continue
        stack.pop()
        new[node] = _rebuilt(node, tuple([new[o] for o in node.operands]), gate) if depends else node
    return new[u]


def _rebuilt(node: UOp, operands: tuple[UOp, ...], gate: list[UOp]) -> UOp:
    if node.name != "load":
        return node.with_operands(operands)
    closed = operands[2] if len(operands) == 3 else const(0, node.type)
    return UOp.make("load", (operands[0], all_of(gate + list(operands[1:2])), closed), (), None, node.loc)


# Iterations counted: where(r < e, x, y) with x and y out of the loop

@LOAD_COLLAPSE.rule("reduce")
def counted_iterations(u: UOp) -> UOp | None:
    """sum of where(r < e, x, y) = x * n + y * (extent - n), n = min(max(e, 0), extent); max of where(r < e, x, -inf) = where(0 < n, ..)"""
    choice = as_choice(u.operands[0])
    if choice is None:
        return None
    for r in u.operands[1:]:
        if r.name != "range" or _depends_on(choice.x, (r,)) or _depends_on(choice.y, (r,)):
            continue
        count = _count(choice.conditions, r)
        value = None if count is None else _combined(u.attribute("op"), choice, count, r.operands[0])
        if value is not None:
            return _reduced(u, value, [o for o in u.operands[1:] if o is not r])
    return None


def _count(conditions: list[UOp], r: UOp) -> UOp | None:
    """In how many iterations of r all the conditions hold."""
    for number, condition in enumerate(conditions):
        selected = _selected(condition, (r,))
        if selected is not None:
            others = [at_values(c, selected[1], selected[0]) for c in conditions[:number] + conditions[number + 1:]]
            return all_of(selected[0] + others).where(index_const(1), 0)
    first, end = [index_const(0)], [r.operands[0]]
    outside = [c for c in conditions if not _depends_on(c, (r,))]
    for condition in conditions:
        if condition in outside:
            continue
        form = _condition_form(condition, (r,)) if condition.name != "cmpeq" else None
        if form is None:
            return None
        slope = next(c for t, c in form.terms if t is r)
        rest = Linear(tuple((t, c) for t, c in form.terms if t is not r), form.constant)
        _limit(slope, rest if condition.name == "cmplt" else rest.plus(Linear((), -1)), first, end)
    low, high = first[0], end[0]
    for other in first[1:]:
        low = low.alu("max", other)
    for other in end[1:]:
        high = high.alu("min", other)
    count = (high - low).alu("max", 0)
    return all_of(outside).where(count, 0) if outside else count


def _limit(slope: int, rest: Linear, first: list[UOp], end: list[UOp]) -> None:
    """Adds to the first iterations and ends what slope * r + rest < 0 says of r."""
    if slope > 0:
        end.append(build(rest.scaled(-1).plus(Linear((), slope - 1)), T.index) // slope)
    else:
        first.append(build(rest, T.index) // -slope + 1)


def _combined(op: str, choice: Choice, count: UOp, extent: UOp) -> UOp | None:
    """The reduction of x in `count` iterations and y in the others."""
    x, y = choice.gated(choice.x, [UOp.make("cmplt", (index_const(0), count))]), choice.y
    if op == "add" and x.dtype is not T.bool_:
        if _is_identity("add", y):
            return _times(x, count)
        if _is_identity("add", x):
            return _times(y, extent - count)
        if x.dtype.is_float:
            return None
        both = _times(x, count), _times(y, extent - count)
        return UOp.make("add", both)  # type: ignore[arg-type]
    if op == "mul" or not _is_identity(op, y):
        return None
    return UOp.make("cmplt", (index_const(0), count)).where(x, y)


@LOAD_COLLAPSE.rule("reduce")
def none_or_all(u: UOp) -> UOp | None:
    """all(not c) = not any(c)"""
    value = u.operands[0]
    if u.attribute("op") != "and" or value.name not in ("not", "cmpne") or value.dtype is not T.bool_:
        return None
    positive = value.operands[0] if value.name == "not" else UOp.make("cmpeq", value.operands)
    return UOp.make("not", (UOp.make("reduce", (positive, *u.operands[1:]), ("or",)),))


@morok_pass("morok-load-collapse", form="range")
class LoadCollapse(KernelPass):
    """Removes reductions whose value does not need the loop: constants, gathers, aranges, counts."""

    def rewrite(self, body: Body) -> Body:
        if not any(u.name == "reduce" for u in body.order()):
            return body
        roots = symbolic_rewriter(LOAD_COLLAPSE).rewrite(body.roots)
        return body if roots == body.roots else body.with_roots(roots)
