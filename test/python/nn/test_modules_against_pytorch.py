"""Modules: names of their states, outputs, gradients and buffers against PyTorch's, which reference.json holds."""

import json
from pathlib import Path

import pytest
from cases import MODULES, drawn, mask_for, state_for, weights_for
from test_functions_against_pytorch import compare

from morok import Tensor, nn

REFERENCE = json.loads(Path(__file__).with_name("reference.json").read_text())["modules"]


def flat(tree):
    return [t for part in tree for t in flat(part)] if isinstance(tree, (tuple, list)) else [] if tree is None else [tree]


def variables(arrays):
    return [tuple(variables(a)) if isinstance(a, tuple) else Tensor(a, requires_grad=True) for a in arrays]


@pytest.mark.parametrize("name", MODULES)
def test_module(name):
    kind, arguments, options, shapes, more = MODULES[name]
    wanted = REFERENCE[name]
    module = getattr(nn, kind)(*arguments, **options).double()
    state = module.state_dict()
    assert sorted(state) == wanted["state"]
    module.load_state_dict(state_for({n: t.shape for n, t in state.items()}), strict=False)
    given = variables(drawn(shapes))
    outputs = flat(module(*given, **{k: Tensor(mask_for(v)) if isinstance(v, str) else v for k, v in more.items()}))
    sum((o * Tensor(weights_for(o.shape)[0])).sum() for o in outputs).backward()
    parameters, buffers = dict(module.named_parameters()), dict(module.named_buffers())
    variables_ = flat(given) + [parameters[n] for n in sorted(parameters)]
    Tensor.realize_batch([*outputs, *(t.grad for t in variables_), *buffers.values()])
    for i, (o, want) in enumerate(zip(outputs, wanted["outputs"], strict=True)):
        compare(o.numpy(), want, f"output {i}")
    for i, (t, want) in enumerate(zip(variables_, wanted["gradients"], strict=True)):
        compare(t.grad.numpy(), want, f"gradient {i}")
    for n, want in wanted["buffers"].items():
        compare(buffers[n].numpy(), want, n)
