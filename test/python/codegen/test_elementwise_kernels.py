"""Elementwise kernels, scalar and in lanes, against NumPy."""
import ml_dtypes
import numpy as np
import pytest
from kernel_runner import Builder, Kernel

from morok.dialect import types as T
from morok.graph.uop import UOp, const

RNG = np.random.default_rng(0)
DTYPES = [d for d in T.DTYPES.values() if d is not T.index and d not in T.EIGHT_BIT_FLOATS]  # kernels keep those as their bits
INTS = [d for d in DTYPES if d.kind in "iu"]
FLOATS = [d for d in DTYPES if d.is_float]
LAYOUTS = [(37, 0), (64, 64), (128, 64), (96, 48), (40, 8), (21, 7)]
"""(elements, extent of the upcast range; 0 for a scalar loop)"""


def values(dtype: T.DType, count: int) -> np.ndarray:
    if dtype.kind == "b":
        return RNG.integers(0, 2, count).astype(bool)
    if dtype.is_float:
        x = RNG.standard_normal(count) * 10
        return x.astype(dtype.np)
    x = RNG.integers(max(dtype.min, -(1 << 62)), min(dtype.max, 1 << 62), count, endpoint=True, dtype=np.int64).astype(dtype.np)
    x[:6] = [0, 1, dtype.min, dtype.max, 2, dtype.max]
    return x


def elementwise(count: int, width: int, out: str, ins: list[str], compute) -> Kernel:
    k = Builder((out, count), *((d, count) for d in ins))
    if width:
        i, j = k.range(count // width), k.range(width, "upcast")
        place, ranges = i * width + j, (i, j)
    else:
        place = k.range(count)
        ranges = (place,)
    k.store(0, (place,), compute(*(k.load(n + 1, place) for n in range(len(ins)))), *ranges)
    return k.compile()


def run(count, width, out, ins, compute, *arrays):
    kernel = elementwise(count, width, out, ins, compute)
    return kernel(np.zeros(count, T.dtype_named(out).np), *arrays)[0]


def equal(actual, expected):
    np.testing.assert_array_equal(actual.astype(np.float64) if actual.dtype == ml_dtypes.bfloat16 else actual,
                                  expected.astype(np.float64) if expected.dtype == ml_dtypes.bfloat16 else expected)


@pytest.mark.parametrize("count, width", LAYOUTS)
def test_scale_and_shift_at_any_size(count, width):
    x = values(T.float32, count)
    equal(run(count, width, "float32", ["float32"], lambda a: a * 2.0 + 1.0, x), x * np.float32(2) + np.float32(1))


@pytest.mark.parametrize("width", [0, 64])
@pytest.mark.parametrize("dtype", INTS, ids=str)
@pytest.mark.parametrize(
    "name, reference",
    [
        ("add", np.add),
        ("sub", np.subtract),
        ("mul", np.multiply),
        ("max", np.maximum),
        ("min", np.minimum),
        ("and", np.bitwise_and),
        ("or", np.bitwise_or),
        ("xor", np.bitwise_xor),
    ],
)
def test_integer_arithmetic_wraps(dtype, name, reference, width):
    x, y = values(dtype, 64), values(dtype, 64)[::-1].copy()
    equal(run(64, width, dtype.name, [dtype.name] * 2, lambda a, b: a.alu(name, b), x, y), reference(x, y))


@pytest.mark.parametrize("width", [0, 64])
@pytest.mark.parametrize("dtype", INTS, ids=str)
def test_division_floors_and_is_zero_by_zero(dtype, width):
    x, y = values(dtype, 64), values(dtype, 64)[::-1].copy()
    y[8:12] = 0
    if dtype.kind == "i":
        y[2], x[3:7], y[3:7] = -1, [7, -7, 7, -7], [2, 2, -2, -2]
    safe = np.where(y == 0, 1, y).astype(x.dtype)
    with np.errstate(all="ignore"):
        quotient, remainder = np.where(y == 0, 0, x // safe).astype(x.dtype), np.where(y == 0, 0, x % safe).astype(x.dtype)
    equal(run(64, width, dtype.name, [dtype.name] * 2, lambda a, b: a.alu("floordiv", b), x, y), quotient)
    equal(run(64, width, dtype.name, [dtype.name] * 2, lambda a, b: a.alu("mod", b), x, y), remainder)


@pytest.mark.parametrize("width", [0, 64])
@pytest.mark.parametrize("divisor", [1, 2, 3, 8, 55, -1, -3, -8])
def test_division_by_constants(divisor, width):
    x = values(T.int32, 64)
    x[8:12] = [110, -110, 7, -7]
    with np.errstate(all="ignore"):
        equal(run(64, width, "int32", ["int32"], lambda a: a.alu("floordiv", const(divisor, a.type)), x), x // np.int32(divisor))
        equal(run(64, width, "int32", ["int32"], lambda a: a.alu("mod", const(divisor, a.type)), x), x % np.int32(divisor))


@pytest.mark.parametrize("width", [0, 64])
@pytest.mark.parametrize("dtype", INTS, ids=str)
def test_shifts_beyond_the_width_shift_everything_out(dtype, width):
    x, y = values(dtype, 64), RNG.integers(0, dtype.bits, 64).astype(dtype.np)
    y[:3] = [dtype.bits, dtype.max, dtype.bits - 1]
    if dtype.kind == "i":
        y[3:5] = [-1, dtype.min]
    wide = [int(v) for v in x]
    inside = [0 <= int(d) < dtype.bits for d in y]
    left = np.array([(v << int(d) if ok else 0) % (1 << dtype.bits) for v, d, ok in zip(wide, y, inside)], object)
    left = np.array([v - (1 << dtype.bits) if dtype.kind == "i" and v >> (dtype.bits - 1) else v for v in left], object).astype(dtype.np)
    right = np.array([v >> (int(d) if ok else dtype.bits) for v, d, ok in zip(wide, y, inside)], object).astype(dtype.np)
    equal(run(64, width, dtype.name, [dtype.name] * 2, lambda a, b: a.alu("shl", b), x, y), left)
    equal(run(64, width, dtype.name, [dtype.name] * 2, lambda a, b: a.alu("shr", b), x, y), right)


@pytest.mark.parametrize("width", [0, 64])
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("name, reference", [("cmplt", np.less), ("cmple", np.less_equal), ("cmpeq", np.equal), ("cmpne", np.not_equal)])
def test_comparisons(dtype, name, reference, width):
    x, y = values(dtype, 64), values(dtype, 64)
    y[10:20] = x[10:20]
    if dtype.is_float:
        x[3] = y[4] = x[5] = y[5] = np.nan
    equal(run(64, width, "bool", [dtype.name] * 2, lambda a, b: a.alu(name, b), x, y), reference(x, y))


@pytest.mark.parametrize("width", [0, 64])
@pytest.mark.parametrize(
    "name, reference",
    [
        ("and", np.logical_and),
        ("or", np.logical_or),
        ("xor", np.logical_xor),
        ("add", np.logical_or),
        ("mul", np.logical_and),
        ("max", np.logical_or),
        ("min", np.logical_and),
        ("cmplt", np.less),
    ],
)
def test_logic_on_bools_that_lie_in_memory(name, reference, width):
    x, y = values(T.bool_, 64), values(T.bool_, 64)
    equal(run(64, width, "bool", ["bool"] * 2, lambda a, b: a.alu(name, b), x, y), reference(x, y))
    equal(run(64, width, "bool", ["bool"], lambda a: a.alu("not"), x), ~x)


@pytest.mark.parametrize("width", [0, 64])
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_maximum_propagates_nan_from_both_sides(dtype, width):
    x, y = values(dtype, 64), values(dtype, 64)
    x[[0, 3]], y[[1, 3]] = np.nan, np.nan
    equal(run(64, width, dtype.name, [dtype.name] * 2, lambda a, b: a.alu("max", b), x, y), np.maximum(x, y))
    equal(run(64, width, dtype.name, [dtype.name] * 2, lambda a, b: a.alu("min", b), x, y), np.minimum(x, y))


@pytest.mark.parametrize("width", [0, 64])
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("name", ["add", "sub", "mul", "div"])
def test_float_arithmetic_rounds_each_result(dtype, name, width):
    x, y = values(dtype, 64), values(dtype, 64)
    wide = np.float32 if dtype.bits == 16 else dtype.np
    reference = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide}[name]
    expected = reference(x.astype(wide), y.astype(wide)).astype(dtype.np)
    equal(run(64, width, dtype.name, [dtype.name] * 2, lambda a, b: a.alu(name, b), x, y), expected)


@pytest.mark.parametrize("width", [0, 64])
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("name, reference", [
    ("neg", np.negative), ("abs", np.abs), ("floor", np.floor), ("ceil", np.ceil), ("trunc", np.trunc), ("round", np.rint),
    ("sqrt", np.sqrt), ("exp", np.exp), ("sin", np.sin), ("tanh", np.tanh)])
def test_float_functions(dtype, name, reference, width):
    x = values(dtype, 64)
    x[:6] = [0.5, 1.5, -0.5, -0.0, np.inf, np.nan]
    wide = np.float64
    with np.errstate(all="ignore"):
        expected = reference(x.astype(wide))
    if dtype.bits == 16:
        expected = expected.astype(np.float32)
    expected = expected.astype(dtype.np)
    actual = run(64, width, dtype.name, [dtype.name], lambda a: a.alu(name), x)
    tolerance = {"float64": 1e-14, "float32": 5e-7, "float16": 1e-3, "bfloat16": 1e-2}[dtype.name]
    np.testing.assert_allclose(actual.astype(np.float64), expected.astype(np.float64), rtol=tolerance)


@pytest.mark.parametrize("width", [0, 64])
def test_integer_negation_and_absolute_value(width):
    for dtype in INTS:
        x = values(dtype, 64)
        with np.errstate(all="ignore"):
            equal(run(64, width, dtype.name, [dtype.name], lambda a: a.alu("neg"), x), np.negative(x))
            equal(run(64, width, dtype.name, [dtype.name], lambda a: a.alu("abs"), x), np.abs(x))
            equal(run(64, width, dtype.name, [dtype.name], lambda a: a.alu("not"), x), np.invert(x))


def cast_by_definition(x: np.ndarray, source: T.DType, target: T.DType) -> np.ndarray:
    """Element by element, in Python integers."""
    if target is T.bool_:
        return x.astype(np.float64) != 0 if source.is_float else x != 0
    if source.is_float and not target.is_float:
        out = []
        for v in x.astype(np.float64):
            whole = 0 if np.isnan(v) else (1 << 63) - 1 if v >= 2.0**63 else -(1 << 63) if v <= -(2.0**63) else int(v)
            low = whole % (1 << target.bits)
            out.append(low - (1 << target.bits) if target.kind == "i" and low >> (target.bits - 1) else low)
        return np.array(out, object).astype(target.np)
    if target.bits == 16 and target.is_float:
        return x.astype(np.float32).astype(target.np)
    return (x.astype(np.float32) if source is T.bfloat16 or source is T.float16 else x).astype(target.np)


@pytest.mark.parametrize("width", [0, 64])
@pytest.mark.parametrize("source", DTYPES, ids=str)
@pytest.mark.parametrize("target", DTYPES, ids=str)
def test_casts(source, target, width):
    x = values(source, 64)
    if source.is_float:
        special = [np.nan, np.inf, -np.inf, -0.5, -1.5, 255.9, 0.9, 3e9, -3e9, 1e10, -1e10, 1e18, -1e18, 1e19, -1e19, 2.0**31, -(2.0**31),
                   2.0**63, -(2.0**63), 0.0,
                   1e-40, 65504.0, 65520.0, 3.3895e38]
        with np.errstate(all="ignore"):
            x[:len(special)] = np.array(special).astype(source.np)
    with np.errstate(all="ignore"):
        expected = cast_by_definition(x, source, target)
    equal(run(64, width, target.name, [source.name], lambda a: a.cast(target), x), expected)


@pytest.mark.parametrize("width", [0, 64])
def test_bitcasts_keep_the_bits(width):
    pairs = [("float32", "int32"), ("int32", "float32"), ("uint16", "bfloat16"), ("float16", "uint16"), ("float64", "uint64"),
             ("int8", "uint8")]
    for a, b in pairs:
        x = values(T.dtype_named(a), 64)
        actual = run(64, width, b, [a], lambda v, b=b: v.bitcast(T.dtype_named(b)), x)
        assert actual.tobytes() == x.tobytes()
    x = values(T.uint8, 64)
    assert (run(64, width, "bool", ["uint8"], lambda v: v.bitcast(T.bool_), x) == (x != 0)).all()


@pytest.mark.parametrize("width", [0, 64])
def test_choice_by_a_bool_buffer(width):
    c, x, y = values(T.bool_, 64), values(T.float32, 64), values(T.float32, 64)
    equal(run(64, width, "float32", ["bool", "float32", "float32"], lambda c, a, b: c.where(a, b), c, x, y), np.where(c, x, y))


def test_products_are_fused_with_the_sums_that_use_them():
    x, y, z = (values(T.float32, 64) for _ in range(3))
    exact = np.array([np.float32(np.float64(a) * np.float64(b) + np.float64(c)) for a, b, c in zip(x, y, z)])
    equal(run(64, 64, "float32", ["float32"] * 3, lambda a, b, c: a * b + c, x, y, z), exact)
    equal(run(64, 64, "float32", ["float32"] * 2, lambda a, b: a * b - a * b, x, y), np.zeros(64, np.float32))


@pytest.mark.parametrize("width", [0, 64])
@pytest.mark.parametrize("dtype", [T.float32, T.int32, T.int64, T.uint8, T.bool_, T.bfloat16], ids=str)
def test_loop_counters_as_values(dtype, width):
    k = Builder((dtype.name, 64),)
    i = k.range(64, "upcast" if width else "loop")
    k.store(0, (i,), i.cast(dtype), i)
    equal(k.compile()(np.zeros(64, dtype.np))[0], np.arange(64).astype(dtype.np))


def test_every_element_of_a_constant_fill():
    k = Builder(("float32", 40))
    i, j = k.range(5), k.range(8, "upcast")
    k.store(0, (i * 8 + j,), const(3.5, T.float32), i, j)
    equal(k.compile()(np.zeros(40, np.float32))[0], np.full(40, 3.5, np.float32))


def test_a_zero_dimensional_buffer():
    k = Builder(("float32",), ("float32",))
    k.store(0, (), k.load(1) + 1.0)
    assert k.compile()(np.zeros((), np.float32), np.float32(2)[...])[0] == 3


def test_a_pointer_used_as_a_value_is_loaded():
    k = Builder(("float32", 8), ("float32", 8))
    i = k.range(8)
    k.store(0, (i,), UOp.make("neg", (k.pointer(1, i),), (), T.float32), i)
    x = values(T.float32, 8)
    equal(k.compile()(np.zeros(8, np.float32), x)[0], -x)
