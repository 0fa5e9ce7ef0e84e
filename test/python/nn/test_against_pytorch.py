"""Losses, their gradients and optimisers against PyTorch's values, which reference.json holds."""

import json
from pathlib import Path

import numpy as np
import pytest
from cases import LOSSES, OPTIMISERS, inputs, quadratic

import morok
from morok import Tensor, nn, optim

REFERENCE = json.loads(Path(__file__).with_name("reference.json").read_text())


@pytest.mark.parametrize("name", LOSSES)
def test_losses(name):
    kind, options = LOSSES[name]
    x, target = inputs(kind)
    given = {k: Tensor(np.array(v)) if isinstance(v, list) else v for k, v in options.items()}
    loss, gradient = morok.value_and_grad(lambda x: getattr(nn.functional, name.split()[0])(x, Tensor(target), **given))(Tensor(x))
    want = REFERENCE["losses"][name]
    np.testing.assert_allclose(loss.item(), want["loss"], rtol=1e-12)
    np.testing.assert_allclose(gradient.numpy(), want["gradient"], rtol=1e-10, atol=1e-14)


@pytest.mark.parametrize("captured", [False, True])
@pytest.mark.parametrize("name", OPTIMISERS)
def test_optimisers(name, captured):
    kind, options = OPTIMISERS[name]
    start, a, b = quadratic()
    w, a, b = Tensor(start, requires_grad=True), Tensor(a), Tensor(b)
    optimiser = getattr(optim, kind)([w], **options)

    def step():
        optimiser.zero_grad()
        ((a @ w - b) ** 2).sum().backward()
        optimiser.step()
    run = morok.jit(step) if captured else step
    for i, want in enumerate(REFERENCE["optimisers"][name]):
        run()
        np.testing.assert_allclose(w.numpy(), want, rtol=2e-6, err_msg=f"step {i}")
