"""Windows as columns and back, and channels as places."""
from __future__ import annotations

import math
from typing import Any

from ...errors import DTypeError, ShapeError
from ...tensor.arguments import integer, per_axis
from ...tensor.gradient.transforms import vjp
from ...tensor.movement import padded
from ...tensor.tensor import Tensor
from ...tensor.windows import windows
from ..arguments import of_tensor


@of_tensor
def unfold(input: Tensor, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Tensor:
    """The windows of (batch, channels, height, width) as columns: (batch, channels * rows * columns of the window, number of windows).

    The batch may be missing. ShapeError where no window fits.

        nn.functional.unfold(Tensor([[[[1.0, 2.0, 3.0]]]]), (1, 2))    # [[[1.0, 2.0], [2.0, 3.0]]]
    """
    if input.ndim not in (3, 4):
        raise ShapeError(f"unfold: takes ((batch,) channels, height, width), not shape {input.shape}")
    if input.ndim == 3:
        return unfold(input.unsqueeze(0), kernel_size, dilation, padding, stride).squeeze(0)
    kernel, apart, edge, steps = _window(kernel_size, dilation, padding, stride, "unfold")
    u = windows(padded(input.uop, [(0, 0), (0, 0), *((p, p) for p in edge)]), kernel, steps, apart, "unfold")
    found = input._new(u)
    rows, columns = found.shape[2:4]
    return found.permute(0, 1, 4, 5, 2, 3).reshape(input.shape[0], input.shape[1] * math.prod(kernel), rows * columns)


@of_tensor
def fold(input: Tensor, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Tensor:
    """The transpose of unfold: columns (batch, channels * rows * columns of the window, number of windows) are added where their windows lie in an
    image of output_size.

        nn.functional.fold(Tensor([[[1.0, 2.0], [2.0, 3.0]]]), (1, 3), (1, 2))    # [[[[1.0, 4.0, 3.0]]]]
    """
    if input.ndim not in (2, 3):
        raise ShapeError(f"fold: takes ((batch,) channels * window, windows), not shape {input.shape}")
    if input.ndim == 2:
        return fold(input.unsqueeze(0), output_size, kernel_size, dilation, padding, stride).squeeze(0)
    if not input.dtype.is_float:
        raise DTypeError(f"fold: takes floats, not {input.dtype}")
    kernel, apart, edge, steps = _window(kernel_size, dilation, padding, stride, "fold")
    size = per_axis(output_size, 2, "fold: output_size")
    count = math.prod((n + 2 * p - d * (k - 1) - 1) // s + 1 for n, p, d, k, s in zip(size, edge, apart, kernel, steps))
    if input.shape[1] % math.prod(kernel) or input.shape[2] != count:  # type: ignore[operator]
        raise ShapeError(f"fold: an image of {size} with windows of {kernel} has {count} windows, and the second axis is a multiple of {math.prod(kernel)}; "
                         f"given shape {input.shape}")
    image = Tensor.zeros(input.shape[0], input.shape[1] // math.prod(kernel), *size, dtype=input.dtype, device=input.device)  # type: ignore[operator]
    return vjp(lambda x: unfold(x, kernel, apart, edge, steps), image)[1](input)[0]


def _window(kernel_size: Any, dilation: Any, padding: Any, stride: Any, what: str) -> list[tuple[int, ...]]:
    named = (("kernel_size", kernel_size, 1), ("dilation", dilation, 1), ("padding", padding, 0), ("stride", stride, 1))
    found = []
    for name, value, least in named:
        sizes = per_axis(value, 2, f"{what}: {name}")
        if min(sizes) < least:
            raise ShapeError(f"{what}: {name} is at least {least}, given {value}")
        found.append(sizes)
    return found


@of_tensor
def pixel_shuffle(input: Tensor, upscale_factor: int) -> Tensor:
    """(..., channels * f * f, height, width) as (..., channels, height * f, width * f): each f * f channels are a block of places.

        nn.functional.pixel_shuffle(Tensor([[[1.0]], [[2.0]], [[3.0]], [[4.0]]]), 2)    # [[[1.0, 2.0], [3.0, 4.0]]]
    """
    f = integer(upscale_factor, "pixel_shuffle: upscale_factor")
    if input.ndim < 3 or f < 1 or input.shape[-3] % (f * f):  # type: ignore[operator]
        raise ShapeError(f"pixel_shuffle: the channels, axis -3 of shape {input.shape}, must be a multiple of upscale_factor squared, given {f}")
    *batch, channels, height, width = input.shape
    n = len(batch)
    split = input.reshape(*batch, channels // (f * f), f, f, height, width)  # type: ignore[operator]
    return split.permute(*range(n), n, n + 3, n + 1, n + 4, n + 2).reshape(*batch, channels // (f * f), height * f, width * f)  # type: ignore[operator]


@of_tensor
def pixel_unshuffle(input: Tensor, downscale_factor: int) -> Tensor:
    """The inverse of pixel_shuffle: (..., channels, height * f, width * f) as (..., channels * f * f, height, width).

        nn.functional.pixel_unshuffle(Tensor([[[1.0, 2.0], [3.0, 4.0]]]), 2)    # [[[1.0]], [[2.0]], [[3.0]], [[4.0]]]
    """
    f = integer(downscale_factor, "pixel_unshuffle: downscale_factor")
    if input.ndim < 3 or f < 1 or input.shape[-2] % f or input.shape[-1] % f:  # type: ignore[operator]
        raise ShapeError(f"pixel_unshuffle: height and width of shape {input.shape} must be multiples of downscale_factor, given {f}")
    *batch, channels, height, width = input.shape
    n = len(batch)
    split = input.reshape(*batch, channels, height // f, f, width // f, f)  # type: ignore[operator]
    return split.permute(*range(n), n, n + 2, n + 4, n + 1, n + 3).reshape(*batch, channels * f * f, height // f, width // f)  # type: ignore[operator]


@of_tensor
def channel_shuffle(input: Tensor, groups: int) -> Tensor:
    """The channels (axis 1) of each group in turn: channel i of group g comes to place i * groups + g.

        nn.functional.channel_shuffle(Tensor([[1.0, 2.0, 3.0, 4.0]]), 2)    # [[1.0, 3.0, 2.0, 4.0]]
    """
    groups = integer(groups, "channel_shuffle: groups")
    if input.ndim < 2 or groups < 1 or input.shape[1] % groups:  # type: ignore[operator]
        raise ShapeError(f"channel_shuffle: {groups} groups must divide the channels, axis 1 of shape {input.shape}")
    split = input.reshape(input.shape[0], groups, input.shape[1] // groups, *input.shape[2:])  # type: ignore[operator]
    return split.transpose(1, 2).reshape(*input.shape)
