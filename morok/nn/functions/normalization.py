"""Normalisation by statistics of single elements of the batch, and of neighbouring channels."""
from __future__ import annotations

import math
from typing import Any

from ...errors import ShapeError
from ...tensor.gradient.modes import no_grad
from ...tensor.tensor import Tensor
from ..arguments import of_tensor


@of_tensor
def instance_norm(input: Tensor, running_mean: Tensor | None = None, running_var: Tensor | None = None, weight: Any = None, bias: Any = None,
                  use_input_stats: bool = True, momentum: Any = 0.1, eps: float = 1e-5) -> Tensor:
    """(x - mean) / sqrt(variance + eps) of each channel of each element of the batch, times weight plus bias; input is (batch, channels, ...).

    With running statistics (channels,), these are moved by `momentum` towards the batch's mean statistics, or used where use_input_stats is False.
    ShapeError for inputs without further axes, or with one element for each channel.

        nn.functional.instance_norm(Tensor([[[1.0, 3.0]]]), eps=0.0)    # [[[-1.0, 1.0]]]
    """
    if input.ndim < 3:
        raise ShapeError(f"instance_norm: input has shape (batch, channels, ...) with further axes, not {input.shape}")
    if not use_input_stats and (running_mean is None or running_var is None):
        raise ValueError("instance_norm: use_input_stats=False needs running_mean and running_var")
    along = (-1, *(1,) * (input.ndim - 2))
    x = input._computing()
    if use_input_stats:
        axes = tuple(range(2, input.ndim))
        count = math.prod(input._concrete_shape()[2:])
        if count < 2:
            raise ShapeError(f"instance_norm: needs more than one value for each channel, given shape {input.shape}")
        mean = x.mean(axes, keepdim=True)
        distance = x - mean
        variance = (distance * distance).mean(axes, keepdim=True)
        if running_mean is not None and running_var is not None:
            with no_grad():
                for running, new in ((running_mean, mean), (running_var, variance * (count / (count - 1)))):
                    running.assign(running * (1 - momentum) + new.detach().mean(0).reshape(-1).cast(running.dtype) * momentum)
    else:
        assert running_mean is not None and running_var is not None
        distance = x - running_mean.cast(x.dtype).reshape(*along)
        variance = running_var.cast(x.dtype).reshape(*along)
    result = distance * (variance + eps).rsqrt()
    if weight is not None:
        result = result * weight.reshape(*along)
    if bias is not None:
        result = result + bias.reshape(*along)
    return result._rounded(input.dtype)


@of_tensor
def local_response_norm(input: Tensor, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> Tensor:
    """x / (k + alpha * mean of x * x over `size` channels around) ** beta, for (batch, channels, ...); channels outside count as zeros.

        nn.functional.local_response_norm(Tensor([[[2.0], [0.0]]]), 1, alpha=1.0, beta=1.0)    # [[[0.4], [0.0]]]
    """
    if input.ndim < 3:
        raise ShapeError(f"local_response_norm: input has shape (batch, channels, ...) with further axes, not {input.shape}")
    if size < 1:
        raise ShapeError(f"local_response_norm: size is at least 1, given {size}")
    x = input._computing()
    squares = (x * x).moveaxis(1, -1)
    around = squares.pad([(0, 0)] * (x.ndim - 1) + [(size // 2, (size - 1) // 2)])
    shape = around.shape
    means = around.reshape(1, -1, shape[-1]).avg_pool1d(size, 1).reshape(*shape[:-1], input.shape[1]).moveaxis(-1, 1)
    return (x / (means * alpha + k) ** beta)._rounded(input.dtype)
