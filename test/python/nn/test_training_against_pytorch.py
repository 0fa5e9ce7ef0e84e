"""Optimisers with all their options, schedules and clipped gradients against PyTorch's values, which training_reference.json holds."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from cases_training import LARGEST, METRICS, NORMS, OPTIMISERS, PLATEAUS, RATES, SCHEDULES, gradients, options, quadratic

import morok
from morok import Tensor, optim
from morok.errors import BoundsError, JitError, ShapeError

REFERENCE = json.loads(Path(__file__).with_name("training_reference.json").read_text())


@pytest.mark.parametrize("captured", [False, True])
@pytest.mark.parametrize("name", OPTIMISERS)
def test_optimisers(name, captured):
    kind, given = OPTIMISERS[name]
    start, a, b = quadratic()
    w, a, b = Tensor(start, requires_grad=True), Tensor(a), Tensor(b)
    optimiser = getattr(optim, kind)([w], **options(given))

    def step():
        optimiser.zero_grad()
        ((a @ w - b) ** 2).sum().backward()
        optimiser.step()
    run = morok.jit(step) if captured else step
    for i, want in enumerate(REFERENCE["optimisers"][name]):
        run()
        np.testing.assert_allclose(w.numpy(), want, rtol=5e-6, atol=1e-7, err_msg=f"step {i}")


def two_groups():
    return optim.SGD([{"params": [Tensor([1.0, 1.0], requires_grad=True)], "lr": rate} for rate in RATES], momentum=0.9)


def rates_of(optimiser):
    return [[g["lr"].item(), m.item() if isinstance(m := g["momentum"], Tensor) else m] for g in optimiser.param_groups]


def schedule(name, optimiser):
    if name == "LambdaLR":
        return optim.LambdaLR(optimiser, [lambda e: 0.9 ** e, lambda e: 1 / (e + 1)])
    if name == "MultiplicativeLR":
        return optim.MultiplicativeLR(optimiser, lambda e: 1 / e)
    if name == "SequentialLR":
        parts = [optim.LinearLR(optimiser, 0.1, total_iters=3), optim.ExponentialLR(optimiser, 0.5), optim.CosineAnnealingLR(optimiser, 4)]
        return optim.SequentialLR(optimiser, parts, [3, 7])
    kind, given = SCHEDULES[name]
    return getattr(optim, kind)(optimiser, **given)


@pytest.mark.parametrize("name", REFERENCE["schedules"])
def test_schedules(name):
    optimiser = two_groups()
    s = schedule(name, optimiser)
    for i, want in enumerate(REFERENCE["schedules"][name]):
        np.testing.assert_allclose(rates_of(optimiser), want, rtol=1e-6, atol=1e-9, err_msg=f"step {i}")
        np.testing.assert_allclose(s.get_last_lr(), [rate for rate, _ in want], rtol=1e-9, atol=1e-12)
        kept = s.state_dict()
        if i + 1 < len(REFERENCE["schedules"][name]):
            s.step()
    other = two_groups()
    again = schedule(name, other)
    again.load_state_dict(kept)
    assert rates_of(other) == rates_of(optimiser) and again.last_epoch == s.last_epoch


@pytest.mark.parametrize("name", PLATEAUS)
def test_plateaus(name):
    optimiser = two_groups()
    s = optim.ReduceLROnPlateau(optimiser, **PLATEAUS[name])
    for i, want in enumerate(REFERENCE["plateaus"][name]):
        np.testing.assert_allclose(rates_of(optimiser), want, rtol=1e-6, err_msg=f"step {i}")
        s.step(METRICS[i] if i % 2 else Tensor(METRICS[i], dtype="float64"))
        if i == 6:
            kept = s.state_dict()
            s = optim.ReduceLROnPlateau(optimiser, **PLATEAUS[name])
            s.load_state_dict(kept)


@pytest.mark.parametrize("captured", [False, True])
@pytest.mark.parametrize("order", NORMS)
def test_clipped_norms(order, captured):
    for largest in LARGEST:
        parameters = [Tensor.zeros(*g.shape, dtype="float64").requires_grad_() for g in gradients()]
        for p, g in zip(parameters, gradients()):
            p.grad = Tensor(g)

        def clip(parameters=parameters, largest=largest):
            return optim.clip_grad_norm_(iter(parameters), largest, order)
        want = REFERENCE["clipped"][f"{order} {largest}"]
        np.testing.assert_allclose((morok.jit(clip) if captured else clip)().item(), want["norm"], rtol=1e-12)
        for p, g in zip(parameters, want["gradients"]):
            np.testing.assert_allclose(p.grad.numpy(), g, rtol=1e-12)


def test_clipped_values_and_what_is_not_finite():
    p, q = Tensor.zeros(3).requires_grad_(), Tensor.zeros(2).requires_grad_()
    assert optim.clip_grad_norm_([p, q], 1.0).item() == 0
    p.grad = Tensor([-3.0, 0.25, math.nan])
    with pytest.raises(BoundsError, match="nothing was scaled"):
        optim.clip_grad_norm_([p, q], 1.0, error_if_nonfinite=True)
    optim.clip_grad_value_(p, 0.5)
    np.testing.assert_array_equal(p.grad.numpy(), [-0.5, 0.25, math.nan])
    for call in (lambda: optim.clip_grad_norm_(p, -1.0), lambda: optim.clip_grad_value_(p, -1.0)):
        with pytest.raises(BoundsError, match="must not be negative"):
            call()


def test_a_captured_step_follows_its_schedule():
    def path(wrap):
        w = Tensor([1.0, -2.0], requires_grad=True)
        optimiser = optim.SGD([w], lr=1.0, momentum=0.9)
        s = optim.OneCycleLR(optimiser, max_lr=0.3, total_steps=8)

        def step():
            optimiser.zero_grad()
            (w * w * w).sum().backward()
            optim.clip_grad_norm_([w], 1.0)
            optimiser.step()
        run, found = wrap(step), []
        for _ in range(7):
            run()
            s.step()
            found.append(w.tolist())
        return found, run
    (want, _), (got, run) = path(lambda f: f), path(morok.jit)
    np.testing.assert_allclose(got, want, rtol=1e-6)
    assert run.captures == 1

    @morok.jit
    def within():
        s.step()
    s = optim.StepLR(two_groups(), 1)
    with pytest.raises(JitError, match="call it outside"):
        within()
    assert s.last_epoch == 0


@pytest.mark.parametrize("name", ["momentum", "amsgrad", "nadam", "one cycle"])
def test_training_goes_on_from_a_state(name):
    def begin():
        w = Tensor([[1.0, -2.0], [0.5, 3.0]], requires_grad=True)
        optimiser = {"momentum": lambda: optim.SGD([w], 0.1, 0.9), "amsgrad": lambda: optim.AdamW([w], amsgrad=True),
                     "nadam": lambda: optim.NAdam([w]), "one cycle": lambda: optim.Adam([w])}[name]()
        return w, optimiser, optim.OneCycleLR(optimiser, 0.1, total_steps=9) if name == "one cycle" else optim.ExponentialLR(optimiser, 0.5)

    def train(w, optimiser, schedule, steps=3):
        for _ in range(steps):
            optimiser.zero_grad()
            (w ** 4).sum().backward()
            optimiser.step()
            schedule.step()
    first = begin()
    train(*first)
    second = begin()
    with morok.no_grad():
        second[0].assign(first[0].detach().clone())
    second[1].load_state_dict(first[1].state_dict())
    second[2].load_state_dict(first[2].state_dict())
    train(*first)
    train(*second)
    np.testing.assert_array_equal(first[0].numpy(), second[0].numpy())


def test_groups_have_slots_and_options_of_their_own():
    a, b, c = (Tensor([1.0], requires_grad=True) for _ in range(3))
    optimiser = optim.SGD([{"params": a}, {"params": [b], "momentum": 0.5, "lr": 0.5}], lr=0.1)
    optimiser.add_param_group({"params": [c], "maximize": True})
    for _ in range(2):
        optimiser.zero_grad()
        (a * 2 + b * 2 + c * 2).sum().backward()
        optimiser.step()
    np.testing.assert_allclose([t.item() for t in (a, b, c)], [1 - 0.4, 1 - 0.5 * 2 - 0.5 * 3, 1.4], rtol=1e-6)
    assert list(optimiser.state_dict()["state"][1]) == ["momentum_buffer"]


def test_a_step_is_one_plan_and_equal_updates_are_compiled_once():
    weights = [Tensor.ones(3, 5).requires_grad_() for _ in range(12)]
    optimiser = optim.AdamW(weights)
    for w in weights:
        w.grad = Tensor.ones(3, 5)
    step = morok.jit(lambda: optimiser.step())
    step()
    report = step.report()
    assert "k1 ×12" in report and "2 launches of 2 kernels in 2 groups" in report, report


def one():
    return [Tensor([1.0], requires_grad=True)]


WRONG = {
    "option": (lambda: optim.SGD([{"params": one(), "betas": (0.1, 0.2)}]), ValueError, "SGD takes no option 'betas'"),
    "betas": (lambda: optim.NAdam(one(), betas=(1.0, 0.9)), ValueError, "betas must be from 0"),
    "decay": (lambda: optim.AdamW(one(), weight_decay=-1.0), ValueError, "weight_decay must not be negative"),
    "momentum": (lambda: optim.RMSprop(one(), momentum=-1.0), ValueError, "momentum must not be negative"),
    "muon of a vector": (lambda: optim.Muon(one()), ShapeError, r"shape \(1,\); only matrices"),
    "muon's rate": (lambda: optim.Muon([Tensor.ones(2, 2).requires_grad_()], adjust_lr_fn="x"), ValueError, "match_rms_adamw"),
    "schedule of nothing": (lambda: optim.StepLR(one(), 1), TypeError, "takes an optimiser"),
    "no step": (lambda: optim.StepLR(two_groups(), 0), ValueError, "whole number from 1"),
    "going on": (lambda: optim.ExponentialLR(two_groups(), 0.5, last_epoch=3), ValueError, "knows no initial_lr"),
    "milestones": (lambda: optim.SequentialLR(two_groups(), [], [1, 2]), ValueError, "milestones"),
    "plateau in sequence": (lambda: optim.SequentialLR(o := two_groups(), [optim.ReduceLROnPlateau(o)], []), TypeError, "needs more than the step"),
    "cycle without momentum": (lambda: optim.OneCycleLR(optim.Adagrad(one()), 0.1, total_steps=5), ValueError, "cycle_momentum=False"),
    "cycle's steps": (lambda: optim.OneCycleLR(two_groups(), 0.1), ValueError, "give total_steps"),
    "groups": (lambda: optim.LambdaLR(two_groups(), [abs]), ValueError, "1 given for 2 groups"),
    "slots": (lambda: optim.SGD(one(), momentum=0.5).load_state_dict(optim.SGD(one()).state_dict()), ValueError, "momentum_buffer of shape"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_calls(name):
    call, error, message = WRONG[name]
    with pytest.raises(error, match=message):
        call()


def test_a_cycle_ends():
    s = optim.OneCycleLR(two_groups(), 0.1, total_steps=2)
    s.step()
    with pytest.raises(ValueError, match="the schedule ends there"):
        s.step()
    assert s.last_epoch == 1
