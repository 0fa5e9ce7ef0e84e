"""Convolution and pooling against loops over windows."""

import itertools

import numpy as np
import pytest
from arrays import check, sample

import morok
from morok import Tensor, dtypes
from morok.errors import ShapeError


def pairs_of(padding, count):
    return [(p, p) if isinstance(p, int) else p for p in ((padding,) * count if isinstance(padding, int) else padding)]


def tuple_of(value, count):
    return (value,) * count if isinstance(value, int) else value


def windows(x, kernel, stride, dilation):
    """Yields (position, window) over the last axes."""
    count = len(kernel)
    sizes = [(n - (k - 1) * d - 1) // s + 1 for n, k, s, d in zip(x.shape[-count:], kernel, stride, dilation)]
    for position in itertools.product(*map(range, sizes)):
        yield position, x[(..., *(slice(p * s, p * s + (k - 1) * d + 1, d) for p, k, s, d in zip(position, kernel, stride, dilation)))]


def convolution(x, w, stride=1, padding=0, dilation=1, groups=1):
    count = x.ndim - 2
    stride, dilation = tuple_of(stride, count), tuple_of(dilation, count)
    x = np.pad(x.astype(np.float64), [(0, 0), (0, 0), *pairs_of(padding, count)])
    kernel = w.shape[2:]
    per, out = w.shape[1], w.shape[0] // groups
    parts = dict(windows(x, kernel, stride, dilation))
    result = np.zeros((x.shape[0], w.shape[0], *(max(p[i] for p in parts) + 1 for i in range(count))))
    for position, window in parts.items():
        for g in range(groups):
            block = window[:, g * per : (g + 1) * per]
            result[(slice(None), slice(g * out, (g + 1) * out), *position)] = np.tensordot(
                block, w[g * out : (g + 1) * out], (range(1, count + 2), range(1, count + 2))
            )
    return result


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"padding": 1},
        {"stride": 2},
        {"dilation": 2},
        {"stride": (2, 1), "padding": (0, 2)},
        {"stride": 3, "padding": 1, "dilation": 2},
        {"stride": 5},
        {"padding": 3},
        {"stride": 2, "dilation": 3, "padding": 2},
    ],
    ids=str,
)
@pytest.mark.parametrize("kernel", [(1, 1), (3, 3), (2, 3)], ids=str)
def test_conv2d(kernel, options):
    x, w = sample((2, 3, 9, 8), seed=1), sample((4, 3, *kernel), seed=2)
    check(Tensor(x).conv2d(Tensor(w), **options), convolution(x, w, **options).astype(np.float32), 1e-5)


@pytest.mark.parametrize("groups, channels, outputs", [(2, 4, 6), (4, 4, 4), (4, 4, 8), (1, 4, 1)])
def test_groups(groups, channels, outputs):
    x, w = sample((2, channels, 6, 5), seed=1), sample((outputs, channels // groups, 3, 2), seed=2)
    check(Tensor(x).conv2d(Tensor(w), groups=groups, padding=1), convolution(x, w, padding=1, groups=groups).astype(np.float32), 1e-5)


def test_conv2d_bias_same_and_no_batch():
    x, w, b = sample((2, 3, 7, 6), seed=1), sample((4, 3, 3, 2), seed=2), sample((4,), seed=3)
    right = convolution(x, w, padding=((1, 1), (0, 1))).astype(np.float32)
    check(Tensor(x).conv2d(Tensor(w), Tensor(b), padding="same"), right + b[:, None, None], 1e-5)
    check(Tensor(x).conv2d(Tensor(w), padding="valid"), convolution(x, w).astype(np.float32), 1e-5)
    check(Tensor(x[0]).conv2d(Tensor(w), padding=((1, 1), (0, 1))), right[0], 1e-5)


def test_conv1d_and_conv3d():
    x, w = sample((2, 3, 11), seed=1), sample((4, 3, 4), seed=2)
    check(Tensor(x).conv1d(Tensor(w), stride=2, padding=2), convolution(x, w, 2, 2).astype(np.float32), 1e-5)
    x, w = sample((1, 2, 4, 5, 6), seed=1), sample((3, 2, 2, 3, 2), seed=2)
    check(Tensor(x).conv3d(Tensor(w), padding=1), convolution(x, w, 1, 1).astype(np.float32), 1e-5)


@pytest.mark.parametrize("dtype", [dtypes.float16, dtypes.float64, dtypes.int32], ids=str)
def test_conv2d_dtypes(dtype):
    x, w = sample((1, 2, 5, 5), dtype, 1), sample((3, 2, 3, 3), dtype, 2)
    check(Tensor(x).conv2d(Tensor(w)), convolution(x, w).astype(dtype.np))


def pool(x, f, kernel, stride, padding, dilation, fill):
    count = len(kernel)
    x = np.pad(x, [(0, 0)] * (x.ndim - count) + pairs_of(padding, count), constant_values=fill)
    parts = dict(windows(x, kernel, stride, dilation))
    result = np.zeros((*x.shape[:-count], *(max(p[i] for p in parts) + 1 for i in range(count))), x.dtype)
    for position, window in parts.items():
        result[(..., *position)] = f(window, axis=tuple(range(-count, 0)))
    return result


POOLS = [
    ((2, 2), None, 0, 1),
    ((3, 2), (1, 1), 1, 1),
    ((3, 3), (2, 2), 1, 1),
    ((2, 2), (1, 1), 0, 2),
    ((2, 3), (3, 1), (0, 1), 1),
    ((1, 1), (2, 2), 0, 1),
]


@pytest.mark.parametrize("kernel, stride, padding, dilation", POOLS, ids=str)
@pytest.mark.parametrize("dtype", [dtypes.float32, dtypes.int8, dtypes.uint8], ids=str)
def test_max_pool2d(kernel, stride, padding, dilation, dtype):
    x = sample((2, 3, 7, 8), dtype, high=0) if dtype.kind != "u" else sample((2, 3, 7, 8), dtype)
    right = pool(x, np.max, kernel, stride or kernel, padding, tuple_of(dilation, 2), dtype.min)
    check(Tensor(x).max_pool2d(kernel, stride, padding, dilation), right)


@pytest.mark.parametrize("kernel, stride, padding, dilation", [p for p in POOLS if p[3] == 1], ids=str)
def test_avg_pool2d(kernel, stride, padding, dilation):
    x = sample((2, 3, 7, 8))
    right = pool(x, np.mean, kernel, stride or kernel, padding, (1, 1), 0)
    check(Tensor(x).avg_pool2d(kernel, stride, padding), right, 1e-5)
    counted = pool(np.ones_like(x), np.mean, kernel, stride or kernel, padding, (1, 1), 0)
    check(Tensor(x).avg_pool2d(kernel, stride, padding, count_include_pad=False), right / counted, 1e-5)


def test_ceil_mode():
    x = np.arange(1, 6, dtype=np.float32).reshape(1, 1, 5)
    assert Tensor(x).max_pool1d(2, ceil_mode=True).tolist() == [[[2, 4, 5]]]
    assert Tensor(x).max_pool1d(2).tolist() == [[[2, 4]]]
    assert Tensor(x).avg_pool1d(2, ceil_mode=True).tolist() == [[[1.5, 3.5, 5]]]
    assert Tensor(x).max_pool1d(2, 3, ceil_mode=True).tolist() == [[[2, 5]]]
    assert Tensor(x).avg_pool1d(2, 2, 1, ceil_mode=True).tolist() == [[[0.5, 2.5, 4.5]]]


def test_integer_max_pool_with_padding_never_picks_padding():
    x = np.full((1, 1, 3, 3), -5, np.int32)
    assert Tensor(x).max_pool2d(3, 1, 1).tolist() == x.tolist()


def test_pooling_a_permuted_view():
    a = sample((4, 4, 3), seed=9)
    view = Tensor(a).permute(2, 0, 1)
    check(view.avg_pool1d(2), pool(np.ascontiguousarray(a.transpose(2, 0, 1)), np.mean, (2,), (2,), 0, (1,), 0), 1e-5)
    assert view.avg_pool1d(2).argmax().item() == pool(np.ascontiguousarray(a.transpose(2, 0, 1)), np.mean, (2,), (2,), 0, (1,), 0).argmax()


X, W = Tensor.zeros(2, 3, 5, 5), Tensor.zeros(4, 3, 3, 3)


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: X.conv2d(Tensor.zeros(4, 2, 3, 3)), "(4, 2, 3, 3)"),
        (lambda: X.conv2d(Tensor.zeros(4, 3, 3)), "(4, 3, 3)"),
        (lambda: X.conv2d(W, groups=2), "groups=2"),
        (lambda: X.conv2d(W, stride=0), "stride"),
        (lambda: X.conv2d(W, padding=-1), "negative"),
        (lambda: X.conv2d(W, padding="full"), "'full'"),
        (lambda: X.conv2d(W, dilation=3), "spans 7"),
        (lambda: X.conv2d(W, padding="same", stride=2), "stride 1"),
        (lambda: X.conv2d(W, Tensor.zeros(3)), "(3,)"),
        (lambda: X.conv2d(W, padding=(1, 2, 3)), "(1, 2, 3)"),
        (lambda: X.max_pool2d(6), "6"),
        (lambda: X.max_pool2d(2, padding=2), "padding"),
        (lambda: X.max_pool2d(0), "positive"),
        (lambda: Tensor.zeros(5).max_pool2d(2), "(5,)"),
    ],
)
def test_wrong_calls(call, words):
    with pytest.raises(ShapeError) as caught:
        call()
    assert words in str(caught.value)


@pytest.mark.parametrize("size, kernel, stride, padding, dilation, groups", [
    ((5, 6), (3, 2), 1, 1, 1, 1), ((7,), (3,), 2, 1, 1, 2), ((6, 7), (3, 3), (2, 1), (0, 2), (1, 2), 1), ((8, 8), (2, 3), 3, 0, 1, 1),
    ((3, 4, 5), (2, 1, 3), 1, 1, 1, 1), ((9,), (2,), 3, 2, 4, 1), ((5,), (5,), 1, 0, 1, 4)])
def test_gradients_of_convolutions(size, kernel, stride, padding, dilation, groups):
    """A convolution is linear in both factors: a difference quotient of any step is exact."""
    rng = np.random.default_rng(len(size) + sum(kernel))
    x, dx = (Tensor(rng.standard_normal((2, 4, *size))).realize() for _ in range(2))
    w, dw = (Tensor(rng.standard_normal((4, 4 // groups, *kernel))).realize() for _ in range(2))

    def conv(x, w):
        return getattr(x, f"conv{len(size)}d")(w, None, stride, padding, dilation, groups)
    g = Tensor(rng.standard_normal(conv(x, w).shape)).realize()

    def loss(x, w):
        return (conv(x, w) * g).sum()
    to_x, to_w = morok.grad(loss, (0, 1))(x, w)
    assert to_x.shape == x.shape and to_w.shape == w.shape
    np.testing.assert_allclose((to_x * dx).sum().item(), loss(dx, w).item(), rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose((to_w * dw).sum().item(), loss(x, dw).item(), rtol=1e-10, atol=1e-10)
    second = morok.grad(lambda w: (morok.grad(loss)(x, w) * dx).sum())(w)
    np.testing.assert_allclose((second * dw).sum().item(), loss(dx, dw).item(), rtol=1e-10, atol=1e-10)
    moved = morok.jvp(lambda x: conv(x, w), (x,), (dx,))[1]
    np.testing.assert_allclose(moved.numpy(), conv(dx, w).numpy(), rtol=1e-10, atol=1e-10)
