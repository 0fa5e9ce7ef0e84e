"""What is made of factorisations beside NumPy's: least squares, ranks, powers, norms; products of matrices."""

import numpy as np
import pytest
from matrices import near, random, transposed

import morok
from morok import Tensor

LA = morok.linalg


# What is made of them

@pytest.mark.parametrize("shape", [(5, 3), (3, 5)])
def test_least_squares_and_pseudo_inverses(shape):
    a, b = random(shape), random((shape[0], 2), seed=1)
    x, residuals, rank, s = LA.lstsq(Tensor(a), Tensor(b))
    wanted = np.linalg.lstsq(a, b, rcond=None)
    near(x, wanted[0], 400)
    near(residuals, wanted[1], 400)
    assert rank.item() == wanted[2]
    near(s, wanted[3], 4)
    near(LA.pinv(Tensor(a)), np.linalg.pinv(a), 400)
    near(LA.lstsq(Tensor(a), Tensor(b[:, 0])).solution, wanted[0][:, 0], 400)


def test_ranks():
    a = np.stack([np.eye(4), np.diag([1.0, 1, 0, 0]), np.zeros((4, 4)), np.ones((4, 4))])
    assert LA.matrix_rank(Tensor(a)).tolist() == [4, 2, 0, 1] == np.linalg.matrix_rank(a).tolist()
    assert LA.matrix_rank(Tensor(a), hermitian=True).tolist() == [4, 2, 0, 1]
    assert LA.matrix_rank(Tensor(np.diag([1.0, 0.1])), rtol=0.5).item() == 1 == LA.matrix_rank(Tensor(np.diag([1.0, 0.1])), tol=0.2).item()
    assert LA.matrix_rank(Tensor([0.0, 0.0])).item() == 0
    low = random((5, 2)) @ random((2, 5), seed=1)
    near(LA.pinv(Tensor(low)), np.linalg.pinv(low, rcond=1e-14), 4000)
    near(LA.pinv(Tensor(low @ low.T), hermitian=True), np.linalg.pinv(low @ low.T, rcond=1e-14), 40000)


def test_powers():
    a = random((2, 3, 3))
    for n in (0, 1, 2, 5, -1, -3):
        near(LA.matrix_power(Tensor(a), n), np.linalg.matrix_power(a, n), 4000)
    assert LA.matrix_power(Tensor([[1, 1], [1, 0]]), 10).tolist() == [[89, 55], [55, 34]]


ORDERS = [None, "fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf]


def test_norms():
    a = random((2, 3, 4))
    for order in ORDERS:
        near(LA.norm(Tensor(a), order, axis=(-2, -1)), np.linalg.norm(a, order, axis=(-2, -1)))
    near(LA.norm(Tensor(a[0]), 2, axis=(1, 0), keepdims=True), np.linalg.norm(a[0], 2, axis=(1, 0), keepdims=True))
    near(LA.norm(Tensor(a), 1, axis=(2, 0)), np.linalg.norm(a, 1, axis=(2, 0)))
    near(LA.norm(Tensor(a)), np.linalg.norm(a))
    for order in (None, 0, 1, 2, 3, -1, np.inf, -np.inf):
        near(LA.norm(Tensor(a), order, axis=1), np.linalg.norm(a, order, axis=1))
    np.testing.assert_allclose(LA.norm(Tensor([3e-200, 4e-200], dtype=morok.float64)).numpy(), 5e-200)
    np.testing.assert_allclose(LA.norm(Tensor([3e200, 4e200], dtype=morok.float64)).numpy(), 5e200)
    near(LA.matrix_norm(Tensor(a), keepdims=True), np.linalg.matrix_norm(a, keepdims=True))
    near(LA.vector_norm(Tensor(a), axis=(0, 2), keepdims=True), np.linalg.vector_norm(a, axis=(0, 2), keepdims=True))
    for p in (None, -2, 1, "fro"):
        near(LA.cond(Tensor(a[:, :, :3]), p), np.linalg.cond(a[:, :, :3], p), 400)


def test_products():
    sizes = [3, 7, 2, 9, 4]
    given = [random((a, b), seed=i) for i, (a, b) in enumerate(zip(sizes, sizes[1:]))]
    near(LA.multi_dot([Tensor(g) for g in given]), np.linalg.multi_dot(given))
    ends = [given[0][0], *given[1:-1], given[-1][:, 0]]
    near(LA.multi_dot([Tensor(g) for g in ends]), np.linalg.multi_dot(ends))
    a, b = random((4, 3)), random((2, 1, 3), seed=1)
    near(LA.cross(Tensor(a), Tensor(b)), np.linalg.cross(a, b))
    near(LA.cross(Tensor(a.T.copy()), Tensor(a.T.copy() + 1), axis=0), np.linalg.cross(a.T, a.T + 1, axis=0))
    near(LA.vecdot(Tensor(a), Tensor(b)), np.linalg.vecdot(a, b))
    near(LA.outer(Tensor(a[0]), Tensor(a[1])), np.linalg.outer(a[0], a[1]))
    near(LA.tensordot(Tensor(a), Tensor(a), ([0, 1], [0, 1])), np.tensordot(a, a, ([0, 1], [0, 1])))
    near(LA.matmul(Tensor(a), Tensor(a.T)), a @ a.T)
    near(LA.dot(Tensor(a), Tensor(a.T)), a @ a.T)
    c = random((2, 3, 4))
    near(LA.trace(Tensor(c), 1), np.linalg.trace(c, offset=1))
    near(LA.diagonal(Tensor(c), -1), np.linalg.diagonal(c, offset=-1))
    near(LA.matrix_transpose(Tensor(c)), transposed(c))
    t = random((2, 3, 6)) + np.eye(6).reshape(2, 3, 6) * 4
    near(LA.tensorsolve(Tensor(t), Tensor(t[:, :, 0])), np.linalg.tensorsolve(t, t[:, :, 0]))
    near(LA.tensorinv(Tensor(t), 2), np.linalg.tensorinv(t, 2))
