"""Optimisers that scale each element's step by its past gradients, without a running mean of them. Defaults and formulas are PyTorch's."""
from __future__ import annotations

from collections.abc import Mapping

from ..tensor.tensor import Tensor
from .optimizer import Group, Optimizer, Params


class RMSprop(Optimizer):
    """RMSprop (Hinton 2012): p -= lr * g / (sqrt(mean of g squared) + eps), optionally centred and with momentum.

        optim.RMSprop(model.parameters(), lr=1e-2)
    """

    captures_steps = True

    def __init__(self, params: Params, lr: float = 1e-2, alpha: float = 0.99, eps: float = 1e-8, weight_decay: float = 0.0, momentum: float = 0.0,
                 centered: bool = False, *, maximize: bool = False) -> None:
        super().__init__(params, lr, alpha=alpha, eps=eps, weight_decay=weight_decay, momentum=momentum, centered=centered, maximize=maximize)

    def slots_of(self, group: Group) -> tuple[str, ...]:
        return ("square_avg", *(("momentum_buffer",) if group["momentum"] else ()), *(("grad_avg",) if group["centered"] else ()))

    def update(self, p: Tensor, g: Tensor, state: Mapping[str, Tensor], group: Group) -> dict[str, Tensor]:
        if group["weight_decay"]:
            g = g + p * group["weight_decay"]
        alpha, new = group["alpha"], {}
        new["square_avg"] = square = state["square_avg"] * alpha + g * g * (1 - alpha)
        if group["centered"]:
            new["grad_avg"] = mean = state["grad_avg"] * alpha + g * (1 - alpha)
            square = square - mean * mean
        step = g / (square.sqrt() + group["eps"])
        if "momentum_buffer" in state:
            new["momentum_buffer"] = step = state["momentum_buffer"] * group["momentum"] + step
        new["param"] = p - step * group["lr"].cast(p.dtype)
        return new


class Adagrad(Optimizer):
    """Adagrad (Duchi et al. 2011): p -= lr * g / (sqrt(sum of g squared) + eps).

        optim.Adagrad(model.parameters(), lr=1e-2)
    """

    captures_steps = True
    slots = ("sum",)

    def __init__(self, params: Params, lr: float = 1e-2, lr_decay: float = 0.0, weight_decay: float = 0.0, eps: float = 1e-10, *,
                 maximize: bool = False) -> None:
        super().__init__(params, lr, lr_decay=lr_decay, weight_decay=weight_decay, eps=eps, maximize=maximize)

    def update(self, p: Tensor, g: Tensor, state: Mapping[str, Tensor], group: Group) -> dict[str, Tensor]:
        if group["weight_decay"]:
            g = g + p * group["weight_decay"]
        total = state["sum"] + g * g
        lr = (group["lr"] / (1.0 + (group["step"] - 1.0) * group["lr_decay"])).cast(p.dtype)
        return {"sum": total, "param": p - g / (total.sqrt() + group["eps"]) * lr}


class Adadelta(Optimizer):
    """Adadelta (Zeiler 2012): steps in the units of the parameter, sqrt(mean of steps squared) / sqrt(mean of g squared) * g.

        optim.Adadelta(model.parameters())
    """

    captures_steps = True
    slots = ("square_avg", "acc_delta")

    def __init__(self, params: Params, lr: float = 1.0, rho: float = 0.9, eps: float = 1e-6, weight_decay: float = 0.0, *, maximize: bool = False) -> None:
        super().__init__(params, lr, rho=rho, eps=eps, weight_decay=weight_decay, maximize=maximize)

    def update(self, p: Tensor, g: Tensor, state: Mapping[str, Tensor], group: Group) -> dict[str, Tensor]:
        if group["weight_decay"]:
            g = g + p * group["weight_decay"]
        rho, eps = group["rho"], group["eps"]
        square = state["square_avg"] * rho + g * g * (1 - rho)
        step = (state["acc_delta"] + eps).sqrt() / (square + eps).sqrt() * g
        return {"square_avg": square, "acc_delta": state["acc_delta"] * rho + step * step * (1 - rho), "param": p - step * group["lr"].cast(p.dtype)}
