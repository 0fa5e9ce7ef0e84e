"""Adam and what came of it: a running mean of gradients, scaled by one of their squares. Defaults and formulas are PyTorch's, LAMB's its paper's."""
from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from ..tensor.tensor import Tensor
from .optimizer import Group, Optimizer, Params

Betas = tuple[float, float]


class _Means(Optimizer):
    """The running means, and how weights decay: as part of the gradient, or apart from it (Loshchilov and Hutter 2019)."""

    captures_steps = True
    slots: tuple[str, ...] = ("exp_avg", "exp_avg_sq")

    def decayed(self, p: Tensor, g: Tensor, group: Group, decoupled: bool) -> tuple[Tensor, Tensor]:
        """Parameter and gradient after the decay."""
        if not group["weight_decay"]:
            return p, g
        if decoupled:
            return p - p * (group["lr"].cast(p.dtype) * group["weight_decay"]), g
        return p, g + p * group["weight_decay"]

    def means(self, g: Tensor, state: Mapping[str, Tensor], group: Group) -> tuple[Tensor, Tensor]:
        first, second = group["betas"]
        return state["exp_avg"] * first + g * (1 - first), state["exp_avg_sq"] * second + g * g * (1 - second)


class Adam(_Means):
    """Adam (Kingma and Ba 2015), `weight_decay` added to the gradient. `amsgrad` (Reddi et al. 2018) scales by the greatest mean of squares so far.

        optim.Adam(model.parameters(), lr=1e-3)
    """

    captures_steps = True
    decoupled = False

    def __init__(self, params: Params, lr: float = 1e-3, betas: Betas = (0.9, 0.999), eps: float = 1e-8, weight_decay: float = 0.0, amsgrad: bool = False, *,
                 maximize: bool = False) -> None:
        super().__init__(params, lr, betas=tuple(betas), eps=eps, weight_decay=weight_decay, amsgrad=amsgrad, maximize=maximize)

    def slots_of(self, group: Group) -> tuple[str, ...]:
        return (*self.slots, "max_exp_avg_sq") if group["amsgrad"] else self.slots

    def update(self, p: Tensor, g: Tensor, state: Mapping[str, Tensor], group: Group) -> dict[str, Tensor]:
        p, g = self.decayed(p, g, group, self.decoupled)
        m, v = self.means(g, state, group)
        new = {"exp_avg": m, "exp_avg_sq": v}
        if group["amsgrad"]:
            new["max_exp_avg_sq"] = v = state["max_exp_avg_sq"].maximum(v)
        first, second = group["betas"]
        root = (v / correction(second, group, p)).sqrt() + group["eps"]
        return {**new, "param": p - m / correction(first, group, p) / root * group["lr"].cast(p.dtype)}


class AdamW(Adam):
    """Adam with `weight_decay` apart from the gradient (Loshchilov and Hutter 2019).

        optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.01)
    """

    decoupled = True

    def __init__(self, params: Params, lr: float = 1e-3, betas: Betas = (0.9, 0.999), eps: float = 1e-8, weight_decay: float = 1e-2, amsgrad: bool = False, *,
                 maximize: bool = False) -> None:
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad, maximize=maximize)


class Adamax(_Means):
    """Adam with the greatest of past gradients in the place of the mean of squares (Kingma and Ba 2015, section 7).

        optim.Adamax(model.parameters(), lr=2e-3)
    """

    captures_steps = True
    slots = ("exp_avg", "exp_inf")

    def __init__(self, params: Params, lr: float = 2e-3, betas: Betas = (0.9, 0.999), eps: float = 1e-8, weight_decay: float = 0.0, *,
                 maximize: bool = False) -> None:
        super().__init__(params, lr, betas=tuple(betas), eps=eps, weight_decay=weight_decay, maximize=maximize)

    def update(self, p: Tensor, g: Tensor, state: Mapping[str, Tensor], group: Group) -> dict[str, Tensor]:
        p, g = self.decayed(p, g, group, False)
        first, second = group["betas"]
        m = state["exp_avg"] * first + g * (1 - first)
        greatest = (state["exp_inf"] * second).maximum(g.abs() + group["eps"])
        return {"exp_avg": m, "exp_inf": greatest, "param": p - m / correction(first, group, p) / greatest * group["lr"].cast(p.dtype)}


class NAdam(_Means):
    """Adam with Nesterov's momentum (Dozat 2016); the momentum grows by `momentum_decay`.

        optim.NAdam(model.parameters(), lr=2e-3)
    """

    captures_steps = True
    counters = MappingProxyType({"step": 0.0, "mu_product": 1.0})

    def __init__(self, params: Params, lr: float = 2e-3, betas: Betas = (0.9, 0.999), eps: float = 1e-8, weight_decay: float = 0.0,
                 momentum_decay: float = 4e-3,
                 decoupled_weight_decay: bool = False, *, maximize: bool = False) -> None:
        super().__init__(params, lr, betas=tuple(betas), eps=eps, weight_decay=weight_decay, momentum_decay=momentum_decay,
                         decoupled_weight_decay=decoupled_weight_decay, maximize=maximize)

    def advance(self, group: Group) -> None:
        super().advance(group)
        group["mu_product"] *= self._momentum(group, 0)

    def _momentum(self, group: Group, ahead: int) -> Tensor:
        """The momentum of this step, or of one ahead."""
        return (1 - 0.96 ** ((group["step"] + ahead) * group["momentum_decay"]) * 0.5) * group["betas"][0]

    def update(self, p: Tensor, g: Tensor, state: Mapping[str, Tensor], group: Group) -> dict[str, Tensor]:
        p, g = self.decayed(p, g, group, group["decoupled_weight_decay"])
        m, v = self.means(g, state, group)
        now, then, product, lr = (t.cast(p.dtype) for t in (self._momentum(group, 0), self._momentum(group, 1), group["mu_product"], group["lr"]))
        root = (v / correction(group["betas"][1], group, p)).sqrt() + group["eps"]
        step = g * ((1 - now) / (1 - product)) + m * (then / (1 - product * then))
        return {"exp_avg": m, "exp_avg_sq": v, "param": p - step / root * lr}


class RAdam(_Means):
    """Adam that trusts the mean of squares only as far as enough gradients are in it (Liu et al. 2020).

        optim.RAdam(model.parameters(), lr=1e-3)
    """

    captures_steps = True

    def __init__(self, params: Params, lr: float = 1e-3, betas: Betas = (0.9, 0.999), eps: float = 1e-8, weight_decay: float = 0.0,
                 decoupled_weight_decay: bool = False, *, maximize: bool = False) -> None:
        super().__init__(params, lr, betas=tuple(betas), eps=eps, weight_decay=weight_decay, decoupled_weight_decay=decoupled_weight_decay, maximize=maximize)

    def update(self, p: Tensor, g: Tensor, state: Mapping[str, Tensor], group: Group) -> dict[str, Tensor]:
        p, g = self.decayed(p, g, group, group["decoupled_weight_decay"])
        m, v = self.means(g, state, group)
        first, second = group["betas"]
        step = group["step"].double()
        power = Tensor(second, dtype="float64", device=p.device) ** step
        most = 2 / (1 - second) - 1
        length = most - step * 2 * power / (1 - power)  # how many gradients the mean of squares is worth
        trusted = length > 5
        share = ((length - 4) * (length - 2) / length * (most / ((most - 4) * (most - 2)))).where(trusted, 1.0).sqrt()
        scale = correction(second, group, p).sqrt() / (v.sqrt() + group["eps"]) * share.cast(p.dtype)
        return {"exp_avg": m, "exp_avg_sq": v, "param": p - m / correction(first, group, p) * scale.where(trusted, 1.0) * group["lr"].cast(p.dtype)}


class LAMB(_Means):
    """LAMB (You et al. 2020): Adam's step with decay, scaled to the norm of the parameter.

        optim.LAMB(model.parameters(), lr=1e-3, weight_decay=0.01)
    """

    captures_steps = True

    def __init__(self, params: Params, lr: float = 1e-3, betas: Betas = (0.9, 0.999), eps: float = 1e-6, weight_decay: float = 0.0, *,
                 maximize: bool = False) -> None:
        super().__init__(params, lr, betas=tuple(betas), eps=eps, weight_decay=weight_decay, maximize=maximize)

    def update(self, p: Tensor, g: Tensor, state: Mapping[str, Tensor], group: Group) -> dict[str, Tensor]:
        m, v = self.means(g, state, group)
        first, second = group["betas"]
        step = m / correction(first, group, p) / ((v / correction(second, group, p)).sqrt() + group["eps"])
        if group["weight_decay"]:
            step = step + p * group["weight_decay"]
        own, length = p.norm(), step.norm()
        trust = (own / length).where((own > 0) & (length > 0), 1.0)
        return {"exp_avg": m, "exp_avg_sq": v, "param": p - step * (trust * group["lr"].cast(p.dtype))}


def correction(beta: Any, group: Group, p: Tensor) -> Tensor:
    """1 - beta ** step: what a mean that began at 0 lacks."""
    base = beta.double() if isinstance(beta, Tensor) else Tensor(beta, dtype="float64", device=p.device)
    return (1.0 - base ** group["step"].double()).cast(p.dtype)
