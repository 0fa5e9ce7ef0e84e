"""Grids, index tables, memory and stacks beside NumPy."""

import array
import itertools

import numpy as np
import pytest

import morok
from morok import Tensor
from morok.errors import BoundsError, FormatError, ShapeError

X = np.arange(6, dtype=np.float32)


def same(found, expected, exact=True):
    assert found.shape == expected.shape
    if exact:
        np.testing.assert_array_equal(found.numpy(), expected)
    else:
        np.testing.assert_allclose(found.numpy(), expected, rtol=1e-6 if found.dtype is morok.float32 else 1e-14)


@pytest.mark.parametrize("endpoint", [True, False])
@pytest.mark.parametrize("num", [0, 1, 2, 7])
def test_sequences(num, endpoint):
    for dtype in ("float32", "float64"):
        same(morok.linspace(-1, 3, num, endpoint, dtype=dtype), np.linspace(-1, 3, num, endpoint, dtype=dtype), exact=False)
        same(morok.logspace(-1, 2, num, endpoint, 3.0, dtype=dtype), np.logspace(-1, 2, num, endpoint, 3.0, dtype=dtype), exact=False)
        same(morok.geomspace(-1, -1000, num, endpoint, dtype=dtype), np.geomspace(-1, -1000, num, endpoint, dtype=dtype), exact=False)
    assert morok.geomspace(1, 1000, 4).tolist()[-1] == 1000
    with pytest.raises(BoundsError):
        morok.geomspace(-1, 1)


@pytest.mark.parametrize("indexing", ["xy", "ij"])
@pytest.mark.parametrize("sizes", [(), (3,), (2, 3), (2, 0, 3), (1, 2, 3, 2)])
def test_meshgrid(sizes, indexing):
    vectors = [np.arange(n) * 10 for n in sizes]
    for found, expected in zip(morok.meshgrid(*vectors, indexing=indexing), np.meshgrid(*vectors, indexing=indexing), strict=True):
        same(found, expected)
    with pytest.raises(ShapeError):
        morok.meshgrid([[1.0]])


@pytest.mark.parametrize(("n", "m", "k"), [(3, None, 0), (2, 4, 1), (4, 2, -1), (0, 3, 0), (3, 3, 5)])
def test_triangles(n, m, k):
    for name in ("tril_indices", "triu_indices"):
        for found, expected in zip(getattr(morok, name)(n, k, m), getattr(np, name)(n, k, m), strict=True):
            same(found, expected)
    same(morok.tri(n, m, k), np.tri(n, m, k))


def test_indices_and_functions_of_them():
    for shape in ((), (3,), (2, 3), (0, 2)):
        same(morok.indices(shape), np.indices(shape))
    same(morok.fromfunction(lambda i, j: i * 10 + j, (2, 3)), np.fromfunction(lambda i, j: i * 10 + j, (2, 3)))
    for n, increasing in itertools.product((None, 0, 1, 5), (True, False)):
        same(morok.vander(X[:3], n, increasing), np.vander(X[:3], n, increasing))
        same(morok.vander([1, 2, 3], n, increasing), np.vander([1, 2, 3], n, increasing))


def test_memory(tmp_path):
    numbers = array.array("d", [1.0, 2.0, 3.0])
    shared = morok.frombuffer(numbers, "float64")
    same(shared, np.frombuffer(numbers))
    same(morok.frombuffer(bytes(range(9)), "int16", 3, 1), np.frombuffer(bytes(range(9)), np.int16, 3, 1))
    same(morok.frombuffer(b"", "uint8"), np.zeros(0, np.uint8))
    for call in (lambda: morok.frombuffer(b"abc", "int16"), lambda: morok.frombuffer(b"abc", "uint8", 4), lambda: morok.frombuffer(b"abc", "uint8", 1, 9)):
        with pytest.raises(BoundsError, match="frombuffer"):
            call()
    path = tmp_path / "numbers.bin"
    X.tofile(path)
    same(morok.fromfile(path), X)
    same(morok.fromfile(path, count=2, offset=4), X[1:3])
    with pytest.raises(FormatError, match="has 6 elements"):
        morok.fromfile(path, count=7)
    found = morok.from_numpy(X)
    same(found, X)
    assert morok.asarray(found) is found and morok.as_tensor(found, "float64").dtype is morok.float64
    same(morok.asarray([[1, 2]]), np.asarray([[1, 2]]))


@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (2, 3, 4)])
def test_axes_at_least_and_stacks(shape):
    x = np.random.default_rng(0).standard_normal(shape)
    for name in ("atleast_1d", "atleast_2d", "atleast_3d"):
        same(getattr(morok, name)(x), getattr(np, name)(x))
        assert len(getattr(morok, name)(x, x)) == 2
    for name in ("hstack", "vstack", "dstack", "column_stack"):
        if name == "column_stack" and not shape:
            continue
        same(getattr(morok, name)([x, Tensor(x)]), getattr(np, name)([x, x]))
    same(morok.row_stack([x, x]), np.vstack([x, x]))
    same(morok.append(x, x), np.append(x, x))
    if shape:
        same(morok.append(x, x, 0), np.append(x, x, 0))


def test_blocks_and_products():
    a, b = np.ones((2, 2)), np.zeros((2, 1))
    same(morok.block([[a, b], [np.ones((1, 2)), 5.0 * np.ones((1, 1))]]), np.block([[a, b], [np.ones((1, 2)), 5.0 * np.ones((1, 1))]]))
    same(morok.block([1.0, 2.0]), np.block([1.0, 2.0]))
    expected = np.array(list(itertools.product([1, 2], [3, 4, 5], [6])))
    same(morok.cartesian_prod([1, 2], [3, 4, 5], [6]), expected)


def test_common_shapes():
    a, b = np.ones((2, 1, 3)), np.zeros((4, 1))
    for found, expected in zip(morok.broadcast_tensors(a, b), np.broadcast_arrays(a, b), strict=True):
        same(found, expected)
    for found, expected in zip(morok.broadcast_arrays(a, b), np.broadcast_arrays(a, b), strict=True):
        same(found, expected)
    assert morok.broadcast_shapes((2, 1, 3), (4, 1), 3) == np.broadcast_shapes((2, 1, 3), (4, 1), 3)
    nan = np.array([1.0, np.nan])
    for x, y, options in ((X, X, {}), (X, X[:5], {}), (nan, nan, {}), (nan, nan, {"equal_nan": True})):
        assert morok.array_equal(x, y, **options).item() == np.array_equal(x, y, **options)


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize(("n", "m"), [(5, 3), (3, 5), (4, 4), (6, 2), (2, 5), (1, 1), (7, 4), (4, 7)])
def test_convolution_and_correlation(n, m, mode):
    rng = np.random.default_rng(0)
    for x, kernel in ((rng.standard_normal(n), rng.standard_normal(m)), (rng.integers(-9, 9, n), rng.integers(-9, 9, m))):
        for name in ("convolve", "correlate"):
            found, expected = getattr(morok, name)(x, kernel, mode).numpy(), getattr(np, name)(x, kernel, mode)
            assert found.dtype == expected.dtype
            np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


def test_methods_as_functions():
    same(morok.cumsum([[1, 2], [3, 4]], 1), np.cumsum([[1, 2], [3, 4]], 1))
    same(morok.cumsum([[1, 2], [3, 4]], dim=0), np.cumsum([[1, 2], [3, 4]], 0))
    same(morok.trapezoid([1.0, 2.0, 4.0], [0.0, 1.0, 3.0]), np.array(np.trapezoid([1.0, 2.0, 4.0], [0.0, 1.0, 3.0])), exact=False)
    assert morok.cumsum.__name__ == "cumsum" and "morok.cumsum([1, 2, 3])" in morok.cumsum.__doc__
    assert morok.zeros_like(X, dtype="int8").dtype is morok.int8 and morok.full_like(X, 2, "int8").dtype is morok.int8
