"""Gates: the conditions of masked loads, as PAD, SHRINK and gathers make them.

    %i < 8 and %i < 5                                 =>   %i < 5
    where(%g, load(%p, %g, 0), 1)                     =>   load(%p, %g, 1)
    load(index(%b, (%i - 1) mod 10), 0 < %i, 0)       =>   load(index(%b, %i - 1), 0 < %i, 0)     where %i <= 10

A conjunct that bounds decide is gone already (`comparisons.py`); here conjuncts are weighed against each other, and what a gate says of its
variables is used where the gate holds.
"""
from __future__ import annotations

from ...dialect import types as T
from ...dialect.ops import ALU
from ...graph.uop import UOp, const, toposort_to
from ..pattern import PatternSet
from .bounds import Interval, bounds
from .linear import position

GATES = PatternSet("gates")

MOST_CONJUNCTS = 32


def conjuncts(gate: UOp) -> list[UOp]:
    """The conditions that a gate joins by `and`, each once."""
    found: dict[UOp, None] = {}
    stack = [gate]
    while stack:
        node = stack.pop()
        if node.name == "and" and node.dtype is T.bool_:
            stack += reversed(node.operands)
        elif not node.is_const(True):
            found[node] = None
    return list(found)


def all_of(conditions: list[UOp]) -> UOp:
    """The conditions joined by `and`; true if there is none."""
    if not conditions:
        return const(True, T.bool_)
    result = conditions[0]
    for condition in conditions[1:]:
        result = UOp.make("and", (result, condition))
    return result


def implies(gate: UOp, other: UOp) -> bool:
    """Whether each conjunct of `other` is one of `gate`."""
    return set(conjuncts(other)) <= set(conjuncts(gate))


def limit_of(condition: UOp) -> tuple[UOp, Interval] | None:
    """(x, interval) where the condition says that the integer x lies in the interval."""
    if condition.name not in ("cmplt", "cmpeq") or not condition.operands[0].dtype.is_int:
        return None
    x, y = condition.operands
    if y.name == "const":
        return x, ((y.value, y.value) if condition.name == "cmpeq" else (bounds(x)[0], y.value - 1))
    if x.name == "const" and condition.name == "cmplt":
        return y, (x.value + 1, bounds(y)[1])
    return None


def limits(conditions: list[UOp]) -> dict[UOp, Interval]:
    """What the conditions together say of each expression that they limit, within its bounds."""
    found: dict[UOp, Interval] = {}
    for condition in conditions:
        limit = limit_of(condition)
        if limit is not None:
            x, (least, most) = limit
            before = found.get(x) or bounds(x)
            found[x] = max(least, before[0]), min(most, before[1])
    return found


@GATES.rule("and")
def weigh_conjuncts(u: UOp) -> UOp | None:
    """x < 8 and x < 5 = x < 5; x < 3 and 5 < x = false; each conjunct once, in canonical order"""
    if u.type is not T.bool_:
        return None
    conditions = conjuncts(u)
    if len(conditions) > MOST_CONJUNCTS:
        return None
    together = limits(conditions)
    if any(least > most for least, most in together.values()):
        return const(False, T.bool_)
    if any(c.name == "not" and c.operands[0] in conditions for c in conditions):
        return const(False, T.bool_)
    kept = [c for c in conditions if limit_of(c) is None]
    for x, interval in together.items():
        kept += _conditions_of(x, interval)
    return all_of(sorted(kept, key=position))


def _conditions_of(x: UOp, interval: Interval) -> list[UOp]:
    """The fewest conditions that say that x lies in the interval."""
    (least, most), (low, high) = interval, bounds(x)
    if least == most:
        return [UOp.make("cmpeq", (x, const(least, x.type)))]
    found = []
    if least > low:
        found.append(UOp.make("cmplt", (const(least - 1, x.type), x)))
    if most < high:
        found.append(UOp.make("cmplt", (x, const(most + 1, x.type))))
    return found


@GATES.rule("load")
def known_gate(u: UOp) -> UOp | None:
    """load(p, true, y) = load(p); load(p, false, y) = y"""
    if len(u.operands) < 3 or u.operands[1].name != "const" or u.operands[1].type is not T.bool_:
        return None
    return UOp.make("load", u.operands[:1], (), None, u.loc) if u.operands[1].value else u.operands[2]


@GATES.rule("store")
def known_store_gate(u: UOp) -> UOp | None:
    """store(p, x, true) = store(p, x)"""
    return UOp.make("store", u.operands[:2], u.attributes, None, u.loc) if len(u.operands) == 3 and u.operands[2].is_const(True) else None


@GATES.rule("where")
def choice_of_gated_load(u: UOp) -> UOp | None:
    """where(g, load(p, g, x), 1) = load(p, g, 1)"""
    condition, x, y = u.operands
    if x.name != "load" or len(x.operands) != 3 or y.name != "const" or x.operands[1].type is not condition.type:
        return None
    if not implies(condition, x.operands[1]):
        return None
    return UOp.make("load", (x.operands[0], condition, y), (), None, u.loc)


@GATES.rule("where")
def quotient_within_choice(u: UOp) -> UOp | None:
    """where(g, x / load(p, g, 0), y) = where(g, x / load(p, g, 1), y), for floats

    The quotient that is not chosen would be 0 / 0. LLVM's code generator (22, AVX-512) takes that for 0, and then leaves out of a vector's mask what it
    thinks makes no difference.
    """
    condition, x, y = u.operands
    if not u.dtype.is_float or isinstance(u.type, T.TensorType):
        return None
    changed = _without_zeros(x, condition, False, {}, [MOST_QUOTIENT])
    return u.with_operands((condition, changed, y)) if changed is not x else None


MOST_QUOTIENT = 48
"""Ops that are looked at for a quotient."""


def _without_zeros(u: UOp, condition: UOp, divides: bool, made: dict[tuple[UOp, bool], UOp], left: list[int]) -> UOp:
    """The value with the loads that divide, and that the condition lets be made, giving 1 where it does not hold."""
    if (u, divides) in made:
        return made[u, divides]
    left[0] -= 1
    found = u
    if u.name == "load" and len(u.operands) == 3 and not isinstance(u.type, T.VectorType):
        if divides and u.operands[2].is_const(0) and implies(condition, u.operands[1]):
            found = u.with_operands((*u.operands[:2], const(1, u.dtype)))
    elif u.name in ALU and u.dtype.is_float and left[0] > 0:
        operands = tuple(_without_zeros(o, condition, divides or u.name == "div" and n == 1, made, left) for n, o in enumerate(u.operands))
        if operands != u.operands:
            found = u.with_operands(operands)
    made[u, divides] = found
    return found


@GATES.rule("load", "store")
def index_within_gate(u: UOp) -> UOp | None:
    """Where the gate holds, its variables are within it: that may decide a division in the index."""
    position_of_gate = 1 if u.name == "load" else 2
    if len(u.operands) <= position_of_gate or u.operands[0].name != "index":
        return None
    pointer, gate = u.operands[0], u.operands[position_of_gate]
    indices = assume(gate, pointer.operands[1:])
    if indices == pointer.operands[1:]:
        return None
    return UOp.make(u.name, (pointer.with_operands((pointer.operands[0], *indices)), *u.operands[1:]), (), None, u.loc)


@GATES.rule("where")
def arithmetic_within_choice(u: UOp) -> UOp | None:
    """where(x < 4, x mod 4, y) = where(x < 4, x, y), for integers 0 <= x"""
    if not u.dtype.is_int or isinstance(u.type, T.TensorType):
        return None
    changed, = assume(u.operands[0], u.operands[1:2])
    return UOp.make("where", (u.operands[0], changed, u.operands[2]), (), None, u.loc) if changed is not u.operands[1] else None


_DECIDABLE = frozenset(("floordiv", "mod", "max", "min"))
ARITHMETIC = ALU | {"const", "range", "define_var", "special"}
"""What an expression is made of down to its leaves: anything else is opaque in it."""


def assume(gate: UOp, expressions: tuple[UOp, ...]) -> tuple[UOp, ...]:
    """Integer expressions simplified for where the gate holds. Loads in them stay as they are: they are made whether it holds or not."""
    from . import simplify
    order = _arithmetic(expressions)
    if not any(u.name in _DECIDABLE for u in order):
        return expressions
    present = set(order)
    narrowed: dict[UOp, UOp] = {}
    for number, (x, (least, most)) in enumerate(limits(conjuncts(gate)).items()):
        if x in present and x.type is T.index and x.name != "const" and (least, most) != bounds(x) and least <= most:
            narrowed[x] = UOp.make("define_var", (), (f"assumed.{number}", least, most))
    if not narrowed:
        return expressions
    replaced = _replaced(expressions, order, narrowed)
    simpler = simplify(replaced)
    if simpler == replaced:
        return expressions
    return simplify(_replaced(simpler, _arithmetic(simpler), {variable: x for x, variable in narrowed.items()}))


def _arithmetic(expressions: tuple[UOp, ...]) -> list[UOp]:
    """The ops of the expressions down to what is not arithmetic, operands first."""
    return toposort_to(expressions, lambda u: u.name not in ARITHMETIC)


def _replaced(expressions: tuple[UOp, ...], order: list[UOp], values: dict[UOp, UOp]) -> tuple[UOp, ...]:
    new: dict[UOp, UOp] = {}
    for u in order:
        found = values.get(u)
        if found is None:
            found = u.with_operands(tuple([new[o] for o in u.operands])) if u.name in ARITHMETIC and u.operands else u
        new[u] = found
    return tuple(new[e] for e in expressions)
