"""Numbers at the edges: conversions, division by zero, NaN and infinities, in every way of computing them."""

import mpmath
import numpy as np
import pytest
from arrays import INTEGERS, check
from evaluating import check_everywhere, everywhere

import morok
from morok import Tensor, dtypes

SIZES = [1, 7, 64]
SIGNED = [d for d in INTEGERS if d.kind == "i"]


def wrapped(values, dtype):
    """Floats to an integer: towards 0, saturated to int64, wrapped; NaN gives 0."""
    least, greatest = -(1 << 63), (1 << 63) - 1
    whole = [0 if np.isnan(v) else least if v <= least else greatest if v >= greatest else int(v) for v in values.tolist()]
    bits = dtype.bits
    return np.array([(w + (1 << bits - 1)) % (1 << bits) - (1 << bits - 1) if dtype.kind == "i" else w % (1 << bits) for w in whole], dtype.np)


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
@pytest.mark.parametrize("size", SIZES)
def test_floats_outside_an_integer_convert_alike_everywhere(size, dtype):
    some = np.array([-0.5, -1.5, 255.9, 0.9, 1e10, -1e10, 1e30, -1e30, np.nan, np.inf, -np.inf, 128.0, -129.0, 65536.5])
    values = np.resize(some, size)
    check_everywhere(lambda t: t.cast(dtype), wrapped(values, dtype), values)
    for v in some[:7]:
        check_everywhere(lambda t: t.cast(dtype), wrapped(np.full(size, v), dtype), np.full(size, v))


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
@pytest.mark.parametrize("size", SIZES)
def test_integer_division_by_zero_gives_zero_everywhere(size, dtype):
    values = np.resize(np.array([0, 1, 5, 7, 100]), size).astype(dtype.np)
    values = np.where(np.arange(size) % 2 == 0, values, -values.astype(np.int64)).astype(dtype.np)
    zeros = np.zeros(size, dtype.np)
    check_everywhere(lambda a, b: a // b, zeros, values, zeros)
    check_everywhere(lambda a, b: a % b, zeros, values, zeros)
    check_everywhere(lambda a: a // 0, zeros, values)
    check_everywhere(lambda a: a % 0, zeros, values)
    check_everywhere(lambda a, b: a // b, zeros, np.full(size, dtype.max, dtype.np), zeros)


@pytest.mark.parametrize("dtype", SIGNED, ids=str)
def test_the_least_integer_by_minus_one_wraps(dtype):
    least, minus = np.full(5, dtype.min, dtype.np), np.full(5, -1, dtype.np)
    check_everywhere(lambda a, b: a // b, least, least, minus)
    check_everywhere(lambda a, b: a % b, np.zeros(5, dtype.np), least, minus)
    check_everywhere(lambda a: -a, least, least)
    check_everywhere(lambda a: a.abs(), least, least)


@pytest.mark.parametrize("other", ["", "value", "sum"])
def test_products_with_zero_keep_nan_whatever_else_is_computed(other):
    a, m = Tensor([1.0, 1.0]), Tensor([False, True])

    def loss(a, m):
        filled = m.where(m, False).where(m, False)
        nan = Tensor(float("nan")).where(filled, a)
        result = a.mean() + nan.mean() * 0
        return result if not other else (result, nan if other == "value" else nan.sum())

    for f in (loss, morok.jit(loss)):
        found = f(a, m)
        assert np.isnan((found if not other else found[0]).item())


@pytest.mark.parametrize("function", ["x * 0", "x - x", "x / x", "0 / x", "x % 1", "x * 0 + x"])
def test_float_identities_that_do_not_hold_are_not_used(function):
    values = np.array([1.0, 0.0, -0.0, np.nan, np.inf, -np.inf], np.float32)
    with np.errstate(all="ignore"):
        expected = eval(function, {"x": values}).astype(np.float32)
    check_everywhere(lambda x: eval(function, {"x": x}), expected, values)


@pytest.mark.parametrize("low, high", [(0.5, None), (None, 0.5), (-0.5, 0.5), (2, None)])
def test_clip_keeps_nan_and_promotes_integers(low, high):
    floats = np.array([np.nan, -1, 2, 0.25], np.float32)
    check_everywhere(lambda t: t.clip(low, high), np.clip(floats, low, high), floats)
    whole = np.array([-3, 0, 4], np.int32)
    expected = np.clip(whole.astype(np.float32) if isinstance(low, float) or isinstance(high, float) else whole, low, high)
    check_everywhere(lambda t: t.clip(low, high), expected, whole)


@pytest.mark.parametrize("tail", [(), (3,), (0,)], ids=str)
def test_maximum_takes_nan_from_either_side(tail):
    a, b = np.float32([-3, np.nan, -1, 0, np.nan]), np.float32([0, 0, np.nan, 0, 0])
    a, b = (np.broadcast_to(v.reshape(5, *(1 for _ in tail)), (5, *tail)).copy() for v in (a, b))
    check_everywhere(lambda x, y: x.maximum(y), np.maximum(a, b), a, b)
    check_everywhere(lambda x, y: x.minimum(y), np.minimum(a, b), a, b)


def test_an_integer_and_a_float_of_one_value_combine_by_the_rule_of_promotion():
    """The parts of numbers, as frexp gives them: int32 with float32 gives float32 here (float64 in NumPy)."""
    x = np.float32([0.5, -3.0, 10.0])
    fraction, exponent = np.frexp(x)
    check_everywhere(lambda f, e: f * e, (fraction * exponent.astype(np.float32)).astype(np.float32), fraction, exponent)
    parts = morok.frexp(Tensor(x))
    check(parts[0] * parts[1], fraction * exponent.astype(np.float32))
    zeros = np.zeros((1, 2), np.int32)
    check_everywhere(lambda a: (a + a).cast(dtypes.float32) * 0.8, np.zeros((1, 2), np.float32), zeros)


REFERENCE = {"exp": mpmath.exp, "log": mpmath.log, "sin": mpmath.sin, "cos": mpmath.cos, "sqrt": mpmath.sqrt, "exp2": lambda v: mpmath.mpf(2) ** v}
EDGES = {
    "exp": [88.7, 88.72, -87.3, -103.9, 1e-30, 0.0, 20.5], "exp2": [127.9, -126.0, -149.0, 0.5], "log": [1e-40, 1.4e-45, 1.17549e-38, 1.0, 0.999999, 3.4e38],
    "sin": [39800.0, 1e6, 3.14159274, 1e-40, 12345.678], "cos": [39800.0, 1.57079637, 1e6], "sqrt": [1e-40, 1.4e-45, 3.4e38, 2.0],
}


@pytest.mark.parametrize("name", EDGES)
@pytest.mark.parametrize("dtype, ulps", [(np.float32, 2), (np.float64, 4)], ids=["float32", "float64"])
def test_functions_near_the_ends_of_their_range(name, dtype, ulps):
    values = np.array(EDGES[name], dtype)
    with mpmath.workdps(50):
        exact = np.array([float(REFERENCE[name](mpmath.mpf(float(v)))) for v in values])
    right = exact.astype(dtype)
    for way, found in everywhere(lambda t: getattr(t, name)(), values).items():
        if way != "interpreted":
            assert (np.abs(found.astype(np.float64) - exact) <= ulps * np.spacing(np.abs(right)).astype(np.float64)).all(), (way, found, right)


@pytest.mark.parametrize("at", [-1.5, 0.0, 3.0])
def test_gradients_through_factors_of_zero_and_infinity(at):
    def f(x):
        return (((x + Tensor([-2.0, 2.0], dtype="float64")) / 0.6) ** 2 * -0.5).logsumexp()

    def masked(x):
        return Tensor.stack([x, Tensor(-np.inf, dtype="float64")]).logsumexp()

    x = Tensor(at, dtype="float64")
    for function in (f, masked):
        gradient = morok.grad(function)
        found, jitted = gradient(x).item(), morok.jit(gradient)(x).item()
        assert np.isfinite(found) and found == jitted
    step = 1e-6
    slope = (f(Tensor(at + step, dtype="float64")).item() - f(Tensor(at - step, dtype="float64")).item()) / (2 * step)
    np.testing.assert_allclose(morok.grad(f)(x).item(), slope, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("shape", [(3,), (2, 3)], ids=str)
def test_the_gradient_of_a_norm_at_zero_is_finite(shape):
    x = Tensor.zeros(*shape)
    for f in (morok.grad(lambda t: t.norm()), morok.jit(morok.grad(lambda t: t.norm()))):
        assert np.isfinite(f(x).numpy()).all()


@pytest.mark.parametrize("n", [5, 17])
def test_sampling_by_a_cumulative_sum(n):
    """The place of a draw among cumulative weights; a sampler that always gave the last had a wrong sum."""
    weights = Tensor.ones(n) / Tensor.ones(n).sum()
    cumulated = weights.cumsum()
    check(cumulated, (np.arange(1, n + 1) / n).astype(np.float32), 1e-6)
    draws = Tensor(((np.arange(n) + 0.5) / n).astype(np.float32)).unsqueeze(1)
    assert (draws > cumulated).sum(1).tolist() == list(range(n))
    weights.realize()
    assert (draws > weights.cumsum()).sum(1).tolist() == list(range(n))
