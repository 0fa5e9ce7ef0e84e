"""Remainders, limits, angles, parts of numbers; diagonals, windows, differences and parts; statistics: all beside NumPy."""

import numpy as np
import pytest
from arrays import SHAPES, check, sample

import morok
from morok import Tensor, dtypes
from morok.errors import BoundsError, DTypeError, ShapeError

SPECIAL = np.array([0.0, -0.0, 1.0, -1.5, 2.5, 1e-310, -3e-320, 5e-324, 1e308, 1.7e308, np.inf, -np.inf, np.nan])


def special(dtype):
    with np.errstate(over="ignore"):
        return SPECIAL.astype(dtype)


def same_signs(got, expected):
    np.testing.assert_array_equal(np.signbit(got) & ~np.isnan(expected), np.signbit(expected) & ~np.isnan(expected))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", ["fmax", "fmin", "fmod", "ldexp", "copysign", "hypot"])
def test_pairs_of_special_numbers(name, dtype):
    x, y = special(dtype)[:, None], special(dtype)
    y = np.array([0, 1, -1, 5, -130, 130, -1100, 1100, -2000, 2000]) if name == "ldexp" else y
    if name == "fmod":
        x, y = np.array([5.5, -5.5, 0.0, -0.0, 7.0, np.inf, np.nan], dtype)[:, None], np.array([2.0, -2.0, 0.0, np.inf, 0.3, np.nan], dtype)
    with np.errstate(all="ignore"):
        expected = getattr(np, name)(x, y)
    got = getattr(Tensor(x), name)(Tensor(y)).numpy()
    assert got.dtype == expected.dtype
    np.testing.assert_allclose(got, expected, rtol=3e-7 if dtype == np.float32 else 1e-15, atol=0)
    if name in ("fmod", "copysign"):
        same_signs(got, expected)


@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.uint8])
def test_remainders_of_integers(dtype):
    x = np.array([-7, 7, -8, 0, 5, np.iinfo(dtype).min, np.iinfo(dtype).max]).astype(dtype)[:, None]
    y = np.array([3, -3, 1, 7, 0]).astype(dtype)
    with np.errstate(all="ignore"):
        expected = np.fmod(x, y)
    check(Tensor(x).fmod(Tensor(y)), expected)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("name", ["frexp", "modf", "isposinf", "isneginf", "rint", "cbrt", "deg2rad", "rad2deg", "fix"])
def test_special_numbers(name, dtype):
    x = special(dtype)
    with np.errstate(all="ignore"):
        expected = getattr(np, name)(x)
    found = getattr(Tensor(x), name)()
    pairs = zip(found, expected) if isinstance(found, tuple) else [(found, expected)]
    for f, e in pairs:
        assert f.numpy().dtype == e.dtype
        f = f.numpy()
        if name == "frexp" and e.dtype == np.int32:
            f, e = np.where(np.isfinite(x), f, 0), np.where(np.isfinite(x), e, 0)
        np.testing.assert_allclose(f, e, rtol=4 * np.finfo(dtype).eps)
        if e.dtype.kind == "f":
            same_signs(f, e)


def test_angles_beside_numpy_by_their_other_names():
    x = sample((7,), dtypes.float64)
    np.testing.assert_allclose(Tensor(x).radians().numpy(), np.radians(x))
    np.testing.assert_allclose(Tensor(x).degrees().numpy(), np.degrees(x))
    np.testing.assert_allclose(Tensor(x).frac().numpy(), x - np.trunc(x))
    np.testing.assert_allclose(Tensor(x).addcmul(Tensor(x), 2.0, value=3).numpy(), x + 6 * x)
    np.testing.assert_allclose(Tensor(x).addcdiv(Tensor(x), 2.0, value=3).numpy(), x + 1.5 * x)
    np.testing.assert_allclose(Tensor(x).sgn().numpy(), np.sign(x))
    np.testing.assert_allclose(Tensor(x).clamp_min(1.0).clamp_max(2.0).numpy(), x.clip(1, 2))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("offset", [0, 1, -2])
def test_diagonals(shape, offset):
    x = sample(shape)
    np.testing.assert_array_equal(Tensor(x).diagflat(offset).numpy(), np.diagflat(x, offset))
    if x.ndim in (1, 2):
        if x.ndim == 2 and not -x.shape[0] < offset < x.shape[1]:
            return
        np.testing.assert_array_equal(Tensor(x).diag(offset).numpy(), np.diag(x, offset))
    if x.ndim:
        embedded = Tensor(x).diag_embed(offset, 0, -1).numpy()
        np.testing.assert_array_equal(np.moveaxis(np.diagonal(embedded, offset, 0, -1), -1, -1), x)
        assert np.count_nonzero(embedded) == np.count_nonzero(x)


@pytest.mark.parametrize(("shape", "window", "axis"), [((5,), 2, None), ((4, 5), (2, 3), None), ((4, 5), 3, 0), ((2, 3, 4), (2, 2), (2, 0)), ((3,), 3, 0)])
def test_windows(shape, window, axis):
    x = sample(shape)
    for layout, t in ((x, Tensor(x)), (x[::-1], Tensor(x)[::-1])):
        np.testing.assert_array_equal(t.sliding_window_view(window, axis).numpy(), np.lib.stride_tricks.sliding_window_view(layout, window, axis))


def test_windows_apart():
    x = sample((3, 8))
    expected = np.lib.stride_tricks.sliding_window_view(x, 3, 1)[:, ::2]
    np.testing.assert_array_equal(Tensor(x).unfold(1, 3, 2).numpy(), expected)
    np.testing.assert_array_equal(Tensor(x).unfold(0, 2, 1).numpy(), np.lib.stride_tricks.sliding_window_view(x, 2, 0))
    with pytest.raises(ShapeError):
        Tensor(x).unfold(0, 4, 1)
    with pytest.raises(BoundsError):
        Tensor(x).unfold(0, 2, 0)


@pytest.mark.parametrize("dtype", [dtypes.float32, dtypes.int8, dtypes.bool])
@pytest.mark.parametrize("options", [{}, {"n": 2}, {"axis": 0}, {"n": 0}, {"n": 9}, {"prepend": 1, "append": 0}, {"axis": 0, "append": np.ones((2, 4))}])
def test_differences(dtype, options):
    x = sample((3, 4), dtype)
    options = {k: v.astype(x.dtype) if isinstance(v, np.ndarray) else v for k, v in options.items()}
    if dtype is dtypes.bool:
        options = {k: bool(v) if k in ("prepend", "append") and not isinstance(v, np.ndarray) else v for k, v in options.items()}
    weak = {k: np.full((), v, x.dtype) if k in ("prepend", "append") and np.ndim(v) == 0 else v for k, v in options.items()}
    check(Tensor(x).diff(**options), np.diff(x, **weak))


@pytest.mark.parametrize("parts", [1, 3, 5, [2, 5], [], [-2], [4, 2], [1, 9]])
@pytest.mark.parametrize("axis", [0, 1])
def test_parts(parts, axis):
    x = sample((7, 4))
    for call in (Tensor(x).array_split, Tensor(x).tensor_split):
        found, expected = call(parts, axis), np.array_split(x, parts, axis)
        assert len(found) == len(expected)
        for f, e in zip(found, expected):
            np.testing.assert_array_equal(f.numpy(), e)


def test_equal_parts():
    x = sample((2, 4, 6))
    for name in ("hsplit", "vsplit", "dsplit"):
        for f, e in zip(getattr(Tensor(x), name)(2), getattr(np, name)(x, 2), strict=True):
            np.testing.assert_array_equal(f.numpy(), e)
    with pytest.raises(ShapeError, match="not 3 equal parts"):
        Tensor(x).vsplit(3)
    with pytest.raises(BoundsError):
        Tensor(x).array_split(0)
    np.testing.assert_array_equal(Tensor(x).flipud().numpy(), np.flipud(x))
    np.testing.assert_array_equal(Tensor(x).fliplr().numpy(), np.fliplr(x))
    np.testing.assert_allclose(Tensor(x).inner(Tensor(x[0])).numpy(), np.inner(x, x[0]), rtol=1e-6)


def test_elements_along_an_axis():
    x = sample((3, 4))
    index = np.argsort(x, 1)
    np.testing.assert_array_equal(Tensor(x).take_along_axis(Tensor(index), 1).numpy(), np.take_along_axis(x, index, 1))
    np.testing.assert_array_equal(Tensor(x).take_along_axis(Tensor(index[:1] - 4), 1).numpy(), np.take_along_axis(x, index[:1] - 4, 1))
    np.testing.assert_array_equal(Tensor(x).take_along_dim(Tensor(index[:, 0])).numpy(), np.take_along_axis(x, index[:, 0], None))


# Statistics


@pytest.mark.parametrize("axis", [None, 0, 1, (0, 1)])
@pytest.mark.parametrize("keep", [False, True])
def test_reductions_that_skip_nan(axis, keep):
    x = sample((4, 5), dtypes.float64)
    x[0, 1] = x[2, 1] = x[3, 3] = np.nan
    x[1] = np.nan
    with np.errstate(all="ignore"), pytest.warns(RuntimeWarning) if axis == 1 else np.errstate():
        for name, options in (("nansum", {}), ("nanprod", {}), ("nanmean", {}), ("nanvar", {"ddof": 1}), ("nanstd", {"ddof": 0})):
            ours = {"correction": options["ddof"]} if options else {}
            np.testing.assert_allclose(getattr(Tensor(x), name)(axis, keepdim=keep, **ours).numpy(), getattr(np, name)(x, axis, keepdims=keep, **options))
    if not isinstance(axis, tuple):
        whole = np.where(np.isnan(x[1])[None] & (np.arange(4) == 1)[:, None], 0, x)
        np.testing.assert_array_equal(Tensor(whole).nanargmax(axis).numpy(), np.nanargmax(whole, axis))
        np.testing.assert_array_equal(Tensor(whole).nanargmin(axis).numpy(), np.nanargmin(whole, axis))
        np.testing.assert_allclose(Tensor(x).nancumsum(axis).numpy(), np.nancumsum(x, axis))
        np.testing.assert_allclose(Tensor(x).nancumprod(axis).numpy(), np.nancumprod(x, axis))


def test_weighted_means():
    x, w = sample((3, 4), dtypes.float64), np.abs(sample((3, 4), dtypes.float64, 1)) + 1
    for axis in (None, 0, 1, (0, 1)):
        np.testing.assert_allclose(Tensor(x).average(axis).numpy(), np.average(x, axis))
        for got, expected in zip(Tensor(x).average(axis, Tensor(w), returned=True), np.average(x, axis, w, returned=True), strict=True):
            np.testing.assert_allclose(got.numpy(), expected)
    np.testing.assert_allclose(Tensor(x).average(1, Tensor(w[0])).numpy(), np.average(x, 1, w[0]))
    np.testing.assert_allclose(Tensor(x).average(1, returned=True)[1].numpy(), np.average(x, 1, returned=True)[1])
    with pytest.raises(ShapeError):
        Tensor(x).average(0, Tensor(w[0]))


def test_covariance():
    x = np.random.default_rng(0).standard_normal((3, 20))
    f, a = np.arange(20) % 4 + 1, np.linspace(0.5, 2, 20)
    np.testing.assert_allclose(Tensor(x).cov().numpy(), np.cov(x))
    np.testing.assert_allclose(Tensor(x).cov(correction=0, fweights=Tensor(f), aweights=Tensor(a)).numpy(), np.cov(x, ddof=0, fweights=f, aweights=a))
    np.testing.assert_allclose(Tensor(x).cov(fweights=Tensor(f)).numpy(), np.cov(x, fweights=f))
    np.testing.assert_allclose(Tensor(x).cov(aweights=Tensor(a)).numpy(), np.cov(x, aweights=a))
    np.testing.assert_allclose(Tensor(x[0]).cov().numpy(), np.cov(x[0]))
    np.testing.assert_allclose(Tensor(x).corrcoef().numpy(), np.corrcoef(x), atol=1e-12)
    np.testing.assert_allclose(Tensor(x[0]).corrcoef().numpy(), 1)
    with pytest.raises(DTypeError):
        Tensor(x).cov(fweights=Tensor(a))


def test_integrals():
    y, x = sample((3, 5), dtypes.float64), np.cumsum(np.abs(sample((5,), dtypes.float64, 1)) + 0.5)
    for axis in (0, 1):
        np.testing.assert_allclose(Tensor(y).trapezoid(axis=axis, dx=0.5).numpy(), np.trapezoid(y, axis=axis, dx=0.5))
    np.testing.assert_allclose(Tensor(y).trapezoid(Tensor(x)).numpy(), np.trapezoid(y, x))
    np.testing.assert_allclose(Tensor(y).trapezoid(Tensor(np.broadcast_to(x, (3, 5)).copy())).numpy(), np.trapezoid(y, np.broadcast_to(x, (3, 5))))
    np.testing.assert_array_equal(Tensor(y).ediff1d(9, [1, 2]).numpy(), np.ediff1d(y, 9, [1, 2]))


@pytest.mark.parametrize("function", [lambda x: x.cbrt(), lambda x: x.fmod(0.7), lambda x: x.fmax(1.0), lambda x: x.frexp()[0], lambda x: x.ldexp(3),
                                      lambda x: x.diag_embed(1), lambda x: x.unfold(0, 2, 1), lambda x: x.diff(2), lambda x: x.take_along_axis([2, 0], 0),
                                      lambda x: x.average(weights=x * x), lambda x: x.reshape(2, 2).cov(), lambda x: x.reshape(2, 2).corrcoef(),
                                      lambda x: x.trapezoid(x * x), lambda x: x.nanvar(), lambda x: x.deg2rad()])
def test_derivatives(function):
    x = np.array([0.9, 2.3, 1.7, -1.1])
    weights = np.random.default_rng(0).standard_normal(function(Tensor(x)).shape)

    def loss(t):
        return (function(t) * Tensor(weights)).sum()
    found = morok.grad(loss)(Tensor(x)).numpy()
    step = 1e-6
    expected = [(loss(Tensor(x + step * e)).item() - loss(Tensor(x - step * e)).item()) / (2 * step) for e in np.eye(4)]
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-8)


def test_float64_becomes_float16_by_one_rounding():
    half = np.random.default_rng(0).integers(0, 0x7C00, 2000).astype(np.uint16).view(np.float16)
    exact, middle = half.astype(np.float64), np.spacing(half).astype(np.float64) / 2
    values = np.concatenate([exact + middle * (1 + error) for error in (-2.0**-30, 0, 2.0**-30, 2.0**-45)] + [[65519.99999999, 65520.0, -0.0, 1e-300, 1e300]])
    with np.errstate(all="ignore"):
        expected = np.concatenate([values, -values]).astype(np.float16)
    found = Tensor(np.concatenate([values, -values])).cast("float16").numpy()
    np.testing.assert_array_equal(found.view(np.uint16), expected.view(np.uint16))
