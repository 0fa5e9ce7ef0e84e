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


WRONG = {
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
