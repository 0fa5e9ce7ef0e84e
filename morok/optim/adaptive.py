"""Optimisers that scale each element's step by its past gradients. Defaults and formulas are PyTorch's."""
from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..tensor.tensor import Tensor
from .optimizer import Group, Optimizer


class Adam(Optimizer):
    """Adam (Kingma and Ba 2015), `weight_decay` added to the gradient.

        optim.Adam(model.parameters(), lr=1e-3)
    """

    slots = ("exp_avg", "exp_avg_sq")
    decoupled = False

    def __init__(self, params: Any, lr: float = 1e-3, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8, weight_decay: float = 0.0) -> None:
        if not all(0 <= b < 1 for b in betas):
            raise ValueError(f"betas must be from 0 up to but without 1, given {betas}")
        super().__init__(params, lr, betas=tuple(betas), eps=eps, weight_decay=weight_decay)

    def update(self, p: Tensor, g: Tensor, state: Mapping[str, Tensor], group: Group) -> dict[str, Tensor]:
        lr = group["lr"].cast(p.dtype)
        if group["weight_decay"]:
            if self.decoupled:
                p = p - p * (lr * group["weight_decay"])
            else:
                g = g + p * group["weight_decay"]
        first, second = group["betas"]
        m = state["exp_avg"] * first + g * (1 - first)
        v = state["exp_avg_sq"] * second + g * g * (1 - second)
        corrected = m / _correction(first, group, p)
        root = (v / _correction(second, group, p)).sqrt() + group["eps"]
        return {"exp_avg": m, "exp_avg_sq": v, "param": p - corrected / root * lr}


class AdamW(Adam):
    """Adam with `weight_decay` apart from the gradient (Loshchilov and Hutter 2019).

        optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.01)
    """

    decoupled = True

    def __init__(self, params: Any, lr: float = 1e-3, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8, weight_decay: float = 1e-2) -> None:
        super().__init__(params, lr, betas, eps, weight_decay)


class RMSprop(Optimizer):
    """RMSprop (Hinton 2012): p -= lr * g / (sqrt(mean of g squared) + eps), optionally centred and with momentum."""

    def __init__(self, params: Any, lr: float = 1e-2, alpha: float = 0.99, eps: float = 1e-8, weight_decay: float = 0.0, momentum: float = 0.0,
                 centered: bool = False) -> None:
        self.slots = ("square_avg", *(("momentum_buffer",) if momentum else ()), *(("grad_avg",) if centered else ()))
        super().__init__(params, lr, alpha=alpha, eps=eps, weight_decay=weight_decay, momentum=momentum, centered=centered)

    def update(self, p: Tensor, g: Tensor, state: Mapping[str, Tensor], group: Group) -> dict[str, Tensor]:
        if group["weight_decay"]:
            g = g + p * group["weight_decay"]
        alpha, new = group["alpha"], {}
        new["square_avg"] = square = state["square_avg"] * alpha + g * g * (1 - alpha)
        if group["centered"]:
            new["grad_avg"] = mean = state["grad_avg"] * alpha + g * (1 - alpha)
            square = square - mean * mean
        step = g / (square.sqrt() + group["eps"])
        if group["momentum"]:
            new["momentum_buffer"] = step = state["momentum_buffer"] * group["momentum"] + step
        new["param"] = p - step * group["lr"].cast(p.dtype)
        return new


class Adagrad(Optimizer):
    """Adagrad (Duchi et al. 2011): p -= lr * g / (sqrt(sum of g squared) + eps)."""

    slots = ("sum",)

    def __init__(self, params: Any, lr: float = 1e-2, lr_decay: float = 0.0, weight_decay: float = 0.0, eps: float = 1e-10) -> None:
        super().__init__(params, lr, lr_decay=lr_decay, weight_decay=weight_decay, eps=eps)

    def update(self, p: Tensor, g: Tensor, state: Mapping[str, Tensor], group: Group) -> dict[str, Tensor]:
        if group["weight_decay"]:
            g = g + p * group["weight_decay"]
        total = state["sum"] + g * g
        lr = (group["lr"] / (1.0 + (group["step"] - 1.0) * group["lr_decay"])).cast(p.dtype)
        return {"sum": total, "param": p - g / (total.sqrt() + group["eps"]) * lr}


class LAMB(Optimizer):
    """LAMB (You et al. 2020): Adam's step with decay, scaled to the norm of the parameter."""

    slots = ("exp_avg", "exp_avg_sq")

    def __init__(self, params: Any, lr: float = 1e-3, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-6, weight_decay: float = 0.0) -> None:
        super().__init__(params, lr, betas=tuple(betas), eps=eps, weight_decay=weight_decay)

    def update(self, p: Tensor, g: Tensor, state: Mapping[str, Tensor], group: Group) -> dict[str, Tensor]:
        first, second = group["betas"]
        m = state["exp_avg"] * first + g * (1 - first)
        v = state["exp_avg_sq"] * second + g * g * (1 - second)
        step = m / _correction(first, group, p) / ((v / _correction(second, group, p)).sqrt() + group["eps"])
        if group["weight_decay"]:
            step = step + p * group["weight_decay"]
        own, length = p.norm(), step.norm()
        trust = (own / length).where((own > 0) & (length > 0), 1.0)
        return {"exp_avg": m, "exp_avg_sq": v, "param": p - step * (trust * group["lr"].cast(p.dtype))}


def _correction(beta: float, group: Group, p: Tensor) -> Tensor:
    """1 - beta ** step: what a mean that began at 0 lacks."""
    return (1.0 - Tensor(beta, dtype="float64") ** group["step"].double()).cast(p.dtype)
