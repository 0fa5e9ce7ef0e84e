"""Reductions: values over axes, dtypes, NaN, empty tensors, errors."""

import numpy as np
import pytest
from arrays import ALL, FLOATS, check, sample

from morok import Tensor, dtypes
from morok.errors import AxisError, ShapeError

SHAPES_AND_AXES = [
    ((), None),
    ((5,), None),
    ((5,), 0),
    ((2, 3), None),
    ((2, 3), 0),
    ((2, 3), -1),
    ((2, 3, 4), (0, 2)),
    ((2, 3, 4), (-1, 0)),
    ((2, 3, 4), 1),
    ((7, 1), 1),
    ((1, 1, 1), (0, 1, 2)),
    ((3, 17), 1),
    ((2, 3, 4), ()),
    ((1000,), None),
    ((37, 41), 0),
]


@pytest.mark.parametrize("keepdim", [False, True])
@pytest.mark.parametrize("shape, axis", SHAPES_AND_AXES, ids=str)
def test_axes(shape, axis, keepdim):
    a = sample(shape, seed=1, low=1, high=3) if shape != (1000,) else sample(shape, low=0, high=2)
    x = Tensor(a)
    for name in ("sum", "max", "min", "mean", "any", "all"):
        expected = getattr(np, name)(a, axis=axis, keepdims=keepdim)
        check(getattr(x, name)(axis, keepdim=keepdim), expected, 1e-5)
        check(getattr(x, name)(dim=axis, keepdims=keepdim), expected, 1e-5)
    check(x.sum(axis, keepdim) * 2 + 1, np.sum(a, axis=axis, keepdims=keepdim) * 2 + 1, 1e-5)


@pytest.mark.parametrize("shape, axis", [((4,), 0), ((2, 3), 1), ((2, 3, 2), (0, 2))], ids=str)
def test_prod(shape, axis):
    a = sample(shape)
    check(Tensor(a).prod(axis), np.prod(a, axis=axis), 1e-5)
    i = sample(shape, dtypes.int8)
    check(Tensor(i).prod(axis), np.prod(i, axis=axis, dtype=np.int64))


@pytest.mark.parametrize("dtype", ALL, ids=str)
def test_dtypes(dtype):
    a = sample((3, 4), dtype)
    x = Tensor(a)
    wide = {"b": np.int64, "i": np.int64, "u": np.uint64}.get(dtype.kind, dtype.np)
    check(x.sum(1), a.astype(wide if not dtype.is_float else np.float64).sum(1).astype(wide))
    check(x.max(1), a.max(1))
    check(x.min(0), a.min(0))
    mean = dtype.np if dtype.is_float else np.float32
    check(x.mean(), np.asarray(a.astype(np.float64).mean()).astype(mean))
    check(x.argmax(1), a.argmax(1))
    check(x.any(0), a.astype(bool).any(0))
    check(x.count_nonzero(), np.int64(np.count_nonzero(a)))


def test_sum_with_dtype():
    a = sample((5,), dtypes.int8)
    check(Tensor(a).sum(dtype=dtypes.float64), a.sum(dtype=np.float64))
    check(Tensor(a).sum(dtype="int8"), a.sum(dtype=np.int8))


@pytest.mark.parametrize("dtype", [dtypes.float16, dtypes.bfloat16], ids=str)
def test_sixteen_bit_floats_accumulate_in_float32(dtype):
    assert Tensor.ones(4096, dtype=dtype).sum().item() == 4096
    assert Tensor.ones(10000, dtype=dtype).mean().item() == 1


NAN = float("nan")


@pytest.mark.parametrize(
    "values, greatest, least",
    [
        ([NAN, 4.6], 0, 0),
        ([1, NAN, NAN], 1, 1),
        ([3, NAN, 1], 1, 1),
        ([5, 5, 1, 1], 0, 2),
        ([-np.inf, -np.inf], 0, 0),
        ([np.inf, NAN], 1, 1),
        ([7], 0, 0),
    ],
)
def test_argmax_and_nan(values, greatest, least):
    x = Tensor(np.array(values, np.float32))
    assert x.argmax().item() == greatest and x.argmin().item() == least
    assert x.argmax().dtype is dtypes.int64
    long = np.zeros(1000, np.float32)
    long[500 : 500 + len(values)] = np.array(values)
    assert Tensor(long).argmax().item() == np.argmax(long) and Tensor(long).argmin().item() == np.argmin(long)


@pytest.mark.parametrize("values", [[1, NAN], [NAN, 1], [0] * 40 + [NAN] + [0] * 40])
def test_max_and_min_propagate_nan(values):
    x = Tensor(np.array(values, np.float32))
    assert np.isnan(x.max().item()) and np.isnan(x.min().item())
    assert np.isnan(x.reshape(2, -1).max(1).max().item()) if len(values) % 2 == 0 else True


@pytest.mark.parametrize("axis", [None, 0, 1, -1])
@pytest.mark.parametrize("keepdim", [False, True])
def test_argmax_axes(axis, keepdim):
    a = sample((5, 7), seed=3)
    for name in ("argmax", "argmin"):
        check(getattr(Tensor(a), name)(axis, keepdim=keepdim), getattr(np, name)(a, axis=axis, keepdims=keepdim))
        check(getattr(Tensor(a).T + 0.5, name)(axis, keepdim), getattr(np, name)(a.T + 0.5, axis=axis, keepdims=keepdim))


def test_argmin_of_a_transposed_tensor_is_logical():
    x = Tensor([[1.541, -0.2934], [-2.1788, 0.5684]])
    assert (x.T + 0.5).argmin().item() == 1


@pytest.mark.parametrize("reduction", ["mean", "sum", "max", "var", "logsumexp"])
def test_argmax_of_a_reduction_of_a_permuted_tensor(reduction):
    a = sample((4, 4, 3), seed=5)
    x = Tensor(a).permute(1, 0, 2)
    copy = Tensor(np.ascontiguousarray(a.transpose(1, 0, 2)))
    assert getattr(x, reduction)(-1).argmax().item() == getattr(copy, reduction)(-1).argmax().item()


@pytest.mark.parametrize("shape, axis", [((0,), None), ((0, 3), 0), ((3, 0), 1), ((0, 3), None)], ids=str)
def test_empty(shape, axis):
    a = np.zeros(shape, np.float32)
    x = Tensor(a)
    check(x.sum(axis), a.sum(axis=axis))
    check(x.prod(axis), a.prod(axis=axis))
    check(x.any(axis), a.any(axis=axis))
    check(x.all(axis), a.all(axis=axis))
    assert np.isnan(x.mean(axis).numpy()).all()
    for name in ("max", "min", "argmax", "argmin"):
        with pytest.raises(ValueError):
            getattr(x, name)(axis)


def test_no_elements_left_after_max():
    check(Tensor.zeros(0, 3).max(1), np.zeros(0, np.float32))


@pytest.mark.parametrize("correction", [0, 1, 2])
@pytest.mark.parametrize("axis", [None, 0, (0, 1)])
def test_variance(axis, correction):
    a = sample((5, 6), seed=2)
    check(Tensor(a).var(axis, correction), a.var(axis=axis, ddof=correction), 1e-5)
    check(Tensor(a).std(axis, correction=correction, keepdim=True), a.std(axis=axis, ddof=correction, keepdims=True), 1e-5)


def test_norms_and_logsumexp():
    a = sample((4, 5), seed=6)
    check(Tensor(a).norm(), np.linalg.norm(a).astype(np.float32), 1e-5)
    for p in (1, 2, 3, np.inf, -np.inf, 0):
        check(Tensor(a).norm(p, 1), np.linalg.norm(a, p, 1).astype(np.float32), 1e-5)
    check(Tensor(a * 100).logsumexp(1), np.logaddexp.reduce(a.astype(np.float64) * 100, 1).astype(np.float32), 1e-5)
    assert Tensor([-np.inf, -np.inf]).logsumexp(0).item() == -np.inf
    assert Tensor([np.inf, 1.0]).logsumexp(0).item() == np.inf


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_mean_of_floats_keeps_the_dtype(dtype):
    assert Tensor.ones(3, dtype=dtype).mean().dtype is dtype


@pytest.mark.parametrize("function", [np.sum, np.prod, np.mean, np.max, np.min, np.any, np.all, np.std, np.var], ids=lambda f: f.__name__)
def test_functions_of_numpy_reduce_tensors(function):
    a = sample((2, 3), seed=1, low=1, high=3)
    for keywords in ({}, {"axis": 0}, {"axis": 1, "keepdims": True}):
        result = function(Tensor(a), **keywords)
        assert isinstance(result, Tensor)
        check(result, function(a, **keywords), 1e-5)
    if function in (np.std, np.var):
        check(function(Tensor(a), ddof=1), function(a, ddof=1), 1e-5)


X = Tensor.zeros(2, 3)


@pytest.mark.parametrize(
    "call, error, words",
    [
        (lambda: X.sum(2), AxisError, "axis 2"),
        (lambda: X.sum((0, 0)), AxisError, "twice"),
        (lambda: X.sum((0, -2)), AxisError, "twice"),
        (lambda: X.sum("0"), TypeError, "'0'"),
        (lambda: X.sum(1.0), TypeError, "1.0"),
        (lambda: X.max(-3), AxisError, "-3"),
        (lambda: X.argmax((0, 1)), TypeError, "one axis"),
        (lambda: Tensor(1.0).sum(0), AxisError, "0-d"),
        (lambda: X.sum(axis=0, dim=1), TypeError, "dim"),
        (lambda: Tensor.zeros(2, 0).max(), ShapeError, "(2, 0)"),
        (lambda: X.sum(dtype="x"), TypeError, "x"),
        (lambda: X.sum(out=X), TypeError, "assign"),
        (lambda: X.std(ddof=0, correction=0), TypeError, "ddof"),
    ],
)
def test_wrong_calls(call, error, words):
    with pytest.raises(error) as caught:
        call()
    assert words in str(caught.value)
