"""States of optimisers and schedules in safetensors files: training goes on as if it had not been interrupted. And how optimisers show themselves."""

import numpy as np
import pytest

import morok
from morok import Tensor, nn, optim
from morok.errors import DTypeError, FormatError

X, Y = np.random.default_rng(0).normal(size=(8, 3)).astype(np.float32), np.random.default_rng(1).normal(size=(8, 1)).astype(np.float32)
KINDS = {
    "SGD": {"lr": 0.1, "momentum": 0.9}, "Adam": {"lr": 0.01, "betas": (0.8, 0.9)}, "AdamW": {"lr": 0.01}, "RMSprop": {"lr": 0.01}, "Adagrad": {"lr": 0.1},
    "LAMB": {"lr": 0.01},
}


def training(kind):
    model = nn.Linear(3, 1)
    model.load_state_dict({"weight": np.full((1, 3), 0.5, np.float32), "bias": np.zeros(1, np.float32)})
    optimizer = getattr(optim, kind)([{"params": [model.weight]}, {"params": [model.bias], "lr": 0.02}], **KINDS[kind])
    return model, optimizer, optim.StepLR(optimizer, 2, 0.5)


def steps(model, optimizer, schedule, count):
    for _ in range(count):
        optimizer.zero_grad()
        nn.functional.mse_loss(model(Tensor(X)), Tensor(Y)).backward()
        optimizer.step()
        schedule.step()
    return np.concatenate([model.weight.detach().numpy().ravel(), model.bias.detach().numpy()])


@pytest.mark.parametrize("kind", KINDS)
def test_training_goes_on(kind, tmp_path):
    wanted = steps(*training(kind), 5)
    model, optimizer, schedule = training(kind)
    steps(model, optimizer, schedule, 3)
    path = tmp_path / "training.safetensors"
    morok.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "schedule": schedule.state_dict(), "epoch": 3}, path, {"by": "test"})
    found = morok.load(path)
    assert found["epoch"] == 3 and morok.load_metadata(path) == {"by": "test"}
    model, optimizer, schedule = training(kind)
    model.load_state_dict(found["model"])
    optimizer.load_state_dict(found["optimizer"])
    schedule.load_state_dict(found["schedule"])
    np.testing.assert_array_equal(steps(model, optimizer, schedule, 2), wanted)


def test_an_optimiser_is_saved_as_it_is(tmp_path):
    model, optimizer, schedule = training("Adam")
    steps(model, optimizer, schedule, 2)
    morok.save(optimizer, tmp_path / "o.safetensors")
    found, state = morok.load(tmp_path / "o.safetensors"), optimizer.state_dict()
    assert found["param_groups"] == state["param_groups"] and found["state"].keys() == state["state"].keys()


def test_structures(tmp_path):
    path = tmp_path / "s.safetensors"
    value = {"a.b": {0: Tensor([1.0])}, "a": {"b.0": Tensor([2.0]), "b": {0: np.array([3])}}, "l": [1, 2.5, None, True, "x", (), [], {}],
             "u": (1, (float("inf"), np.float32(0.5))), "empty": Tensor(np.zeros((0, 2)))}
    morok.save(value, path)
    found = morok.load(path)
    assert (found["a.b"][0].item(), found["a"]["b.0"].item(), found["a"]["b"][0].item()) == (1.0, 2.0, 3)
    assert found["l"] == value["l"] and found["u"] == (1, (float("inf"), 0.5)) and found["empty"].shape == (0, 2)
    with pytest.raises(DTypeError, match="save: takes Tensors by name, and dicts, lists, numbers and texts round them, not 'a.0': object"):
        morok.save({"a": [object()]}, path)
    assert morok.load(path)["l"] == value["l"]
    morok.save({"t": Tensor([1.0])}, path, {"morok.structure": "{}"})
    with pytest.raises(FormatError, match="the structure among the metadata is damaged"):
        morok.load(path)


def test_an_optimiser_shows_its_groups():
    _, optimizer, _ = training("SGD")
    text = repr(optimizer)
    assert text.startswith("SGD (\nParameter Group 0\n") and text.endswith("\n)")
    assert "Parameter Group 1" in text and "    lr: 0.02\n" in text and "    momentum: 0.9\n" in text and "    parameters: (1, 3)\n" in text
