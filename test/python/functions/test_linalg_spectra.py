"""Eigenvalues of symmetric matrices, singular values, beside NumPy's."""

import numpy as np
import pytest
from matrices import BIG, SHAPES, TALL_AND_WIDE, near, orthonormal, random, transposed

import morok
from morok import Tensor

LA = morok.linalg


@pytest.mark.parametrize("shape, dtype", [*SHAPES, BIG])
def test_symmetric_eigenvalues(shape, dtype):
    a = random(shape, dtype)
    a = a + transposed(a)
    w, v = LA.eigh(Tensor(a))
    near(w, np.linalg.eigvalsh(a), 4)
    near(LA.eigvalsh(Tensor(a)), np.linalg.eigvalsh(a), 4)
    if a.size:
        near(v @ (w.unsqueeze(-1) * v.mT), a, 8)
        orthonormal(v)


def test_eigenvalues_that_are_equal_or_of_any_size():
    near(LA.eigvalsh(Tensor(np.ones((6, 6)))), [0, 0, 0, 0, 0, 6.0], 4)
    w, v = LA.eigh(Tensor(np.diag([3.0, 3.0, 1.0, 3.0])))
    assert w.tolist() == [1.0, 3.0, 3.0, 3.0]
    orthonormal(v)
    for factor in (1e-300, 1e-160, 1e300):
        a = random((4, 4))
        near(LA.eigvalsh(Tensor((a + a.T) * factor)), np.linalg.eigvalsh(a + a.T) * factor, 8)
    near(LA.eigvalsh(Tensor(np.triu(a)), UPLO="U"), np.linalg.eigvalsh(np.triu(a), UPLO="U"), 8)
    near(LA.eigvalsh(Tensor(np.tril(a))), np.linalg.eigvalsh(np.tril(a)), 8)


@pytest.mark.parametrize("shape, dtype", [*SHAPES[1:], BIG, *TALL_AND_WIDE])
def test_singular_values(shape, dtype):
    a = random(shape, dtype)
    u, s, vh = LA.svd(Tensor(a), full_matrices=False)
    near(s, np.linalg.svd(a, compute_uv=False), 4)
    if shape[-1] < 20:
        near(LA.svdvals(Tensor(a)), np.linalg.svd(a, compute_uv=False), 4)
    if a.size:
        near((u * s.unsqueeze(-2)) @ vh, a, 8)
        orthonormal(u)
        orthonormal(vh.mT)


@pytest.mark.parametrize("shape", [(4, 2), (2, 4), (3, 3)])
def test_full_singular_vectors(shape):
    a = random(shape)
    u, s, vh = LA.svd(Tensor(a))
    assert u.shape == (shape[0],) * 2 and vh.shape == (shape[1],) * 2
    k = min(shape)
    near(u[:, :k] * s @ vh[:k], a, 8)
    orthonormal(u)
    orthonormal(vh.mT)


def test_singular_values_of_matrices_without_full_rank():
    a = random((7, 3)) @ random((3, 5), seed=1)
    u, s, vh = LA.svd(Tensor(a), full_matrices=False)
    near(s, np.linalg.svd(a, compute_uv=False), 4)
    near((u * s) @ vh, a, 8)
    orthonormal(u)
    orthonormal(vh.mT)
    u, s, vh = LA.svd(Tensor(np.zeros((3, 3))))
    assert s.tolist() == [0, 0, 0]
    orthonormal(u)


def test_ill_conditioned_matrices():
    hilbert = 1.0 / (np.arange(10)[:, None] + np.arange(10) + 1)
    near(LA.svdvals(Tensor(hilbert)), np.linalg.svd(hilbert, compute_uv=False), 4)
    near(LA.eigvalsh(Tensor(hilbert)), np.linalg.eigvalsh(hilbert), 4)
    x = LA.solve(Tensor(hilbert), Tensor(hilbert.sum(1)))
    near(hilbert @ x.numpy(), hilbert.sum(1))
    assert LA.cond(Tensor(hilbert)).item() == pytest.approx(np.linalg.cond(hilbert), rel=1e-2)
    graded = np.diag([1.0, 1e-150, 1e-300])  # one-sided Jacobi finds small values to all their digits
    near(LA.svdvals(Tensor(graded @ np.eye(3)))[1] * 1e150, 1.0)


def test_what_is_not_a_number_stays_so():
    a = np.eye(3)
    a[1, 1] = np.nan
    for found in (LA.eigvalsh(Tensor(a)), LA.svdvals(Tensor(a)), LA.svd(Tensor(a)).U, LA.eigh(Tensor(a)).eigenvectors):
        assert np.isnan(found.numpy()).all()
    assert np.isnan(LA.inv(Tensor(a)).numpy()).any() and np.isnan(LA.det(Tensor(a)).item()) and np.isnan(LA.qr(Tensor(a)).R.numpy()).any()
    both = np.stack([np.eye(3), a])
    assert LA.svdvals(Tensor(both)).numpy()[0].tolist() == [1, 1, 1]
