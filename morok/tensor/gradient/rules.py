"""The vector-Jacobian product of each op of the tensor form.

    RULES["mul"](u, g)      what reaches each operand of u = mul(x, y) when g reaches u: (g * y, g * x); None where nothing does

`g` and all that is given have the shapes and dtypes of the values that they belong to. At a point where a function has no derivative: abs has 0 at 0; max
and min of two values share a tie in halves, but with a bound (a constant behind `detach`) the first operand has all of it, so that max(bound, x) is
flat at the bound, as relu is, and max(x, bound) is not, as clip; reductions share a tie among all that attain the extreme. Rounding (floor,
trunc, ...) has derivative 0; comparisons, bits and integers have none.
"""
from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ...dialect import types as T
from ...graph.tensor_graph import TensorUOp, device_of
from .. import build

Cotangents = tuple[TensorUOp | None, ...]
Rule = Callable[[TensorUOp, TensorUOp], Cotangents]

RULES: dict[str, Rule] = {}


def rule(*names: str) -> Callable[[Rule], Rule]:
    def enter(f: Rule) -> Rule:
        RULES.update(dict.fromkeys(names, f))
        return f
    return enter


def like(u: TensorUOp, value: float) -> TensorUOp:
    """Every element the value, in the shape of `u`."""
    return build.full(build.shape_of(u), value, u.dtype)


def select(condition: TensorUOp, x: TensorUOp, y: TensorUOp) -> TensorUOp:
    return build.alu("where", condition, x, y)


def compare(name: str, x: TensorUOp, y: TensorUOp) -> TensorUOp:
    return build.alu(name, x, y)


def f(name: str, *operands: TensorUOp) -> Any:
    return build.alu(name, *operands)


# Functions of one value: the derivative, given x and u = f(x)

DERIVATIVES: dict[str, Callable[[Any, Any], Any]] = {
    "sqrt": lambda x, u: f("div", like(x, 0.5), u),
    "exp": lambda x, u: u,
    "exp2": lambda x, u: u * like(x, math.log(2)),
    "expm1": lambda x, u: f("exp", x),
    "log": lambda x, u: f("div", like(x, 1.0), x),
    "log2": lambda x, u: f("div", like(x, 1 / math.log(2)), x),
    "log1p": lambda x, u: f("div", like(x, 1.0), (x + like(x, 1.0))),
    "sin": lambda x, u: f("cos", x),
    "cos": lambda x, u: -f("sin", x),
    "tan": lambda x, u: u * u + like(x, 1.0),
    "asin": lambda x, u: f("div", like(x, 1.0), f("sqrt", like(x, 1.0) - x * x)),
    "acos": lambda x, u: f("div", like(x, -1.0), f("sqrt", like(x, 1.0) - x * x)),
    "atan": lambda x, u: f("div", like(x, 1.0), (x * x + like(x, 1.0))),
    "sinh": lambda x, u: f("cosh", x),
    "cosh": lambda x, u: f("sinh", x),
    "tanh": lambda x, u: like(x, 1.0) - u * u,
    "asinh": lambda x, u: f("div", like(x, 1.0), f("sqrt", x * x + like(x, 1.0))),
    "acosh": lambda x, u: f("div", like(x, 1.0), (f("sqrt", x - like(x, 1.0)) * f("sqrt", x + like(x, 1.0)))),
    "atanh": lambda x, u: f("div", like(x, 1.0), (like(x, 1.0) - x * x)),
    "erf": lambda x, u: f("exp", -(x * x)) * like(x, 2 / math.sqrt(math.pi)),
}


def _of_derivative(derivative: Callable[[Any, Any], Any]) -> Rule:
    return lambda u, g: (f("mul", g, derivative(u.operands[0], u)),)


RULES.update({name: _of_derivative(d) for name, d in DERIVATIVES.items()})


@rule("floor", "ceil", "trunc", "round")
def constant_by_steps(u: TensorUOp, g: TensorUOp) -> Cotangents:
    return (None,)


@rule("neg")
def negation(u: TensorUOp, g: TensorUOp) -> Cotangents:
    return (f("neg", g),)


@rule("abs")
def absolute(u: TensorUOp, g: TensorUOp) -> Cotangents:
    x, zero = u.operands[0], like(u, 0.0)
    return (select(compare("cmplt", zero, x), g, select(compare("cmplt", x, zero), f("neg", g), f("mul", g, zero))),)


# Functions of two values

@rule("add")
def addition(u: TensorUOp, g: TensorUOp) -> Cotangents:
    return g, g


@rule("sub")
def subtraction(u: TensorUOp, g: TensorUOp) -> Cotangents:
    return g, f("neg", g)


@rule("mul")
def product(u: TensorUOp, g: TensorUOp) -> Cotangents:
    x, y = u.operands
    return f("mul", g, y), f("mul", g, x)


@rule("div")
def quotient(u: TensorUOp, g: TensorUOp) -> Cotangents:
    y = u.operands[1]
    part = f("div", g, y)
    return part, f("neg", f("mul", part, u))


@rule("pow")
def power(u: TensorUOp, g: TensorUOp) -> Cotangents:
    x, y = u.operands
    zero, one = like(u, 0.0), like(u, 1.0)
    by_base = select(compare("cmpeq", y, zero), zero, f("mul", g, f("mul", y, f("pow", x, f("sub", y, one)))))
    flat = f("and", compare("cmpeq", x, zero), compare("cmple", zero, y))  # 0**y is 0 round about y
    by_exponent = select(flat, zero, f("mul", g, f("mul", u, f("log", select(flat, one, x)))))
    return by_base, by_exponent


@rule("max", "min")
def extreme(u: TensorUOp, g: TensorUOp) -> Cotangents:
    x, y = u.operands
    loses = (lambda a, b: compare("cmplt", a, b)) if u.name == "max" else (lambda a, b: compare("cmplt", b, a))
    zero = like(u, 0.0)
    if _is_bound(x):
        return None, select(loses(x, y), g, select(compare("cmpne", y, y), g, zero))
    if _is_bound(y):
        return select(loses(x, y), zero, g), None
    tie, halves = compare("cmpeq", x, y), f("mul", g, like(u, 0.5))
    return select(loses(x, y), zero, select(tie, halves, g)), select(loses(y, x), zero, select(tie, halves, g))


def _is_bound(u: TensorUOp) -> bool:
    while u.name in ("reshape", "expand"):
        u = u.operands[0]
    return u.name == "detach"


@rule("where")
def choice(u: TensorUOp, g: TensorUOp) -> Cotangents:
    condition, zero = u.operands[0], like(u, 0.0)
    return None, select(condition, g, zero), select(condition, zero, g)


@rule("cast")
def conversion(u: TensorUOp, g: TensorUOp) -> Cotangents:
    return (build.cast(g, u.operands[0].dtype),)


# Movement

def _along(u: TensorUOp, g: TensorUOp | None) -> Cotangents:
    """The cotangent of the moved value; the sizes among the operands have none."""
    return (g, *[None] * (len(u.operands) - 1))


@rule("reshape")
def reshaped(u: TensorUOp, g: TensorUOp) -> Cotangents:
    return _along(u, build.reshape(g, build.shape_of(u.operands[0])))


@rule("permute")
def permuted(u: TensorUOp, g: TensorUOp) -> Cotangents:
    order = u.attributes[0]
    return _along(u, build.permute(g, tuple(order.index(a) for a in range(len(order)))))


@rule("expand")
def expanded(u: TensorUOp, g: TensorUOp) -> Cotangents:
    old, new = build.shape_of(u.operands[0]), build.shape_of(u)
    axes = tuple(a for a, (o, n) in enumerate(zip(old, new)) if o == 1 and n != 1)
    return _along(u, build.with_unit_axes(_sum(g, axes), new, axes) if axes else g)


def _sum(u: TensorUOp, axes: tuple[int, ...]) -> TensorUOp:
    """A sum over axes; of 16-bit floats in float32, rounded once."""
    dtype = u.dtype
    wide = T.float32 if dtype.is_float and dtype.bits <= 16 else dtype
    return build.cast(build.reduce(build.cast(u, wide), "add", axes), dtype)


@rule("pad")
def padded(u: TensorUOp, g: TensorUOp) -> Cotangents:
    return _along(u, build.shrink(g, build.stated_of(u, "low"), build.shape_of(u.operands[0])))


@rule("shrink")
def windowed(u: TensorUOp, g: TensorUOp) -> Cotangents:
    begin = build.stated_of(u, "begin")
    whole = build.shape_of(u.operands[0])
    high = tuple(w - b - s for w, b, s in zip(whole, begin, build.shape_of(u)))
    found = build.pad(g, begin, high)
    if found.type is not u.operands[0].type:  # n and 8 - n are 8, whatever n; the type must say so
        attributes, operands = build.stated((0,) * len(whole), whole)
        found = build.op("shrink", (found, *operands), attributes)
    return _along(u, found)


@rule("flip")
def flipped(u: TensorUOp, g: TensorUOp) -> Cotangents:
    return _along(u, build.flip(g, u.attributes[0]))


@rule("contiguous")
def stored(u: TensorUOp, g: TensorUOp) -> Cotangents:
    """What was stored on the way is stored on the way back, too: where one ends the computations, the other does."""
    return (build.op("contiguous", (g,)),)


@rule("copy")
def copied(u: TensorUOp, g: TensorUOp) -> Cotangents:
    return (build.op("copy", (g,), (device_of(u.operands[0]),)),)



@rule("assign")
def assigned(u: TensorUOp, g: TensorUOp) -> Cotangents:
    target, view, value = u.operands
    whole = build.op("contiguous", (g,))
    zero = like(value, 0.0)
    return build.op("assign", (g, moved_as(view, target, whole), zero)), None, moved_as(view, target, g)


def moved_as(view: TensorUOp, target: TensorUOp, u: TensorUOp) -> TensorUOp:
    """The movements that lead from an assign's target to its view, of another value."""
    steps = []
    while view is not target and view.name != "contiguous":
        steps.append(view)
        view = view.operands[0]
    for step in reversed(steps):
        u = build.op(step.name, (u, *step.operands[1:]), step.attributes)
    return u


# Reductions

@rule("reduce_axis")
def reduction(u: TensorUOp, g: TensorUOp) -> Cotangents:
    name, axes = u.attributes
    x = u.operands[0]
    if not x.dtype.is_float:
        return (None,)
    shape = build.shape_of(x)

    def back(v: TensorUOp) -> TensorUOp:
        return build.expand(build.with_unit_axes(v, shape, axes), shape)

    if name == "add":
        return (back(g),)
    if name == "mul":
        return (_factor(u, g, back),)
    attained = compare("cmpeq", x, back(u))
    count = _sum(select(attained, like(x, 1.0), like(x, 0.0)), axes)
    return (select(attained, back(f("div", g, count)), like(x, 0.0)),)


@rule("scan")
def cumulative(u: TensorUOp, g: TensorUOp) -> Cotangents:
    """Sums go back as sums from the other end; products by these, but at and behind the first 0; an extreme to where it was last attained."""
    name, axis = u.attributes
    x = u.operands[0]
    if not x.dtype.is_float:
        return (None,)
    one, zero = like(x, 1.0), like(x, 0.0)
    if name == "add":
        return (_from_the_end(g, axis),)
    if name == "logaddexp":
        return (f("sub", *(_shares_of_later(select(compare("cmplt", zero, h), h, zero), x, u, axis) for h in (g, f("neg", g)))),)
    if name == "mul":
        is_zero = compare("cmpeq", x, zero)
        zeros = build.scan(select(is_zero, one, zero), "add", axis)
        first = f("and", is_zero, compare("cmpeq", zeros, one))
        without = build.scan(select(first, one, x), "mul", axis)
        before = f("div", _from_the_end(f("mul", g, u), axis), select(is_zero, one, x))
        at = _from_the_end(f("mul", g, without), axis)
        return (select(compare("cmpeq", zeros, zero), before, select(first, at, zero)),)
    shape = build.shape_of(x)
    number = build.broadcast(build.iota_along(shape, axis, T.int64), shape)
    attained = build.scan(select(compare("cmpeq", x, u), number, build.full(shape, -1, T.int64)), "max", axis)
    order = (*(a for a in range(len(shape)) if a != axis), axis)
    rows, count = math.prod(s for a, s in enumerate(shape) if a != axis), shape[axis]
    places, given = (build.reshape(build.permute(v, order), (rows, count)) for v in (attained, g))
    total = build.scatter(build.full((rows, count, 1), 0.0, x.dtype), places, build.reshape(given, (rows, count, 1)), "add")
    return (build.permute(build.reshape(total, tuple(shape[a] for a in order)), tuple(order.index(a) for a in range(len(shape)))),)


def _shares_of_later(g: TensorUOp, x: TensorUOp, u: TensorUOp, axis: int) -> TensorUOp:
    """exp(x) times the sums of g exp(-u) from each element on, for g >= 0; in logarithms, so that nothing overflows."""
    low = build.alu("sub", f("log", g), u)
    low = select(compare("cmpeq", g, like(g, 0.0)), like(g, -math.inf), low)
    total = build.flip(build.scan(build.flip(low, (axis,)), "logaddexp", axis), (axis,))
    return f("exp", f("add", total, x))


def _from_the_end(g: TensorUOp, axis: int) -> TensorUOp:
    """Sums of all from each element on."""
    return build.flip(build.scan(build.flip(g, (axis,)), "add", axis), (axis,))


def _factor(u: TensorUOp, g: TensorUOp, back: Callable[[TensorUOp], TensorUOp]) -> TensorUOp:
    """Of a product: each factor receives the product of the others, also where one is 0."""
    x, axes = u.operands[0], u.attributes[1]
    one, zero = like(x, 1.0), like(x, 0.0)
    is_zero = compare("cmpeq", x, zero)
    zeros = back(_sum(select(is_zero, one, zero), axes))
    rest = back(build.reduce(select(is_zero, one, x), "mul", axes))
    others = select(compare("cmpeq", zeros, zero), f("div", back(u), select(is_zero, one, x)),
                    select(f("and", is_zero, compare("cmpeq", zeros, one)), rest, zero))
    return f("mul", back(g), others)
