"""Rules on floats keep every value: NaN, infinities, signed zeros and subnormals."""

import math
import struct

import pytest

from morok.dialect import types as T
from morok.graph.uop import UOp, argument, const
from morok.interpret import alu
from morok.passes.symbolic import simplify

X = argument(0, T.float32)
VALUES = [0.0, -0.0, 1.0, -1.5, math.inf, -math.inf, math.nan, 1e-42, 3.4e38, 7.0]


def op(name, *operands):
    return UOp.make(name, tuple(o if isinstance(o, UOp) else const(o, T.float32) for o in operands))


KEPT = {
    "x * 0": op("mul", X, 0.0),
    "x - x": op("sub", X, X),
    "x / x": op("div", X, X),
    "x + 0.0": op("add", X, 0.0),
    "x - -0.0": op("sub", X, -0.0),
    "x == x": op("cmpeq", X, X),
    "(x + 1) + 2": op("add", op("add", X, 1.0), 2.0),
    "not x < y": op("not", op("cmplt", X, 1.0)),
    "x / 3": op("div", X, 3.0),
    "x * where(x < 1, 1, 0)": op("mul", X, op("where", op("cmplt", X, 1.0), 1.0, 0.0)),
}


@pytest.mark.parametrize("name", KEPT)
def test_is_not_folded(name):
    (found,) = simplify((KEPT[name],))
    assert found is KEPT[name]


FOLDED = {
    "x + -0.0": (op("add", X, -0.0), X),
    "x - 0.0": (op("sub", X, 0.0), X),
    "x * 1": (op("mul", X, 1.0), X),
    "1 * x": (op("mul", 1.0, X), X),
    "x / 1": (op("div", X, 1.0), X),
    "x * -1": (op("mul", X, -1.0), op("neg", X)),
    "x / 4": (op("div", X, 4.0), op("mul", X, 0.25)),
    "max(x, x)": (op("max", X, X), X),
    "neg(neg(x))": (op("neg", op("neg", X)), X),
    "2 * 3": (op("mul", 2.0, 3.0), const(6.0, T.float32)),
    "0.1 + 0.2": (op("add", 0.1, 0.2), const(0.30000001192092896, T.float32)),
    "cast(cast(x, f64), f32)": (X.cast(T.float64).cast(T.float32), X),
}


@pytest.mark.parametrize("name", FOLDED)
def test_is_folded(name):
    given, wanted = FOLDED[name]
    assert simplify((given,)) == (wanted,)


@pytest.mark.parametrize("name", FOLDED)
@pytest.mark.parametrize("value", VALUES)
def test_folding_keeps_the_bits(name, value):
    def run(u):
        if u is X:
            return struct.unpack("f", struct.pack("f", value))[0]
        return u.value if u.name == "const" else alu.fold(u.name, u.dtype, [run(o) for o in u.operands], [o.dtype for o in u.operands])

    before, after = (run(u) for u in FOLDED[name])
    assert (math.isnan(before) and math.isnan(after)) or struct.pack("f", before) == struct.pack("f", after)


def test_narrowing_casts_stay():
    half = X.cast(T.float16).cast(T.float32)
    assert simplify((half,)) == (half,)
    whole = argument(1, T.int32).cast(T.float32).cast(T.int32)
    assert simplify((whole,)) == (whole,)
    byte = argument(2, T.uint8)
    assert simplify((byte.cast(T.float32).cast(T.int32),)) == (byte.cast(T.int32),)


@pytest.mark.parametrize("gate, inner, changed", [("p", "p", True), ("p and q", "q", True), ("p", "q", False)])
def test_a_quotient_that_is_not_chosen_divides_by_one(gate, inner, changed):
    p, q, memory = argument(1, T.bool_), argument(2, T.bool_), argument(3, T.memref((8,), T.float32))
    gates = {"p": p, "q": q, "p and q": UOp.make("and", (p, q))}

    def load(other):
        pointer = UOp.make("index", (memory, argument(4, T.index)), (), T.ptr(T.float32, "global"))
        return UOp.make("load", (pointer, gates[inner], const(other, T.float32)))

    def chosen(other):
        return UOp.make("where", (gates[gate], op("mul", op("div", load(0.0), op("mul", load(other), X)), X), const(0.0, T.float32)))

    assert simplify((chosen(0.0),)) == simplify((chosen(1.0 if changed else 0.0),))
    assert (simplify((chosen(0.0),)) == (chosen(0.0),)) is not changed
