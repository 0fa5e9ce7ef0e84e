"""Normalisation layers. Defaults are PyTorch's."""
from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import ShapeError
from ..tensor.gradient.modes import no_grad
from ..tensor.tensor import Tensor
from . import functional
from .module import Module, Parameter


def _ones(*shape: int) -> Tensor:
    return Parameter(Tensor(np.ones(shape, np.float32)))


def _zeros(*shape: int) -> Tensor:
    return Parameter(Tensor(np.zeros(shape, np.float32)))


class LayerNorm(Module):
    """(x - mean) / sqrt(variance + eps) over the last axes, times weight plus bias. The same shape; ShapeError where the last axes are not normalized_shape.

        nn.LayerNorm(2, eps=0.0)(Tensor([[1.0, 3.0]]))    # [[-1.0, 1.0]]
    """

    def __init__(self, normalized_shape: Any, eps: float = 1e-5, elementwise_affine: bool = True, bias: bool = True) -> None:
        super().__init__()
        self.normalized_shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.eps = eps
        self.weight = _ones(*self.normalized_shape) if elementwise_affine else None
        self.bias = _zeros(*self.normalized_shape) if elementwise_affine and bias else None

    def forward(self, x: Tensor) -> Tensor:
        return x.layer_norm(self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return f"{self.normalized_shape}, eps={self.eps}"


class RMSNorm(Module):
    """x / sqrt(mean(x * x) + eps) over the last axes, times weight. The same shape; ShapeError where the last axes are not normalized_shape.

        nn.RMSNorm(2, eps=0.0)(Tensor([[2.0, 2.0]]))    # [[1.0, 1.0]]
    """

    def __init__(self, normalized_shape: Any, eps: float | None = None, elementwise_affine: bool = True) -> None:
        super().__init__()
        self.normalized_shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.eps = eps
        self.weight = _ones(*self.normalized_shape) if elementwise_affine else None

    def forward(self, x: Tensor) -> Tensor:
        return x.rms_norm(self.normalized_shape, self.weight, self.eps)


class GroupNorm(Module):
    """layer norm over the channels of each group, for (batch, channels, ...). The same shape; ShapeError where the groups do not divide the channels.

        nn.GroupNorm(1, 2, eps=0.0)(Tensor([[1.0, 3.0]]))    # [[-1.0, 1.0]]
    """

    def __init__(self, num_groups: int, num_channels: int, eps: float = 1e-5, affine: bool = True) -> None:
        super().__init__()
        if num_groups < 1 or num_channels % num_groups:
            raise ShapeError(f"GroupNorm: {num_groups} groups must divide {num_channels} channels")
        self.num_groups, self.num_channels, self.eps = num_groups, num_channels, eps
        self.weight = _ones(num_channels) if affine else None
        self.bias = _zeros(num_channels) if affine else None

    def forward(self, x: Tensor) -> Tensor:
        return functional.group_norm(x, self.num_groups, self.weight, self.bias, self.eps)


class _Statistics(Module):
    """With running statistics, if tracked, and the number of batches that they are of."""

    running_mean: Tensor | None
    running_var: Tensor | None
    num_batches_tracked: Tensor | None

    def _track(self, num_features: int, tracked: bool) -> None:
        self.running_mean = Tensor(np.zeros(num_features, np.float32)) if tracked else None
        self.running_var = Tensor(np.ones(num_features, np.float32)) if tracked else None
        self.num_batches_tracked = Tensor(np.int64(0)) if tracked else None


class _BatchNorm(_Statistics):
    axes: tuple[int, ...]

    def __init__(self, num_features: int, eps: float = 1e-5, momentum: float | None = 0.1, affine: bool = True,
                 track_running_stats: bool = True) -> None:
        super().__init__()
        self.num_features, self.eps, self.momentum = num_features, eps, momentum
        self.weight = _ones(num_features) if affine else None
        self.bias = _zeros(num_features) if affine else None
        self._track(num_features, track_running_stats)

    def forward(self, x: Tensor) -> Tensor:
        if x.ndim not in self.axes or x.shape[1] != self.num_features:
            axes = " or ".join(map(str, self.axes))
            raise ShapeError(f"{type(self).__name__}: takes (batch, {self.num_features}, ...) of {axes} axes, not shape {x.shape}")
        training = self.training or self.running_mean is None
        return functional.batch_norm(x, self.running_mean, self.running_var, self.weight, self.bias, training, self._counted(), self.eps)

    def _counted(self) -> Any:
        """Counts a batch in training; gives the part of its statistics in the running ones: momentum, or with None that of a mean over all batches."""
        if not self.training or self.num_batches_tracked is None:
            return 0.0
        with no_grad():
            self.num_batches_tracked.assign(self.num_batches_tracked + 1)
        return self.num_batches_tracked.float().reciprocal() if self.momentum is None else self.momentum

    def extra_repr(self) -> str:
        return f"{self.num_features}, eps={self.eps}, momentum={self.momentum}"


class BatchNorm1d(_BatchNorm):
    """Normalisation by the statistics of each channel over the batch, for (batch, channels) or (batch, channels, length). The same shape.

        nn.BatchNorm1d(1, eps=0.0)(Tensor([[1.0], [3.0]]))    # [[-1.0], [1.0]]
    """

    axes = (2, 3)


class BatchNorm2d(_BatchNorm):
    """Normalisation by the statistics of each channel over the batch, for (batch, channels, height, width). The same shape.

        nn.BatchNorm2d(1, eps=0.0)(Tensor([[[[1.0, 3.0]]]]))    # [[[[-1.0, 1.0]]]]
    """

    axes = (4,)


class BatchNorm3d(_BatchNorm):
    """Normalisation by the statistics of each channel over the batch, for five axes. The same shape.

        nn.BatchNorm3d(1, eps=0.0)(Tensor([[[[[1.0, 3.0]]]]]))    # [[[[[-1.0, 1.0]]]]]
    """

    axes = (5,)


class _InstanceNorm(_Statistics):
    dimensions: int

    def __init__(self, num_features: int, eps: float = 1e-5, momentum: float | None = 0.1, affine: bool = False, track_running_stats: bool = False) -> None:
        super().__init__()
        self.num_features, self.eps, self.momentum = num_features, eps, momentum
        self.weight = _ones(num_features) if affine else None
        self.bias = _zeros(num_features) if affine else None
        self._track(num_features, track_running_stats)

    def forward(self, x: Tensor) -> Tensor:
        if x.ndim == self.dimensions + 1:
            return self.forward(x.unsqueeze(0)).squeeze(0)
        if x.ndim != self.dimensions + 2 or x.shape[1] != self.num_features:
            raise ShapeError(f"{type(self).__name__}: takes ((batch,) {self.num_features}, ...) of {self.dimensions} further axes, not shape {x.shape}")
        here = self.training or self.running_mean is None
        return functional.instance_norm(x, self.running_mean, self.running_var, self.weight, self.bias, here, self.momentum or 0.0, self.eps)

    def extra_repr(self) -> str:
        return f"{self.num_features}, eps={self.eps}, momentum={self.momentum}"


class InstanceNorm1d(_InstanceNorm):
    """Normalisation of each channel of each element of the batch, for ((batch,) channels, length). The same shape.

        nn.InstanceNorm1d(1, eps=0.0)(Tensor([[[1.0, 3.0]]]))    # [[[-1.0, 1.0]]]
    """

    dimensions = 1


class InstanceNorm2d(_InstanceNorm):
    """Normalisation of each channel of each element of the batch, for ((batch,) channels, height, width). The same shape.

        nn.InstanceNorm2d(1, eps=0.0)(Tensor([[[[1.0, 3.0]]]]))    # [[[[-1.0, 1.0]]]]
    """

    dimensions = 2


class InstanceNorm3d(_InstanceNorm):
    """Normalisation of each channel of each element of the batch, for three further axes. The same shape.

        nn.InstanceNorm3d(1, eps=0.0)(Tensor([[[[[1.0, 3.0]]]]]))    # [[[[[-1.0, 1.0]]]]]
    """

    dimensions = 3
