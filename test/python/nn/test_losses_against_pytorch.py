"""Losses by all their options: values and gradients against PyTorch's, which loss_reference.json holds, and what they refuse."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from cases_losses import arrays, cases, weights_for

import morok
from morok import Tensor, nn
from morok.errors import BoundsError, DTypeError, ShapeError

REFERENCE = json.loads(Path(__file__).with_name("loss_reference.json").read_text())
CASES = {name: case for name, *case in cases()}
SIGNS, X = Tensor([1, -1]), Tensor([[1.0, 2.0], [3.0, 4.0]])


@pytest.mark.parametrize("name", CASES)
def test_value_and_gradients(name):
    function, names, options = CASES[name]
    given = {n: Tensor(arrays()[n], requires_grad=not n.startswith("i ")) for n in names}
    inputs = list(given.values())
    if function == "ctc_loss":
        inputs[0] = inputs[0].log_softmax(-1)
    options = {k: Tensor(np.array(v)) if "weight" in k else v for k, v in options.items()}
    loss = getattr(nn.functional, function)(*inputs, **options)
    (loss * Tensor(weights_for(loss.shape))).sum().backward()
    variables = [t for n, t in given.items() if not n.startswith("i ")]
    Tensor.realize_batch([loss, *(t.grad for t in variables if t.grad is not None)])
    want = REFERENCE[name]
    np.testing.assert_allclose(loss.numpy(), want["loss"], rtol=1e-9, atol=1e-11)
    for t, g in zip(variables, want["gradients"], strict=True):
        np.testing.assert_allclose(t.grad.numpy().ravel() if t.grad is not None else 0, 0 if g is None else g, rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("module, function, options", [
    ("MSELoss", "mse_loss", {}), ("SmoothL1Loss", "smooth_l1_loss", {"beta": 0.5}), ("BCEWithLogitsLoss", "binary_cross_entropy_with_logits", {}),
    ("KLDivLoss", "kl_div", {"reduction": "batchmean", "log_target": True}), ("PairwiseDistance", "pairwise_distance", {"p": 1.0}),
    ("CosineSimilarity", "cosine_similarity", {"dim": 0}), ("PoissonNLLLoss", "poisson_nll_loss", {"full": True}),
])
def test_module(module, function, options):
    made = getattr(nn, module)(**options)
    x, y = arrays()["x"], arrays()["shares"]
    np.testing.assert_array_equal(made(Tensor(x), Tensor(y)).numpy(), getattr(nn.functional, function)(Tensor(x), Tensor(y), **options).numpy())
    assert all(f"{k}={v!r}" in repr(made) for k, v in options.items())


def test_options_by_position_and_weights_in_the_state():
    made = nn.CrossEntropyLoss(Tensor([1.0, 2.0]), 5)
    assert made.ignore_index == 5 and set(made.state_dict()) == {"weight"}
    assert made(X, Tensor([5, 0])).item() == pytest.approx(math.log1p(math.exp(1.0)))
    assert nn.TripletMarginLoss(0.5, 1.0).p == 1.0
    with pytest.raises(TypeError, match="bias"):
        nn.MSELoss(bias=True)


def test_ctc_of_nothing_and_of_lengths_in_tensors():
    frames = Tensor(arrays()["frames"]).log_softmax(-1)
    want = REFERENCE["ctc_loss: none"]["loss"]
    labels = arrays()["i labels"]
    lengths = Tensor([7, 5, 6]), Tensor([4, 3, 1])
    np.testing.assert_allclose(nn.functional.ctc_loss(frames, Tensor(labels), *lengths, reduction="none").numpy(), want, rtol=1e-12)
    end_to_end = np.concatenate([row[:n] for row, n in zip(labels, (4, 3, 1))])
    jitted = morok.jit(lambda f, t, a, b: nn.functional.ctc_loss(f, t, a, b, reduction="none"))
    np.testing.assert_allclose(jitted(frames, Tensor(end_to_end), *lengths).numpy(), want, rtol=1e-12)
    empty = nn.functional.ctc_loss(frames, Tensor(labels[:, :0]), [7, 0, 2], [0, 0, 0], reduction="none")
    np.testing.assert_allclose(empty.numpy(), [-frames[:, 0, 0].sum().item(), 0, -frames[:2, 2, 0].sum().item()], rtol=1e-12)


@pytest.mark.parametrize(("frames", "classes", "longest"), [(9, 4, 3), (3, 3, 1), (1, 2, 1)])
def test_second_derivatives_of_ctc_are_the_differences_of_first_ones(frames, classes, longest):
    rng = np.random.default_rng(0)
    x, v, labels = rng.normal(size=(frames, 2, classes)), rng.normal(size=(frames, 2, classes)), rng.integers(1, classes, (2, longest))

    def loss(x):
        of_each = nn.functional.ctc_loss(x.log_softmax(-1), Tensor(labels), [frames, max(frames - 1, 1)], [longest, 1], reduction="none", zero_infinity=True)
        return (of_each * of_each).sum()
    step = 1e-5
    differences = [morok.grad(loss)(Tensor(x + s * step * v)).numpy() for s in (1, -1)]
    wanted = (differences[0] - differences[1]) / (2 * step)
    np.testing.assert_allclose(morok.hvp(loss, (Tensor(x),), (Tensor(v),))[1][0].numpy(), wanted, rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(morok.jvp(morok.grad(loss), (Tensor(x),), (Tensor(v),))[1].numpy(), wanted, rtol=1e-5, atol=1e-7)
    slope = (loss(Tensor(x + step * v)).item() - loss(Tensor(x - step * v)).item()) / (2 * step)
    assert morok.jvp(loss, (Tensor(x),), (Tensor(v),))[1].item() == pytest.approx(slope, rel=1e-6)


def test_ctc_impossible_is_infinite():
    loss = nn.functional.ctc_loss(Tensor.zeros(2, 1, 3).log_softmax(-1), Tensor([[1, 1]]), [2], [2], reduction="none")
    assert loss.tolist() == [math.inf]  # a repeated label needs a blank between
    sure = Tensor([[[1.0, 0.0]], [[0.0, 1.0]]], requires_grad=True)
    loss = nn.functional.ctc_loss(sure.log(), Tensor([[1]]), [2], [1])
    loss.backward()
    assert loss.item() == 0 and np.isfinite(sure.grad.numpy()[[0, 1], 0, [0, 1]]).all()


def test_values_where_formulas_overflow():
    f = nn.functional
    x = Tensor([1e4, -1e4], requires_grad=True)
    f.binary_cross_entropy_with_logits(x, Tensor([0.0, 1.0]), reduction="sum").backward()
    assert x.grad.tolist() == [1.0, -1.0]
    x = Tensor([math.inf, -3.0], requires_grad=True)
    f.huber_loss(x, Tensor([0.0, 0.0]), reduction="sum").backward()
    assert x.grad.tolist() == [1.0, -1.0]
    assert f.soft_margin_loss(Tensor([-1e4]), Tensor([1.0])).item() == 1e4


@pytest.mark.parametrize("error, message, call", [
    (ValueError, "none", lambda f: f.mse_loss(X, X, reduction="all")), (ShapeError, "must be equal", lambda f: f.l1_loss(X, X[0])),
    (BoundsError, "delta", lambda f: f.huber_loss(X, X, delta=0)), (BoundsError, "beta", lambda f: f.smooth_l1_loss(X, X, beta=-1)),
    (DTypeError, "integers", lambda f: f.nll_loss(X, X[0])), (ShapeError, "classes", lambda f: f.cross_entropy(X, Tensor([0, 1, 1]))),
    (ShapeError, "weight", lambda f: f.cross_entropy(X, SIGNS, weight=[1.0])), (BoundsError, "smoothing", lambda f: f.cross_entropy(X, X, label_smoothing=2)),
    (ShapeError, "var", lambda f: f.gaussian_nll_loss(X, X, [1.0, 2.0, 3.0])), (ShapeError, "broadcast", lambda f: f.poisson_nll_loss(X, [1.0, 2.0, 3.0])),
    (ValueError, "p is", lambda f: f.multi_margin_loss(X, SIGNS, p=3)), (DTypeError, "integers", lambda f: f.multi_margin_loss(X, X[0])),
    (ShapeError, "target", lambda f: f.cosine_embedding_loss(X, X, X)), (BoundsError, "margin", lambda f: f.triplet_margin_loss(X, X, X, margin=0)),
    (BoundsError, "blank", lambda f: f.ctc_loss(X, SIGNS, 2, 1, blank=2)), (BoundsError, "input_lengths", lambda f: f.ctc_loss(X, SIGNS, 3, 1)),
    (BoundsError, "add up", lambda f: f.ctc_loss(X.unsqueeze(1), SIGNS, [2], [1])), (ShapeError, "input_lengths", lambda f: f.ctc_loss(X, SIGNS, [2, 2], 1)),
])
def test_errors(error, message, call):
    with pytest.raises(error, match=message):
        call(nn.functional)


def test_ctc_is_one_program_for_any_number_of_frames_and_can_be_mapped():
    def loss(x, labels):
        return nn.functional.ctc_loss(x.log_softmax(-1), labels, [x.shape[0]], [labels.shape[0]])

    def launches(frames):
        return morok.grad(lambda x: loss(x, Tensor([1, 2, 2])))(Tensor(np.zeros((frames, 4)))).prepare().report().count("launches")
    assert launches(60) == launches(6)
    x, labels = Tensor(arrays()["frames"].transpose(1, 0, 2).copy()), Tensor(arrays()["i labels"])
    found = morok.vmap(morok.grad(loss))(x, labels)
    for i in range(3):
        np.testing.assert_allclose(found.numpy()[i], morok.grad(loss)(x[i], labels[i]).numpy(), rtol=1e-10, atol=1e-12)
