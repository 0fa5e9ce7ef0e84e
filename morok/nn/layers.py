"""Layers with weights, and those that only move elements. Shapes, defaults and initial values are PyTorch's."""
from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from ..errors import BoundsError, ShapeError
from ..tensor.arguments import integer, number, per_axis
from ..tensor.tensor import Tensor
from . import functional, init
from .module import Module, Parameter


def require_sizes(what: str, **sizes: Any) -> None:
    """TypeError or ShapeError for a number of features or channels that is no whole number from 0."""
    for name, size in sizes.items():
        if integer(size, f"{what}: {name}") < 0:
            raise ShapeError(f"{what}: {name} must not be negative, given {size}")


def new_parameter(*shape: int) -> Tensor:
    return Parameter(Tensor(np.zeros(shape, np.float32)))


class Identity(Module):
    """Gives what it takes. Any shape and dtype.

        nn.Identity()(Tensor([1.0, 2.0]))    # [1.0, 2.0]
    """

    def forward(self, x: Any) -> Any:
        return x


class Flatten(Module):
    """All axes from start_dim to end_dim as one. The dtype stays.

        nn.Flatten()(Tensor([[[1.0], [2.0]]]))    # [[1.0, 2.0]]
    """

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim, self.end_dim = start_dim, end_dim

    def forward(self, x: Tensor) -> Tensor:
        return x.flatten(self.start_dim, self.end_dim)


class Unflatten(Module):
    """One axis as several. `unflattened_size` are their sizes, of which one may be -1. ShapeError where they do not multiply to the axis's size.

        nn.Unflatten(1, (2, 1))(Tensor([[1.0, 2.0]]))    # [[[1.0], [2.0]]]
    """

    def __init__(self, dim: int, unflattened_size: Any) -> None:
        super().__init__()
        self.dim, self.unflattened_size = dim, unflattened_size

    def forward(self, x: Tensor) -> Tensor:
        return x.unflatten(self.dim, self.unflattened_size)


class Dropout(Module):
    """In training each element is 0 with probability p, the others are divided by 1 - p. Any shape; the dtype stays. ValueError for p outside [0, 1].

        nn.Dropout(0.5).eval()(Tensor([1.0, 2.0]))    # [1.0, 2.0]
    """

    function: ClassVar[str] = "dropout"

    def __init__(self, p: float = 0.5) -> None:
        super().__init__()
        if not 0 <= number(p, f"{type(self).__name__}: p") <= 1:
            raise BoundsError(f"{type(self).__name__}: p is a probability from 0 to 1, given {p}")
        self.p = p

    def forward(self, x: Tensor) -> Tensor:
        return getattr(functional, self.function)(x, self.p, self.training)

    def extra_repr(self) -> str:
        return f"p={self.p}"


class Dropout1d(Dropout):
    """Dropout of whole channels of ((batch,) channels, length). The dtype stays.

        nn.Dropout1d(1.0)(Tensor([[1.0, 2.0]]))    # [[0.0, 0.0]]
    """

    function = "dropout1d"


class Dropout2d(Dropout):
    """Dropout of whole channels of ((batch,) channels, height, width). The dtype stays.

        nn.Dropout2d(1.0)(Tensor([[[1.0, 2.0]]]))    # [[[0.0, 0.0]]]
    """

    function = "dropout2d"


class Dropout3d(Dropout):
    """Dropout of whole channels with three further axes. The dtype stays.

        nn.Dropout3d(1.0)(Tensor([[[[1.0, 2.0]]]]))    # [[[[0.0, 0.0]]]]
    """

    function = "dropout3d"


class Linear(Module):
    """x @ weight.T + bias; weight has shape (out_features, in_features).

        nn.Linear(64, 10)(x)
    """

    def __init__(self, in_features: int, out_features: int, bias: bool = True) -> None:
        super().__init__()
        require_sizes("Linear", in_features=in_features, out_features=out_features)
        self.in_features, self.out_features = in_features, out_features
        self.weight = init.kaiming_uniform_(new_parameter(out_features, in_features), math.sqrt(5))
        self.bias = _bias(out_features, in_features) if bias else None

    def forward(self, x: Tensor) -> Tensor:
        return functional.linear(x, self.weight, self.bias)

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
        require_sizes("Embedding", num_embeddings=num_embeddings, embedding_dim=embedding_dim)
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


PADDING_MODES = ("zeros", "reflect", "replicate", "circular")


class _Conv(Module):
    dimensions: int

    def __init__(self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1,
                 bias: bool = True, padding_mode: str = "zeros") -> None:
        super().__init__()
        require_sizes(type(self).__name__, in_channels=in_channels, out_channels=out_channels)
        if groups < 1 or in_channels % groups or out_channels % groups:
            raise ShapeError(f"{type(self).__name__}: {groups} groups must divide {in_channels} and {out_channels} channels")
        if padding_mode not in PADDING_MODES:
            raise ValueError(f"{type(self).__name__}: padding_mode is one of {', '.join(PADDING_MODES)}, not {padding_mode!r}")
        self.in_channels, self.out_channels, self.groups = in_channels, out_channels, groups
        self.kernel_size = per_axis(kernel_size, self.dimensions, f"{type(self).__name__}: kernel_size")
        if min(self.kernel_size) < 1:
            raise ShapeError(f"{type(self).__name__}: kernel_size must be positive, given {kernel_size}")
        self.stride, self.padding, self.dilation, self.padding_mode = stride, padding, dilation, padding_mode
        fan_in = in_channels // groups * math.prod(self.kernel_size)
        self.weight = init.kaiming_uniform_(new_parameter(out_channels, in_channels // groups, *self.kernel_size), math.sqrt(5))
        self.bias = _bias(out_channels, fan_in) if bias else None

    def forward(self, x: Tensor) -> Tensor:
        padding = self.padding
        if self.padding_mode != "zeros":
            apart = per_axis(self.dilation, self.dimensions, f"{type(self).__name__}: dilation")
            totals = [(k - 1) * d for k, d in zip(self.kernel_size, apart)]
            if padding == "same":
                pairs = [(t // 2, t - t // 2) for t in totals]
            elif padding == "valid":
                pairs = [(0, 0)] * self.dimensions
            else:
                pairs = [(p, p) for p in per_axis(padding, self.dimensions, f"{type(self).__name__}: padding")]
            x, padding = x.pad([(0, 0)] * (x.ndim - self.dimensions) + pairs, self.padding_mode), 0
        function = getattr(x, f"conv{self.dimensions}d")
        return function(self.weight, self.bias, stride=self.stride, padding=padding, dilation=self.dilation, groups=self.groups)

    def extra_repr(self) -> str:
        return f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class Conv1d(_Conv):
    """Cross-correlation over the last axis of (batch, channels, length). weight has shape (out_channels, in_channels / groups, kernel_size). ShapeError
    where channels do not fit.

        nn.Conv1d(1, 2, 3, padding=1)(Tensor.ones(1, 1, 5))    # (1, 2, 5)
    """

    dimensions = 1


class Conv2d(_Conv):
    """Cross-correlation over the last two axes of (batch, channels, height, width).

        nn.Conv2d(3, 16, 3, padding=1)(images)
    """

    dimensions = 2


class Conv3d(_Conv):
    """Cross-correlation over the last three axes. weight has shape (out_channels, in_channels / groups, depth, rows, columns). ShapeError where channels
    do not fit.

        nn.Conv3d(1, 2, 2)(Tensor.ones(1, 1, 3, 3, 3))    # (1, 2, 2, 2, 2)
    """

    dimensions = 3


class _ConvTranspose(Module):
    dimensions: int

    def __init__(self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0, output_padding: Any = 0, groups: int = 1,
                 bias: bool = True, dilation: Any = 1) -> None:
        super().__init__()
        require_sizes(type(self).__name__, in_channels=in_channels, out_channels=out_channels)
        if groups < 1 or in_channels % groups or out_channels % groups:
            raise ShapeError(f"{type(self).__name__}: {groups} groups must divide {in_channels} and {out_channels} channels")
        self.in_channels, self.out_channels, self.groups = in_channels, out_channels, groups
        self.kernel_size, self.stride, self.padding, self.dilation = (
            per_axis(v, self.dimensions, f"{type(self).__name__}: {n}")
            for n, v in (("kernel_size", kernel_size), ("stride", stride), ("padding", padding), ("dilation", dilation)))
        self.output_padding = output_padding
        if min(self.kernel_size) < 1:
            raise ShapeError(f"{type(self).__name__}: kernel_size must be positive, given {kernel_size}")
        fan_in = out_channels // groups * math.prod(self.kernel_size)
        self.weight = init.kaiming_uniform_(new_parameter(in_channels, out_channels // groups, *self.kernel_size), math.sqrt(5))
        self.bias = _bias(out_channels, fan_in) if bias else None

    def forward(self, x: Tensor, output_size: Any = None) -> Tensor:
        """`output_size`, of the last axes, chooses the output_padding; ShapeError where none gives it."""
        more = self.output_padding
        if output_size is not None:
            wanted = per_axis(output_size, self.dimensions, f"{type(self).__name__}: output_size")
            space = x._concrete_shape()[x.ndim - self.dimensions:]
            least = [(n - 1) * s - 2 * p + d * (k - 1) + 1 for n, s, p, d, k in zip(space, self.stride, self.padding, self.dilation, self.kernel_size)]
            more = [w - m for w, m in zip(wanted, least)]
            if any(not 0 <= m < max(s, d) for m, s, d in zip(more, self.stride, self.dilation)):
                raise ShapeError(f"{type(self).__name__}: output_size is from {least} to {[m + s - 1 for m, s in zip(least, self.stride)]}, given {wanted}")
        function = getattr(functional, f"conv_transpose{self.dimensions}d")
        return function(x, self.weight, self.bias, self.stride, self.padding, more, self.groups, self.dilation)

    def extra_repr(self) -> str:
        return f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class ConvTranspose1d(_ConvTranspose):
    """The transpose of Conv1d as a linear map; weight has shape (in_channels, out_channels / groups, width).

        nn.ConvTranspose1d(8, 4, 3, stride=2)(Tensor.zeros(1, 8, 5))        # (1, 4, 11)
    """

    dimensions = 1


class ConvTranspose2d(_ConvTranspose):
    """The transpose of Conv2d as a linear map; weight has shape (in_channels, out_channels / groups, rows, columns).

        nn.ConvTranspose2d(8, 4, 2, stride=2)(Tensor.zeros(1, 8, 5, 5))     # (1, 4, 10, 10)
    """

    dimensions = 2


class ConvTranspose3d(_ConvTranspose):
    """The transpose of Conv3d as a linear map. weight has shape (in_channels, out_channels / groups, depth, rows, columns).

        nn.ConvTranspose3d(1, 2, 2)(Tensor.ones(1, 1, 2, 2, 2))    # (1, 2, 3, 3, 3)
    """

    dimensions = 3
