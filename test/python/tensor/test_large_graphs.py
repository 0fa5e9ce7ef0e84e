"""Graphs of thousands of ops: deep, wide and of many kernels. How long they take is `bench/graph_cost.py`'s to say."""

import numpy as np

import morok
from morok import Tensor


def sample(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def test_two_thousand_ops_of_products_and_norms():
    """Layers that are alike are compiled once, also where they keep rows in scratch."""
    a, b = sample(8, 8), sample(8, 8, seed=1) / 3

    def layers(x, w, first, mean, root):
        for _ in range(120):
            x = x @ w
            x = x - mean(x)
            x = x / root(mean(x * x) + 1e-5) * 0.5 + first
        return x
    given, weights = Tensor(a).realize(), Tensor(b).realize()
    plan = layers(given, weights, given, lambda x: x.mean(1, keepdim=True), lambda x: x.sqrt()).prepare()
    plan.execute()
    exact = a.astype(np.float64), b.astype(np.float64)
    wanted = layers(*exact, exact[0], lambda x: x.mean(1, keepdims=True), np.sqrt)
    assert np.abs(plan.output_buffer_at(0).numpy() - wanted).max() < 1e-4


def test_a_chain_of_five_thousand_ops_and_its_derivative():
    x = Tensor([1.0, 2.0], requires_grad=True)
    y = x
    for i in range(5000):
        y = y + x if i % 2 else y * 0.5
    y.sum().backward()
    z, slope = np.array([1.0, 2.0]), 1.0
    for i in range(5000):
        z, slope = (z + [1.0, 2.0], slope + 1) if i % 2 else (z * 0.5, slope * 0.5)
    np.testing.assert_allclose(y.numpy(), z, rtol=1e-5)
    np.testing.assert_allclose(x.grad.numpy(), [slope, slope], rtol=1e-5)


def test_ten_thousand_tensors_stacked():
    rows = sample(10_000, 2)
    stacked = morok.stack([Tensor(row) for row in rows])
    np.testing.assert_array_equal(stacked.numpy(), rows)
    np.testing.assert_array_equal(morok.cat([Tensor(row) for row in rows[:3000]]).numpy(), rows[:3000].reshape(-1))
