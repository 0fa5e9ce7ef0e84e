"""Recurrent layers as loops of the graph: values and derivatives of every order are those of the steps written one after another."""
import numpy as np
import pytest

import morok
from morok import Tensor, nn
from morok.nn.functions import recurrent
from morok.runtime.inspection import stage_text

CASES = {"RNN": (nn.RNN, {}), "LSTM": (nn.LSTM, {}), "GRU": (nn.GRU, {}), "plain LSTM": (nn.LSTM, {"bias": False}),
         "both ways": (nn.GRU, {"bidirectional": True})}


def values(kind, monkeypatch, least, length=3, dtype="float32"):
    """Outputs and derivatives to inputs, first states and parameters, for sequences that are loops from `least` steps on."""
    monkeypatch.setattr(recurrent, "LOOPED", least)
    morok.manual_seed(1)
    layer, more = CASES[kind]
    net = layer(3, 4, **more).to(dtype)
    rng = np.random.default_rng(0)
    x = Tensor(rng.standard_normal((length, 2, 3)).astype(dtype), requires_grad=True)
    states = [Tensor(rng.standard_normal((net._directions, 2, 4)).astype(dtype), requires_grad=True) for _ in range(net.states)]
    y, last = net(x, tuple(states) if net.states == 2 else states[0])
    weights = Tensor(rng.standard_normal(y.shape).astype(dtype))
    parts = last if isinstance(last, tuple) else (last,)
    loss = (y * weights).sum() + sum((p * p).sum() for p in parts)
    loss.backward()
    return [t.numpy() for t in (y, *parts, x.grad, *(s.grad for s in states), *(p.grad for p in net.parameters()))]


@pytest.mark.parametrize("kind", CASES)
def test_loops_give_what_steps_give(kind, monkeypatch):
    for looped, unrolled in zip(values(kind, monkeypatch, 1), values(kind, monkeypatch, 1000), strict=True):
        np.testing.assert_allclose(looped, unrolled, rtol=2e-5, atol=2e-6)


def test_higher_orders(monkeypatch):
    morok.manual_seed(1)
    net = nn.RNN(2, 3)
    x = np.random.default_rng(0).standard_normal((3, 1, 2)).astype(np.float32)
    found = []
    for least in (1, 1000):
        monkeypatch.setattr(recurrent, "LOOPED", least)
        squared = morok.grad(lambda t: (morok.grad(lambda v: net(v)[0].square().sum())(t) ** 2).sum())
        pushed = morok.jvp(lambda t: net(t)[0], (Tensor(x),), (Tensor(np.ones_like(x)),))[1]
        mapped = morok.vmap(lambda t: net(t)[0].sum())(Tensor(np.stack([x, x + 1])))
        found.append([squared(Tensor(x)).numpy(), pushed.numpy(), mapped.numpy()])
    for looped, unrolled in zip(*found):
        np.testing.assert_allclose(looped, unrolled, rtol=2e-5, atol=1e-6)


@pytest.mark.parametrize("kind", CASES)
def test_second_derivatives_are_the_differences_of_first_ones(kind):
    """Of 20 steps, along inputs and all parameters at once."""
    layer, more = CASES[kind]
    net, rng = layer(3, 4, **more), np.random.default_rng(0)
    arrays = [rng.standard_normal((20, 2, 3)), *(rng.standard_normal(p.shape) * 0.3 for p in net.parameters())]
    along, names = [rng.standard_normal(a.shape) for a in arrays], [name for name, _ in net.named_parameters()]

    def loss(x, *parameters):
        return nn.functional_call(net, dict(zip(names, parameters)), (x,))[0].sin().sum()
    gradient = morok.grad(loss, tuple(range(len(arrays))))
    step = 1e-5
    ahead, behind = (gradient(*(Tensor(a + s * step * d) for a, d in zip(arrays, along))) for s in (1, -1))
    primals, tangents = [Tensor(a) for a in arrays], [Tensor(d) for d in along]
    for found in (morok.hvp(loss, primals, tangents)[1], morok.jvp(gradient, primals, tangents)[1]):
        for second, a, b in zip(found, ahead, behind, strict=True):
            np.testing.assert_allclose(second.numpy(), (a.numpy() - b.numpy()) / (2 * step), rtol=1e-5, atol=1e-6)


def test_a_long_sequence_is_a_loop():
    net = nn.LSTM(3, 4)
    x = Tensor(np.random.default_rng(0).standard_normal((200, 2, 3)).astype(np.float32))
    plan = Tensor.prepare_batch([net(x)[0]])
    assert plan.num_kernels() < 20
    step = morok.jit(lambda t: net(t)[0])
    outputs = [step(x).numpy() for _ in range(3)]
    np.testing.assert_array_equal(outputs[0], outputs[2])
    h, c = (np.zeros((1, 2, 4), np.float32),) * 2
    for t in (0, 1, 2):
        y, (h, c) = net(x[t:t + 1], (Tensor(h), Tensor(c)))
        np.testing.assert_allclose(y.numpy()[0], outputs[0][t], rtol=2e-5, atol=1e-6)
        h, c = h.numpy(), c.numpy()


@pytest.mark.parametrize("length", [12, 13])
def test_loops_are_numpys(length):
    """Even and odd counts, captured too: what the loop keeps is written in place."""
    net, x = nn.LSTM(3, 4), np.random.default_rng(0).standard_normal((length, 2, 3)).astype(np.float32)
    w, u, b, more = (p.numpy() for p in (net.weight_ih_l0, net.weight_hh_l0, net.bias_ih_l0, net.bias_hh_l0))
    h = c = np.zeros((2, 4), np.float32)
    expected = []
    for row in x:
        into, forget, cell, out = np.split(row @ w.T + b + h @ u.T + more, 4, 1)
        c = c / (1 + np.exp(-forget)) + np.tanh(cell) / (1 + np.exp(-into))
        h = np.tanh(c) / (1 + np.exp(-out))
        expected.append(h)
    step = morok.jit(lambda t: net(t))
    for _ in range(3):
        y, (last, memory) = step(Tensor(x))
        np.testing.assert_allclose(y.numpy(), expected, rtol=2e-5, atol=1e-6)
        np.testing.assert_allclose(last.numpy()[0], h, rtol=2e-5, atol=1e-6)
        np.testing.assert_allclose(memory.numpy()[0], c, rtol=2e-5, atol=1e-6)


@pytest.mark.parametrize("asked", ["all", "outputs", "last"])
@pytest.mark.parametrize("kind", CASES)
def test_loops_without_derivatives(kind, asked, monkeypatch):
    """Only what is asked for is kept of the steps: the values are those of single steps in any case, and of a loop that is derived."""
    layer, more = CASES[kind]
    net, x = layer(3, 4, **more), Tensor(np.random.default_rng(0).standard_normal((5, 2, 3)).astype(np.float32))

    def parts():
        y, last = net(x)
        whole = [y, *(last if isinstance(last, tuple) else (last,))]
        return [t.numpy() for t in {"all": whole, "outputs": whole[:1], "last": whole[1:]}[asked]]
    monkeypatch.setattr(recurrent, "LOOPED", 1)
    derived = parts()
    with morok.no_grad():
        looped = parts()
        monkeypatch.setattr(recurrent, "LOOPED", 1000)
        unrolled = parts()
    for a, b, c in zip(derived, looped, unrolled, strict=True):
        np.testing.assert_array_equal(a, b)
        np.testing.assert_allclose(b, c, rtol=2e-5, atol=1e-6)


def test_a_loop_without_derivatives_keeps_the_outputs_alone():
    """Carried are the counter, h and c; and rows of h, where somebody derives of c too."""
    net = nn.LSTM(3, 4)
    x = Tensor(np.zeros((32, 2, 3), np.float32))
    derived = stage_text([net(x)[0]], "tensor")
    with morok.no_grad():
        plain = stage_text([net(x)[0]], "tensor")
    assert (derived.count("morok.carries"), plain.count("morok.carries")) == (5, 4)
