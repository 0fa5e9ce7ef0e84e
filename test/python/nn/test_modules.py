"""Modules: what they are made of, their states, and that they learn, lazily and captured."""

import numpy as np
import pytest

import morok
from morok import Tensor, nn, optim
from morok.errors import BoundsError, DTypeError, GradientError, ShapeError


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(4, 8)
        self.rest = [nn.LayerNorm(8), nn.Linear(8, 3, bias=False)]
        self.scale = Tensor([2.0])

    def forward(self, x):
        x = self.first(x).relu()
        for m in self.rest:
            x = m(x)
        return x * self.scale


def test_what_a_module_is_made_of():
    net = Net()
    assert [n for n, _ in net.named_parameters()] == ["first.weight", "first.bias", "rest.0.weight", "rest.0.bias", "rest.1.weight"]
    assert [n for n, _ in net.named_buffers()] == ["scale"]
    assert list(net.state_dict()) == ["scale", "first.weight", "first.bias", "rest.0.weight", "rest.0.bias", "rest.1.weight"]
    assert repr(net).splitlines()[1] == "  (first): Linear(4, 8, bias=True)"
    assert all(not m.training for m in net.eval().modules()) and all(m.training for m in net.train().modules())
    shared = nn.Sequential(net.first, net.first)
    assert len(list(shared.parameters())) == 2


def test_states_go_from_one_module_to_another():
    one, other = Net(), Net()
    x = Tensor(np.ones((2, 4), np.float32))
    other.load_state_dict({n: t.numpy() for n, t in one.state_dict().items()})
    np.testing.assert_array_equal(one(x).numpy(), other(x).numpy())
    state = dict(one.state_dict())
    before = other(x).numpy()
    state["rest.1.weight"] = Tensor.zeros(2, 2)
    with pytest.raises(ShapeError, match=r"rest.1.weight has shape \(3, 8\), given \(2, 2\)"):
        other.load_state_dict(state)
    del state["rest.1.weight"]
    state["more"] = Tensor([1.0])
    with pytest.raises(KeyError, match="missing rest.1.weight; unexpected more"):
        other.load_state_dict(state)
    np.testing.assert_array_equal(other(x).numpy(), before)
    assert all(p.dtype == "float64" or p.dtype is morok.dtypes.float64 for p in other.double().parameters())
    assert all(p.requires_grad and p.is_leaf for p in other.parameters())


@pytest.mark.parametrize("captured", [False, True])
def test_a_network_learns(captured):
    morok.manual_seed(3)
    rng = np.random.default_rng(0)
    images = rng.standard_normal((96, 1, 6, 6)).astype(np.float32)
    labels = (images[:, 0, :3].sum((1, 2)) > images[:, 0, 3:].sum((1, 2))).astype(np.int64)
    model = nn.Sequential(nn.Conv2d(1, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(), nn.Flatten(), nn.Dropout(0.1), nn.Linear(144, 2))
    optimiser = optim.AdamW(model.parameters(), lr=0.01)

    def step(x, y):
        optimiser.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimiser.step()
        return loss
    run = morok.jit(step) if captured else step
    losses = [run(Tensor(images[i::3]), Tensor(labels[i::3])).item() for _ in range(12) for i in range(3)]
    assert np.mean(losses[-3:]) < 0.5 * np.mean(losses[:3])
    model.eval()
    assert (model(Tensor(images)).argmax(-1).numpy() == labels).mean() > 0.9
    assert model(Tensor(images[:1])).shape == (1, 2)


def test_batch_norm_keeps_statistics():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((5, 3, 4)) * 2 + 1
    layer = nn.BatchNorm1d(3)
    layer(Tensor(x.astype(np.float32)))
    np.testing.assert_allclose(layer.running_mean.numpy(), 0.1 * x.mean((0, 2)), rtol=1e-5)
    np.testing.assert_allclose(layer.running_var.numpy(), 0.9 + 0.1 * x.var((0, 2), ddof=1), rtol=1e-5)
    layer.eval()
    got = layer(Tensor(x.astype(np.float32))).numpy()
    mean, var = layer.running_mean.numpy().reshape(1, 3, 1), layer.running_var.numpy().reshape(1, 3, 1)
    np.testing.assert_allclose(got, (x - mean) / np.sqrt(var + 1e-5), rtol=1e-4, atol=1e-5)


def test_embedding_and_its_gradient():
    table = nn.Embedding(5, 3, padding_idx=1)
    assert table.weight[1].tolist() == [0, 0, 0]
    table(Tensor([[0, 1], [0, 4]])).sum().backward()
    assert table.weight.grad.tolist() == [[2] * 3, [0] * 3, [0] * 3, [0] * 3, [1] * 3]


def test_attention_is_the_formula():
    rng = np.random.default_rng(0)
    q, k, v = (rng.standard_normal((2, 3, n, 4)) for n in (5, 7, 7))
    mask = rng.random((5, 7)) > 0.4
    mask[2] = False
    got = nn.functional.scaled_dot_product_attention(Tensor(q), Tensor(k), Tensor(v), Tensor(mask)).numpy()
    scores = np.where(mask, q @ k.swapaxes(-1, -2) / 2, -np.inf)
    with np.errstate(invalid="ignore"):
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        weights = np.nan_to_num(weights / weights.sum(-1, keepdims=True))
    np.testing.assert_allclose(got, weights @ v, rtol=1e-10, atol=1e-12)
    few = nn.functional.scaled_dot_product_attention(Tensor(q), Tensor(k[:, :1]), Tensor(v[:, :1]), enable_gqa=True).numpy()
    all_ = nn.functional.scaled_dot_product_attention(Tensor(q), Tensor(np.repeat(k[:, :1], 3, 1)), Tensor(np.repeat(v[:, :1], 3, 1))).numpy()
    np.testing.assert_array_equal(few, all_)


def test_dropout():
    morok.manual_seed(0)
    x = Tensor(np.ones(20000, np.float32))
    got = nn.functional.dropout(x, 0.25).numpy()
    assert set(np.unique(got)) == {np.float32(0), np.float32(1 / 0.75)} and abs((got == 0).mean() - 0.25) < 0.02
    assert nn.Dropout(0.5).eval()(x).tolist() == x.tolist()
    gradient = morok.grad(lambda x: nn.functional.dropout(x, 0.25).sum())(x).numpy()
    assert set(np.unique(gradient)) == {np.float32(0), np.float32(1 / 0.75)}


def test_an_optimiser_goes_on_from_a_state():
    def made():
        w = Tensor([1.0, -2.0], requires_grad=True)
        return w, optim.Adam([w], lr=0.1)

    def step(w, o):
        o.zero_grad()
        (w ** 4).sum().backward()
        o.step()
    (w, o), (v, p) = made(), made()
    for _ in range(3):
        step(w, o)
    p.load_state_dict(o.state_dict())
    with morok.no_grad():
        v.assign(w)
    o.lr = p.lr = 0.05
    for _ in range(2):
        step(w, o), step(v, p)
    assert v.tolist() == w.tolist() and p.lr == pytest.approx(0.05)


def test_buffers_hooks_and_freezing():
    class Masked(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("mask", Tensor([1.0, 0.0]))
            self.register_buffer("kept", Tensor([1.0]), persistent=False)
            self.register_parameter("scale", nn.Parameter([3.0]))
            self.norm = nn.BatchNorm1d(2)

        def forward(self, x):
            return x * self.mask * self.scale

    m = Masked()
    assert list(m.state_dict()) == ["mask", "scale", *("norm." + n for n in ("weight", "bias", "running_mean", "running_var", "num_batches_tracked"))]
    assert [n for n, _ in m.named_parameters()] == ["scale", "norm.weight", "norm.bias"]
    m.requires_grad_(False)
    assert not list(m.parameters()) and not m.scale.requires_grad
    m.requires_grad_()
    assert [n for n, _ in m.named_parameters("m")] == ["m.scale", "m.norm.weight", "m.norm.bias"] and not m.norm.running_mean.requires_grad
    assert [n for n, _ in m.named_parameters(recurse=False)] == ["scale"]
    seen = []
    x = Tensor([1.0, 2.0])
    handle = m.register_forward_hook(lambda module, args, result: seen.append(args) or result + 1)
    before = m.register_forward_pre_hook(lambda module, args: args[0] * 2)
    assert m(x).tolist() == [7, 1] and len(seen) == 1
    before.remove()
    assert m(x).tolist() == [4, 1]
    handle.remove()
    assert m(x).tolist() == [3, 0] and len(seen) == 2
    with m.register_forward_pre_hook(lambda module, args, kwargs: ((), {"x": kwargs["x"] + 1}), with_kwargs=True):
        assert m(x=x).tolist() == [6, 0]
    assert m.get_submodule("norm") is m.norm and m.get_parameter("norm.weight") is m.norm.weight and m.get_submodule("") is m
    with pytest.raises(AttributeError, match="has no 'norm.none': 'none' is missing"):
        m.get_parameter("norm.none")
    half = m.half()
    assert half.scale.dtype is morok.dtypes.float16 and half.norm.num_batches_tracked.dtype is morok.dtypes.int64 and half.scale.requires_grad
    assert m.to(dtype="float32").mask.dtype is morok.dtypes.float32


def test_states_of_shared_weights_and_missing_keys():
    net = nn.Module()
    net.a, net.b = nn.Linear(2, 2, bias=False), nn.Linear(2, 2, bias=False)
    net.b.weight = net.a.weight
    assert list(net.state_dict()) == ["a.weight", "b.weight"] and len(list(net.parameters())) == 1
    found = net.load_state_dict({"a.weight": np.eye(2), "c": np.ones(1)}, strict=False)
    assert found.missing_keys == ["b.weight"] and found.unexpected_keys == ["c"] and net.b.weight.tolist() == [[1, 0], [0, 1]]
    assert net.load_state_dict(net.state_dict()) == ([], [])


def test_lists_and_dicts():
    layers = nn.ModuleList([nn.Identity(), nn.ReLU()])
    layers.insert(1, nn.Tanh())
    layers += [nn.Linear(2, 2)]
    assert [type(m).__name__ for m in layers] == ["Identity", "Tanh", "ReLU", "Linear"] and len(layers[1:3]) == 2 and isinstance(layers[1:], nn.ModuleList)
    layers[0] = nn.Sigmoid()
    del layers[1]
    assert [n for n, _ in layers.named_children()] == ["0", "1", "2"] and isinstance(layers.pop(), nn.Linear) and isinstance(layers[-1], nn.ReLU)
    row = nn.Sequential({"first": nn.Linear(3, 2), "then": nn.ReLU()})
    assert list(row.state_dict()) == ["first.weight", "first.bias"] and isinstance(row[1], nn.ReLU) and row(Tensor.ones(1, 3)).shape == (1, 2)
    row[1] = nn.Flatten()
    assert isinstance(row.then, nn.Flatten) and isinstance(row[:1], nn.Sequential)
    named = nn.ModuleDict({"one": nn.Linear(2, 1)})
    named["two"] = nn.Linear(2, 1)
    assert list(named) == ["one", "two"] and "one" in named and named.pop("one") is not None and list(named.keys()) == ["two"]
    with pytest.raises(KeyError, match="has a 'keys' of another kind"):
        named["keys"] = nn.Identity()
    weights = nn.ParameterList([nn.Parameter([1.0]), nn.Parameter([2.0])])
    assert [n for n, _ in weights.named_parameters()] == ["0", "1"] and weights[1].tolist() == [2]
    assert list(nn.ParameterDict({"a": Tensor([1.0], requires_grad=True)}).state_dict()) == ["a"]


def test_transposed_convolutions_reach_any_size():
    layer = nn.ConvTranspose2d(2, 3, 3, stride=2, padding=1)
    x = Tensor.ones(1, 2, 4, 3)
    for size in ((7, 5), (8, 6), (7, 6)):
        assert layer(x, output_size=size).shape == (1, 3, *size)
    with pytest.raises(ShapeError, match=r"output_size is from \[7, 5\] to \[8, 6\]"):
        layer(x, output_size=(9, 5))


def test_recurrent_dropout_and_states():
    morok.manual_seed(0)
    layer = nn.GRU(3, 4, num_layers=2, dropout=0.5)
    x = Tensor.ones(3, 2, 3)
    one, other = layer(x)[0].numpy(), layer(x)[0].numpy()
    assert not np.array_equal(one, other)
    layer.eval()
    whole, last = layer(x)
    first, state = layer(x[:2])
    rest, end = layer(x[2:], state)
    np.testing.assert_allclose(whole.numpy(), np.concatenate([first.numpy(), rest.numpy()]), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(last.numpy(), end.numpy(), rtol=1e-5, atol=1e-6)


WRONG = {
    "output padding": (lambda: nn.functional.conv_transpose1d(Tensor.ones(1, 1, 3), Tensor.ones(1, 1, 2), output_padding=1), ShapeError, "must be less than"),
    "transposed channels": (lambda: nn.functional.conv_transpose1d(Tensor.ones(1, 2, 3), Tensor.ones(1, 1, 2)), ShapeError, "weight's first size"),
    "mode": (lambda: nn.functional.interpolate(Tensor.ones(1, 1, 2), 3, mode="cubic"), ValueError, "nearest, nearest-exact"),
    "mode of axes": (lambda: nn.functional.interpolate(Tensor.ones(1, 1, 2), 3, mode="bilinear"), ShapeError, "of 4 axes"),
    "no size": (lambda: nn.functional.interpolate(Tensor.ones(1, 1, 2)), ValueError, "either size or scale_factor"),
    "antialias": (lambda: nn.functional.interpolate(Tensor.ones(1, 1, 2), 1, antialias=True), NotImplementedError, "antialias"),
    "fold": (lambda: nn.functional.fold(Tensor.ones(1, 4, 5), 4, 2), ShapeError, "has 9 windows"),
    "pixels": (lambda: nn.functional.pixel_shuffle(Tensor.ones(3, 2, 2), 2), ShapeError, "upscale_factor squared"),
    "bins": (lambda: nn.functional.adaptive_avg_pool2d(Tensor.ones(2, 2), 1), ShapeError, "needs an input of 3 or 4"),
    "heads": (lambda: nn.MultiheadAttention(6, 4), ShapeError, "4 heads must divide"),
    "mask": (lambda: nn.MultiheadAttention(4, 2)(*[Tensor.ones(3, 1, 4)] * 3, attn_mask=Tensor.ones(2, 2)), ShapeError, r"attn_mask has shape \(3, 3\)"),
    "state": (lambda: nn.LSTM(2, 3)(Tensor.ones(4, 1, 2), Tensor.ones(1, 1, 3)), ShapeError, "two Tensors"),
    "shape of a state": (lambda: nn.GRU(2, 3)(Tensor.ones(4, 1, 2), Tensor.ones(1, 1, 2)), ShapeError, r"has shape \(1, 1, 3\)"),
    "width": (lambda: nn.RNN(2, 3)(Tensor.ones(4, 1, 3)), ShapeError, r"\(length, batch, 2\)"),
    "pool arguments": (lambda: nn.MaxPool2d(), TypeError, "missing a required argument: 'kernel_size'"),
    "a list of numbers": (lambda: nn.ModuleList([1]), TypeError, "takes modules, not int"),
    "activation": (lambda: nn.TransformerEncoderLayer(4, 2, activation="sine"), ValueError, "'relu', 'gelu' or a function"),
    "no parameters": (lambda: optim.SGD([], lr=0.1), ValueError, "at least one parameter"),
    "one tensor": (lambda: optim.SGD(Tensor([1.0], requires_grad=True)), DTypeError, "a list of parameters"),
    "no variable": (lambda: optim.SGD([Tensor([1.0])]), GradientError, "requires_grad_"),
    "a result": (lambda: optim.SGD([Tensor([1.0], requires_grad=True) * 2]), GradientError, "no variable"),
    "twice": (lambda: optim.SGD([w := Tensor([1.0], requires_grad=True), w]), ValueError, "given twice"),
    "negative rate": (lambda: optim.SGD([Tensor([1.0], requires_grad=True)], lr=-1), ValueError, "must not be negative"),
    "betas": (lambda: optim.Adam([Tensor([1.0], requires_grad=True)], betas=(1, 0.9)), ValueError, "betas"),
    "nesterov": (lambda: optim.SGD([Tensor([1.0], requires_grad=True)], nesterov=True), ValueError, "needs a momentum"),
    "no forward": (lambda: nn.Module()(1), NotImplementedError, "forward"),
    "dropout": (lambda: nn.Dropout(2), BoundsError, "probability"),
    "groups": (lambda: nn.Conv2d(3, 4, 3, groups=2), ShapeError, "must divide"),
    "channels": (lambda: nn.BatchNorm2d(3)(Tensor.zeros(2, 4, 5, 5)), ShapeError, r"takes \(batch, 3"),
    "one value": (lambda: nn.BatchNorm1d(3)(Tensor.zeros(1, 3)), ShapeError, "more than one value"),
    "float classes": (lambda: nn.functional.nll_loss(Tensor.zeros(2, 3), Tensor([0.0, 1.0])), DTypeError, "classes are integers"),
    "shape of classes": (lambda: nn.functional.cross_entropy(Tensor.zeros(2, 3), Tensor([0, 1, 2])), ShapeError, r"have shape \(2,\), not \(3,\)"),
    "class weights": (lambda: nn.functional.cross_entropy(Tensor.zeros(2, 3), Tensor([0, 1]), weight=Tensor([1.0])),
                 ShapeError, "one for each of the 3 classes"),
    "reduction": (lambda: nn.functional.mse_loss(Tensor([1.0]), Tensor([1.0]), reduction="max"), ValueError, "mean, sum, none"),
    "target": (lambda: nn.functional.mse_loss(Tensor([1.0]), Tensor([1.0, 2.0])), ShapeError, "must be equal"),
    "float tokens": (lambda: nn.Embedding(3, 2)(Tensor([0.0])), DTypeError, "indices are integers"),
    "padding": (lambda: nn.Embedding(3, 2, padding_idx=3), BoundsError, "no row of 3"),
    "both masks": (lambda: nn.functional.scaled_dot_product_attention(*[Tensor.zeros(2, 2)] * 3, attn_mask=Tensor.ones(2, 2), is_causal=True),
                 ValueError, "not both"),
    "gain": (lambda: nn.init.calculate_gain("sine"), ValueError, "there are linear"),
    "fans": (lambda: nn.init.xavier_uniform_(Tensor([1.0])), ShapeError, "at least two axes"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_calls(name):
    call, error, message = WRONG[name]
    with pytest.raises(error, match=message):
        call()
