"""Layers with weights, and those that only move elements. Shapes, defaults and initial values are PyTorch's."""
from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..errors import BoundsError, ShapeError
from ..tensor.arguments import per_axis
from ..tensor.tensor import Tensor
from . import functional, init
from .module import Module, Parameter


def new_parameter(*shape: int) -> Tensor:
    return Parameter(Tensor(np.zeros(shape, np.float32)))


class Identity(Module):
    """Gives what it takes."""

    def forward(self, x: Any) -> Any:
        return x


class Flatten(Module):
    """All axes from start_dim to end_dim as one."""

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim, self.end_dim = start_dim, end_dim

    def forward(self, x: Tensor) -> Tensor:
        return x.flatten(self.start_dim, self.end_dim)


class Dropout(Module):
    """In training each element is 0 with probability p, the others are divided by 1 - p."""

    def __init__(self, p: float = 0.5) -> None:
        super().__init__()
        if not 0 <= p <= 1:
            raise BoundsError(f"Dropout: p is a probability from 0 to 1, given {p}")
        self.p = p

    def forward(self, x: Tensor) -> Tensor:
        return functional.dropout(x, self.p, self.training)

    def extra_repr(self) -> str:
        return f"p={self.p}"


class Linear(Module):
    """x @ weight.T + bias; weight has shape (out_features, in_features).

        nn.Linear(64, 10)(x)
    """

    def __init__(self, in_features: int, out_features: int, bias: bool = True) -> None:
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        self.weight = init.kaiming_uniform_(new_parameter(out_features, in_features), math.sqrt(5))
        self.bias = _bias(out_features, in_features) if bias else None

    def forward(self, x: Tensor) -> Tensor:
        return x.linear(self.weight, self.bias)

    def extra_repr(self) -> str:
        return f"{self.in_features}, {self.out_features}, bias={self.bias is not None}"


def _bias(count: int, fan_in: int) -> Tensor:
    bound = 1 / math.sqrt(fan_in) if fan_in else 0.0
    return init.uniform_(new_parameter(count), -bound, bound)


class Embedding(Module):
    """Rows of a table; the row padding_idx is 0 and stays so.

        nn.Embedding(1000, 64)(tokens)
    """

    def __init__(self, num_embeddings: int, embedding_dim: int, padding_idx: int | None = None) -> None:
        super().__init__()
        if padding_idx is not None and not -num_embeddings <= padding_idx < num_embeddings:
            raise BoundsError(f"Embedding: padding_idx {padding_idx} is no row of {num_embeddings}")
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        self.padding_idx = None if padding_idx is None else padding_idx % num_embeddings
        self.weight = init.normal_(new_parameter(num_embeddings, embedding_dim))
        if self.padding_idx is not None:
            from ..tensor.gradient.modes import no_grad
            with no_grad():
                self.weight[self.padding_idx] = 0.0
                self.weight.realize()

    def forward(self, x: Any) -> Tensor:
        return functional.embedding(x, self.weight, self.padding_idx)

    def extra_repr(self) -> str:
        return f"{self.num_embeddings}, {self.embedding_dim}"


class _Conv(Module):
    dimensions: int

    def __init__(self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1,
                 bias: bool = True) -> None:
        super().__init__()
        if groups < 1 or in_channels % groups or out_channels % groups:
            raise ShapeError(f"{type(self).__name__}: {groups} groups must divide {in_channels} and {out_channels} channels")
        self.in_channels, self.out_channels, self.groups = in_channels, out_channels, groups
        self.kernel_size = per_axis(kernel_size, self.dimensions, f"{type(self).__name__}: kernel_size")
        self.stride, self.padding, self.dilation = stride, padding, dilation
        fan_in = in_channels // groups * math.prod(self.kernel_size)
        self.weight = init.kaiming_uniform_(new_parameter(out_channels, in_channels // groups, *self.kernel_size), math.sqrt(5))
        self.bias = _bias(out_channels, fan_in) if bias else None

    def forward(self, x: Tensor) -> Tensor:
        function = getattr(x, f"conv{self.dimensions}d")
        return function(self.weight, self.bias, stride=self.stride, padding=self.padding, dilation=self.dilation, groups=self.groups)

    def extra_repr(self) -> str:
        return f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class Conv1d(_Conv):
    """Cross-correlation over the last axis of (batch, channels, length)."""

    dimensions = 1


class Conv2d(_Conv):
    """Cross-correlation over the last two axes of (batch, channels, height, width).

        nn.Conv2d(3, 16, 3, padding=1)(images)
    """

    dimensions = 2


class Conv3d(_Conv):
    """Cross-correlation over the last three axes."""

    dimensions = 3
