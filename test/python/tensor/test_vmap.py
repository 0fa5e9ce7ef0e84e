"""vmap against a loop over the examples: functions, axes, nesting, derivatives inside and outside, random numbers, loops, and what it refuses."""

import numpy as np
import pytest

import morok
from morok import Tensor, nn
from morok.dialect.opdef import TABLE
from morok.errors import AxisError, ShapeError, VmapError
from morok.tensor.gradient.rules import RULES
from morok.tensor.mapping.rules import BATCHING

RNG = np.random.default_rng(0)
X, Y = RNG.standard_normal((3, 2, 5)), RNG.standard_normal((3, 2, 5))
W, V = Tensor(RNG.standard_normal((5, 4))), Tensor(RNG.standard_normal(5))
PLACES, IMAGES = RNG.integers(0, 5, (3, 2, 5)), RNG.standard_normal((3, 2, 6, 5))

FUNCTIONS = {
    "elementwise": lambda x: (x.exp() + V) * x.sin(), "reductions": lambda x: x.sum(0) * x.max() + x.var(-1, keepdim=True),
    "product": lambda x: x @ W, "product from the left": lambda x: W.T @ x[0], "softmax": lambda x: x.softmax(-1),
    "einsum": lambda x: morok.einsum("ij,kj->ik", x, x),
    "movement": lambda x: x.T.reshape(2, 5).flip(1)[:, 1:4].pad(((1, 0), (0, 2))), "roll": lambda x: x.roll(2, 1).tril(),
    "joined": lambda x: x.cat(W.T[:1], dim=0).stack(x.cat(W.T[:1]), dim=1), "cast": lambda x: (x * 3).cast("int32") // 2, "compared": lambda x: (x > 0).any(0),
    "cumulative": lambda x: x.cumsum(1) * x.cumprod(0) + x.cummax(-1), "argmax": lambda x: x.argmax(1), "index": lambda x: x[:, Tensor([0, 4, 4])],
    "mask": lambda x: x.where(x > 0, V), "constant": lambda x: V, "several": lambda x: {"a": x + 1, "b": (x.sum(), 3, V)}, "norm": lambda x: x.layernorm(-1),
    "written": lambda x: written(x), "written by index": lambda x: written_by_index(x), "captured": lambda x: morok.jit(lambda y: y.tanh() @ W)(x),
    "loop": lambda x: morok.fori_loop(0, 3, lambda i, y: y * 0.5 + i + V, x),
    "contiguous": lambda x: (x * 2).contiguous().T.contiguous(),
    "loop from a constant": lambda x: morok.fori_loop(0, 3, lambda i, y: y * x.sum() + i, V),
    "loop until done": lambda x: morok.while_loop(lambda y: y[0].abs().sum() < 50, lambda y: (y[0] * 2, y[1] + 1), (x, Tensor(0))),
    "sorted": lambda x: x.sort(-1), "greatest": lambda x: x.topk(2, dim=-1), "sums of logarithms": lambda x: x.logcumsumexp(1),
    "median": lambda x: x.median(-1), "gradient of sorted": lambda x: morok.grad(lambda y: (y.sort(-1)[0] * V).sum())(x),
    "gradient": lambda x: morok.grad(lambda y: (y @ W).tanh().sum())(x), "jacobian": lambda x: morok.jacrev(lambda y: (y @ W).sum(0).sin())(x),
}


def written(x):
    y = x * 2
    y[0] = V
    y[:, 1:3] += x[:, :2]
    y += 1
    x[1] = 0
    return x + y


def written_by_index(x):
    y = x * 1.0
    y[:, Tensor([0, 3])] = 7.0
    return y


def alike(found, wanted):
    if isinstance(wanted[0], (dict, list, tuple)):
        keys = wanted[0] if isinstance(wanted[0], dict) else range(len(wanted[0]))
        for k in keys:
            alike(found[k], [w[k] for w in wanted])
    elif isinstance(wanted[0], Tensor):
        np.testing.assert_allclose(found.numpy(), np.stack([w.numpy() for w in wanted]), rtol=1e-12, atol=1e-13)
        assert found.dtype is wanted[0].dtype
    else:
        assert found == wanted[0]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_as_a_loop(name):
    f = FUNCTIONS[name]
    alike(morok.vmap(f)(Tensor(X)), [f(Tensor(x)) for x in X])


def test_by_index_arrays_of_each_example():
    def f(x, p):
        return x.gather(1, p), x.scatter(1, p, V.expand(2, 5))
    alike(morok.vmap(f)(Tensor(X), Tensor(PLACES)), [f(Tensor(x), Tensor(p)) for x, p in zip(X, PLACES)])


@pytest.mark.parametrize("layer", [lambda: nn.Conv2d(2, 3, 3), lambda: nn.MaxPool2d(2), lambda: nn.GroupNorm(1, 2), lambda: nn.MultiheadAttention(5, 1)])
def test_layers(layer):
    model = layer()
    inputs = Tensor(IMAGES.astype(np.float32))

    def f(x):
        return model(x[0], x[1], x[0])[0] if isinstance(model, nn.MultiheadAttention) else model(x.unsqueeze(0)).squeeze(0)
    np.testing.assert_allclose(morok.vmap(f)(inputs).numpy(), np.stack([f(x).numpy() for x in inputs.unbind(0)]), rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("in_axes, out_axes", [(0, 0), ((1, 2), 1), ((-1, None), -1), ((None, 0), 2)])
def test_axes(in_axes, out_axes):
    axes = in_axes if isinstance(in_axes, tuple) else (in_axes,) * 2
    a, b = (np.moveaxis(z, 0, x) if x is not None else z[0] for z, x in zip((X, Y), axes))
    found = morok.vmap(lambda a, b: a * 2 + b, in_axes=in_axes, out_axes=out_axes)(Tensor(a), Tensor(b))
    want = np.stack([(X[i] if axes[0] is not None else X[0]) * 2 + (Y[i] if axes[1] is not None else Y[0]) for i in range(3)], out_axes)
    np.testing.assert_allclose(found.numpy(), want)


def test_axes_of_structures_and_names_of_pytorch():
    f = morok.vmap(lambda d, k, s=0: (d["x"] + d["y"] + k[0] * s, k[1]), in_dims=({"x": 0, "y": None}, (1, None)), out_dims=(0, None))
    found, same = f({"x": Tensor(X[:, 0]), "y": V}, (Tensor(X[:, 0].T.copy()), W), s=2)
    np.testing.assert_allclose(found.numpy(), X[:, 0] * 3 + V.numpy())
    assert same is W


def test_nested():
    f = morok.vmap(morok.vmap(lambda a, b: (a * b).sum() + V.sum(), in_axes=(None, 0)), in_axes=(0, None))
    np.testing.assert_allclose(f(Tensor(X[:, 0]), Tensor(Y[:, 1])).numpy(), X[:, 0] @ Y[:, 1].T + V.numpy().sum())


def test_no_examples():
    assert morok.vmap(lambda x: x @ W)(Tensor(X[:0])).shape == (0, 2, 4)


def test_symbolic_number_of_examples():
    n = morok.Variable("n", 1, 4).bind(2)
    found = morok.vmap(lambda x: (x @ W).sum(0))(Tensor(np.concatenate([X, X[:1]])).shrink(((0, n), None, None)))
    np.testing.assert_allclose(found.numpy(), (X[:2] @ W.numpy()).sum(1))


def test_gradients_outside():
    w = Tensor(W.numpy(), requires_grad=True)
    x = Tensor(X, requires_grad=True)
    morok.vmap(lambda x: (x @ w).tanh().sum())(x).square().sum().backward()
    v, y = Tensor(W.numpy(), requires_grad=True), Tensor(X, requires_grad=True)
    (y @ v).tanh().sum((1, 2)).square().sum().backward()
    np.testing.assert_allclose(w.grad.numpy(), v.grad.numpy(), rtol=1e-12)
    np.testing.assert_allclose(x.grad.numpy(), y.grad.numpy(), rtol=1e-12)


def test_gradients_of_each_example():
    def loss(w, x):
        return (x @ w).tanh().sum()
    found = morok.vmap(morok.grad(loss), in_axes=(None, 0))(W, Tensor(X))
    np.testing.assert_allclose(found.numpy(), np.stack([morok.grad(loss)(W, Tensor(x)).numpy() for x in X]), rtol=1e-12)


def test_what_is_cut_off_within_stays_so():
    x = Tensor(X[:, 0], requires_grad=True)

    def f(x):
        with morok.no_grad():
            scale = x * 3
        return (x * scale + x.detach() * x).sum()
    morok.vmap(f)(x).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), X[:, 0] * 4)


def test_custom_gradients_are_mapped():
    @morok.custom_gradient
    def scaled(x, w):
        return x * w, lambda g: (g.clip(-1, 1) * w, (g * x).sum())
    x, w = Tensor(X[:, 0], requires_grad=True), Tensor(2.0, dtype="float64", requires_grad=True)
    (morok.vmap(lambda x: scaled(x, w) * 3)(x)).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), np.full((3, 5), 2.0))
    np.testing.assert_allclose(w.grad.numpy(), 3 * X[:, 0].sum())


def test_custom_gradients_with_the_same_value_for_all():
    w = Tensor([2.0, 3.0], requires_grad=True)
    twice = morok.custom_gradient(lambda x: (x * 1.0, lambda g: g * 2))
    morok.vmap(lambda x: twice(w) * x)(Tensor([[1.0, 1.0], [2.0, 2.0]])).sum().backward()
    assert w.grad.tolist() == [6.0, 6.0]
    w = Tensor([2.0, 3.0], requires_grad=True)
    twice(w).reshape(1, 2).sum().backward()
    assert w.grad.tolist() == [2.0, 2.0]


def test_random_numbers():
    zeros = Tensor(np.zeros(3, np.float32))
    same = morok.vmap(lambda x: x + Tensor.rand(4), randomness="same")(zeros).numpy()
    assert (same == same[0]).all() and len(set(same[0])) == 4
    different = morok.vmap(lambda x: x + Tensor.rand(4) + Tensor.randn(4) * 0, randomness="different")(zeros).numpy()
    assert len(set(different.ravel())) == 12
    nested = morok.vmap(morok.vmap(lambda x: x + Tensor.rand(2), randomness="same"), randomness="different")(zeros.reshape(3, 1).expand(3, 2)).numpy()
    assert (nested[:, 0] == nested[:, 1]).all() and len(set(nested.ravel())) == 6
    generator = morok.Generator(3)
    before = generator.get_state()
    with pytest.raises(VmapError, match="randomness"):
        morok.vmap(lambda x: x + Tensor.rand(2, generator=generator))(zeros)
    assert (generator.get_state().numpy() == before.numpy()).all()


def test_within_captured_functions():
    f = morok.jit(lambda x, w: morok.vmap(lambda x: (x @ w).softmax(-1))(x))
    for scale in (1, 2):
        np.testing.assert_allclose(f(Tensor(X * scale), W).numpy(), (Tensor(X * scale) @ W).softmax(-1).numpy(), rtol=1e-12)
    assert f.captures == 1


def test_one_graph():
    """As many kernels for a thousand examples as for two."""
    kernels = [morok.vmap(lambda x: (x.tanh() @ W).max(-1))(Tensor(np.ones((n, 2, 5)))).prepare().report().count("\nk") for n in (2, 1000)]
    assert kernels[0] == kernels[1]


@pytest.mark.parametrize("function", [lambda x: x.item(), lambda x: x if x > 0 else -x, lambda x: x * float(x.numpy()), lambda x: x.tolist()])
def test_values_cannot_be_looked_at(function):
    with pytest.raises(VmapError, match="one example"):
        morok.vmap(function)(Tensor([1.0, 2.0]))


def test_what_is_the_same_for_all_can_be_looked_at():
    assert morok.vmap(lambda x: x * V.sum().item())(Tensor([1.0])).item() == pytest.approx(V.sum().item())


def test_examples_do_not_leave():
    outside, leaf = Tensor([1.0, 2.0]), Tensor([1.0, 2.0], requires_grad=True)
    kept = []
    with pytest.raises(VmapError, match="outside"):
        morok.vmap(lambda x: outside.assign(x * outside))(Tensor(np.ones((2, 2), np.float32)))
    with pytest.raises(VmapError, match="outside"):
        morok.vmap(lambda x: outside[0].assign(x.sum()))(Tensor(np.ones((2, 2), np.float32)))
    with pytest.raises(VmapError, match="backward"):
        morok.vmap(lambda x: (leaf * x).sum().backward())(Tensor(np.ones((2, 2), np.float32)))
    assert outside.tolist() == [1.0, 2.0] and leaf.grad is None
    morok.vmap(lambda x: kept.append(x * 2) or x)(Tensor([1.0]))
    with pytest.raises(VmapError, match="return it"):
        kept[0].numpy()
    morok.vmap(lambda x: outside.assign(outside * 2) * x)(Tensor([1.0, 1.0, 1.0]))
    assert outside.tolist() == [2.0, 4.0]  # what is the same for all happens once


@pytest.mark.parametrize("error, message, call", [
    (ShapeError, "no argument", lambda: morok.vmap(lambda x: x, in_axes=None)(V)), (ShapeError, "entries", lambda: morok.vmap(lambda x: x, in_axes=(0, 0))(V)),
    (ShapeError, "different numbers", lambda: morok.vmap(lambda x, y: x)(V, W.T)), (AxisError, "in_axes names", lambda: morok.vmap(lambda x: x, 2)(W)),
    (AxisError, "out_axes names", lambda: morok.vmap(lambda x: x, 0, 3)(W)), (VmapError, "out_axes is None", lambda: morok.vmap(lambda x: x, 0, None)(W)),
    (TypeError, "in_axes", lambda: morok.vmap(lambda x: x, "0")(V)), (ValueError, "randomness", lambda: morok.vmap(lambda x: x, randomness="all")),
    (ShapeError, "keys", lambda: morok.vmap(lambda d: d, ({"y": 0},))({"x": V})),
])
def test_errors(error, message, call):
    with pytest.raises(error, match=message):
        call()


def test_every_op_has_a_rule():
    """What has a derivative, and what depends on tensors at all, can be mapped; sources depend on nothing."""
    sources = {"unique", "device", "buffer", "const", "define_var", "bind", "iota", "carried", "sink"}
    tensor_ops = {name for name, op in TABLE.items() if "tensor" in op.forms and op.result is not None}
    by_walk = {"carries", "repeat", "repeated"}
    indices = {name for name in tensor_ops if all(o.kind in ("index", "indices") for o in TABLE[name].operands)}
    assert set(RULES) - set(BATCHING) - by_walk == set()
    assert tensor_ops - set(BATCHING) - by_walk - sources - indices == set()
