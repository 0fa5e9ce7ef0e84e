"""Gradients kept from growing: by the norm of all together, or element by element."""
from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from ..dialect import types as T
from ..errors import BoundsError
from ..tensor.arguments import number
from ..tensor.gradient.modes import no_grad
from ..tensor.tensor import Tensor


def clip_grad_norm_(parameters: Tensor | Iterable[Tensor], max_norm: float, norm_type: float = 2.0, error_if_nonfinite: bool = False) -> Tensor:
    """Scales all gradients so that their norm, taken as of one vector, is at most `max_norm`; gives the norm that it was.

    Parameters without gradient are left out. The norm is 0-d, float32 (float64 where a gradient is). BoundsError for a negative max_norm, or, with
    `error_if_nonfinite`, for a norm that is infinite or no number; that computes it, which a captured function cannot.

        loss.backward(); optim.clip_grad_norm_(model.parameters(), 1.0); optimizer.step()
    """
    if not number(max_norm, "clip_grad_norm_: max_norm") >= 0:
        raise BoundsError(f"clip_grad_norm_: max_norm must not be negative, given {max_norm}")
    gradients = _gradients(parameters)
    with no_grad():
        if not gradients:
            return Tensor(0.0)
        total = _norm(gradients, float(norm_type))
        if error_if_nonfinite and not math.isfinite(total.item()):
            raise BoundsError(f"clip_grad_norm_: the norm of the gradients is {total.item()}; nothing was scaled")
        share = (max_norm / (total + 1e-6)).clip(None, 1.0)
        for g in gradients:
            g.copy_(g * share.cast(g.dtype))
    return total


def clip_grad_value_(parameters: Tensor | Iterable[Tensor], clip_value: float) -> None:
    """Clips each element of all gradients to -clip_value to clip_value. BoundsError for a negative one.

        optim.clip_grad_value_(model.parameters(), 0.5)
    """
    if not number(clip_value, "clip_grad_value_: clip_value") >= 0:
        raise BoundsError(f"clip_grad_value_: clip_value must not be negative, given {clip_value}")
    with no_grad():
        for g in _gradients(parameters):
            g.copy_(g.clip(-clip_value, clip_value))


def _gradients(parameters: Tensor | Iterable[Tensor]) -> list[Any]:
    if not isinstance(parameters, Iterable):
        raise TypeError(f"clipping takes a parameter or a list of parameters, not {parameters!r}")
    given = [parameters] if isinstance(parameters, Tensor) else list(parameters)
    for p in given:
        if not isinstance(p, Tensor):
            raise TypeError(f"clipping takes Tensors, not {type(p).__name__}")
    return [g for p in given if (g := p.grad) is not None]


def _norm(gradients: list[Tensor], order: float) -> Tensor:
    wide = T.float64 if any(g.dtype is T.float64 for g in gradients) else T.float32
    sizes = [g.cast(wide).abs() for g in gradients]
    if math.isinf(order):
        return _joined([s.max() for s in sizes if s.numel()] or [Tensor(0.0, dtype=wide)], Tensor.maximum)
    if order == 2:
        return _joined([(s * s).sum() for s in sizes], Tensor.add).sqrt()
    return _joined([(s ** order).sum() for s in sizes], Tensor.add) ** (1 / order)


def _joined(parts: list[Tensor], join: Any) -> Tensor:
    """All parts as one, in pairs: a chain would be as deep as there are parameters."""
    while len(parts) > 1:
        parts = [join(*parts[i:i + 2]) if i + 1 < len(parts) else parts[i] for i in range(0, len(parts), 2)]
    return parts[0]
