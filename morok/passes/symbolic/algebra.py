"""Algebraic identities of single ops: neutral elements, nested constants, canonical order, casts, selections and bool logic.

Floats keep their NaNs, infinities and signed zeros: x * 0, x - x and x / x stay, and so does x + 0.0 (which turns -0.0 into 0.0).
"""
from __future__ import annotations

from math import frexp, isfinite

from ...dialect import types as T
from ...dialect.types import DType
from ...graph.uop import UOp, const
from ..pattern import PatternSet
from .bounds import bounds, fits, is_exact
from .linear import build, linear

ALGEBRA = PatternSet("algebra")

_COMMUTATIVE = ("add", "mul", "max", "min", "and", "or", "xor", "cmpeq", "cmpne")


# Order and neutral elements

@ALGEBRA.rule(*_COMMUTATIVE)
def constant_right(u: UOp) -> UOp | None:
    """2 + x = x + 2, and so for the other commutative ops."""
    x, y = u.operands
    return UOp.make(u.name, (y, x), (), None, u.loc) if x.name == "const" and y.name != "const" else None


@ALGEBRA.rule("add", "sub")
def add_neutral(u: UOp) -> UOp | None:
    """x + 0 = x; for floats only x + -0.0 = x and x - 0.0 = x"""
    x, y = u.operands
    if y.name != "const" or y.value != 0:
        return None
    if u.dtype.is_float:
        neutral = "-0.0" if u.name == "add" else "0.0"
        return x if repr(float(y.value)) == neutral else None
    return x


@ALGEBRA.rule("mul")
def multiply_neutral(u: UOp) -> UOp | None:
    """x * 1 = x; x * 0 = 0 except for floats"""
    x, y = u.operands
    if y.name != "const":
        return None
    if y.value == 1:
        return x
    if u.dtype.is_float:
        return UOp.make("neg", (x,), (), None, u.loc) if y.value == -1 else None
    return y if y.value == 0 else None


@ALGEBRA.rule("div")
def divide_by_constant(u: UOp) -> UOp | None:
    """x / 1 = x; x / 2^k = x * 2^-k, which is exact"""
    x, y = u.operands
    if y.name != "const" or not isfinite(y.value) or y.value == 0:
        return None
    if y.value == 1:
        return x
    mantissa, exponent = frexp(y.value)
    return UOp.make("mul", (x, const(1 / y.value, y.type)), (), None, u.loc) if abs(mantissa) == 0.5 and abs(exponent) < 14 else None


@ALGEBRA.rule("sub", "xor", "cmpeq", "cmpne", "cmplt", "cmple")
def same_operands(u: UOp) -> UOp | None:
    """x - x = 0, x xor x = 0, x == x, x <= x and so on; not for floats, where x may be NaN"""
    x, y = u.operands
    if x is not y or x.dtype.is_float or isinstance(u.type, T.TensorType):
        return None
    return const(u.name in ("cmpeq", "cmple"), u.type, u.loc)


@ALGEBRA.rule("max", "min", "and", "or")
def idempotent(u: UOp) -> UOp | None:
    """max(x, x) = x, and so for min, and, or"""
    return u.operands[0] if u.operands[0] is u.operands[1] else None


@ALGEBRA.rule("neg", "not")
def twice(u: UOp) -> UOp | None:
    """neg(neg(x)) = x; not(not(x)) = x"""
    return u.operands[0].operands[0] if u.operands[0].name == u.name else None


# Integers

@ALGEBRA.rule("add", "mul", "and", "or", "xor", "max", "min")
def nested_constants(u: UOp) -> UOp | None:
    """(x + 2) + 3 = x + 5, and so for the other associative ops on integers; max and min on floats too"""
    inner, y = u.operands
    if y.name != "const" or inner.name != u.name or inner.operands[1].name != "const" or (u.dtype.is_float and u.name in ("add", "mul")):
        return None
    return UOp.make(u.name, (inner.operands[0], UOp.make(u.name, (inner.operands[1], y))), (), None, u.loc)


@ALGEBRA.rule("add")
def add_after_constant(u: UOp) -> UOp | None:
    """(x + 2) + y = (x + y) + 2 on integers"""
    inner, y = u.operands
    if u.dtype.kind not in "iu" or y.name == "const" or inner.name != "add" or inner.operands[1].name != "const":
        return None
    return UOp.make("add", (UOp.make("add", (inner.operands[0], y)), inner.operands[1]), (), None, u.loc)


@ALGEBRA.rule("add", "sub", "mul", "neg")
def canonical_sum(u: UOp) -> UOp | None:
    """Index sums are written as their linear form: equal terms added, products distributed, terms in order."""
    if u.type is not T.index:
        return None
    return build(linear(u), T.index)


@ALGEBRA.rule("add", "sub")
def combine_terms(u: UOp) -> UOp | None:
    """x * 3 + x = x * 4 on other integers, where the sum gets shorter"""
    if u.dtype.kind not in "iu" or isinstance(u.type, T.TensorType) or not is_exact(u):
        return None
    form, parts = linear(u), [linear(o) for o in u.operands]
    before = sum(len(p.terms) + (p.constant != 0) for p in parts)
    return build(form, u.type) if len(form.terms) + (form.constant != 0) < before else None


@ALGEBRA.rule("max", "min")
def max_by_bounds(u: UOp) -> UOp | None:
    """max(x, y) = x where x >= y always; likewise min"""
    if u.dtype.is_float or isinstance(u.type, T.TensorType):
        return None
    x, y = u.operands
    least, most = linear(x).minus(linear(y)).bounds() if u.dtype.is_int else (bounds(x)[0] - bounds(y)[1], bounds(x)[1] - bounds(y)[0])
    if least >= 0:
        return x if u.name == "max" else y
    return (y if u.name == "max" else x) if most <= 0 else None


# Casts

@ALGEBRA.rule("cast", "bitcast")
def cast_to_same(u: UOp) -> UOp | None:
    """A cast to the operand's own dtype is the operand."""
    return u.operands[0] if u.operands[0].type is u.type else None


@ALGEBRA.rule("cast")
def cast_of_cast(u: UOp) -> UOp | None:
    """A cast through a dtype that loses nothing goes directly; one back to where it came from vanishes."""
    inner = u.operands[0]
    if inner.name != "cast":
        return None
    source = inner.operands[0]
    if not _keeps_value(source, inner.dtype) or (source.dtype.is_float and not u.dtype.is_float and not inner.dtype.is_float):
        return None
    return source.cast(u.dtype)


def _keeps_value(source: UOp, middle: DType) -> bool:
    """Whether every value that `source` takes is the same in the dtype `middle`."""
    old = source.dtype
    if old is T.bool_:
        return True
    if middle is T.bool_:
        return False
    if old.is_float:
        return middle.is_float and (old is middle or (middle.bits > old.bits))
    return fits(bounds(source), middle)


@ALGEBRA.rule("bitcast")
def bitcast_of_bitcast(u: UOp) -> UOp | None:
    """bitcast(bitcast(x)) = bitcast(x)"""
    inner = u.operands[0]
    return inner.operands[0].bitcast(u.dtype) if inner.name == "bitcast" and T.bool_ not in (inner.dtype, u.dtype) else None


@ALGEBRA.rule("cast")
def cast_of_choice(u: UOp) -> UOp | None:
    """cast(where(c, 1, 0)) = where(c, 1.0, 0.0)"""
    inner = u.operands[0]
    if inner.name != "where" or inner.operands[1].name != "const" or inner.operands[2].name != "const":
        return None
    return UOp.make("where", (inner.operands[0], inner.operands[1].cast(u.dtype), inner.operands[2].cast(u.dtype)), (), None, u.loc)


# Selections and bool logic

@ALGEBRA.rule("and", "or", "xor")
def logic_with_constant(u: UOp) -> UOp | None:
    """On bool x and true = x, x and false = false, x or true = true, x or false = x, x xor true = not x; on integers with 0 and -1"""
    x, y = u.operands
    if y.name != "const":
        return None
    every = y.value is True if u.dtype is T.bool_ else y.value == (u.dtype.max if u.dtype.kind == "u" else -1)
    none = not y.value
    if u.name == "and":
        return x if every else y if none else None
    if u.name == "or":
        return y if every else x if none else None
    return UOp.make("not", (x,), (), None, u.loc) if every else x if none else None


@ALGEBRA.rule("cmpeq", "cmpne")
def compare_with_truth(u: UOp) -> UOp | None:
    """x == true = x and x != true = not x, for bool x"""
    x, y = u.operands
    if y.name != "const" or x.dtype is not T.bool_:
        return None
    return x if y.value == (u.name == "cmpeq") else UOp.make("not", (x,), (), None, u.loc)


@ALGEBRA.rule("cmpne", "cmpeq")
def compare_with_zero(u: UOp) -> UOp | None:
    """cast(c) != 0 = c, for bool c cast to a number"""
    x, y = u.operands
    if y.name != "const" or x.name != "cast" or x.operands[0].dtype is not T.bool_ or y.value not in (0, 1):
        return None
    return x.operands[0] if (u.name == "cmpne") == (y.value == 0) else UOp.make("not", (x.operands[0],), (), None, u.loc)


_NEGATED = {"cmpeq": "cmpne", "cmpne": "cmpeq"}
_NEGATED_SWAPPED = {"cmplt": "cmple", "cmple": "cmplt"}


@ALGEBRA.rule("not")
def not_of_comparison(u: UOp) -> UOp | None:
    """not(x == y) = x != y; not(x < y) = y <= x, which for floats NaN forbids"""
    inner = u.operands[0]
    if inner.name in _NEGATED:
        return UOp.make(_NEGATED[inner.name], inner.operands, (), None, u.loc)
    if inner.name in _NEGATED_SWAPPED and not inner.operands[0].dtype.is_float:
        return UOp.make(_NEGATED_SWAPPED[inner.name], inner.operands[::-1], (), None, u.loc)
    return None


@ALGEBRA.rule("and", "or")
def excluded_middle(u: UOp) -> UOp | None:
    """x and not x = false; x or not x = true (bool)"""
    x, y = u.operands
    if u.dtype is not T.bool_ or isinstance(u.type, T.TensorType):
        return None
    opposite = (x.name == "not" and x.operands[0] is y) or (y.name == "not" and y.operands[0] is x)
    return const(u.name == "or", u.type) if opposite else None


@ALGEBRA.rule("where")
def choose_truth(u: UOp) -> UOp | None:
    """where(c, true, false) = c; where(c, false, true) = not c; where(c, x, false) = c and x; where(c, true, y) = c or y"""
    condition, x, y = u.operands
    if u.dtype is not T.bool_:
        return None
    if y.is_const(False):
        return UOp.make("and", (condition, x), (), None, u.loc)
    if x.is_const(True):
        return UOp.make("or", (condition, y), (), None, u.loc)
    if x.is_const(False):
        return UOp.make("and", (UOp.make("not", (condition,)), y), (), None, u.loc)
    return UOp.make("or", (UOp.make("not", (condition,)), x), (), None, u.loc) if y.is_const(True) else None


@ALGEBRA.rule("where")
def choose_otherwise(u: UOp) -> UOp | None:
    """where(not c, x, y) = where(c, y, x); the same for x != y"""
    condition, x, y = u.operands
    if condition.name == "not":
        return UOp.make("where", (condition.operands[0], y, x), (), None, u.loc)
    if condition.name == "cmpne":
        return UOp.make("where", (UOp.make("cmpeq", condition.operands), y, x), (), None, u.loc)
    return None


@ALGEBRA.rule("where")
def choose_nested(u: UOp) -> UOp | None:
    """where(a, where(b, x, y), y) = where(a and b, x, y); where(c, where(c, x, y), z) = where(c, x, z)"""
    condition, x, y = u.operands
    if x.name == "where":
        if x.operands[0] is condition:
            return UOp.make("where", (condition, x.operands[1], y), (), None, u.loc)
        if x.operands[2] is y:
            return UOp.make("where", (UOp.make("and", (condition, x.operands[0])), x.operands[1], y), (), None, u.loc)
    if y.name == "where" and y.operands[0] is condition:
        return UOp.make("where", (condition, x, y.operands[2]), (), None, u.loc)
    return None


@ALGEBRA.rule("mul")
def multiply_by_truth(u: UOp) -> UOp | None:
    """x * where(c, 1, 0) = where(c, x, 0) and x * cast(c) = where(c, x, 0), except for floats, where x may be NaN"""
    if u.dtype.kind not in "iu" or isinstance(u.type, T.TensorType):
        return None
    for x, choice in (u.operands, u.operands[::-1]):
        condition = None
        if choice.name == "cast" and choice.operands[0].dtype is T.bool_:
            condition = choice.operands[0]
        elif choice.name == "where" and choice.operands[1].is_const(1) and choice.operands[2].is_const(0):
            condition = choice.operands[0]
        if condition is not None:
            return UOp.make("where", (condition, x, const(0, u.type)), (), None, u.loc)
    return None
