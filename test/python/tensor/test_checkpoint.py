"""Checkpointed functions: the same values and derivatives, in less memory."""

import numpy as np
import pytest

import morok
from morok import Tensor, nn

RNG = np.random.default_rng(0)
X, WEIGHTS = RNG.standard_normal((8, 6)), [RNG.standard_normal((6, 6)) * 0.4 for _ in range(8)]


def block(h, weights):
    for w in weights:
        h = (h @ w).tanh()
    return h


def gradients(around, x, weights, jitted=False):
    """Of four blocks, with respect to x and all weights."""
    def loss(x, weights):
        run = around(block)
        for i in range(0, len(weights), 2):
            x = run(x, weights[i:i + 2])
        return x.square().sum()
    f = morok.grad(loss, (0, 1))
    found, more = (morok.jit(f) if jitted else f)(Tensor(x), [Tensor(w) for w in weights])
    return [found, *more]


def plain(function):
    return function


def nested(function):
    inner = morok.checkpoint(function)
    return morok.checkpoint(lambda h, weights: inner(inner(h.sin(), weights[:1]), weights[1:]) * 1.5)


def nested_plainly(function):
    return lambda h, weights: function(function(h.sin(), weights[:1]), weights[1:]) * 1.5


@pytest.mark.parametrize("jitted", [False, True])
@pytest.mark.parametrize("around, reference", [(morok.checkpoint, plain), (nested, nested_plainly)])
def test_same_derivatives(around, reference, jitted):
    want = gradients(reference, X, WEIGHTS)
    Tensor.realize_batch(want)
    for f, w in zip(gradients(around, X, WEIGHTS, jitted), want, strict=True):
        np.testing.assert_allclose(f.numpy(), w.numpy(), rtol=1e-10)


def test_less_memory():
    x, weights = RNG.standard_normal((64, 32)).astype(np.float32), [np.eye(32, dtype=np.float32) for _ in range(12)]

    def bytes_of(around):
        return intermediates(Tensor.prepare_batch(gradients_of_blocks(around, x, weights)))
    assert bytes_of(morok.checkpoint) < 0.8 * bytes_of(plain)


def gradients_of_blocks(around, x, weights):
    def loss(weights):
        h, run = Tensor(x), around(block)
        for i in range(0, len(weights), 4):
            h = run(h, weights[i:i + 4])
        return h.square().sum()
    return morok.grad(loss)([Tensor(w) for w in weights])


def intermediates(plan):
    text = plan.report()
    return int(text.split("intermediates ")[1].split()[0])


def test_variables_around_and_several_results():
    w = Tensor(WEIGHTS[0], requires_grad=True)

    @morok.checkpoint
    def f(x, scale=1.0):
        h = (x @ w).exp()
        return {"a": h.sum(0) * scale, "b": [h * h, 3]}
    x = Tensor(X[:2] * 0.3, requires_grad=True)
    found = f(x, scale=2.0)
    assert found["b"][1] == 3
    (found["a"].sum() + found["b"][0].sum()).backward()
    v, y = Tensor(WEIGHTS[0], requires_grad=True), Tensor(X[:2] * 0.3, requires_grad=True)
    h = (y @ v).exp()
    (h.sum() * 2 + (h * h).sum()).backward()
    np.testing.assert_allclose(w.grad.numpy(), v.grad.numpy(), rtol=1e-12)
    np.testing.assert_allclose(x.grad.numpy(), y.grad.numpy(), rtol=1e-12)


def test_random_numbers_are_the_same_again():
    morok.manual_seed(3)
    x = Tensor(np.ones((50,)), requires_grad=True)
    y = morok.checkpoint(lambda x: nn.functional.dropout(x * x, 0.5, True))(x)
    y.sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), y.numpy() * 2)


def test_realised_results_second_derivatives_and_writes():
    f = morok.checkpoint(lambda x: (x.sin() * x).exp())
    x = Tensor(X[0], requires_grad=True)
    y = f(x).realize()
    y.sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), morok.grad(lambda x: (x.sin() * x).exp().sum())(Tensor(X[0])).numpy(), rtol=1e-12)
    np.testing.assert_allclose(morok.hessian(lambda x: f(x).sum())(Tensor(X[0])).numpy(),
                               morok.hessian(lambda x: (x.sin() * x).exp().sum())(Tensor(X[0])).numpy(), rtol=1e-9, atol=1e-12)

    def written(x):
        y = x.sin()
        y[1:3] *= x[:2]
        return (y * y).sum()
    np.testing.assert_allclose(morok.grad(morok.checkpoint(written))(Tensor(X[0])).numpy(), morok.grad(written)(Tensor(X[0])).numpy(), rtol=1e-12)


def test_mapped():
    f = morok.checkpoint(lambda x: (x.sin() * x).tanh())
    found = morok.vmap(morok.grad(lambda x: f(x).sum()))(Tensor(X)).numpy()
    np.testing.assert_allclose(found, morok.grad(lambda x: (x.sin() * x).tanh().sum())(Tensor(X)).numpy(), rtol=1e-12)


def test_mapped_within_a_derivative():
    x, weights = RNG.standard_normal((64, 32)).astype(np.float32), [np.eye(32, dtype=np.float32) for _ in range(12)]

    def gradients_by_rows(around):
        def loss(weights):
            run = around(block)

            def of_row(h):
                for i in range(0, len(weights), 4):
                    h = run(h, weights[i:i + 4])
                return h.square().sum()
            return morok.vmap(of_row)(Tensor(x)).sum()
        return morok.grad(loss)([Tensor(w) for w in weights])
    want, found = gradients_of_blocks(plain, x, weights), gradients_by_rows(morok.checkpoint)
    assert intermediates(Tensor.prepare_batch(found)) < 0.8 * intermediates(Tensor.prepare_batch(gradients_by_rows(plain)))
    for f, w in zip(found, want, strict=True):
        np.testing.assert_allclose(f.numpy(), w.numpy(), rtol=1e-4, atol=1e-5)


def test_nothing_to_compute_again():
    assert morok.checkpoint(lambda x: x)(Tensor(X)).shape == (8, 6)
    assert morok.grad(lambda x: morok.checkpoint(lambda y: y)(x).sum())(Tensor(X[0])).tolist() == [1.0] * 6
    assert morok.grad(lambda x: morok.checkpoint(lambda y: y.sin())(x).sum())(Tensor(X[:0])).shape == (0, 6)
