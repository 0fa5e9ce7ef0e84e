"""Special functions beside mpmath's, in units in the last place over all magnitudes, and their derivatives."""

import math

import mpmath
import numpy as np
import pytest

import morok
from morok import Tensor

mpmath.mp.dps = 40


def ndtr(x):
    if abs(x) > 1e3:
        return mpmath.mpf(int(x > 0))
    return mpmath.erfc(-x / mpmath.sqrt(2)) / 2


ALL = [0.0, 1e-300, -1e-300, 5e-324, 1e-20, -1e-20, 1e-5, 0.1, -0.1, 0.3, 0.49, 0.5, -0.5, 0.51, 0.75, 1.0, -1.0, 1.3, 1.5, 2.0, 2.5, 3.7, -3.7, 4.0, 4.1, 5.9,
       -5.9, 8.25, 10.7, 11.3, 17.0, 19.9, 20.1, 25.5, -25.5, 26.4, 30.5, 37.6, 100.3, 141.7, -101.3, 170.1, 171.5, 700.0, -2000.5, 1e5, 1e10, 1e150, 1e300]
DRAWN = [*(np.random.default_rng(0).uniform(-6, 6, 30)), *(np.random.default_rng(1).uniform(0, 30, 30)), *ALL]
PROBABILITIES = [*(np.random.default_rng(2).uniform(0, 1, 40)), 1e-300, 1e-20, 1e-5, 0.5, 0.25, 0.75, 1 - 1e-16, 0.5 + 1e-10, 1 - 1e-9, 0.0745, 0.9255]

CASES = {
    "erfc": (lambda x: mpmath.erfc(x) if x < 1e3 else mpmath.mpf(0), DRAWN, 4), "erfcx": (lambda x: mpmath.exp(x * x) * mpmath.erfc(x),
                                                              [x for x in DRAWN if -20 < x < 1e8], 40),
    "erfinv": (None, [p * s for p in PROBABILITIES for s in (1, -1)], 12), "ndtr": (ndtr, DRAWN, 6),
    "log_ndtr": (lambda x: mpmath.log(ndtr(x)) if x < 5 else mpmath.log1p(-ndtr(-x)), [x for x in DRAWN if abs(x) < 1e3], 8),
    "ndtri": (None, PROBABILITIES, 12),
    "lgamma": (lambda x: mpmath.log(abs(mpmath.gamma(x))) if abs(x) < 1e12 else mpmath.loggamma(x), [x for x in DRAWN if x > 0 and 5e-324 < x < 1e290], 8),
    "gamma": (mpmath.gamma, [x for x in DRAWN if (x > 0 or x != int(x)) and 1e-290 < abs(x) < 171.5], 16),
    "digamma": (mpmath.digamma, [x for x in DRAWN if 1e-290 < x and abs(x - 1.4616) > 0.3], 10),
    "i0": (lambda x: mpmath.besseli(0, x), [x for x in DRAWN if abs(x) < 705], 8),
    "i1": (lambda x: mpmath.besseli(1, x), [x for x in DRAWN if 1e-290 < abs(x) < 705], 8),
    "logit": (lambda x: mpmath.log(x) - mpmath.log1p(-x), PROBABILITIES, 4), "entr": (lambda x: -x * mpmath.log(x), [x for x in DRAWN if x > 1e-290], 4),
}


def inverse(name, y):
    """What the inverse gives for y, by Newton's steps from morok's own value: what they converge to does not depend on it."""
    x = mpmath.mpf(getattr(Tensor(np.array([float(y)])), name)().item())
    for _ in range(4):
        if name == "erfinv":
            x -= (mpmath.erf(x) - y) * mpmath.exp(x * x) * mpmath.sqrt(mpmath.pi) / 2 if abs(y) < 0.5 else (
                mpmath.sign(y) * ((1 - abs(y)) - mpmath.erfc(abs(x)))) * mpmath.exp(x * x) * mpmath.sqrt(mpmath.pi) / 2
        else:
            x -= (ndtr(x) - y) * mpmath.exp(x * x / 2) * mpmath.sqrt(2 * mpmath.pi)
    return x


def distance(found, exact, dtype):
    """The greatest error in units in the last place of the exact values."""
    errors = []
    for f, e in zip(found, exact, strict=True):
        rounded = abs(float(e))
        if rounded > np.finfo(dtype).max:
            assert np.isinf(f), (f, e)
            continue
        unit = float(np.spacing(dtype(rounded)))
        errors.append(float(abs(mpmath.mpf(float(f)) - e) / unit))
    return max(errors)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", CASES)
def test_units_in_the_last_place(name, dtype):
    function, points, most = CASES[name]
    with np.errstate(over="ignore", under="ignore"):
        x = np.array(points).astype(dtype)
    x = x[np.isfinite(x) & (np.abs(x.astype(np.float64)) < 1e8)] if dtype is np.float32 else x
    if name in ("erfinv", "ndtri", "logit"):
        x = x[(np.abs(x) < 1) & (x != 0)]
    if name in ("lgamma", "gamma", "digamma", "i1", "entr"):
        x = x[np.abs(x) > 1e-35]
    given = [mpmath.mpf(float(v)) for v in x]
    exact = [inverse(name, v) if function is None else function(v) for v in given]
    assert distance(getattr(Tensor(x), name)().numpy(), exact, dtype) <= (1.01 if dtype is np.float32 else most)


def test_polygammas():
    x = np.array([0.01, 0.3, 1.0, 2.5, 7.0, 30.0, 1e5])
    for n in (1, 4):
        exact = [mpmath.polygamma(n, mpmath.mpf(v)) for v in x]
        assert distance(Tensor(x).polygamma(n).numpy(), exact, np.float64) <= 24
    negative = np.array([-0.5, -1.3, -7.9])
    for n in (1, 2):
        np.testing.assert_allclose(Tensor(negative).polygamma(n).numpy(), [float(mpmath.polygamma(n, mpmath.mpf(v))) for v in negative], rtol=1e-12, atol=1e-10)
    np.testing.assert_allclose(Tensor(negative).digamma().numpy(), [float(mpmath.digamma(mpmath.mpf(v))) for v in negative], rtol=1e-13)
    np.testing.assert_allclose(Tensor(negative).lgamma().numpy(), [float(mpmath.log(abs(mpmath.gamma(mpmath.mpf(v))))) for v in negative], rtol=1e-13)


def test_at_the_ends():
    inf, nan = math.inf, math.nan
    table = {"erfc": ([inf, -inf, nan], [0, 2, nan]), "erfinv": ([1, -1, 1.5, nan], [inf, -inf, nan, nan]), "ndtr": ([inf, -inf, nan], [1, 0, nan]),
             "log_ndtr": ([inf, -inf, nan], [0, -inf, nan]), "ndtri": ([0, 1, -0.5, nan], [-inf, inf, nan, nan]),
             "lgamma": ([0, -1, -2, inf, -inf, nan, 1, 2], [inf, inf, inf, inf, inf, nan, 0, 0]),
             "gamma": ([0.0, -0.0, -1, inf, -inf, nan, 172, 5], [inf, -inf, nan, inf, nan, nan, inf, 24]),
             "digamma": ([0, -1, -2, inf, nan], [-inf, nan, nan, inf, nan]), "i0": ([inf, -inf, nan], [inf, inf, nan]),
             "i1": ([inf, -inf, nan, 0], [inf, -inf, nan, 0]),
             "logit": ([0, 1, 2, nan], [-inf, inf, nan, nan]), "entr": ([0, -1, nan, 1], [0, -inf, nan, 0]), "erfcx": ([inf, nan], [0, nan])}
    for name, (given, expected) in table.items():
        for dtype in (np.float32, np.float64):
            np.testing.assert_allclose(getattr(Tensor(np.array(given, dtype)), name)().numpy(), expected, rtol=1e-6, err_msg=name)
    x, y = np.array([0.0, 2, 0, inf, -inf]), np.array([-1.0, 3, nan, inf, -inf])
    np.testing.assert_allclose(Tensor(x).logaddexp2(Tensor(y)).numpy(), np.logaddexp2(x, y))
    np.testing.assert_allclose(Tensor(x[:3]).xlog1py(Tensor(y[:3])).numpy(), [0, 2 * math.log(4), nan])
    np.testing.assert_allclose(Tensor(x[:3]).expit().numpy(), 1 / (1 + np.exp(-x[:3])))


def test_other_dtypes_and_shapes():
    for dtype in ("float16", "bfloat16"):
        found = Tensor([[0.5, 1.5]], dtype=dtype).lgamma()
        assert found.dtype.name == dtype and found.shape == (1, 2)
        np.testing.assert_allclose(found.cast("float64").numpy(), [[math.lgamma(0.5), math.lgamma(1.5)]], rtol=1e-2)
    assert Tensor([1, 2]).erfc().dtype is morok.float32 and Tensor.zeros(0, 3).digamma().shape == (0, 3)
    np.testing.assert_allclose(Tensor(np.arange(1.0, 9).reshape(2, 4)).T.gammaln().numpy(), np.array([math.lgamma(k) for k in range(1, 9)]).reshape(2, 4).T)
    np.testing.assert_allclose(Tensor([2.0]).psi().numpy(), Tensor([2.0]).digamma().numpy())


@pytest.mark.parametrize("name", [*CASES, "polygamma"])
def test_derivatives_of_first_and_second_order(name):
    points = np.array([0.2, 0.45, 0.8]) if name in ("erfinv", "ndtri", "logit") else np.array([-1.3, 0.3, 0.7, 2.2, 6.4, 13.0])
    points = points[points > 0] if name == "entr" else points

    def f(t):
        return (t.polygamma(2) if name == "polygamma" else getattr(t, name)()).sum()
    first = morok.grad(f)
    found, second = first(Tensor(points)).numpy(), morok.grad(lambda t: first(t).sum())(Tensor(points)).numpy()
    step = 1e-5
    def along(g, x):
        return (g(x + step) - g(x - step)) / (2 * step)
    expected = [along(lambda v: f(Tensor(np.array([v]))).item(), x) for x in points]
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-9)
    expected = [along(lambda v: first(Tensor(np.array([v]))).item(), x) for x in points]
    np.testing.assert_allclose(second, expected, rtol=1e-6, atol=1e-9)
