"""Convolution and pooling over the last axes, in PyTorch's layout: (batch, channels, ...) and kernels (outputs, channels / groups, ...)."""
from __future__ import annotations

from typing import Any, Self

from ..dialect import types as T
from ..errors import ShapeError
from ..graph.derivation import CUSTOM, Custom, is_derived
from ..graph.tensor_graph import TensorUOp
from . import build
from .activation import ActivationMethods
from .arguments import integer, per_axis
from .broadcasting import dtype_operands
from .linear_algebra import multiply_and_sum
from .movement import padded
from .sizes import SymbolicInt
from .spreading import spread
from .windows import windows


class ConvolutionMethods(ActivationMethods):
    __slots__ = ()

    def conv1d(self, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1) -> Self:
        """Convolution of (batch, channels, length) with (outputs, channels / groups, width). ShapeError where channels do not fit.

            Tensor([[[1.0, 2.0, 3.0]]]).conv1d(Tensor([[[1.0, 1.0]]]))  # [[[3.0, 5.0]]]
        """
        return self._convolution(weight, bias, stride, padding, dilation, groups, 1, "conv1d")

    def conv2d(self, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1) -> Self:
        """Convolution (cross-correlation, as PyTorch's) of (batch, channels, height, width) with (outputs, channels / groups, rows,
        columns). The batch may be missing. padding: one int, one for each axis, ((before, after), ...), "same" or "valid".

            x.conv2d(w, padding=1)
        """
        return self._convolution(weight, bias, stride, padding, dilation, groups, 2, "conv2d")

    def conv3d(self, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1) -> Self:
        """Convolution over three axes. (batch, channels, depth, height, width) with (outputs, channels / groups, ...). ShapeError where channels do not fit.

            Tensor.ones(1, 1, 2, 2, 2).conv3d(Tensor.ones(1, 1, 2, 2, 2))  # [[[[[8.0]]]]]
        """
        return self._convolution(weight, bias, stride, padding, dilation, groups, 3, "conv3d")

    def _convolution(self, weight: Any, bias: Any, stride: Any, padding: Any, dilation: Any, groups: Any, count: int, what: str) -> Self:
        w = self._operand(weight, what)
        if self.ndim == count + 1:
            return self.unsqueeze(0)._convolution(w, bias, stride, padding, dilation, groups, count, what).squeeze(0)
        if self.ndim != count + 2 or w.ndim != count + 2:
            raise ShapeError(f"{what}: needs an input of {count + 2} axes (batch, channels, ...) and a weight of {count + 2}, given shapes "
                             f"{self.shape} and {w.shape}")
        groups = integer(groups, f"{what}: groups")
        batch, channels = self.shape[:2]
        if any(isinstance(s, SymbolicInt) for s in (channels, *w.shape)):
            raise ShapeError(f"{what}: channels and weight must have known sizes, given shapes {self.shape} and {w.shape}")
        outputs, inputs, *kernel = w._concrete_shape()
        if groups < 1 or channels != inputs * groups or outputs % groups:
            raise ShapeError(f"{what}: the input's channels must be groups times the weight's second size, and the outputs a multiple of "
                             f"groups; given shapes {self.shape} and {w.shape} with groups={groups}")
        strides, dilations = _positive(stride, count, f"{what}: stride"), _positive(dilation, count, f"{what}: dilation")
        x, y = dtype_operands(self, w, what)
        x = padded(x, [(0, 0), (0, 0), *_padding_of(padding, kernel, strides, dilations, what)])
        image, weights = x, y
        x = windows(x, kernel, strides, dilations, what)
        space = build.shape_of(x)[2:2 + count]
        # (batch, group, output, ...space, input, ...kernel), summed over the last.
        ones = (1,) * count
        x = build.reshape(x, (batch, groups, 1, inputs, *space, *kernel))
        x = build.permute(x, (0, 1, 2, *range(4, 4 + count), 3, *range(4 + count, 4 + 2 * count)))
        y = build.reshape(y, (1, groups, outputs // groups, *ones, inputs, *kernel))
        result = build.reshape(multiply_and_sum(x, y, 1 + count), (batch, outputs, *space))
        if is_derived(image) and all(isinstance(s, int) for s in build.shape_of(image)):
            def reach(g: TensorUOp) -> tuple[TensorUOp, TensorUOp]:
                """To the image a transposed convolution: its windows' own derivative would be all windows, stored, to be added up."""
                whole = spread(self._new(g), self._new(weights), strides, dilations, groups)
                more = [(0, n - m) for n, m in zip(build.shape_of(image)[2:], whole._concrete_shape()[2:])]
                to_image = whole.pad([(0, 0), (0, 0), *more]).uop
                parts = build.reshape(g, (batch, groups, outputs // groups, *space, *(1,) * (1 + count)))
                to_weights = multiply_and_sum(parts, x, (0, *range(3, 3 + count)))
                return to_image, build.reshape(to_weights, build.shape_of(weights))
            CUSTOM[result] = Custom((image, weights), reach)
        out = self._new(result)
        if bias is None:
            return out
        b = self._operand(bias, what)
        if b.shape != (outputs,):
            raise ShapeError(f"{what}: the bias must have shape ({outputs},), one for each output, not {b.shape}")
        return out + b.reshape(outputs, *ones)

    # Pooling

    def max_pool1d(self, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False) -> Self:
        """The greatest element of each window of the last axis. Of (channels, length) or (batch, channels, length). ShapeError where no window fits.

            Tensor([[[1.0, 3.0, 5.0, 7.0]]]).max_pool1d(2)  # [[[3.0, 7.0]]]
        """
        return self._max_pool(kernel_size, stride, padding, dilation, ceil_mode, 1, "max_pool1d")

    def max_pool2d(self, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False) -> Self:
        """The greatest element of each window of the last two axes. The stride is the window's size by default; padding never wins.

            x.max_pool2d(2)
        """
        return self._max_pool(kernel_size, stride, padding, dilation, ceil_mode, 2, "max_pool2d")

    def _max_pool(self, kernel_size: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool, count: int, what: str) -> Self:
        kernel, strides, dilations, pairs = self._pooling(kernel_size, stride, padding, dilation, ceil_mode, count, what)
        u = padded(self.uop, [(0, 0)] * (self.ndim - count) + pairs, self.dtype.min)
        u = windows(u, kernel, strides, dilations, what)
        rank = self.ndim
        return self._new(build.reduce(u, "or" if self.dtype is T.bool_ else "max", tuple(range(rank, rank + count))))

    def avg_pool1d(self, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False,
                   count_include_pad: bool = True) -> Self:
        """The mean of each window of the last axis. Of (channels, length) or (batch, channels, length). ShapeError where no window fits.

            Tensor([[[1.0, 3.0, 5.0, 7.0]]]).avg_pool1d(2)  # [[[2.0, 6.0]]]
        """
        return self._avg_pool(kernel_size, stride, padding, ceil_mode, count_include_pad, 1, "avg_pool1d")

    def avg_pool2d(self, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False,
                   count_include_pad: bool = True) -> Self:
        """The mean of each window of the last two axes; padding counts as zeros unless count_include_pad is False.

            x.avg_pool2d(2, stride=1)
        """
        return self._avg_pool(kernel_size, stride, padding, ceil_mode, count_include_pad, 2, "avg_pool2d")

    def _avg_pool(self, kernel_size: Any, stride: Any, padding: Any, ceil_mode: bool, count_include_pad: bool, count: int,
                  what: str) -> Self:
        kernel, strides, dilations, pairs = self._pooling(kernel_size, stride, padding, 1, ceil_mode, count, what)
        rank = self.ndim
        axes = tuple(range(rank, rank + count))
        leading = [(0, 0)] * (rank - count)
        x = self._computing()
        sums = self._new(build.reduce(windows(padded(x.uop, leading + pairs), kernel, strides, dilations, what), "add", axes))
        asked = [(p, p) for p in per_axis(padding, count, what)]
        if count_include_pad and asked == pairs:
            number: Any = 1.0
            for k in kernel:
                number *= k
        else:
            # Elements that count: the input's own, or with count_include_pad also the padding asked for, but never what ceil_mode adds.
            space = build.full(self.shape[-count:], 1.0, x.dtype)
            if count_include_pad:
                space = padded(space, asked, 1.0)
                pairs = [(p[0] - a[0], p[1] - a[1]) for p, a in zip(pairs, asked)]
            ones = windows(padded(space, pairs), kernel, strides, dilations, what)
            number = self._new(build.reduce(ones, "add", tuple(range(count, 2 * count))))
        return (sums / number)._rounded(self.dtype)

    def _pooling(self, kernel_size: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool, count: int, what: str) -> tuple:
        kernel = _positive(kernel_size, count, f"{what}: kernel_size")
        strides = kernel if stride is None or stride == () else _positive(stride, count, f"{what}: stride")
        dilations = _positive(dilation, count, f"{what}: dilation")
        if self.ndim not in (count + 1, count + 2):
            raise ShapeError(f"{what}: needs an input of {count + 1} or {count + 2} axes, (batch,) channels, ..., given shape {self.shape}")
        asked = per_axis(padding, count, f"{what}: padding")
        pairs = []
        for axis, (k, s, d, p) in enumerate(zip(kernel, strides, dilations, asked)):
            if not 0 <= p <= ((k - 1) * d + 1) // 2:
                raise ShapeError(f"{what}: padding {p} must be from 0 to half the window's span {(k - 1) * d + 1}")
            more = 0
            if ceil_mode:
                size = self.shape[self.ndim - count + axis]
                if isinstance(size, SymbolicInt):
                    raise ShapeError(f"{what}: ceil_mode needs known sizes, given shape {self.shape}")
                rest = size + 2 * p - ((k - 1) * d + 1)
                number = -(-rest // s) + 1
                if (number - 1) * s >= size + p:  # a window must begin inside the input or the padding before it
                    number -= 1
                more = max((number - 1) * s - rest, 0)
            pairs.append((p, p + more))
        return kernel, strides, dilations, pairs


def _positive(value: Any, count: int, what: str) -> tuple[int, ...]:
    sizes = per_axis(value, count, what)
    if any(s <= 0 for s in sizes):
        raise ShapeError(f"{what} must be positive, given {value}")
    return sizes


def _padding_of(padding: Any, kernel: list, strides: tuple[int, ...], dilations: tuple[int, ...], what: str) -> list[tuple[int, int]]:
    if padding == "valid":
        return [(0, 0)] * len(kernel)
    if padding == "same":
        if any(s != 1 for s in strides):
            raise ShapeError(f"{what}: padding='same' goes with stride 1, given {strides}")
        totals = [(k - 1) * d for k, d in zip(kernel, dilations)]
        return [(t // 2, t - t // 2) for t in totals]
    if isinstance(padding, str):
        raise ShapeError(f"{what}: padding is a number, numbers for each axis, 'same' or 'valid', not {padding!r}")
    if isinstance(padding, (tuple, list)) and padding and isinstance(padding[0], (tuple, list)):
        if len(padding) != len(kernel) or any(len(p) != 2 for p in padding):
            raise ShapeError(f"{what}: padding needs a (before, after) pair for each of the {len(kernel)} axes, given {padding}")
        pairs = [(integer(low, what), integer(high, what)) for low, high in padding]
    else:
        pairs = [(p, p) for p in per_axis(padding, len(kernel), f"{what}: padding")]
    if any(p < 0 for pair in pairs for p in pair):
        raise ShapeError(f"{what}: padding must not be negative, given {padding}")
    return pairs


