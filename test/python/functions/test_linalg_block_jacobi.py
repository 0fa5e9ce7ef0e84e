"""Eigenvalues and singular values of matrices so large that Jacobi's method goes by blocks of rows, beside NumPy's."""

import numpy as np
import pytest
from matrices import near, orthonormal, random, transposed

import morok
from morok import Tensor
from morok.tensor.factorizations import block_jacobi

LA = morok.linalg
SQUARE = [((block_jacobi.LEAST, block_jacobi.LEAST), np.float32), ((131, 131), np.float64), ((2, 1, 101, 101), np.float32), ((0, 100, 100), np.float64)]


@pytest.mark.parametrize("shape, dtype", SQUARE)
def test_symmetric_eigenvalues(shape, dtype):
    a = random(shape, dtype)
    a = a + transposed(a)
    w, v = LA.eigh(Tensor(a))
    near(w, np.linalg.eigvalsh(a), 4)
    near(LA.eigvalsh(Tensor(a)), np.linalg.eigvalsh(a), 4)
    if a.size:
        near(v @ (w.unsqueeze(-1) * v.mT), a, 8)
        orthonormal(v)


@pytest.mark.parametrize("shape, dtype", [*SQUARE, ((200, 110), np.float64), ((97, 150), np.float32), ((2, 130, 99), np.float64)])
def test_singular_values(shape, dtype):
    a = random(shape, dtype)
    u, s, vh = LA.svd(Tensor(a), full_matrices=False)
    wanted = np.linalg.svd(a, compute_uv=False)
    near(s, wanted, 4)
    near(LA.svdvals(Tensor(a)), wanted, 4)
    if a.size:
        near((u * s.unsqueeze(-2)) @ vh, a, 8)
        orthonormal(u)
        orthonormal(vh.mT)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_values_that_are_equal(dtype):
    """All directions of a space are as good: what is left off the diagonal is rounding."""
    q = np.linalg.qr(random((120, 120)))[0]
    values = np.where(np.arange(120) < 50, -0.5, 1.0)
    a = (q * values) @ q.T
    a = ((a + a.T) / 2).astype(dtype)
    w, v = LA.eigh(Tensor(a))
    near(w, np.sort(values).astype(dtype), 4)
    near(v @ (w.unsqueeze(-1) * v.mT), a, 8)
    orthonormal(v)
    near(LA.svdvals(Tensor(a)), np.sort(np.abs(values))[::-1].astype(dtype), 4)


def test_matrices_that_need_no_rotation():
    w, v = LA.eigh(Tensor(np.diag(np.arange(100, 0, -1.0))))
    near(w, np.arange(1.0, 101))
    assert np.array_equal(np.abs(v.numpy()), np.eye(100)[::-1])
    assert not LA.eigvalsh(Tensor.zeros(100, 100)).numpy().any() and not LA.svdvals(Tensor.zeros(100, 100)).numpy().any()


def test_sizes_near_the_ends_of_the_range():
    a = random((100, 100))
    a = a + a.T
    for factor in (1e-300, 1e-160, 1e300):
        near(LA.eigvalsh(Tensor(a * factor)), np.linalg.eigvalsh(a) * factor, 8)
        near(LA.svdvals(Tensor(a * factor)), np.linalg.svd(a, compute_uv=False) * factor, 8)


def test_without_full_rank():
    a = random((130, 40)) @ random((40, 110), seed=1)
    u, s, vh = LA.svd(Tensor(a), full_matrices=False)
    near(s, np.linalg.svd(a, compute_uv=False), 4)
    near((u * s) @ vh, a, 8)
    orthonormal(u)
    orthonormal(vh.mT)
    assert LA.matrix_rank(Tensor(a)).item() == 40
    near(Tensor(a) @ LA.pinv(Tensor(a)) @ Tensor(a), a, 400)


def test_small_values_of_graded_rows_have_all_their_digits():
    lengths = np.logspace(0, -12, 100)
    a = np.linalg.qr(random((100, 100)))[0] * lengths[:, None]
    near(LA.svdvals(Tensor(a)).numpy() / lengths, np.ones(100), 4)


def test_what_is_not_a_number_stays_so():
    a = np.stack([np.eye(100), np.eye(100), np.eye(100)])
    a[1, 60, 60], a[2, 3, 3] = np.nan, np.inf
    for found in (LA.eigvalsh(Tensor(a)), LA.svdvals(Tensor(a)), *LA.eigh(Tensor(a)), *LA.svd(Tensor(a))):
        assert np.isnan(found.numpy()[1:]).all() and not np.isnan(found.numpy()[0]).any()


def test_within_captured_functions_and_maps():
    a = random((2, 98, 98))
    a = a + transposed(a)
    f = morok.jit(LA.eigvalsh)
    for factor in (1, 2):
        near(f(Tensor(a * factor)), np.linalg.eigvalsh(a * factor), 4)
    near(morok.vmap(LA.eigvalsh)(Tensor(a)), np.linalg.eigvalsh(a), 4)
    near(morok.grad(lambda x: LA.eigvalsh(x).sum())(Tensor(a[0])), np.eye(98), 400)
