"""Modules as functions of their parameters: gradients of each example, several models at once."""

import numpy as np
import pytest

import morok
from morok import Tensor, nn
from morok.errors import ShapeError

X = np.random.default_rng(0).standard_normal((6, 3)).astype(np.float32)
Y = np.random.default_rng(1).standard_normal((6, 2)).astype(np.float32)


def model(seed=0):
    morok.manual_seed(seed)
    return nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2))


def test_other_values():
    m, other = model(0), model(1)
    weights = dict(other.named_parameters())
    before = m(Tensor(X)).numpy()
    np.testing.assert_array_equal(nn.functional_call(m, weights, Tensor(X)).numpy(), other(Tensor(X)).numpy())
    np.testing.assert_array_equal(nn.functional_call(m, {}, (Tensor(X),)).numpy(), before)
    np.testing.assert_array_equal(m(Tensor(X)).numpy(), before)


def test_gradients_of_each_example():
    m = model()
    weights = {name: p.detach() for name, p in m.named_parameters()}

    def loss(weights, x, y):
        return nn.functional.mse_loss(nn.functional_call(m, weights, x), y)
    found = morok.jit(morok.vmap(morok.grad(loss), in_axes=(None, 0, 0)))(weights, Tensor(X), Tensor(Y))
    for i in (0, 5):
        m.zero_grad()
        nn.functional.mse_loss(m(Tensor(X[i])), Tensor(Y[i])).backward()
        for name, p in m.named_parameters():
            np.testing.assert_allclose(found[name].numpy()[i], p.grad.numpy(), rtol=1e-5, atol=1e-6)


def test_several_models_at_once():
    models = [model(seed) for seed in range(3)]
    weights = {name: Tensor.stack(*(dict(m.named_parameters())[name].detach() for m in models)) for name, _ in models[0].named_parameters()}
    found = morok.vmap(lambda w, x: nn.functional_call(models[0], w, x), in_axes=(0, None))(weights, Tensor(X)).numpy()
    np.testing.assert_allclose(found, np.stack([m(Tensor(X)).numpy() for m in models]), rtol=1e-5, atol=1e-6)


def test_tied_parameters_and_results_that_are_parameters():
    class Tied(nn.Module):
        def __init__(self):
            super().__init__()
            self.first = nn.Linear(2, 2, bias=False)
            self.second = nn.Linear(2, 2, bias=False)
            self.second.weight = self.first.weight

        def forward(self, x):
            return self.second(self.first(x)), self.first.weight
    w = Tensor([[0.0, 2.0], [1.0, 0.0]])
    y, weight = nn.functional_call(Tied(), {"first.weight": w}, Tensor([1.0, 10.0]))
    assert y.tolist() == [2.0, 20.0] and weight is w


def test_errors_leave_the_module():
    m = model()
    before = m[0].weight.numpy()
    with pytest.raises(KeyError, match="head"):
        nn.functional_call(m, {"head": Tensor(1.0)}, Tensor(X))
    with pytest.raises(ShapeError, match="0.weight"):
        nn.functional_call(m, {"0.weight": Tensor(1.0)}, Tensor(X))
    with pytest.raises(ShapeError):
        nn.functional_call(m, {"0.weight": Tensor.zeros(4, 3)}, Tensor(X[:, :2]))
    np.testing.assert_array_equal(m[0].weight.numpy(), before)
