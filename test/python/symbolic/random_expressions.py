"""Random integer expressions over ranges, symbolic sizes and memory, and their value: material for the tests of this folder."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from morok.dialect import types as T
from morok.graph.uop import UOp, argument, as_index, const, toposort
from morok.interpret import alu

EXTENTS = (1, 2, 3, 4, 6, 8)


def make_range(extent: int | UOp, id: int, kind: str = "loop") -> UOp:
    return UOp.make("range", (as_index(extent),), (id, kind))


def variable(name: str, least: int, most: int) -> UOp:
    return UOp.make("define_var", (), (name, least, most))


class Expressions:
    """A source of random expressions."""

    def __init__(self, random: Random, symbolic: bool = True):
        self.random = random
        n, m = variable("n", 1, 5), variable("m", 0, 4)
        self.ranges = [make_range(random.choice(EXTENTS), id) for id in range(3)]
        self.symbols: list[UOp] = []
        if symbolic:
            self.ranges += [make_range(n, 10), make_range(m, 11)]
            self.symbols = [n]
        self.opaque = argument(0, T.index)
        self.bytes = [argument(1, T.int8), argument(2, T.int8), argument(3, T.uint8)]
        self.truths = [argument(4, T.bool_), argument(5, T.bool_)]

    def index(self, depth: int) -> UOp:
        """An index expression."""
        r = self.random
        if depth == 0 or r.random() < 0.15:
            return r.choice([*self.ranges, *self.ranges, as_index(r.randint(-3, 9)), *self.symbols, self.opaque])
        kind = r.choice(
            (
                "add",
                "add",
                "add",
                "scale",
                "scale",
                "floordiv",
                "floordiv",
                "mod",
                "mod",
                "sub",
                "max",
                "min",
                "where",
                "mul",
                "divide_symbol",
            )
        )
        x = self.index(depth - 1)
        if kind == "scale":
            return UOp.make("mul", (x, as_index(r.choice((-2, -1, 0, 1, 2, 3, 4, 6, 8)))))
        if kind in ("floordiv", "mod"):
            return UOp.make(kind, (x, as_index(r.choice((-4, -3, 0, 1, 2, 3, 4, 6, 8, 12)))))
        if kind == "divide_symbol":
            return UOp.make(r.choice(("floordiv", "mod", "mul")), (x, r.choice(self.symbols))) if self.symbols else x
        if kind == "mul":
            return UOp.make("mul", (r.choice(self.ranges), r.choice([*self.ranges, *self.symbols])))
        if kind == "where":
            return self.truth(depth - 1).where(x, self.index(depth - 1))
        return UOp.make(kind, (x, self.index(depth - 1)))

    def truth(self, depth: int) -> UOp:
        """A bool expression."""
        r = self.random
        kind = r.choice(("leaf", "cmplt", "cmplt", "cmple", "cmpeq", "cmpne", "and", "and", "or", "xor", "not", "small", "where"))
        if depth == 0 or kind == "leaf":
            return r.choice(
                [
                    *self.truths,
                    const(True, T.bool_),
                    self.ranges[0].lt(r.randint(0, 6)),
                    UOp.make("cmplt", (as_index(r.randint(0, 4)), self.ranges[1])),
                ]
            )
        if kind in ("and", "or", "xor"):
            return UOp.make(kind, (self.truth(depth - 1), self.truth(depth - 1)))
        if kind == "not":
            return UOp.make("not", (self.truth(depth - 1),))
        if kind == "where":
            return self.truth(depth - 1).where(self.truth(depth - 1), self.truth(depth - 1))
        name = r.choice(("cmplt", "cmple", "cmpeq", "cmpne")) if kind == "small" else kind
        part = self.small if kind == "small" else self.index
        x = part(depth - 1)
        y = const(r.randint(-4, 20), x.type) if r.random() < 0.5 else part(depth - 1)
        return UOp.make(name, (x, y if y.type is x.type else y.cast(x.dtype)))

    def small(self, depth: int, dtype: T.DType | None = None) -> UOp:
        """An expression of an 8-bit dtype, in which arithmetic wraps."""
        r = self.random
        dtype = dtype or r.choice((T.int8, T.int8, T.uint8))
        if depth == 0 or r.random() < 0.15:
            leaf = r.choice(
                [
                    *self.bytes,
                    const(r.randint(0, 9), dtype),
                    self.ranges[0].cast(dtype),
                    self.ranges[1].cast(dtype),
                    self.truths[0].cast(dtype),
                ]
            )
            return leaf if leaf.dtype is dtype else leaf.cast(dtype)
        kind = r.choice(
            ("add", "add", "sub", "scale", "mul", "neg", "floordiv", "mod", "max", "min", "and", "or", "xor", "where", "cast", "flag")
        )
        x = self.small(depth - 1, dtype)
        if kind in ("scale", "floordiv", "mod"):
            return UOp.make("mul" if kind == "scale" else kind, (x, const(r.choice((1, 2, 3, 4, 6, 8, -1)), dtype)))
        if kind == "neg":
            return UOp.make("neg", (x,))
        if kind == "cast":
            return self.index(depth - 1).cast(dtype) if r.random() < 0.5 else self.small(depth - 1).cast(T.int16).cast(dtype)
        if kind == "flag":
            return UOp.make("mul", (x, self.truth(depth - 1).cast(dtype)))
        if kind == "where":
            return self.truth(depth - 1).where(x, self.small(depth - 1, dtype))
        if kind == "mul" or r.random() < 0.4:
            return UOp.make(kind, (x, const(r.randint(0, 9), dtype)))
        return UOp.make(kind, (x, self.small(depth - 1, dtype)))


def leaves(roots: Sequence[UOp]) -> list[UOp]:
    """Ranges, symbolic sizes and arguments that the roots reach, sizes first."""
    return sorted((u for u in toposort(roots) if u.name in ("range", "define_var", "arg")), key=lambda u: u.name == "range")


def evaluate(root: UOp, values: dict[UOp, int]) -> int | bool:
    """The expression's value by the interpreter's definition of each op."""
    known: dict[UOp, int | bool] = dict(values)
    for u in toposort((root,)):
        if u not in known:
            known[u] = (
                u.value if u.name == "const" else alu.fold(u.name, u.dtype, [known[o] for o in u.operands], [o.dtype for o in u.operands])
            )
    return known[root]


def random_point(random: Random, roots: Sequence[UOp]) -> dict[UOp, int] | None:
    """Values for the leaves; None where a loop round the expression has no iteration."""
    values: dict[UOp, int] = {}
    for u in leaves(roots):
        if u.name == "define_var":
            values[u] = random.randint(u.attribute("min"), u.attribute("max"))
        elif u.name == "range":
            extent = int(evaluate(u.operands[0], values))
            if extent <= 0:
                return None
            values[u] = random.randrange(extent)
        elif u.dtype is T.index:
            values[u] = random.choice((0, 1, 5, -7, 100, -1000, 12345))
        else:
            values[u] = bool(random.randrange(2)) if u.dtype is T.bool_ else random.randint(u.dtype.min, u.dtype.max)
    return values
