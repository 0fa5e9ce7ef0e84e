"""scatter, index_add and kin against their definitions, element by element, in NumPy."""

import numpy as np
import pytest

import morok
from morok import Tensor, errors
from morok.runtime import configured

REDUCTIONS = ["set", "sum", "prod", "mean", "amax", "amin"]
KINDS = {"sum": np.add, "mean": np.add, "prod": np.multiply, "amax": np.maximum, "amin": np.minimum}
SHAPES = [((5,), (7,), 0), ((3, 4), (2, 6), 1), ((6, 3), (7, 3), 0), ((3, 4, 5), (2, 4, 4), -2), ((4,), (0,), 0), ((1,), (1,), 0), ((2, 3, 1), (2, 1, 1), 1)]


def sample(shape, dtype, seed=0):
    rng = np.random.default_rng(seed)
    return rng.integers(-3, 4, shape).astype(dtype)


def combined(before, put, reduce, include_self):
    """What stands at one place: the value before and those put there, in order."""
    if not put:
        return before
    if reduce == "set":
        return put[-1]
    parts = [before, *put] if include_self else put
    if reduce == "mean" and before.dtype.kind in "iu" and before.dtype.itemsize < 8:
        parts = [int(part) for part in parts]  # the sum does not wrap: its mean would be another
    found = parts[0]
    for part in parts[1:]:
        found = KINDS[reduce](found, part)
    if reduce == "mean":
        found = found / len(parts) if np.asarray(found).dtype.kind == "f" else found // len(parts)
    return found


def scattered(array, dim, index, src, reduce, include_self=True):
    put = {}
    for place in np.ndindex(index.shape):
        to = list(place)
        to[dim] = index[place] % array.shape[dim] if -array.shape[dim] <= index[place] < array.shape[dim] else None
        put.setdefault(tuple(to), []).append(src[place])
    new = array.copy()
    for place in np.ndindex(array.shape):
        new[place] = combined(array[place], put.get(place, []), reduce, include_self)
    return new


def ours(t, dim, index, src, reduce, include_self):
    return t.scatter(dim, index, src) if reduce == "set" else t.scatter_reduce(dim, index, src, reduce, include_self)


@pytest.mark.parametrize("reduce", REDUCTIONS)
@pytest.mark.parametrize("shape, index_shape, dim", SHAPES, ids=str)
def test_scatter(shape, index_shape, dim, reduce):
    for dtype, include_self in (("float64", True), ("int32", False)):
        array, src = sample(shape, dtype), sample(tuple(s + 1 for s in index_shape), dtype, 1)
        index = np.random.default_rng(2).integers(-shape[dim], shape[dim] + 1, index_shape)
        expected = scattered(array, dim, index, src, reduce, include_self)
        t, i = Tensor(array), Tensor(index)
        found = ours(t, dim, i, Tensor(src), reduce, include_self)
        assert found.dtype.np == array.dtype
        np.testing.assert_allclose(found.numpy(), expected)
        np.testing.assert_array_equal(t.numpy(), array)
        if reduce in ("set", "mean"):
            jitted = morok.jit(lambda t, i, s, r=reduce, inc=include_self: ours(t * 1, dim, i, s, r, inc))
            np.testing.assert_allclose(jitted(t, i, Tensor(src)).numpy(), expected)


@pytest.mark.parametrize("reduce", REDUCTIONS)
def test_an_expanded_index_names_rows(reduce):
    array, src = sample((5, 4, 3), "float32"), sample((7, 4, 3), "float32", 1)
    index = np.random.default_rng(2).integers(0, 5, (7, 1, 1))
    t, full = Tensor(array), np.broadcast_to(index, (7, 4, 3))
    found = ours(t, 0, Tensor(index).expand(7, 4, 3), Tensor(src), reduce, False)
    np.testing.assert_allclose(found.numpy(), scattered(array, 0, full, src, reduce, False), rtol=1e-6)
    half = Tensor(index[:, :, 0]).expand(7, 4).unsqueeze(-1).expand(7, 4, 3)
    np.testing.assert_allclose(ours(t, 0, half, Tensor(src), reduce, True).numpy(), scattered(array, 0, full, src, reduce, True), rtol=1e-6)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "uint64", "float16", "float32"])
def test_dtypes_and_layouts(dtype):
    array, src = abs(sample((4, 5), dtype)) if dtype != "bool" else sample((4, 5), dtype), sample((5, 4), dtype, 1)
    src = src if dtype == "bool" else abs(src)
    index = np.random.default_rng(2).integers(0, 4, (5, 4))
    for t, i in ((Tensor(array.T.copy()).T, Tensor(index.astype(np.int8))), (Tensor(np.pad(array, 1))[1:-1, 1:-1], Tensor(index.astype(np.uint32)))):
        for reduce in REDUCTIONS:
            if dtype == "bool" and reduce == "mean":
                continue
            expected = scattered(array, 0, index, src, reduce)
            np.testing.assert_allclose(ours(t, 0, i, Tensor(src.T.copy()).T, reduce, True).numpy(), expected)


def test_sums_of_16_bit_floats():
    x = Tensor(np.zeros(2, np.float16))
    assert x.scatter_add(0, Tensor(np.zeros(4096, np.int64)), Tensor(np.ones(4096, np.float16))).tolist() == [4096, 0]
    assert x.index_reduce(0, Tensor(np.ones(4096, np.int64)), Tensor(np.full(4096, 17, np.float16)), "mean", False).tolist() == [0, 17]


def test_numbers_and_other_reductions():
    t = Tensor([[1, 2], [3, 4]])
    assert t.scatter(1, [[0], [1]], 9).tolist() == [[9, 2], [3, 9]]
    assert t.scatter(1, [[0], [-1]], 3, reduce="add").tolist() == [[4, 2], [3, 7]]
    assert t.scatter(1, [[0, 0]], 3, reduce="multiply").tolist() == [[9, 2], [3, 4]]
    assert Tensor(3.0).scatter(0, Tensor(0), 5.0).item() == 5 and Tensor(3.0).scatter_add(0, Tensor([0, 0]), Tensor([5.0, 1.0])).item() == 9
    np.testing.assert_array_equal(Tensor([1.0, 2.0]).scatter_reduce(0, [0], Tensor([np.nan]), "amax").numpy(), [np.nan, 2])


@pytest.mark.parametrize("name, reduce", [("index_copy", "set"), ("index_add", "sum"), *[("index_reduce", r) for r in REDUCTIONS[1:]]])
@pytest.mark.parametrize("shape, dim, count", [((5,), 0, 8), ((3, 5), 1, 4), ((5, 3), 0, 7), ((2, 4, 3), -2, 6), ((3, 2), 0, 0), ((0, 3), 1, 2)], ids=str)
def test_slices_at_indices(name, reduce, shape, dim, count):
    axis = dim % len(shape)
    array, src = sample(shape, "float32"), sample((*shape[:axis], count, *shape[axis + 1:]), "float32", 1)
    index = np.random.default_rng(2).integers(-shape[axis], shape[axis], count)
    full = np.broadcast_to(np.expand_dims(index, [a for a in range(len(shape)) if a != axis]), src.shape)
    extra = (reduce,) if name == "index_reduce" else ()
    t = Tensor(array)
    expected = scattered(array, axis, full, src, reduce)
    np.testing.assert_allclose(getattr(t, name)(dim, Tensor(index), Tensor(src), *extra).numpy(), expected, rtol=1e-6)
    np.testing.assert_array_equal(t.numpy(), array)
    assert getattr(t, name + "_")(dim, Tensor(index), Tensor(src), *extra) is t
    np.testing.assert_allclose(t.numpy(), expected, rtol=1e-6)


def test_index_add_with_a_factor_and_index_fill():
    assert Tensor([1, 2, 3]).index_add(0, [0, 2, 0], Tensor([1, 2, 3]), alpha=2).tolist() == [9, 2, 7]
    t = Tensor([[1, 2], [3, 4]])
    assert t.index_fill(1, Tensor([0]), 9).tolist() == [[9, 2], [9, 4]] and t.index_fill(0, 1, Tensor(7)).tolist() == [[1, 2], [7, 7]]
    assert t.index_fill_(0, [-1], 0).tolist() == [[1, 2], [0, 0]]
    assert Tensor(4).index_fill(0, [0], 7).item() == 7


def test_in_place_forms_change_views_and_their_bases():
    base, array = Tensor(np.zeros((4, 6), np.int64)), np.zeros((4, 6), np.int64)
    view = base[::2, 1:].T
    view.scatter_add_(0, Tensor([[0, 0], [1, 4]]), Tensor([[1, 2], [3, 4]]))
    view.scatter_(1, Tensor([[1], [0]]), 9)
    view.index_fill_(0, Tensor([3]), 7)
    view.index_put_((Tensor([2, 2]), None), 5)
    view.masked_scatter_(view.eq(7), Tensor([70, 71]))
    view.put_([0], 8)
    expected = array[::2, 1:].T
    np.add.at(expected, (np.array([[0, 0], [1, 4]]), np.array([[0, 1], [0, 1]])), np.array([[1, 2], [3, 4]]))
    expected[[0, 1], [1, 0]] = 9
    expected[3] = [70, 71]
    expected[2] = 5
    expected[0, 0] = 8
    np.testing.assert_array_equal(base.numpy(), array)


@pytest.mark.parametrize("accumulate", [False, True])
@pytest.mark.parametrize("key", [(np.array([0, 2, 0, -1]),), (np.array([[0], [1]]), np.array([2, 2, 0])), (None, np.array([1, 1, 3])),
                                 (np.array([1, 0]), None, np.array([2, 2])), (np.array([True, False, True]), np.array([0, 3]))], ids=str)
def test_index_put(key, accumulate):
    array = sample((3, 4, 3), "float32")
    numpy_key = tuple(slice(None) if k is None else k for k in key)
    value = sample(array[numpy_key].shape[-1:], "float32", 1)
    found = Tensor(array).index_put(tuple(None if k is None else Tensor(k) for k in key), Tensor(value), accumulate)
    if accumulate:
        np.add.at(array, numpy_key, value)
    else:
        array[numpy_key] = value
    np.testing.assert_allclose(found.numpy(), array)


@pytest.mark.parametrize("shape, index_shape, axis", [((5,), (3,), 0), ((3, 4), (3, 2), 1), ((3, 4), (1, 2), -1), ((3, 4), (2, 4), 0), ((2, 3), (4,), None)],
                         ids=str)
def test_put_along_axis(shape, index_shape, axis):
    array = sample(shape, "float32")
    size = array.size if axis is None else shape[axis]
    index = np.random.default_rng(2).integers(-size, size, index_shape)
    t = Tensor(array)
    for values in (7, np.arange(index_shape[-1], dtype=np.float32)):
        np.put_along_axis(array, index, values, axis)
        assert t.put_along_axis(Tensor(index), values, axis) is None
        np.testing.assert_array_equal(t.numpy(), array)


def test_masked_scatter():
    array, mask = sample((4, 5), "int32"), sample((4, 5), "bool", 1)
    for given in (mask, mask[:1], mask[:, :1], np.array(True), np.array(False)):
        whole = np.broadcast_to(given, array.shape)
        source = np.arange(100, 100 + whole.sum() + 2)
        expected = array.copy()
        expected[whole] = source[:whole.sum()]
        np.testing.assert_array_equal(Tensor(array).masked_scatter(Tensor(given), Tensor(source.astype(np.int8))).numpy(), expected)
    assert Tensor([1, 2, 3]).masked_scatter(Tensor([True] * 3), Tensor([7])).tolist() == [7, 2, 3]


def test_windows():
    array = np.arange(24).reshape(2, 3, 4)
    t, picked, middle = Tensor(array), array.copy(), array.copy()
    picked[:, -1] = [7, 8, 9, 10]
    middle[..., 1::2] = 0
    np.testing.assert_array_equal(t.select_scatter(Tensor([7, 8, 9, 10]), 1, -1).numpy(), picked)
    np.testing.assert_array_equal(t.slice_scatter(0, -1, 1, None, 2).numpy(), middle)
    np.testing.assert_array_equal(t.numpy(), array)
    x, s = Tensor([1.0, 2.0, 3.0], requires_grad=True), Tensor([5.0], requires_grad=True)
    (x.slice_scatter(s, 0, 1, 2) * Tensor([1.0, 10.0, 100.0])).sum().backward()
    assert x.grad.tolist() == [1, 0, 100] and s.grad.tolist() == [10]


@pytest.mark.parametrize("threads", [1, 2])
def test_thread_counts(threads):
    array, src = sample((40, 60), "float32"), sample((50, 60), "float32", 1)
    index = np.random.default_rng(2).integers(0, 40, (50, 60))
    with configured(num_threads=threads):
        np.testing.assert_array_equal(Tensor(array).scatter_add(0, Tensor(index), Tensor(src)).numpy(), scattered(array, 0, index, src, "sum"))


@pytest.mark.parametrize("reduce", REDUCTIONS)
@pytest.mark.parametrize("include_self", [True, False])
def test_derivatives(reduce, include_self):
    rng = np.random.default_rng(3)
    x, src, weights = rng.uniform(1, 2, (4, 3)), rng.uniform(1, 2, (5, 2)), rng.normal(size=(4, 3))
    index = Tensor(rng.integers(0, 4, (5, 2)))

    def f(x, s):
        return (ours(x * x, 0, index, s * 1, reduce, include_self) * weights).sum()

    of_x, of_src = morok.grad(f, (0, 1))(Tensor(x), Tensor(src))
    for found, at, value in ((of_x, x, lambda t: f(t, Tensor(src))), (of_src, src, lambda s: f(Tensor(x), s))):
        for place in np.ndindex(at.shape):
            up, down = at.copy(), at.copy()
            up[place] += 1e-6
            down[place] -= 1e-6
            np.testing.assert_allclose(found.numpy()[place], (value(Tensor(up)).item() - value(Tensor(down)).item()) / 2e-6, atol=1e-6)


def test_derivatives_of_index_add_and_masked_scatter():
    x, s = Tensor([1.0, 2.0, 3.0], requires_grad=True), Tensor([5.0, 7.0], requires_grad=True)
    (x.index_add(0, [2, 2], s, alpha=3) * Tensor([1.0, 10.0, 100.0])).sum().backward()
    assert x.grad.tolist() == [1, 10, 100] and s.grad.tolist() == [300, 300]
    x.grad = s.grad = None
    (x.masked_scatter(Tensor([True, False, True]), s) * Tensor([1.0, 10.0, 100.0])).sum().backward()
    assert x.grad.tolist() == [0, 10, 0] and s.grad.tolist() == [1, 100]


X = Tensor(np.zeros((2, 3), np.float32))
I = Tensor(np.zeros((2, 3), np.int64))  # noqa: E741


@pytest.mark.parametrize(
    "call, error, words",
    [
        (lambda: X.scatter(2, I, 1.0), errors.AxisError, "axis 2"),
        (lambda: X.scatter(0, I[0], 1.0), errors.ShapeError, "(3,)"),
        (lambda: X.scatter(0, I, X[:1]), errors.ShapeError, "(1, 3)"),
        (lambda: X.scatter(0, I, X.cast("float64") > 0), None, ""),
        (lambda: I.scatter(0, I, X), errors.DTypeError, "float32"),
        (lambda: X.scatter(0, X, 1.0), errors.DTypeError, "integers"),
        (lambda: X.scatter(1, [[3]], 1.0), errors.BoundsError, "index 3"),
        (lambda: X.scatter(1, [[0]], 1.0, reduce="max"), errors.OptionError, "'max'"),
        (lambda: X.scatter_reduce(1, [[0]], X, "add"), errors.OptionError, "amax"),
        (lambda: X.index_add(1, [[0]], X), errors.ShapeError, "one axis"),
        (lambda: X.index_add(1, [0], X), errors.ShapeError, "(2, 1)"),
        (lambda: X.index_copy(0, [-3], X), errors.BoundsError, "-3"),
        (lambda: X.index_fill(0, [0], X), errors.ShapeError, "one element"),
        (lambda: X.index_put((), 1.0), errors.DTypeError, "index_put"),
        (lambda: X.index_put(([5],), 1.0), errors.BoundsError, "index 5"),
        (lambda: X.index_put((I[0],), X[:, :2]), errors.ShapeError, "(3, 3)"),
        (lambda: X.masked_scatter(X, X), errors.DTypeError, "bool"),
        (lambda: X.masked_scatter(Tensor([[[True]]]), X), errors.ShapeError, "(1, 1, 1)"),
        (lambda: X.put_along_axis([0], 1.0, 1), errors.ShapeError, "as many axes"),
        (lambda: (X > 0).scatter_reduce(0, I, X > 0, "mean"), errors.DTypeError, "mean"),
    ],
)
def test_wrong_calls(call, error, words):
    if error is None:
        call()
        return
    with pytest.raises(error) as caught:
        call()
    assert words in str(caught.value)
    assert X.tolist() == [[0] * 3] * 2


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint32"])
def test_means_of_small_integers_do_not_wrap(dtype):
    high = np.iinfo(dtype).max
    values, places = np.full(6, high, dtype), np.array([0, 0, 0, 1, 1, 1])
    found = Tensor(np.array([high, high - 3], dtype)).scatter_reduce(0, places, Tensor(values), "mean")
    assert found.dtype.np == dtype and found.tolist() == [high, (4 * high - 3) // 4]
    assert Tensor(np.zeros(2, dtype)).index_reduce(0, places, Tensor(values), "mean", include_self=False).tolist() == [high, high]
