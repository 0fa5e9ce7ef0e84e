"""Comparisons of integers: decided by bounds, else brought to the form `terms < constant`, `constant < terms` or `terms < terms`.

    %i * 4 + %j < 8       =>   %i < 2           where %j < 4
    %i + 3 <= %n + 5      =>   %i < %n + 3
    cast(%i) < 7 : i32    =>   %i < 7           where %i fits in i32
"""
from __future__ import annotations

from collections.abc import Iterable
from math import gcd

from ...dialect import types as T
from ...graph.uop import UOp, const
from ..pattern import PatternSet
from .bounds import fits, is_exact
from .divmod import is_positive
from .linear import Linear, build, linear

COMPARISONS = PatternSet("comparisons")


def _difference(u: UOp) -> Linear | None:
    """x - y of a comparison of integers."""
    x, y = u.operands
    if not x.dtype.is_int or isinstance(x.type, T.TensorType):
        return None
    return linear(x).minus(linear(y))


@COMPARISONS.rule("cmplt", "cmple", "cmpeq", "cmpne")
def decided_by_bounds(u: UOp) -> UOp | None:
    """x < y is true where y - x > 0 always, false where x - y >= 0 always; likewise the others"""
    form = _difference(u)
    if form is None:
        return None
    if u.name in ("cmpeq", "cmpne"):
        return const(u.name == "cmpne", u.type) if is_positive(form) or is_positive(form.scaled(-1)) else None
    slack = Linear((), 1 if u.name == "cmple" else 0)
    if is_positive(form.scaled(-1).plus(slack)):
        return const(True, u.type)
    return const(False, u.type) if is_positive(form.plus(Linear((), 1)).minus(slack)) else None


@COMPARISONS.rule("cmple")
def less_or_equal(u: UOp) -> UOp | None:
    """x <= y is x < y + 1 on index, and x <= c is x < c + 1 on other integers"""
    x, y = u.operands
    if x.type is T.index:
        return UOp.make("cmplt", (x, build(linear(y).plus(Linear((), 1)), T.index)), (), None, u.loc)
    if x.dtype.kind not in "iu" or isinstance(x.type, T.TensorType):
        return None
    if y.name == "const" and y.value < y.dtype.max:
        return UOp.make("cmplt", (x, const(y.value + 1, y.type)), (), None, u.loc)
    return UOp.make("cmplt", (const(x.value - 1, x.type), y), (), None, u.loc) if x.name == "const" and x.value > x.dtype.min else None


def _sides(form: Linear, like: T.Type) -> tuple[UOp, UOp] | None:
    """The two sides of form ? 0: what is added, what is subtracted. None if one may leave the dtype. A constant stands right if it can."""
    left = Linear(tuple((t, c) for t, c in form.terms if c > 0))
    right = Linear(tuple((t, -c) for t, c in form.terms if c < 0), -form.constant)
    if not left.terms:
        left, right = Linear((), -right.constant), Linear(right.terms)
    dtype = T.element_dtype(like)
    if dtype is not T.index and not (fits(left.bounds(), dtype) and fits(right.bounds(), dtype)):
        return None
    return build(left, like), build(right, like)


def _is_shorter(form: Linear, parts: Iterable[UOp]) -> bool:
    """Whether the comparison takes fewer terms than it is made of now."""
    now = sum(len(p.terms) + (p.constant != 0) for p in map(linear, parts))
    return len(form.terms) + (form.constant != 0) < now


@COMPARISONS.rule("cmplt")
def less_by_sides(u: UOp) -> UOp | None:
    """Terms with positive coefficients stand left, others right, and common factors are divided out: 4*x + 3 < 4*y is x < y."""
    form = _difference(u)
    if form is None or not form.terms:
        return None
    x, y = u.operands
    factor = gcd(*(c for _, c in form.terms))
    if factor > 1:
        # g*s + k < 0 is s + k/g < 0, and s is whole.
        form = Linear(tuple((t, c // factor) for t, c in form.terms), form.constant // factor)
    elif x.type is not T.index and not _is_shorter(form, u.operands):
        return None
    sides = _sides(form, x.type)
    return UOp.make("cmplt", sides, (), None, u.loc) if sides is not None and sides != (x, y) else None


def _blocks(form: Linear) -> tuple[int, Linear, Linear] | None:
    """(g, A, B) with the terms of form = g*A + B and B within 0 to g - 1; B has terms."""
    for g in sorted({abs(c) for _, c in form.terms if abs(c) > 1}, reverse=True):
        inside = Linear(tuple((t, c // g) for t, c in form.terms if c % g == 0))
        rest = Linear(tuple((t, c) for t, c in form.terms if c % g))
        least, most = rest.bounds()
        if rest.terms and least >= 0 and most < g:
            return g, inside, rest
    return None


@COMPARISONS.rule("cmplt")
def less_by_blocks(u: UOp) -> UOp | None:
    """g*a + b < g*c is a < c where 0 <= b < g; also g*a + b < g*c + d where d <= b or b < d always"""
    form = _difference(u)
    if form is None:
        return None
    # g*A + B < m, or with all signs turned, m < g*A + B, which is not (g*A + B < m + 1).
    for sign in (1, -1):
        found = _blocks(form.scaled(sign))
        if found is None:
            continue
        g, inside, rest = found
        limit = -form.constant if sign == 1 else form.constant + 1
        quotient, remainder = limit // g, limit % g
        least, most = rest.bounds()
        if remainder and most < remainder:
            quotient += 1
        elif least < remainder:
            continue
        smaller = inside.plus(Linear((), -quotient)) if sign == 1 else inside.scaled(-1).plus(Linear((), quotient - 1))
        sides = _sides(smaller, u.operands[0].type)
        if sides is not None:
            return UOp.make("cmplt", sides, (), None, u.loc)
    return None


@COMPARISONS.rule("cmplt")
def compare_quotient(u: UOp) -> UOp | None:
    """x // c < k is x < k*c; k < x // c is k*c + c - 1 < x"""
    x, y = u.operands
    quotient, limit = (x, y) if y.name == "const" else (y, x)
    if limit.name != "const" or quotient.name != "floordiv" or quotient.operands[1].name != "const" or quotient.operands[1].value <= 0:
        return None
    dividend, divisor = quotient.operands[0], quotient.operands[1].value
    value = limit.value * divisor + (0 if limit is y else divisor - 1)
    if not fits((value, value), limit.dtype):
        return None
    sides = (dividend, const(value, limit.type))
    return UOp.make("cmplt", sides if limit is y else sides[::-1], (), None, u.loc)


@COMPARISONS.rule("cmpeq", "cmpne")
def equal_modulo(u: UOp) -> UOp | None:
    """x - y == 0 is x == y, and x + 3 == 5 is x == 2, also where the sum wraps"""
    x, y = u.operands
    if x.dtype.kind not in "iu" or y.name != "const" or isinstance(x.type, T.TensorType):
        return None
    if x.name == "sub" and y.value == 0:
        return UOp.make(u.name, x.operands, (), None, u.loc)
    if x.name == "add" and x.operands[1].name == "const":
        return UOp.make(u.name, (x.operands[0], const(y.value - x.operands[1].value, y.type)), (), None, u.loc)
    return None


@COMPARISONS.rule("cmpeq", "cmpne")
def equal_by_sides(u: UOp) -> UOp | None:
    """x + 3 == 5 is x == 2; 4*x == 4*y is x == y; 4*x == 6 is false"""
    form = _difference(u)
    if form is None or not form.terms:
        return None
    x, y = u.operands
    factor = gcd(*(c for _, c in form.terms))
    if form.constant % factor:
        return const(u.name == "cmpne", u.type)
    if next(c for _, c in form.terms) < 0:
        factor = -factor
    if factor != 1:
        form = Linear(tuple((t, c // factor) for t, c in form.terms), form.constant // factor)
    elif x.type is not T.index and not _is_shorter(form, u.operands):
        return None
    sides = _sides(form, x.type)
    if sides is None or sides == (x, y) or sides == (y, x):
        return None
    return UOp.make(u.name, sides, (), None, u.loc)


@COMPARISONS.rule("cmpeq", "cmpne")
def equal_by_blocks(u: UOp) -> UOp | None:
    """g*a + b == c is a == c // g and b == c % g where 0 <= b < g"""
    form = _difference(u)
    if form is None or u.operands[0].type is not T.index:
        return None
    for sign in (1, -1):
        found = _blocks(form.scaled(sign))
        if found is not None:
            g, inside, rest = found
            value = -form.constant * sign
            outer, inner = (_equal(u.name, f, v) for f, v in ((inside, value // g), (rest, value % g)))
            return UOp.make("and" if u.name == "cmpeq" else "or", (outer, inner), (), None, u.loc)
    return None


def _equal(name: str, form: Linear, value: int) -> UOp:
    return UOp.make(name, (build(form, T.index), const(value, T.index)))


@COMPARISONS.rule("cmplt", "cmple", "cmpeq", "cmpne")
def compare_before_cast(u: UOp) -> UOp | None:
    """cast(x) < cast(y) is x < y, and cast(x) < c is x < c, for integers that the cast keeps"""
    x, y = u.operands
    if not x.dtype.is_int or isinstance(x.type, T.TensorType):
        return None
    source = next((o.operands[0] for o in (x, y) if o.name == "cast"), None)
    if source is None or not source.dtype.is_int:
        return None
    changed = []
    for operand in (x, y):
        if operand.name == "cast" and operand.operands[0].dtype is source.dtype and is_exact(operand):
            changed.append(operand.operands[0])
        elif operand.name == "const" and fits((operand.value, operand.value), source.dtype):
            changed.append(const(operand.value, source.type))
        else:
            return None
    return UOp.make(u.name, tuple(changed), (), None, u.loc)
