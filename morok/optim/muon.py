"""Muon: steps of orthogonal matrices."""
from __future__ import annotations

import math
from collections.abc import Mapping

from ..errors import ShapeError
from ..tensor.tensor import Tensor
from .optimizer import Group, Optimizer, Params


class Muon(Optimizer):
    """Muon (Jordan et al. 2024) for matrices: the momentum's nearest orthogonal matrix, by `ns_steps` of Newton and Schulz's iteration, is the step.

    Defaults and formulas are PyTorch's, but for the iteration, which runs in float32 (float64 of float64), not bfloat16. `adjust_lr_fn` "original" multiplies
    lr by sqrt(max(1, rows / columns)), "match_rms_adamw" by 0.2 * sqrt(max(rows, columns)). ShapeError for a parameter that is no matrix: give biases,
    embeddings and the like to AdamW.

        optim.Muon([w for w in model.parameters() if w.ndim == 2], lr=1e-3)
    """

    captures_steps = True
    slots = ("momentum_buffer",)

    def __init__(self, params: Params, lr: float = 1e-3, weight_decay: float = 0.1, momentum: float = 0.95, nesterov: bool = True,
                 ns_coefficients: tuple[float, float, float] = (3.4445, -4.775, 2.0315), eps: float = 1e-7, ns_steps: int = 5,
                 adjust_lr_fn: str | None = None, *, maximize: bool = False) -> None:
        super().__init__(params, lr, weight_decay=weight_decay, momentum=momentum, nesterov=nesterov, ns_coefficients=tuple(ns_coefficients), eps=eps,
                         ns_steps=ns_steps, adjust_lr_fn=adjust_lr_fn, maximize=maximize)

    def check_options(self, group: Group) -> None:
        super().check_options(group)
        for i, p in enumerate(group["params"]):
            if p.ndim != 2:
                raise ShapeError(f"Muon: parameter {i} has shape {p.shape}; only matrices have orthogonal steps, give the others to another optimiser")
        if group["adjust_lr_fn"] not in (None, "original", "match_rms_adamw"):
            raise ValueError(f"Muon: adjust_lr_fn is 'original' or 'match_rms_adamw', not {group['adjust_lr_fn']!r}")
        if len(group["ns_coefficients"]) != 3 or not 0 < group["ns_steps"] < 100:
            raise ValueError(f"Muon: three ns_coefficients and 1 to 99 ns_steps, given {group['ns_coefficients']} and {group['ns_steps']}")

    def update(self, p: Tensor, g: Tensor, state: Mapping[str, Tensor], group: Group) -> dict[str, Tensor]:
        momentum = group["momentum"]
        m = state["momentum_buffer"] * momentum + g * (1 - momentum)
        step = orthogonalized(g * (1 - momentum) + m * momentum if group["nesterov"] else m, group["ns_coefficients"], group["ns_steps"], group["eps"])
        rows, columns = p._concrete_shape()
        ratio = 0.2 * math.sqrt(max(rows, columns)) if group["adjust_lr_fn"] == "match_rms_adamw" else math.sqrt(max(1.0, rows / columns))
        lr = group["lr"].cast(p.dtype)
        return {"momentum_buffer": m, "param": p - p * (lr * group["weight_decay"]) - step.cast(p.dtype) * (lr * ratio)}


def orthogonalized(matrix: Tensor, coefficients: tuple[float, float, float], steps: int, eps: float) -> Tensor:
    """U @ V.T of the singular value decomposition U S V.T, roughly: singular values come near 1."""
    first, second, third = coefficients
    rows, columns = matrix._concrete_shape()
    x = matrix._computing()
    x = x.T if rows > columns else x
    x = x / x.norm().clip(eps)
    for _ in range(steps):
        gram = x @ x.T
        x = x * first + (gram * second + gram @ gram * third) @ x
    return x.T if rows > columns else x
