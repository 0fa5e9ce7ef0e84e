"""The standard's reductions and differences; axis is None (all), an int or several."""
from __future__ import annotations

from typing import Any

from ..errors import AxisError
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


def cumulative_sum(x: Any, /, *, axis: int | None = None, dtype: Any = None, include_initial: bool = False) -> Tensor:
    """Sums of all elements up to each along an axis, which must be named where there are several; after a 0 with `include_initial`."""
    return _cumulative(x, axis, dtype, include_initial, "cumulative_sum")


def cumulative_prod(x: Any, /, *, axis: int | None = None, dtype: Any = None, include_initial: bool = False) -> Tensor:
    """Products of all elements up to each along an axis, which must be named where there are several; after a 1 with `include_initial`."""
    return _cumulative(x, axis, dtype, include_initial, "cumulative_prod")


def _cumulative(x: Any, axis: int | None, dtype: Any, include_initial: bool, what: str) -> Tensor:
    source = tensor(x, what)
    if axis is None and source.ndim != 1:
        raise AxisError(f"{what}: a tensor of {source.ndim} axes needs an axis")
    along = 0 if axis is None else normal_axis(axis, source.ndim, what)
    if dtype is not None:
        source = source.cast(dtype)
    found = source.cumsum(along) if what == "cumulative_sum" else source.cumprod(along)
    if dtype is not None:
        found = found.cast(dtype)
    if not include_initial:
        return found
    shape = tuple(1 if a == along else s for a, s in enumerate(found.shape))
    return concat([Tensor.full(shape, what == "cumulative_prod", dtype=found.dtype), found], axis=along)
