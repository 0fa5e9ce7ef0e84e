"""alu.py: every op's value against NumPy, Python's math, or numbers worked out by hand; at the corners above all."""

import math
from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from morok.dialect import types as T
from morok.dialect.ops import ALU, REDUCTIONS, UNARY_FLOAT
from morok.interpret import alu

INTEGERS = [d for d in T.DTYPES.values() if d.is_int]
FLOATS = [d for d in T.DTYPES.values() if d.is_float]
nan, inf = math.nan, math.inf


def same(got, want):
    return type(got) is type(want) and (got == want and math.copysign(1, got) == math.copysign(1, want) or got != got and want != want)


def test_the_table_has_every_alu_op():
    assert set(alu.FUNCTIONS) | {"cast", "bitcast"} == ALU


CASES = [
    # integers wrap
    ("add", T.int8, [127, 1], -128), ("sub", T.uint8, [0, 1], 255), ("mul", T.int32, [1 << 30, 4], 0), ("add", T.uint64, [(1 << 64) - 1,
                                                                                                                          2], 1),
    ("neg", T.int8, [-128], -128), ("neg", T.uint16, [1], 65535), ("abs", T.int8, [-128], -128), ("abs", T.uint8, [200], 200),
    ("mulacc", T.int8, [100, 2, 1], -55), ("mul", T.index, [1 << 62, 4], 0),
    # division floors; by zero it gives 0
    ("floordiv", T.int32, [110, 55], 2), ("floordiv", T.int32, [-7, 2], -4), ("floordiv", T.int32, [7, -2], -4), ("floordiv", T.int32, [-7,
                                                                                                                                        0],
                                                                                                                                        0),
    ("floordiv", T.int32, [-(1 << 31), -1], -(1 << 31)), ("floordiv", T.uint64, [(1 << 64) - 1, 2], (1 << 63) - 1),
    ("mod", T.int32, [110, 55], 0), ("mod", T.int32, [-7, 2], 1), ("mod", T.int32, [7, -2], -1), ("mod", T.int32, [-7, 0], 0),
    ("mod", T.int8, [-128, -1], 0), ("floordiv", T.index, [-1, 4], -1), ("mod", T.index, [-1, 4], 3),
    # shifts out of range
    ("shl", T.int32, [1, 31], -(1 << 31)), ("shl", T.int32, [1, 32], 0), ("shl", T.int32, [1, -1], 0), ("shl", T.uint8, [255, 4], 240),
    ("shr", T.int32, [-5, 1], -3), ("shr", T.int32, [-5, 40], -1), ("shr", T.int32, [-5, -1], -1), ("shr", T.int32, [5, -1], 0),
    ("shr", T.uint8, [255, 8], 0), ("shr", T.uint8, [255, 7], 1), ("shr", T.int64, [-1, 64], -1),
    # bits and bool
    ("and", T.int8, [-1, 6], 6), ("xor", T.uint8, [255, 1], 254), ("not", T.uint8, [1], 254), ("not", T.bool_, [True], False),
    ("add", T.bool_, [True, True], True), ("mul", T.bool_, [True, False], False), ("sub", T.bool_, [True, True], False),
    ("max", T.bool_, [False, True], True), ("xor", T.bool_, [True, True], False),
    # NaN
    ("max", T.float32, [1.0, nan], nan), ("max", T.float32, [nan, 1.0], nan), ("min", T.bfloat16, [nan, 1.0], nan), ("min", T.float64,
                                                                                                                     [1.0, nan], nan),
    ("mul", T.float32, [0.0, nan], nan), ("sub", T.float32, [inf, inf], nan), ("div", T.float32, [0.0, 0.0], nan), ("div", T.float32,
                                                                                                                    [-1.0, 0.0], -inf),
    ("sqrt", T.float32, [-1.0], nan), ("log", T.float32, [0.0], -inf), ("log", T.float64, [-1.0], nan), ("pow", T.float32, [nan, 0.0], 1.0),
    ("pow", T.float32, [1.0, nan], 1.0), ("pow", T.float32, [-8.0, 1 / 3], nan), ("pow", T.float64, [0.0, -1.0], inf), ("erf", T.float32,
                                                                                                                        [inf], 1.0),
    ("round", T.float32, [2.5], 2.0), ("round", T.float32, [-0.5], -0.0), ("trunc", T.float64, [-1.5], -1.0), ("floor", T.float16, [-1.5],
                                                                                                               -2.0),
    # 16 bits compute in float32 and round
    ("add", T.float16, [2048.0, 1.0], 2048.0), ("add", T.bfloat16, [256.0, 1.0], 256.0), ("mul", T.float16, [60000.0, 2.0], inf),
    ("mulacc", T.float16, [2048.0, 1.0, 1.0], 2048.0),
    # one rounding
    ("mulacc", T.float64, [1 + 2.0**-30, 1 + 2.0**-30, -1 - 2.0**-29], 2.0**-60), ("mulacc", T.float64, [1e308, 10.0, 0.0], inf),
    ("mulacc", T.float64, [inf, 0.0, 1.0], nan), ("mulacc", T.float64, [-1.0, 0.0, 0.0], 0.0), ("mulacc", T.float64, [1e308, 10.0, -inf],
                                                                                                -inf),
    ("mulacc", T.float32, [1 + 2.0**-12, 1 + 2.0**-12, -1 - 2.0**-11], 2.0**-24), ("mulacc", T.float32, [1e38, 1e38, 0.0], inf),
    # the sum lies just above a tie between two float32s, by less than float64 can tell
    ("mulacc", T.float32, [2.0**-12, 2.0**-12, 1.0], 1.0), ("mulacc", T.float32, [1 + 2.0**-23, 2.0**-24, 1.0], 1 + 2.0**-23),
    ("mulacc", T.float32, [2.0**-50, 2.0**-50, 1 + 2.0**-23], 1 + 2.0**-23),
    ("where", T.float32, [True, 1.0, nan], 1.0), ("where", T.int8, [False, 1, -2], -2), ("where", T.bfloat16, [True, 1.5, 2.5], 1.5),
]


@pytest.mark.parametrize("name, dtype, values, want", CASES, ids=lambda v: str(v))
def test_corner(name, dtype, values, want):
    assert same(alu.fold(name, dtype, values), want)


@pytest.mark.parametrize("name, values, want", [
    ("cmplt", [1.0, nan], False), ("cmple", [nan, nan], False), ("cmpeq", [nan, nan], False), ("cmpne", [nan, nan], True), ("cmplt", [1.0,
                                                                                                                                      2.0],
                                                                                                                                      True),
    ("cmpeq", [0.0, -0.0], True), ("cmple", [2.0, 2.0], True)])
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_comparison_of_floats(name, values, want, dtype):
    assert alu.fold(name, T.bool_, values, [dtype, dtype]) is want


def test_comparison_of_unsigned():
    assert alu.fold("cmplt", T.bool_, [(1 << 64) - 1, 1], [T.uint64, T.uint64]) is False


CASTS = [
    (T.float32, -0.5, T.uint8, 0), (T.float32, -1.5, T.uint8, 255), (T.float32, 255.9, T.uint8, 255), (T.float32, 256.0, T.uint8, 0),
    (T.float32, nan, T.int32, 0), (T.float64, 1e30, T.int64, (1 << 63) - 1), (T.float64, -1e30, T.int64, -(1 << 63)), (T.float64, 1e30,
                                                                                                                       T.int32, -1),
    (T.float64, -1e30, T.int32, 0), (T.float32, inf, T.uint64, (1 << 63) - 1), (T.float64, 2.0**63, T.uint64, (1 << 63) - 1),
    (T.float64, 9007199254740993.0, T.int64, 9007199254740992), (T.bfloat16, -3.0, T.int8, -3), (T.float16, nan, T.uint8, 0),
    (T.int32, 300, T.int8, 44), (T.int32, -1, T.uint64, (1 << 64) - 1), (T.uint64, (1 << 64) - 1, T.index, -1), (T.bool_, True, T.int8, 1),
    (T.bool_, True, T.float16, 1.0), (T.float32, nan, T.bool_, True), (T.float32, -0.0, T.bool_, False), (T.float64, 1e-300, T.bool_, True),
    (T.int8, -2, T.bool_, True), (T.int32, 16777217, T.float32, 16777216.0), (T.int64, 100000, T.float16, inf), (T.float32, 1e-46,
                                                                                                                 T.float32, 0.0),
    (T.float32, 3.0e38, T.float16, inf), (T.float64, 1.1, T.bfloat16, 1.1015625),
]


@pytest.mark.parametrize("source, value, target, want", CASTS, ids=str)
def test_cast(source, value, target, want):
    assert same(alu.fold("cast", target, [value], [source]), want)


@pytest.mark.parametrize("source, value, target, want", [
    (T.float32, 1.0, T.int32, 0x3F800000), (T.int32, -1, T.uint32, (1 << 32) - 1), (T.bool_, True, T.uint8, 1), (T.uint8, 2, T.bool_, True),
    (T.uint16, 0x3F80, T.bfloat16, 1.0), (T.int64, -1, T.index, -1)], ids=str)
def test_bitcast(source, value, target, want):
    assert same(alu.fold("bitcast", target, [value], [source]), want)


@pytest.mark.parametrize("dtype", [T.float32, T.float64], ids=str)
@pytest.mark.parametrize("name", sorted(UNARY_FLOAT))
def test_function_is_the_nearest_float(name, dtype):
    """Against Python's math: float32 to half an ulp; float64 as well as NumPy does it."""
    function = {"round": round, "exp2": lambda x: 2.0**x}.get(name) or getattr(math, name)
    low, high = {"acosh": (1, 9), "atanh": (-0.99, 0.99), "asin": (-1, 1), "acos": (-1, 1), "sqrt": (0, 9), "log": (0.01, 9),
                 "log2": (0.01, 9),
                 "log1p": (-0.9, 9)}.get(name, (-9, 9))
    x = np.linspace(low, high, 101).astype(dtype.np)
    want = np.array([function(float(v)) for v in x])
    got = alu.evaluate(name, dtype, [x]).astype(np.float64)
    ulp = np.spacing(np.abs(want).astype(dtype.np)).astype(np.float64)
    assert np.all(np.abs(got - want) <= ulp * (0.5001 if dtype is T.float32 else 2))


@given(st.floats(width=32, allow_nan=False, allow_infinity=False), st.floats(width=32, allow_nan=False, allow_infinity=False),
       st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_mulacc_rounds_once(x, y, z):
    """No float32 lies nearer to the exact value."""
    exact = Fraction(x) * Fraction(y) + Fraction(z)
    got = alu.fold("mulacc", T.float32, [x, y, z])
    if math.isinf(got):
        assert abs(exact) >= Fraction(float(np.finfo(np.float32).max))
    else:
        with np.errstate(over="ignore"):
            neighbours = [float(np.nextafter(np.float32(got), np.float32(end))) for end in (-inf, inf)]
        assert all(abs(exact - Fraction(got)) <= abs(exact - Fraction(n)) for n in neighbours if math.isfinite(n))


@pytest.mark.parametrize("dtype", T.DTYPES.values(), ids=str)
@pytest.mark.parametrize("op", REDUCTIONS)
def test_reduction_over_nothing_is_the_identity(op, dtype):
    if dtype.is_float and op in ("and", "or"):
        return
    empty = alu.reduce(op, dtype, np.zeros((2, 0, 3), dtype.np), (1,))
    assert empty.shape == (2, 3) and empty.dtype == dtype.np
    want = {"add": 0, "mul": 1, "max": dtype.min, "min": dtype.max,
            "and": True if dtype.kind == "b" else dtype.max if dtype.kind == "u" else -1, "or": 0}[op]
    assert np.all(empty == np.asarray(want, dtype.np))


def test_reductions_against_numpy():
    x = np.arange(24, dtype=np.int32).reshape(2, 3, 4) - 7
    for op, want in {"add": x.sum((0, 2)), "mul": x.prod((0, 2), dtype=np.int32), "max": x.max((0, 2)), "min": x.min((0, 2)),
                     "and": np.bitwise_and.reduce(x, (0, 2)), "or": np.bitwise_or.reduce(x, (0, 2))}.items():
        assert np.array_equal(alu.reduce(op, T.int32, x, (0, 2)), want)


def test_integer_sum_wraps():
    x = np.array([200, 100], np.uint8)
    assert alu.reduce("add", T.uint8, x * x, (0,)) == 80


def test_maximum_propagates_nan():
    for values in ([1, nan], [nan, 1]):
        assert math.isnan(alu.reduce("max", T.float32, np.array(values, np.float32), (0,)))


def test_half_sums_accumulate_in_float32():
    assert alu.reduce("add", T.float16, np.ones(4096, np.float16), (0,)) == 4096
    assert alu.reduce("add", T.bfloat16, np.ones(1000, ml_dtypes.bfloat16), (0,)) == 1000


def test_large_uint64_constants_survive():
    assert alu.full((), T.uint64, (1 << 64) - 1) == (1 << 64) - 1
