"""t[key] and t[key] = value against NumPy, for every kind of key."""

import numpy as np
import pytest
from arrays import check, sample

from morok import Tensor, dtypes
from morok.errors import BoundsError, DTypeError, ShapeError

S = np.s_
BASIC = [
    S[0],
    S[-1],
    S[1:],
    S[:-1],
    S[::2],
    S[1::3],
    S[::-1],
    S[-2::-2],
    S[4:1:-1],
    S[10:],
    S[3:3],
    S[..., 0],
    S[0, ...],
    S[:, 1],
    S[1, 2],
    S[None],
    S[:, None],
    S[..., None],
    S[1:4, ::2],
    S[::-1, ::-1],
    S[::-2, 1:],
    S[0, 1:3],
    S[None, 1, None, ::2],
    S[...],
    S[:],
    S[4:0:-2, -1],
    S[-3:-1],
    S[:, ::3],
    S[5:2],
    S[100:-100:-1, 0],
]


@pytest.mark.parametrize("key", BASIC, ids=str)
def test_basic_keys(key):
    a = sample((5, 4, 3), seed=1)
    check(Tensor(a)[key], a[key])
    check((Tensor(a) * 2)[key] + 1, a[key] * 2 + 1)


@pytest.mark.parametrize("key", BASIC, ids=str)
def test_basic_setitem(key):
    a = sample((5, 4, 3), seed=1)
    t = Tensor(a)
    value = sample(a[key].shape, seed=2)
    t[key] = Tensor(value)
    a[key] = value
    check(t, a)
    t[key] = 7
    a[key] = 7
    check(t, a)
    t[key] += 1
    a[key] += 1
    check(t, a)


@pytest.mark.parametrize("key", [S[()], S[...], S[None], S[..., None], S[None, ...]], ids=str)
def test_keys_of_a_0d_tensor(key):
    a = np.array(2.5, np.float32)
    t = Tensor(a)
    check(t[key], a[key])
    t[key] = 3
    assert t.item() == 3


@pytest.mark.parametrize("step", [1, 2, 3, 7, 9, -1, -2, -3, -7])
@pytest.mark.parametrize("size", [0, 1, 2, 7])
def test_every_step(size, step):
    a = sample((size,), seed=3)
    check(Tensor(a)[::step], a[::step])
    t = Tensor(a)
    value = sample(a[::step].shape, seed=4)
    t[::step] = value
    a[::step] = value
    check(t, a)


def test_strided_store_into_a_realised_array():
    t = Tensor.zeros(7).contiguous().realize()
    t[::2] = 1
    assert t.tolist() == [1, 0, 1, 0, 1, 0, 1]
    t[::-3] = 5
    assert t.tolist() == [5, 0, 1, 5, 1, 0, 5]


ARRAYS = [
    S[[0, 2, -1]],
    S[[[0, 1], [2, 3]]],
    S[[]],
    S[:, [1, 0]],
    S[[0, 1], [2, 3]],
    S[[0, 1], :, [2, 0]],
    S[1, :, [0, 2]],
    S[:, [0, 1], [1, 2]],
    S[[[0], [1]], [2, 3]],
    S[..., [0, 0, 0]],
    S[[1, 1], ..., 1:],
    S[None, [0, 1]],
    S[[0, 1], None, [1, 2]],
    S[::2, [3, 0], ::-1],
    S[np.array(2)],
    S[np.array([True, False, True, False, True])],
    S[:, np.array([True, False, True, True])],
    S[np.array([True, False, True, False, True]), 1],
    S[True],
    S[False],
]


@pytest.mark.parametrize("key", ARRAYS, ids=str)
def test_index_arrays(key):
    a = sample((5, 4, 3), seed=1)
    check(Tensor(a)[key], a[key])
    keys = key if isinstance(key, tuple) else (key,)
    tensors = tuple(Tensor(np.array(k, dtype=np.int64 if not len(k) else None)) if isinstance(k, list) else k for k in keys)
    check(Tensor(a)[tensors], a[key])


@pytest.mark.parametrize("key", ARRAYS, ids=str)
def test_setitem_with_index_arrays(key):
    a = sample((5, 4, 3), seed=1)
    t = Tensor(a)
    value = sample(a[key].shape, seed=2)
    t[key] = Tensor(value)
    a[key] = value
    check(t, a)
    t[key] = 7
    a[key] = 7
    check(t, a)


def test_masks():
    a = sample((5, 4), seed=1)
    t = Tensor(a)
    check(t[t > 0], a[a > 0])
    check(t.masked_select(t > 0), a[a > 0])
    t[t > 0] = 0
    a[a > 0] = 0
    check(t, a)
    t[t == 0] = Tensor(np.arange((a == 0).sum(), dtype=np.float32))
    a[a == 0] = np.arange((a == 0).sum())
    check(t, a)


def test_repeated_indices():
    y = Tensor([[1, 2], [10, 20]])
    i = Tensor([[0, 0]])
    y[i] += y[i]
    assert y.tolist() == [[2, 4], [10, 20]]
    t = Tensor.zeros(3)
    t[[1, 1, 2]] = Tensor([5.0, 6.0, 7.0])
    assert t.tolist() == [0, 6, 7]


def test_gather_by_label_with_an_ignored_label():
    p, t = Tensor([[0.1, 0.9], [0.8, 0.2]]), Tensor([1, 0])
    np.testing.assert_allclose((-p[Tensor.arange(2), t].mean()).item(), -0.85, rtol=1e-6)
    labels = Tensor([1, -100])
    assert p[Tensor.arange(2), labels].tolist() == [np.float32(0.9), 0]
    np.testing.assert_allclose(p.gather(1, t.unsqueeze(1)).numpy(), [[0.9], [0.8]])


@pytest.mark.parametrize("dim", [0, 1, -1])
def test_gather(dim):
    a = sample((4, 5), seed=1)
    i = np.random.default_rng(0).integers(0, 4, (3, 4))
    check(Tensor(a).gather(dim, Tensor(i)), np.take_along_axis(a[:3] if dim != 0 else a[:, :4], i, dim))


def test_take_and_index_select():
    a = sample((4, 5), seed=1)
    check(Tensor(a).take([0, 7, -1]), np.take(a, [0, 7, -1]))
    check(Tensor(a).take(Tensor([1, 1]), 1), np.take(a, [1, 1], 1))
    check(Tensor(a).index_select(0, Tensor([3, 0])), a[[3, 0]])


@pytest.mark.parametrize("dtype", [dtypes.uint8, dtypes.int32, dtypes.bool, dtypes.float16], ids=str)
def test_indexing_keeps_the_dtype(dtype):
    a = sample((6,), dtype)
    check(Tensor(a)[[3, 0]], a[[3, 0]])
    check(Tensor(a)[Tensor([3, 0], dtype="uint8")], a[[3, 0]])


def test_a_gather_keeps_nan_and_infinity():
    a = np.array([np.nan, np.inf, 1], np.float32)
    np.testing.assert_array_equal(Tensor(a)[Tensor([2, 1, 0, 2])].numpy(), a[[2, 1, 0, 2]])


def test_setitem_converts_as_numpy():
    t = Tensor([1, 2, 3])
    t[0] = 2.7
    t[1:] = np.array([True, False])
    assert t.tolist() == [2, 1, 0] and t.dtype is dtypes.int64
    t[:] = [[9]]
    assert t.tolist() == [9, 9, 9]


X = Tensor.zeros(2, 3)


def set_to(key, value):
    X[key] = value


@pytest.mark.parametrize(
    "call, error, words",
    [
        (lambda: X[2], BoundsError, "index 2"),
        (lambda: X[-3], BoundsError, "(2, 3)"),
        (lambda: X[0, 3], BoundsError, "axis 1"),
        (lambda: X[0, 0, 0], BoundsError, "3 indices"),
        (lambda: X[..., ...], BoundsError, "ellipsis"),
        (lambda: X[::0], BoundsError, "step"),
        (lambda: X[1.0], DTypeError, "1.0"),
        (lambda: X["a"], DTypeError, "'a'"),
        (lambda: X[0:1.5], DTypeError, "1.5"),
        (lambda: X[[0, 2]], BoundsError, "index 2"),
        (lambda: X[[0.5]], DTypeError, "float"),
        (lambda: X[Tensor([0.5])], DTypeError, "float32"),
        (lambda: X[np.array([True])], BoundsError, "(1,)"),
        (lambda: X[[0, 1], [0, 1, 2]], ShapeError, "(3,)"),
        (lambda: set_to(0, np.zeros(2)), ShapeError, "(2,)"),
        (lambda: set_to(5, 1), BoundsError, "index 5"),
        (lambda: set_to(0, "x"), DTypeError, "str"),
        (lambda: set_to(S[:, 0], np.zeros((2, 2))), ShapeError, "(2, 2)"),
        (lambda: X.gather(0, Tensor([0])), ShapeError, "(1,)"),
        (lambda: X.gather(1, Tensor.zeros(2, 1)), DTypeError, "float32"),
    ],
)
def test_wrong_calls(call, error, words):
    before = X.tolist()
    with pytest.raises(error) as caught:
        call()
    assert words in str(caught.value)
    assert X.tolist() == before
