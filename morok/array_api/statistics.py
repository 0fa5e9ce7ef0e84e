"""The standard's reductions and differences; axis is None (all), an int or several."""
from __future__ import annotations

from typing import Any

from ..tensor.arguments import normal_axis
from ..tensor.tensor import Tensor
from .manipulation import concat
from .operands import tensor

Axes = int | tuple[int, ...] | None


def sum(x: Any, /, *, axis: Axes = None, dtype: Any = None, keepdims: bool = False) -> Tensor:
    """Sums; bools and integers in 64 bits unless dtype says otherwise."""
    return tensor(x, "sum").sum(axis, keepdims, dtype)


def prod(x: Any, /, *, axis: Axes = None, dtype: Any = None, keepdims: bool = False) -> Tensor:
    """Products; bools and integers in 64 bits unless dtype says otherwise."""
    return tensor(x, "prod").prod(axis, keepdims, dtype)


def mean(x: Any, /, *, axis: Axes = None, keepdims: bool = False) -> Tensor:
    """Arithmetic means."""
    return tensor(x, "mean").mean(axis, keepdims)


def max(x: Any, /, *, axis: Axes = None, keepdims: bool = False) -> Tensor:
    """The greatest element; NaN if one is."""
    return tensor(x, "max").max(axis, keepdims)


def min(x: Any, /, *, axis: Axes = None, keepdims: bool = False) -> Tensor:
    """The least element; NaN if one is."""
    return tensor(x, "min").min(axis, keepdims)


def var(x: Any, /, *, axis: Axes = None, correction: float = 0.0, keepdims: bool = False) -> Tensor:
    """Variances: squared distances from the mean, divided by n - correction."""
    return tensor(x, "var").var(axis, correction, keepdims)


def std(x: Any, /, *, axis: Axes = None, correction: float = 0.0, keepdims: bool = False) -> Tensor:
    """Standard deviations: the roots of `var`."""
    return tensor(x, "std").std(axis, correction, keepdims)


def all(x: Any, /, *, axis: Axes = None, keepdims: bool = False) -> Tensor:
    """Whether every element is not 0."""
    return tensor(x, "all").all(axis, keepdims)


def any(x: Any, /, *, axis: Axes = None, keepdims: bool = False) -> Tensor:
    """Whether an element is not 0."""
    return tensor(x, "any").any(axis, keepdims)


def diff(x: Any, /, *, axis: int = -1, n: int = 1, prepend: Any = None, append: Any = None) -> Tensor:
    """Differences of neighbours along an axis, n times; prepend and append are put before and after first. Of bools, whether neighbours differ."""
    source = tensor(x, "diff")
    along = normal_axis(axis, source.ndim, "diff")
    if n < 0:
        raise ValueError(f"diff: n must not be negative, not {n}")
    if n == 0:
        return +source
    parts = [p for p in (prepend, source, append) if p is not None]
    if len(parts) > 1:
        source = concat(parts, axis=along)
    for _ in range(n):
        before, after = (source[(slice(None),) * along + (window,)] for window in (slice(None, -1), slice(1, None)))
        source = after != before if source.dtype.kind == "b" else after - before
    return source
