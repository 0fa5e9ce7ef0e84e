"""Writes training_reference.json, the values that PyTorch gives for cases_training.py: python test/python/nn/make_training_reference.py, where PyTorch is."""

import json
from pathlib import Path

import torch
from cases_training import LARGEST, METRICS, NORMS, OPTIMISERS, PLATEAUS, RATES, ROUNDS, SCHEDULES, STEPS, gradients, options, quadratic

found: dict[str, dict] = {"version": torch.__version__, "optimisers": {}, "schedules": {}, "plateaus": {}, "clipped": {}}
torch.Tensor.bfloat16 = lambda self: self.clone()  # Muon's iteration without rounding
for name, (kind, given) in OPTIMISERS.items():
    start, a, b = (torch.tensor(v) for v in quadratic())
    w = start.clone().requires_grad_()
    optimiser = getattr(torch.optim, kind)([w], **options(given))
    path = []
    for _ in range(STEPS):
        optimiser.zero_grad()
        ((a @ w - b) ** 2).sum().backward()
        optimiser.step()
        path.append(w.tolist())
    found["optimisers"][name] = path


def two_groups():
    return torch.optim.SGD([{"params": [torch.ones(2, requires_grad=True)], "lr": rate} for rate in RATES], momentum=0.9)


def rates_of(optimiser, schedule, rounds, *steps):
    path = []
    for i in range(rounds):
        path.append([[g["lr"], g["momentum"]] for g in optimiser.param_groups])
        optimiser.step()
        schedule.step(*(s[i] for s in steps))
    return path


for name, (kind, given) in SCHEDULES.items():
    optimiser = two_groups()
    found["schedules"][name] = rates_of(optimiser, getattr(torch.optim.lr_scheduler, kind)(optimiser, **given), ROUNDS)
optimiser = two_groups()
parts = [torch.optim.lr_scheduler.LinearLR(optimiser, 0.1, total_iters=3), torch.optim.lr_scheduler.ExponentialLR(optimiser, 0.5),
         torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, 4)]
found["schedules"]["SequentialLR"] = rates_of(optimiser, torch.optim.lr_scheduler.SequentialLR(optimiser, parts, [3, 7]), ROUNDS)
optimiser = two_groups()
found["schedules"]["LambdaLR"] = rates_of(optimiser, torch.optim.lr_scheduler.LambdaLR(optimiser, [lambda e: 0.9 ** e, lambda e: 1 / (e + 1)]), ROUNDS)
optimiser = two_groups()
found["schedules"]["MultiplicativeLR"] = rates_of(optimiser, torch.optim.lr_scheduler.MultiplicativeLR(optimiser, lambda e: 1 / e), ROUNDS)
for name, given in PLATEAUS.items():
    optimiser = two_groups()
    found["plateaus"][name] = rates_of(optimiser, torch.optim.lr_scheduler.ReduceLROnPlateau(optimiser, **given), len(METRICS), METRICS)
for order in NORMS:
    for largest in LARGEST:
        parameters = []
        for g in gradients():
            p = torch.zeros(g.shape, dtype=torch.float64, requires_grad=True)
            p.grad = torch.tensor(g)
            parameters.append(p)
        total = torch.nn.utils.clip_grad_norm_(parameters, largest, order)
        found["clipped"][f"{order} {largest}"] = {"norm": total.item(), "gradients": [p.grad.tolist() for p in parameters]}
Path(__file__).with_name("training_reference.json").write_text(json.dumps(found, indent=1) + "\n")
