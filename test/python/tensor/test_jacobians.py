"""Jacobians, Hessians and their products against formulas, loops over vjp, and one another."""

import numpy as np
import pytest

import morok
from morok import Tensor
from morok.errors import DTypeError, ShapeError

RNG = np.random.default_rng(0)
A, X, V = RNG.standard_normal((2, 3)), RNG.standard_normal(3), RNG.standard_normal(3)
BOTH = pytest.mark.parametrize("jacobian", [morok.jacrev, morok.jacfwd, morok.jacobian])


def close(found, wanted):
    np.testing.assert_allclose(found.numpy(), wanted, rtol=1e-11, atol=1e-13)


@BOTH
def test_of_a_vector(jacobian):
    found = jacobian(lambda x: (Tensor(A) @ x).tanh())(Tensor(X))
    close(found, (1 - np.tanh(A @ X) ** 2)[:, None] * A)


@BOTH
def test_shapes_are_those_of_value_and_argument(jacobian):
    x = RNG.standard_normal((2, 3))
    found = jacobian(lambda x: x.T @ Tensor(A))(Tensor(x))
    want = np.zeros((3, 3, 2, 3))
    for i, j, k in np.ndindex(3, 3, 2):
        want[i, j, k, i] = A[k, j]
    close(found, want)
    assert jacobian(lambda x: x.sum())(Tensor(x)).shape == (2, 3)
    assert jacobian(lambda x: x * 2)(Tensor(3.0)).item() == 2.0
    assert jacobian(lambda x: x * 2)(Tensor(np.zeros((0, 2)))).shape == (0, 2, 0, 2)


@BOTH
def test_structures(jacobian):
    def f(d, y):
        return {"p": d["a"] * y, "q": (d["b"].sum(), y)}
    arguments = {"a": Tensor(X), "b": Tensor(A)}, Tensor(V)
    found = jacobian(f, argnums=(0, 1))(*arguments)
    close(found["p"][0]["a"], np.diag(V))
    close(found["p"][0]["b"], np.zeros((3, 2, 3)))
    close(found["p"][1], np.diag(X))
    close(found["q"][0][0]["b"], np.ones((2, 3)))
    close(found["q"][1][1], np.eye(3))
    derivative, aux = jacobian(lambda x: (x * 2, "aux"), has_aux=True)(Tensor(X))
    close(derivative, 2 * np.eye(3))
    assert aux == "aux"


@BOTH
def test_one_tensor_as_two_arguments(jacobian):
    x = Tensor(X)
    first, second = jacobian(lambda a, b: a * b * b, argnums=(0, 1))(x, x)
    close(first, np.diag(X * X))
    close(second, np.diag(2 * X * X))


def test_gradients_of_one_tensor_as_two_arguments():
    x = Tensor(X)
    first, second = morok.grad(lambda a, b: (a * b * b).sum(), (0, 1))(x, x)
    close(first, X * X)
    close(second, 2 * X * X)
    value, pull = morok.vjp(lambda a, b: (a * b, a * b), x, x)
    close(pull((Tensor(V), Tensor(V)))[0], 2 * V * X)


def cubic(x):
    return (x ** 3).sum() * x[0]


def test_hessian_and_its_products():
    want = np.diag(6 * X) * X[0]
    want[0] += 3 * X * X
    want[:, 0] += 3 * X * X
    close(morok.hessian(cubic)(Tensor(X)), want)
    value, products = morok.hvp(cubic, (Tensor(X),), (Tensor(V),))
    assert value.item() == pytest.approx((X ** 3).sum() * X[0])
    close(products[0], want @ V)
    found = morok.hessian(lambda x, y: (x * x * y).sum(), argnums=(0, 1))(Tensor(X), Tensor(V))
    close(found[0][1], np.diag(2 * X))
    close(found[1][1], np.zeros((3, 3)))


def test_linearize():
    value, push = morok.linearize(lambda x: Tensor(A) @ (x * x), Tensor(X))
    close(value, A @ (X * X))
    close(push(Tensor(V)), A @ (2 * X * V))
    close(morok.vmap(push)(Tensor(np.eye(3))).T, 2 * A * X)


def test_mapped_captured_and_differentiated():
    xs = RNG.standard_normal((4, 3))
    hessians = morok.jit(morok.vmap(morok.hessian(cubic)))(Tensor(xs))
    for found, x in zip(hessians.unbind(0), xs):
        close(found, morok.hessian(cubic)(Tensor(x)).numpy())
    third = morok.jacrev(morok.hessian(lambda x: (x ** 4).sum()))(Tensor(X)).numpy()
    want = np.zeros((3, 3, 3))
    want[range(3), range(3), range(3)] = 24 * X
    np.testing.assert_allclose(third, want, rtol=1e-11)


def test_a_variable_from_outside_is_reached_through_a_jacobian():
    w = Tensor(X, requires_grad=True)
    morok.jacrev(lambda x: x * x * w)(Tensor(V)).sum().backward()
    close(w.grad, 2 * V)


def test_one_graph():
    """As many kernels for thirty rows as for two."""
    def kernels(n):
        return morok.jacrev(lambda x: (x * 2).tanh())(Tensor(np.ones(n))).prepare().report().count("\n")
    assert kernels(30) == kernels(2)


@pytest.mark.parametrize("error, message, call", [
    (DTypeError, "only floats", lambda: morok.jacrev(lambda x: x)(Tensor([1]))),
    (DTypeError, "gives a tensor", lambda: morok.jacfwd(lambda x: x > 0)(Tensor(X))),
    (ShapeError, "argnums", lambda: morok.jacrev(lambda x: x, 1)(Tensor(X))), (ShapeError, "one element", lambda: morok.hvp(lambda x: x, (V,), (V,))),
    (ShapeError, "tangents", lambda: morok.hvp(cubic, (V,), ())),
])
def test_errors(error, message, call):
    with pytest.raises(error, match=message):
        call()
