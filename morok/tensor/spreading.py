"""Transposed convolution: what a convolution's derivative and `conv_transpose` share. Of stride s, it is an ordinary one that computes s outputs at each place:

    y[s * j + r] = sum over m of x[j - m] * w[s * m + r]        r = 0 ... s - 1

so that nothing is multiplied by the zeros that a stretched input would hold.
"""
from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any


def spread(t: Any, weight: Any, steps: Sequence[int], apart: Sequence[int], groups: int) -> Any:
    """All that a transposed convolution of a tensor (batch, channels, ...) gives without padding, and maybe zeros behind."""
    count = len(steps)
    channels, outputs, *kernel = weight._concrete_shape()
    for a, (s, d) in enumerate(zip(steps, apart)):
        if s > 1:  # the taps that meet an output are s / d apart: with s = 1 the convolution's own dilation does it
            weight = _stretched(weight, 2 + a, d)
            weight = weight.pad([(0, -weight.shape[2 + a] % s) if b == 2 + a else (0, 0) for b in range(count + 2)])
    taps = [n // s for n, s in zip(weight._concrete_shape()[2:], steps)]
    split = weight.reshape(groups, channels // groups, outputs, *(n for pair in zip(taps, steps) for n in pair)).flip(tuple(range(3, 3 + 2 * count, 2)))
    inner = split.permute(0, 2, *range(4, 4 + 2 * count, 2), 1, *range(3, 3 + 2 * count, 2))
    inner = inner.reshape(groups * outputs * math.prod(steps), channels // groups, *taps).contiguous()
    widths = [d if s == 1 else 1 for s, d in zip(steps, apart)]
    edge = [(t - 1) * w for t, w in zip(taps, widths)]
    places = getattr(t, f"conv{count}d")(inner, None, 1, edge, widths, groups)
    space = places.shape[2:]
    by_phase = places.reshape(t.shape[0], groups * outputs, *steps, *space)
    order = [n for a in range(count) for n in (2 + count + a, 2 + a)]
    return by_phase.permute(0, 1, *order).reshape(t.shape[0], groups * outputs, *(n * s for n, s in zip(space, steps)))


def _stretched(t: Any, axis: int, by: int) -> Any:
    """by - 1 zeros between the elements of an axis."""
    if by == 1:
        return t
    shape = t._concrete_shape()
    t = t.unsqueeze(axis + 1).pad([(0, by - 1) if a == axis + 1 else (0, 0) for a in range(len(shape) + 1)])
    return t.reshape(*shape[:axis], shape[axis] * by, *shape[axis + 1:]).narrow(axis, 0, (shape[axis] - 1) * by + 1)
