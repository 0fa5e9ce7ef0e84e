"""Signs, closeness, activations, NaN-skipping reductions and turns against NumPy, with derivatives by finite differences."""

import numpy as np
import pytest
from arrays import SHAPES, check, sample

import morok
from morok import Tensor, dtypes
from morok.errors import ShapeError

NAN, INF = np.nan, np.inf
SPECIAL = np.array([0.0, -0.0, 1.5, -2.5, 3.0, NAN, INF, -INF], np.float32)


def softplus(a):
    return np.logaddexp(a, 0)


def elu(a, alpha=1.0):
    return np.where(a > 0, a, alpha * np.expm1(np.minimum(a, 0)))


def relu6(a):
    return np.clip(a, 0, 6)


UNARY = {
    "relu6": relu6,
    "hardtanh": lambda a: np.clip(a, -1, 1),
    "hardsigmoid": lambda a: relu6(a + 3) / 6,
    "hardswish": lambda a: a * relu6(a + 3) / 6,
    "elu": elu,
    "celu": elu,
    "selu": lambda a: 1.0507009873554805 * elu(a, 1.6732632423543772),
    "softplus": softplus,
    "logsigmoid": lambda a: -softplus(-a),
    "mish": lambda a: a * np.tanh(softplus(a)),
    "softsign": lambda a: a / (1 + abs(a)),
    "sinc": np.sinc,
}
BINARY = {"copysign": np.copysign, "hypot": np.hypot, "logaddexp": np.logaddexp, "heaviside": np.heaviside,
          "atan2": np.arctan2, "nextafter": np.nextafter}


@pytest.mark.parametrize("name", UNARY)
def test_function_of_one_value(name):
    for shape in SHAPES:
        a = sample(shape, dtypes.float64)
        check(getattr(Tensor(a), name)(), UNARY[name](a), 1e-12)
    a = sample((7,), dtypes.float32)
    check(getattr(Tensor(a), name)(), UNARY[name](a.astype(np.float64)).astype(np.float32), 5e-6)


@pytest.mark.parametrize("name", BINARY)
def test_function_of_two_values(name):
    for shape in SHAPES:
        a, b = sample(shape, dtypes.float64), sample(shape, dtypes.float64, 1)
        check(getattr(Tensor(a), name)(Tensor(b)), BINARY[name](a, b), 1e-12)
    a, b = sample((3, 1), dtypes.float64), sample((5,), dtypes.float64, 1)
    check(getattr(Tensor(a), name)(Tensor(b)), BINARY[name](a, b), 1e-12)
    with np.errstate(all="ignore"):
        a, b = SPECIAL[:, None], SPECIAL
        check(getattr(Tensor(a), name)(Tensor(b)), BINARY[name](a, b), 2e-6)


@pytest.mark.parametrize("name", [*UNARY, "hypot", "logaddexp", "copysign", "atan2"])
def test_derivative(name):
    a = np.array([-4.3, -2.7, -0.6, 0.3, 0.9, 2.1, 5.4, 7.2])
    f = (lambda t: getattr(t, name)(Tensor(a[::-1].copy()))) if name in BINARY else (lambda t: getattr(t, name)())
    step = 1e-6
    expected = (f(Tensor(a + step)).numpy() - f(Tensor(a - step)).numpy()) / (2 * step)
    found = morok.grad(lambda t: f(t).sum())(Tensor(a)).numpy()
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-8)


def test_signs_and_closeness():
    check(Tensor(SPECIAL).signbit(), np.signbit(SPECIAL))
    check(Tensor([-1, 0, 2]).signbit(), np.array([True, False, False]))
    check(Tensor(SPECIAL).nan_to_num(), np.nan_to_num(SPECIAL))
    check(Tensor(SPECIAL).nan_to_num(1, 2, 3), np.nan_to_num(SPECIAL, nan=1, posinf=2, neginf=3))
    for equal_nan in (False, True):
        check(Tensor(SPECIAL[:, None]).isclose(Tensor(SPECIAL), equal_nan=equal_nan), np.isclose(SPECIAL[:, None], SPECIAL, equal_nan=equal_nan))
    assert Tensor([1.0, 2.0]).allclose(Tensor([1.0, 2.0])).item() is True
    check(Tensor([0.0, 10.0]).lerp(Tensor([2.0, 20.0]), Tensor([0.25, 1.0])), np.array([0.5, 20.0], np.float32))
    check(Tensor([0.0, 0.0, 2.0]).xlogy(Tensor([0.0, NAN, 1.0])), np.array([0.0, NAN, 0.0], np.float32))


def test_reductions_without_nan():
    a = np.array([[1.0, NAN, 3.0], [NAN, -5.0, NAN]])
    for name in ("nansum", "nanmean", "nanmax", "nanmin"):
        for axis in (None, 0, 1):
            check(getattr(Tensor(a), name)(axis), getattr(np, name)(a, axis=axis))
    assert np.isnan(Tensor([NAN]).nanmax().item())
    b = sample((3, 5))
    check(Tensor(b).ptp(1), np.ptp(b, 1))
    low, high = Tensor(b).aminmax(0)
    check(low, b.min(0))
    check(high, b.max(0))
    spread, middle = Tensor(b).std_mean(0)
    check(spread, b.std(0, ddof=1))
    check(middle, b.mean(0))


def test_diagonals_and_turns():
    for shape in ((3, 5), (5, 3), (1, 1), (0, 3), (2, 3, 4)):
        a = sample(shape)
        for offset in (-6, -1, 0, 2, 9):
            check(Tensor(a).diagonal(offset), np.diagonal(a, offset))
            check(Tensor(a).trace(offset), np.trace(a, offset))
        for k in range(-1, 5):
            check(Tensor(a).rot90(k), np.rot90(a, k))
        check(Tensor(a).T.diagonal(1), np.diagonal(a.T, 1))
    with pytest.raises(ShapeError, match="both"):
        Tensor([[1.0]]).diagonal(0, 1, -1)
    for a, b in ((sample((2, 3)), sample((3,))), (sample(()), sample((2, 2))), (sample((3,)), sample((2, 1, 2)))):
        check(Tensor(a).kron(Tensor(b)), np.kron(a, b))
    check(Tensor([[1, 2]]).tile(2), np.tile([[1, 2]], 2))
    check(Tensor([1, 2]).tile((2, 3)), np.tile([1, 2], (2, 3)))


def test_halves_and_threshold():
    check(Tensor([1.0, 3.0]).threshold(2.0, -1.0), np.array([-1.0, 3.0], np.float32))
    check(Tensor([[2.0, 0.0]]).glu(), np.array([[1.0]], np.float32))
    with pytest.raises(ShapeError, match="even"):
        Tensor([1.0, 2.0, 3.0]).glu()


@pytest.mark.parametrize("mode", ["reflect", "edge", "wrap"])
def test_padding_with_own_elements(mode):
    for shape, pairs in (((5,), ((2, 3),)), ((3, 4), ((0, 2), (3, 0))), ((2, 3, 7), ((1, 1), (0, 0), (2, 5)))):
        a = sample(shape)
        check(Tensor(a).pad(pairs, mode=mode), np.pad(a, pairs, mode=mode))
        check(Tensor(a).T.pad(pairs[::-1], mode=mode), np.pad(a.T, pairs[::-1], mode=mode))
    check(Tensor([1.0, 2.0, 4.0]).pad((0, 2), mode=mode), np.pad(np.float32([1, 2, 4]), (0, 2), mode=mode))
    weights = sample((8,), dtypes.float64)
    places = np.pad(np.arange(4), (2, 2), mode=mode)
    found = morok.grad(lambda t: (t.pad(((2, 2),), mode=mode) * Tensor(weights)).sum())(Tensor(sample((4,), dtypes.float64)))
    check(found, np.bincount(places, weights, 4))
    check(Tensor(np.zeros((0, 3), np.float32)).pad(((0, 0), (1, 1)), mode=mode), np.zeros((0, 5), np.float32))
    for wrong in (((9, 0),) if mode != "edge" else ((-1, 0),), ((-1, 0),)):
        with pytest.raises(ShapeError, match="adds 0 to"):
            Tensor([1.0, 2.0, 4.0]).pad(wrong, mode=mode)
