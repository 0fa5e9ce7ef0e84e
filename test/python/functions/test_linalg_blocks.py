"""Matrices so large that factorisations go by blocks of columns, beside NumPy's: sizes that no block divides, batches, layouts, what has no result."""

import numpy as np
import pytest
from matrices import near, orthonormal, positive, random, transposed

import morok
from morok import Tensor
from morok.tensor.factorizations import blocks

LA = morok.linalg
SQUARE = [((blocks.LEAST, blocks.LEAST), np.float64), ((161, 161), np.float64), ((2, 131, 131), np.float32), ((1, 257, 257), np.float64),
          ((0, 130, 130), np.float64)]
OTHERS = [((200, 131), np.float64), ((131, 200), np.float64), ((2, 129, 150), np.float32)]


@pytest.mark.parametrize("shape, dtype", SQUARE)
def test_cholesky(shape, dtype):
    a = positive(random(shape, dtype))
    lower = LA.cholesky(Tensor(a))
    near(lower, np.linalg.cholesky(a))
    assert not np.triu(lower.numpy(), 1).any()


@pytest.mark.parametrize("shape, dtype", SQUARE)
def test_solving_and_determinants(shape, dtype):
    a = random(shape, dtype) + 4 * np.eye(shape[-1], dtype=dtype)
    condition = np.linalg.cond(a).max() if a.size else 1
    for columns in (1, 3, 150):
        b = random((*shape[:-1], columns), dtype, columns)
        near(LA.solve(Tensor(a), Tensor(b)), np.linalg.solve(a, b), condition)
    near(LA.inv(Tensor(a)), np.linalg.inv(a), condition)
    sign, size = LA.slogdet(Tensor(a))
    near(sign, np.linalg.slogdet(a)[0])
    near(size, np.linalg.slogdet(a)[1].astype(dtype), 40 * condition, 1)


def eliminated(a):
    """P, L and U by exchanging rows, column after column."""
    m, n = a.shape
    a, order = a.copy(), np.arange(m)
    for j in range(min(m, n)):
        best = j + np.abs(a[j:, j]).argmax()
        a[[j, best]], order[[j, best]] = a[[best, j]], order[[best, j]]
        a[j + 1:, j] /= a[j, j]
        a[j + 1:, j + 1:] -= np.outer(a[j + 1:, j], a[j, j + 1:])
    k = min(m, n)
    return np.eye(m, dtype=a.dtype)[:, order], np.tril(a[:, :k], -1) + np.eye(m, k, dtype=a.dtype), np.triu(a[:k])


@pytest.mark.parametrize("shape, dtype", [*SQUARE[1:3], *OTHERS])
def test_lu_moves_the_rows_that_elimination_moves(shape, dtype):
    a = random(shape, dtype)
    found = LA.lu(Tensor(a))
    wanted = [eliminated(x) for x in a.reshape(-1, *shape[-2:])]
    for part, parts in zip(found, zip(*wanted)):
        near(part, np.reshape(parts, part.shape), 4000)


@pytest.mark.parametrize("upper", [False, True])
@pytest.mark.parametrize("unit", [False, True])
def test_triangular_equations(upper, unit):
    t = random((2, 163, 163)) / 20 + 2 * np.eye(163)
    b = random((2, 163, 5), seed=1)
    triangle = np.triu(t) if upper else np.tril(t)
    if unit:
        triangle = np.where(np.eye(163), 1, triangle)
    near(LA.solve_triangular(Tensor(t), Tensor(b), upper=upper, unitriangular=unit), np.linalg.solve(triangle, b), 4000)
    right = LA.solve_triangular(Tensor(t), Tensor(transposed(b).copy()), upper=upper, left=False, unitriangular=unit)
    near(right, transposed(np.linalg.solve(transposed(triangle), b)), 4000)


@pytest.mark.parametrize("shape, dtype", [*SQUARE, *OTHERS])
def test_qr(shape, dtype):
    a = random(shape, dtype)
    for mode in ("reduced", "complete"):
        q, r = LA.qr(Tensor(a), mode)
        wanted_q, wanted_r = np.linalg.qr(a, mode)
        near(r, wanted_r, 4000)
        assert q.shape == wanted_q.shape
        if a.size:
            near(q @ r, a)
            orthonormal(q)


def test_views_and_what_is_computed_on_the_way():
    a = positive(random((150, 150)))
    t = Tensor(a)
    near(LA.cholesky(t[10:145, 10:145]), np.linalg.cholesky(a[10:145, 10:145]))
    near(LA.cholesky((t * 2).mT), np.linalg.cholesky(a.T * 2))
    near(LA.solve(t.flip(0), t[:, 3] + 1), np.linalg.solve(a[::-1], a[:, 3] + 1), 4000)
    f = morok.jit(lambda x: LA.inv(x))
    for scale in (1, 3):
        near(f(Tensor(a * scale)), np.linalg.inv(a * scale), 4000)
    near(morok.vmap(LA.inv)(Tensor(np.stack([a, a + np.eye(150)]))), np.linalg.inv(np.stack([a, a + np.eye(150)])), 4000)


def test_ill_conditioned_matrices():
    """Residuals stay small however far the solution is from exact."""
    values = np.logspace(0, -13, 160)
    q = np.linalg.qr(random((160, 160)))[0]
    a = q * values @ q.T
    a = (a + a.T) / 2
    lower = LA.cholesky(Tensor(a + 1e-14 * np.eye(160)))
    near(lower @ lower.mT, a + 1e-14 * np.eye(160))
    b = random((160, 2), seed=3)
    x = LA.solve(Tensor(a), Tensor(b)).numpy()
    near(a @ x, b, 40, np.abs(a).max() * np.abs(x).max())


def test_cholesky_is_nan_from_the_first_column_that_is_not_positive():
    a = positive(random((150, 150)))
    a[70, 70] = -1.0
    found = LA.cholesky(Tensor(a)).numpy()
    near(found[:, :70], np.vstack([np.linalg.cholesky(a[:70, :70]), np.linalg.solve(np.linalg.cholesky(a[:70, :70]), a[:70, 70:]).T]), 4000)
    assert np.isnan(found[70:, 70:][np.tril_indices(80)]).all() and not np.triu(found, 1).any()


def test_singular_matrices_and_columns_without_a_pivot():
    a = random((140, 140))
    a[:, 50] = 0
    sign, size = LA.slogdet(Tensor(a))
    assert sign.numpy() == 0 and size.numpy() == -np.inf and LA.det(Tensor(a)).numpy() == 0
    assert LA.inv_ex(Tensor(np.stack([a, np.eye(140)])))[1].tolist() == [1, 0]
    permutation, lower, upper = LA.lu(Tensor(a))
    near(permutation @ lower @ upper, a, 400)
    ones = np.ones((140, 140))
    permutation, lower, upper = LA.lu(Tensor(ones))
    near(permutation @ lower @ upper, ones)
    q, r = LA.qr(Tensor(a))
    orthonormal(q)
    near(q @ r, a)


@pytest.mark.parametrize("place", [(0, 0), (70, 5), (139, 139)])
def test_nan_reaches_every_element_of_what_depends_on_it(place):
    a = random((140, 140))
    a[place] = np.nan
    assert np.isnan(LA.inv(Tensor(a)).numpy()).all() and np.isnan(LA.det(Tensor(a)).numpy())
    permutation = LA.lu(Tensor(a)).P.numpy()
    assert (permutation.sum(0) == 1).all() and (permutation.sum(1) == 1).all()


def test_derivatives():
    a = positive(random((135, 135))) / 135
    t = Tensor(a)
    near(morok.grad(lambda x: LA.slogdet(x)[1])(t), np.linalg.inv(a).T, 4000)
    near(morok.grad(lambda x: LA.cholesky(x).diagonal(0, -2, -1).log().sum())(t), np.linalg.inv(a) / 2, 4000)
    b = random(135, seed=2)
    x = np.linalg.solve(a, b)
    near(morok.grad(lambda m: LA.solve(m, Tensor(b)).sum())(t), -np.outer(np.linalg.solve(a.T, np.ones(135)), x), 40000)
