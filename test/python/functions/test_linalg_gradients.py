"""Derivatives of the factorisations beside finite differences in float64."""

import numpy as np
import pytest

import morok
from morok import Tensor
from morok.errors import GradientError

LA = morok.linalg


def random(shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


def symmetric(x):
    return (x + x.mT) * 0.5


SQUARE, OTHER = random((3, 3)), random((3, 2), 1)
POSITIVE = SQUARE @ SQUARE.T + np.eye(3)
CASES = {
    "cholesky": (lambda x: LA.cholesky(symmetric(x)), POSITIVE),
    "solve": (LA.solve, SQUARE, OTHER),
    "solve a vector": (LA.solve, SQUARE, OTHER[:, 0]),
    "solve, batches that broadcast": (LA.solve, random((2, 1, 2, 2)), random((3, 2, 1), 1)),
    "triangular": (lambda t, b: LA.solve_triangular(t, b, upper=True), SQUARE, OTHER),
    "unit triangular": (lambda t, b: LA.solve_triangular(t, b, upper=False, unitriangular=True), SQUARE, OTHER),
    "inv": (LA.inv, SQUARE),
    "det": (LA.det, random((2, 3, 3))),
    "slogdet": (lambda x: LA.slogdet(x).logabsdet, SQUARE),
    "lu": (lambda x: LA.lu(x)[1:], SQUARE),
    "qr": (LA.qr, SQUARE),
    "qr, tall": (LA.qr, random((4, 3))),
    "qr, wide": (LA.qr, random((2, 3))),
    "r alone": (lambda x: LA.qr(x, "r"), SQUARE),
    "eigh": (lambda x: LA.eigh(symmetric(x)), SQUARE),
    "eigenvectors alone": (lambda x: LA.eigh(symmetric(x))[1], SQUARE),
    "eigvalsh": (lambda x: LA.eigvalsh(symmetric(x)), SQUARE),
    "svd": (LA.svd, random((2, 3, 3))),
    "svd, tall": (lambda x: LA.svd(x, False), random((4, 2))),
    "svd, wide": (lambda x: LA.svd(x, False), random((2, 4))),
    "svdvals": (LA.svdvals, random((3, 4))),
    "pinv": (LA.pinv, random((4, 3))),
    "lstsq": (lambda a, b: LA.lstsq(a, b).solution, random((4, 2)), random(4, 1)),
    "nuclear norm": (lambda x: LA.norm(x, "nuc"), SQUARE),
    "Frobenius norm": (LA.norm, SQUARE),
    "cond": (LA.cond, SQUARE),
    "power": (lambda x: LA.matrix_power(x, -2), SQUARE),
}


def outputs(function, tensors):
    found = function(*tensors)
    return list(found) if isinstance(found, tuple) else [found]


@pytest.mark.parametrize("name", CASES)
def test_derivatives_are_those_of_finite_differences(name):
    function, *arrays = CASES[name]
    tensors = [Tensor(a) for a in arrays]
    weights = [Tensor(random(t.shape, 7 + i)) for i, t in enumerate(outputs(function, tensors))]

    def loss(*given):
        return sum((a * w).sum() for a, w in zip(outputs(function, given), weights))
    value = morok.jit(loss)
    gradients = morok.grad(loss, argnums=tuple(range(len(arrays))))(*tensors)
    step = 1e-6
    for number, (a, g) in enumerate(zip(arrays, gradients)):
        expected = np.zeros_like(a)
        for i in np.ndindex(*a.shape):
            at = []
            for sign in (1, -1):
                moved = a.copy()
                moved[i] += sign * step
                at.append(value(*(Tensor(moved) if k == number else t for k, t in enumerate(tensors))).item())
            expected[i] = (at[0] - at[1]) / (2 * step)
        np.testing.assert_allclose(g.numpy(), expected, rtol=2e-7, atol=2e-7 * np.abs(expected).max())


def test_derivatives_of_derivatives():
    a, b = Tensor(SQUARE), Tensor(POSITIVE)
    second = morok.grad(lambda x: (morok.grad(lambda y: LA.slogdet(y).logabsdet)(x) * b).sum())(a).numpy()
    inverse = np.linalg.inv(SQUARE)
    np.testing.assert_allclose(second, -(inverse @ POSITIVE.T @ inverse).T, rtol=1e-11, atol=1e-11)


def test_values_that_were_computed_before_the_derivative():
    x = Tensor(POSITIVE)
    x.requires_grad_()
    lower = LA.cholesky(x)
    lower.realize()
    (lower * lower).sum().backward()  # the trace of x
    np.testing.assert_allclose(x.grad.numpy(), np.eye(3), atol=1e-14)


def test_what_has_no_derivative():
    tall = Tensor(random((3, 2)))
    for function in (lambda x: LA.qr(x, "complete").Q, lambda x: LA.svd(x).U, lambda x: LA.lu(x).L):
        with pytest.raises(GradientError, match="derivative"):
            morok.grad(lambda x: function(x).sum())(tall)  # noqa: B023
    np.testing.assert_allclose(morok.grad(lambda x: LA.svd(x).S.sum())(tall).shape, (3, 2))


def test_factorisations_leave_nothing_behind():
    from morok.graph.derivation import CUSTOM
    before = len(CUSTOM)
    for _ in range(3):
        LA.eigh(Tensor(POSITIVE)).eigenvalues.numpy()
    assert len(CUSTOM) <= before + 2
