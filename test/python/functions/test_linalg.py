"""Triangular and orthogonal factors, equations, determinants beside NumPy's; wrong calls."""

import numpy as np
import pytest
from matrices import BIG, SHAPES, TALL_AND_WIDE, near, orthonormal, positive, random

import morok
from morok import Tensor
from morok.errors import ComplexError, DTypeError, ShapeError

LA = morok.linalg


# Factorisations

@pytest.mark.parametrize("shape, dtype", [*SHAPES, BIG])
def test_cholesky(shape, dtype):
    a = positive(random(shape, dtype))
    lower = LA.cholesky(Tensor(a))
    near(lower, np.linalg.cholesky(a))
    near(lower @ lower.mT, a)
    assert not np.triu(lower.numpy(), 1).any()


def test_cholesky_looks_at_the_lower_triangle():
    a = positive(random((4, 4)))
    near(LA.cholesky(Tensor(np.tril(a) + np.triu(np.full((4, 4), np.nan), 1))), np.linalg.cholesky(a))
    near(LA.cholesky(Tensor(a), upper=True), np.linalg.cholesky(a).T)
    near(LA.cholesky(Tensor(a).mT.contiguous().mT), np.linalg.cholesky(a))


def test_cholesky_of_what_is_not_positive_definite():
    found = LA.cholesky(Tensor([[4.0, 2.0], [2.0, -1.0]])).numpy()
    assert found[0].tolist() == [2.0, 0.0] and found[1, 0] == 1.0 and np.isnan(found[1, 1])


@pytest.mark.parametrize("shape, dtype", [*SHAPES, BIG])
def test_solving_and_determinants(shape, dtype):
    a, b = random(shape, dtype), random((*shape[:-1], 3), dtype, 1)
    x = LA.solve(Tensor(a), Tensor(b))
    condition = np.linalg.cond(a).max() if a.size else 1
    near(x, np.linalg.solve(a, b), 4 * condition)
    if a.size:
        near(a @ x.numpy(), b, 40, np.abs(a).max() * max(1, np.abs(x.numpy()).max()))
    sign, size = LA.slogdet(Tensor(a))
    near(sign, np.linalg.slogdet(a)[0])
    near(size, np.linalg.slogdet(a)[1].astype(dtype), 40 * condition, 1)
    if shape[-1] < 20:
        near(LA.inv(Tensor(a)), np.linalg.inv(a), 4 * condition)
        near(LA.det(Tensor(a)), np.linalg.det(a), 40 * condition)


def test_sides_that_broadcast():
    a, b = random((2, 3, 3)), random((4, 1, 3, 2), seed=1)
    near(LA.solve(Tensor(a), Tensor(b)), np.linalg.solve(a, b))
    near(LA.solve(Tensor(a[0]), Tensor(b[0, 0, :, 0])), np.linalg.solve(a[0], b[0, 0, :, 0]))
    near(LA.solve(Tensor(a), Tensor(b[0, 0, :, 0])), np.linalg.solve(a, b[0, 0, :, :1])[..., 0])
    assert LA.solve(Tensor(a.astype(np.float32)), Tensor(b)).dtype is morok.float64


def test_pivots_are_the_greatest():
    a = np.array([[1e-20, 1.0], [1.0, 1.0]])
    near(LA.solve(Tensor(a), Tensor([1.0, 2.0], dtype=morok.float64)), [1.0, 1.0])
    order = [2, 0, 3, 1]
    near(LA.inv(Tensor(np.eye(4)[order])), np.eye(4)[order].T)
    assert LA.det(Tensor(np.eye(4)[order])).item() == np.linalg.det(np.eye(4)[order])


def test_singular_matrices_have_no_finite_inverse():
    a = Tensor(np.array([[1.0, 2.0], [2.0, 4.0]]))
    assert not np.isfinite(LA.inv(a).numpy()).all() and not np.isfinite(LA.solve(a, Tensor([1.0, 3.0])).numpy()).all()
    assert LA.inv_ex(Tensor(np.stack([np.eye(2), np.zeros((2, 2))])))[1].tolist() == [0, 1]
    assert LA.det(a).item() == 0 and [t.item() for t in LA.slogdet(a)] == [0.0, -np.inf]
    assert LA.cond(Tensor(np.zeros((2, 2)))).item() == np.inf and LA.cond(a, 1).item() == np.inf


@pytest.mark.parametrize("shape, dtype", [((4, 4), np.float64), ((5, 3), np.float32), ((2, 3, 4), np.float64)])
def test_lu(shape, dtype):
    a = random(shape, dtype)
    p, lower, upper = LA.lu(Tensor(a))
    k = min(shape[-2:])
    assert lower.shape == (*shape[:-1], k) and upper.shape == (*shape[:-2], k, shape[-1])
    near(p @ lower @ upper, a)
    lower, upper = lower.numpy(), upper.numpy()
    assert not np.triu(lower, 1).any() and not np.tril(upper, -1).any() and (np.abs(lower) <= 1).all()
    assert (np.diagonal(lower, 0, -2, -1) == 1).all() and (np.sort(p.numpy().sum(-1)) == 1).all()


@pytest.mark.parametrize("upper", [False, True])
def test_triangular_equations(upper):
    t, b = random((2, 5, 5)) + 3 * np.eye(5), random((5, 2), seed=1)
    triangle = np.triu(t) if upper else np.tril(t)
    near(LA.solve_triangular(Tensor(t), Tensor(b), upper=upper), np.linalg.solve(triangle, b))
    unit = np.triu(t, 1) + np.eye(5) if upper else np.tril(t, -1) + np.eye(5)
    near(LA.solve_triangular(Tensor(t), Tensor(b), upper=upper, unitriangular=True), np.linalg.solve(unit, b), 4000)
    near(LA.solve_triangular(Tensor(t[0]), Tensor(b.T.copy()), upper=upper, left=False), np.linalg.solve(triangle[0].T, b).T)


@pytest.mark.parametrize("shape, dtype", [*SHAPES[1:], *TALL_AND_WIDE])
def test_qr(shape, dtype):
    a = random(shape, dtype)
    for mode in ("reduced", "complete"):
        q, r = LA.qr(Tensor(a), mode)
        wanted_q, wanted_r = np.linalg.qr(a, mode)
        near(r, wanted_r)
        near(q, wanted_q, 400)
        if a.size:
            near(q @ r, a)
            orthonormal(q)
    near(LA.qr(Tensor(a), "r"), np.linalg.qr(a, "r"))


def test_qr_of_columns_that_depend_on_others_or_are_far_apart():
    a = random((6, 4))
    a[:, 2] = a[:, 0] * 2
    a[:, 3] = 0
    a[:, 1] *= 1e-200
    q, r = LA.qr(Tensor(a))
    orthonormal(q)
    near(q @ r, a)
    near((q @ r)[:, 1] * 1e200, a[:, 1] * 1e200)


# How they run

def test_factorisations_are_lazy_and_run_within_captured_functions():
    f = morok.jit(lambda a, b: LA.solve(a @ a.mT + Tensor.eye(3, dtype=a.dtype), b))
    for seed in range(3):
        a, b = random((3, 3), seed=seed), random(3, seed=seed + 9)
        near(f(Tensor(a), Tensor(b)), np.linalg.solve(a @ a.T + np.eye(3), b), 400)
    a = random((3, 3))
    near(LA.det(LA.inv(Tensor(a)) @ Tensor(a)), 1.0, 400)


def test_integers_become_floats():
    found = LA.inv(Tensor([[2, 0], [0, 4]]))
    assert found.dtype is morok.float32 and found.tolist() == [[0.5, 0.0], [0.0, 0.25]]
    np.testing.assert_allclose(LA.det([[1, 2], [3, 4]]).numpy(), np.linalg.det([[1, 2], [3, 4]]), rtol=1e-6)


WRONG = {
    "not square": (lambda: LA.inv(Tensor.zeros(2, 3)), ShapeError, "square matrices, not shape"),
    "a vector": (lambda: LA.cholesky(Tensor([1.0])), ShapeError, "takes matrices"),
    "a number": (lambda: LA.svd(Tensor(1.0)), ShapeError, "takes matrices"),
    "float16": (lambda: LA.qr(Tensor([[1.0]], dtype=morok.float16)), DTypeError, "cast it"),
    "rows differ": (lambda: LA.solve(Tensor.eye(3), Tensor([1.0, 2.0])), ShapeError, "as many rows"),
    "batches differ": (lambda: LA.solve(Tensor.ones(2, 3, 3), Tensor.ones(3, 3, 1)), ShapeError, "broadcast"),
    "batch of vectors": (lambda: LA.solve(Tensor.ones(2, 3, 3), Tensor.ones(2, 3)), ShapeError, "unsqueeze"),
    "mode": (lambda: LA.qr(Tensor.eye(2), "full"), ValueError, "reduced"),
    "triangle": (lambda: LA.eigh(Tensor.eye(2), "X"), ValueError, "UPLO"),
    "order": (lambda: LA.norm(Tensor.eye(2), 3, axis=(0, 1)), ValueError, "ord is"),
    "order of vectors": (lambda: LA.norm(Tensor([1.0]), "fro", axis=0), ValueError, "number"),
    "axes": (lambda: LA.norm(Tensor.ones(2, 2, 2), 2), ShapeError, "give axis"),
    "power": (lambda: LA.matrix_power(Tensor.eye(2), 0.5), TypeError, "int"),
    "chain": (lambda: LA.multi_dot([Tensor.eye(2), Tensor.eye(3)]), ShapeError, "inner sizes"),
    "one matrix": (lambda: LA.multi_dot([Tensor.eye(2)]), ShapeError, "two or more"),
    "cross": (lambda: LA.cross(Tensor([1.0, 2.0]), Tensor([1.0, 2.0])), ShapeError, "size 3"),
    "outer": (lambda: LA.outer(Tensor.eye(2), Tensor([1.0])), ShapeError, "two vectors"),
    "complex": (lambda: LA.eig(Tensor.eye(2)), ComplexError, "complex"),
    "tensorinv": (lambda: LA.tensorinv(Tensor.ones(2, 3)), ShapeError, "as many elements"),
    "empty condition": (lambda: LA.cond(Tensor.ones(0, 0)), ShapeError, "empty"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_calls(case):
    call, kind, words = WRONG[case]
    with pytest.raises(kind, match=words):
        call()


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0)])
def test_norms_of_matrices_of_no_elements(shape):
    nothing = np.zeros(shape)
    for order in (None, "fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf):
        try:
            expected = np.linalg.norm(nothing, order)
        except ValueError:
            with pytest.raises(ValueError):
                morok.linalg.norm(nothing, order)
        else:
            assert morok.linalg.norm(nothing, order).item() == expected
            batch = morok.linalg.norm(np.zeros((2, *shape)), order, axis=(1, 2)) if order else morok.linalg.norm(np.zeros((2, *shape)), axis=(1, 2))
            assert batch.tolist() == [expected] * 2


@pytest.mark.parametrize("values", [[], [0.0, 0.0], [0.0, 1.0], [1.0, 2.0]])
def test_norms_of_vectors_of_any_order(values):
    for order in (None, 0, 0.5, 1, 2, 3, -1, -2, np.inf):
        with np.errstate(all="ignore"):
            expected = np.linalg.norm(np.array(values), order)
        np.testing.assert_allclose(morok.linalg.norm(np.array(values), order).item(), expected, rtol=1e-12)
