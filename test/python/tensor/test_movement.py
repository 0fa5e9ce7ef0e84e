"""Movement ops and the methods made of them, against NumPy."""

import numpy as np
import pytest
from arrays import check, sample

from morok import Tensor, dtypes
from morok.errors import AxisError, BoundsError, DTypeError, ShapeError

CASES = {
    "reshape": [
        ((2, 3, 4), lambda x: x.reshape(4, 6), lambda a: a.reshape(4, 6)),
        ((2, 3, 4), lambda x: x.reshape((-1, 8)), lambda a: a.reshape(-1, 8)),
        ((6,), lambda x: x.view(2, 3), lambda a: a.reshape(2, 3)),
        ((), lambda x: x.reshape(1, 1), lambda a: a.reshape(1, 1)),
        ((1,), lambda x: x.reshape(()), lambda a: a.reshape(())),
        ((0, 3), lambda x: x.reshape(3, 0), lambda a: a.reshape(3, 0)),
        ((2, 0), lambda x: x.reshape(-1, 5), lambda a: a.reshape(-1, 5)),
    ],
    "flatten": [
        ((2, 3, 4), lambda x: x.flatten(), lambda a: a.reshape(24)),
        ((2, 3, 4), lambda x: x.flatten(1), lambda a: a.reshape(2, 12)),
        ((2, 3, 4), lambda x: x.flatten(0, -2), lambda a: a.reshape(6, 4)),
        ((), lambda x: x.flatten(), lambda a: a.reshape(1)),
        ((2, 3), lambda x: x.ravel(), np.ravel),
        ((6, 4), lambda x: x.unflatten(0, (2, -1)), lambda a: a.reshape(2, 3, 4)),
    ],
    "squeeze": [
        ((1, 3, 1), lambda x: x.squeeze(), np.squeeze),
        ((1, 3, 1), lambda x: x.squeeze(-1), lambda a: a.squeeze(-1)),
        ((1, 3, 1), lambda x: x.squeeze(1), lambda a: a),
        ((1, 3, 1), lambda x: x.squeeze((0, 2)), lambda a: a.squeeze((0, 2))),
        ((3,), lambda x: x.unsqueeze(0), lambda a: a[None]),
        ((3,), lambda x: x.unsqueeze(-1), lambda a: a[:, None]),
        ((3,), lambda x: x.expand_dims((0, 2)), lambda a: np.expand_dims(a, (0, 2))),
    ],
    "order": [
        ((2, 3, 4), lambda x: x.permute(2, 0, 1), lambda a: a.transpose(2, 0, 1)),
        ((2, 3, 4), lambda x: x.permute((-1, 0, 1)), lambda a: a.transpose(2, 0, 1)),
        ((2, 3, 4), lambda x: x.transpose(-1, -2), lambda a: a.swapaxes(-1, -2)),
        ((2, 3), lambda x: x.transpose(), np.transpose),
        ((2, 3), lambda x: x.transpose(0, 1), np.transpose),
        ((2, 3), lambda x: x.transpose(1, 0), np.transpose),
        ((2, 3), lambda x: x.transpose((1, 0)), np.transpose),
        ((2, 3), lambda x: x.transpose((0, 1)), lambda a: a),
        ((2, 3, 4), lambda x: x.T, np.transpose),
        ((5, 2, 3), lambda x: x.mT, lambda a: a.swapaxes(-1, -2)),
        ((), lambda x: x.T, lambda a: a),
        ((2, 3, 4), lambda x: x.moveaxis(0, -1), lambda a: np.moveaxis(a, 0, -1)),
        ((2, 3, 4), lambda x: x.moveaxis((0, 1), (-1, 0)), lambda a: np.moveaxis(a, (0, 1), (-1, 0))),
        ((2, 3, 4), lambda x: x.swapaxes(0, 2), lambda a: a.swapaxes(0, 2)),
    ],
    "expand": [
        ((1, 3), lambda x: x.expand(4, 3), lambda a: np.broadcast_to(a, (4, 3))),
        ((1, 3), lambda x: x.expand(2, 4, -1), lambda a: np.broadcast_to(a, (2, 4, 3))),
        ((3,), lambda x: x.broadcast_to((0, 3)), lambda a: np.broadcast_to(a, (0, 3))),
        ((), lambda x: x.expand(2, 2), lambda a: np.broadcast_to(a, (2, 2))),
        ((1,), lambda x: x.expand_as(Tensor.zeros(3, 2)), lambda a: np.broadcast_to(a, (3, 2))),
    ],
    "shrink": [
        ((5, 4), lambda x: x.shrink(((1, 4), None)), lambda a: a[1:4]),
        ((5, 4), lambda x: x.shrink(((2, 2), (0, 4))), lambda a: a[2:2]),
        ((5, 4), lambda x: x.narrow(1, 1, 2), lambda a: a[:, 1:3]),
        ((5, 4), lambda x: x.select(0, -1), lambda a: a[-1]),
    ],
    "flip": [
        ((5, 4), lambda x: x.flip(), np.flip),
        ((5, 4), lambda x: x.flip(0), lambda a: a[::-1]),
        ((5, 4), lambda x: x.flip((-1,)), lambda a: a[:, ::-1]),
        ((5, 4), lambda x: x.flip(0, 1), np.flip),
        ((0, 4), lambda x: x.flip(0), lambda a: a),
    ],
    "pad": [
        ((2, 3), lambda x: x.pad(((1, 2), (0, 1))), lambda a: np.pad(a, ((1, 2), (0, 1)))),
        ((2, 3), lambda x: x.pad(1, value=-5), lambda a: np.pad(a, 1, constant_values=-5)),
        ((2, 3), lambda x: x.pad((1, 2), value=2.5), lambda a: np.pad(a, ((0, 0), (1, 2)), constant_values=2.5)),
        ((2, 3), lambda x: x.pad((1, 2, 0, 1)), lambda a: np.pad(a, ((0, 1), (1, 2)))),
        ((2, 3), lambda x: x.pad((None, (1, 1))), lambda a: np.pad(a, ((0, 0), (1, 1)))),
        ((4, 5), lambda x: x.pad((-1, 2)), lambda a: np.pad(a[:, 1:], ((0, 0), (0, 2)))),
        ((0,), lambda x: x.pad((1, 1), value=3), lambda a: np.array([3, 3], np.float32)),
    ],
    "roll": [
        ((7,), lambda x: x.roll(2), lambda a: np.roll(a, 2)),
        ((3, 5), lambda x: x.roll(-1), lambda a: np.roll(a, -1)),
        ((3, 5), lambda x: x.roll(7, 1), lambda a: np.roll(a, 7, 1)),
        ((3, 5), lambda x: x.roll((1, -2), (0, 1)), lambda a: np.roll(a, (1, -2), (0, 1))),
        ((0,), lambda x: x.roll(1), lambda a: a),
    ],
    "repeat": [
        ((2, 3), lambda x: x.repeat(2, 1), lambda a: np.tile(a, (2, 1))),
        ((2, 3), lambda x: x.repeat(2, 1, 2), lambda a: np.tile(a, (2, 1, 2))),
        ((2, 3), lambda x: x.tile(2), lambda a: np.tile(a, 2)),
        ((2, 3), lambda x: x.repeat(0, 1), lambda a: np.tile(a, (0, 1))),
        ((2, 3), lambda x: x.repeat_interleave(2, 0), lambda a: np.repeat(a, 2, 0)),
        ((2, 3), lambda x: x.repeat_interleave(3), lambda a: np.repeat(a, 3)),
    ],
}


@pytest.mark.parametrize(
    "shape, method, expected", [pytest.param(*c, id=f"{k}-{i}") for k, cases in CASES.items() for i, c in enumerate(cases)]
)
def test_movement(shape, method, expected):
    a = sample(shape)
    x = method(Tensor(a))
    assert x.shape == np.shape(expected(a))
    check(x, expected(a))
    check(method(Tensor(a) * 2) + 1, expected(a * 2) + 1) if shape and 0 not in x.shape and not isinstance(
        expected(a), float
    ) and "pad" not in str(method) else None


@pytest.mark.parametrize("size", [1, 2, 5, 7])
@pytest.mark.parametrize("n", [1, 2, 3, 10])
def test_split_and_chunk(size, n):
    a = sample((7, 3))
    for got, expected in zip(Tensor(a).split(size), [a[i : i + size] for i in range(0, 7, size)], strict=True):
        check(got, expected)
    step = -(-7 // n)
    for got, expected in zip(Tensor(a).chunk(n), [a[i : i + step] for i in range(0, 7, step)], strict=True):
        check(got, expected)


def test_split_by_sizes_and_unbind():
    a = sample((2, 6))
    for got, expected in zip(Tensor(a).split([1, 0, 5], 1), np.split(a, [1, 1], 1), strict=True):
        check(got, expected)
    for got, expected in zip(Tensor(a).unbind(0), a, strict=True):
        check(got, expected)


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("dtype", [dtypes.float32, dtypes.int8, dtypes.bool], ids=str)
def test_cat(axis, dtype):
    shapes = [
        (3, 4) if axis == 0 else (3, 4),
        (1, 4) if axis == 0 else (3, 1),
        (0, 4) if axis == 0 else (3, 0),
        (5, 4) if axis == 0 else (3, 5),
    ]
    arrays = [sample(s, dtype, i) for i, s in enumerate(shapes)]
    check(Tensor.cat([Tensor(a) for a in arrays], dim=axis), np.concatenate(arrays, axis))
    check(Tensor(arrays[0]).cat(*map(Tensor, arrays[1:]), axis=axis), np.concatenate(arrays, axis))


@pytest.mark.parametrize("axis", [0, 1, 2, -1])
def test_stack(axis):
    arrays = [sample((2, 3), seed=i) for i in range(3)]
    check(Tensor.stack([Tensor(a) for a in arrays], dim=axis), np.stack(arrays, axis))


def test_cat_promotes_and_keeps_special_values():
    a, b = np.array([-0.0, np.nan, np.inf], np.float32), np.array([1, 2])
    got = Tensor.cat([Tensor(a), Tensor(b)]).numpy()
    np.testing.assert_array_equal(got, np.array([-0.0, np.nan, np.inf, 1, 2], np.float32))
    assert np.signbit(got[0])


@pytest.mark.parametrize("count", [17, 40])
def test_many_parts(count):
    arrays = [sample((2,), seed=i) for i in range(count)]
    check(Tensor.stack([Tensor(a) for a in arrays]), np.stack(arrays))


X = Tensor.zeros(2, 3)


@pytest.mark.parametrize(
    "call, error, words",
    [
        (lambda: X.reshape(4, 2), ShapeError, "(2, 3)"),
        (lambda: X.reshape(-1, 4), ShapeError, "4"),
        (lambda: X.reshape(-1, -1), ShapeError, "-1"),
        (lambda: X.reshape(2, -3), ShapeError, "-3"),
        (lambda: X.reshape(2, 3.0), TypeError, "3.0"),
        (lambda: X.permute(0, 0), AxisError, "each"),
        (lambda: X.permute(0), AxisError, "2 axes"),
        (lambda: X.permute(0, 2), AxisError, "axis 2"),
        (lambda: X.transpose(0, 5), AxisError, "axis 5"),
        (lambda: X.transpose(0, 1.0), TypeError, "1.0"),
        (lambda: X.squeeze(2), AxisError, "axis 2"),
        (lambda: X.unsqueeze(4), AxisError, "axis 4"),
        (lambda: X.expand(2, 4), ShapeError, "expand: (2, 3)"),
        (lambda: X.expand_as(Tensor.zeros(2, 4)), ShapeError, "expand_as: (2, 3)"),
        (lambda: X.broadcast_to(2, 4), ShapeError, "broadcast_to: (2, 3)"),
        (lambda: X.expand(3), ShapeError, "fewer"),
        (lambda: X.expand(-1, 2, 3), ShapeError, "-1"),
        (lambda: X.broadcast_to(3, 3), ShapeError, "(3, 3)"),
        (lambda: X.shrink(((0, 3), None)), BoundsError, "axis 0"),
        (lambda: X.shrink((None,)), ShapeError, "(2, 3)"),
        (lambda: X.shrink(((2, 1), None)), BoundsError, "axis 0"),
        (lambda: X.flip(2), AxisError, "axis 2"),
        (lambda: X.flip((0, 0)), AxisError, "twice"),
        (lambda: X.pad(((1, 1),) * 3), ShapeError, "(2, 3)"),
        (lambda: X.pad((1, 2, 3)), ShapeError, "pad"),
        (lambda: X.pad(1, mode="mirror"), ShapeError, "reflect"),
        (lambda: X.pad(3, mode="reflect"), ShapeError, "axis 0"),
        (lambda: X.pad(1, value="x"), DTypeError, "'x'"),
        (lambda: X.int().pad(1, value=0.5), DTypeError, "int32"),
        (lambda: X.pad((-2, -2)), ShapeError, "cuts"),
        (lambda: X.split(0), ShapeError, "0"),
        (lambda: X.split([1, 2]), ShapeError, "(2, 3)"),
        (lambda: X.chunk(0), ShapeError, "0"),
        (lambda: X.repeat(2), ShapeError, "(2, 3)"),
        (lambda: X.roll(1, 3), AxisError, "axis 3"),
        (lambda: X.roll((1, 2), 0), ShapeError, "shift"),
        (lambda: Tensor.zeros(3).mT, ShapeError, "(3,)"),
        (lambda: Tensor.cat([X, Tensor.zeros(3, 2)]), ShapeError, "(3, 2)"),
        (lambda: Tensor.cat([]), ShapeError, "one"),
        (lambda: Tensor.cat([X, 3]), DTypeError, "int"),
        (lambda: Tensor.stack([X, Tensor.zeros(2)]), ShapeError, "(2,)"),
        (lambda: X.narrow(0, 1, 2), BoundsError, "axis 0"),
        (lambda: X.select(1, 3), BoundsError, "index 3"),
        (lambda: X.moveaxis((0, 1), 0), AxisError, "sources"),
        (lambda: X.flatten(1, 0), AxisError, "after"),
    ],
)
def test_wrong_calls(call, error, words):
    with pytest.raises(error) as caught:
        call()
    assert words in str(caught.value)
