"""bincount, histograms and where elements are, against NumPy."""

import numpy as np
import pytest

import morok
from morok import Tensor, errors
from morok.runtime import configured

RNG = np.random.default_rng


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "int64", "uint64", "bool"])
@pytest.mark.parametrize("count", [0, 1, 7, 300])
def test_bincount(dtype, count):
    array = RNG(0).integers(0, 2 if dtype == "bool" else 100, count).astype(dtype)
    expected = np.bincount(array.astype(np.int64))
    found = Tensor(array).bincount()
    np.testing.assert_array_equal(found.numpy(), expected)
    assert found.dtype is morok.dtypes.int64
    np.testing.assert_array_equal(Tensor(array).bincount(minlength=120).numpy(), np.bincount(array.astype(np.int64), minlength=120))
    np.testing.assert_array_equal(Tensor(array).bincount(length=5).numpy(), np.bincount(array[array < 5].astype(np.int64), minlength=5))
    weights = RNG(1).integers(-9, 9, count)
    np.testing.assert_array_equal(Tensor(array).bincount(Tensor(weights)).numpy(), np.bincount(array.astype(np.int64), weights))
    found = Tensor(array).bincount(Tensor(weights.astype(np.float32)))
    assert found.dtype is morok.dtypes.float32
    np.testing.assert_array_equal(found.numpy(), np.bincount(array.astype(np.int64), weights))


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("count", [1 << 14, 50_021])
def test_many_values_are_counted_in_blocks(count, threads):
    array, weights = RNG(0).integers(0, 100, count), RNG(1).normal(size=count)
    with configured(num_threads=threads):
        np.testing.assert_array_equal(Tensor(array).bincount().numpy(), np.bincount(array))
        np.testing.assert_allclose(Tensor(array).bincount(Tensor(weights)).numpy(), np.bincount(array, weights), atol=1e-9)
        np.testing.assert_array_equal(Tensor(array).bincount(length=7).numpy(), np.bincount(array, minlength=7)[:7])


def test_bincount_in_a_captured_function():
    f = morok.jit(lambda t: t.bincount(length=4))
    assert f(Tensor([1, 1, 3, 9])).tolist() == [0, 2, 0, 1] and f(Tensor([0, -1, 0, 0])).tolist() == [3, 0, 0, 0]
    with pytest.raises(errors.JitError, match="give bincount its length"):
        morok.jit(lambda t: t.bincount())(Tensor([1]))


def test_counts_of_each_example():
    arrays = RNG(0).normal(size=(3, 20))
    counts = morok.vmap(lambda x: x.histogram(4)[0])(Tensor(arrays))
    np.testing.assert_array_equal(counts.numpy(), np.stack([np.histogram(a, 4)[0] for a in arrays]))
    counts = morok.vmap(lambda i: i.bincount(length=4))(Tensor([[0, 3], [1, 1]]))
    assert counts.tolist() == [[1, 0, 0, 1], [0, 2, 0, 0]]
    with pytest.raises(errors.VmapError, match="give bincount its length"):
        morok.vmap(lambda i: i.bincount())(Tensor([[0, 3], [1, 1]]))


def test_weights_have_derivatives():
    w = Tensor([1.0, 2.0, 3.0], requires_grad=True)
    (Tensor([0, 2, 0]).bincount(w) * Tensor([1.0, 10.0, 100.0])).sum().backward()
    assert w.grad.tolist() == [1, 100, 1]


@pytest.mark.parametrize("shape, dtype", [((), "int32"), ((5,), "float64"), ((0,), "int32"), ((0,), "float64"), ((7, 11), "float64"), ((3, 1, 5), "uint8")],
                         ids=str)
@pytest.mark.parametrize("bins, limits", [(10, None), (1, None), (7, (-2, 2.5)), (4, (3, 3)), ([-3, 0, 0.5, 2], None), ([0, 1, 1], None)], ids=str)
def test_histogram(shape, dtype, bins, limits):
    array = (RNG(0).normal(size=shape) * 3).astype(dtype) if dtype != "uint8" else RNG(0).integers(0, 250, shape).astype(dtype)
    array = np.asarray(array)
    expected, edges = np.histogram(array, bins, limits)
    found, own = Tensor(array).histogram(bins, limits)
    np.testing.assert_allclose(own.numpy(), edges, rtol=1e-15, atol=1e-15)
    np.testing.assert_array_equal(found.numpy(), expected)
    if expected.sum():
        with np.errstate(invalid="ignore"):
            density = np.histogram(array, bins, limits, density=True)[0]
        np.testing.assert_allclose(Tensor(array).histogram(bins, limits, density=True)[0].numpy(), density)
    weights = RNG(1).normal(size=shape)
    np.testing.assert_allclose(Tensor(array).histogram(bins, limits, weights=Tensor(weights))[0].numpy(), np.histogram(array, bins, limits, weights=weights)[0],
                               atol=1e-12)


def test_edges_belong_to_the_bin_that_they_begin():
    array = np.arange(0, 101, dtype=np.float32) / 100
    for bins in (1, 3, 10, 20, 100):
        edges = Tensor(array).histogram(bins)[1].numpy()
        np.testing.assert_array_equal(Tensor(array).histogram(bins)[0].numpy(), np.histogram(array, edges)[0])
        values = np.concatenate([edges, np.nextafter(edges, np.float32(-1)), np.nextafter(edges, np.float32(2))])
        np.testing.assert_array_equal(Tensor(values).histogram(bins, (0, 1))[0].numpy(), np.histogram(values, edges)[0])


def test_nan_is_in_no_bin():
    array = np.array([np.nan, 1, 2, np.nan, 4])
    counts, edges = Tensor(array).histogram(3)
    assert counts.tolist() == [1, 1, 1] and edges.tolist() == [1, 2, 3, 4]
    assert Tensor(array).histogram(np.array([0.0, 2.0, 3.0]))[0].tolist() == [1, 1]


def test_histogram_in_a_captured_function():
    f = morok.jit(lambda t: t.histogram(4))
    for seed in range(2):
        array = RNG(seed).normal(size=50)
        counts, edges = f(Tensor(array))
        np.testing.assert_array_equal(counts.numpy(), np.histogram(array, 4)[0])
        np.testing.assert_allclose(edges.numpy(), np.histogram(array, 4)[1], rtol=1e-14)


def test_histc():
    assert Tensor([1.0, 2.0, 1.0]).histc(4, 0, 3).tolist() == [0, 2, 1, 0]
    assert Tensor([1, 2, 4]).histc(3).tolist() == [1, 1, 1] and Tensor([1, 2]).histc(3).dtype is morok.dtypes.float32
    assert Tensor([2.0, 2.0]).histc(2).tolist() == [0, 2]  # from 1 to 3
    assert Tensor(np.ones(3, np.float16)).histc(2, 0, 1).dtype is morok.dtypes.float16


@pytest.mark.parametrize("shape", [(5,), (1,), (0,), (7, 11), (3, 1, 5), (2, 0), (9001,)], ids=str)
@pytest.mark.parametrize("dtype", ["bool", "int8", "float32"])
def test_nonzero(shape, dtype):
    array = RNG(0).integers(0, 3, shape).astype(dtype)
    for given, t in ((array, Tensor(array)), (array.T, Tensor(array).T), (array * 0, Tensor(array) * 0 if dtype != "bool" else Tensor(array) & False)):
        found = t.nonzero()
        assert len(found) == array.ndim
        for mine, theirs in zip(found, np.nonzero(given)):
            np.testing.assert_array_equal(mine.numpy(), theirs)
        np.testing.assert_array_equal(t.argwhere().numpy(), np.argwhere(given))
    np.testing.assert_array_equal(Tensor(array).flatnonzero().numpy(), np.flatnonzero(array))
    np.testing.assert_array_equal(Tensor(array).nonzero(as_tuple=False).numpy(), np.argwhere(array))


def test_special_values_and_0d():
    assert Tensor([0.0, -0.0, np.nan, np.inf]).flatnonzero().tolist() == [2, 3]
    assert Tensor(3).argwhere().shape == (1, 0) and Tensor(0).argwhere().shape == (0, 0) and Tensor(3).flatnonzero().tolist() == [0]


@pytest.mark.parametrize("lazy", [False, True])
@pytest.mark.parametrize("shape, taken", [((6,), 1), ((5, 4), 2), ((5, 4), 1), ((3, 4, 5), 2)])
def test_masks(shape, taken, lazy):
    array, mask = RNG(0).normal(size=shape), RNG(1).integers(0, 2, shape[:taken]).astype(bool)
    t, m = (Tensor(array) * 1, Tensor(mask.astype(np.int32)) > 0) if lazy else (Tensor(array), Tensor(mask))
    np.testing.assert_array_equal(t[m].numpy(), array[mask])
    np.testing.assert_array_equal(t[~m].numpy(), array[~mask])
    value = RNG(2).normal(size=array[mask].shape)
    t[m] = Tensor(value)
    array[mask] = value
    row = RNG(3).normal(size=shape[taken:])
    t[~m] = Tensor(row)
    array[~mask] = row
    np.testing.assert_array_equal(t.numpy(), array)
    if len(shape) == taken:
        np.testing.assert_array_equal(t.masked_select(m).numpy(), array[mask])


def test_masks_have_derivatives():
    x = Tensor([[1.0, -2.0], [3.0, -4.0]], requires_grad=True)
    x[x > 0].square().sum().backward()
    assert x.grad.tolist() == [[2, 0], [6, 0]]


def test_masked_writes_in_a_captured_function():
    @morok.jit
    def f(t, m, row):
        t[m] = row
        t[t > 5] = 0

    t = Tensor(np.ones((3, 2), np.float32))
    f(t, Tensor([True, False, True]), Tensor([2.0, 7.0]))
    assert t.tolist() == [[2, 0], [1, 1], [2, 0]]


def test_compress_and_extract():
    array = np.arange(12).reshape(3, 4)
    for condition, axis in (([True, False, True], 0), ([False, True], 1), ([1, 0, 2, 0], -1), ([True, False, True], None), ([False], 0)):
        np.testing.assert_array_equal(Tensor(array).compress(condition, axis).numpy(), np.compress(condition, array, axis))
    np.testing.assert_array_equal(Tensor(array).extract(array % 3 == 0).numpy(), np.extract(array % 3 == 0, array))


def test_one_hot_of_unknown_classes():
    assert Tensor([0, 2]).one_hot().tolist() == [[1, 0, 0], [0, 0, 1]] and Tensor([[1], [5]]).one_hot(2).tolist() == [[[0, 1]], [[0, 0]]]


X = Tensor([[1.0, 2.0]])


@pytest.mark.parametrize(
    "call, error, words",
    [
        (lambda: Tensor([[1]]).bincount(), errors.ShapeError, "one axis"),
        (lambda: Tensor([1.0]).bincount(), errors.DTypeError, "float32"),
        (lambda: Tensor([1, -2]).bincount(), errors.BoundsError, "-2"),
        (lambda: Tensor([1]).bincount(Tensor([1, 2])), errors.ShapeError, "(2,)"),
        (lambda: Tensor([1]).bincount(minlength=-1), errors.BoundsError, "-1"),
        (lambda: X.histogram(0), errors.BoundsError, "at least one"),
        (lambda: X.histogram(3, (2, 1)), errors.BoundsError, "(2.0, 1.0)"),
        (lambda: X.histogram(3, (0, np.inf)), errors.BoundsError, "finite"),
        (lambda: X.histogram("auto"), errors.DTypeError, "'auto'"),
        (lambda: X.histogram([1]), errors.ShapeError, "two elements"),
        (lambda: X.histogram([1, 0]), errors.BoundsError, "increase"),
        (lambda: X.histogram(3, weights=[1.0]), errors.ShapeError, "(1,)"),
        (lambda: X.histc(2, 1, 0), errors.BoundsError, "(1.0, 0.0)"),
        (lambda: Tensor(1).nonzero(), errors.ShapeError, "argwhere"),
        (lambda: X.compress([True] * 3, 0), errors.ShapeError, "size 1"),
        (lambda: morok.jit(lambda t: t.nonzero())(X), errors.JitError, "count_nonzero"),
        (lambda: morok.jit(lambda t: t[t > 1])(X), errors.JitError, "masked_scatter"),
        (lambda: morok.jit(lambda t: t.cast("int64").one_hot())(X), errors.JitError, "give num_classes"),
        (lambda: Tensor(np.zeros(0, np.int64)).one_hot(), errors.ShapeError, "num_classes"),
    ],
)
def test_wrong_calls(call, error, words):
    with pytest.raises(error) as caught:
        call()
    assert words in str(caught.value)
