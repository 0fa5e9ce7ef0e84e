"""Stochastic gradient descent."""
from __future__ import annotations

from collections.abc import Mapping

from ..tensor.tensor import Tensor
from .optimizer import Group, Optimizer, Params


class SGD(Optimizer):
    """p -= lr * g; with momentum m = momentum * m + (1 - dampening) * g and p -= lr * m, with `nesterov` p -= lr * (g + momentum * m).

    As PyTorch's: at the first step m is g, and `weight_decay` adds that share of p to g. Sutskever et al. 2013. ValueError for nesterov without momentum.

        optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    """

    captures_steps = True

    def __init__(self, params: Params, lr: float = 1e-3, momentum: float = 0.0, dampening: float = 0.0, weight_decay: float = 0.0, nesterov: bool = False, *,
                 maximize: bool = False) -> None:
        super().__init__(params, lr, momentum=momentum, dampening=dampening, weight_decay=weight_decay, nesterov=nesterov, maximize=maximize)

    def check_options(self, group: Group) -> None:
        super().check_options(group)
        if group["nesterov"] and (group["momentum"] <= 0 or group["dampening"] != 0):
            raise ValueError(f"nesterov needs a momentum and no dampening, given {group['momentum']} and {group['dampening']}")

    def slots_of(self, group: Group) -> tuple[str, ...]:
        return ("momentum_buffer",) if group["momentum"] else ()

    def update(self, p: Tensor, g: Tensor, state: Mapping[str, Tensor], group: Group) -> dict[str, Tensor]:
        if group["weight_decay"]:
            g = g + p * group["weight_decay"]
        new: dict[str, Tensor] = {}
        if state:
            m = state["momentum_buffer"] * group["momentum"] + (g if not group["dampening"] else g.where(group["step"].eq(1), g * (1 - group["dampening"])))
            new["momentum_buffer"] = m
            g = g + m * group["momentum"] if group["nesterov"] else m
        new["param"] = p - g * group["lr"].cast(g.dtype)
        return new
