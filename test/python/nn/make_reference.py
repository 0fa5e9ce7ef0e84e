"""Writes reference.json, the values that PyTorch gives for cases.py: python test/python/nn/make_reference.py, where PyTorch is installed."""

import json
import re
from pathlib import Path

import torch
from cases import FUNCTIONS, LOSSES, MODULES, OPTIMISERS, STEPS, digest, drawn, inputs, mask_for, quadratic, state_for, weights_for

found: dict[str, dict] = {"version": torch.__version__, "losses": {}, "optimisers": {}}
for name, (kind, options) in LOSSES.items():
    x, target = (torch.tensor(a) for a in inputs(kind))
    x.requires_grad_()
    given = {k: torch.tensor(v, dtype=torch.float64) if isinstance(v, list) else v for k, v in options.items()}
    loss = getattr(torch.nn.functional, name.split()[0])(x, target, **given)
    loss.backward()
    found["losses"][name] = {"loss": loss.item(), "gradient": x.grad.tolist()}
for name, (kind, options) in OPTIMISERS.items():
    start, a, b = (torch.tensor(v) for v in quadratic())
    w = start.clone().requires_grad_()
    optimiser = getattr(torch.optim, kind)([w], **options)
    path = []
    for _ in range(STEPS):
        optimiser.zero_grad()
        ((a @ w - b) ** 2).sum().backward()
        optimiser.step()
        path.append(w.tolist())
    found["optimisers"][name] = path


def flat(tree):
    return [t for part in tree for t in flat(part)] if isinstance(tree, (tuple, list)) else [] if tree is None else [tree]


def variables(arrays):
    return [tuple(variables(a)) if isinstance(a, tuple) else torch.tensor(a, requires_grad=True) for a in arrays]


def digests(result, given):
    outputs = flat(result)
    sum((o * torch.tensor(weights_for(o.shape)[0])).sum() for o in outputs if o.is_floating_point()).backward()
    return {"outputs": [digest(o.detach()) for o in outputs], "gradients": [digest(t.grad) for t in given]}


found["functions"], found["modules"] = {}, {}
for name, (function, shapes, options) in FUNCTIONS.items():
    given = variables(drawn(shapes))
    found["functions"][name] = digests(getattr(torch.nn.functional, function)(*given, **options), given)
for name, (kind, arguments, options, shapes, more) in MODULES.items():
    module = getattr(torch.nn, kind)(*arguments, **options).double()
    state = state_for({n: t.shape for n, t in module.state_dict().items()})
    module.load_state_dict({n: torch.tensor(v) for n, v in state.items()}, strict=False)
    given = variables(drawn(shapes))
    result = module(*given, **{k: torch.tensor(mask_for(v)) if isinstance(v, str) else v for k, v in more.items()})
    parameters = dict(module.named_parameters())
    values = digests(result, flat(given) + [parameters[n] for n in sorted(parameters)])
    values["state"] = sorted(module.state_dict())
    values["buffers"] = {n: digest(b) for n, b in module.named_buffers()}
    found["modules"][name] = values
text = json.dumps(found, indent=1)
text = re.sub(r"\[[^\[\]{}]*\]", lambda m: " ".join(m[0].split()), text)  # lists of numbers on one line
Path(__file__).with_name("reference.json").write_text(text + "\n")
