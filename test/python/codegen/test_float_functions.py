"""The float functions against mpmath: errors in ulp, special values as in C's Annex F, exact cases, and the number of operations."""
from __future__ import annotations

import math
import zlib

import mpmath as mp
import numpy as np
import pytest
from numpy_float_ops import INTEGERS, BranchingOps, NumpyOps, exact_values, fma_float32, fma_float64, ulps

from morok.passes.codegen.float_functions import FUNCTIONS

DTYPES = ["float32", "float64"]
inf, nan = math.inf, math.nan

# Where each function is neither trivial nor undefined, for the dense samples.
DOMAIN = {
    "exp": (-104, 89), "exp2": (-151, 129), "expm1": (-18, 89), "log": (0, 10), "log2": (0, 10), "log1p": (-1, 10), "sin": (-200, 200),
    "cos": (-200, 200), "tan": (-200, 200), "asin": (-1, 1), "acos": (-1, 1), "atan": (-20, 20), "sinh": (-90, 90), "cosh": (-90, 90),
    "tanh": (-10, 10), "asinh": (-100, 100), "acosh": (1, 100), "atanh": (-1, 1), "erf": (-4.5, 4.5),
}
DOMAIN_FLOAT64 = {
    "exp": (-746, 710), "exp2": (-1076, 1025), "expm1": (-40, 710), "sinh": (-711, 711), "cosh": (-711, 711), "tanh": (-20, 20),
    "erf": (-6.5, 6.5),
}
# The open intervals where they are defined, if not everywhere.
DEFINED = {"log": (0, inf), "log2": (0, inf), "log1p": (-1, inf), "asin": (-1, 1), "acos": (-1, 1), "acosh": (1, inf), "atanh": (-1, 1)}
UNARY = [name for name in FUNCTIONS if name != "pow"]
MAX_ULP = {"float32": 2.0, "float64": 2.0}


def exact(name):
    """mpmath's function as C defines it: NaN outside of the real domain."""
    function = {"exp2": lambda x: mp.mpf(2) ** x, "log2": lambda x: mp.log(x, 2)}.get(name) or getattr(mp, name)

    def value(*arguments):
        result = function(*arguments)
        return mp.nan if isinstance(result, mp.mpc) and result.imag else mp.re(result)
    return value


def evaluate(name, *arguments, ops=None):
    with np.errstate(all="ignore"):
        return FUNCTIONS[name](ops or NumpyOps(), *arguments)


def defined(name, x):
    low, high = DEFINED.get(name, (-inf, inf))
    return x[np.isfinite(x) & (x > low) & (x < high) & (x != 0)]


def samples(name, dtype, count):
    """A third dense in the domain, a third of random bits, a third near 0 and 1 and near multiples of pi/4 and of ln 2."""
    random = np.random.default_rng(zlib.crc32(f"{name} {dtype}".encode()))
    low, high = DOMAIN_FLOAT64.get(name, DOMAIN[name]) if dtype == "float64" else DOMAIN[name]
    third = count // 3
    dense = np.linspace(low, high, third) + random.uniform(0, (high - low) / third, third)
    bits = random.integers(0, np.iinfo(INTEGERS[dtype]).max, third, INTEGERS[dtype], endpoint=True).view(dtype)
    near = random.choice([0.0, 1.0, -1.0, *(k * math.pi / 4 for k in range(-9, 10)), *(k * math.log(2) / 2 for k in range(-9, 10))], third)
    near = near + random.choice([-1, 1], third) * 2.0 ** -random.uniform(0, 40, third)
    return defined(name, np.concatenate([dense.astype(dtype), bits, near.astype(dtype)]))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", UNARY)
def test_error_in_ulp_against_mpmath(name, dtype):
    x = samples(name, dtype, 1800)
    errors = ulps(evaluate(name, x), *exact_values(exact(name), [x]))
    worst = np.argmax(errors)
    assert errors[worst] <= MAX_ULP[dtype], (float(x[worst]), evaluate(name, x[worst:worst + 1]))


# NumPy's float64 functions, right to some float64 ulp, let float32 be tested on many more.
IN_FLOAT64 = {
    **{name: getattr(np, name) for name in UNARY if hasattr(np, name)},
    "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan, "asinh": np.arcsinh, "acosh": np.arccosh, "atanh": np.arctanh,
    "erf": np.vectorize(math.erf),
}


@pytest.mark.parametrize("name", IN_FLOAT64)
def test_float32_error_on_many_inputs(name):
    x = samples(name, "float32", 60_000)
    with np.errstate(all="ignore"):
        reference = IN_FLOAT64[name](x.astype(np.float64))
    errors = ulps(evaluate(name, x), reference, 0.0)
    worst = np.argmax(errors)
    assert errors[worst] <= MAX_ULP["float32"], float(x[worst])


SPECIAL = {
    "exp": [(0.0, 1), (-0.0, 1), (-inf, 0.0), (inf, inf), (nan, nan), (1e4, inf), (-1e4, 0.0)],
    "exp2": [(0.0, 1), (-0.0, 1), (-inf, 0.0), (inf, inf), (nan, nan), (10, 1024), (-3, 0.125), (-149, 2.0**-149), (1e5, inf), (-1e5, 0.0)],
    "expm1": [(0.0, 0.0), (-0.0, -0.0), (-inf, -1), (inf, inf), (nan, nan), (1e4, inf), (-1e4, -1)],
    "log": [(0.0, -inf), (-0.0, -inf), (1, 0.0), (-1, nan), (-inf, nan), (inf, inf), (nan, nan), (-1e-40, nan)],
    "log2": [(0.0, -inf), (-0.0, -inf), (1, 0.0), (-1, nan), (-inf, nan), (inf, inf), (nan, nan), (8, 3), (2.0**-149, -149)],
    "log1p": [(0.0, 0.0), (-0.0, -0.0), (-1, -inf), (-1.5, nan), (-inf, nan), (inf, inf), (nan, nan)],
    "sin": [(0.0, 0.0), (-0.0, -0.0), (inf, nan), (-inf, nan), (nan, nan)],
    "cos": [(0.0, 1), (-0.0, 1), (1e-9, 1), (inf, nan), (-inf, nan), (nan, nan)],
    "tan": [(0.0, 0.0), (-0.0, -0.0), (inf, nan), (-inf, nan), (nan, nan)],
    "asin": [(0.0, 0.0), (-0.0, -0.0), (1.5, nan), (-1.5, nan), (inf, nan), (-inf, nan), (nan, nan)],
    "acos": [(1, 0.0), (1.5, nan), (-1.5, nan), (inf, nan), (-inf, nan), (nan, nan)],
    "atan": [(0.0, 0.0), (-0.0, -0.0), (nan, nan)],
    "asinh": [(0.0, 0.0), (-0.0, -0.0), (inf, inf), (-inf, -inf), (nan, nan)],
    "acosh": [(1, 0.0), (0.5, nan), (0.0, nan), (-3, nan), (-inf, nan), (inf, inf), (nan, nan)],
    "atanh": [(0.0, 0.0), (-0.0, -0.0), (1, inf), (-1, -inf), (1.5, nan), (-1.5, nan), (inf, nan), (-inf, nan), (nan, nan)],
    "sinh": [(0.0, 0.0), (-0.0, -0.0), (inf, inf), (-inf, -inf), (nan, nan), (1e4, inf), (-1e4, -inf)],
    "cosh": [(0.0, 1), (-0.0, 1), (inf, inf), (-inf, inf), (nan, nan), (1e4, inf), (-1e4, inf)],
    "tanh": [(0.0, 0.0), (-0.0, -0.0), (inf, 1), (-inf, -1), (nan, nan), (30, 1), (-30, -1)],
    "erf": [(0.0, 0.0), (-0.0, -0.0), (inf, 1), (-inf, -1), (nan, nan), (7, 1), (-7, -1)],
}


def assert_same_values(result, wanted):
    np.testing.assert_array_equal(result, wanted)
    numbers = ~np.isnan(wanted)
    np.testing.assert_array_equal(np.signbit(result[numbers]), np.signbit(wanted[numbers]))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", SPECIAL)
def test_special_values(name, dtype):
    x, wanted = np.array(SPECIAL[name]).astype(dtype).T
    assert_same_values(evaluate(name, x.copy()), wanted)


@pytest.mark.parametrize("dtype", DTYPES)
def test_inverse_trigonometric_functions_end_at_multiples_of_half_pi(dtype):
    half_pi = dtype_of(dtype)(math.pi / 2)
    assert evaluate("asin", np.array([1, -1], dtype)).tolist() == [half_pi, -half_pi]
    assert evaluate("acos", np.array([-1, 0], dtype)).tolist() == [2 * half_pi, half_pi]
    assert evaluate("atan", np.array([inf, -inf, 1e38], dtype)).tolist() == [half_pi, -half_pi, half_pi]


# C's Annex F.10.4.5, and more: x, y, x**y.
SPECIAL_POWERS = [
    (nan, 0.0, 1), (nan, -0.0, 1), (inf, 0.0, 1), (0.0, 0.0, 1), (1, nan, 1), (1, inf, 1), (1, -inf, 1), (-1, inf, 1), (-1, -inf, 1),
    (-1, nan, nan), (nan, 1, nan), (2, nan, nan), (0.0, nan, nan), (inf, nan, nan),
    (0.0, -3, inf), (-0.0, -3, -inf), (-0.0, -2, inf), (-0.0, -0.5, inf), (0.0, -inf, inf), (0.0, 3, 0.0), (-0.0, 3, -0.0), (-0.0, 2, 0.0),
    (-0.0, 0.5, 0.0), (0.0, inf, 0.0), (0.0, 1e-30, 0.0),
    (0.5, -inf, inf), (0.5, inf, 0.0), (-0.5, inf, 0.0), (2, inf, inf), (2, -inf, 0.0), (-2, inf, inf), (-2, -inf, 0.0),
    (inf, 2, inf), (inf, -2, 0.0), (inf, 1e-30, inf), (inf, inf, inf), (inf, -inf, 0.0),
    (-inf, 3, -inf), (-inf, 2, inf), (-inf, 0.5, inf), (-inf, -3, -0.0), (-inf, -2, 0.0), (-inf, -0.5, 0.0),
    (-2, 3, -8), (-2, 2, 4), (-2, -1, -0.5), (-2, 0.5, nan), (-1e-40, 0.25, nan), (2, 10, 1024), (3, 1, 3),
    (-2, 1e30, inf), (-0.5, 1e30, 0.0),
    (2, 2000, inf), (2, -2000, 0.0), (-2, 2001, -inf), (-2, -2001, -0.0),
]


@pytest.mark.parametrize("dtype", DTYPES)
def test_special_powers(dtype):
    x, y, wanted = np.array(SPECIAL_POWERS).astype(dtype).T
    assert_same_values(evaluate("pow", x.copy(), y.copy()), wanted)


@pytest.mark.parametrize("dtype", DTYPES)
def test_error_of_powers_in_ulp_against_mpmath(dtype):
    random = np.random.default_rng(5)
    ranges = [(0, 10, -40, 40), (0.9, 1.1, -2000, 2000), (1 - 1e-6, 1 + 1e-6, -1e8, 1e8), (0, 1e30, -4, 4)]
    lanes = [(random.uniform(a, b, 400), random.uniform(c, d, 400)) for a, b, c, d in ranges]
    bits = random.integers(0, np.iinfo(INTEGERS[dtype]).max // 2, 400, INTEGERS[dtype]).view(dtype)
    lanes.append((bits.astype(np.float64), random.uniform(-3, 3, 400)))
    x, y = (np.concatenate(parts).astype(dtype) for parts in zip(*lanes))
    x, y = x[np.isfinite(x) & (x > 0)], y[np.isfinite(x) & (x > 0)]
    errors = ulps(evaluate("pow", x, y), *exact_values(lambda x, y: mp.power(x, y), [x, y]))
    worst = np.argmax(errors)
    assert errors[worst] <= MAX_ULP[dtype], (float(x[worst]), float(y[worst]))


@pytest.mark.parametrize("dtype", DTYPES)
def test_small_whole_powers_are_exact_in_float32_and_within_an_ulp_in_float64(dtype):
    x, y = (grid.ravel().astype(dtype) for grid in np.meshgrid(np.arange(-12, 13), np.arange(0, 7)))
    result, wanted = evaluate("pow", x, y), x.astype(np.float64) ** y
    if dtype == "float32":
        np.testing.assert_array_equal(result, wanted)
    assert np.max(ulps(result, wanted, np.zeros_like(wanted))) <= 1


@pytest.mark.parametrize("dtype", DTYPES)
def test_exponents_are_exact_powers(dtype):
    exponents = np.arange(-149, 128) if dtype == "float32" else np.arange(-1074, 1024)
    powers = np.ldexp(np.ones_like(exponents, dtype), exponents)
    np.testing.assert_array_equal(evaluate("exp2", exponents.astype(dtype)), powers)
    np.testing.assert_array_equal(evaluate("log2", powers), exponents.astype(dtype))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["exp", "exp2", "expm1", "sinh", "cosh"])
def test_overflow_starts_where_the_true_value_leaves_the_range(name, dtype):
    largest = float(np.finfo(dtype).max)
    inverse = {"exp": mp.log, "exp2": lambda y: mp.log(y, 2), "expm1": mp.log1p, "sinh": mp.asinh, "cosh": mp.acosh}[name]
    x = np.array([float(inverse(mp.mpf(largest)))]).astype(dtype)
    x = np.concatenate([x * dtype_of(dtype)(1 - 1e-6), x * dtype_of(dtype)(1 + 1e-6)])
    assert np.isfinite(evaluate(name, x)).tolist() == [True, False]


def dtype_of(name):
    return np.dtype(name).type


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["sin", "cos", "tanh", "erf"])
def test_bounded_by_one(name, dtype):
    x = np.concatenate([samples(name, dtype, 3000), np.arange(1, 400).astype(dtype) * dtype_of(dtype)(math.pi / 2)])
    assert np.max(abs(evaluate(name, x))) <= 1


# The float64 that comes nearest to a multiple of pi/2 (Kahan), a float32 that comes near, and the ends of the two reductions' ranges.
@pytest.mark.parametrize(("dtype", "x"), [("float64", 6381956970095103 * 2.0**797), ("float64", 1.7976931348623157e308), ("float64", 1e22),
                                          ("float32", 3.4028235e38), ("float32", 16367173 * 2.0**72), ("float32", 131071.9)])
@pytest.mark.parametrize("name", ["sin", "cos", "tan"])
def test_huge_arguments(name, dtype, x):
    x = np.array([x, -x]).astype(dtype)
    assert np.max(ulps(evaluate(name, x), *exact_values(exact(name), [x], precision=1400))) <= 2


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["sin", "cos", "tan"])
def test_branching_round_the_slow_reduction_changes_nothing(name, dtype):
    for x in (np.linspace(-50, 50, 64).astype(dtype), np.geomspace(1, 1e38, 64).astype(dtype)):
        np.testing.assert_array_equal(evaluate(name, x), evaluate(name, x, ops=BranchingOps()))


# Speed is the number of operations (a comparison and its selection make two here, one on most machines).
@pytest.mark.parametrize(("name", "limit"), [("exp", 19), ("exp2", 18), ("expm1", 22), ("log", 31), ("log2", 31), ("sin", 23), ("cos", 23),
                                             ("tanh", 25), ("erf", 30), ("atan", 22), ("asin", 22), ("acos", 23), ("pow", 67)])
def test_float32_operations_on_the_usual_path(name, limit):
    ops = BranchingOps()
    evaluate(name, *[np.ones(4, np.float32)] * (2 if name == "pow" else 1), ops=ops)
    assert ops.count <= limit


def test_the_tests_fma_rounds_once():
    # The square of 1 + 2**-12 is half way between two float32, which the least addend decides.
    root, least = np.array([[1 + 2.0**-12], [2.0**-149]]).astype(np.float32)
    assert fma_float32(root, root, least)[0] == np.float32(1 + 2.0**-11 + 2.0**-23)
    assert fma_float32(root, root, -least)[0] == np.float32(1 + 2.0**-11)
    a, b, c = (np.array([value]) for value in (1 + 2.0**-52, 1 + 2.0**-52, -1.0))
    assert fma_float64(a, b, c)[0] == 2.0**-51 + 2.0**-104
