"""Learning-rate schedules: what the learning rate is at each step, a function of the step alone. Names, defaults and values are PyTorch's.

    schedule = optim.OneCycleLR(optimizer, max_lr=0.1, total_steps=100)
    for x, y in batches:
        step(x, y); schedule.step()

The learning rate is a tensor that the optimiser reads: a captured step follows it, and nothing is compiled anew.
"""
from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..errors import JitError
from ..tensor.tensor import Tensor
from ..tensor.tracing import TRACING
from .optimizer import Group, Optimizer, number_of, set_number


def refuse_within_trace(what: str) -> None:
    """JitError within a captured function, where a step would happen once, at the capture."""
    if TRACING.count and TRACING.current is not None:
        raise JitError(f"{what}.step() inside a function that morok.jit captures would run at its capture only; call it outside, after the captured "
                       "function: that reads the learning rate as a tensor")


class LRScheduler:
    """The base of schedules: `rate(epoch, base, group)` is the learning rate of a group, whose rate at first is `base`, after so many steps.

    `last_epoch` other than -1 goes on from there, of an optimiser that had a schedule before.

        class Halving(optim.LRScheduler):
            def rate(self, epoch, base, group):
                return base * 0.5 ** epoch
    """

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        if not isinstance(optimizer, Optimizer):
            raise TypeError(f"{type(self).__name__}: takes an optimiser of morok.optim, not {type(optimizer).__name__}")
        refuse_within_trace(type(self).__name__)
        self.optimizer = optimizer
        for group in optimizer.param_groups:
            if last_epoch != -1 and "initial_lr" not in group:
                raise ValueError(f"{type(self).__name__}: last_epoch {last_epoch} is for an optimiser that had a schedule; this one knows no initial_lr")
            group.setdefault("initial_lr", number_of(group["lr"]))
        self.base_lrs = [group["initial_lr"] for group in optimizer.param_groups]
        self.last_epoch = last_epoch
        self.step()

    def rate(self, epoch: float, base: float, group: int) -> float:
        raise NotImplementedError(f"{type(self).__name__} has no rate(); define it to say what the learning rate is")

    def step(self, epoch: float | None = None) -> None:
        """Goes to the next step, or to the one given, and sets the learning rates. JitError within a captured function."""
        refuse_within_trace(type(self).__name__)
        epoch = self.last_epoch + 1 if epoch is None else epoch
        rates = [self.rate(epoch, base, i) for i, base in enumerate(self.base_lrs)]
        self.last_epoch = epoch  # type: ignore[assignment]
        self._take(rates)

    def _take(self, rates: list[float]) -> None:
        self._last_lr = rates
        for group, rate in zip(self.optimizer.param_groups, rates):
            set_number(group["lr"], rate)

    def get_last_lr(self) -> list[float]:
        """The learning rate of each group."""
        return list(self._last_lr)

    def state_dict(self) -> dict[str, Any]:
        """The step, and the learning rates that groups had at first."""
        return {"last_epoch": self.last_epoch, "base_lrs": list(self.base_lrs)}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Goes to where `state_dict` was; sets the learning rates too. ValueError for another number of groups."""
        if len(state["base_lrs"]) != len(self.base_lrs):
            raise ValueError(f"load_state_dict: rates of {len(state['base_lrs'])} groups for an optimiser that has {len(self.base_lrs)}")
        self.base_lrs = list(state["base_lrs"])
        self.step(state["last_epoch"])

    def __repr__(self) -> str:
        return f"{type(self).__name__}(step {self.last_epoch}, lr {', '.join(f'{r:g}' for r in self._last_lr)})"


class StepLR(LRScheduler):
    """Times gamma after each `step_size` steps.

        optim.StepLR(optimizer, step_size=30, gamma=0.1)
    """

    def __init__(self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1) -> None:
        self.step_size, self.gamma = _positive(step_size, "StepLR: step_size"), gamma
        super().__init__(optimizer, last_epoch)

    def rate(self, epoch: float, base: float, group: int) -> float:
        return base * self.gamma ** (epoch // self.step_size)


class MultiStepLR(LRScheduler):
    """Times gamma at each of the milestones.

        optim.MultiStepLR(optimizer, milestones=[30, 80])
    """

    def __init__(self, optimizer: Optimizer, milestones: Sequence[int], gamma: float = 0.1, last_epoch: int = -1) -> None:
        if not isinstance(milestones, Sequence):
            raise TypeError(f"MultiStepLR: milestones are a list of steps, not {milestones!r}")
        self.milestones, self.gamma = sorted(milestones), gamma
        super().__init__(optimizer, last_epoch)

    def rate(self, epoch: float, base: float, group: int) -> float:
        return base * self.gamma ** bisect_right(self.milestones, epoch)


class ConstantLR(LRScheduler):
    """Times factor for the first `total_iters` steps.

        optim.ConstantLR(optimizer, factor=0.5, total_iters=4)
    """

    def __init__(self, optimizer: Optimizer, factor: float = 1 / 3, total_iters: int = 5, last_epoch: int = -1) -> None:
        self.factor, self.total_iters = factor, total_iters
        super().__init__(optimizer, last_epoch)

    def rate(self, epoch: float, base: float, group: int) -> float:
        return base * (self.factor if epoch < self.total_iters else 1.0)


class LinearLR(LRScheduler):
    """Times a factor that goes from `start_factor` to `end_factor` in `total_iters` steps.

        optim.LinearLR(optimizer, start_factor=0.1, total_iters=100)
    """

    def __init__(self, optimizer: Optimizer, start_factor: float = 1 / 3, end_factor: float = 1.0, total_iters: int = 5, last_epoch: int = -1) -> None:
        if not 0 < start_factor <= 1 or not 0 <= end_factor <= 1:
            raise ValueError(f"LinearLR: factors are from 0 to 1 (the first not 0), given {start_factor} and {end_factor}")
        self.start_factor, self.end_factor, self.total_iters = start_factor, end_factor, _positive(total_iters, "LinearLR: total_iters")
        super().__init__(optimizer, last_epoch)

    def rate(self, epoch: float, base: float, group: int) -> float:
        return base * (self.start_factor + (self.end_factor - self.start_factor) * min(epoch, self.total_iters) / self.total_iters)


class ExponentialLR(LRScheduler):
    """Times gamma at each step.

        optim.ExponentialLR(optimizer, gamma=0.99)
    """

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def rate(self, epoch: float, base: float, group: int) -> float:
        return base * self.gamma ** epoch


class PolynomialLR(LRScheduler):
    """Down to 0 in `total_iters` steps, as a power of what is left.

        optim.PolynomialLR(optimizer, total_iters=100, power=2.0)
    """

    def __init__(self, optimizer: Optimizer, total_iters: int = 5, power: float = 1.0, last_epoch: int = -1) -> None:
        self.total_iters, self.power = _positive(total_iters, "PolynomialLR: total_iters"), power
        super().__init__(optimizer, last_epoch)

    def rate(self, epoch: float, base: float, group: int) -> float:
        return base * (1 - min(epoch, self.total_iters) / self.total_iters) ** self.power


class CosineAnnealingLR(LRScheduler):
    """From the first rate to `eta_min` in `T_max` steps along half a cosine, and back in as many (Loshchilov and Hutter 2017).

        optim.CosineAnnealingLR(optimizer, T_max=100)
    """

    def __init__(self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1) -> None:
        self.T_max, self.eta_min = _positive(T_max, "CosineAnnealingLR: T_max"), eta_min
        super().__init__(optimizer, last_epoch)

    def rate(self, epoch: float, base: float, group: int) -> float:
        return _cosine(base, self.eta_min, epoch / self.T_max)


class CosineAnnealingWarmRestarts(LRScheduler):
    """Half a cosine in `T_0` steps, then another in `T_mult` times as many, and so on (Loshchilov and Hutter 2017). Steps may be fractions.

        optim.CosineAnnealingWarmRestarts(optimizer, T_0=10, T_mult=2)
    """

    def __init__(self, optimizer: Optimizer, T_0: int, T_mult: int = 1, eta_min: float = 0.0, last_epoch: int = -1) -> None:
        self.T_0, self.T_mult, self.eta_min = (_positive(T_0, "CosineAnnealingWarmRestarts: T_0"), _positive(T_mult, "CosineAnnealingWarmRestarts: T_mult"),
                                               eta_min)
        super().__init__(optimizer, last_epoch)

    def rate(self, epoch: float, base: float, group: int) -> float:
        length: float = self.T_0
        if self.T_mult == 1:
            return _cosine(base, self.eta_min, epoch % length / length)
        while epoch >= length:
            epoch, length = epoch - length, length * self.T_mult
        return _cosine(base, self.eta_min, epoch / length)


class LambdaLR(LRScheduler):
    """Times a function of the step: one, or one for each group.

        optim.LambdaLR(optimizer, lambda step: 0.95 ** step)
    """

    def __init__(self, optimizer: Optimizer, lr_lambda: Callable[[int], float] | Sequence[Callable[[int], float]], last_epoch: int = -1) -> None:
        self.lr_lambdas = _for_each_group(optimizer, lr_lambda, f"{type(self).__name__}: lr_lambda")
        for function in self.lr_lambdas:
            if not callable(function):
                raise TypeError(f"{type(self).__name__}: lr_lambda is a function of the step, or one for each group, not {function!r}")
        super().__init__(optimizer, last_epoch)

    def rate(self, epoch: float, base: float, group: int) -> float:
        return base * self.lr_lambdas[group](epoch)  # type: ignore[no-any-return]


class MultiplicativeLR(LambdaLR):
    """Times the function's values at all steps up to this one.

        optim.MultiplicativeLR(optimizer, lambda step: 0.95)
    """

    def rate(self, epoch: float, base: float, group: int) -> float:
        return base * math.prod(self.lr_lambdas[group](e) for e in range(1, int(epoch) + 1))


class OneCycleLR(LRScheduler):
    """Up to `max_lr` and down to far below in `total_steps` (or epochs * steps_per_epoch), momentum the other way (Smith and Topin 2018).

    The momentum (the first of betas) becomes a tensor too, so that captured steps follow it. ValueError for an optimiser without one, unless
    cycle_momentum=False, and for a step behind the last.

        optim.OneCycleLR(optimizer, max_lr=0.1, total_steps=1000)
    """

    def __init__(self, optimizer: Optimizer, max_lr: float | Sequence[float], total_steps: int | None = None, epochs: int | None = None,
                 steps_per_epoch: int | None = None, pct_start: float = 0.3, anneal_strategy: str = "cos", cycle_momentum: bool = True,
                 base_momentum: float = 0.85, max_momentum: float = 0.95, div_factor: float = 25.0, final_div_factor: float = 1e4, three_phase: bool = False,
                 last_epoch: int = -1) -> None:
        if total_steps is None:
            if epochs is None or steps_per_epoch is None:
                raise ValueError("OneCycleLR: give total_steps, or epochs and steps_per_epoch")
            total_steps = epochs * steps_per_epoch
        if not 0 <= pct_start <= 1:
            raise ValueError(f"OneCycleLR: pct_start is from 0 to 1, given {pct_start}")
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"OneCycleLR: anneal_strategy is 'cos' or 'linear', not {anneal_strategy!r}")
        self.total_steps = int(_positive(total_steps, "OneCycleLR: total_steps"))
        self._between = _cosine if anneal_strategy == "cos" else _linear
        turn = pct_start * self.total_steps - 1
        rates = [(m / div_factor, m, m / div_factor / final_div_factor) for m in map(float, _for_each_group(optimizer, max_lr, "OneCycleLR: max_lr"))]
        last = self.total_steps - 1
        self._ends = [turn, 2 * turn, last] if three_phase else [turn, last]
        self._rates = [[low, high, low, least] if three_phase else [low, high, least] for low, high, least in rates]
        self._momenta = ([max_momentum, base_momentum, max_momentum] + [max_momentum] * three_phase) if cycle_momentum else None
        if cycle_momentum and not all("betas" in g or g.get("momentum") for g in optimizer.param_groups):
            raise ValueError("OneCycleLR: the optimiser has no momentum to cycle; give cycle_momentum=False")
        if last_epoch == -1:
            for group, points in zip(optimizer.param_groups, self._rates):
                group["initial_lr"] = points[0]
        super().__init__(optimizer, last_epoch)

    def rate(self, epoch: float, base: float, group: int) -> float:
        if not epoch < self.total_steps:
            raise ValueError(f"OneCycleLR: step {epoch} of {self.total_steps}; the schedule ends there")
        return self._on_the_way(epoch, self._rates[group])

    def _on_the_way(self, epoch: float, points: list[float]) -> float:
        start = 0.0
        for k, end in enumerate(self._ends):
            if epoch <= end or k == len(self._ends) - 1:
                return self._between(points[k], points[k + 1], (epoch - start) / (end - start) if end > start else 1.0)
            start = end
        raise AssertionError("a schedule has phases")

    def _take(self, rates: list[float]) -> None:
        super()._take(rates)
        if self._momenta is None:
            return
        momentum = self._on_the_way(self.last_epoch, self._momenta)
        for group in self.optimizer.param_groups:
            if "betas" in group:
                group["betas"] = (_as_tensor(group["betas"][0], momentum), *group["betas"][1:])
            else:
                group["momentum"] = _as_tensor(group["momentum"], momentum)


class SequentialLR(LRScheduler):
    """Schedules one after another: each begins at its milestone, from its own beginning.

        warm, cold = optim.LinearLR(optimizer, 0.1, total_iters=10), optim.ExponentialLR(optimizer, 0.9)
        optim.SequentialLR(optimizer, [warm, cold], milestones=[10])
    """

    def __init__(self, optimizer: Optimizer, schedulers: Sequence[LRScheduler], milestones: Sequence[int], last_epoch: int = -1) -> None:
        if len(schedulers) != len(milestones) + 1:
            raise ValueError(f"SequentialLR: {len(schedulers)} schedules need {len(schedulers) - 1} milestones, given {len(milestones)}")
        if list(milestones) != sorted(milestones):
            raise ValueError(f"SequentialLR: milestones must rise, given {list(milestones)}")
        for s in schedulers:
            if not isinstance(s, LRScheduler):
                raise TypeError(f"SequentialLR: a {type(s).__name__} needs more than the step; only schedules of the step alone can follow one another")
            if s.optimizer is not optimizer:
                raise ValueError(f"SequentialLR: {type(s).__name__} is a schedule of another optimiser")
        self.schedulers, self.milestones = list(schedulers), list(milestones)
        super().__init__(optimizer, last_epoch)

    def rate(self, epoch: float, base: float, group: int) -> float:
        number = bisect_right(self.milestones, epoch)
        since = epoch - (self.milestones[number - 1] if number else 0)
        return self.schedulers[number].rate(since, self.schedulers[number].base_lrs[group], group)


class ReduceLROnPlateau:
    """Times factor where a metric has not become better for more than `patience` steps; then not again for `cooldown` steps.

    `step(metric)` takes a number or a tensor of one element. Better is less ("min") or more ("max") by `threshold`, which is relative ("rel") or not ("abs").

        optim.ReduceLROnPlateau(optimizer, patience=5).step(loss)
    """

    def __init__(self, optimizer: Optimizer, mode: str = "min", factor: float = 0.1, patience: int = 10, threshold: float = 1e-4, threshold_mode: str = "rel",
                 cooldown: int = 0, min_lr: float | Sequence[float] = 0.0, eps: float = 1e-8) -> None:
        if not factor < 1:
            raise ValueError(f"ReduceLROnPlateau: factor must be below 1, given {factor}")
        if mode not in ("min", "max") or threshold_mode not in ("rel", "abs"):
            raise ValueError(f"ReduceLROnPlateau: mode is 'min' or 'max' and threshold_mode 'rel' or 'abs', given {mode!r} and {threshold_mode!r}")
        self.optimizer, self.mode, self.factor, self.patience, self.cooldown, self.eps = optimizer, mode, factor, patience, cooldown, eps
        self.threshold, self.threshold_mode = threshold, threshold_mode
        self.min_lrs = [float(m) for m in _for_each_group(optimizer, min_lr, "ReduceLROnPlateau: min_lr")]
        self.best = math.inf if mode == "min" else -math.inf
        self.num_bad_epochs = self.cooldown_counter = self.last_epoch = 0
        self._last_lr = [number_of(g["lr"]) for g in optimizer.param_groups]

    def step(self, metrics: Any) -> None:
        """Takes account of the metric."""
        refuse_within_trace("ReduceLROnPlateau")
        value = float(metrics.item() if isinstance(metrics, Tensor) else metrics)
        self.last_epoch += 1
        if self._is_better(value):
            self.best, self.num_bad_epochs = value, 0
        else:
            self.num_bad_epochs += 1
        if self.cooldown_counter > 0:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        if self.num_bad_epochs > self.patience:
            self._reduce()
            self.cooldown_counter, self.num_bad_epochs = self.cooldown, 0

    def _is_better(self, value: float) -> bool:
        sign = 1 if self.mode == "max" else -1
        if self.threshold_mode == "abs":
            return sign * value > sign * self.best + self.threshold
        return sign * value > sign * (self.best * (1 + sign * self.threshold))

    def _reduce(self) -> None:
        for i, (group, least) in enumerate(zip(self.optimizer.param_groups, self.min_lrs)):
            old = self._last_lr[i]
            new = max(old * self.factor, least)
            if old - new > self.eps:
                self._last_lr[i] = new
                set_number(group["lr"], new)

    def get_last_lr(self) -> list[float]:
        """The learning rate of each group."""
        return list(self._last_lr)

    def state_dict(self) -> dict[str, Any]:
        """What it has seen, and the learning rates."""
        return {"best": self.best, "num_bad_epochs": self.num_bad_epochs, "cooldown_counter": self.cooldown_counter, "last_epoch": self.last_epoch,
                "last_lr": self.get_last_lr()}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Goes to where `state_dict` was; sets the learning rates too."""
        self.best, self.num_bad_epochs = state["best"], state["num_bad_epochs"]
        self.cooldown_counter, self.last_epoch = state["cooldown_counter"], state["last_epoch"]
        self._last_lr = list(state["last_lr"])
        for group, rate in zip(self.optimizer.param_groups, self._last_lr):
            set_number(group["lr"], rate)


def _cosine(start: float, end: float, part: float) -> float:
    return end + (start - end) * (1 + math.cos(math.pi * part)) / 2


def _linear(start: float, end: float, part: float) -> float:
    return start + (end - start) * part


def _positive(value: int, what: str) -> int:
    if not value > 0 or int(value) != value:
        raise ValueError(f"{what} is a whole number from 1, given {value}")
    return value


def _for_each_group(optimizer: Optimizer, value: Any, what: str) -> list[Any]:
    groups: list[Group] = optimizer.param_groups
    if not isinstance(value, (list, tuple)):
        return [value] * len(groups)
    if len(value) != len(groups):
        raise ValueError(f"{what}: {len(value)} given for {len(groups)} groups of parameters; give one, or one for each")
    return list(value)


def _as_tensor(old: Any, value: float) -> Tensor:
    """An option as a tensor, which keeps its place in captured functions."""
    if not isinstance(old, Tensor):
        return Tensor(np.float32(value))
    set_number(old, value)
    return old
