"""Sliding windows by movement ops alone: what convolution and pooling read.

    windows of x (i,): kernel k, stride s, dilation d    =>    (o, k), element [p, q] = x[p * s + q * d]

Where windows do not overlap (s >= the window's span), the axis is cut into pieces of length s. Otherwise k copies end to end are cut into
rows of length i + d: each row begins d elements later in x than the one before.
"""
from __future__ import annotations

from collections.abc import Sequence

from ..errors import ShapeError
from ..graph.tensor_graph import TensorUOp
from . import build
from .sizes import Shape, Size, greatest, least


def output_size(size: Size, kernel: int, stride: int, dilation: int, what: str) -> Size:
    """How many windows fit."""
    span = (kernel - 1) * dilation + 1
    if least(size) < span:
        raise ShapeError(f"{what}: a window of {kernel} elements, {dilation} apart, spans {span}, more than the padded input's size {size}")
    return (size - span) // stride + 1


def windows(u: TensorUOp, kernel: Sequence[int], stride: Sequence[int], dilation: Sequence[int], what: str) -> TensorUOp:
    """The last axes, one for each kernel size, become (outputs ..., kernel ...)."""
    count = len(kernel)
    first = len(build.shape_of(u)) - count
    for i, (k, s, d) in enumerate(zip(kernel, stride, dilation)):
        u = _windows_of_axis(u, first + 2 * i, k, s, d, what)
    order = (*range(first), *(first + 2 * i for i in range(count)), *(first + 2 * i + 1 for i in range(count)))
    return build.permute(u, order)


def _windows_of_axis(u: TensorUOp, axis: int, kernel: int, stride: int, dilation: int, what: str) -> TensorUOp:
    """Axis of size i becomes two: (outputs, kernel)."""
    shape = build.shape_of(u)
    outputs = output_size(shape[axis], kernel, stride, dilation, what)
    span = (kernel - 1) * dilation + 1
    if stride >= span:
        u = _resized(u, axis, outputs * stride)
        u = _split(u, axis, outputs, stride)
        u = _resized(u, axis + 1, kernel * dilation)
        u = _split(u, axis + 1, kernel, dilation)
        return _first_of(u, axis + 2)
    size = shape[axis]
    rows = -(-(kernel * (least(size) + dilation)) // least(size)) if least(size) else kernel + 1
    before, after = shape[:axis], shape[axis + 1:]
    u = build.expand(build.reshape(u, (*before, 1, size, *after)), (*before, rows, size, *after))
    u = build.reshape(u, (*before, size * rows, *after))
    u = _resized(u, axis, (size + dilation) * kernel)
    u = _split(u, axis, kernel, size + dilation)
    u = _resized(u, axis + 1, outputs * stride)
    u = _split(u, axis + 1, outputs, stride)
    u = _first_of(u, axis + 2)
    rank = len(build.shape_of(u))
    return build.permute(u, tuple(axis + 1 if a == axis else axis if a == axis + 1 else a for a in range(rank)))


def _resized(u: TensorUOp, axis: int, size: Size) -> TensorUOp:
    """The axis cut or padded at its end."""
    shape = build.shape_of(u)
    more = size - shape[axis]
    if greatest(more) <= 0:
        return build.shrink(u, (0,) * len(shape), tuple(size if a == axis else s for a, s in enumerate(shape)))
    if least(more) < 0:
        more_needed = greatest(more)
        u = build.pad(u, (0,) * len(shape), tuple(more_needed if a == axis else 0 for a in range(len(shape))))
        return _resized(u, axis, size)
    return build.pad(u, (0,) * len(shape), tuple(more if a == axis else 0 for a in range(len(shape))))


def _split(u: TensorUOp, axis: int, outer: Size, inner: Size) -> TensorUOp:
    shape = build.shape_of(u)
    return build.reshape(u, (*shape[:axis], outer, inner, *shape[axis + 1:]))


def _first_of(u: TensorUOp, axis: int) -> TensorUOp:
    """Index 0 of an axis, without it."""
    shape: Shape = build.shape_of(u)
    u = build.shrink(u, (0,) * len(shape), tuple(1 if a == axis else s for a, s in enumerate(shape)))
    return build.reshape(u, (*shape[:axis], *shape[axis + 1:]))
