"""Writes reference.json, the values that PyTorch gives for cases.py: python test/python/nn/make_reference.py, where PyTorch is installed."""

import json
from pathlib import Path

import torch
from cases import LOSSES, OPTIMISERS, STEPS, inputs, quadratic

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
Path(__file__).with_name("reference.json").write_text(json.dumps(found, indent=1) + "\n")
