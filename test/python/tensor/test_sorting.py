"""sort, argsort, topk, kthvalue, searchsorted, bucketize, isin, medians and quantiles against NumPy."""
import numpy as np
import pytest

import morok
from morok import Tensor
from morok.errors import AxisError, BoundsError, ShapeError
from morok.runtime.config import configured

SHAPES = [(1,), (0,), (2, 0), (97,), (2, 5, 11), (1, 40001), (300, 2)]
DTYPES = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64"]


def sample(shape, dtype, seed=0):
    generator = np.random.default_rng(seed)
    kind = np.dtype(dtype)
    if kind == np.bool_:
        return generator.integers(0, 2, shape).astype(bool)
    if kind.kind in "iu":
        info = np.iinfo(kind)
        return generator.integers(info.min, info.max, shape, kind, endpoint=True)
    x = (generator.standard_normal(shape) * 10.0 ** generator.integers(-3, 4, shape)).astype(kind)
    flat = x.reshape(-1)
    for place, value in zip(generator.permutation(flat.size)[:6], (np.nan, np.inf, -np.inf, 0.0, -0.0, -np.nan)):
        flat[place] = value
    return x


@pytest.mark.parametrize("shape, dtype", [*((s, d) for s in ((3, 130), (7,)) for d in DTYPES), *((s, "float32") for s in SHAPES)], ids=str)
def test_sort_and_argsort_are_numpys(shape, dtype):
    x = sample(shape, dtype)
    t = Tensor(x)
    for axis in {-1, 0}:
        np.testing.assert_array_equal(t.sort(axis).numpy(), np.sort(x, axis))
        np.testing.assert_array_equal(t.argsort(axis).numpy(), np.argsort(x, axis, kind="stable"))
    assert t.sort().dtype == t.dtype and t.argsort().dtype == morok.int64


@pytest.mark.parametrize("dtype", ["int8", "int64", "float32", "bool"])
@pytest.mark.parametrize("n", [1, 50, 97, 3000])
def test_descending_order_is_stable(n, dtype):
    x = sample((n,), dtype) if dtype != "float32" else np.random.default_rng(0).integers(-5, 5, n).astype(dtype)
    places = Tensor(x).argsort(descending=True).numpy()
    expected = n - 1 - np.argsort(x[::-1], kind="stable")[::-1]
    np.testing.assert_array_equal(places, expected)
    np.testing.assert_array_equal(Tensor(x).sort(descending=True).numpy(), x[expected])


@pytest.mark.parametrize("n", [10, 200])
def test_zeros_are_equal_and_nan_is_greatest(n):
    x = np.tile(np.array([0.0, -0.0, np.nan, 1.0, -np.nan], np.float32), n // 5)
    np.testing.assert_array_equal(Tensor(x).argsort().numpy(), np.argsort(x, kind="stable"))
    up = Tensor(x).sort().numpy()
    np.testing.assert_array_equal(up, np.sort(x))
    assert np.isnan(Tensor(x).sort(descending=True).numpy()[:2 * n // 5]).all()


@pytest.mark.parametrize("layout", ["transposed", "strided", "reversed", "broadcast"])
def test_layouts(layout):
    x = sample((6, 110), "float32")
    of = {"transposed": lambda v: v.T, "strided": lambda v: v[::2, 1::3], "reversed": lambda v: v[::-1, ::-1],
          "broadcast": lambda v: v[None].repeat(2, 0) if isinstance(v, np.ndarray) else v[None].expand(2, 6, 110)}[layout]
    np.testing.assert_array_equal(of(Tensor(x)).sort(0).numpy(), np.sort(of(x), 0))
    np.testing.assert_array_equal(of(Tensor(x)).argsort(-1).numpy(), np.argsort(of(x), -1, kind="stable"))


@pytest.mark.parametrize("check", [False, True])
@pytest.mark.parametrize("n, dtype", [(5, "float32"), (100, "int8")])
def test_every_stage_agrees(n, dtype, check):
    x = sample((2, n), dtype, 3)
    with configured(check=check):
        np.testing.assert_array_equal(Tensor(x).sort().numpy(), np.sort(x))


@pytest.mark.parametrize("threads", [1, 2])
def test_threads_give_one_order(threads):
    x = np.random.default_rng(0).integers(0, 50, 40000)
    with configured(num_threads=threads):
        np.testing.assert_array_equal(Tensor(x).argsort().numpy(), np.argsort(x, kind="stable"))


def test_jit_and_views():
    x = sample((4, 120), "float32")
    step = morok.jit(lambda t: (t.sort(1), t.argsort(0)))
    for seed in range(4):
        x = sample((4, 120), "float32", seed)
        values, places = step(Tensor(x))
        np.testing.assert_array_equal(values.numpy(), np.sort(x, 1))
        np.testing.assert_array_equal(places.numpy(), np.argsort(x, 0, kind="stable"))
    t = Tensor(x)
    t[1] = t[0].sort()
    np.testing.assert_array_equal(t.numpy()[1], np.sort(x[0]))


def test_sorted_values_send_gradients_to_where_they_came_from():
    x, w = sample((5, 9), "float64"), np.random.default_rng(1).standard_normal((5, 9))
    x[~np.isfinite(x)] = 3.25
    for axis in (0, 1):
        found = morok.grad(lambda t, axis=axis: (t.sort(axis) * Tensor(w)).sum())(Tensor(x))
        order = np.argsort(x, axis, kind="stable")
        expected = np.zeros_like(x)
        np.put_along_axis(expected, order, w, axis)
        np.testing.assert_array_equal(found.numpy(), expected)
    zeros = morok.grad(lambda t: (t.sort() * Tensor([1.0, 2.0])).sum())(Tensor([0.0, -0.0]))
    assert zeros.tolist() == [2.0, 1.0]  # -0.0 comes first
    median = morok.grad(lambda t: t.median(1).sum())(Tensor(x)).numpy()
    assert (median.sum(1) == 1).all() and ((median != 0).sum(1) == 1).all()
    top = morok.grad(lambda t: t.topk(3, 1)[0].sum())(Tensor(x)).numpy()
    assert (top.sum(1) == 3).all()


@pytest.mark.parametrize("n, k", [(1, 1), (9, 0), (9, 4), (500, 7), (500, 500)])
@pytest.mark.parametrize("largest", [True, False])
def test_topk(n, k, largest):
    x = np.random.default_rng(0).integers(-40, 40, (3, n)).astype(np.float32)
    values, places = Tensor(x).topk(k, largest=largest)
    order = np.argsort(-x if largest else x, 1, kind="stable")[:, :k]
    np.testing.assert_array_equal(places.numpy(), order)
    np.testing.assert_array_equal(values.numpy(), np.take_along_axis(x, order, 1))
    if k:
        value, place = Tensor(x).kthvalue(k, 1)
        np.testing.assert_array_equal(value.numpy(), np.sort(x, 1)[:, k - 1])
        np.testing.assert_array_equal(place.numpy(), np.argsort(x, 1, kind="stable")[:, k - 1])
        assert Tensor(x).kthvalue(k, 1, keepdim=True)[0].shape == (3, 1)


@pytest.mark.parametrize("n", [0, 1, 2, 5, 64, 1000])
@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("dtype", ["int32", "float32"])
def test_searchsorted(n, side, dtype):
    table = np.sort(np.random.default_rng(0).integers(0, 60, n).astype(dtype))
    values = np.random.default_rng(1).integers(-3, 64, (3, 21)).astype(dtype)
    if dtype == "float32" and n > 3:
        table[-2:], values[0, 0] = np.nan, np.nan
    np.testing.assert_array_equal(Tensor(table).searchsorted(Tensor(values), side).numpy(), np.searchsorted(table, values, side))
    np.testing.assert_array_equal(Tensor(values).bucketize(table, right=side == "right").numpy(), np.searchsorted(table, values, side))
    assert Tensor(table).searchsorted(7, side).item() == np.searchsorted(table, 7, side)
    mixed = np.random.default_rng(2).permutation(table)
    order = np.argsort(mixed, kind="stable")
    np.testing.assert_array_equal(Tensor(mixed).searchsorted(Tensor(values), side, sorter=order).numpy(), np.searchsorted(mixed, values, side, order))


def test_searchsorted_in_rows():
    table, values = np.sort(sample((4, 30), "int8"), 1), sample((4, 9), "int8", 1)
    found = Tensor(table).searchsorted(Tensor(values), right=True).numpy()
    np.testing.assert_array_equal(found, [np.searchsorted(a, v, "right") for a, v in zip(table, values)])


@pytest.mark.parametrize("n", [0, 1, 40])
def test_isin(n):
    x, known = np.random.default_rng(0).integers(0, 30, (5, 7)), np.random.default_rng(1).integers(0, 30, n)
    np.testing.assert_array_equal(Tensor(x).isin(known).numpy(), np.isin(x, known))
    np.testing.assert_array_equal(Tensor(x).isin(known, invert=True).numpy(), np.isin(x, known, invert=True))
    assert Tensor([float("nan"), 1.0]).isin([float("nan"), 1.0]).tolist() == [False, True]


CASES = [((7,), None), ((8,), 0), ((4, 6), None), ((4, 7), 1), ((4, 7), 0), ((2, 3, 5), (0, 2)), ((), None), ((101,), None)]


@pytest.mark.parametrize("shape, axis", CASES, ids=str)
@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("nan", [False, True])
def test_medians_and_quantiles(shape, axis, keepdims, nan):
    x = np.random.default_rng(0).standard_normal(shape)
    if nan and x.size > 5:
        x.reshape(-1)[3] = np.nan
    t = Tensor(x)
    np.testing.assert_allclose(t.median(axis, keepdims=keepdims).numpy(), np.median(x, axis, keepdims=keepdims), rtol=1e-14)
    np.testing.assert_allclose(t.nanmedian(axis, keepdims=keepdims).numpy(), np.nanmedian(x, axis, keepdims=keepdims), rtol=1e-14)
    for q in (0.3, [0.25, 1.0]):
        np.testing.assert_allclose(t.nanquantile(q, axis, keepdims).numpy(), np.nanquantile(x, q, axis, keepdims=keepdims), rtol=1e-13)
        np.testing.assert_allclose(t.quantile(q, axis, keepdims).numpy(), np.quantile(x, q, axis, keepdims=keepdims), rtol=1e-13)
    np.testing.assert_allclose(t.percentile(30, axis).numpy(), np.percentile(x, 30, axis), rtol=1e-13)


@pytest.mark.parametrize("method", ["linear", "lower", "higher", "nearest", "midpoint", "hazen", "weibull", "median_unbiased", "normal_unbiased"])
def test_methods_of_quantiles(method):
    x, q = np.random.default_rng(0).standard_normal((4, 7)), np.array([0.0, 0.11, 0.5, 0.75, 0.9, 1.0])
    for share in (q, Tensor(q)):
        np.testing.assert_allclose(Tensor(x).quantile(share, 1, method=method).numpy(), np.quantile(x, q, 1, method=method), rtol=1e-13)


def test_medians_of_odd_kinds():
    assert Tensor([3, 1, 2, 10]).median().item() == 2.5 and Tensor([True, False, True]).median().item() == 1.0
    assert np.isnan(Tensor(np.zeros((0,))).median().item())
    assert np.isnan(Tensor([float("nan")] * 3).nanmedian().item())
    assert Tensor([float("inf")] * 2).median().item() == float("inf")
    assert Tensor(np.array([1.7e308, 1.7e308])).median().item() == 1.7e308
    assert np.isnan(Tensor([1.0]).quantile(Tensor([2.0])).numpy()).all()


def test_wrong_calls():
    t = Tensor([[3.0, 1.0]])
    for call, error, text in [
        (lambda: t.sort(2), AxisError, "sort"), (lambda: t.argsort(-3), AxisError, "argsort"), (lambda: t.topk(3), BoundsError, r"\[0, 2\]"),
        (lambda: t.topk(1.5), TypeError, "int"), (lambda: t.kthvalue(0), BoundsError, r"\[1, 2\]"), (lambda: t.quantile(1.5), BoundsError, r"\[0, 1\]"),
        (lambda: t.quantile(None), TypeError, "None"), (lambda: t.percentile("a"), TypeError, "number"),
        (lambda: t.percentile([50, 101]), BoundsError, r"\[0, 100\]"), (lambda: t.quantile(0.5, method="best"), ValueError, "linear"),
        (lambda: t.searchsorted(t.expand(2, 2)), ShapeError, "sorted tensor"), (lambda: t[0].searchsorted(1, side="up"), ValueError, "left"),
        (lambda: t.bucketize(t), ShapeError, "one axis"),
    ]:
        with pytest.raises(error, match=text):
            call()
