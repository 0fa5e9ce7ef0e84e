"""Arithmetic, comparison, bits, selection: values, broadcasting, dtypes, errors."""

import itertools
import operator

import numpy as np
import pytest
from arrays import ALL, FLOATS, INTEGERS, check, sample

from morok import Tensor, dtypes
from morok.errors import BoundsError, DTypeError, ShapeError

PAIRS = [
    ((), ()),
    ((3,), ()),
    ((1,), (5,)),
    ((0,), (1,)),
    ((2, 3), (3,)),
    ((2, 1), (1, 5)),
    ((3, 1, 2), (4, 1)),
    ((0, 3), (3,)),
    ((7, 1), (1,)),
]
ARITHMETIC = {"add": operator.add, "sub": operator.sub, "mul": operator.mul, "div": operator.truediv}
COMPARISON = {"lt": operator.lt, "le": operator.le, "eq": operator.eq, "ne": operator.ne, "gt": operator.gt, "ge": operator.ge}


@pytest.mark.parametrize("name", [*ARITHMETIC, *COMPARISON])
@pytest.mark.parametrize("pair", PAIRS, ids=str)
def test_broadcasting(name, pair):
    f = {**ARITHMETIC, **COMPARISON}[name]
    a, b = sample(pair[0], seed=1), sample(pair[1], seed=2, low=1)
    check(f(Tensor(a), Tensor(b)), f(a, b))


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
@pytest.mark.parametrize("name", ["add", "sub", "mul", "floordiv", "mod", "and_", "or_", "xor"])
def test_integers_wrap(dtype, name):
    f = getattr(operator, name)
    info = np.iinfo(dtype.np)
    values = np.array([0, 1, 2, 3, 7, info.max, info.max - 1, info.min, info.min + 1], dtype.np)
    a, b = (v.ravel() for v in np.meshgrid(values, values))
    with np.errstate(all="ignore"):
        expected = f(a, np.where(b == 0, 1, b)) if name in ("floordiv", "mod") else f(a, b)
    if name in ("floordiv", "mod"):
        expected = np.where(b == 0, 0, expected).astype(dtype.np)
    check(f(Tensor(a), Tensor(b)), expected)


def test_integer_division_floors():
    pairs = [(x, y) for x in range(-12, 13) for y in range(-5, 6)]
    a, b = (np.array(v, np.int32) for v in zip(*pairs))
    assert (Tensor(a) // Tensor(b)).tolist() == [x // y if y else 0 for x, y in pairs]
    assert (Tensor(a) % Tensor(b)).tolist() == [x % y if y else 0 for x, y in pairs]
    assert (Tensor(np.int32(110)) // 55).item() == 2 and (Tensor(np.int32(110)) % 55).item() == 0
    assert Tensor(a).div(Tensor(b), rounding_mode="trunc").tolist() == [int(x / y) if y else 0 for x, y in pairs]


@pytest.mark.parametrize("dtype", [dtypes.float32, dtypes.float64, dtypes.float16], ids=str)
def test_float_floor_division(dtype):
    inf, nan = float("inf"), float("nan")
    values = [0.0, -0.0, 0.1, -0.1, 1.0, -1.0, 3.0, 7.5, -7.5, 1e-3, 1000.0, inf, -inf, nan]
    a, b = (np.array(v, dtype.np) for v in zip(*itertools.product(values, values)))
    with np.errstate(all="ignore"):
        quotient, remainder = a // b, a % b
    got_quotient, got_remainder = (Tensor(a) // Tensor(b)).numpy(), (Tensor(a) % Tensor(b)).numpy()
    np.testing.assert_array_equal(got_quotient, quotient)
    np.testing.assert_allclose(got_remainder, remainder, rtol=1e-3 if dtype is dtypes.float16 else 1e-6, atol=1e-12)


def test_float_division_by_zero_is_ieee():
    with np.errstate(all="ignore"):
        a = np.array([1, -1, 0], np.float32)
        check(Tensor(a) / 0.0, a / np.float32(0))


@pytest.mark.parametrize("a", ALL, ids=str)
@pytest.mark.parametrize("b", ALL, ids=str)
def test_promotion(a, b):
    """NumPy's rules, but that integers never widen floats, and that float16 meets bfloat16 in float32."""
    result = (Tensor(sample((2,), a)) + Tensor(sample((2,), b))).dtype
    if a.is_float != b.is_float:
        assert result is (a if a.is_float else b)
    elif {a, b} == {dtypes.float16, dtypes.bfloat16}:
        assert result is dtypes.float32
    elif dtypes.bfloat16 in (a, b):
        assert result is (a if b is dtypes.bfloat16 else b)
    else:
        assert result.np == np.result_type(a.np, b.np)


@pytest.mark.parametrize("dtype", ALL, ids=str)
@pytest.mark.parametrize("scalar", [True, 2, 1.5])
def test_python_scalars_are_weak(dtype, scalar):
    t = Tensor(sample((3,), dtype))
    if isinstance(scalar, bool) or dtype.is_float:
        expected = dtype
    elif isinstance(scalar, int):
        expected = dtypes.int64 if dtype is dtypes.bool else dtype
    else:
        expected = dtypes.float32
    assert (t * scalar).dtype is expected and (scalar * t).dtype is expected
    np.testing.assert_allclose(
        (t + scalar).numpy().astype(float),
        sample((3,), dtype).astype(float) + scalar if dtype is not dtypes.bool or scalar is not True else 1,
    )


def test_numpy_operands_are_not_weak():
    t = Tensor([1.0, 2.0])
    assert (t * np.float64(2)).dtype is dtypes.float64
    assert (np.array([1, 2], np.int8) + t).dtype is dtypes.float32
    assert isinstance(np.ones(2) - t, Tensor) and (np.ones(2) - t).tolist() == [0, -1]


def test_reflected_operators():
    a = np.array([1.0, 2.0, 4.0], np.float32)
    t = Tensor(a)
    for f in (operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod, operator.pow):
        check(f(3, t), f(np.float32(3), a))
    i = np.array([1, 2, 4], np.int16)
    for f in (operator.and_, operator.or_, operator.xor, operator.lshift, operator.rshift):
        check(f(3, Tensor(i)), f(np.int16(3), i))


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_shifts(dtype):
    a = np.array([1, 3, 100, 127], dtype.np)
    check(Tensor(a) << 2, a << 2)
    check(Tensor(a) >> 1, a >> 1)
    assert (Tensor(a) << 100).tolist() == [0] * 4 and (Tensor(a) >> 100).tolist() == [0] * 4
    if dtype.kind == "i":
        assert (Tensor(-a) >> 100).tolist() == [-1] * 4


@pytest.mark.parametrize("exponent", [0, 1, 2, 3, 4, 5, 10, -1, -2, 0.5, 1.5, -0.5, True])
def test_constant_powers(exponent):
    a = sample((5,), low=1)
    check(Tensor(a) ** exponent, a ** np.float32(exponent), 1e-5)
    if isinstance(exponent, int) and exponent >= 0:
        i = sample((6,), dtypes.int32)
        check(Tensor(i) ** exponent, i ** int(exponent))


@pytest.mark.parametrize("dtype", [dtypes.int8, dtypes.uint8, dtypes.int32, dtypes.int64], ids=str)
def test_integer_powers_wrap(dtype):
    info = np.iinfo(dtype.np)
    bases = [0, 1, 2, 3, 5, info.max] + ([-1, -2, info.min] if dtype.kind == "i" else [])
    exponents = [0, 1, 2, 3, 7, 8, 31, 62, 63, 64, 65, 100, 127]
    a, b = (np.array(v, dtype.np) for v in zip(*itertools.product(bases, exponents)))
    expected = [pow(int(x), int(y), 1 << dtype.bits) for x, y in zip(a, b)]
    expected = np.array(expected, np.uint64).astype(dtype.np)
    check(Tensor(a) ** Tensor(b), expected)


def test_negative_integer_powers():
    assert (Tensor([1, -1, 2, -1]) ** Tensor([-3, -3, -1, -2])).tolist() == [1, -1, 0, 1]
    with pytest.raises(BoundsError):
        Tensor([1, 2]) ** -1


def test_float_powers():
    with np.errstate(all="ignore"):
        a, b = sample((20,), seed=3), sample((20,), seed=4)
        check(Tensor(a) ** Tensor(b), a**b, 1e-5)
        check(Tensor(np.array([np.nan, np.inf, -1], np.float32)) ** 0, np.ones(3, np.float32))


NAN = float("nan")


def test_nan_in_maximum_minimum_clip():
    x, y = Tensor([-3, NAN, -1, 0, NAN]), Tensor([0, 0, NAN, 0, 0.0])
    np.testing.assert_array_equal(x.maximum(y).numpy(), [0, NAN, NAN, 0, NAN])
    np.testing.assert_array_equal(x.minimum(y).numpy(), [-3, NAN, NAN, 0, NAN])
    np.testing.assert_array_equal(Tensor([NAN, -1, 2]).clip(0.5).numpy(), [NAN, 0.5, 2])
    np.testing.assert_array_equal(Tensor([NAN, -1, 2]).clamp(max=1, min=0).numpy(), [NAN, 0, 1])
    assert Tensor([1, 5]).clip(2.5, 3).tolist() == [2.5, 3] and Tensor([1, 5]).clip(2, 3).dtype is dtypes.int64


def test_nan_in_comparisons():
    x = Tensor([NAN, 1.0])
    assert (x == x).tolist() == [False, True] and (x != x).tolist() == [True, False]
    assert (x < 2).tolist() == [False, True] and (x >= 1).tolist() == [False, True]


def test_zero_times_nan_is_kept():
    m, a = Tensor([False, True]), Tensor([1.0, 1.0])
    assert np.isnan((a.mean() + (a * NAN).where(m, a).mean() * 0).item())
    x = Tensor([np.inf, NAN, 1.0])
    np.testing.assert_array_equal((x - x).numpy(), [NAN, NAN, 0])
    np.testing.assert_array_equal((x / x).numpy(), [NAN, NAN, 1])
    np.testing.assert_array_equal((x * 0).numpy(), [NAN, NAN, 0])


def test_comparisons_with_numbers_outside_the_dtype():
    x = Tensor(np.array([0, 255], np.uint8))
    assert (
        (x < 300).tolist() == [True, True]
        and (x == -1).tolist() == [False, False]
        and (x > -1).tolist() == [True, True]
        and (x != 256).tolist() == [True, True]
    )
    assert (300 > x).tolist() == [True, True]


def test_int64_against_uint64_is_exact():
    a, b = np.array([-1, 5, 2**62, -(2**63)], np.int64), np.array([2**64 - 1, 5, 2**62 + 1, 2**63], np.uint64)
    for f in COMPARISON.values():
        check(f(Tensor(a), Tensor(b)), f(a, b))
        check(f(Tensor(b), Tensor(a)), f(b, a))


def test_bools():
    a, b = np.array([True, True, False, False]), np.array([True, False, True, False])
    x, y = Tensor(a), Tensor(b)
    for got, expected in (
        (x + y, a | b),
        (x * y, a & b),
        (x & y, a & b),
        (x | y, a | b),
        (x ^ y, a ^ b),
        (~x, ~a),
        (x.maximum(y), a | b),
        (x.minimum(y), a & b),
        (x < y, a < b),
        (x == y, a == b),
        (x.logical_and(y), a & b),
        (x.logical_or(y), a | b),
        (x.logical_xor(y), a ^ b),
        (x.logical_not(), ~a),
        (x / y.where(y, True), a / np.ones(4, np.float32)),
    ):
        np.testing.assert_array_equal(got.numpy(), expected)


@pytest.mark.parametrize("shapes", [((3,), (3,), (3,)), ((2, 1), (3,), ()), ((), (2, 2), (1,)), ((0,), (1,), (1,))], ids=str)
def test_where(shapes):
    c, a, b = sample(shapes[0], dtypes.bool), sample(shapes[1], seed=1), sample(shapes[2], seed=2)
    check(Tensor(a).where(Tensor(c), Tensor(b)), np.where(c, a, b))
    check(Tensor(a).where(Tensor(c), 0), np.where(c, a, np.float32(0)))


def test_where_promotes():
    assert Tensor([1, 2]).where(Tensor([True, False]), 0.5).tolist() == [1, 0.5]
    assert Tensor([1, 2], dtype="int8").masked_fill(Tensor([True, False]), 7).dtype is dtypes.int8


@pytest.mark.parametrize("source", ALL, ids=str)
@pytest.mark.parametrize("target", ALL, ids=str)
def test_every_cast_inside_a_fusion(source, target):
    a = sample((7,), source, low=0)
    check((Tensor(a) + Tensor(a)).cast(target) + Tensor.zeros(7, dtype=target), (a + a).astype(target.np))


def test_bitcast():
    a = np.array([1.0, -0.0, np.nan], np.float32)
    check(Tensor(a).bitcast(dtypes.int32), a.view(np.int32))
    check(Tensor(a).bitcast(dtypes.uint32).bitcast(dtypes.float32), a)


def test_subnormal_plus_zero():
    x = 2.22507386e-313
    assert (Tensor(np.float64(x)) + 0).item() == x != 0


def test_a_graph_deeper_than_the_recursion_limit():
    x = Tensor([1, 2])
    for _ in range(3000):
        x = x + 1
    assert x.tolist() == [3001, 3002]


def test_equal_expressions_are_one():
    a, b = Tensor([1.0]), Tensor([2.0])
    assert (a + b).uop is (a + b).uop and (a + b).uop is not (b - a).uop


A, B = Tensor.zeros(2, 3), Tensor.zeros(2, 4)


@pytest.mark.parametrize(
    "call, error, words",
    [
        (lambda: A + B, ShapeError, "(2, 3) + (2, 4)"),
        (lambda: A * Tensor.zeros(2), ShapeError, "(2, 3) * (2,)"),
        (lambda: A < B, ShapeError, "(2, 3) < (2, 4)"),
        (lambda: A.where(B > 0, 1), ShapeError, "(2, 4)"),
        (lambda: A.where(A, 1), DTypeError, "float32"),
        (lambda: Tensor.where(A > 0, A, 1), DTypeError, "values.where(condition, other)"),
        (lambda: A & 1, DTypeError, "float32"),
        (lambda: ~A, DTypeError, "float32"),
        (lambda: A << 1, DTypeError, "float32"),
        (lambda: (A > 0) - (A > 0), DTypeError, "bool"),
        (lambda: -(A > 0), DTypeError, "bool"),
        (lambda: A.bitcast(dtypes.int8), DTypeError, "32 bits"),
        (lambda: A + "x", DTypeError, "str"),
        (lambda: A + None, DTypeError, "NoneType"),
        (lambda: A + 1j, DTypeError, "complex"),
        (lambda: Tensor([1], dtype="uint8") + 256, OverflowError, "256"),
        (lambda: Tensor([1], dtype="uint8") + -1, OverflowError, "-1"),
        (lambda: A.clip(), TypeError, "min"),
        (lambda: A.cast("float33"), DTypeError, "float33"),
        (lambda: A + [[1, 2], [3]], ShapeError, "ragged"),
        (lambda: A.div(A, rounding_mode="up"), DTypeError, "up"),
        (lambda: A + Tensor.zeros(2, 3, device="CPU:1"), ValueError, "CPU:1"),
    ],
)
def test_wrong_calls(call, error, words):
    with pytest.raises(error) as caught:
        call()
    assert words in str(caught.value)


def test_comparison_with_none_is_false():
    assert (A == None) is False and (A != None) is True  # noqa: E711


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_sixteen_bit_floats_round_at_each_op(dtype):
    a = sample((50,), dtype, 1)
    check((Tensor(a) * Tensor(a)) + Tensor(a), ((a * a) + a).astype(dtype.np))
