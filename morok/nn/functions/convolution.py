"""Convolution and its transpose."""
from __future__ import annotations

from typing import Any

from ...errors import ShapeError
from ...tensor.arguments import integer, per_axis
from ...tensor.spreading import spread
from ...tensor.tensor import Tensor
from ..arguments import of_tensor


@of_tensor
def conv1d(input: Tensor, weight: Tensor, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1) -> Tensor:
    """Cross-correlation of (batch, channels, length) with (outputs, channels / groups, width): `Tensor.conv1d`.

        nn.functional.conv1d(Tensor([[[1.0, 2.0, 4.0]]]), Tensor([[[1.0, 1.0]]]))    # [[[3.0, 6.0]]]
    """
    return input.conv1d(weight, bias, stride, padding, dilation, groups)


@of_tensor
def conv2d(input: Tensor, weight: Tensor, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1) -> Tensor:
    """Cross-correlation of (batch, channels, height, width) with (outputs, channels / groups, rows, columns): `Tensor.conv2d`.

        nn.functional.conv2d(Tensor.ones(1, 1, 2, 2), Tensor.ones(1, 1, 2, 2))    # [[[[4.0]]]]
    """
    return input.conv2d(weight, bias, stride, padding, dilation, groups)


@of_tensor
def conv3d(input: Tensor, weight: Tensor, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1) -> Tensor:
    """Cross-correlation over three axes: `Tensor.conv3d`.

        nn.functional.conv3d(Tensor.ones(1, 1, 2, 2, 2), Tensor.ones(1, 1, 2, 2, 2))    # [[[[[8.0]]]]]
    """
    return input.conv3d(weight, bias, stride, padding, dilation, groups)


@of_tensor
def conv_transpose1d(input: Tensor, weight: Tensor, bias: Any = None, stride: Any = 1, padding: Any = 0, output_padding: Any = 0, groups: int = 1,
                     dilation: Any = 1) -> Tensor:
    """The transpose of conv1d as a linear map: (batch, channels, length) with weights (channels, outputs / groups, width).

    The length is (length - 1) * stride - 2 * padding + dilation * (width - 1) + output_padding + 1. ShapeError where sizes do not fit.

        nn.functional.conv_transpose1d(Tensor([[[1.0, 2.0]]]), Tensor([[[1.0, 10.0]]]), stride=2)    # [[[1.0, 10.0, 2.0, 20.0]]]
    """
    return _transposed(input, weight, bias, stride, padding, output_padding, groups, dilation, 1)


@of_tensor
def conv_transpose2d(input: Tensor, weight: Tensor, bias: Any = None, stride: Any = 1, padding: Any = 0, output_padding: Any = 0, groups: int = 1,
                     dilation: Any = 1) -> Tensor:
    """The transpose of conv2d as a linear map: (batch, channels, height, width) with weights (channels, outputs / groups, rows, columns).

        nn.functional.conv_transpose2d(Tensor.ones(1, 1, 1, 2), Tensor.ones(1, 1, 1, 2))    # [[[[1.0, 2.0, 1.0]]]]
    """
    return _transposed(input, weight, bias, stride, padding, output_padding, groups, dilation, 2)


@of_tensor
def conv_transpose3d(input: Tensor, weight: Tensor, bias: Any = None, stride: Any = 1, padding: Any = 0, output_padding: Any = 0, groups: int = 1,
                     dilation: Any = 1) -> Tensor:
    """The transpose of conv3d as a linear map.

        nn.functional.conv_transpose3d(Tensor.ones(1, 1, 1, 1, 2), Tensor.ones(1, 1, 1, 1, 2))    # [[[[[1.0, 2.0, 1.0]]]]]
    """
    return _transposed(input, weight, bias, stride, padding, output_padding, groups, dilation, 3)


def _transposed(input: Tensor, weight: Tensor, bias: Any, stride: Any, padding: Any, output_padding: Any, groups: Any, dilation: Any, count: int) -> Tensor:
    what = f"conv_transpose{count}d"
    weight = input._operand(weight, what)
    if input.ndim == count + 1:
        return _transposed(input.unsqueeze(0), weight, bias, stride, padding, output_padding, groups, dilation, count).squeeze(0)
    groups = integer(groups, f"{what}: groups")
    if input.ndim != count + 2 or weight.ndim != count + 2:
        raise ShapeError(f"{what}: needs an input of {count + 2} axes (batch, channels, ...) and a weight of {count + 2}, given shapes {input.shape} "
                         f"and {weight.shape}")
    channels, outputs, *kernel = weight._concrete_shape()
    if groups < 1 or input.shape[1] != channels or channels % groups:
        raise ShapeError(f"{what}: the input's channels must be the weight's first size and a multiple of groups; given shapes {input.shape} and "
                         f"{weight.shape} with groups={groups}")
    steps, apart = (per_axis(v, count, f"{what}: {n}") for v, n in ((stride, "stride"), (dilation, "dilation")))
    cut, more = (per_axis(v, count, f"{what}: {n}") for v, n in ((padding, "padding"), (output_padding, "output_padding")))
    if min(*steps, *apart) < 1 or min(*cut, *more) < 0:
        raise ShapeError(f"{what}: stride and dilation are at least 1, padding and output_padding at least 0; given {stride}, {dilation}, {padding} and "
                         f"{output_padding}")
    if any(m >= max(s, d) for m, s, d in zip(more, steps, apart)):
        raise ShapeError(f"{what}: output_padding {more} must be less than stride {steps} or dilation {apart}")
    spans = [(k - 1) * d + 1 for k, d in zip(kernel, apart)]
    sizes = [(n - 1) * s - 2 * p + span + m for n, s, p, span, m in zip(input.shape[2:], steps, cut, spans, more)]
    whole = spread(input, weight, steps, apart, groups)
    window = [(-p, size + p - n) for p, size, n in zip(cut, sizes, whole.shape[2:])]
    result = whole.pad([(0, 0), (0, 0), *window])
    if bias is None:
        return result
    bias = input._operand(bias, what)
    if bias.shape != (outputs * groups,):
        raise ShapeError(f"{what}: the bias must have shape ({outputs * groups},), one for each output, not {bias.shape}")
    return result + bias.reshape(-1, *(1,) * count)
