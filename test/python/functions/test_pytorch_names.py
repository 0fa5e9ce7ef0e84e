"""PyTorch's functions that NumPy has not, beside what they say in NumPy's words; literal values are PyTorch's own."""

import math

import numpy as np
import pytest

import morok
from morok import Tensor, nn

rng = np.random.default_rng(1)
A, B, M, N = rng.normal(size=(3, 4)), rng.normal(size=(4, 5)), rng.normal(size=(2, 3, 4)), rng.normal(size=(2, 4, 5))
U, V, S = rng.normal(size=3), rng.normal(size=4), rng.normal(size=(3, 5))
SQUARE = A[:, :3] + 4 * np.eye(3)


def norm(x, p):
    """Of the last axis."""
    size = np.abs(x)
    return size.max(-1) if p == math.inf else (size != 0).sum(-1) if p == 0 else (size ** p).sum(-1) ** (1 / p)


PRODUCTS = {
    "mv": [((A, V), {}, A @ V)], "ger": [((U, V), {}, np.outer(U, V))], "addmv": [((U, A, V), {"beta": 2.0, "alpha": 0.5}, 2 * U + A @ V / 2)],
    "addmm": [((S, A, B), {}, S + A @ B), ((S, A, B), {"beta": 0.5, "alpha": -2}, S / 2 - 2 * (A @ B)), ((S[0], A, B), {}, S[0] + A @ B),
              ((S * np.nan, A, B), {"beta": 0}, A @ B)],
    "addr": [((np.ones((3, 4)), U, V), {"alpha": 3}, 1 + 3 * np.outer(U, V))], "baddbmm": [((S, M, N), {}, S + M @ N)],
    "addbmm": [((S, M, N), {"beta": 2}, 2 * S + (M @ N).sum(0))], "dist": [((U, U * 3), {}, np.linalg.norm(2 * U)), ((A, V), {"p": 1}, np.abs(A - V).sum())],
    "chain_matmul": [((A, B, B.T), {}, A @ B @ B.T), ((A,), {}, A)], "inverse": [((SQUARE,), {}, np.linalg.inv(SQUARE))],
    "det": [((SQUARE,), {}, np.linalg.det(SQUARE))], "logdet": [((SQUARE,), {}, np.log(np.linalg.det(SQUARE))), ((-np.eye(3),), {}, np.array(np.nan))],
    "pinverse": [((A,), {}, np.linalg.pinv(A))], "matrix_power": [((SQUARE, 3), {}, SQUARE @ SQUARE @ SQUARE)],
    "cholesky": [((SQUARE @ SQUARE.T,), {}, np.linalg.cholesky(SQUARE @ SQUARE.T))], "slogdet": [((SQUARE,), {}, np.stack(np.linalg.slogdet(SQUARE)))],
    "cumulative_trapezoid": [((V,), {}, np.cumsum((V[1:] + V[:-1]) / 2)), ((A, np.array([0.0, 1.0, 3.0])), {"axis": 0},
                                                                         np.cumsum((A[1:] + A[:-1]) / 2 * np.array([[1.0], [2.0]]), 0))],
    "msort": [((A,), {}, np.sort(A, 0))], "swapdims": [((M, 0, 2), {}, np.swapaxes(M, 0, 2))], "t": [((A,), {}, A.T), ((V,), {}, V)],
    "trapz": [((V,), {}, np.trapezoid(V))],
    "block_diag": [(([[1, 2]], 3, [4, 5]), {}, np.array([[1, 2, 0, 0, 0], [0, 0, 3, 0, 0], [0, 0, 0, 4, 5]]))],
    "combinations": [(([1, 2, 3, 4], 3), {}, np.array([[1, 2, 3], [1, 2, 4], [1, 3, 4], [2, 3, 4]])),
                     (([1, 2], 2, True), {}, np.array([[1, 1], [1, 2], [2, 2]])), (([1], 2), {}, np.zeros((0, 2)))],
}


@pytest.mark.parametrize("name", PRODUCTS)
def test_products_and_arrangements(name):
    for arguments, named, expected in PRODUCTS[name]:
        for given in (arguments, [Tensor(np.asfortranarray(a)) if isinstance(a, np.ndarray) else a for a in arguments]):
            found = getattr(morok, name)(*given, **named)
            found = np.stack([f.numpy() for f in found]) if isinstance(found, tuple) else found.numpy()
            assert found.shape == np.shape(expected)
            np.testing.assert_allclose(found, expected, rtol=1e-9)


@pytest.mark.parametrize("p", [0, 1, 2, 3.5, math.inf])
def test_cdist(p):
    for x, y in ((A, A[:2]), (M, M[:, :2] * 2), (M, A), (A[:0], A), (A[:, :0], A[:, :0])):
        expected = norm(x[..., :, None, :] - y[..., None, :, :], p) if x.shape[-1] else np.zeros((len(x), len(y)))
        found = morok.cdist(x, y, p).numpy()
        assert found.shape == expected.shape
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


def test_cdist_of_equal_rows_has_a_derivative():
    w = Tensor(A, requires_grad=True)
    w.cdist(A).sum().backward()
    apart = A[:, None] - A[None]
    size = np.linalg.norm(apart, axis=-1, keepdims=True)
    np.testing.assert_allclose(w.grad.numpy(), np.divide(apart, size, out=np.zeros_like(apart), where=size != 0).sum(1), rtol=1e-9)


def test_renorm():
    a = Tensor(np.arange(1.0, 7).reshape(2, 3) / 4)
    rows = [[0.25, 0.5, 0.75], [0.455842285059332, 0.569802856324165, 0.683763427588998]]
    columns = [[0.19999998400000127, 0.285714269387756, 0.3333333185185192], [0.7999999360000051, 0.7142856734693901, 0.6666666370370384]]
    np.testing.assert_allclose(a.renorm(2, 0, 1.0).numpy(), rows, rtol=1e-6)
    np.testing.assert_allclose(a.double().renorm(1, 1, 1.0).numpy(), columns, rtol=1e-12)
    assert a.renorm(2, 0, 99.0).tolist() == a.tolist()


EDGES = np.array([-2.0, -0.5, -0.0, 0.25, 0.5, 3.0, np.nan, np.inf, -np.inf])
SHRUNK = {
    "hardshrink": [-2.0, 0.0, 0.0, 0.0, 0.0, 3.0, np.nan, np.inf, -np.inf], "softshrink": [-1.5, 0.0, 0.0, 0.0, 0.0, 2.5, np.nan, np.inf, -np.inf],
    "tanhshrink": [-1.0359724199241831, -0.03788284273999024, 0.0, 0.005081337596290865, 0.03788284273999024, 2.0049452463132165, np.nan, np.inf, -np.inf],
    "prelu": [-0.5, -0.125, 0.0, 0.25, 0.5, 3.0, np.nan, np.inf, -np.inf],
}


@pytest.mark.parametrize("name", SHRUNK)
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
def test_shrinking(name, dtype):
    more = (Tensor(np.array([0.25], dtype)),) if name == "prelu" else ()
    x = Tensor(EDGES.astype(dtype))
    for found in (getattr(x, name)(*more), getattr(morok, name)(x, *more), getattr(nn.functional, name)(x, *more)):
        assert found.dtype is x.dtype
        np.testing.assert_allclose(found.numpy(), np.array(SHRUNK[name]), rtol=2e-3 if dtype is np.float16 else 1e-5)


def test_prelu_of_channels():
    x, w = Tensor(M, requires_grad=True), nn.PReLU(3, init=0.5, dtype="float64")
    found = w(x)
    np.testing.assert_allclose(found.numpy(), np.where(M > 0, M, M * 0.5))
    found.sum().backward()
    np.testing.assert_allclose(w.weight.grad.numpy(), np.where(M > 0, 0, M).sum((0, 2)))
    assert list(w.state_dict()) == ["weight"] and repr(w) == "PReLU(num_parameters=3)"


def test_unique_consecutive():
    values, inverse, counts = morok.unique_consecutive(Tensor([1, 1, 2, 1]), return_inverse=True, return_counts=True)
    assert (values.tolist(), inverse.tolist(), counts.tolist()) == ([1, 2, 1], [0, 0, 1, 2], [2, 1, 1])
    values, inverse, counts = Tensor([[1, 1], [1, 1], [2, 1]]).unique_consecutive(True, True, dim=0)
    assert (values.tolist(), inverse.tolist(), counts.tolist()) == ([[1, 1], [2, 1]], [0, 0, 1], [2, 1])
    assert Tensor(np.zeros(0)).unique_consecutive(return_counts=True)[1].shape == (0,)


def test_dtypes():
    assert morok.promote_types("int8", "uint8") is morok.int16 and morok.get_default_dtype() is morok.float32
    assert morok.is_tensor(Tensor(1)) and not morok.is_tensor(1)
    try:
        morok.set_default_dtype("float64")
        assert Tensor([1.5]).dtype is morok.float64
    finally:
        morok.set_default_dtype("float32")
    assert (morok.inf, morok.pi, morok.e, morok.newaxis) == (math.inf, math.pi, math.e, None) and math.isnan(morok.nan)
