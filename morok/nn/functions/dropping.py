"""Dropout: of elements, and of whole channels."""
from __future__ import annotations

from ...errors import BoundsError, ShapeError
from ...tensor.arguments import number
from ...tensor.random.distributions import bernoulli
from ...tensor.random.generator import Generator
from ...tensor.tensor import Tensor
from ..arguments import of_tensor


@of_tensor
def dropout(input: Tensor, p: float = 0.5, training: bool = True, generator: Generator | None = None) -> Tensor:
    """In training each element is 0 with probability p, the others are divided by 1 - p. BoundsError for p outside of 0 to 1.

        nn.functional.dropout(Tensor([1.0, 2.0]), 0.5, training=False)    # [1.0, 2.0]
    """
    return _dropped(input, p, training, generator, input.ndim, "dropout")


@of_tensor
def dropout1d(input: Tensor, p: float = 0.5, training: bool = True, generator: Generator | None = None) -> Tensor:
    """Dropout of whole channels of ((batch,) channels, length).

        nn.functional.dropout1d(Tensor([[1.0, 2.0]]), 1.0)    # [[0.0, 0.0]]
    """
    return _channels_dropped(input, p, training, generator, 1)


@of_tensor
def dropout2d(input: Tensor, p: float = 0.5, training: bool = True, generator: Generator | None = None) -> Tensor:
    """Dropout of whole channels of ((batch,) channels, height, width).

        nn.functional.dropout2d(Tensor([[[1.0, 2.0]]]), 1.0)    # [[[0.0, 0.0]]]
    """
    return _channels_dropped(input, p, training, generator, 2)


@of_tensor
def dropout3d(input: Tensor, p: float = 0.5, training: bool = True, generator: Generator | None = None) -> Tensor:
    """Dropout of whole channels of ((batch,) channels, ...) of three further axes.

        nn.functional.dropout3d(Tensor([[[[1.0, 2.0]]]]), 1.0)    # [[[[0.0, 0.0]]]]
    """
    return _channels_dropped(input, p, training, generator, 3)


def _channels_dropped(input: Tensor, p: float, training: bool, generator: Generator | None, count: int) -> Tensor:
    if input.ndim not in (count + 1, count + 2):
        raise ShapeError(f"dropout{count}d: needs an input of {count + 1} or {count + 2} axes, (batch,) channels, ..., given shape {input.shape}")
    return _dropped(input, p, training, generator, input.ndim - count, f"dropout{count}d")


def _dropped(input: Tensor, p: float, training: bool, generator: Generator | None, axes: int, what: str) -> Tensor:
    """One draw for each element of the first axes."""
    if not 0 <= number(p, f"{what}: p") <= 1:
        raise BoundsError(f"{what}: p is a probability from 0 to 1, given {p}")
    if not training or p == 0:
        return input
    if p == 1:
        return input * 0
    kept = bernoulli(1 - p, *input.shape[:axes], generator=generator)
    return (input * (1 / (1 - p))).where(kept.to(input.device).reshape(*kept.shape, *(1,) * (input.ndim - axes)), 0.0)
