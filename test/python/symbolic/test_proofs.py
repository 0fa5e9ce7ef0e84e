"""Each integer rule of the symbolic engine, proved with Z3.

Random expressions give instances on which a rule fires (whether or not its operands are in normal form); a few instances of rare rules
are written out. Both sides become Z3 integers: floor division, 8-bit dtypes that wrap, loads as functions of their place; leaves are
bounded, and a range is below its extent. A rule holds for an instance if the two sides cannot differ.
"""

from collections import defaultdict
from collections.abc import Callable
from itertools import product
from random import Random

import pytest
import z3
from random_expressions import Expressions, make_range, variable

from morok.dialect import types as T
from morok.graph.uop import UOp, argument, as_index, const, index_const, toposort
from morok.passes.symbolic import SYMBOLIC, simplify

INSTANCES = 12
"""Instances proved for each rule."""

ON_FLOATS = {"divide_by_constant": "floats only: test_float_rules.py", "quotient_within_choice": "floats only: test_float_rules.py",
             "bitcast_of_bitcast": "no arithmetic"}


# Instances


def written_out() -> list[UOp]:
    """Instances of rules that random expressions seldom meet."""
    i, j, n, m = make_range(4, 0), make_range(6, 1), variable("n", 1, 5), variable("m", 0, 4)
    x, byte, p, q = argument(0, T.index), argument(1, T.int8), argument(4, T.bool_), argument(5, T.bool_)
    rn, rm = make_range(n, 10), make_range(m, 11)
    memory = argument(9, T.memref((8, 8), T.int8))

    def load(a: UOp, b: UOp, gate: UOp | None = None, other: int = 0) -> UOp:
        pointer = UOp.make("index", (memory, a, b), (), T.ptr(T.int8, "global"))
        return UOp.make("load", (pointer,) if gate is None else (pointer, gate, const(other, T.int8)))

    one, zero = const(1, T.int8), const(0, T.int8)
    return [
        (x // 4) * 4 + x % 4,
        (x // 4 % 3) * 4 + x % 4,
        x // 5 * 10 + x % 5 * 2 + i,
        x // 9 * 72 + (x + (x * 2 + j) // 6) % 12 * 6 + (x * 2 + j) % 6,
        x + (x // 4) * -4,
        j - (j // 4) * 4 + x,
        byte // 4 * 4 + byte % 4,
        (rn * m + rm) // m,
        (rn * m + rm) % m,
        (x // n) * n + x % n,
        (x * n + rn) // n,
        (x * (n + 1) + rn) // (n + 1),
        (i * 6 + j) // 12,
        (i * 6 + j) % 12,
        (x % 12) // 4,
        (x // 4 + 3) // 6,
        (x % 12 + i) % 4,
        (x * 4 + i).eq(7),
        (x * 4 + i).ne(7),
        (x * 4 + i).lt(8),
        UOp.make("cmplt", (index_const(9), x * 4 + i)),
        byte.alu("sub", byte).eq(0),
        byte.alu("sub", load(i, j)).eq(0),
        byte.eq(byte),
        (byte + 3).eq(5),
        load(i, j, i.lt(9)),
        load(i, j, const(True, T.bool_)),
        load(i, j, const(False, T.bool_), 3),
        p.where(load(i, j, p), const(5, T.int8)),
        (p & q).where(load(i, j, q), const(5, T.int8)),
        load(i, (j + 5) % 6, UOp.make("cmplt", (index_const(0), j))),
        load(i, j % 4, j.lt(3), 7),
        load(i, j, const(True, T.bool_) & p),
        i.lt(2).where(i % 2, j),
        p.where(one, zero).alu("mul", byte),
        byte.alu("mul", p.cast(T.int8)),
        (byte + 3).alu("add", load(i, j)),
        p & p.alu("not"),
        p | p.alu("not"),
        p.eq(True),
        p.ne(True),
        p.cast(T.int8).ne(0),
        p.where(one, zero).cast(T.int16),
        p.where(q, q),
        p.where(p.where(i, j), x),
        p.where(i, p.where(j, x)),
        p.where(q.where(i, j), j),
        byte.alu("xor", byte),
        byte.alu("max", byte),
        byte.cast(T.int16).cast(T.int8),
        byte.alu("neg").alu("neg"),
        byte.alu("not").alu("not"),
        byte.alu("and", const(-1, T.int8)),
        byte.alu("or", zero),
        byte.alu("xor", const(-1, T.int8)),
        (byte & 12) & 6,
        i.cast(T.int8).lt(j.cast(T.int8)),
        UOp.make("cast", (byte,), (), T.int8),
        i.cast(T.int8) * 3 + i.cast(T.int8),
        i.cast(T.int8) * 4 + 2 - i.cast(T.int8) * 2,
        (j // 2).lt(2),
        byte.le(5),
        UOp.make("cmple", (const(5, T.int8), byte)),
    ]


def instances() -> dict[Callable, list[tuple[UOp, UOp]]]:
    """For each rule, ops on which it fires, with what it gives."""
    found: dict[Callable, dict[UOp, UOp]] = defaultdict(dict)

    def harvest(root: UOp) -> None:
        for u in toposort((root,)):
            for patterns in SYMBOLIC:
                for rule in patterns.rules.get(u.name, ()):
                    if len(found[rule]) < INSTANCES and u not in found[rule]:
                        result = rule(u)
                        if result is not None and result is not u:
                            found[rule][u] = result

    for u in written_out():
        harvest(u)
    for seed in range(700):
        random = Random(seed)
        source = Expressions(random, symbolic=seed % 4 == 0)
        for make in (source.index, source.truth, source.small):
            u = make(random.randint(1, 4))
            if sum(o.name == "mul" for o in toposort((u,))) < 6:
                harvest(u)
                harvest(simplify((u,))[0])
    return {rule: list(pairs.items()) for rule, pairs in found.items()}


# Z3


class Translation:
    """UOps as Z3 terms, and what is known of the leaves. Sizes may be given values, which turns products with them linear."""

    def __init__(self, sizes: dict[UOp, int] | None = None):
        self.terms: dict[UOp, z3.ExprRef] = {}
        self.known: list[z3.BoolRef] = []
        self.sizes = sizes or {}

    def __call__(self, root: UOp) -> z3.ExprRef:
        for u in toposort((root,)):
            if u not in self.terms:
                self.terms[u] = self._term(u)
        return self.terms[root]

    def _leaf(self, u: UOp, least: z3.ExprRef | int, most: z3.ExprRef | int) -> z3.ExprRef:
        term = z3.Int(f"{u.name}_{u.attributes[0]}")
        self.known += [least <= term, term <= most]
        return term

    def _term(self, u: UOp) -> z3.ExprRef | None:
        if isinstance(u.type, T.MemRefType):
            return None
        if u.name == "index":
            return z3.Function(f"memory_{u.operands[0].attributes[0]}", *[z3.IntSort()] * (len(u.operands)))(
                *(self.terms[o] for o in u.operands[1:])
            )
        if u.name == "const":
            return z3.BoolVal(u.value) if u.dtype is T.bool_ else z3.IntVal(u.value)
        if u.name == "define_var":
            return z3.IntVal(self.sizes[u]) if u in self.sizes else self._leaf(u, u.attribute("min"), u.attribute("max"))
        if u.name == "range":
            return self._leaf(u, 0, self.terms[u.operands[0]] - 1)
        if u.name == "arg":
            return z3.Bool(f"arg_{u.attributes[0]}") if u.dtype is T.bool_ else self._leaf(u, u.dtype.min, u.dtype.max)
        return self._computed(u, *(self.terms[o] for o in u.operands))

    def _computed(self, u: UOp, *x: z3.ExprRef) -> z3.ExprRef:
        if u.name == "load":
            element = wrapped(x[0], u.dtype)
            return z3.If(x[1], element, x[2]) if len(x) == 3 else element
        if u.name == "where":
            return z3.If(*x)
        if u.name == "cast":
            return self._cast(u, x[0])
        if u.name in ("cmpeq", "cmpne"):
            return x[0] == x[1] if u.name == "cmpeq" else x[0] != x[1]
        if u.dtype is T.bool_:
            if u.name in ("max", "min", "mul", "add"):
                return z3.Or(*x) if u.name in ("max", "add") else z3.And(*x)
            if u.operands[0].dtype is T.bool_ and u.name in ("cmplt", "cmple"):
                return z3.And(z3.Not(x[0]), x[1]) if u.name == "cmplt" else z3.Or(z3.Not(x[0]), x[1])
            return {"and": z3.And, "or": z3.Or, "xor": z3.Xor, "not": z3.Not, "cmplt": lambda a, b: a < b, "cmple": lambda a, b: a <= b}[
                u.name
            ](*x)
        if u.name in ("and", "or", "xor", "not"):
            return self._bitwise(u, *x)
        return wrapped(INTEGERS[u.name](*x), u.dtype)

    def _cast(self, u: UOp, x: z3.ExprRef) -> z3.ExprRef:
        source = u.operands[0].dtype
        if u.dtype is T.bool_:
            return x if source is T.bool_ else x != 0
        return z3.If(x, z3.IntVal(1), z3.IntVal(0)) if source is T.bool_ else wrapped(x, u.dtype)

    def _bitwise(self, u: UOp, *x: z3.ExprRef) -> z3.ExprRef:
        bits = [z3.Int2BV(v, u.dtype.bits) for v in x]
        operation = {"and": lambda a, b: a & b, "or": lambda a, b: a | b, "xor": lambda a, b: a ^ b, "not": lambda a: ~a}[u.name]
        return z3.BV2Int(operation(*bits), is_signed=u.dtype.kind != "u")


def wrapped(x: z3.ArithRef, dtype: T.DType) -> z3.ArithRef:
    """An integer brought into a dtype's values; index is unbounded."""
    if dtype is T.index:
        return x
    return (x - int(dtype.min)) % (1 << dtype.bits) + int(dtype.min)


def floor_divide(x: z3.ArithRef, y: z3.ArithRef) -> z3.ArithRef:
    """Z3's own division leaves a remainder that is not negative; 0 where the divisor is 0."""
    if z3.is_int_value(y):
        return z3.IntVal(0) if y.as_long() == 0 else x / y if y.as_long() > 0 else -x / -y
    return z3.If(y == 0, z3.IntVal(0), z3.If(y > 0, x / y, -x / -y))


def floor_remainder(x: z3.ArithRef, y: z3.ArithRef) -> z3.ArithRef:
    return z3.If(y == 0, z3.IntVal(0), x - floor_divide(x, y) * y)


INTEGERS: dict[str, Callable] = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "neg": lambda x: -x,
    "floordiv": floor_divide,
    "mod": floor_remainder,
    "max": lambda x, y: z3.If(x >= y, x, y),
    "min": lambda x, y: z3.If(x <= y, x, y),
    "abs": lambda x: z3.If(x >= 0, x, -x),
}


def counterexample(before: UOp, after: UOp) -> str | None:
    """Values for which the two sides differ; None if there are none."""
    sizes = [u for u in toposort((before, after)) if u.name == "define_var"]
    for values in product(*(range(s.attribute("min"), s.attribute("max") + 1) for s in sizes)):
        translate = Translation(dict(zip(sizes, values)))
        left, right = translate(before), translate(after)
        solver = z3.Solver()
        solver.set("timeout", 20000)
        solver.add(*translate.known, left != right)
        verdict = solver.check()
        if verdict != z3.unsat:
            return f"{verdict} with sizes {values}: {solver.model() if verdict == z3.sat else solver.reason_unknown()}\n{left}\n=>\n{right}"
    return None


CASES = instances()
RULES = {rule.__name__: rule for patterns in SYMBOLIC for rule in patterns.all_rules()}


@pytest.mark.parametrize("name", sorted(set(RULES) - set(ON_FLOATS)))
def test_rule_holds(name):
    pairs = [(u, v) for u, v in CASES.get(RULES[name], ()) if u.type is not T.token]
    assert pairs or name == "known_store_gate", f"no instance of {name}; write one out"
    for before, after in pairs:
        assert counterexample(before, after) is None, f"{name}: {before.backward_slice()} => {after.backward_slice()}"


def test_a_wrong_rule_is_refuted():
    x = argument(0, T.index)
    assert counterexample((x * 4 + 2).lt(4), x.lt(1)) is None
    assert counterexample((x * 4 + 3).lt(4), x.lt(2)) is not None
    assert counterexample(as_index(7) // 2 + x, x + 4) is not None
