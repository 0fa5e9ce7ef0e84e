"""Resizing. Each axis in its turn: an element of the result is a sum of a few of the input's, by weights that its place gives.

    linear, along an axis    y[o] = (1 - f) * x[i] + f * x[i + 1]      i + f = (o + 1/2) * in / out - 1/2
"""
from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...errors import DTypeError, ShapeError
from ...tensor.arguments import integer
from ...tensor.tensor import Tensor
from ..arguments import of_tensor
from .pooling import adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d

MODES = {"nearest": (1, 2, 3), "nearest-exact": (1, 2, 3), "linear": (1,), "bilinear": (2,), "bicubic": (2,), "trilinear": (3,), "area": (1, 2, 3)}
"""For how many axes each is."""
CUBIC = -0.75
"""The parameter of the cubic convolution kernel (Keys 1981), as PyTorch's."""


@of_tensor
def interpolate(input: Tensor, size: Any = None, scale_factor: Any = None, mode: str = "nearest", align_corners: bool | None = None,
                recompute_scale_factor: bool | None = None, antialias: bool = False) -> Tensor:
    """(batch, channels, ...) of one to three further axes, resized to `size` or by `scale_factor` (each one number, or one for each axis).

    Modes: nearest, nearest-exact, linear (of one axis), bilinear, bicubic (of two), trilinear (of three), area. With align_corners the corners' centres
    stay; otherwise the corners. NotImplementedError for antialias.

        nn.functional.interpolate(Tensor([[[1.0, 3.0]]]), scale_factor=2, mode="linear")    # [[[1.0, 1.5, 2.5, 3.0]]]
    """
    count = input.ndim - 2
    if mode not in MODES:
        raise ValueError(f"interpolate: mode is one of {', '.join(MODES)}, not {mode!r}")
    if count not in MODES[mode]:
        raise ShapeError(f"interpolate: mode {mode!r} is for (batch, channels, ...) of {' or '.join(str(n + 2) for n in MODES[mode])} axes, given shape "
                         f"{input.shape}")
    if antialias:
        raise NotImplementedError("interpolate: antialias is not offered; smooth before, or use mode='area'")
    interpolates = mode in ("linear", "bilinear", "bicubic", "trilinear")
    if align_corners is not None and not interpolates:
        raise ValueError(f"interpolate: align_corners goes with linear, bilinear, bicubic and trilinear, not with {mode!r}")
    if not input.dtype.is_float and mode not in ("nearest", "nearest-exact"):
        raise DTypeError(f"interpolate: mode {mode!r} takes floats, not {input.dtype}")
    space = input._concrete_shape()[2:]
    sizes, factors = _sizes(space, size, scale_factor, recompute_scale_factor)
    if mode == "area":
        return (adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d)[count - 1](input, sizes)
    x = input._computing() if interpolates else input
    for a, (old, new, factor) in enumerate(zip(space, sizes, factors)):
        if new == old and (factor is None or factor == 1):
            continue
        exact = np.float64 if x.dtype.bits == 64 else np.float32
        x = _resized(x, 2 + a, _taps(mode, old, new, factor, bool(align_corners), exact)).contiguous()  # otherwise the next axis computes it anew
    return x._rounded(input.dtype) if interpolates else x


def _sizes(space: Sequence[int], size: Any, scale_factor: Any, recompute: bool | None) -> tuple[list[int], list[float | None]]:
    """The new sizes, and the factors where they, not the sizes, say what is how far away."""
    count = len(space)
    if (size is None) == (scale_factor is None):
        raise ValueError("interpolate: give either size or scale_factor")
    given = size if size is not None else scale_factor
    each = list(given) if isinstance(given, (tuple, list)) else [given] * count
    if len(each) != count:
        raise ShapeError(f"interpolate: needs one number or {count}, given {given}")
    if size is not None:
        if recompute:
            raise ValueError("interpolate: recompute_scale_factor goes with scale_factor, not with size")
        sizes = [integer(s, "interpolate: size") for s in each]
        factors: list[float | None] = [None] * count
    else:
        factors = [float(f) for f in each]
        sizes = [math.floor(n * f) for n, f in zip(space, factors)]  # type: ignore[operator]
        if recompute:
            factors = [None] * count
    if min(sizes) < 1 or min(space) < 1:
        raise ShapeError(f"interpolate: sizes must be positive, given {tuple(sizes)} for {tuple(space)}")
    return sizes, factors


def _taps(mode: str, old: int, new: int, factor: float | None, align_corners: bool, exact: Any) -> list[tuple[np.ndarray, Any]]:
    """(indices, weights) of the elements whose sum an element of the result is; weights None for 1. Places are computed as PyTorch does, in `exact`."""
    places = np.arange(new).astype(exact)
    if align_corners:
        step = exact(old - 1) / exact(new - 1) if new > 1 else exact(0)
    else:
        step = exact(1.0 / factor) if factor else exact(old) / exact(new)
    if mode == "nearest":
        return [(np.minimum(np.floor(places * step).astype(np.int64), old - 1), None)]
    if mode == "nearest-exact":
        return [(np.minimum(np.floor((places + exact(0.5)) * step).astype(np.int64), old - 1), None)]
    source = places * step if align_corners else (places + exact(0.5)) * step - exact(0.5)
    if mode != "bicubic":
        source = np.maximum(source, exact(0))
    first = np.floor(source).astype(np.int64)
    if mode != "bicubic":
        first = np.minimum(first, old - 1)
    part = np.clip(source - first.astype(exact), exact(0), exact(1))
    if mode == "bicubic":
        weights = (_cubic(part + 1), _cubic(part), _cubic(1 - part), _cubic(2 - part))
        return [(np.clip(first + i - 1, 0, old - 1), w.astype(exact)) for i, w in enumerate(weights)]
    return [(first, (1 - part).astype(exact)), (np.minimum(first + 1, old - 1), part)]


def _cubic(d: np.ndarray) -> np.ndarray:
    near, far = ((CUBIC + 2) * d - (CUBIC + 3)) * d * d + 1, ((CUBIC * d - 5 * CUBIC) * d + 8 * CUBIC) * d - 4 * CUBIC
    return np.where(d <= 1, near, far)


def _resized(x: Tensor, axis: int, taps: list[tuple[np.ndarray, Any]]) -> Tensor:
    result = None
    for indices, weights in taps:
        part = _picked(x, axis, indices)
        if weights is not None:
            part = part * Tensor(weights, dtype=x.dtype, device=x.device).reshape(-1, *(1,) * (x.ndim - axis - 1))
        result = part if result is None else result + part
    assert result is not None
    return result


def _picked(x: Tensor, axis: int, indices: np.ndarray) -> Tensor:
    """Elements along an axis; where each is there equally often in a row, as a view."""
    old, new = x._concrete_shape()[axis], len(indices)
    times = new // old
    if times * old == new and np.array_equal(indices, np.arange(new) // max(times, 1)):
        return x.repeat_interleave(times, axis)
    return x.take(indices, axis)
